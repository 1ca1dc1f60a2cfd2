"""The program of a dump, run again for its session: what would be run, the runs, their origin."""

import asyncio
import os
import shlex
from collections.abc import Callable, Sequence
from copy import copy
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from analyzers.patterns.case import Case
from workbench.agents.checking import checked
from workbench.agents.judge import judge
from workbench.agents.observed import (
    connected,
    decided_by,
    foretold,
    led_to,
    left_open,
    may_be_root,
    shown_by,
    words_of,
)
from workbench.claims.chain import breaks
from workbench.claims.render import step_place, told_step
from workbench.debuggers.private_folder import PrivateFolder
from workbench.engine.gates import IntentError
from workbench.model import events
from workbench.model.category import Category
from workbench.model.facts import Hit
from workbench.model.investigation import Investigation
from workbench.model.origin import Origin, OriginKind
from workbench.model.target import TargetKind
from workbench.model.text import counted, printable
from workbench.settings import load_settings

if TYPE_CHECKING:  # what runs programs is loaded when one is to run
    from workbench.engine.session import Session
    from workbench.reproduce.runner import Seen
    from workbench.reproduce.runs import Runs, Wanted
    from workbench.reproduce.wire import Hold

_MOST_SETTINGS = 40
_LONGEST_SETTING = 120
_OURS_WORDS = """
PATH HOME TERM SHLVL _ PWD OLDPWD LS_COLORS USER LOGNAME SHELL LANG LANGUAGE MAIL HOSTNAME DISPLAY
COLUMNS LINES EDITOR PAGER LESSOPEN LESSCLOSE COLORTERM WINDOWID TMPDIR INVOCATION_ID
"""
_OURS = frozenset(_OURS_WORDS.split())
_OURS_BEGIN = ("XDG_", "SSH_", "DBUS_", "LC_", "WORKBENCH_", "PYTEST_", "GDM", "TMUX")
"""What a terminal or a login sets, which says nothing of the fault."""


class Proposed(Struct, frozen=True):
    """What would be run, as a shell's words, and the folder. ``settings`` (``NAME=value``) are the
    dead process's own: whoever made the dump chose them, and many make a loader or an interpreter
    take code from elsewhere, so that none is in the command."""

    command: str
    cwd: str
    settings: tuple[str, ...] = ()


def proposed(case: "Session") -> Proposed:
    """The command line of the dead process, a folder that has its files, and the part of its
    environment that is its own. Raises `IntentError` where the dump names no program."""
    state = case.state
    target, words = state.target, words_of(state)
    if target is None or target.kind is not TargetKind.ELF_CORE:
        raise IntentError("only a core of a Linux program tells what to run")
    if not words:
        raise IntentError("the dump does not name its program")
    environment = dict(case.environment())
    settings = [
        f"{name}={shlex.quote(value)}"
        for name, value in environment.items()
        if name.isidentifier()
        and name not in _OURS
        and not name.startswith(_OURS_BEGIN)
        and value.isprintable()
        and len(value) <= _LONGEST_SETTING
        and os.environ.get(name) != value
    ]
    folder = _folder(words[1:], [
        environment.get("PWD", ""), os.path.dirname(os.path.abspath(target.path)),
        *state.options.source_dirs, os.path.dirname(words[0]),
    ])  # fmt: skip
    return Proposed(shlex.join(words), folder, tuple(settings[:_MOST_SETTINGS]))


def _folder(arguments: list[str], folders: list[str]) -> str:
    """The first folder in which most of the files lie that the arguments name."""
    there = [one for one in folders if one and os.path.isdir(one)]
    files = [one for one in arguments if one and not one.startswith("-")]
    return max(there, key=lambda one: sum(os.path.exists(os.path.join(one, f)) for f in files))


