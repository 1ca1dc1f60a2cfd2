"""Passwords, keys and tokens in a text: detect-secrets, and what it looks at line by line only.

Its plugins are asked for their patterns rather than through its scanner, which returns pieces of a
token and takes each word of a line for one of high entropy.
"""

import re
from collections.abc import Iterator
from functools import cache
from typing import Any

from workbench.llm.redaction.spans import Span

# A private key is its whole block; the plugin knows the first line only.
_PEM = re.compile(
    r"-----BEGIN [A-Z0-9 ]*PRIVATE KEY[^-]*-----.*?(?:-----END [^-\n]*-----|\Z)", re.S
)
_KEYWORD = (
    r"(?:pass(?:word|wd|phrase|code)?|pwd|pw(?![A-Za-z])|secret|token|api_?key|auth(?:_?key|orization)?"
    r"|credentials?|(?:private|access|client|account|service|encryption|signing|db|database)_?key"
    r"|connection_?string|cookie)"
)
# A mark of markup within a word is of the word, unless it begins a tag's end.
INNER = r"(?<=[^\s<>\"'`=:])<(?=[^\s<>/!\"'`])"
# `db_password = 0x4052a0 "…"`, `"apiKey": "…"`, `PASSWORD=…`, `Authorization: Bearer …`
_COLOUR = r"(?:(?:\x1b|\\x1b|\\e|\\u001b|\\033)\[[\d;]{0,16}[mK]){0,3}"
_ASSIGNED = re.compile(
    rf"(?i)(?:(?<![a-z])|(?<=[\d\[]m))(?P<called>{_KEYWORD})(?P<rest>_?\w{{0,20}})(?:\[\d*\])?[\"']?"
    rf"{_COLOUR}\s{{0,4}}(?::=|=>|:(?!:)|=)\s{{0,4}}{_COLOUR}"
    r"(?:\([^()\n]{1,60}\)\s{0,2})?(?:0x[0-9a-f]+\s{1,2})?"
    r"(?:(?:Bearer|Basic|Digest)\s{1,2}(?P<scheme>[^\s\"',;]{6,})"
    r"|@?\"(?P<double>(?:[^\"\\\n]|\\.){3,})|'(?P<single>(?:[^'\\\n]|\\.){3,})'|(?P<bare>(?:[^\s\"',;(){}\[\]<>]|"
    + INNER
    + r"){4,}))"
)
# What is told of a secret in a word of the program's: its kind and how far it came, not itself.
_TRAIT = re.compile(
    r"(?i)_?\w*(?:type|kind|state|status|mode|method|result|phase|stage|level|class|category|scheme"
    r"|event|step|error|flags?)"
)
_CONSTANT = re.compile(r"[A-Za-z_]+(?:(?:::|\.)[A-Za-z_]+){0,4}|[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*")
_UPPER = re.compile(r"[A-Z]+(?:_[A-Z]+\d{0,2}){0,5}")
_PARSING = re.compile(r"(?i)\b(?:(?:un)?expected|illegal|next|current|previous|lookahead)\s+\Z")
# What a line of source puts there is none: `password = NULL`, `= getenv("X")`, `= one->next`.
_CODE = re.compile(
    r"(?:NULL|null(?:ptr)?|nil|None|true|false)(?![^\s,;)}\]])"
    r"|(?<=[=(:] )[A-Za-z_]+(?:\([^()\n]{0,200}\)\s{0,2}[;,){]|->[A-Za-z_])"
)
# A string as a debugger prints it that does not know its type: std::string's members, a slice's.
_MEMBERS = re.compile(
    rf"(?i)(?<![a-z]){_KEYWORD}(?:_?\w{{0,20}})?\s{{0,4}}=\s{{0,4}}\{{[^\"]{{0,500}}?"
    r"(?:_M_p|_M_local_buf|__data_|_Buf|_Ptr|str|data_ptr)\s=\s(?:0x[0-9a-f]+\s)?"
    r"\"(?P<double>(?:[^\"\\\n]|\\.){3,})"
)
# `--token …`, `--token=…`: the word of a command line that follows one that is called a secret.
_OPTION = re.compile(
    rf"(?i)(?<![\w-])--?(?:[a-z]{{1,20}}[-_]){{0,3}}(?:{_KEYWORD}|api-key|access-key)"
    r"(?:=(?P<joined>[^\s\"'`<][^\s\"'`]{3,})|\s{1,2}(?P<value>[^\s\"'`,;-][^\s\"'`,;]{3,}))"
)
_BEARER = re.compile(r"(?i)\b(?:Bearer|Basic)\s{1,2}(?P<value>[A-Za-z0-9+/=._~-]{16,})")
# Shapes of keys that are younger than detect-secrets' list.
_SHAPES = re.compile(
    r"\b(?:sk-[A-Za-z0-9_-]{16,}|AIza[\w-]{30,}|ya29\.[\w-]{20,}|hf_[A-Za-z0-9]{20,}"
    r"|github_pat_\w{20,}|gh[pousr]_[A-Za-z0-9]{20,}|eyJ[\w-]{8,}\.eyJ[\w-]{8,}(?:\.[\w-]*)?)"
)
_QUOTED = re.compile(r"\"([A-Za-z0-9+/=_-]{20,})\"|'([A-Za-z0-9+/=_-]{20,})'")
_NUMBER = re.compile(r"(?i)[-+]?(?:0x[0-9a-f`]*|[0-9a-f]{8}`?[0-9a-f]{8}|\d[\d_,.]*)[uhlf%]*")
_SYMBOL = re.compile(r"_+Z|\?|[A-Za-z]+(?:_[A-Za-z]+)*\Z")
_HEX = re.compile(r"[0-9a-fA-F]+")
_SHORTEST_HEX = 32  # digits: 16 are an address, 40 a build id, which tells nobody a secret either
_LINE, _OVERLAP = 1500, 500  # characters


