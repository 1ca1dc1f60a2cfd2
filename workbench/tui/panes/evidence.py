"""The evidence browser: the ledger's list, and the full text with the cited lines lit."""

from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING

from textual import on, work
from textual.app import ComposeResult
from textual.content import Content
from textual.widget import Widget
from textual.widgets import Static

from workbench.model.citation import Citation
from workbench.model.evidence import Evidence, Source
from workbench.model.investigation import Investigation
from workbench.store.errors import StoreError
from workbench.tui.action import Place
from workbench.tui.actions import bindings
from workbench.tui.clipboard import copy_text
from workbench.tui.panes.base import Pane, PaneApp
from workbench.tui.panes.lines import MOST_COPIED, LineView, span_text
from workbench.tui.panes.outline import Node, Outline
from workbench.tui.text import human_size, one_line, plain

if TYPE_CHECKING:
    from textual.widgets import Input

TextOf = Callable[[str], Awaitable[str]]
LinesOf = Callable[[str], Awaitable[str | Sequence[str]]]

_SOURCE = {Source.USER: "you", Source.FILE: "file"}
_SHORT = {"dotnet-dump": "sos", "replay": "log"}


def evidence_node(evidence: Evidence, host: str, id_width: int, command_width: int) -> Node:
    """One row of the list: id, source (``host`` is the debugger's name), command, lines,
    summary."""
    command = one_line(evidence.command)
    if len(command) > command_width:
        command = command[: command_width - 1] + "…"
    style = "$text-accent" if evidence.source is Source.USER else "$foreground 60%"
    return Node(
        evidence.id,
        Content.assemble(
            (f"{evidence.id:<{id_width}} ", "bold $text-primary"),
            (f"{_SOURCE.get(evidence.source, _SHORT.get(host, host)):<4} ", style),
            f"{command:<{command_width}} ",
            (f"{evidence.lines:>5} ", "$foreground 60%"),
            ("partial " if evidence.partial else "", "$text-warning"),
            plain(evidence.summary, "$foreground 60%"),
        ),
        wrap=False,
    )


def cited_lines(state: Investigation, id: str) -> frozenset[int]:
    """Every line of one item that something in the investigation cites."""
    cited: list[Citation] = []
    for hypothesis in state.hypotheses.values():
        cited += hypothesis.citations
        if (verdict := hypothesis.verdict) is not None:
            cited += (*verdict.supporting, *verdict.contradicting)
            cited += [one for claim in verdict.claims for one in claim.citations]
    if state.conclusion is not None:
        cited += [one for claim in state.conclusion.claims for one in claim.citations]
    limit = state.evidence[id].lines if id in state.evidence else 0
    return frozenset(
        line
        for one in cited
        if one.evidence == id and one.first
        for line in range(one.first, min(one.last, limit) + 1)
    )


