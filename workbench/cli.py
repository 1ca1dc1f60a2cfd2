"""The command line: options in, an exit status out; nothing is decided here."""

import asyncio
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from workbench.settings import Settings, load_settings

app = typer.Typer(
    add_completion=False,
    no_args_is_help=False,
    pretty_exceptions_enable=False,
    help="From a crash dump to a root cause whose every number can be followed to its line.",
)
sessions_app = typer.Typer(
    help="Saved sessions: list them, or take one up again.", invoke_without_command=True
)
app.add_typer(sessions_app, name="sessions")


class Format(StrEnum):
    """How a report is printed."""

    MD = "md"
    JSON = "json"
    HTML = "html"


class ListFormat(StrEnum):
    """How a list is printed."""

    TEXT = "text"
    JSON = "json"


class DebuggerName(StrEnum):
    """Which debugger opens the dump."""

    AUTO = "auto"
    GDB = "gdb"


class Tier(StrEnum):
    """Which models may help; this version has the expert of plain code only."""

    AUTO = "auto"
    OFFLINE = "offline"
    LOCAL = "local"
    CLOUD = "cloud"


Target = Annotated[str, typer.Argument(help="An ELF core, or a session id to go on with.")]
Exe = Annotated[
    Path | None, typer.Option("--exe", help="The program that crashed, when it is not found.")
]
Sysroot = Annotated[
    Path | None, typer.Option(help="A folder with the crashed machine's libraries.")
]
Debugger = Annotated[DebuggerName, typer.Option(help="Which debugger opens the dump.")]
Issue = Annotated[str | None, typer.Option(help="Your question; it stands in the report.")]
TierOption = Annotated[
    Tier, typer.Option(help="Which models may help. This version has none: auto is offline.")
]
SessionsDir = Annotated[
    Path | None, typer.Option(help="Where sessions are kept (default: .sessions).")
]
Timeout = Annotated[
    float | None, typer.Option(min=0.1, help="Seconds for the whole run; then the best so far.")
]
Yes = Annotated[bool, typer.Option("--yes", help="Approve every hypothesis.")]
EnvFile = Annotated[Path | None, typer.Option(help="Read settings from this file too.")]
Debug = Annotated[bool, typer.Option("--debug", help="Show tracebacks.")]
Output = Annotated[Path | None, typer.Option("--output", "-o", help="Write the report here.")]
ReportFormat = Annotated[Format, typer.Option(help="How the report is printed.")]


@app.callback(invoke_without_command=True)
def home(
    context: typer.Context,
    sessions_dir: SessionsDir = None,
    env_file: EnvFile = None,
    debug: Debug = False,
    version: Annotated[bool, typer.Option("--version", help="Show the version.")] = False,
) -> None:
    """Without a command: the list of saved sessions, full screen."""
    if version:
        from workbench import __version__

        typer.echo(f"workbench {__version__}")
        raise typer.Exit
    if context.invoked_subcommand is None:
        from workbench.screen import run_home

        _finish(run_home, _base(sessions_dir, env_file), _settings(env_file), debug=debug)


@app.command("open")
def open_(
    target: Target,
    exe: Exe = None,
    sysroot: Sysroot = None,
    debugger: Debugger = DebuggerName.AUTO,
    issue: Issue = None,
    tier: TierOption = Tier.AUTO,
    yes: Yes = False,
    sessions_dir: SessionsDir = None,
    timeout: Timeout = None,
    env_file: EnvFile = None,
    debug: Debug = False,
) -> None:
    """The full-screen workbench on a crash dump."""
    from workbench.screen import run_open

    _need_no_model(tier)
    request = _request(target, exe, sysroot, debugger, issue, yes, sessions_dir, timeout, env_file)
    _finish(run_open, request, debug=debug)


@app.command()
def triage(
    target: Target,
    exe: Exe = None,
    sysroot: Sysroot = None,
    debugger: Debugger = DebuggerName.AUTO,
    issue: Issue = None,
    tier: TierOption = Tier.AUTO,
    yes: Yes = False,
    sessions_dir: SessionsDir = None,
    timeout: Timeout = None,
    format: ReportFormat = Format.MD,
    output: Output = None,
    env_file: EnvFile = None,
    debug: Debug = False,
) -> None:
    """The same investigation headless: progress on stderr, the report on stdout.

    Exit status: 0 concluded, 1 inconclusive, 2 usage or a target that cannot be opened,
    3 the debugger failed, 130 interrupted (saved, resumable).
    """
    _need_no_model(tier)
    request = _request(target, exe, sysroot, debugger, issue, yes, sessions_dir, timeout, env_file)
    _triage(request, format, output, debug)


