"""Settings: the environment, then a file named by ``--env-file``, then ``workbench.toml`` in the
user's configuration folder, then the default. Nothing is read from the working folder."""

import os
import tomllib
from collections.abc import Mapping
from pathlib import Path

import msgspec
from msgspec import Struct

_PROGRAMS = ("gdb", "lldb", "cdb", "dotnet_dump")


class SettingsError(Exception):
    """A setting that cannot be used; one line that names it."""


class Settings(Struct, frozen=True, kw_only=True):
    """Field names in upper case are the variables' names; ``WORKBENCH_X`` wins over ``X``."""

    sessions_base_dir: str = ".sessions"
    command_timeout: float = 120.0
    gdb: str | None = None
    lldb: str | None = None
    cdb: str | None = None
    dotnet_dump: str | None = None

    def programs(self) -> dict[str, Path]:
        """The debuggers' programs that are named, by the backend's name."""
        named = {name: getattr(self, name) for name in _PROGRAMS}
        return {name.replace("_", "-"): Path(path) for name, path in named.items() if path}


def load_settings(env_file: Path | None = None) -> Settings:
    """Raises `SettingsError` on an unreadable file or a value of the wrong type."""
    values: dict[str, object] = dict(_toml(_config_file()))
    if env_file is not None:
        values |= _from_environment(_env_file(env_file))
    values |= _from_environment(os.environ)
    try:
        return msgspec.convert(values, Settings, strict=False)
    except msgspec.ValidationError as error:
        raise SettingsError(
            f"a setting cannot be used: {error}; correct it and try again"
        ) from error


def _from_environment(environment: Mapping[str, str]) -> dict[str, object]:
    found: dict[str, object] = {}
    for name in Settings.__struct_fields__:
        # GDB, LLDB and the like alone belong to other tools.
        plain = [] if name in _PROGRAMS else [name.upper()]
        for variable in (*plain, f"WORKBENCH_{name.upper()}"):
            if environment.get(variable):
                found[name] = environment[variable]
    return found


def _config_file() -> Path:
    from platformdirs import user_config_path

    return user_config_path("workbench") / "workbench.toml"


def _toml(path: Path) -> dict[str, object]:
    try:
        values = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise SettingsError(f"{path} cannot be read: {error}; correct or remove it") from error
    return {name.lower(): value for name, value in values.items()}


def _env_file(path: Path) -> dict[str, str]:
    """``NAME=value`` lines; ``#`` begins a comment, quotes around a value are dropped."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, ValueError) as error:
        raise SettingsError(f"--env-file {path} cannot be read: {error}") from error
    pairs = (
        line.split("=", 1) for line in lines if "=" in line and not line.lstrip().startswith("#")
    )
    return {
        name.strip().removeprefix("export "): value.strip().strip("'\"") for name, value in pairs
    }
