"""The words, texts and marks of a listing, whatever its language, parsed or not."""

import re
from typing import NamedTuple

from workbench.claims.source.text import C_SHARP, CPP, GO, RUST, C

STRINGS = {
    C: r'"(?:[^"\\\n]|\\.)*"',
    CPP: r'R"(?P<d>[^()\s\\]{0,16})\(.*?\)(?P=d)"|"(?:[^"\\\n]|\\.)*"',
    RUST: r'r(?P<d>#*)".*?"(?P=d)|"(?:[^"\\]|\\.)*"',
    GO: r'`[^`]*`|"(?:[^"\\\n]|\\.)*"',
    C_SHARP: r'"""+.*?"""|\$?@\$?"(?:[^"]|"")*"|"(?:[^"\\\n]|\\.)*"',
}
LEXERS = {
    language: re.compile(
        r"(?P<comment>//[^\n]*|/\*.*?(?:\*/|\Z))"
        + (r"|(?m:^)[ \t]*(?P<line>\#(?:[^\n\\]|\\\n|\\.)*)" if "c" in language else "")
        + rf"|(?P<text>{strings}|'(?:\\[^\n']+|\\'|[^'\\\n])')"
        + r"|(?P<word>\w+)|(?P<mark>[{}()\[\];,]|=>|<-|\+\+|--)|(?P<other>[^\s\w])",
        re.DOTALL,
    )
    for language, strings in STRINGS.items()
}


class Token(NamedTuple):
    """``kind``: word, text, mark or other; what stands in parentheses has their depth."""

    kind: str
    text: str
    start: int
    end: int


def tokens_of(text: str, language: str) -> list[Token]:
    """The tokens without comments; a directive of the preprocessor is one of kind ``line``."""
    return [
        Token(str(kind), found[0] if kind != "line" else found["line"], *found.span())
        for found in LEXERS[language].finditer(text)
        if (kind := found.lastgroup if found.lastgroup != "d" else "text") != "comment"
    ]


def blanked(text: str, start: int, end: int) -> str:
    """Text without what stands between; lines stay lines."""
    return text[:start] + re.sub(r"[^\n]", " ", text[start:end]) + text[end:]
