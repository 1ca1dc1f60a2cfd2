"""Text from a dump on its way to a terminal or a file: it is shown, never sent."""

import re
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property

from msgspec import json

# A string that ends on its line; an apostrophe opens one only where no word or bracket ends.
_STRING = re.compile(
    r"(?<!\\)\"(?:[^\"\\]|\\.)*+\"|(?:^|(?<=[\s(\[{=,:+]))'(?:[^'\\]|\\.)*+'", re.DOTALL
)
# The quotation mark that begins a value, and a line that ends one begun further up.
OPENS = re.compile(r'(?:^|[\s(\[{=,:+])[bru]{0,2}"(?:"")?(?=[^"]*$)')
_CLOSES = re.compile(r'^[^"]*"(?:"")?[\s)\]},;]*(?:$|[^"]*=[^"]*$)')
# The same of an apostrophe, which is a letter of words too: at the end and the start of lines.
_TICK_OPENS = re.compile(r"[=:(\[{,]\s*[bru]{0,2}'(?:'')?\s*$")
_TICK_CLOSES = re.compile(r"^\s*'(?:'')?[\s)\]},;]*(?:$|[^']*=[^']*$)")
_ABOVE, _BELOW = 64, 4096
"""Lines of a value in front of a report in it, and up to the value's end."""
IN_QUOTATION = " in a quotation)"
"""How the name of a report ends that another message quotes."""
LOGGED = " that was logged)"
"""The same of one that a program wrote into its log before it went on."""
_TYPED = re.compile(
    r"(?:Caused by: )?(?:[A-Za-z_][\w$]{0,80}[./]){0,14}[A-Z][\w$]{0,120}"
    r"(?: \[\w{1,60}\]| \(\w{1,60}\))?(?::|$)"
)
TRACEBACK = re.compile(
    r"\s{0,8}(?:\+ |\w{1,60}: |(?P<words>[^\"'`]{1,120}: ))?"
    r"(?:Exception Group )?Traceback \(most recent call last\):"
)
"""The first line of Python's (Lib/traceback.py); a program that puts words before it holds it."""
MAY_BE_LOGGED = {
    "python": TRACEBACK, "javascript": _TYPED, "java": _TYPED, "dotnet": _TYPED,
    "rust": re.compile(r"thread '(?!main')[^'\n]{0,120}'(?: \(\d{1,12}\))? panicked at "),
}  # fmt: skip
"""How an exception begins that a program may have logged: as its runtime prints one that nobody
caught, or, where the runtime puts words in front of that, without them."""


def may_be_logged(host: str, line: str) -> bool:
    """True for the first line of an exception of a runtime that a program may have logged."""
    return host in MAY_BE_LOGGED and MAY_BE_LOGGED[host].match(line) is not None


LONGEST = 2048
"""Characters from which on a line may be one that was cut, and its string with it."""


def unquoted(pattern: re.Pattern[str], line: str) -> re.Match[str] | None:
    """The first match that begins in no string of the line. A string that the line begins with is
    the line itself: a collector may quote all of them."""
    found = pattern.search(line)
    if found is None or not ('"' in line[: found.start()] or "'" in line[: found.start()]):
        return found
    whole = line + '"' if len(line) >= LONGEST else line
    strings = [s.span() for s in _STRING.finditer(whole) if line[: s.start()].strip("[({ \t")]
    matches = pattern.finditer(line)
    return next((m for m in matches if not any(a < m.start() < b for a, b in strings)), None)


def in_value(lines: Sequence[str], number: int, last: int = 0) -> bool:
    """True where the line at a place (from 0), and all up to the ``last``, stand in a value that a
    quotation mark of a line above begins and one of a line below ends: another message's text."""
    over, under = lines[max(0, number - _ABOVE) : number], lines[number : number + _BELOW]
    ticks = [tick for line in reversed(over) if (tick := _tick(line))]
    if ticks[:1] == ["opens"] and not any(map(_tick, lines[number:last])):
        return next(filter(None, map(_tick, under)), "") == "closes"
    above = _odd(reversed(over))
    if above is None or OPENS.search(above) is None:
        return False
    if _odd(lines[number:last]) is not None:
        return False
    below = _odd(lines[max(number, last) : max(number, last) + _BELOW])
    return below is not None and _CLOSES.match(below) is not None


def _tick(line: str) -> str:
    """Whether an apostrophe opens or closes a value of several lines here."""
    if "'" not in line[:LONGEST]:
        return ""
    closes = _TICK_CLOSES.match(line[:LONGEST]) is not None
    return "closes" if closes else "opens" * (_TICK_OPENS.search(line[:LONGEST]) is not None)


def _odd(lines: Iterable[str]) -> str | None:
    """The first line with a string that does not end, or did not begin, on it."""
    cut = (line[:LONGEST] for line in lines)
    return next((c for c in cut if (c.count('"') - c.count('\\"')) % 2), None)


