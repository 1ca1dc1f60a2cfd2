"""Questions to the investigation: asked in words, answered with citations that lead to their
lines."""

import asyncio

from textual import on, work
from textual.app import ComposeResult
from textual.content import Content
from textual.widgets import Input, Static

from workbench.model.citation import Citation
from workbench.model.conversation import Exchange, Reply
from workbench.tui.action import Place, Situation
from workbench.tui.panes.bars import FooterBar
from workbench.tui.panes.critic import claim_node
from workbench.tui.panes.outline import Node, Outline, labelled
from workbench.tui.panes.speech import SpeechBar
from workbench.tui.port import Bridge, SessionPort, StateChanged
from workbench.tui.screens.base import PlaceScreen
from workbench.tui.text import one_line, plain


class ChatScreen(PlaceScreen[Citation | None], place=Place.CHAT):
    """The session's questions and answers; gives the citation that is to be opened."""

    def __init__(self, port: SessionPort) -> None:
        super().__init__()
        self._port = port
        self._bridge: Bridge | None = None
        self._asking: asyncio.Task[object] | None = None
        self._newest: Exchange | None = None

    def compose(self) -> ComposeResult:
        yield Static("Questions", id="chat-title", markup=False)
        yield Outline(id="chat")
        yield SpeechBar(id="speech")
        yield Input(placeholder="Ask about this crash; Enter sends", id="ask", compact=True)
        yield FooterBar(id="footer")

    def on_mount(self) -> None:
        self._bridge = Bridge(self, self._port)
        self.query_one(SpeechBar).attach(self._port)
        self._render_answers()
        self.set_focus(self.query_one("#ask"))

    def on_unmount(self) -> None:
        if self._bridge is not None:
            self._bridge.close()

    def situation(self) -> Situation:
        node = self.query_one(Outline).selected
        there = node is not None and not self.query_one("#ask").has_focus
        return Situation(self._port.state, citation=node.citation if there and node else None)

    @on(StateChanged)
    def _changed(self) -> None:
        self._render_answers()

    @on(Outline.Moved)
    def on_descendant_focus(self) -> None:
        self.show_keys()
        self.refresh_bindings()

    def _render_answers(self) -> None:
        state = self._port.state
        nodes = [_exchange_node(one) for one in state.chat]
        outline = self.query_one(Outline)
        outline.show(nodes, "Ask in words: which thread, why this address, what holds the lock …")
        if state.chat and state.chat[-1] != self._newest:
            self._newest = state.chat[-1]
            outline.reveal(self._newest.id)
        self.on_descendant_focus()

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        text = event.value.strip()
        if self._asking is not None:
            self.notify("One question at a time: the last one is being answered.")
        elif text:
            event.input.value = ""
            self._ask(text)

    @work(group="chat", exit_on_error=False)
    async def _ask(self, text: str) -> None:
        self._asking = asyncio.ensure_future(self._port.ask_question(text))
        self.on_descendant_focus()
        try:
            await self._asking
        except asyncio.CancelledError:
            self.notify("Stopped.")
        except Exception as error:  # noqa: BLE001  # whatever went wrong is one line
            said = one_line(str(error)) or type(error).__name__
            self.notify(f"No answer: {said}", severity="error", markup=False)
        finally:
            self._asking = None
            if self.is_mounted:
                self.on_descendant_focus()

    @on(Outline.Chosen)
    def action_open(self) -> None:
        node = self.query_one(Outline).selected
        if node is not None and node.citation is not None:
            self.dismiss(node.citation)

    def action_close(self) -> None:
        if self._asking is not None:
            self._asking.cancel()
        else:
            self.dismiss(None)


_VERDICTS = {
    "yes": ("Yes.", "bold $text-success"),
    "no": ("No.", "bold $text-warning"),
    "open": ("Neither yes nor no is proved. The evidence says:", "$foreground 60%"),
}


def _exchange_node(exchange: Exchange) -> Node:
    head = Content.assemble((f"{exchange.id} ", "bold $text-accent"), plain(exchange.question))
    if exchange.reply is None:
        waits = Node(f"{exchange.id}/waits", Content.styled("…", "$foreground 60%"), pick=False)
        return Node(exchange.id, head, (waits,), hang=4)
    return Node(exchange.id, head, tuple(_reply_nodes(exchange.id, exchange.reply)), hang=4)


def _reply_nodes(key: str, reply: Reply) -> list[Node]:
    words, style = _VERDICTS.get(reply.verdict, ("", ""))
    nodes = [Node(f"{key}/verdict", Content.styled(words, style))] if words else []
    for number, one in enumerate(reply.contradictions):
        measured = claim_node(f"{key}/against/{number}/is", one.claim)
        if reply.verdict == "no":
            nodes.append(measured)
            continue
        head = Content.assemble(
            ("the evidence contradicts ", "bold $text-warning"), plain(one.said)
        )
        nodes.append(Node(f"{key}/against/{number}", head, (measured,), hang=2))
    nodes += [claim_node(f"{key}/claim/{n}", claim) for n, claim in enumerate(reply.claims)]
    for kind, texts, style in (
        ("unknown", reply.unknown, "$text-warning"),
        ("do", reply.advice, "$text-accent"),
        ("note", reply.notes, "$foreground 60%"),
    ):
        nodes += labelled(f"{key}/{kind}", f"{kind}:", style, texts, 4)
    by = "answered without a model" if reply.by == "code" else f"answered with {one_line(reply.by)}"
    looked = f", looked up {', '.join(reply.looked)}" if reply.looked else ""
    return [*nodes, Node(f"{key}/by", plain(by + looked, "$foreground 60%"), pick=False)]