async def ending_of(case: "Session", program: Path) -> "Wanted":
    """How the crash that is to be reproduced ended, and where its thread may be held."""
    from workbench.reproduce import orders, runs

    analysis, concluded = (await case.build_report()).analysis, case.state.conclusion
    sent = concluded is not None and concluded.category is Category.EXTERNAL_SIGNAL
    if sent or analysis.summary.crash_type in ("hang", "snapshot"):  # it would be running yet
        return runs.Wanted(signal="hang")
    frame = case.state.facts.once(Case).frame  # the dump's own: what a tool says is of another run
    function = frame.function if frame is not None else None
    target, signal = case.state.target, analysis.exception.signal
    holds: tuple[Hold, ...] = ()
    core = None
    if target is not None and target.kind is TargetKind.ELF_CORE:
        core = Path(target.path)
        holds = await asyncio.to_thread(orders.holds_in, core, program, signal)
    address = frame.address if frame is not None else None
    return runs.Wanted(signal=signal, function=function, address=address, core=core, holds=holds)


async def keep_not_reproduced(case: "Session | None", runs: "Runs") -> str:
    """What the runs ended with instead, in words; a notice of the session's too."""
    endings = {one: runs.differed.count(one) for one in dict.fromkeys(runs.differed)}
    shown = "; ".join(f"{count} x {ending}" for ending, count in endings.items())
    text = f"not reproduced in {counted(len(runs.differed), 'run')}: {shown}{runs.unlike}"
    if case is not None:
        await case.record(events.Noticed(text=f"The fault was {text}.", severity="warning"))
    return text


async def find_origin(
    case: "Session", runs: "Runs", seen: "Seen", core: Path
) -> tuple[Origin | None, str]:
    """What the search comes to, also in words; the conclusion's origin where there is one."""
    origin = await runs.find(seen, core)
    if origin is None or not may_be_root(case.state, origin):
        text = "The fault was reproduced, but no run showed where it began."
        if (aside := runs.aside) is not None:
            cites = ", ".join(str(citation) for citation in aside.evidence)
            did = told_step(aside)
            if aside.kind is OriginKind.WRITTEN:  # may be with what belongs there
                did = f"{step_place(aside)} was the last to write what was read later"
            elif aside.kind is OriginKind.NEVER_SET:  # or another place should have been read
                did = f"nothing had written what {step_place(aside)} read"
            text += (
                f" A run saw that {did} ({cites}): whether that was the mistake, or what it went "
                "by, is not known."
            )
        if runs.rest <= 0:
            text += " The watched runs used up their processor time: a longer --timeout gives more."
        await case.record(events.Noticed(text=text, severity="warning"))
        return None, text
    await case.take_origin(origin)
    if origin.file is not None and origin.line is not None:  # what the report shows of the line
        from workbench.agents.assisted.tools_look import function_of

        await function_of(case, origin.file, origin.line, 0)
    return origin, f"origin: {told_step(origin)}, after {counted(runs.runner.runs, 'run')}"


