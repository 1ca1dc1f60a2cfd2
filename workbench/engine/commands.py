"""Commands are answered here: by the ledger, the debugger, our own reader or what was recorded."""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from pathlib import Path
from typing import Any

from workbench.agents import looking
from workbench.agents.investigator import STOP
from workbench.debuggers.authored import authored
from workbench.debuggers.policy import Answer, check
from workbench.debuggers.protocol import (
    Asker,
    Debugger,
    DebuggerDied,
    DebuggerError,
    DebuggerUnavailable,
    DumpRefused,
    Output,
)
from workbench.debuggers.replay import NOT_RECORDED
from workbench.engine.foreseen import Foreseen
from workbench.engine.journal import Journal
from workbench.engine.keeping import EvidenceKeeper, Recorded, hash_of
from workbench.engine.upkeep import DumpWatch
from workbench.model import events
from workbench.model.conversation import Turn
from workbench.model.evidence import Command, Evidence, Section, Source
from workbench.model.facts import Hit
from workbench.model.target import TargetKind
from workbench.targets.errors import ProbeError
from workbench.targets.files import take_failures
from workbench.targets.reader import Reader

AskPolicy = Callable[[Command, str], Awaitable[bool]]
TEXT = "text"
"""Who printed what no tool printed."""
OPENING = Command("(opening)", "what loading the dump printed")


