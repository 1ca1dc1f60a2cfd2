"""Options that several commands share, each written down once."""

import os
from pathlib import Path
from typing import Annotated, Literal

import typer
from msgspec import Struct
from msgspec.structs import replace

from workbench.model.models import Effort, ModelWish, TierWish
from workbench.settings import Settings, SettingsError, load_settings


def as_path(typed: Path | None) -> Path | None:
    """A path that events can name. Raises `typer.BadParameter`."""
    if typed is not None and str(typed).encode("utf-8", "replace") != os.fsencode(typed):
        raise typer.BadParameter("its name is not UTF-8: rename it")
    return typed


SessionsDir = Annotated[
    Path | None,
    typer.Option(help="Where sessions are kept (default: .sessions).", callback=as_path),
]
EnvFile = Annotated[Path | None, typer.Option(help="Read settings from this file too.")]
Debug = Annotated[bool, typer.Option("--debug", help="Show tracebacks.")]
Output = Annotated[Path | None, typer.Option("--output", "-o", help="Write it to this file.")]
_printed = typer.Option("--format", help="How it is printed.")
ReportFormat = Annotated[
    Literal["md", "json", "html"], typer.Option("--format", help="How the report is printed.")
]
SavedFormat = Annotated[Literal["md", "json", "html", "script"], _printed]
AnswerFormat = Annotated[Literal["md", "json"], _printed]
ListFormat = Annotated[Literal["text", "json"], _printed]
Pid = Annotated[int | None, typer.Option(help="A running process: a core of it is taken first.")]


class Place(Struct, frozen=True, kw_only=True):
    """Where sessions are kept, and the settings."""

    base: Path
    given: Path | None
    settings: Settings
    debug: bool
    env_file: Path | None = None


class _Given(Struct, frozen=True, kw_only=True):
    """What stood in front of the command's name."""

    sessions_dir: Path | None = None
    env_file: Path | None = None
    debug: bool = False


def place(
    context: typer.Context,
    sessions_dir: SessionsDir = None,
    env_file: EnvFile = None,
    debug: Debug = False,
) -> Place:
    """The options of every command that touches sessions. In front of a command's name they count
    for the command, unless it has its own."""
    outer = context.find_object(_Given) or _Given()
    sessions_dir, env_file = sessions_dir or outer.sessions_dir, env_file or outer.env_file
    debug = debug or outer.debug
    context.obj = _Given(sessions_dir=sessions_dir, env_file=env_file, debug=debug)
    try:
        settings = load_settings(env_file)
    except SettingsError as error:
        typer.echo(f"workbench: {error}", err=True)
        raise typer.Exit(2) from None
    base = (sessions_dir or Path(settings.sessions_base_dir)).absolute()
    return Place(base=base, given=sessions_dir, settings=settings, debug=debug, env_file=env_file)


class Files(Struct, frozen=True, kw_only=True):
    """The options of every command that reads a target: which files, and which debugger."""

    exe: Annotated[
        Path | None, typer.Option(help="The program that crashed, when it is not found.")
    ] = None
    sysroot: Annotated[
        Path | None,
        typer.Option(help="A folder with the crashed machine's libraries.", callback=as_path),
    ] = None
    debugger: Annotated[
        Literal["auto", "gdb", "lldb", "cdb", "dotnet-dump", "replay"],
        typer.Option(help="Which debugger opens the dump."),
    ] = "auto"
    sos: Annotated[
        Path | None, typer.Option(help="SOS, when it does not lie beside .NET's runtime.")
    ] = None
    clr_path: Annotated[
        Path | None,
        typer.Option(help="The folder of the .NET runtime that crashed.", callback=as_path),
    ] = None


def as_text(typed: str | None) -> str | None:
    """What a person typed, or a script passed, as text that can be kept: bytes that are no UTF-8
    (surrogates of PEP 383) become question marks."""
    return None if typed is None else typed.encode("utf-8", "replace").decode()


def _as_expressions(typed: list[str] | None) -> list[str]:
    texts = [(as_text(one) or "").strip() for one in typed or ()]
    for text in texts:
        if not text or not text.isprintable():
            raise typer.BadParameter(f"--watch takes an expression of one line, not {text!r}")
    return texts


