"""A listing without what the preprocessor takes away: comments and macros that began before it,
directives and the branches that they leave out, attributes."""

import re

from workbench.claims.source.lexed import LEXERS, blanked, tokens_of
from workbench.claims.source.text import CPP, GO, RUST, C

_CONDITIONAL = re.compile(r"^[ \t]*#[ \t]*(?:if|el|endif)", re.MULTILINE)
"""Without such a line the grammars know what to do with directives."""
_ATTRIBUTES = frozenset(("__attribute__", "__declspec", "__attribute"))


def without_comment_tail(text: str, language: str) -> str:
    """Text without the end of a comment that began before it; "" where it may be all comment."""
    lines = [line.strip() for line in text.split("\n") if line.strip()]
    if lines and all(line.startswith("*") for line in lines):
        return ""
    end, begin = text.find("*/"), text.find("/*")
    if end < 0 or 0 <= begin < end:
        return text
    for found in LEXERS[language].finditer(text[: text.find("\n", end) + 1 or len(text)]):
        if found.lastgroup in ("comment", "text", "d") and found.start() < end < found.end():
            return text
    return blanked(text, 0, end + 2)


def without_macro_tail(text: str, language: str) -> str:
    """Text without the end of a macro's definition that began before it."""
    end = -1
    while language in (C, CPP) and text[end + 1 :].partition("\n")[0].endswith("\\"):
        end = text.find("\n", end + 1)
        if end < 0:
            return ""
    return blanked(text, 0, text.find("\n", end + 1)) if end >= 0 else text


def preprocessed(text: str, language: str) -> tuple[str, frozenset[int]]:
    """Text without directives and what they leave out, and the lines, from 0, of which it is not
    known whether they are compiled."""
    if language in (RUST, GO) or not _CONDITIONAL.search(text):
        return text, frozenset()
    tokens = tokens_of(text, language)
    directives = [token for token in tokens if token.kind == "line"]
    unsure: set[int] = set()
    branches: list[tuple[str, int]] = []  # what became of the open conditionals' branches, where
    out = text
    for index, token in enumerate(directives):
        out = blanked(out, token.start, token.end)
        name, _, rest = token.text[1:].strip().partition(" ")
        name, rest = re.sub(r"\W.*", "", name, flags=re.DOTALL), rest.split("//")[0].strip()
        if name in ("if", "ifdef", "ifndef"):
            following = directives[index + 1].text.split() if index + 1 < len(directives) else []
            branches.append((_taken(name, rest, following, language), token.end))
        elif name in ("else", "elif", "elifdef", "elifndef", "endif"):
            state, begin = branches.pop() if branches else ("unsure", 0)
            if state in ("dead", "done"):
                out = blanked(out, begin, token.start)
            elif state == "unsure":
                first = text.count("\n", 0, begin)
                unsure.update(range(first, text.count("\n", 0, token.start) + 1))
            if name != "endif":
                then = {"dead": "live" if name == "else" else "unsure"}.get(state, "done")
                branches.append((then, token.end))
    for state, begin in branches:  # ends below the listing
        if state in ("dead", "done"):
            out = blanked(out, begin, len(out))
        elif state == "unsure":
            unsure.update(range(text.count("\n", 0, begin), text.count("\n") + 1))
    return out, frozenset(unsure)


def _taken(name: str, condition: str, following: list[str], language: str) -> str:
    """live, dead or unsure: zero and one are known, the guard of a header, and the language."""
    if name == "if":
        return {"0": "dead", "1": "live", "false": "dead", "true": "live"}.get(condition, "unsure")
    if condition == "__cplusplus":
        return "live" if (language == CPP) == (name == "ifdef") else "dead"
    guards = name == "ifndef" and following[:2] == ["#define", condition]
    return "live" if guards else "unsure"


def without_attributes(text: str, language: str) -> str:
    """Text without what compilers add to declarations, which the grammars know in few places."""
    if not any(word in text for word in _ATTRIBUTES):
        return text
    tokens = tokens_of(text, language)
    for index, token in enumerate(tokens):
        if token.text in _ATTRIBUTES:
            depth, end = 0, token.end
            for after in tokens[index + 1 :]:
                depth += (after.text == "(") - (after.text == ")")
                if depth <= 0:
                    end = after.end if after.text == ")" else end
                    break
            text = blanked(text, token.start, end)
    return text
