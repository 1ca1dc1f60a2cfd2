"""The stack of a thread, and of its selected frame the source and the variables."""

import re
from collections.abc import Awaitable, Callable

from textual import on, work
from textual.app import ComposeResult
from textual.content import Content
from textual.widget import Widget
from textual.widgets import Static

from workbench.agents import looking
from workbench.model.citation import Citation
from workbench.model.evidence import Command
from workbench.model.facts import Fault, Frame
from workbench.model.investigation import Investigation
from workbench.store.errors import StoreError
from workbench.tui.action import Place
from workbench.tui.panes.bars import frame_text, last_part
from workbench.tui.panes.base import EARLY, Intent, OpenCitation, Pane
from workbench.tui.panes.hypothesis_nodes import origin_node
from workbench.tui.panes.outline import Node, Outline
from workbench.tui.panes.source import source_nodes, variable_nodes
from workbench.tui.port import SessionPort
from workbench.tui.screens.base import ask
from workbench.tui.screens.editors import LineEditor
from workbench.tui.text import one_line

_ORIGIN = 6
"""Frames of the run that are shown where the fault began."""
_POINTER = re.compile(r"\b0x[0-9a-f]{2,16}\b")
TextOf = Callable[[str], Awaitable[str]]


def frame_node(shown: looking.ShownFrame, selected: bool) -> Node:
    """One frame: the program's strong, a library's dim."""
    frame = shown.frame
    name, _, where = (
        frame_text(frame).rpartition(" ") if frame.file else (frame_text(frame), "", "")
    )
    style = "bold" if shown.own else "$foreground 50%"
    return Node.of(
        f"#{frame.index}",
        ("▸" if selected else " ", "bold $text-warning"),
        (f"#{frame.index:<3} ", "$foreground 60%"),
        (one_line(name), style),
        ("  inlined" if frame.inlined else "", "$foreground 50%"),
        (f"  {one_line(where)}" if where else "", "$text-primary" if shown.own else style),
        ("  likely" if frame.trust == "scan" else "", "$text-warning"),
        citation=shown.said,
        wrap=False,
    )


def _seen_node(frame: Frame) -> Node:
    """A frame of the run that showed where it began: not of this dump, so nothing selects it."""
    text = Content.assemble(
        (f" #{frame.index:<3} {one_line(frame_text(frame))}", "$foreground 60%")
    )
    return Node(f"run/{frame.index}", text, wrap=False)


