"""A pyte screen with a bounded scrollback, made fast for plain text, and its lines as segments."""

from collections import deque
from collections.abc import Mapping
from functools import lru_cache
from itertools import islice
from string import hexdigits

import pyte
from pyte.screens import Char
from rich.color import Color
from rich.segment import Segment
from rich.style import Style

from workbench.tui.console.stream import StreamFilter

SCROLLBACK = 5000
"""Drawn lines that are kept above the screen."""

RAW_TAIL = 32 * 1024
"""Bytes that are drawn again at another width; older lines keep the width they were drawn at."""

RAW_PIECE = 4 * 1024
"""Bytes of output that are remembered together with the line they began on, at least a line."""

Line = Mapping[int, Char]


class _Cells(dict[str, Char]):
    """Character to cell in one set of attributes."""

    def __init__(self, attributes: Char) -> None:
        super().__init__()
        self._attributes = attributes

    def __missing__(self, character: str) -> Char:
        cell = self._attributes._replace(data=character)
        self[character] = cell
        return cell


@lru_cache(256)
def _cells(attributes: Char) -> _Cells:
    return _Cells(attributes)


class _Screen(pyte.Screen):
    """Keeps the lines that scroll off the top and draws ASCII by the run."""

    def __init__(self, columns: int, lines: int) -> None:
        self.past: deque[Line] = deque(maxlen=SCROLLBACK)
        self.scrolled = 0
        super().__init__(columns, lines)

    def index(self) -> None:
        """Scroll; the top line goes to the scrollback."""
        if self.cursor.y == self.lines - 1 and self.margins is None:
            self.past.append(self.buffer[0])
            self.scrolled += 1
        super().index()

    @property
    def here(self) -> int:
        """The cursor's line, counted from the first that was ever drawn."""
        return self.scrolled + int(self.cursor.y)

    def before(self, number: int) -> list[Line]:
        """The lines that are still kept above the one of a number, as `here` counts."""
        first = self.scrolled - len(self.past)
        kept = list(islice(self.past, max(0, number - first)))
        return kept + [self.buffer[y] for y in range(min(self.lines, number - self.scrolled))]

    def draw(self, data: str) -> None:
        """pyte's own drawing, but a run of ASCII at a time."""
        if not data.isascii() or self.charset:
            super().draw(data)
            return
        cells = _cells(self.cursor.attrs)
        at, length = 0, len(data)
        while at < length:
            if self.cursor.x >= self.columns:
                self.dirty.add(self.cursor.y)
                self.carriage_return()
                self.linefeed()
            x = self.cursor.x
            run = data[at : at + self.columns - x]
            self.buffer[self.cursor.y].update(
                zip(range(x, x + len(run)), map(cells.__getitem__, run), strict=False)
            )
            self.cursor.x = x + len(run)
            at += len(run)
        self.dirty.add(self.cursor.y)


@lru_cache(1024)
def _colour(name: str) -> Color | None:
    if name == "default":
        return None
    if name == "brown":
        name = "yellow"
    if name.startswith("bright"):
        name = "bright_" + name[6:].replace("brown", "yellow")
    try:
        return Color.parse(f"#{name}" if len(name) == 6 and {*name} <= {*hexdigits} else name)
    except ValueError:
        return None


@lru_cache(1024)
def _style(attributes: Char) -> Style:
    return Style(
        color=_colour(attributes.fg),
        bgcolor=_colour(attributes.bg),
        bold=attributes.bold or None,
        italic=attributes.italics or None,
        underline=attributes.underscore or None,
        strike=attributes.strikethrough or None,
        reverse=attributes.reverse or None,
    )


class Terminal:
    """Bytes in, lines of segments out. Never raises on any bytes."""

    def __init__(self, columns: int = 80, lines: int = 24) -> None:
        self._screen = _Screen(columns, lines)
        self._stream = pyte.Stream(self._screen)
        self._filter = StreamFilter()
        self._raw: deque[tuple[int, bytes]] = deque()
        self._raw_size = 0
        self.broken = 0

    def feed(self, data: bytes) -> None:
        """Draw bytes. What pyte still chokes on is left out and counted in ``broken``."""
        self._remember(data)
        self._draw(data)

    def _remember(self, data: bytes) -> None:
        """Keep the newest bytes, in pieces that begin at a line's start where there is one."""
        start, last = self._raw[-1] if self._raw else (0, b"\n")
        if last.endswith(b"\n") or len(last) > RAW_PIECE:
            self._raw.append((self._screen.here, data))
        else:
            self._raw[-1] = start, last + data
        self._raw_size += len(data)
        while self._raw_size > RAW_TAIL and len(self._raw) > 1:
            self._raw_size -= len(self._raw.popleft()[1])

    def _draw(self, data: bytes) -> None:
        text = self._filter.feed(data)
        if not text:
            return
        try:
            self._stream.feed(text)
        except Exception:  # noqa: BLE001  # pyte raises whatever a strange sequence leads it to
            self.broken += 1
            self._stream = pyte.Stream(self._screen)

    def resize(self, columns: int, lines: int) -> bool:
        """Another size: the newest bytes are drawn again at it. True when anything changed."""
        old, raw = self._screen, self._raw
        if (columns, lines) == (old.columns, old.lines):
            return False
        self._screen = _Screen(columns, lines)
        self._stream = pyte.Stream(self._screen)
        self._filter.reset()
        if raw:
            self._screen.past.extend(old.before(raw[0][0]))
            self._screen.scrolled = raw[0][0]
        self._raw = deque()
        for _, data in raw:
            self._raw.append((self._screen.here, data))
            self._draw(data)
        return True

    @property
    def scrolled(self) -> int:
        """How many lines have ever left the screen at its top."""
        return self._screen.scrolled

    @property
    def past(self) -> int:
        return len(self._screen.past)

    @property
    def used(self) -> int:
        """Screen lines down to the last one written on."""
        bottom: int = self._screen.cursor.y
        return bottom + (1 if self._screen.cursor.x else 0)

    def line(self, number: int) -> list[Segment]:
        """A line by number: 0 is the screen's top, negative numbers reach into the scrollback."""
        screen = self._screen
        if number < 0:
            if -number > len(screen.past):
                return []
            cells: Line = screen.past[number]
        else:
            if number >= screen.lines or number not in screen.buffer:
                return []
            cells = screen.buffer[number]
        if not cells:
            return []
        default = screen.default_char
        segments: list[Segment] = []
        text: list[str] = []
        style: Style | None = None
        previous: Char | None = None
        for x in range(min(screen.columns, max(cells) + 1)):
            cell = cells.get(x, default)
            if previous is None or cell[1:] != previous[1:]:
                if text:
                    segments.append(Segment("".join(text), style))
                    text = []
                style = _style(cell._replace(data=""))
                previous = cell
            text.append(cell.data)
        if text:
            segments.append(Segment("".join(text), style))
        return segments

    def text(self) -> str:
        """Scrollback and screen as plain text, for tests and copying."""
        lines = [
            "".join(segment.text for segment in self.line(number)).rstrip()
            for number in range(-self.past, self._screen.lines)
        ]
        return "\n".join(lines).rstrip()
