"""The evidence browser: the ledger's list, and the full text with the cited lines lit."""

import re
from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING

from textual import on, work
from textual.app import ComposeResult
from textual.content import Content
from textual.message import Message
from textual.widget import Widget
from textual.widgets import Input, Static

from workbench.engine.upkeep import citations_of
from workbench.model.citation import Citation
from workbench.model.evidence import HIDDEN, PINNED, Evidence, Source
from workbench.model.investigation import Investigation
from workbench.model.text import human_size
from workbench.store.errors import StoreError
from workbench.tui.action import Place
from workbench.tui.clipboard import copy_text
from workbench.tui.panes.base import Intent, Pane
from workbench.tui.panes.lines import MOST_COPIED, LineView, span_text
from workbench.tui.panes.outline import Node, Outline
from workbench.tui.text import one_line, plain

if TYPE_CHECKING:
    from textual.widgets import Input


class SearchLine(Input):
    """The search text; Enter searches, Esc closes."""

    BINDINGS = [("escape", "close", "Close")]

    class Closed(Message):
        """The search was given up."""

    def __init__(self, id: str) -> None:
        super().__init__(id=id, compact=True)

    def action_close(self) -> None:
        self.display = False
        self.post_message(self.Closed())


TextOf = Callable[[str], Awaitable[str]]
LinesOf = Callable[[str], Awaitable[str | Sequence[str]]]
Search = Callable[[str], Awaitable[frozenset[str]]]

_SEARCH_HINT = "search this text: Enter finds, Esc closes"
_FILTER_HINT = "show only items that hold …: Enter filters, empty shows all, Esc closes"

_SOURCE = {Source.USER: "you", Source.FILE: "file"}
_SHORT = {"dotnet-dump": "sos", "replay": "log"}


_MARKS = {PINNED: ("◆", "bold $text-warning"), HIDDEN: ("✕", "$foreground 40%")}
_SELECTING = re.compile(r"^(?:(?:thread|frame) apply (?:level )?(\S+) -q )+")


def short_command(command: str, room: int) -> str:
    """A command without what selects its frame, which would hide what differs: ``#0 info locals``
    for ``frame apply level 0 -q info locals``."""
    words = one_line(command)
    chosen = _SELECTING.match(words)
    if chosen is not None:
        words = f"#{chosen[1]} {words[chosen.end() :]}"
    return words if len(words) <= room else words[: room - 1] + "…"


def evidence_node(
    evidence: Evidence, host: str, id_width: int, command_width: int, mark: str = ""
) -> Node:
    """One row of the list: id, source (``host`` is the debugger's name), command, lines,
    summary, and where that says nothing why it was asked."""
    style = "$text-accent" if evidence.source is Source.USER else "$foreground 60%"
    return Node.of(
        evidence.id,
        _MARKS.get(mark, (" ", "")),
        (f"{evidence.id:<{id_width}} ", "bold $text-primary"),
        (f"{_SOURCE.get(evidence.source, _SHORT.get(host, host)):<4} ", style),
        f"{short_command(evidence.command, command_width):<{command_width}} ",
        (f"{evidence.lines:>5}L  ", "$foreground 50%"),
        ("partial " if evidence.partial else "", "$text-warning"),
        plain(evidence.summary or evidence.intent, "$foreground 60%"),
        wrap=False,
    )


def cited_lines(state: Investigation, id: str) -> frozenset[int]:
    """Every line of one item that something in the investigation cites."""
    limit = state.evidence[id].lines if id in state.evidence else 0
    return frozenset(
        line
        for one in citations_of(state)
        if one.evidence == id and one.first
        for line in range(one.first, min(one.last, limit) + 1)
    )


def _found(item: Evidence) -> tuple[str, ...]:
    """What was found in an output that was read in pieces: nobody reads such a text to its end."""
    return item.findings if item.overall_findings is not None else ()


