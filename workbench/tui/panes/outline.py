"""A foldable list of wrapped lines with a cursor that moves from node to node (Line API)."""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from textual import events
from textual.binding import Binding
from textual.content import Content
from textual.geometry import Region, Size
from textual.message import Message
from textual.reactive import reactive
from textual.selection import Selection
from textual.strip import Strip
from textual.visual import Visual

from workbench.model.citation import Citation, parse_citations
from workbench.tui.clipboard import show_selection
from workbench.tui.panes.scrolled import CursorView
from workbench.tui.text import plain


@dataclass(frozen=True)
class Node:
    """One entry. ``key`` is stable over updates, so that cursor and folds survive them; ``hang``
    indents continuation lines, in cells; a node that is not ``pick``-able is passed over; a
    ``lit`` one has a ground of its own."""

    key: str
    content: Content
    children: tuple["Node", ...] = ()
    citation: Citation | None = None
    hang: int = 0
    wrap: bool = True
    pick: bool = True
    folded: bool = False
    lit: bool = False

    @classmethod
    def of(cls, key: str, *parts: str | Content | tuple[str, str], **more: Any) -> "Node":
        """A node of parts that are put together, each plain, styled or content."""
        return cls(key, Content.assemble(*parts), **more)


def labelled(key: str, label: str, style: str, texts: Iterable[str], hang: int) -> list[Node]:
    """A node for each text, behind what it is; continuation lines by ``hang`` cells."""
    return [
        Node.of(f"{key}/{number}", (f"{label} ", style), plain(text), hang=hang)
        for number, text in enumerate(texts)
    ]


def first_cited(text: str) -> Citation | None:
    """The first citation in a text."""
    return next(iter(parse_citations(text)), None)


@dataclass(frozen=True)
class _Row:
    node: Node
    depth: int
    top: int
    lines: tuple[Content, ...]


def _are_alike(one: _Row, other: _Row) -> bool:
    """True when both are drawn the same. A fold changes the number of rows."""
    return (
        (one.node.key, one.node.lit, one.depth, bool(one.node.children), len(one.lines))
        == (
            other.node.key,
            other.node.lit,
            other.depth,
            bool(other.node.children),
            len(other.lines),
        )
    ) and all(map(Content.is_same, one.lines, other.lines))


_INDENT = 2
"""Cells of each level."""