class Rerun:
    """The runs that a person asks for on the screen; one at a time."""

    def __init__(self, case: "Session") -> None:
        self._case = case
        self._task: asyncio.Task[None] | None = None
        self._told: asyncio.Future[None] | None = None  # the latest line, on its way

    @property
    def is_running(self) -> bool:
        """True while the program is run."""
        return self._task is not None and not self._task.done()

    def proposed(self) -> Proposed:
        """See `proposed`."""
        return proposed(self._case)

    async def start(self, command: str, cwd: str) -> None:
        """Run that command, as a person allowed it, and watch; returns once it is checked. Raises
        `IntentError`, `TargetError`."""
        from workbench.reproduce import program, runner, runs

        if self.is_running:
            raise IntentError("the program is being run already")
        if self._case.state.phase is not events.Phase.DONE:
            raise IntentError("the investigation has not ended")
        try:
            words = shlex.split(command)
        except ValueError as error:
            raise IntentError(f"no command line: {error}") from error
        settings = []
        while words and "=" in words[0] and words[0].partition("=")[0].isidentifier():
            settings.append(words.pop(0))
        if not words:
            raise IntentError("no command to run")
        made = program.program_of(words, Path(cwd), None, settings, 10, 60.0)

        async def work() -> None:
            folder = await asyncio.to_thread(PrivateFolder)
            one = runner.Runner(made, folder.path, load_settings().programs().get("gdb"))
            found = runs.Runs(
                one, self._keep, self._say_later, await ending_of(self._case, made.path)
            )
            await self._say(f"running {made.shown()}, as you allowed")
            try:
                await self._search(found, folder.path)
            except asyncio.CancelledError:
                await self._say("the runs were stopped; what they showed is kept")
                raise
            except Exception as error:  # noqa: BLE001  # a line for the person; the session goes on
                text = f"The program could not be run again: {printable(str(error))}"
                await self._case.record(events.Noticed(text=text, severity="error"))
            finally:
                await one.close()
                await asyncio.to_thread(folder.remove)

        self._task = asyncio.create_task(work())
        self._task.add_done_callback(lambda task: task.cancelled() or task.exception())

    async def ended(self) -> None:
        """Wait for the runs."""
        if self._task is not None:
            await asyncio.wait([self._task])

    async def stop(self) -> None:
        """End the runs; what they showed stays."""
        if self._task is not None and self.is_running:
            self._task.cancel()
            await self.ended()

    async def _search(self, runs: "Runs", folder: Path) -> None:
        runs.kept_in = self._case.folder / "runs"
        seen = await runs.first()
        if seen is None:
            await keep_not_reproduced(self._case, runs)
            return
        _, said = await find_origin(self._case, runs, seen, folder / "core")
        await self._say(said)

    async def _keep(self, why: str, text: str, facts: "Sequence[Hit]") -> str:
        return (await self._case.keep_run(why, text, facts)).id

    async def _say(self, text: str) -> None:
        await self._case.record(events.Noticed(text=printable(text), severity="info"))

    def _say_later(self, text: str) -> None:
        self._told = asyncio.ensure_future(self._say(text))


# An observed origin as events: what the conclusion becomes by it.
def observed(
    state: Investigation, origin: Origin, text_of: Callable[[str], str] = lambda name: ""
) -> tuple[events.AnyEvent, ...]:
    """The origin, the hypothesis that it decides where the dump left all open, the conclusion
    that it leads to, and where a headline tells it an end that is no longer inconclusive."""
    chain = checked(connected(state, origin), state, text_of)
    if chain and not breaks(chain):
        origin = replace(origin, chain=chain)
    found: tuple[events.AnyEvent, ...] = (events.OriginFound(origin=origin),)
    old, after = state.conclusion, copy(state)
    after.hypotheses = dict(state.hypotheses)
    for id, claims in foretold(state, origin).items():
        for event in decided_by(checked(claims, state, text_of), state.hypotheses[id]):
            found = (*found, event)
            after.apply(event, datetime.now(UTC))
    shown = left_open(state, origin) if old is not None else None
    tells = old is not None and (
        old.hypothesis is not None or any(claim.holds for claim in old.claims)
    )
    if shown is not None:
        verdict = shown_by(origin, shown)
        found = (*found, events.HypothesisDecided(id=shown.id, verdict=verdict))
        decided = replace(shown, verdict=verdict, status=verdict.status, reason=verdict.reason)
        after.hypotheses[shown.id] = decided
    elif not tells:  # no headline
        cites = ", ".join(str(citation) for citation in origin.evidence)
        text = (
            "No cause was proved, but runs of the program show where it began: "
            f"{told_step(origin)} ({cites})."
        )
        found = (*found, events.Noticed(text=text, severity="warning"))
    if old is None:
        return found
    after.conclusion = led_to(after, old, origin)
    found = (*found, events.ConclusionDrafted(conclusion=after.conclusion))
    if state.judgement is not None:
        found = (*found, events.Judged(judgement=judge(after)))
    open_end = state.stopped is not None and state.stopped.by is events.StoppedBy.INCONCLUSIVE
    ends = open_end and (tells or shown is not None)
    return (*found, events.Stopped(by=events.StoppedBy.CONCLUDED)) if ends else found