class StackPane(Pane, place=Place.STACK, title="Stack", number=5):
    """Frames above, source and variables below. Enter selects a frame."""

    def __init__(self, text_of: TextOf, id: str | None = None) -> None:
        super().__init__(id=id)
        self._text_of = text_of
        self._texts: dict[str, str] = {}
        self._looked: tuple[int | None, int] | None = None
        self._drawn: tuple[object, ...] = ()
        self._shown: tuple[int | None, int] | None = None

    def parts(self) -> ComposeResult:
        yield Outline(signs=False, id="frames")
        yield Static(id="frame-caption", markup=False)
        yield Outline(signs=False, centred=True, id="frame")
        yield Outline(signs=False, id="variables")

    @property
    def _frames(self) -> Outline:
        return self.query_one("#frames", Outline)

    @property
    def _frame(self) -> Outline:
        return self.query_one("#frame", Outline)

    @property
    def _variables(self) -> Outline:
        return self.query_one("#variables", Outline)

    def entrance(self) -> Widget:
        return self._frames

    def show(self, state: Investigation) -> None:
        """Draw again what the new evidence changes."""
        super().show(state)
        drawn = (len(state.facts), len(state.evidence), state.selected, state.phase, state.origin)
        if drawn == self._drawn:
            return
        self._drawn = drawn
        here = looking.place(state)
        thread, index = here
        frames = looking.shown_frames(state, thread)
        nodes = [frame_node(one, one.frame.index == index) for one in frames]
        if state.origin is not None:
            began = origin_node(state.origin, "")
            nodes = [began, *nodes, *map(_seen_node, state.origin.stack[:_ORIGIN])]
        yet = " yet" if state.phase in EARLY else ""
        self._frames.show(nodes, f"No stack is in the evidence{yet}.")
        own = sum(one.own for one in frames)
        self.caption(f"{own} of {len(frames)} the program's" if own else "", self._who(thread))
        if frames and here != self._shown:
            self._frames.select(f"#{index}")
        self._draw_frame(thread, index)

    def _who(self, thread: int | None) -> str:
        number = looking.number_of(self.state, thread)
        who = f"thread {number}" if number is not None else ""
        return f"{who} (LWP {thread})".strip() if thread is not None else who

    def _draw_frame(self, thread: int | None, index: int) -> None:
        view = looking.view(self.state, thread, index)
        caption = self.query_one("#frame-caption", Static)
        caption.display = self._frame.display = self._variables.display = view is not None
        if view is None:
            return
        frame = view.frame
        where = f"{one_line(last_part(frame.file))}:{frame.line}" if frame.file else ""
        caption.update(
            Content.assemble(
                (f"#{frame.index} ", "bold $text-warning"),
                (one_line(frame.function or "??"), "bold"),
                (f"  {where}", "$text-primary"),
                (f"  {self._who(thread)}", "$foreground 60%"),
                (f"  ({one_line(frame.args)})" if frame.args else "", "$foreground 60%"),
            )
        )
        self._frame.show(source_nodes(view, self._texts))
        self._variables.show(variables := variable_nodes(view, self._texts, self._bad()))
        self._variables.display = bool(variables)
        if self._shown != (thread, index) or not self._frame.has_focus:
            self._shown = thread, index
            self._frame.select(f"source/{frame.line}")
        if missing := self._untold(view):
            self._tell(missing)
        if not view.asked and self._looked != (thread, index) and self._may_ask():
            self._looked = thread, index
            look = Intent("look at the frame", lambda port: port.look(thread, index), unasked=True)
            self.post_message(look)

    def _may_ask(self) -> bool:
        """Once the first evidence is there; what is over is asked only when a person wants it."""
        state = self.state  # what a person selects is looked up with the selection
        return state.selected is None and state.stopped is None and state.phase not in EARLY

    def _bad(self) -> frozenset[int]:
        """Pointers that could not be followed."""
        fault = self.state.facts.last(Fault)
        if fault is None or fault.access == "none":
            return frozenset()
        base = fault.base_value if fault.index_register is None else None
        return frozenset(one for one in (fault.operand, base) if one is not None)

    def _untold(self, view: looking.FrameView) -> list[str]:
        wanted = [item.id for _, item in view.values] + ([view.code.id] if view.code else [])
        return [id for id in wanted if id not in self._texts]

    @work(exclusive=True, group="frame-texts")
    async def _tell(self, ids: list[str]) -> None:
        for id in ids:
            try:
                self._texts[id] = (await self._text_of(id))[:4096]
            except StoreError as error:
                self._texts[id] = str(error)
        thread, index = looking.place(self.state)
        self._draw_frame(thread, index)

    # --- actions ---------------------------------------------------------------------------------

    @on(Outline.Chosen, "#frames")
    def action_select(self) -> None:
        node = self._frames.selected
        if self.outline is not self._frames:
            self.action_cite()
        elif node is not None and node.key.startswith("#"):
            thread, at = looking.place(self.state)
            index = int(node.key[1:])
            if index == at and self._frame.display:
                self._frame.focus()
            if index != at or self.state.selected is None:
                self.post_message(
                    Intent("select the frame", lambda port: port.select_frame(thread, index))
                )

    def action_back(self) -> None:
        self._frames.focus()

    def action_variables(self) -> None:
        if self._variables.display:
            self._variables.focus()

    def action_memory(self) -> None:
        node = self.here()
        pointer = _POINTER.search(node.content.plain) if node is not None else None

        async def show(port: SessionPort, where: str) -> None:
            command = Command(f"@memory {where}", "what stands in memory")
            if (item := await port.ask(command)) is not None:
                self.post_message(OpenCitation(Citation(item.id, 1, 1)))
            else:
                self.notify(one_line(port.state.failure_of(command) or ""), markup=False)

        def done(where: str) -> None:
            self.post_message(Intent("show the memory", lambda port: show(port, where)))

        hint = "an address, and how many bytes: 0x4052a0 64"
        ask(self.app, LineEditor("Memory", hint, pointer[0] if pointer else ""), done)

    @on(Outline.Chosen, "#frame, #variables")
    def action_cite(self) -> None:
        self.open_or_fold()
