"""What prose names that can be looked up (numbers, addresses, symbols, quoted strings), and whether
it stands in a text: as it is, or in the other base. It decides no truth; it marks names."""

import re
from enum import StrEnum

from msgspec import Struct

from workbench.agents.chat.words import in_digits


class Kind(StrEnum):
    """What a token is, which decides how it is looked up."""

    NUMBER = "number"  # decimal or 0x…
    WORD = "word"  # a word that holds a digit: x86, r8, 2.36
    PLACE = "place"  # file.c or file.c:42
    SYMBOL = "symbol"  # `in backticks`, a_b, A::b, f()
    QUOTE = "quote"  # "…"


class Token(Struct, frozen=True):
    """One thing to look up; ``value`` is a number's, ``start`` its place in the claim's text."""

    kind: Kind
    text: str
    start: int
    value: int | None = None

    @property
    def shown(self) -> str:
        """The token as a sentence names it."""
        return f'"{self.text}"' if self.kind is Kind.QUOTE else self.text


_QUOTED = re.compile(
    r"``([^`\n]+)``"
    r"|`([^`\n]*)`"
    r'|"([^"]*)"'
    r"|“([^”]*)”"
    r"|«([^»]*)»"
    r"|»([^«]*)«"
    r"|„([^“”]*)[“”]"
    r"|\u2018([^\u2019\n]*)\u2019"
    r"|(?<![0-9A-Za-z_])'([^'\n]*[^'\s])'(?![0-9A-Za-z_])"
)
_CITATION = re.compile(r"\bE[1-9][0-9]*(?::[1-9][0-9]*(?:-[1-9][0-9]*)?)?\b")
_NUMERIC = re.compile(r"[\s0-9a-fA-FxX+=,()\u2212-]+")

_FILE_ENDINGS = (
    r"(?:c|cc|cpp|cxx|h|hh|hpp|hxx|inc|S|rs|go|py|cs|m|mm|cu|java|kt|swift|rb|php|p[lm]|f\d\d|zig|jl|"
    r"exs?|erl|so(?:\.\d+)*)"
)
_PLAIN = re.compile(
    r"(?P<place>[\w./+~-]{0,200}\w\." + _FILE_ENDINGS + r"(?::\d+)?(?![\w(]))"
    r"|(?P<time>(?<![\w:.])\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d{1,9})?)?(?![\w:]))"
    r"|(?P<hex>(?<![\w])-?0[xX][0-9a-fA-F]+(?![\w]))"
    r"|(?P<grouped>(?<![\w.,])\d{1,3}(?:,\d{3})+(?![\w]))"
    r"|(?P<dotted>(?<![\w.])\d+(?:\.\d+)+(?![\w]))"
    r"|(?P<number>(?<![\w)])[-\u2212]?(?<![\w.])\d+(?![\w]))"
    r"|(?P<register>[$%][A-Za-z]\w*)"
    r"|(?P<name>~?[A-Za-z_]\w*(?:(?:::|->|\.)~?[A-Za-z_]\w*)*(?:\(\))?)"
    r"|(?P<word>\w*\d\w*)"
)
_LIBRARY = re.compile(
    r"mem(?:cpy|move|set|cmp|chr|align)|str(?:n?(?:cpy|cat|cmp|len|dup)|r?chr|str|tok)|wcs[a-z]+|"
    r"v?[sf]?n?printf|v?[sf]?scanf|[mc]alloc|realloc|munmap|mmap|longjmp|setjmp|f?gets"
)
"""Functions of the C library whose names are no words of a language."""
_WIDTH = re.compile(r"(?<![\w.])(?:8|16|32|64|128)(?=(?:-|\s)bits?\b)")
"""How wide a machine's numbers are: a word for a kind, no quantity that was measured."""
_SIGNAL = re.compile(r"SIG[A-Z][A-Z0-9]+")
_SUFFIXED = re.compile(r"(\d+)(?:st|nd|rd|th|ms|us|ns|s|x|k|K|M|G|KB|MB|GB|KiB|MiB|GiB|B)")
_HEX_ONLY = re.compile(r"(?=.*\d)[0-9a-fA-F]{4,}")


