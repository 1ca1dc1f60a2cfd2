"""Settings: the environment, then a file named by ``--env-file``, then ``workbench.toml`` in the
user's configuration folder, then the default. Nothing is read from the working folder."""

import os
from collections.abc import Mapping
from pathlib import Path

import msgspec
from msgspec import Struct
from platformdirs import user_config_path

from workbench.model.models import Content, Effort, TierWish
from workbench.model.target import Limits

_PROGRAMS = ("gdb", "lldb", "cdb", "dotnet_dump")
# Alone, these words belong to other tools: only WORKBENCH_X is read.
_OURS_ALONE = frozenset(
    {
        *_PROGRAMS,
        "auto_cleanup",
        *(
            "tier",
            "model",
            "effort",
            "allow_cloud",
            "cloud_leave_out",
            "gguf",
            "local_base_url",
            "local_model",
        ),
        *("max_cost", "max_tokens", "model_timeout", "trace", "trace_files", "trace_file_cap"),
        *("max_iterations", "max_tool_calls", "max_calls_an_iteration", "max_idle_iterations"),
        *("max_meta_calls", "checkpoint_every", "reading_calls", "piece_calls"),
        *("critic_rounds", "max_model_tokens", "max_model_seconds", "model_told"),
    }
)


class SettingsError(Exception):
    """A setting that cannot be used; one line that names it."""


class Secret:
    """A key. It shows itself only to who asks with `reveal`: no repr, no JSON, no report has it."""

    __slots__ = ("_value",)

    def __init__(self, value: str) -> None:
        self._value = value

    def reveal(self) -> str:
        """The key itself, for the request that needs it."""
        return self._value

    def __repr__(self) -> str:
        return "Secret(…)"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Secret) and other._value == self._value

    def __hash__(self) -> int:
        return hash(self._value)


class Settings(Struct, frozen=True, kw_only=True):
    """Field names in upper case are the variables' names; ``WORKBENCH_X`` wins over ``X``.

    ``max_cost`` (dollars) and ``max_tokens`` bound the cloud calls of a session, ``model_timeout``
    is how long a provider may be silent, in seconds (None: 60, and 300 for a model of this machine,
    which says nothing while it reads). ``cloud_leave_out`` names kinds of content
    (stacks, memory, source, strings) that no cloud call may carry. ``trace_file_cap`` is in bytes,
    ``evidence_excerpt`` in characters. The budgets are the contract's.
    """

    sessions_base_dir: str = ".sessions"
    session_cleanup_days: float = 7
    session_keep_recent: int = 5
    auto_cleanup: bool = False
    command_timeout: float = 120.0
    gdb: str | None = None
    lldb: str | None = None
    cdb: str | None = None
    dotnet_dump: str | None = None

    tier: TierWish = TierWish.AUTO
    model: str | None = None
    effort: Effort = Effort.MEDIUM
    allow_cloud: bool = False
    openai_api_key: Secret | None = None
    openai_base_url: str | None = None
    openai_model: str | None = None
    azure_openai_endpoint: str | None = None
    azure_openai_api_key: Secret | None = None
    azure_openai_deployment: str | None = None
    azure_openai_api_version: str | None = None
    ollama_host: str | None = None
    local_base_url: str | None = None
    local_model: str | None = None
    gguf: str | None = None
    model_timeout: float | None = None
    use_embeddings: bool = False
    embeddings_provider: str = "openai"
    embeddings_model: str = "text-embedding-3-small"
    azure_embeddings_deployment: str | None = None
    azure_embeddings_endpoint: str | None = None
    azure_embeddings_api_key: Secret | None = None

    cloud_leave_out: str = ""
    max_cost: float = 5.0
    max_tokens: int = 2_000_000
    max_iterations: int = 30
    max_tool_calls: int = 100
    max_calls_an_iteration: int = 40
    max_idle_iterations: int = 4
    max_meta_calls: int = 200
    checkpoint_every: int = 4
    reading_calls: int = 6
    piece_calls: int = 12
    critic_rounds: int = 2
    max_model_tokens: int = 1_000_000
    max_model_seconds: float = 1800.0
    model_told: int = 8000
    evidence_excerpt: int = 2048
    evidence_storage_threshold: int = 10_000
    evidence_chunk_size: int = 8_000
    trace: bool = False
    trace_files: bool = False
    trace_file_cap: int = 2_000_000

    def kept_here(self) -> frozenset[Content]:
        """The kinds of content that no cloud call may carry."""
        return frozenset(map(Content, self.cloud_leave_out.replace(",", " ").split()))

    def __post_init__(self) -> None:
        try:
            self.kept_here()
        except ValueError as error:
            known = ", ".join(Content)
            raise ValueError(f"{error}: cloud_leave_out takes {known}") from error

    def limits(self) -> Limits:
        """How long a model may go on in one investigation."""
        return Limits(
            iterations=self.max_iterations, tool_calls=self.max_tool_calls,
            calls_an_iteration=self.max_calls_an_iteration,
            idle_iterations=self.max_idle_iterations, meta_calls=self.max_meta_calls,
            checkpoint_every=self.checkpoint_every, reading_calls=self.reading_calls,
            piece_calls=self.piece_calls, critic_rounds=self.critic_rounds,
            excerpt=self.evidence_excerpt, told=self.model_told, tokens=self.max_model_tokens,
            seconds=self.max_model_seconds)  # fmt: skip

    def programs(self) -> dict[str, Path]:
        """The debuggers' programs that are named, by the backend's name."""
        named = {name: getattr(self, name) for name in _PROGRAMS}
        return {name.replace("_", "-"): Path(path) for name, path in named.items() if path}


def load_settings(env_file: Path | None = None) -> Settings:
    """Raises `SettingsError` on an unreadable file or a value of the wrong type."""
    values: dict[str, object] = dict(_toml(user_config_path("workbench") / "workbench.toml"))
    if env_file is not None:
        values |= _from_environment(_env_file(env_file))
    values |= _from_environment(os.environ)
    try:
        return msgspec.convert(values, Settings, strict=False, dec_hook=_secret)
    except msgspec.ValidationError as error:
        raise SettingsError(
            f"a setting cannot be used: {error}; correct it and try again"
        ) from error


def _secret(kind: type, value: object) -> Secret:
    if kind is not Secret or not isinstance(value, str):
        raise ValueError("a key is a string")
    return Secret(value.strip())


def _from_environment(environment: Mapping[str, str]) -> dict[str, object]:
    found: dict[str, object] = {}
    for name in Settings.__struct_fields__:
        plain = [] if name in _OURS_ALONE else [name.upper()]
        for variable in (*plain, f"WORKBENCH_{name.upper()}"):
            if environment.get(variable):
                found[name] = environment[variable]
    return found


def _toml(path: Path) -> dict[str, object]:
    try:
        if not path.exists():
            return {}
        import tomllib  # for the few who have such a file

        values = tomllib.loads(path.read_text(encoding="utf-8"))
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