class EvidencePane(Pane, place=Place.EVIDENCE, title="Evidence", number=2):
    """List above, text below; ``lines_of`` fetches the lines of an item, or its text."""

    def __init__(
        self, lines_of: LinesOf, search: Search | None = None, id: str | None = None
    ) -> None:
        """``search`` gives the ids of the items that hold a text."""
        super().__init__(id=id)
        self._lines_of = lines_of
        self._search = search
        self._filter = ""
        self._found: frozenset[str] = frozenset()
        self._with_hidden = False
        self._shown = ""
        self._wanted: Citation | None = None

    def parts(self) -> ComposeResult:
        yield Outline(signs=False, id="evidence-list")
        yield Static(id="evidence-caption")
        found = Static(id="evidence-found")
        found.display = False
        yield found
        yield LineView(id="evidence-text")

    @property
    def _list(self) -> Outline:
        return self.query_one("#evidence-list", Outline)

    @property
    def _text(self) -> LineView:
        return self.query_one("#evidence-text", LineView)

    def entrance(self) -> Widget:
        return self._list

    def show(self, state: Investigation) -> None:
        """Rebuild the list; the text stays where it is."""
        super().show(state)
        items = self._listed()
        id_width = max((len(item.id) for item in items), default=2)
        room = max(16, min(40, self.size.width // 3 - 2))
        longest = max((len(short_command(item.command, room)) for item in items), default=8)
        host = state.chosen_debugger
        nodes = [
            evidence_node(item, host, id_width, longest, state.marks.get(item.id, ""))
            for item in items
        ]
        none = f"No item holds “{one_line(self._filter)}”; / and Enter shows all."
        self._list.show(nodes, none if self._filter else "Nothing has been asked of the dump yet.")
        if self._wanted is not None:  # it came with this state
            self._list.select(self._wanted.evidence)
        self.caption(*self._counted(items))
        if self._shown:
            self._text.mark(cited_lines(state, self._shown))

    def _listed(self) -> list[Evidence]:
        """The items to show: pinned ones first, without what is hidden or filtered out."""
        marks, needle = self.state.marks, self._filter.casefold()
        items = [
            item
            for item in self.state.evidence.values()
            if (self._with_hidden or marks.get(item.id) != HIDDEN)
            and (
                not needle
                or item.id in self._found
                or needle in f"{item.id} {item.command} {item.intent} {item.summary}".casefold()
            )
        ]
        return sorted(items, key=lambda item: marks.get(item.id) != PINNED)

    def _counted(self, items: list[Evidence]) -> tuple[str, str]:
        """What the title says at its right, and behind its name."""
        every = self.state.evidence
        if not every:
            return "", ""
        of = f" of {len(every)}" if len(items) < len(every) else ""
        plural = "" if len(items) == 1 and not of else "s"
        size = human_size(sum(item.size for item in items))
        hidden = sum(mark == HIDDEN for mark in self.state.marks.values())
        also = f" · {hidden} hidden" if hidden else ""
        return (
            f"{len(items)}{of} item{plural} · {size}{also}",
            f"/{one_line(self._filter)}" if self._filter else "",
        )

    def on_resize(self) -> None:
        if self.state.evidence:
            self.show(self.state)

    def on_descendant_focus(self) -> None:
        """What a person reads stays where it is."""
        self._touched = True

    _touched = False
    _followed: Citation | None = None

    def follow(self, citation: Citation | None) -> None:
        """Show what the hypothesis under the tree's cursor rests on, as long as nobody reads
        anything here."""
        known = citation is not None and citation.evidence in self.state.evidence
        if citation is not None and known and not self._touched and citation != self._followed:
            self._followed = citation
            self.open(citation)

    def open(self, citation: Citation) -> None:
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
            if self._filter:
                await self._text.find(self._filter)
        wanted = self._wanted
        if wanted is not None and wanted.evidence == id:  # else its item comes next
            self._wanted = None
            self._text.light(wanted.first, wanted.last)
        self._caption()

    def _unreadable(self, id: str, error: StoreError) -> None:
        """Say it where the text would stand; going back to the item asks for it again."""
        self._shown, self._wanted = "", None
        self._text.load(str(error))
        self.query_one("#evidence-found").display = False
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
        found = self.query_one("#evidence-found", Static)
        found.update(Content("\n").join(map(plain, _found(item))))
        found.display = bool(_found(item))

    # --- actions ---------------------------------------------------------------------------------

    @on(Outline.Chosen, "#evidence-list")
    def action_open(self) -> None:
        if self.state.evidence:
            self._text.focus()

    def action_back(self) -> None:
        self._list.focus()

    def action_copy(self) -> None:
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
        if not self.query(SearchLine):
            await self.mount(SearchLine(id="search"))
        line = self.query_one(SearchLine)
        self._from_list = not self._text.has_focus
        line.placeholder = _FILTER_HINT if self._from_list else _SEARCH_HINT
        line.value = self._filter if self._from_list else ""
        line.display = True
        self.screen.set_focus(line)  # at once: what is typed next is the text

    _from_list = False

    def on_search_line_closed(self) -> None:
        """Nothing was searched for."""
        (self._list if self._from_list else self._text).focus()

    def on_input_submitted(self, event: "Input.Submitted") -> None:
        """Show only items that hold the text, or go to the first match from the cursor on."""
        event.input.display = False
        if self._from_list:
            self._list.focus()
            self._keep_only(event.value.strip())
        else:
            self._text.focus()
            self._find(event.value, 1)

    @work(exclusive=True, group="evidence-find")
    async def _keep_only(self, needle: str) -> None:
        """Filter the list; nothing shows all again."""
        found: frozenset[str] = frozenset()
        if needle and self._search is not None:
            try:
                found = await self._search(needle)
            except StoreError as error:
                self.notify(str(error), severity="error", markup=False)
        self._filter, self._found = needle, found
        self.show(self.state)
        if self._shown in self.state.evidence:
            await self._text.find(needle)

    def action_mark(self, mark: str) -> None:
        node = self._list.selected
        if node is not None and node.key:
            new = "" if self.state.marks.get(node.key) == mark else mark
            id = node.key
            self.post_message(Intent(f"mark {id}", lambda port: port.mark_evidence(id, new)))

    def action_hidden(self) -> None:
        self._with_hidden = not self._with_hidden
        self.show(self.state)

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

    def action_find(self, direction: int) -> None:
        self._find(self._text.needle, direction)

    def action_next_cited(self) -> None:
        if self._shown and not self._text.next_marked():
            self.notify(f"No line of {self._shown} is cited.", severity="warning", markup=False)