@app.command()
def demo(
    headless: Annotated[bool, typer.Option("--headless", help="Print the report.")] = False,
    issue: Issue = None,
    tier: TierOption = Tier.AUTO,
    yes: Yes = False,
    sessions_dir: SessionsDir = None,
    timeout: Timeout = None,
    format: ReportFormat = Format.MD,
    output: Output = None,
    env_file: EnvFile = None,
    debug: Debug = False,
) -> None:
    """The workbench on a sample crash that ships with the package."""
    from workbench.screen import demo_request, run_open

    _need_no_model(tier)
    try:
        request = demo_request(
            _options(
                None,
                None,
                issue,
                yes,
                timeout,
                sessions_dir,
                DebuggerName.AUTO,
                _settings(env_file),
            ),
            _base(sessions_dir, env_file),
            _settings(env_file),
        )
    except Exception as error:  # noqa: BLE001 - printed as one line, or raised with --debug
        raise typer.Exit(_explain(error, debug)) from None
    if headless:
        _triage(request, format, output, debug)
    else:
        _finish(run_open, request, debug=debug)


@sessions_app.callback()
def sessions(
    context: typer.Context,
    format: Annotated[ListFormat, typer.Option(help="How the list is printed.")] = ListFormat.TEXT,
    sessions_dir: SessionsDir = None,
    env_file: EnvFile = None,
) -> None:
    """List saved sessions, the latest touched first."""
    if context.invoked_subcommand is not None:
        return
    from workbench.session_list import as_json, as_text
    from workbench.store.catalog import list_sessions

    rows = list_sessions(_base(sessions_dir, env_file))
    typer.echo(as_json(rows) if format is ListFormat.JSON else as_text(rows))


@sessions_app.command()
def resume(
    session_id: Annotated[str, typer.Argument(help="The session's id, or how it begins.")],
    sessions_dir: SessionsDir = None,
    env_file: EnvFile = None,
    debug: Debug = False,
) -> None:
    """Take a session up again on the screen, where it was left."""
    from workbench.screen import run_resume

    _finish(run_resume, session_id, _base(sessions_dir, env_file), _settings(env_file), debug=debug)


def main() -> None:
    """The console script's entry."""
    app()


def _triage(request: Any, format: Format, output: Path | None, debug: bool) -> None:
    from workbench.headless import triage as run

    def whole() -> int:
        return asyncio.run(run(request, format.value, output))

    _finish(whole, debug=debug)


def _finish(run: Any, *arguments: Any, debug: bool) -> None:
    """Call a front end and leave with its status; an error is one line on stderr."""
    try:
        status = run(*arguments)
    except KeyboardInterrupt:
        status = 130
    except Exception as error:  # noqa: BLE001 - printed as one line, or raised with --debug
        status = _explain(error, debug)
    raise typer.Exit(status)


def _explain(error: Exception, debug: bool) -> int:
    if debug:
        raise error
    from workbench.errors import explain

    text, status = explain(error)
    typer.echo(f"workbench: {text}", err=True)
    return status


def _need_no_model(tier: Tier) -> None:
    if tier in (Tier.LOCAL, Tier.CLOUD):
        typer.echo(
            f"workbench: --tier {tier.value}: this version has no {tier.value} models; "
            "leave --tier out to run with the expert of plain code",
            err=True,
        )
        raise typer.Exit(3)


def _settings(env_file: Path | None) -> Settings:
    from workbench.settings import SettingsError

    try:
        return load_settings(env_file)
    except SettingsError as error:
        typer.echo(f"workbench: {error}", err=True)
        raise typer.Exit(2) from None


def _base(sessions_dir: Path | None, env_file: Path | None) -> Path:
    return (sessions_dir or Path(_settings(env_file).sessions_base_dir)).absolute()


def _options(
    exe: Path | None,
    sysroot: Path | None,
    issue: str | None,
    yes: bool,
    timeout: float | None,
    sessions_dir: Path | None,
    debugger: DebuggerName,
    settings: Settings,
) -> Any:
    from workbench.model.target import Options

    return Options(
        debugger=debugger.value,
        sessions_dir=str(sessions_dir) if sessions_dir else None,
        executable=str(exe.absolute()) if exe else None,
        sysroot=str(sysroot.absolute()) if sysroot else None,
        issue=issue,
        timeout=timeout,
        command_timeout=settings.command_timeout,
        approve_all=yes,
    )


def _request(
    target: str,
    exe: Path | None,
    sysroot: Path | None,
    debugger: DebuggerName,
    issue: str | None,
    yes: bool,
    sessions_dir: Path | None,
    timeout: float | None,
    env_file: Path | None,
) -> Any:
    from workbench.opening import Request

    settings = _settings(env_file)
    return Request(
        target=target,
        options=_options(exe, sysroot, issue, yes, timeout, sessions_dir, debugger, settings),
        base=_base(sessions_dir, env_file),
        settings=settings,
    )