# Control characters (C0 without TAB and LF, DEL, C1), marks that have no width or turn the writing
# direction (Unicode categories Cc, Cf, Zl, Zp), variation selectors, tags, lone surrogates.
UNSEEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u034f\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u115f\u1160\u17b4\u17b5"
    "\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0"
    "\ufff9-\ufffb\ud800-\udfff\U000110bd\U000110cd\U00013430-\U0001345f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "\U000e0000-\U000e0fff]"
)


class Start(str):
    """The start of a text that is too large to be held; ``read`` gives the lines of all of it."""

    def __new__(cls, text: str, read: Callable[[], Sequence[str]]) -> "Start":
        """``read`` is called when a line is first asked for."""
        self = super().__new__(cls, text)
        self._read = read
        return self

    _read: Callable[[], Sequence[str]]

    @cached_property
    def lines(self) -> Sequence[str]:
        """All lines; those that are looked at are read."""
        return self._read()


def lines_of(text: str) -> Sequence[str]:
    """The lines of a text, split at LF as the store counts them, from 0: those of the whole where
    ``text`` is its `Start`."""
    if isinstance(text, Start):
        return text.lines
    lines = text.split("\n")
    return lines[:-1] if len(lines) > 1 and not lines[-1] else lines


def counted(number: int, noun: str) -> str:
    """``1 line``, ``2,000 lines``, ``3 addresses``, ``2 hypotheses``, ``5 retries``."""
    for end, many in (("sis", "ses"), ("ss", "sses"), ("ry", "ries"), ("ty", "ties"), ("", "s")):
        if number != 1 and noun.endswith(end):
            return f"{number:,} {noun.removesuffix(end)}{many}"
    return f"{number:,} {noun}"


def cut(text: str, most: int = 80) -> str:
    """A text of so many characters at most; where something is left out, it ends with ``…``."""
    return text if len(text) <= most else f"{text[: most - 1]}…"


def printable(text: str, keep: str = "") -> str:
    """``text`` with what nobody would see, or what moves a cursor, as ``\\x1b`` or ``\\u202e``.

    Bytes that were no UTF-8 (surrogates of PEP 383) become ``\\xff``. Characters in ``keep``
    (``\\n``, ``\\t``) stay as they are.
    """
    if text.isascii() and text.isprintable():
        return text
    text = UNSEEN.sub(_escaped, text)
    for char, escape in (("\n", "\\n"), ("\t", "\\t")):
        if char not in keep:
            text = text.replace(char, escape)
    return text


def _escaped(match: re.Match[str]) -> str:
    code = ord(match[0])
    if 0xDC80 <= code <= 0xDCFF:
        code -= 0xDC00
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def json_text(value: object) -> str:
    """A value as JSON, two spaces deep, with a newline at its end: safe to print, as every unseen
    character stands there as ``\\uXXXX`` (RFC 8259, 7)."""
    text = json.format(json.encode(value), indent=2).decode()
    return UNSEEN.sub(_json_escape, text) + "\n"


def _json_escape(match: re.Match[str]) -> str:
    units = match[0].encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4))


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


def columns(rows: Iterable[Iterable[str]]) -> list[str]:
    """A line for each row of a table, its columns aligned, its cells `printable`."""
    shown = [[printable(cell) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*shown, strict=True)]
    return ["  ".join(map(str.ljust, row, widths)).rstrip() for row in shown]


_HISTORY = re.compile(r"^(\(.*?\) )?\$\d+ = ")


def without_number(printed: str) -> str:
    """A printed value without its number (GDB manual, "Value History"; lldb puts the type in
    front), which counts what was printed before in the same debugger."""
    return _HISTORY.sub(r"\1", printed)


REFERENCED = (
    "\u6307\u4ee4\u5f15\u7528",
    "\u043e\u0431\u0440\u0430\u0442\u0438\u043b\u0430\u0441\u044c", "verweist auf", "emploie l",
    "hace referencia", "fez refer",
)  # fmt: skip
"""What stands behind the instruction's address in the words of STATUS_ACCESS_VIOLATION, in Chinese,
Russian, German, French, Spanish and Portuguese."""
ARM_FAULT = (
    r"(?:(?:(?:section|page|level \d) (?:translation|domain|permission|access flag|address size)|"
    r"page|ttbr address size|alignment|synchronous tag check|I-cache maintenance|implementation|"
    r"Unsupported atomic hardware update) fault|(?:vector|alignment|terminal) exception|"
    r"(?:(?:a?synchronous|imprecise) )?(?:external|TLB conflict|lock) abort(?: on [a-z-]{8,13})?|"
    r"(?:dcache|a?synchronous|imprecise) parity (?:or ECC )?error|synchronous abort|level \d|"
    r"debug event|unknown \d{1,2})(?: \([a-z ]{8,40}\))?"
)
"""What Linux calls a program's fault (arch/arm, mm/fsr-*level.c; arch/arm64, mm/fault.c)."""
POWERPC_FAULT = (
    r"(?:(?:bus error|floating point exception|illegal instruction|segfault|unhandled trap|"
    r"unknown signal) \(|unhandled signal )"
)
"""In front of the signal's number (arch/powerpc, kernel/traps.c, signame; before 4.19)."""