class Outline(CursorView):
    """Shows nodes; posts `Moved` when the cursor moves and `Chosen` on a click on its node."""

    COMPONENT_CLASSES = {
        "outline--cursor",
        "outline--cursor-blurred",
        "outline--lit",
        "outline--mark",
    }
    DEFAULT_CSS = """
    Outline {
        & > .outline--cursor { background: $primary 30%; }
        & > .outline--cursor-blurred { background: $foreground 7%; }
        & > .outline--lit { background: $warning 18%; }
        & > .outline--mark { color: $text-accent; }
    }
    """
    BINDINGS = [
        Binding("left,h", "fold(True)", "Fold", show=False),
        Binding("right,l", "fold(False)", "Unfold", show=False),
        Binding("space", "toggle_fold", "Fold or unfold", show=False),
    ]

    cursor: reactive[str] = reactive("", init=False)

    @dataclass
    class Moved(Message):
        """The cursor is on another node."""

        outline: "Outline"
        node: Node | None

        @property
        def control(self) -> "Outline":
            """The outline, for ``@on`` selectors."""
            return self.outline

    class Chosen(Moved):
        """A node was clicked."""

    def __init__(self, *, signs: bool = True, centred: bool = False, id: str | None = None) -> None:
        """``centred`` keeps the cursor in the middle."""
        super().__init__(id=id)
        self._centred = centred
        self._signs = signs
        self._entries: tuple[Node, ...] = ()
        self._folds: dict[str, bool] = {}
        self._rows: list[_Row] = []
        self._tops: list[int] = []
        self._wrapped: dict[tuple[str, str, int], tuple[Content, ...]] = {}
        self._wrapped_width = 0
        self._moved_by_hand = False

    # --- content ---------------------------------------------------------------------------------

    def show(self, nodes: Sequence[Node], empty: str = "") -> None:
        """Replace what is shown, where there are no nodes by a line that says so. The cursor stays
        on its key, and when that node is gone on the nearest that was below it, else above; until
        somebody has moved it, it is on the first."""
        before = [row.node.key for row in self._rows]
        none = Node("", Content.styled(empty, "$foreground 60%"), pick=False)
        self._entries = tuple(nodes or ([none] if empty else ()))
        self._lay_out()
        left = {row.node.key: row.node.pick for row in self._rows}
        if self.cursor not in left or not self._moved_by_hand:
            at = before.index(self.cursor) if self._moved_by_hand and self.cursor in before else 0
            near: Iterable[str] = [*before[at:], *reversed(before[:at]), *left] if at else left
            self.cursor = next((key for key in near if left.get(key)), "")

    @property
    def selected(self) -> Node | None:
        row = self._row_of(self.cursor)
        return row.node if row else None

    def path_to(self, key: str) -> list[Node]:
        """The node of a key and those above it, nearest first; empty for an unknown key."""

        def search(nodes: Sequence[Node]) -> list[Node]:
            for node in nodes:
                if node.key == key:
                    return [node]
                if below := search(node.children):
                    return [*below, node]
            return []

        return search(self._entries)

    def select(self, key: str) -> None:
        """Put the cursor on a node, unfolding what hides it."""
        self._moved_by_hand = True
        for node in self.path_to(key)[1:]:
            self._folds[node.key] = False
        self._lay_out()
        if self._row_of(key) is not None:
            if self._centred and key == self.cursor:
                self._show_cursor()  # it may stand among other rows than before
            self.cursor = key

    def reveal(self, key: str) -> None:
        """Put the cursor on a node and it at the top, so that what is below it is seen."""
        self._moved_by_hand = True
        self.cursor = key
        if (row := self._row_of(key)) is not None:
            self.call_after_refresh(self.scroll_to, y=row.top, animate=False, force=True)

    # --- layout ----------------------------------------------------------------------------------

    def _is_folded(self, node: Node) -> bool:
        return bool(node.children) and self._folds.get(node.key, node.folded)

    def _walk(self, nodes: Sequence[Node], depth: int) -> Iterator[tuple[Node, int]]:
        for node in nodes:
            yield node, depth
            if not self._is_folded(node):
                yield from self._walk(node.children, depth + 1)

    def _wrap(self, node: Node, width: int) -> tuple[Content, ...]:
        if not node.wrap:
            return (node.content,)
        key = (node.key, node.content.plain, width)
        if (known := self._wrapped.get(key)) is not None and known[0].spans == node.content.spans:
            return known
        first, *rest = node.content.wrap(max(8, width))
        if rest and node.hang:
            tail = node.content[len(first.plain) :]
            tail = tail[len(tail.plain) - len(tail.plain.lstrip()) :]
            rest = [line.pad_left(node.hang) for line in tail.wrap(max(8, width - node.hang))]
        lines = (first, *rest)
        self._wrapped[key] = lines
        return lines

    def _lay_out(self) -> None:
        width = self.scrollable_content_region.width or self.size.width
        if width != self._wrapped_width or len(self._wrapped) > 5000:
            self._wrapped.clear()
            self._wrapped_width = width
        before, top = self._rows, 0
        self._rows, self._tops = [], []
        for node, depth in self._walk(self._entries, 0):
            lines = self._wrap(node, width - (3 if self._signs else 1) - depth * _INDENT)
            self._rows.append(_Row(node, depth, top, lines))
            self._tops.append(top)
            top += len(lines)
        self.virtual_size = Size(width, top)
        if len(before) != len(self._rows) or not all(map(_are_alike, before, self._rows)):
            self.refresh()

    def on_resize(self) -> None:
        """Wrap again at the new width; the cursor stays in view."""
        self._lay_out()
        self._show_cursor()

    def notify_style_update(self) -> None:
        super().notify_style_update()
        self.refresh()

    # --- drawing ---------------------------------------------------------------------------------

    def render_line(self, y: int) -> Strip:
        line = y + self.scroll_offset.y
        width = self.size.width
        base = self.visual_style
        index = bisect_right(self._tops, line) - 1
        if index < 0 or line >= self.virtual_size.height:
            return Strip.blank(width, base.rich_style)
        row = self._rows[index]
        here = row.node.key == self.cursor
        if row.node.lit:
            base = base + self.get_visual_style("outline--lit", partial=True)
        if here and (self.has_focus or not row.node.lit):
            name = "outline--cursor" if self.has_focus else "outline--cursor-blurred"
            base = base + self.get_visual_style(name, partial=True)
        mark = ("▌", "$text-accent") if here and self.has_focus else ("▌" if here else " ", "")
        room = self.scrollable_content_region.width or width  # the scroll bar hides the rest
        text = Content.assemble(mark, self._line(row, line)).truncate(room, ellipsis=True)
        text = show_selection(self, text, line)
        strip = Visual.to_strips(self, text, width, 1, base, apply_selection=False)[0]
        return strip.extend_cell_length(width, base.rich_style).apply_offsets(0, line)

    def _line(self, row: _Row, line: int) -> Content:
        """One line of a row, as it stands behind the cursor's mark."""
        sign = ""
        if self._signs:
            sign = "  "
            if line == row.top and row.node.children:
                sign = "▸ " if self._is_folded(row.node) else "▾ "
        indent = " " * (row.depth * _INDENT)
        return Content.assemble(indent, (sign, "$foreground 60%"), row.lines[line - row.top])

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        lines = (
            f" {self._line(row, row.top + part).plain}".rstrip()
            for row in self._rows
            for part in range(len(row.lines))
        )
        return selection.extract("\n".join(lines)), "\n"

    def _row_of(self, key: str) -> _Row | None:
        return next((row for row in self._rows if row.node.key == key), None)

    def watch_cursor(self) -> None:
        self._show_cursor()
        self.refresh()
        self.post_message(self.Moved(self, self.selected))

    def _show_cursor(self) -> None:
        if (row := self._row_of(self.cursor)) is None:
            return
        if self._centred:
            middle = max(0, row.top - (self.size.height - len(row.lines)) // 2)
            self.scroll_to(y=middle, animate=False, force=True, immediate=True)
        else:
            region = Region(0, row.top, self.size.width, len(row.lines))
            self.scroll_to_region(region, animate=False, force=True)

    # --- keys and mouse --------------------------------------------------------------------------

    def _picks(self) -> list[_Row]:
        return [row for row in self._rows if row.node.pick]

    def _step(self, count: int) -> None:
        self._moved_by_hand = True
        rows = self._picks()
        if not rows:
            return
        keys = [row.node.key for row in rows]
        at = keys.index(self.cursor) if self.cursor in keys else 0
        self.cursor = keys[max(0, min(len(keys) - 1, at + count))]

    def action_move(self, count: int) -> None:
        before = self.cursor
        self._step(count)
        if self.cursor == before:
            self.scroll_relative(y=count, animate=False)

    def action_page(self, direction: int) -> None:
        here = self._row_of(self.cursor)
        if here is None:
            return
        self._moved_by_hand = True
        goal = here.top + direction * max(1, self.size.height - 1)
        rows = self._picks()
        beyond = [row for row in rows if (row.top - goal) * direction >= 0]
        target = (beyond[0] if direction > 0 else beyond[-1]) if beyond else None
        self.cursor = (target or rows[-1 if direction > 0 else 0]).node.key

    def action_edge(self, direction: int) -> None:
        self._step(direction * len(self._rows))

    def action_fold(self, folded: bool) -> None:
        node = self.selected
        if node is None:
            return
        if node.children and self._is_folded(node) != folded:
            self._folds[node.key] = folded
            self._lay_out()
        elif folded and len(above := self.path_to(node.key)) > 1:
            self.cursor = above[1].key

    def action_toggle_fold(self) -> None:
        node = self.selected
        if node is not None and node.children:
            self.action_fold(not self._is_folded(node))

    def on_click(self, event: events.Click) -> None:
        """A click picks a node; a second one on it chooses it."""
        line = event.y + self.scroll_offset.y
        index = bisect_right(self._tops, line) - 1
        if index < 0 or line >= self.virtual_size.height or not self._rows[index].node.pick:
            return
        node = self._rows[index].node
        again = node.key == self.cursor
        self._moved_by_hand = True
        self.cursor = node.key
        if again:
            self.post_message(self.Chosen(self, node))
