"""Configuration: flags > environment (CODRIVER_*, nested by __) > YAML file > defaults."""

from __future__ import annotations

import ipaddress
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, Self

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator
from pydantic_settings import (
    BaseSettings,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    SettingsError,
    YamlConfigSettingsSource,
)

ENV_PREFIX = "CODRIVER_"
DEFAULT_LISTEN = "127.0.0.1:50151"
DEFAULT_MODEL = Path("models/smollm2-135m")
DEFAULT_CANDIDATE_SETS = (Path("examples"),)
DEFAULT_TOKEN_BUDGET = 2048
"""Tokens of one model run."""
DEFAULT_BATCH_DELAY_MS = 2.0
DEFAULT_MAX_INFLIGHT = 64
"""Requests."""
DEFAULT_DEADLINE_MS = 5000
DEFAULT_MAX_MESSAGE_BYTES = 4 * 1024 * 1024
DEFAULT_DRAIN_DELAY_S = 2.0
DEFAULT_GRACE_S = 10.0
UNIX_SCHEME = "unix:///"


class ConfigError(Exception):
    """The configuration is unusable; the message has one line a problem."""


def available_cores() -> int:
    """The cores that this process may use, which in a container are fewer than the machine's."""
    return len(os.sched_getaffinity(0))


class Log(BaseModel):
    """How the log is written (to stderr)."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    level: Literal["debug", "info", "warning", "error"] = "info"
    format: Literal["json", "console"] = "json"


class Settings(BaseSettings):
    """Everything that can be set. Units are in the names."""

    model_config = SettingsConfigDict(
        env_prefix=ENV_PREFIX,
        env_nested_delimiter="__",
        extra="forbid",
        frozen=True,
        protected_namespaces=(),
    )

    listen: str = DEFAULT_LISTEN
    allow_remote: bool = False
    scorer: Literal["embedded", "static"] = "embedded"
    model: Path = DEFAULT_MODEL
    candidate_sets: tuple[Path, ...] = DEFAULT_CANDIDATE_SETS
    threads: int = Field(default_factory=available_cores, ge=1)
    token_budget: int = Field(DEFAULT_TOKEN_BUDGET, ge=1)
    batch_delay_ms: float = Field(DEFAULT_BATCH_DELAY_MS, ge=0)
    max_inflight: int = Field(DEFAULT_MAX_INFLIGHT, ge=1)
    default_deadline_ms: int = Field(DEFAULT_DEADLINE_MS, ge=1)
    max_message_bytes: int = Field(DEFAULT_MAX_MESSAGE_BYTES, ge=1024)
    drain_delay_s: float = Field(DEFAULT_DRAIN_DELAY_S, ge=0)
    grace_s: float = Field(DEFAULT_GRACE_S, ge=0)
    reflection: bool = True
    log: Log = Log()

    @model_validator(mode="after")
    def _check_listen(self) -> Self:
        if self.listen.startswith(UNIX_SCHEME):
            return self
        host, _, port = self.listen.rpartition(":")
        if not host or not port.isdecimal() or int(port) > 65535:
            raise ValueError(f"listen {self.listen!r} is neither host:port nor {UNIX_SCHEME}path")
        if not _is_loopback(host) and not self.allow_remote:
            raise ValueError(
                f"listen {self.listen!r} is reachable from other machines and the server has no "
                "TLS; set allow_remote=true to allow that"
            )
        return self

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Flags, environment, file; a .env file is never read."""
        return init_settings, env_settings, YamlConfigSettingsSource(settings_cls)


def load_settings(file: Path | None = None, overrides: Mapping[str, Any] | None = None) -> Settings:
    """Reads the settings; ``overrides`` (flags) that are None are left out. Raises ConfigError."""
    if file is not None and not file.is_file():
        raise ConfigError(f"configuration file {file} does not exist")

    class FromFile(Settings):
        model_config = SettingsConfigDict(yaml_file=file)

    given = {k: v for k, v in (overrides or {}).items() if v is not None}
    try:
        return FromFile(**given)
    except ValidationError as error:
        raise ConfigError("\n".join(_line(e["loc"], e["msg"]) for e in error.errors())) from error
    except (SettingsError, yaml.YAMLError, TypeError, ValueError) as error:
        raise ConfigError(" ".join(str(error).split())) from error


def render(settings: Settings) -> str:
    """The settings as a YAML file that ``load_settings`` reads back."""
    return yaml.safe_dump(settings.model_dump(mode="json"), sort_keys=False)


def _line(location: tuple[int | str, ...], message: str) -> str:
    path = ".".join(str(part) for part in location)
    text = message.removeprefix("Value error, ")
    return f"{path}: {text}" if path else text


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False
