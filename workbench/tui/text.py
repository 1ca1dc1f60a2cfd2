"""Text of unknown origin made fit for the screen: nothing in it moves the cursor or hides."""

import re

from textual.content import Content

from workbench.model.text import UNSEEN


def _shown(match: re.Match[str]) -> str:
    code = ord(match[0])
    if code < 0x20:
        return chr(0x2400 + code)
    if code == 0x7F:
        return "\u2421"
    return f"<{code:02x}>"


def visible(text: str) -> str:
    """A text with every unseen character replaced by a sign for it; TAB and LF stay.

    ESC becomes ``␛``, NUL ``␀``, a right-to-left override ``<202e>``.
    """
    return UNSEEN.sub(_shown, text)


def one_line(text: str) -> str:
    """`visible`, with line ends and tabs as single spaces."""
    return " ".join(visible(text).split())


def plain(text: str, style: str = "") -> Content:
    """A single line of foreign text as content, never as markup."""
    return Content.styled(one_line(text), style) if style else Content(one_line(text))


def short_path(path: str, room: int) -> str:
    """A path whose end fits into ``room`` characters: ``…/demo/server``; at least its name."""
    if len(path) <= room:
        return path
    parts = path.split("/")
    kept = parts.pop()
    while parts and len(kept) + len(parts[-1]) + 3 <= room:
        kept = f"{parts.pop()}/{kept}"
    return f"…/{kept}"


def elapsed(seconds: float) -> str:
    """``04:07`` below an hour, else ``1:04:07``; never negative."""
    whole = max(0, int(seconds))
    hours, rest = divmod(whole, 3600)
    minutes, secs = divmod(rest, 60)
    return f"{hours}:{minutes:02}:{secs:02}" if hours else f"{minutes:02}:{secs:02}"
