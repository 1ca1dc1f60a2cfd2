"""What a command's options ask for, as the request that the front ends take."""

from pathlib import Path
from typing import Any

import typer

from workbench.cli_options import Files, ModelOptions, Place, Wish


def say(text: str) -> None:
    """A line on stderr, its control characters made visible."""
    from workbench.model.text import printable

    typer.echo(printable(text), err=True)


def acquired(
    target: str,
    pid: int | None,
    reading: Files,
    asked: Wish,
    where: Place,
    helped: ModelOptions | None = None,
) -> Any:
    """The request on a file that can be opened."""
    from workbench.acquire import acquire

    return acquire(request_of(target, reading, asked, where, helped), pid, say)


def request_of(
    target: str, reading: Files, asked: Wish, where: Place, helped: ModelOptions | None = None
) -> Any:
    """Without ``helped``, a command that no model helps."""
    from workbench.model.models import OFFLINE
    from workbench.opening import Request

    return Request(
        target=target,
        options=options_of(reading, asked, where),
        base=where.base,
        settings=where.settings,
        wanted=helped.wish(where.settings) if helped else OFFLINE,
    )


def options_of(reading: Files, asked: Wish, where: Place) -> Any:
    """The `Options` of an investigation."""
    from workbench.model.target import Options

    return Options(
        debugger=reading.debugger.value,
        sessions_dir=str(where.given) if where.given else None,
        executable=_absolute(reading.exe),
        sysroot=_absolute(reading.sysroot),
        sos=_absolute(reading.sos),
        clr_path=_absolute(reading.clr_path),
        issue=asked.issue,
        timeout=asked.timeout,
        command_timeout=where.settings.command_timeout,
        storage_threshold=where.settings.evidence_storage_threshold,
        chunk_size=where.settings.evidence_chunk_size,
        approve_all=asked.yes,
        watches=asked.watches,
        security=asked.security,
        limits=where.settings.limits(),
    )


def _absolute(path: Path | None) -> str | None:
    return str(path.absolute()) if path else None


def check_target(target: str, pid: int | None, reading: Files, asked: Wish, where: Place) -> None:
    """Whether a target could be opened, as far as that costs nothing. Raises `TargetError`."""
    if pid is not None or target == "@last":
        return
    from workbench.opening import recognise

    request = acquired(target, pid, reading, asked, where)
    if request.session_folder() is None:
        recognise(request)


def estimate(
    work: str, helped: ModelOptions, where: Place, format: str = "md", output: Path | None = None
) -> int:
    """Print what models would be asked and what that would cost, instead of doing it."""
    from workbench.delivery import check_output, deliver
    from workbench.estimating import Work, as_json, as_text
    from workbench.estimating import estimate as estimated

    if output is not None:
        check_output(output)
    made = estimated(Work(work), where.settings, helped.wish(where.settings))
    deliver(as_json(made) if format == "json" else as_text(made), output)
    return 0


def finish(run: Any, *arguments: Any, debug: bool) -> None:
    """Call a front end and leave with its status; an error is one line on stderr."""
    try:
        status = run(*arguments)
    except KeyboardInterrupt:
        status = 130
    except Exception as error:  # noqa: BLE001 - printed as one line, or raised with --debug
        status = explain_error(error, debug)
    raise typer.Exit(status)


def explain_error(error: Exception, debug: bool) -> int:
    """Say it in one line; the exit status."""
    if debug:
        raise error
    from workbench.errors import explain

    text, status = explain(error)
    typer.echo(f"workbench: {text}", err=True)
    return status