class CommandRunner:
    """Runs one command at a time for the engine and hands the person's through.

    ``ask_policy`` is asked about a command that is neither on the read-only list nor forbidden.
    """

    def __init__(
        self, journal: Journal, reader: Reader, debugger: Debugger | None, ask_policy: AskPolicy
    ) -> None:
        self._journal = journal
        self._reader = reader
        self._recorded = Recorded(reader.sections())
        self._debugger = debugger
        self._ask_policy = ask_policy
        target = journal.state.target
        folder = target is None or target.kind is TargetKind.DOCUMENTS  # to which files are added
        self._dump = None if target is None or folder else DumpWatch(Path(target.path))
        self._unreadable: set[Path] = set()
        self._asking: dict[str, asyncio.Lock] = {}
        self._ready = asyncio.Event()
        self._foreseen = Foreseen()
        self._placed = False  # whether the console stands where the panes look
        self._keeper = EvidenceKeeper(journal)

    async def start_debugger(self, starting: asyncio.Future[None] | None = None) -> None:
        """Start it, or wait for a start under way, and say so; without a debugger the run goes on
        with what the dump's bytes tell."""
        debugger = self._debugger
        try:
            if debugger is None:
                why = self._journal.state.debugger_why
                await self._journal.record(
                    events.Noticed(text=f"No debugger: {why}. Our own reader tells what it can.")
                )
                return
            await (starting or debugger.start())
            debugger.on_restart = self._note_restart
            await self._journal.record(self._started(debugger))
        except DebuggerError as error:
            self._debugger = None
            text = f"No debugger: {error}. What the dump's own bytes tell is all there is."
            if isinstance(error, DumpRefused):
                await self._journal.record(events.Noticed(text=text, severity="warning"))
            else:
                await self._journal.record(
                    events.DebuggerStopped(reason=str(error)),
                    events.Noticed(text=text, severity="error"),
                )
        finally:
            self._ready.set()

    @staticmethod
    def _started(debugger: Debugger) -> events.DebuggerStarted:
        return events.DebuggerStarted(
            name=debugger.name,
            version=debugger.version,
            path=str(debugger.path),
            restarts=debugger.restarts,
        )

    def _note_restart(self, reason: str) -> None:
        """The debugger died and is back: say so before the command's own outcome is told."""
        if self._debugger is None:
            return
        self._journal.post(
            events.DebuggerStopped(reason=reason),
            self._started(self._debugger),
            events.Noticed(
                text=f"The debugger was started again ({reason}); convenience variables and "
                "settings made in it are gone.",
                severity="warning",
            ),
        )

    def _known(self) -> dict[str, str]:
        return self._journal.state.by_call_hash

    async def ask(self, command: Command, hypothesis: str | None = None) -> Evidence | None:
        """The evidence for a command: from the ledger when it was answered before, else run now.

        None when it was refused or nothing could run it; the journal says which. Who asks what is
        being asked (a person looks at a frame that is being tested) gets the same item.
        """
        call_hash = self._call_hash(command)
        async with self._asking.setdefault(call_hash, asyncio.Lock()):
            return await self._answer(command, call_hash, hypothesis)

    async def _answer(
        self, command: Command, call_hash: str, hypothesis: str | None
    ) -> Evidence | None:
        state = self._journal.state
        known = state.by_call_hash.get(call_hash)
        if known is None and command.by_model:
            known = state.by_model_call.get(call_hash)
        if known is not None:
            return state.evidence[known]
        if state.failure_of(command) is not None:
            return None
        if command.is_probe:
            return await self._ask_reader(command, call_hash, hypothesis)
        if self._recorded:
            return await self._look_up(command)
        if reason := await self._refusal(command):
            await self._fail(command, Source.DEBUGGER, reason, refused=True)
            return None
        await self._ready.wait()
        await self._keep_opening()
        return await self._ask_debugger(command, Source.DEBUGGER, call_hash, hypothesis)

    def foresee(self, commands: Sequence[Command]) -> Coroutine[Any, Any, None]:
        """What runs, as soon as the debugger is there, those of these commands that will have to
        be run; `ask` then waits for their outputs."""
        known, failure_of = self._known(), self._journal.state.failure_of
        ahead = [
            command.text
            for command in commands
            if not (command.is_probe or command.by_model or self._recorded)
            and self._call_hash(command) not in known
            and failure_of(command) is None
        ]
        self._foreseen.expect(ahead)
        return self._run_ahead(ahead)

    async def _run_ahead(self, commands: Sequence[str]) -> None:
        try:
            await self._ready.wait()
            host = self._journal.state.host
            accepted = [command for command in commands if check(command, host).accepted]
            await self._foreseen.run(accepted, self._execute)
        finally:
            self._foreseen.end()

    async def _execute(self, command: str, by: Asker = "engine") -> Output:
        """Raises `DebuggerError`."""
        if self._debugger is None:
            raise DebuggerUnavailable("no debugger is running")
        limit = self._journal.state.options.command_timeout
        return await self._debugger.execute(command, by=by, timeout=limit)

    async def keep_recorded(self) -> None:
        """Everything that a transcript recorded becomes evidence, once; of a folder also what has
        been put into it since."""
        self._recorded = Recorded(await asyncio.to_thread(self._reader.sections))
        await self._keep_health()
        await self._keep_stops(self._recorded.sections)
        for command, call_hash, output, host in self._recorded.items():
            if call_hash not in self._known():
                await self._keeper.keep(command, Source.FILE, call_hash, output, host)

    async def keep_answer(self, turn: Turn) -> None:
        """What a person said in a conversation becomes evidence, once: their words, and each log
        that they pasted, which is read like one in a file."""
        intent, name = f"said to {turn.id}", f"(answer to {turn.id})"
        if any(item.intent == intent for item in self._journal.state.evidence.values()):
            return
        lines = (turn.answer or "").split("\n")
        for place, section in enumerate(_in_order(lines, turn.id)):
            said = section.host == TEXT
            text = section.command if not said else name if not place else f"{name}, further on"
            await self._keeper.keep(
                Command(text, intent), Source.USER, hash_of(f"answer\n{turn.id}\n{place}"),
                Output.of(section.text), section.host, recorded=not said,
            )  # fmt: skip
        await self._keep_stops(_in_order(lines, turn.id))

    async def keep_report(self, tool: str, text: str) -> list[Evidence]:
        """What a tool said of a run of the program becomes evidence, read like one in a file."""
        kept = []
        for place, section in enumerate(_in_order(text.split("\n"), tool)):
            if section.host == TEXT:
                continue
            call_hash = hash_of(f"report\n{place}\n{section.text}")
            command = Command(f"({tool})", "what a tool says of another run")
            output, host = Output.of(section.text), section.host
            kept.append(
                await self._keeper.keep(command, Source.FILE, call_hash, output, host, True)
            )
        return kept

    async def keep_run(self, why: str, text: str, facts: Sequence[Hit]) -> Evidence:
        """What a run of the program showed becomes evidence, with what its lines say."""
        count = len(self._journal.state.evidence)
        command, call_hash = Command("(run)", why), hash_of(f"run\n{count}\n{text}")
        return await self._keeper.keep(
            command, Source.DEBUGGER, call_hash, Output.of(text), "run", facts=facts
        )

    async def _keep_health(self) -> None:
        """Of a folder, what is read and what is not, once more when that changed."""
        target = self._journal.state.target
        if target is None or target.kind is not TargetKind.DOCUMENTS:
            return
        command = Command("@health", "what of the folder is read now")
        text = await asyncio.to_thread(self._reader.answer, command.text)
        digest = hash_of(text)
        items = self._journal.state.evidence.values()
        if not any(digest in (item.sha256, item.call_hash) for item in items):
            await self._keeper.keep(command, Source.FILE, digest, Output.of(text), "dump")

    async def _keep_stops(self, sections: Sequence[Section]) -> None:
        """Why a debugger says that the program stopped, for each of several files that tells."""
        names = dict.fromkeys(section.file for section in sections if section.file)
        for name in names:
            from workbench.targets.transcript import stop

            command = Command(f"@stop {name}", STOP.intent)
            call_hash = self._call_hash(command)
            if call_hash in self._known():
                continue
            own = [section for section in sections if section.file == name]
            text = await asyncio.to_thread(stop.answer, own)
            if text is not None:
                await self._keeper.keep(command, Source.FILE, call_hash, Output.of(text), "dump")

    async def _look_up(self, command: Command) -> Evidence | None:
        """The recorded answer to a command, if there is one."""
        call_hash = self._recorded.answering(command)
        known = self._known().get(call_hash or "")
        if known is None:
            await self._fail(command, Source.FILE, NOT_RECORDED)
            return None
        return self._journal.state.evidence[known]

    async def _keep_opening(self) -> None:
        """What loading the dump printed is evidence, but not before the dump's health (E1)."""
        debugger = self._debugger
        call_hash = self._call_hash(OPENING)
        if debugger is None or not debugger.opening.size or call_hash in self._known():
            return
        await self._keeper.keep(
            OPENING, Source.DEBUGGER, call_hash, debugger.opening, debugger.name
        )

    async def run_for_user(self, text: str) -> Evidence | None:
        """Run what the person typed, unchecked, after what runs now; it becomes evidence. The first
        line is run where the panes look, and they follow where a line leads."""
        await self._ready.wait()
        command = Command(text, "asked by the user")
        here = looking.place(self._journal.state)
        if not self._placed and looking.frame_at(self._journal.state, *here):
            await self.select_for_user(*here)
        # A repeated command may see another selection or a changed setting: it runs again.
        call_hash = hash_of(f"user\n{self._journal.state.seq}\n{text}")
        item = await self._ask_debugger(command, Source.USER, call_hash, None)
        if self._debugger is not None and self._debugger.moves_selection(text):
            await self._follow(self._debugger)
        return item

    async def select_for_user(self, thread: int | None, index: int) -> None:
        """Select a frame as the person would by typing it: seen in the console, no evidence. Where
        it is selected already, and where a debugger is not there or refuses, nothing changes."""
        await self._ready.wait()
        state = self._journal.state
        if self._placed or (thread, index) != (looking.first_thread(state), 0):
            for text in looking.console_commands(state, thread, index):
                with contextlib.suppress(DebuggerError):
                    await self._execute(text, "user")
        self._placed = True

    async def _follow(self, debugger: Debugger) -> None:
        """The panes look at the frame that a line of the person's has selected."""
        state = self._journal.state
        with contextlib.suppress(DebuggerError):
            number, index = await debugger.selection()
            here = looking.place(state)
            same = number == (looking.number_of(state, here[0]) or number)
            thread = here[0] if same else looking.tid(state, number)
            if here != (thread, index) and looking.frame_at(state, thread, index or 0):
                await self._journal.record(events.FrameSelected(thread=thread, index=index or 0))

    async def _refusal(self, command: Command) -> str | None:
        if command.by_model and (own := authored(command.text)) is not None:
            return f"forbidden: {own}"
        decision = check(command.text, self._journal.state.host)
        if decision.answer is Answer.FORBID:
            return f"forbidden: {decision.reason}"
        if decision.answer is Answer.ASK and not await self._ask_policy(command, decision.reason):
            return f"not approved: {decision.reason}"
        return None

    async def _ask_reader(
        self, command: Command, call_hash: str, hypothesis: str | None
    ) -> Evidence | None:
        self._look_at_dump()
        self._journal.post(
            events.CommandStarted(command=command, source=Source.FILE, hypothesis=hypothesis)
        )
        started = asyncio.get_running_loop().time()
        try:
            text = await asyncio.to_thread(self._reader.answer, command.text)
        except ProbeError as error:
            await self._fail(command, Source.FILE, str(error))
            return None
        except Exception as error:  # noqa: BLE001 - a dump that breaks one probe leaves the others
            await self._fail(command, Source.FILE, f"the probe failed: {error!r}")
            return None
        self._look_at_dump()
        seconds = asyncio.get_running_loop().time() - started
        output = Output(text=text, path=None, size=len(text), seconds=seconds)
        return await self._keeper.keep(command, Source.FILE, call_hash, output, "dump")

    async def _ask_debugger(
        self, command: Command, source: Source, call_hash: str, hypothesis: str | None
    ) -> Evidence | None:
        debugger = self._debugger
        if debugger is None:
            await self._fail(command, source, "no debugger is running")
            return None
        self._look_at_dump()
        self._journal.post(
            events.CommandStarted(command=command, source=source, hypothesis=hypothesis)
        )
        try:
            if source is Source.USER:
                output = await self._execute(command.text, "user")
            else:
                ahead = await self._foreseen.take(command.text)
                output = ahead or await self._execute(command.text)
            return await self._keeper.keep(command, source, call_hash, output, debugger.name)
        except DebuggerDied as error:
            if error.partial is not None and error.partial.size:
                await self._keeper.keep(command, source, call_hash, error.partial, debugger.name)
            await self._fail(command, source, str(error))
            return None
        except DebuggerError as error:
            await self._fail(command, source, str(error))
            return None

    def _look_at_dump(self) -> None:
        """Say it when the dump is cut or goes away under the session."""
        trouble = self._dump.trouble() if self._dump is not None else ""
        if trouble:
            self._journal.post(events.Noticed(text=trouble, severity="error"))
        for path, why in take_failures().items():
            if path not in self._unreadable:
                self._unreadable.add(path)
                text = f"{path} could not be read ({why}): answers may lack what stands there."
                self._journal.post(events.Noticed(text=text, severity="error"))

    async def _fail(
        self, command: Command, source: Source, reason: str, refused: bool = False
    ) -> None:
        await self._journal.record(
            events.CommandFailed(command=command, source=source, reason=reason, refused=refused)
        )

    def _call_hash(self, command: Command) -> str:
        options = self._journal.state.options
        host = "dump" if command.is_probe else (self._debugger.name if self._debugger else "")
        words = " ".join(command.text.split())
        key = f"{host}\n{words}\n{options.executable}\n{options.sysroot}"
        return hash_of(key)


def _in_order(lines: Sequence[str], name: str) -> list[Section]:
    """The sections of a text; what finds them is loaded for a session that is told something."""
    from workbench.targets.documents.reader import in_order

    return in_order(lines, name)