class EvidencePane(Pane):
    """List above, text below; ``lines_of`` fetches the lines of an item, or its text."""

    place = Place.EVIDENCE
    title = "Evidence"
    number = 2
    BINDINGS = bindings(Place.EVIDENCE)

    def __init__(self, lines_of: LinesOf, id: str | None = None) -> None:
        super().__init__(id=id)
        self._lines_of = lines_of
        self._shown = ""
        self._wanted: Citation | None = None

    def parts(self) -> ComposeResult:
        """The list, a caption for the text, the text."""
        yield Outline(signs=False, id="evidence-list")
        yield Static(id="evidence-caption")
        yield LineView(id="evidence-text")

    @property
    def _list(self) -> Outline:
        return self.query_one("#evidence-list", Outline)

    @property
    def _text(self) -> LineView:
        return self.query_one("#evidence-text", LineView)

    def entrance(self) -> Widget:
        """The list."""
        return self._list

    def show(self, state: Investigation) -> None:
        """Rebuild the list; the text stays where it is."""
        super().show(state)
        items = list(state.evidence.values())
        id_width = max((len(item.id) for item in items), default=2)
        room = max(16, min(40, self.size.width // 3 - 2))
        longest = max((len(one_line(item.command)) for item in items), default=8)
        host = state.chosen_debugger
        nodes = [evidence_node(item, host, id_width, min(room, longest)) for item in items]
        if not nodes:
            nodes = [
                Node(
                    "",
                    Content.styled("Nothing has been asked of the dump yet.", "$foreground 60%"),
                    pick=False,
                )
            ]
        self._list.show(nodes)
        total = sum(item.size for item in items)
        plural = "" if len(items) == 1 else "s"
        self.caption(f"{len(items)} item{plural} · {human_size(total)}" if items else "")
        if self._shown:
            self._text.mark(cited_lines(state, self._shown))

    def on_resize(self) -> None:
        """The list's columns follow the width."""
        if self.state.evidence:
            self.show(self.state)

    def open(self, citation: Citation) -> None:
        """Select an item and light its cited lines."""
        if citation.evidence not in self.state.evidence:
            self.notify(
                f"{citation.evidence} is not in the ledger.", severity="warning", markup=False
            )
            return
        self._wanted = citation
        if self._list.cursor == citation.evidence:
            self._load(citation.evidence)
        else:
            self._list.select(citation.evidence)

    @on(Outline.Moved, "#evidence-list")
    def _follow(self, event: Outline.Moved) -> None:
        if event.node is not None and event.node.key:
            self._load(event.node.key)

    @work(exclusive=True, group="evidence-text")
    async def _load(self, id: str) -> None:
        if id != self._shown:
            try:
                lines = await self._lines_of(id)
            except StoreError as error:
                self._unreadable(id, error)
                return
            self._text.load(lines, cited_lines(self.state, id))
            self._shown = id
        wanted, self._wanted = self._wanted, None
        if wanted is not None and wanted.evidence == id:
            self._text.light(wanted.first, wanted.last)
        self._caption()

    def _unreadable(self, id: str, error: StoreError) -> None:
        """Say it where the text would stand; going back to the item asks for it again."""
        self._shown, self._wanted = "", None
        self._text.load(str(error))
        self.query_one("#evidence-caption", Static).update(
            Content.assemble((f"{id} ", "bold $text-primary"), ("cannot be read", "$text-error"))
        )

    def _caption(self) -> None:
        item = self.state.evidence.get(self._shown)
        if item is None:
            return
        first, last = self._text.lit
        lit = f"  {Citation(item.id, first, last)} lit" if first else ""
        self.query_one("#evidence-caption", Static).update(
            Content.assemble(
                (f"{item.id} ", "bold $text-primary"),
                plain(item.command, "bold"),
                (lit, "$text-warning"),
                ("  partial" if item.partial else "", "$text-warning"),
                (f"  {human_size(item.size)}  ", "$foreground 60%"),
                plain(item.intent, "$foreground 60%"),
            )
        )

    # --- actions ---------------------------------------------------------------------------------

    @on(Outline.Chosen, "#evidence-list")
    def action_open(self) -> None:
        """Into the text."""
        if self.state.evidence:
            self._text.focus()

    def action_back(self) -> None:
        """Back to the list."""
        self._list.focus()

    def action_copy(self) -> None:
        """Copy the cursor's line, or the mouse's selection, with its citation."""
        text = self._text
        if not self._shown or not text.line_count:
            return
        selection = text.text_selection
        if selection is not None and selection.start and selection.end:
            first, last = selection.start.y + 1, selection.end.y + 1
        elif not text.has_focus and text.lit[0]:
            first, last = text.lit
        else:
            first = last = text.cursor
        last = min(last, first + MOST_COPIED - 1)
        lines = [text.line(number) for number in range(first, last + 1)]
        copy_text(
            self.app,
            span_text(lines, self._shown, first, last),
            str(Citation(self._shown, first, last)),
        )

    async def action_search(self) -> None:
        """Open the search line."""
        from workbench.tui.panes.search import SearchLine

        if not self.query(SearchLine):
            await self.mount(SearchLine(id="search"))
        line = self.query_one(SearchLine)
        line.display = True
        line.focus()

    def on_search_line_closed(self) -> None:
        """Nothing was searched for."""
        self._text.focus()

    def on_input_submitted(self, event: "Input.Submitted") -> None:
        """Go to the first match from the cursor on."""
        event.input.display = False
        self._text.focus()
        self._find(event.value, 1)

    @work(exclusive=True, group="evidence-find")
    async def _find(self, needle: str, direction: int) -> None:
        shown = self._shown
        if not shown or not needle:
            return
        try:
            found = await self._text.find(needle, direction)
        except StoreError as error:
            self.notify(str(error), severity="error", markup=False)
            return
        if not found and shown == self._shown:
            self.notify(
                f"“{one_line(needle)}” is not in {shown}.", severity="warning", markup=False
            )

    def action_next_match(self) -> None:
        """On to the next match."""
        self._find(self._text.needle, 1)

    def action_previous_match(self) -> None:
        """Back to the match before."""
        self._find(self._text.needle, -1)

    def action_next_cited(self) -> None:
        """On to the next cited line."""
        if self._shown and not self._text.next_marked():
            self.notify(f"No line of {self._shown} is cited.", severity="warning", markup=False)


if __name__ == "__main__":
    from workbench.tui.sample import sample_state, sample_text

    PaneApp(EvidencePane(sample_text), sample_state()).run()
