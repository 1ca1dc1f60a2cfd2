"""The workbench: four live panes on one investigation."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.message import Message
from textual.screen import Screen
from textual.widget import Widget

from workbench.engine.console import last_shown
from workbench.model.citation import Citation
from workbench.model.events import CommandStarted, Noticed
from workbench.model.investigation import Investigation
from workbench.store.errors import StoreError
from workbench.tui.action import Place, Situation, command_gate
from workbench.tui.action_table import allowed, bindings, in_footer
from workbench.tui.panes.bars import ActivityBar, FooterBar, HeaderBar, PaneTabs
from workbench.tui.panes.base import Intent, OpenCitation, Pane
from workbench.tui.panes.console import ConsolePane
from workbench.tui.panes.critic import CriticPane
from workbench.tui.panes.evidence import EvidencePane
from workbench.tui.panes.hypotheses import GateCard, HypothesesPane
from workbench.tui.panes.outline import Outline
from workbench.tui.panes.speech import SpeechBar
from workbench.tui.panes.stack import StackPane
from workbench.tui.panes.threads import ThreadsPane
from workbench.tui.port import Bridge, Clock, MakeSession, SessionPort, StateChanged
from workbench.tui.screens.base import ask
from workbench.tui.screens.chat import ChatScreen
from workbench.tui.screens.editors import LineEditor, ReasonEditor, RunEditor
from workbench.tui.screens.models import ModelsScreen
from workbench.tui.screens.opening import NARROW
from workbench.tui.screens.payloads import PayloadsScreen
from workbench.tui.screens.report import ReportScreen, write_report
from workbench.tui.screens.search import SearchScreen
from workbench.tui.screens.symbols import SymbolsScreen
from workbench.tui.text import one_line
from workbench.tui.travel import Travel

_closing: set[asyncio.Task[None]] = set()


def _close_late(making: asyncio.Future[SessionPort]) -> None:
    if not making.cancelled() and making.exception() is None:
        closing = asyncio.ensure_future(making.result().close())
        _closing.add(closing)
        closing.add_done_callback(_closing.discard)


class WorkbenchScreen(Screen[None]):
    """Starts the session after its first paint, renders its state, passes intents on."""

    CSS_PATH = "workbench.tcss"
    place = Place.WORKBENCH
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (NARROW, "-wide")]
    BINDINGS = [
        *bindings(Place.WORKBENCH),
        Binding("ctrl+c,super+c", "screen.copy_text", "Copy the selection", show=False),
    ]

    @dataclass
    class NotOpened(Message):
        """The session could not be made."""

        error: Exception

    def __init__(self, make_session: MakeSession, clock: Clock, at: Citation | None = None) -> None:
        """``at`` is a line to begin with."""
        super().__init__()
        self._at = at
        self._make_session = make_session
        self._clock = clock
        self._state = Investigation()
        self._travel: Travel | None = None
        self._steps = 0
        self._problem = ""
        self._bridge: Bridge | None = None
        self._opened = clock()
        self._before = 0.0
        self._slot_by_hand = False
        self.port: SessionPort | None = None

    def compose(self) -> ComposeResult:
        yield HeaderBar(id="header")
        yield ActivityBar(id="activity")
        yield SpeechBar(id="speech")
        question = GateCard(id="question")
        question.display = False
        yield question
        yield PaneTabs(id="tabs")
        with Horizontal(id="panes"):
            with Vertical(id="left", classes="column -active"):
                yield HypothesesPane(self._text_of, self._refusal, id="hypotheses").add_class(
                    "-active"
                )
                yield StackPane(self._text_of, id="stack").add_class("slot", "-shown")
                yield ThreadsPane(id="threads").add_class("slot")
                yield CriticPane(id="critic").add_class("slot")
            with Vertical(id="right", classes="column"):
                yield EvidencePane(self._lines_of, self._search, id="evidence")
                yield ConsolePane(id="console")
        yield FooterBar(id="footer")

    async def _text_of(self, id: str) -> str:
        if self.port is None:
            raise StoreError(f"{id} cannot be read before the session is open")
        return await self.port.evidence_text(id)

    def _refusal(self, text: str) -> str:
        return self.port.refusal_of(text) if self.port is not None else ""

    async def _lines_of(self, id: str) -> Sequence[str]:
        if self.port is None:
            raise StoreError(f"{id} cannot be read before the session is open")
        return await self.port.evidence_lines(id)

    async def _search(self, text: str) -> frozenset[str]:
        return await self.port.search_evidence(text) if self.port is not None else frozenset()

    # --- life ------------------------------------------------------------------------------------

    def on_mount(self) -> None:
        self.query_one(HypothesesPane).entrance().focus()
        self.set_interval(1, self._render_bars)
        self._render_bars()
        self.call_after_refresh(self._start)

    @work(group="session")
    async def _start(self) -> None:
        try:
            port = await self._made()
        except Exception as error:  # noqa: BLE001  # the app says it, whatever it is
            self.post_message(self.NotOpened(error))
            return
        self.port = port
        self._state = port.state
        self._before = port.state.worked
        self._opened = self._clock()
        self._bridge = Bridge(self, port)
        for pane in self.query(Pane):
            pane.read_only = port.read_only
        self.query_one(ConsolePane).attach(port)
        self.query_one(SpeechBar).attach(port)
        self._render_state()
        if self._at is not None:
            self.post_message(OpenCitation(self._at))
        try:
            await port.run()
        except Exception as error:  # noqa: BLE001  # shown as a line; the session stays usable
            self._fail("The engine failed", error)

    async def _made(self) -> SessionPort:
        """The session. One that is ready only after the screen was left is closed."""
        making = asyncio.ensure_future(self._make_session())
        try:
            return await asyncio.shield(making)
        except asyncio.CancelledError:
            making.add_done_callback(_close_late)
            raise

    async def on_unmount(self) -> None:
        if self._bridge is not None:
            self._bridge.close()

    def _fail(self, what: str, error: BaseException) -> None:
        said = one_line(str(error)) or type(error).__name__
        self._problem = f"{what}: {said}"
        self.notify(self._problem, severity="error", markup=False)
        self._render_bars()

    # --- state -----------------------------------------------------------------------------------

    @on(StateChanged)
    def _changed(self, event: StateChanged) -> None:
        for recorded in event.recorded:
            notice = recorded.event
            if isinstance(notice, Noticed) and notice.severity != "info":
                self.notify(
                    one_line(notice.text),
                    severity="error" if notice.severity == "error" else "warning",
                    markup=False,
                )
        if self._travel is not None:
            return  # the panes show an earlier moment
        if all(isinstance(recorded.event, CommandStarted) for recorded in event.recorded):
            # What runs stands in the console and in the bars: the rest is as it was.
            self.query_one(ConsolePane).show(self._state)
            self._render_bars()
        else:
            self._render_state()

    def _render_state(self) -> None:
        if not self._slot_by_hand:
            self._put("stack" if self._state.conclusion is None else "critic")
        for pane in self.query(Pane):
            pane.show(self._state)
        self.query_one("#question", GateCard).show(command_gate(self._state))
        self._follow()
        self._render_bars()

    def _render_bars(self) -> None:
        state = self._state
        seconds = state.worked
        if self.port is not None and state.stopped is None and self._travel is None:
            seconds = self._before + (self._clock() - self._opened).total_seconds()
        looked = self.port is not None and self.port.read_only
        self.query_one(HeaderBar).show(state, seconds, self._runs_again(), looked)
        if self.port is None and not self._problem:
            self.query_one(ActivityBar).say(Content("Opening …"))
        else:
            self.query_one(ActivityBar).show(state, self._problem, self._runs_again())
        self._render_keys()

    def _runs_again(self) -> bool:
        return self.port is not None and self.port.rerun.is_running

    def _render_keys(self) -> None:
        pane = self.active_pane
        here = f"pane('{pane.id}')"
        shown = in_footer(pane.place, here, pane.situation())
        if self._runs_again():  # its key stops them
            stop = {"workbench.again": "stop the runs"}
            shown = [replace(one, title=stop.get(one.id, one.title)) for one in shown]
        self.query_one(FooterBar).show(shown, function_keys=pane.place is Place.CONSOLE)
        self.query_one(PaneTabs).show(
            [(pane.id or "", pane.title, pane.number) for pane in self._panes()], pane.id or ""
        )

    def situation(self) -> Situation:
        return Situation(
            self._state,
            speaking=self.query_one(SpeechBar).speaking,
            read_only=self.port is not None and self.port.read_only,
        )

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        return allowed(Place.WORKBENCH, action, self.situation())

    # --- panes -----------------------------------------------------------------------------------

    def _panes(self) -> list[Pane]:
        return sorted(self.query(Pane), key=lambda pane: pane.number)

    @property
    def active_pane(self) -> Pane:
        """The pane that holds, or last held, the focus."""
        panes = self._panes()
        return next((pane for pane in panes if pane.has_class("-active")), panes[0])

    def _put(self, id: str) -> None:
        """Show one of the panes that share a place: the stack until there is a conclusion, then the
        critic, unless the person chose."""
        for pane in self.query(".slot"):
            pane.set_class(pane.id == id, "-shown")
        self.query_one("#left").set_class(id != "critic", "-looking")

    def _activate(self, id: str, focus: bool = True) -> Pane:
        chosen = self.query_one(f"#{id}", Pane)
        if chosen.has_class("slot"):
            self._slot_by_hand = True
            self._put(id)
        for pane in self.query(Pane):
            pane.activate(pane is chosen)
        for column in self.query(".column"):
            column.set_class(chosen in column.children, "-active")
        if focus:  # at once, so that the next key is the pane's already
            self.set_focus(chosen.entrance())
        return chosen

    def on_descendant_focus(self) -> None:
        node: Widget | None = self.focused
        while node is not None and not isinstance(node, Pane):
            parent = node.parent
            node = parent if isinstance(parent, Widget) else None
        if node is not None and node.id and not node.has_class("-active"):
            self._activate(node.id, focus=False)
        self._render_keys()

    @on(SpeechBar.Changed)
    def _speech_changed(self) -> None:
        for pane in self.query(Pane):
            pane.speaking = self.situation().speaking
        self.refresh_bindings()
        self._render_keys()

    @on(Outline.Moved)
    def _moved(self, event: Outline.Moved) -> None:
        self._render_keys()
        if event.outline.id == "tree":
            self._follow()

    def _follow(self) -> None:
        """Beside a hypothesis stands what it rests on."""
        current = self.query_one(HypothesesPane).current()
        if current is not None:
            self.query_one(EvidencePane).follow(current.rests_on)

    @on(PaneTabs.Picked)
    def _picked(self, event: PaneTabs.Picked) -> None:
        self._activate(event.pane)

    def action_pane(self, id: str) -> None:
        self._activate(id)

    def action_step(self, count: int) -> None:
        narrow = self.has_class("-narrow") or self.has_class("-zoom")
        panes = [
            p for p in self._panes() if narrow or not p.has_class("slot") or p.has_class("-shown")
        ]
        panes.sort(key=lambda pane: (pane.place is Place.CONSOLE, pane.number))
        at = panes.index(self.active_pane)
        self._activate(panes[(at + count) % len(panes)].id or "")

    def action_seen_before(self) -> None:

        async def show(port: SessionPort) -> None:
            if (earlier := await port.seen_before()) is None:
                self.notify("No other session here has this signature.")
                return
            await self._look_at(port, earlier)

        self.put(Intent("open the earlier session", show))

    async def _look_at(self, port: SessionPort, id: str, at: Citation | None = None) -> None:
        other = await port.look_at(id)

        async def made() -> SessionPort:
            return other

        await self.app.push_screen(WorkbenchScreen(made, self._clock, at))

    def action_search(self) -> None:
        if (port := self.port) is None:
            return

        def done(hit: tuple[str, Citation]) -> None:
            id, at = hit
            if id == port.state.session_id:
                self.post_message(OpenCitation(at))
            else:
                look = Intent("open that session", lambda port: self._look_at(port, id, at))
                self.put(look)

        ask(self.app, SearchScreen(port.find), done)

    def action_travel(self, count: int) -> None:
        self._steps += count
        self._go()

    @work(group="travel", exclusive=True)
    async def _go(self) -> None:
        """Keys that come faster than their moments are drawn count all the same."""
        if self.port is None:
            return
        try:
            travel = self._travel or Travel(await self.port.events())
            self._travel = travel
            travel.go(self._steps)
            self._steps = 0
            then = await asyncio.to_thread(travel.state)
            past = await last_shown(then, self._text_of) if then is not None else None
        except StoreError as error:
            self._fail("Could not go back", error)
            return
        self._travel = travel if then is not None else None
        self._state = then or self.port.state
        self._problem = travel.where() if self._travel is not None else ""
        self.query_one(ConsolePane).view.look_back(past)
        self._render_state()

    def action_again(self) -> None:

        async def propose(port: SessionPort) -> None:
            if port.rerun.is_running:
                await port.rerun.stop()
                return
            said = port.rerun.proposed()

            def done(wanted: tuple[str, str]) -> None:
                self.put(Intent("run it", lambda port: port.rerun.start(*wanted)))

            ask(self.app, RunEditor(said.command, said.cwd, said.settings), done)

        self.put(Intent("run the program again", propose))

    def action_zoom(self) -> None:
        self.toggle_class("-zoom")

    # --- intents ---------------------------------------------------------------------------------

    @on(OpenCitation)
    def _open_citation(self, event: OpenCitation) -> None:
        pane = self._activate("evidence")
        assert isinstance(pane, EvidencePane)
        pane.open(event.citation)
        self.query_one("#evidence-text").focus()

    @on(Intent)
    def _intent(self, event: Intent) -> None:
        event.stop()
        self.put(event)

    @work(group="intents")
    async def put(self, intent: Intent) -> None:
        """Put a wish to the engine; what it refuses is said, never raised."""
        if self.port is None:
            self.notify("The debugger is still starting.", severity="warning")
            return
        if self._travel is not None:
            if not intent.unasked:
                self.notify("This moment is over: } leads back to now.", severity="warning")
            return
        try:
            await intent.call(self.port)
        except Exception as error:  # noqa: BLE001  # any refusal of the engine is one line
            self._fail(f"Could not {intent.title}", error)

    def action_allow(self) -> None:
        if (gate := command_gate(self._state)) is not None:
            if gate.kind == "cloud":
                self.action_payloads()
                return
            id = gate.id
            self.put(Intent("allow", lambda port: port.gates.answer(id, "approve")))

    def action_refuse(self) -> None:
        if (gate := command_gate(self._state)) is None:
            return
        id = gate.id

        def done(reason: str) -> None:
            self.put(Intent("refuse", lambda port: port.gates.answer(id, "reject", reason)))

        ask(self.app, ReasonEditor("Refuse the command", " ".join(gate.subjects)), done)

    def action_report(self) -> None:
        if (port := self.port) is not None:
            report, title = partial(port.report, "md"), port.state.session_id
            ask(self.app, ReportScreen(report, title, self.situation()),
                lambda _: self.action_again())  # fmt: skip

    def action_chat(self) -> None:
        if self.port is not None:
            ask(self.app, ChatScreen(self.port), lambda at: self.post_message(OpenCitation(at)))

    def action_note(self) -> None:

        def done(text: str) -> None:
            if text:
                self.put(Intent("write the note", lambda port: port.keep_note(text)))

        ask(self.app, LineEditor("Note", "yours; no conclusion rests on it"), done)

    def action_models(self) -> None:
        if self.port is not None:
            self.app.push_screen(ModelsScreen(self.port))

    def action_stop_model(self) -> None:
        if self.port is not None and self.port.speaking.stop():
            self.notify("Stopped; work goes on without this answer.", markup=False)

    def action_payloads(self) -> None:
        if self.port is not None:
            self.app.push_screen(PayloadsScreen(self.port))

    def action_symbols(self) -> None:

        async def show(port: SessionPort) -> None:
            self.app.push_screen(SymbolsScreen(await port.symbols()))

        self.put(Intent("show the symbols", show))

    def action_write(self) -> None:
        self.put(write_report(self))
