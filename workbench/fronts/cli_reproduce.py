"""The command `reproduce`, whose last words are another program's command line."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperCommand

from workbench.fronts.cli_options import Files, Output, Place, ReportFormat, Wish, place
from workbench.fronts.cli_requests import acquired, front, request_of, shares

_BEHIND = "workbench.command"


class CommandBehind(TyperCommand):
    """A command of ours with another's behind ``--``, which is none of ours to read."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Ours are in front of the first ``--``."""
        at = args.index("--") if "--" in args else len(args)
        ctx.meta[_BEHIND] = args[at + 1 :]
        return list(super().parse_args(ctx, args[:at]))

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """What ``--help`` shows as usage."""
        return [*super().collect_usage_pieces(ctx), "-- COMMAND [ARGS]"]


def add_reproduce(app: typer.Typer) -> None:
    """The command in its application."""

    @app.command(cls=CommandBehind)
    @shares(reading=Files, where=place)
    def reproduce(
        context: typer.Context,
        reading: Files,
        where: Place,
        target: Annotated[
            str,
            typer.Argument(
                help="The dump, a session id or a recording of rr's (which needs no command); "
                "without one the first crash becomes the case.",
                show_default=False,
            ),
        ] = "",
        cwd: Annotated[Path, typer.Option(help="The folder to run it in.")] = Path(),
        stdin: Annotated[Path | None, typer.Option(help="What it reads from stdin.")] = None,
        env: Annotated[
            list[str] | None, typer.Option(help="NAME=VALUE for its environment (repeatable).")
        ] = None,
        tries: Annotated[int, typer.Option(min=1, max=1000, help="Runs until it fails.")] = 10,
        timeout: Annotated[
            float, typer.Option(min=0.1, help="Seconds that one run may take.")
        ] = 60.0,
        with_: Annotated[
            list[str] | None,
            typer.Option(
                "--with",
                help="Run it under valgrind too; or record it once with rr and watch replays of "
                "that (experimental). Repeatable.",
            ),
        ] = None,
        build: Annotated[
            str,
            typer.Option(
                help="A command that builds it with a sanitizer into $OUT (CFLAGS, CXXFLAGS and "
                "LDFLAGS are set); it is run in --cwd.",
                show_default=False,
            ),
        ] = "",
        format: ReportFormat = "md",
        output: Output = None,
    ) -> Any:
        """Run the program again and watch for its fault's cause.

        The command behind -- is run under gdb on this machine, several times: it is your
        permission. What a tool says of its run (--with, --build) is evidence and decides like any
        other. Exit status: 0 the origin was seen, 1 it was not or the fault was not reproduced,
        2 usage, 3 the debugger failed, 130 interrupted (what the runs showed is saved).
        """
        command: Sequence[str] = context.meta.get(_BEHIND, [])
        recorded = not command and front("reproduce.recording").is_recording(Path(target))
        if not (command or recorded):
            raise front("fronts.reproducing").without_command(
                request_of(target, reading, Wish(), where)
            )
        asked = (command, cwd, stdin, env or [], tries, timeout)
        program = None if recorded else front("reproduce.program").program_of(*asked)
        tools = front("reproduce.tools")
        looks = tools.Looks(tuple(tools.tool_of(name) for name in with_ or []), build)
        given = reading, Wish(), where
        opened = target and not recorded
        request = acquired(target, None, *given) if opened else request_of(target, *given)
        return front("fronts.reproducing").reproduce(request, program, format, output, looks)