class Wish(Struct, frozen=True, kw_only=True):
    """The options of every command that investigates: what the person wants of it."""

    issue: Annotated[
        str | None, typer.Option(help="Your question; it stands in the report.", callback=as_text)
    ] = None
    yes: Annotated[bool, typer.Option("--yes", help="Approve every hypothesis.")] = False
    watch: Annotated[
        list[str] | None,
        typer.Option(
            metavar="EXPR",
            help="Evaluate this in the frame at fault; repeatable.",
            callback=_as_expressions,
        ),
    ] = None
    security: Annotated[
        bool, typer.Option("--security", help="Say what an attacker could make of it.")
    ] = False
    timeout: Annotated[
        float | None, typer.Option(min=0.1, help="Seconds for the whole run; then the best so far.")
    ] = None
    max_iterations: Annotated[
        int | None, typer.Option(min=1, help="Rounds that a model may investigate.")
    ] = None
    max_tool_calls: Annotated[
        int | None, typer.Option(min=1, help="Commands that a model may run.")
    ] = None
    max_tokens: Annotated[
        int | None, typer.Option(min=1, help="Tokens of the cloud calls of this session.")
    ] = None
    max_cost: Annotated[
        float | None, typer.Option(min=0, help="Dollars of the cloud calls of this session.")
    ] = None

    def within(self, where: Place) -> Place:
        """The settings with the bounds that the command line names."""
        given = {name: getattr(self, name) for name in _BOUNDS}
        bounds = {name: bound for name, bound in given.items() if bound is not None}
        return replace(where, settings=replace(where.settings, **bounds))


_BOUNDS = ("max_iterations", "max_tool_calls", "max_tokens", "max_cost")


class ModelOptions(Struct, frozen=True, kw_only=True):
    """The options of every command that a model may help: which may; what is None is left to the
    settings."""

    tier: Annotated[
        TierWish | None,
        typer.Option(
            help="Which models may help. auto: one on this machine if it answers; "
            "with --allow-cloud, one elsewhere for hard questions."
        ),
    ] = None
    model: Annotated[str | None, typer.Option(help="The model to ask, by its name.")] = None
    effort: Annotated[Effort | None, typer.Option(help="How long a model may think.")] = None
    allow_cloud: Annotated[
        bool,
        typer.Option("--allow-cloud", help="Let redacted parts of the dump leave this machine."),
    ] = False
    refresh: Annotated[
        bool, typer.Option("--refresh", help="Ask again what a model has answered before.")
    ] = False
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only estimate calls, tokens and dollars, per tier.")
    ] = False

    def wish(self, settings: Settings) -> ModelWish:
        """The command line, then the settings."""
        return ModelWish(
            tier=self.tier or settings.tier, model=self.model or settings.model,
            effort=self.effort or settings.effort,
            allow_cloud=self.allow_cloud or settings.allow_cloud, refresh=self.refresh)  # fmt: skip


class Run(Struct, frozen=True, kw_only=True):
    """The options of every stage of `workbench evaluate`."""

    folder: Annotated[
        Path, typer.Option(help="The run's folder: what is there already goes on.")
    ] = Path(".evaluate")
    corpus: Annotated[
        list[str] | None,
        typer.Option(
            help="One that ships (away, logs, origins, programs), `templates`, or a folder "
            "(repeatable)."
        ),
    ] = None
    component: Annotated[
        str, typer.Option(help="Only this one, as causes/use-after-free, or causes.")
    ] = ""
    sample: Annotated[int, typer.Option(min=0, help="Only so many of them, spread over all.")] = 0
    failed: Annotated[bool, typer.Option("--failed", help="Do again what was not right.")] = False
    sessions: Annotated[
        Literal["batched_by_component", "isolated"],
        typer.Option(help="Whether cases of a component share a debugger and models."),
    ] = "batched_by_component"
    jobs: Annotated[int, typer.Option(min=1, help="Cases at the same time.")] = os.cpu_count() or 1
    timeout: Annotated[float, typer.Option(min=1, help="Seconds for one investigation.")] = 300.0
    allow_build: Annotated[
        bool, typer.Option("--allow-build", help="Build and run what corpora of others hold.")
    ] = False
    bare: Annotated[
        bool, typer.Option("--bare", help="Run the bare debugger with the same commands too.")
    ] = False
    again: Annotated[
        bool, typer.Option("--again", help="Run programs with a known origin again to find it.")
    ] = False
    compare_sessions: Annotated[
        int, typer.Option(min=0, help="Do so many cases again in both kinds of sessions.")
    ] = 0
    max_cost: Annotated[
        float | None, typer.Option(min=0, help="Stop before models cost more dollars than this.")
    ] = None
