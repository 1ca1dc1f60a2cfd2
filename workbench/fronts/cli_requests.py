"""What a command's options ask for, as the request that the front ends take."""

import importlib
import inspect
import os
from collections.abc import Callable, Coroutine
from functools import wraps
from pathlib import Path
from typing import Any

import typer

from workbench.fronts.cli_options import Files, ModelOptions, Place, Wish
from workbench.model.models import OFFLINE


def front(name: str) -> Any:
    """A module of the workbench by its name, imported when the command that needs it runs: a start
    of another one does without it."""
    return importlib.import_module(f"workbench.{name}")


def wait(work: Coroutine[Any, Any, int]) -> int:
    """Run to the end."""
    import asyncio

    return asyncio.run(work)


def say(text: str) -> None:
    """A line on stderr, its control characters made visible."""
    typer.echo(front("model.text").printable(text), err=True)


def acquired(
    target: str, pid: int | None, reading: Files, asked: Wish, where: Place,
    helped: ModelOptions | None = None,
) -> Any:  # fmt: skip
    """The request on a file that can be opened."""
    request = request_of(target, reading, asked, where, helped)
    if os.path.isdir(target) and front("reproduce.recording").is_recording(Path(target)):
        why, todo = "to replay a recording runs its program", f"workbench reproduce {target}"
        raise front("targets.errors").TargetError(target, why, todo)
    return front("fronts.acquire").acquire(request, pid, say)


def request_of(
    target: str, reading: Files, asked: Wish, where: Place, helped: ModelOptions | None = None,
    documents: bool = False,
) -> Any:  # fmt: skip
    """Without ``helped``, a command that no model helps."""
    return front("opening").Request(
        target=target, options=options_of(reading, asked, where), base=where.base,
        settings=where.settings, wanted=helped.wish(where.settings) if helped else OFFLINE,
        documents=documents)  # fmt: skip


def options_of(reading: Files, asked: Wish, where: Place) -> Any:
    """The `Options` of an investigation."""
    return front("model.target").Options(
        debugger=reading.debugger, sessions_dir=str(where.given.resolve()) if where.given else None,
        executable=_absolute(reading.exe), sysroot=_absolute(reading.sysroot),
        sos=_absolute(reading.sos), clr_path=_absolute(reading.clr_path), issue=asked.issue,
        timeout=asked.timeout, command_timeout=where.settings.command_timeout,
        storage_threshold=where.settings.evidence_storage_threshold,
        chunk_size=where.settings.evidence_chunk_size, approve_all=asked.yes,
        watches=tuple(asked.watch or ()), security=asked.security, limits=where.settings.limits(),
    )  # fmt: skip


def _absolute(path: Path | None) -> str | None:
    return str(path.absolute()) if path else None


def check_target(target: str, pid: int | None, reading: Files, asked: Wish, where: Place) -> None:
    """Whether a target could be opened, as far as that costs nothing. Raises `TargetError`."""
    if pid is not None or target == "@last":
        return
    request = acquired(target, pid, reading, asked, where)
    if request.session_folder() is None:
        front("opening").recognise(request)


def estimate(
    work: str, helped: ModelOptions, where: Place, format: str = "md", output: Path | None = None
) -> int:
    """Print what models would be asked and what that would cost, instead of doing it."""
    delivery, estimating = front("delivery"), front("estimating")
    if output is not None:
        delivery.check_output(output)
    wanted = helped.wish(where.settings)
    made = estimating.estimate(estimating.Work(work), where.settings, wanted)
    status: int = delivery.deliver_as(format, made, estimating.as_text, output)
    return status


def shares(**groups: Callable[..., Any]) -> Callable[[Callable[..., Any]], Callable[..., None]]:
    """Give a command the options of each group, a struct's fields or a function's parameters; it
    gets what the group makes of them under the group's name, ``where`` (`Place`) among them. The
    program leaves with the status that the command gives, or its coroutine; None goes on."""

    def decorate(command: Callable[..., Any]) -> Callable[..., None]:
        options = {name: inspect.signature(group).parameters for name, group in groups.items()}
        own = {n: p for n, p in inspect.signature(command).parameters.items() if n not in groups}
        shared = {n: p for group in options.values() for n, p in group.items() if n not in own}

        @wraps(command)
        def run(**given: Any) -> None:
            made = {
                name: groups[name](**{key: given[key] for key in keys})
                for name, keys in options.items()
            }
            mine = {name: given[name] for name in own}
            _finish(lambda: command(**mine, **made), made["where"].debug)

        # A command is called with names alone, so that their order is only the order in --help.
        kind = inspect.Parameter.KEYWORD_ONLY
        parameters = [p.replace(kind=kind) for p in (*own.values(), *shared.values())]
        run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        run.__annotations__ = {p.name: p.annotation for p in parameters}
        return run

    return decorate


def _finish(run: Callable[[], Any], debug: bool) -> None:
    """Call a front end and leave with its status; an error is one line on stderr."""
    try:
        status = run()
        if inspect.iscoroutine(status):
            status = wait(status)
    except (typer.Exit, typer.Abort, typer.TyperException):
        raise
    except KeyboardInterrupt:
        status = 130
    except Exception as error:  # noqa: BLE001 - printed as one line, or raised with --debug
        status = explain_error(error, debug)
    if status is not None:
        raise typer.Exit(status)


def explain_error(error: Exception, debug: bool) -> int:
    """Say it in one line; the exit status."""
    if debug:
        raise error
    told: tuple[str, int] = front("errors").explain(error)
    text, status = told
    typer.echo(f"workbench: {text}", err=True)
    return status
