"""Text of unknown origin made fit for the screen: nothing in it moves the cursor or hides."""

import re

from textual.content import Content

# Control characters (C0 without TAB and LF, DEL, C1), marks that have no width or turn the writing
# direction (Unicode categories Cc, Cf, Zl, Zp), variation selectors, tags, lone surrogates.
_UNSEEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u034f\u0600-\u0605\u061c\u06dd\u070f\u115f\u1160\u17b4\u17b5"
    "\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0"
    "\ufff9-\ufffb\ud800-\udfff\U00013430-\U0001345f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "\U000e0000-\U000e0fff]"
)


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
    return _UNSEEN.sub(_shown, text)


def one_line(text: str) -> str:
    """`visible`, with line ends and tabs as single spaces."""
    return " ".join(visible(text).split())


def plain(text: str, style: str = "") -> Content:
    """A single line of foreign text as content, never as markup."""
    return Content.styled(one_line(text), style) if style else Content(one_line(text))


def human_size(size: int) -> str:
    """Bytes in the largest fitting unit: ``912 B``, ``14.2 KB``, ``3.1 MB`` (powers of 1024)."""
    if size < 1024:
        return f"{size} B"
    value = float(size)
    for unit in ("KB", "MB", "GB"):
        value /= 1024
        if value < 1024 or unit == "GB":
            break
    return f"{value:.1f} {unit}"


def elapsed(seconds: float) -> str:
    """``04:07`` below an hour, else ``1:04:07``; never negative."""
    whole = max(0, int(seconds))
    hours, rest = divmod(whole, 3600)
    minutes, secs = divmod(rest, 60)
    return f"{hours}:{minutes:02}:{secs:02}" if hours else f"{minutes:02}:{secs:02}"
