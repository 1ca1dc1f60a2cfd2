"""Search in the evidence of all sessions, the one at hand first; a hit opens at its line."""

from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from typing import TYPE_CHECKING

from textual import on, work
from textual.app import ComposeResult
from textual.content import Content
from textual.widgets import Input, Static

from workbench.model.citation import Citation
from workbench.tui.action import Place
from workbench.tui.panes.bars import FooterBar
from workbench.tui.panes.outline import Node, Outline
from workbench.tui.screens.base import PlaceScreen
from workbench.tui.text import one_line, plain

if TYPE_CHECKING:  # it brings the database with it
    from workbench.engine.finding import Hit, Searched

Find = Callable[[str], "AsyncGenerator[Searched, None]"]
_MOST = 200
_SHOWN = 20  # sessions without a hit between two looks at the count


class SearchScreen(PlaceScreen["tuple[str, Citation] | None"], place=Place.SEARCH):
    """Dismissed with a session's id and the citation in it; hits come as sessions are searched."""

    def __init__(self, find: Find) -> None:
        super().__init__()
        self._find = find
        self._hits: list[Hit] = []

    def compose(self) -> ComposeResult:
        yield Static("Search the evidence", id="search-title", markup=False)
        yield Input(
            placeholder="words, names, addresses: Enter searches, Esc goes back",
            id="search-text",
            compact=True,
        )
        yield Outline(signs=False, id="hits")
        yield FooterBar(id="footer")

    def on_mount(self) -> None:
        self.query_one("#search-text").focus()
        self.show_keys()

    @on(Input.Submitted)
    def _asked(self, event: Input.Submitted) -> None:
        if event.value.strip():
            self._search(event.value.strip())

    @work(exclusive=True, group="search")
    async def _search(self, text: str) -> None:
        self._hits = []
        self._show(text, 0, ", searching")
        searched = failed = 0
        why = by = said = ""
        try:
            async with aclosing(self._find(text)) as found:
                async for one in found:
                    if not one.session_id:
                        by, self._hits = one.by, list(one.hits if one.by else self._hits)[:_MOST]
                        said = one_line(one.trouble)
                        self._show(text, searched, f"; {said}" if said else "")
                        continue
                    searched += 1
                    if one.trouble:
                        failed, why = failed + 1, one_line(one.trouble)
                    first = bool(one.hits and not self._hits)
                    self._hits += one.hits[: _MOST - len(self._hits)]
                    if one.hits or searched % _SHOWN == 1:
                        self._show(text, searched, "", focus=first)
        except Exception as error:  # noqa: BLE001  # whatever it is, the person sees it here
            why, failed = one_line(str(error)) or type(error).__name__, failed + 1
        trouble = f"; {failed} could not all be: {why}" if failed else ""
        trouble += f"; ordered by {by}" if by else ""
        self._show(text, searched, trouble + (f"; {said}" if said else ""))

    def _show(self, text: str, searched: int, trouble: str, focus: bool = False) -> None:
        found = f"{len(self._hits)} hit{'' if len(self._hits) == 1 else 's'} for"
        sessions = f"{searched} session{'' if searched == 1 else 's'} searched"
        title = f"Search the evidence  {found} {one_line(text)}, {sessions}{trouble}"
        self.query_one("#search-title", Static).update(Content(title))
        hits = self.query_one("#hits", Outline)
        several = len({hit.session_id for hit in self._hits}) > 1
        hits.show([_node(number, hit, several) for number, hit in enumerate(self._hits)])
        if focus and self._hits:
            hits.focus()

    def action_words(self) -> None:
        self.query_one("#search-text").focus()

    @on(Outline.Chosen)
    def action_open(self) -> None:
        node = self.query_one("#hits", Outline).selected
        if node is not None and node.citation is not None:
            self.dismiss((self._hits[int(node.key)].session_id, node.citation))


def _node(number: int, hit: "Hit", several: bool) -> Node:
    """A hit; of ``several`` sessions, its own one's time and dump stand before its text."""
    id, _, line = hit.citation.partition(":")
    wide = 18 if several else 28
    return Node.of(
        str(number),
        (f"{hit.citation:<9} ", "bold $text-accent"),
        Content(f"{hit.session_id.removeprefix('session_')[:24]:<24} " if several else ""),
        Content(f"{one_line(hit.command)[:wide]:<{wide}} "),
        plain(one_line(hit.text)),
        Content("  "),
        plain(hit.session_id, "$foreground 40%"),
        citation=Citation(id, int(line), int(line)),
        wrap=False,
    )
