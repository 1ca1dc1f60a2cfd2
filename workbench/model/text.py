"""Text from a dump on its way to a terminal or a file."""

import unicodedata


def printable(text: str, keep: str = "") -> str:
    """``text`` with control, format and surrogate characters shown as escapes.

    A dump's strings may hold terminal escapes, bidirectional overrides or NULs: they are shown,
    never sent. Characters in ``keep`` stay as they are.
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(char if char in keep or _is_plain(char) else _escaped(char) for char in text)


def _is_plain(char: str) -> bool:
    return unicodedata.category(char) not in ("Cc", "Cf", "Cs", "Co", "Zl", "Zp")


def _escaped(char: str) -> str:
    return char.encode("unicode_escape", "surrogatepass").decode("ascii")
