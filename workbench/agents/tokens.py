"""What a claim states that can be looked up: numbers, addresses, symbols, quoted strings."""

import re
from enum import StrEnum

from msgspec import Struct

from workbench.agents.number_words import in_digits
from workbench.model.citation import Citation, parse_citations


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
    r"|(?<![0-9A-Za-z_])'([^'\n]*[^'\s])'(?![0-9A-Za-z_])",
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


def inline_citations(text: str) -> list[Citation]:
    """The citations that a claim carries in its prose, those inside code and quotes left out."""
    return parse_citations(_split(text)[1])


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
            return _hexadecimal(text, start)
        case "number" | "grouped":
            return _decimal(text, start)
        case "register":
            return Token(Kind.SYMBOL, text[1:], start)
        case "name":
            return _name(text, start)
        case "word":
            return _word(text, start)
        case _:
            return Token(Kind.WORD, text, start)


def _hexadecimal(text: str, start: int) -> Token:
    if len(text) > 40:
        return Token(Kind.WORD, text, start)
    return Token(Kind.NUMBER, text, start, int(text, 16))


def _decimal(text: str, start: int) -> Token:
    digits = text.replace(",", "").replace("\u2212", "-")
    if len(digits) > 40 or not digits.lstrip("-").isascii():
        return Token(Kind.WORD, text, start)
    return Token(Kind.NUMBER, text, start, int(digits))


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
        return _hexadecimal(text, start)
    return Token(Kind.WORD, text, start)