def secrets_in(text: str) -> Iterator[Span]:
    """Where passwords, keys and tokens stand. A number, an address and a mangled symbol are none,
    whatever stands before them."""
    for found in _PEM.finditer(text):
        yield Span(*found.span(), "secret")
    for pattern in (_ASSIGNED, _MEMBERS, _OPTION, _BEARER):
        for found in pattern.finditer(text):
            name = found.lastgroup or 0
            if name == "bare" and _CODE.match(text, found.start(name)):
                continue
            if pattern is _ASSIGNED and _is_constant(found, found[name]):
                continue
            if not _NUMBER.fullmatch(found[name]) or name in ("double", "single"):
                yield Span(*found.span(name), "secret")
    for start, piece in _pieces(text):
        for pattern in (_SHAPES, *_detectors().PATTERNS):
            for found in pattern.finditer(piece):
                if len(found[0]) >= 8 and not _NUMBER.fullmatch(found[0]):
                    yield Span(start + found.start(), start + found.end(), "secret")
    yield from _of_high_entropy(text)


def _is_constant(found: re.Match[str], value: str) -> bool:
    """True for a word of a program's own: `token_type = IDENT`, `unexpected token: SEMICOLON`."""
    if _TRAIT.fullmatch(found["rest"]):
        return _CONSTANT.fullmatch(value) is not None
    if found["called"] not in ("token", "Token", "auth", "Auth") or found["rest"]:
        return False
    if _UPPER.fullmatch(value):
        return True
    before = found.string[max(0, found.start() - 16) : found.start()]
    return _PARSING.search(before) is not None and value.isalpha()


def _pieces(text: str) -> Iterator[tuple[int, str]]:
    """The text, or where it has very long lines pieces of it that overlap by more than the longest
    token: some patterns of the plugins take the square of a line's length."""
    if all(len(line) <= _LINE for line in text.split("\n")):
        yield 0, text
        return
    for start in range(0, max(1, len(text)), _LINE - _OVERLAP):
        yield start, text[start : start + _LINE]


def _of_high_entropy(text: str) -> Iterator[Span]:
    """Quoted strings that look drawn by lot."""
    base64, hexadecimal = _detectors().ENTROPIES
    for found in _QUOTED.finditer(text):
        group = 1 if found[1] else 2
        value = found[group]
        if _HEX.fullmatch(value):
            drawn = len(value) >= _SHORTEST_HEX and _over(hexadecimal, value)
        else:
            drawn = not _SYMBOL.match(value) and _over(base64, value)
        if drawn:
            yield Span(*found.span(group), "secret")


def _over(plugin: Any, value: str) -> bool:
    return bool(plugin.calculate_shannon_entropy(value) > plugin.entropy_limit)


@cache
def _detectors() -> Any:
    from workbench.llm.redaction import detectors

    return detectors