def extract(text: str) -> list[Token]:
    """Every token of a claim, in order. Citations are none; all other numbers are.

    A symbol is a word in backticks, or one with ``_``, ``::``, ``->`` or ``()``, or the name of a
    signal. Backticks around numbers and sums only set them off. Never raises.
    """
    tokens, plain = _split(text)
    plain = _WIDTH.sub(lambda match: " " * len(match[0]), in_digits(plain))
    for match in _PLAIN.finditer(_CITATION.sub(lambda m: " " * len(m[0]), plain)):
        token = _plain(match)
        if token is not None:
            tokens.append(token)
    tokens += [
        Token(Kind.WORD, match[0], match.start())
        for match in re.finditer(r"[²³¹¼-¾⁰-₉⅐-↉①-⓿]+", plain)
    ]
    return sorted(tokens, key=lambda token: token.start)


def _split(text: str) -> tuple[list[Token], str]:
    """The quoted tokens, and the prose with blanks in their place."""
    tokens: list[Token] = []
    rest = list(text)
    for match in _QUOTED.finditer(text):
        content = next((group for group in match.groups() if group is not None), "")
        is_code = match[1] is not None or match[2] is not None
        if is_code and _NUMERIC.fullmatch(content) and re.search(r"\d", content):
            continue
        if not is_code and _CITATION.fullmatch(content.strip()):
            continue
        rest[match.start() : match.end()] = " " * (match.end() - match.start())
        if content.strip():
            tokens.append(_quoted(content.strip(), match.start(), is_code=is_code))
    return tokens, "".join(rest)


def _quoted(content: str, start: int, *, is_code: bool) -> Token:
    if not is_code:
        return Token(Kind.QUOTE, content, start)
    match = _PLAIN.fullmatch(content)
    if match is not None and match.lastgroup in ("place", "hex", "number", "grouped"):
        token = _plain(match)
        if token is not None:
            return Token(token.kind, token.text, start, token.value)
    if match is not None and match.lastgroup == "register":
        return Token(Kind.SYMBOL, content[1:], start)
    return Token(Kind.SYMBOL, content, start)


def _plain(match: re.Match[str]) -> Token | None:
    text, start = match[0], match.start()
    match match.lastgroup:
        case "place":
            return Token(Kind.PLACE, text, start)
        case "hex":
            return _number(text, start, 16)
        case "number" | "grouped":
            return _number(text, start, 10)
        case "register":
            return Token(Kind.SYMBOL, text[1:], start)
        case "name":
            return _name(text, start)
        case "word":
            return _word(text, start)
        case _:
            return Token(Kind.WORD, text, start)


def _number(text: str, start: int, base: int) -> Token:
    digits = text.replace(",", "").replace("\u2212", "-")
    if len(digits) > 40 or not digits.lstrip("-").isascii():
        return Token(Kind.WORD, text, start)
    return Token(Kind.NUMBER, text, start, int(digits, base))


def _name(text: str, start: int) -> Token | None:
    is_symbol = any(mark in text for mark in ("_", "::", "->", "()"))
    if is_symbol or _SIGNAL.fullmatch(text) or _LIBRARY.fullmatch(text):
        return Token(Kind.SYMBOL, text, start)
    if any(char.isdigit() for char in text):
        return _word(text, start)
    return None


def _word(text: str, start: int) -> Token:
    suffixed = _SUFFIXED.fullmatch(text)
    if suffixed is not None and len(suffixed[1]) <= 40 and suffixed[1].isascii():
        return Token(Kind.NUMBER, suffixed[1], start, int(suffixed[1]))
    if _HEX_ONLY.fullmatch(text):
        return _number(text, start, 16)
    return Token(Kind.WORD, text, start)


LONG_QUOTE = 40
"""Characters from which on a quotation need not end where a word ends."""


def stands_in(token: Token, text: str) -> bool:
    """True when a token stands in a text: whole words only, spaces of any width alike."""
    match token.kind:
        case Kind.NUMBER:
            return token.value is not None and _number_stands(token.value, text)
        case Kind.PLACE:
            return _words_stand(token.text, text) or _place_stands(token.text, text)
        case Kind.SYMBOL:
            forms = {token.text, token.text.removesuffix("()") or token.text}
            return any(_words_stand(form, text) for form in forms) or _member_stands(
                token.text, text
            )
        case Kind.WORD | Kind.QUOTE:
            return _words_stand(token.text, text)


_MEMBER = re.compile(r"[*&]?[A-Za-z_]\w*(?:(?:->|\.)[A-Za-z_]\w*|\[\w{1,20}\])+")
_PART = re.compile(r"[A-Za-z_]\w*")


