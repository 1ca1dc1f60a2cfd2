"""`workbench reproduce`: run the program again, watch, and tell where its fault began."""

import asyncio
import shlex
import shutil
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from msgspec.structs import replace

from workbench.agents.observed import words_of
from workbench.debuggers.private_folder import PrivateFolder
from workbench.debuggers.protocol import DebuggerError
from workbench.delivery import check_output, on_signals, say
from workbench.engine.outcome import CONCLUDED, INCONCLUSIVE, INTERRUPTED
from workbench.engine.recipe import GateMode
from workbench.engine.rerun import ending_of, find_origin, keep_not_reproduced
from workbench.engine.viewing import viewed
from workbench.fronts.headless import deliver_somewhere
from workbench.fronts.progress import show_progress
from workbench.model.events import Phase
from workbench.model.facts import Hit
from workbench.opening import Request, open_session, recognise
from workbench.reproduce.program import Program
from workbench.reproduce.recording import Replays, program_in
from workbench.reproduce.runner import Runner, Seen
from workbench.reproduce.runs import Runs, Wanted
from workbench.reproduce.search import Keep
from workbench.reproduce.tools import NO_LOOKS, RECORDER, Looks
from workbench.store.errors import StoreError
from workbench.store.session_row import CORES
from workbench.targets.errors import TargetError
from workbench.targets.identify import open_core

if TYPE_CHECKING:
    from workbench.engine.session import Session

_LONGEST_LINE = 400
"""Characters of a command line that an error has room for."""

Told = TypeVar("Told")


def without_command(request: Request) -> TargetError:
    """What to say where no command was given: the whole line with the dump's own, which nobody has
    allowed yet."""
    todo, words = "write it behind --; the report has the dump's, as `command line`", list[str]()
    with suppress(TargetError, StoreError, OSError, ValueError):
        words = asyncio.run(_dumps_words(request)) if request.target else []
    line = f"workbench reproduce {shlex.quote(request.target)}{request.options.kept_in} -- "
    line += shlex.join(words)
    if words and len(line) <= _LONGEST_LINE and line.isprintable():
        todo = f"to run what the dump names, with your rights: {line}"
    return TargetError("reproduce", "no command to run", todo)


async def _dumps_words(request: Request) -> list[str]:
    """The command line that the dump of a session, or a core, names."""
    folder = request.session_folder()
    if folder is not None:
        async with viewed(folder) as (_, state):
            return words_of(state)
    target, core = recognise(request), open_core(Path(request.target))
    given = target.executable or core.recorded_executable
    return [given, *shlex.split(core.command_line or "")[1:]] if given else []


async def reproduce(
    request: Request, program: Program | None, format: str, output: Path | None,
    looks: Looks = NO_LOOKS,
) -> int:  # fmt: skip
    """Run it; the report with the origin on stdout. 0: the origin was seen, 1: it was not, or the
    program did not fail as before, 130: interrupted, and what was seen is kept.

    Without a target the first crash becomes the case. The program is None for a recording, which
    is replayed. Raises what `open_session` and the debugger
    raise.
    """
    if output is not None:
        check_output(output)
    work = asyncio.ensure_future(_reproduce(request, program, format, output, looks))
    interrupted = on_signals(work)
    await asyncio.wait([work])
    if interrupted:
        say("interrupted; what the runs showed is saved")
        return INTERRUPTED
    return work.result()


async def _reproduce(
    request: Request, program: Program | None, format: str, output: Path | None, looks: Looks
) -> int:
    private = await asyncio.to_thread(PrivateFolder)
    folder = private.path
    runner: Runner | None = None
    session: Session | None = None
    try:
        gdb, trace = request.settings.programs().get("gdb"), None
        if program is None:
            trace = Path(request.target)
            program, request = await program_in(trace, folder), replace(request, target="")
        records = trace is not None or any(tool.name == RECORDER for tool in looks.tools)
        runner = Replays(program, folder, gdb, trace) if records else Runner(program, folder, gdb)
        wanted = Wanted()
        reports = await looks.reports(program, folder, say)
        if request.target:
            session = await _case(request, reports)
            wanted = await ending_of(session, program.path)
        runs = Runs(runner, _keeping(lambda: session), say, wanted)
        say(f"running {program.shown()}")
        seen = await _or_told(runs.first(), session, format, output)
        if seen is None:
            return await _not_reproduced(session, runs, format, output)
        core = folder / "core"
        if session is None:
            core = await asyncio.to_thread(_adopt, core, request.base, program)
            if not seen.outcome.execs:  # else the dump tells which program took its place
                options = replace(request.options, executable=str(program.path))
                request = replace(request, options=options)
            session = await _case(replace(request, target=str(core)), reports)
        return await _searched(session, runs, seen, core, format, output)
    finally:
        if runner is not None:
            await runner.close()
        if session is not None:
            await session.close()
        await asyncio.to_thread(private.remove)


async def _searched(
    session: "Session", runs: Runs, seen: Seen, core: Path, format: str, output: Path | None
) -> int:
    runs.kept_in = session.folder / "runs"
    finding = find_origin(session, runs, seen, core)
    origin, said = await _or_told(finding, session, format, output)
    say(said)
    await session.write_report()
    refused = deliver_somewhere(await session.report(format), output)
    if refused is not None:
        raise refused
    return CONCLUDED if origin is not None else INCONCLUSIVE


async def _or_told(
    work: Awaitable[Told], session: "Session | None", format: str, output: Path | None
) -> Told:
    """What ``work`` gives; where a run fails the report on what was found before comes first."""
    try:
        return await work
    except (DebuggerError, OSError):
        if session is not None:
            deliver_somewhere(await session.report(format), output)
        raise


async def _not_reproduced(
    session: "Session | None", runs: Runs, format: str, output: Path | None
) -> int:
    say(await keep_not_reproduced(session, runs))
    if session is not None:
        refused = deliver_somewhere(await session.report(format), output)
        if refused is not None:
            raise refused
    return INCONCLUSIVE


async def _case(request: Request, reports: Sequence[tuple[str, str]]) -> "Session":
    """The session on the target, its investigation done, with what tools said of other runs."""
    session = await open_session(request, GateMode.HEADLESS)
    try:
        for tool, text in reports:
            await session.keep_report(tool, text)
        if session.state.phase is not Phase.DONE:
            end = show_progress(session)
            await session.run()
            end()
    except BaseException:
        await session.close()
        raise
    return session


def _keeping(session: "Callable[[], Session | None]") -> Keep:
    async def keep(why: str, text: str, facts: Sequence[Hit]) -> str:
        current = session()
        assert current is not None
        return (await current.keep_run(why, text, facts)).id

    return keep


def _adopt(core: Path, base: Path, program: Program) -> Path:
    """The core of the first crash, kept beside the sessions: it is the case's dump."""
    folder = base / CORES
    made = folder / f"{program.path.name}-{datetime.now():%Y%m%d-%H%M%S}.core"
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        shutil.move(core, made)
        made.chmod(0o600)
    except OSError as error:  # it names the file that was to be moved
        made.unlink(missing_ok=True)
        why = error.strerror or str(error)
        raise TargetError(f"cannot save the core to {made}", why, "free some space") from error
    return made