def _member_stands(path: str, text: str) -> bool:
    """A debugger prints a member as ``name = value`` within its variable: ``queue->head`` stands
    where each of its names does."""
    if not _MEMBER.fullmatch(path):
        return False
    return all(_words_stand(part, text) for part in _PART.findall(path))


_HEX_WORD = r"(?<![0-9A-Za-z_])(?<![0-9]\.)"
_UNIT = r"(?:(?:[munμµ]?s|[kKMGT]?i?B|%)(?![\w]))?"
"""What a log writes right behind an amount: ``30000ms``."""
_HEX_END = r"(?![0-9A-Za-z_]|\.[0-9])"


def _number_stands(value: int, text: str) -> bool:
    """A value in either base. A word without ``0x`` counts as hexadecimal only if it is long
    enough to be an address, so that ``0x10`` does not stand in "10 threads"."""
    size = abs(value)
    sign = r"(?<=-)" if value < 0 else ""
    digits = f"{size:x}"
    bare = rf"|0*{digits}" if _reads_as_hex(digits) else rf"|(?=[0-9a-f]{{8}})0+{digits}"
    # dotnet-dump and valgrind group the digits of large numbers.
    grouped = rf"|{size:,}" if size >= 1000 else ""
    pattern = rf"{_HEX_WORD}{sign}(?:0x0*{digits}|0*{size}{_UNIT}{bare}{grouped}){_HEX_END}"
    if re.search(pattern, text, re.IGNORECASE) or _is_windows_id(digits, text):
        return True
    if value >= 0:
        return False
    return any(_number_stands(value % (1 << bits), text) for bits in (64, 32) if size < 1 << bits)


def _is_windows_id(digits: str, text: str) -> bool:
    """True where WinDbg names a process or thread by this number, always in hexadecimal:
    ``(14a8.c04):``, ``Id: 14a8.c04``, ``OwningThread  88``, or an RPC cell's ``0278 0000.0001``."""
    ids = rf"(?:\(|\bid: |Last event: )(?:[0-9a-f]{{1,8}}\.)?0*{digits}(?=[.):\s])"
    cell = rf"^\s*0*{digits} [0-9a-f]{{4}}\.[0-9a-f]{{4}} "
    pattern = rf"{ids}|OwningThread\s*=?\s+0*{digits}\b|{cell}"
    return bool(re.search(pattern, text, re.IGNORECASE | re.MULTILINE))


def _reads_as_hex(digits: str) -> bool:
    if len(digits) >= 8 or (len(digits) >= 5 and digits.isdecimal() is False):
        return True
    return len(digits) == 4 and not digits.isdecimal() and not digits.isalpha()


def _words_stand(words: str, text: str) -> bool:
    parts = words.split()
    if not parts:
        return True
    body = r"[^\S\n]+".join(re.escape(part) for part in parts)
    before = r"(?<![0-9A-Za-z_])" if _is_word(parts[0][0]) else ""
    # A long quotation may be cut anywhere; a short one or a name may not.
    ends = _is_word(parts[-1][-1]) and len(words) < LONG_QUOTE
    after = r"(?![0-9A-Za-z_])" if ends else ""
    return re.search(before + body + after, text) is not None


def _is_word(char: str) -> bool:
    return char.isalnum() or char == "_"


def _place_stands(place: str, text: str) -> bool:
    """``ring.c:42`` also stands where gdb writes ``Line 42 of "ring.c"``, .NET ``ring.c:line 42``
    and WinDbg ``[d:\\src\\ring.c @ 42]``, ``ring.c(42)`` or a line for each."""
    file, _, number = place.rpartition(":")
    if not file:
        return False
    name, line = rf"(?<![0-9A-Za-z_.]){re.escape(file)}", rf"line:?\s+{re.escape(number)}(?![0-9])"
    pattern = (
        rf"{line}\s+of\s+(?:file\s+)?[\"']?(?:[^\"'\n]*/)?{name}|"
        rf"{name}[\"']?(?:,?\s+(?:on\s+)?|:){line}"
    )
    if re.search(pattern, text, re.IGNORECASE):
        return True
    windows = rf"{name} @ {re.escape(number)}(?![0-9])|{name}\({re.escape(number)}\)"
    if re.search(windows, text, re.IGNORECASE):
        return True
    said = rf"^FAULTING_SOURCE_LINE_NUMBER:\s+{re.escape(number)}$"
    return bool(re.search(said, text, re.MULTILINE) and re.search(name, text, re.IGNORECASE))
