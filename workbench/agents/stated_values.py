"""A value that a sentence gives to something by name must stand beside that name: both may stand in
what it cites, a line apart, and have nothing to do with each other."""

import re
from collections.abc import Iterable, Iterator
from itertools import pairwise

from workbench.agents.grounding import stands_in
from workbench.agents.operations import is_source
from workbench.agents.tokens import Kind, extract

_NAME = r"`(?P<name>[*&]?[A-Za-z_$%][^`\n(){}]*)`"
_DIGITS = r"-?(?:0x[0-9a-fA-F]+|\d+)"
_VALUE = (
    rf"(?:`(?P<code>{_DIGITS})`|(?P<number>{_DIGITS})(?!\w|\.\d|-bit)"
    r"|(?P<quote>\"[^\"]+\")|(?P<null>null|NULL)\b)"
)
_STATED = re.compile(
    rf"{_NAME}\s+(?:(?:still|now|then|only)\s+)?"
    rf"(?:is|was|are|were|holds|held|contains|contained|has|had|equals|=)\s+"
    r"(?:(?:still|now|only|set|to|the|number|value|a|an|address|pointer|length|size|count|of|at)"
    r"\s+){0,4}"
    rf"{_VALUE}",
)
_QUOTED = re.compile(r"`[^`]*`|\"[^\"]*\"|“[^”]*”")
_CLAUSE = re.compile(
    r"[,;.](?=\s|$)|\b(?:and|as|because|before|but|instead|of|so|than|that|then|to|when|where|which|"
    r"while|without)\b"
)
_ADDRESS = 1 << 16
_LAST = re.compile(r"[A-Za-z_$%]\w*")
_PRINT = re.compile(
    r"\s*(?:print|inspect|p|output|expr|expression|dx|\?\?)(?:/\w+)?\s+(?P<what>\S.*)"
)


def unpaired(text: str, lines: Iterable[str]) -> str | None:
    """The first name and value of a sentence that stand together in no line, in words; None when
    there is none. ``lines`` are those that it cites, with what a command printed behind the command
    (`paired`)."""
    lines = list(lines)
    for match in _STATED.finditer(text):
        name = _LAST.findall(re.sub(r"\[[^\]]*\]", "", match["name"]))[-1].lstrip("$%")
        value = match["code"] or match["number"] or match["quote"] or "0x0"
        tokens = extract(value)
        whole = [token for token in extract(match["name"]) if token.kind is not Kind.NUMBER]
        beside = [
            line for line in lines
            if re.search(rf"(?<![0-9A-Za-z_]){re.escape(name)}(?![0-9A-Za-z_])", line)
            or any(stands_in(token, line) for token in whole)
        ]  # fmt: skip
        given = re.compile(rf"(?<![0-9A-Za-z_]){re.escape(name)} = (?P<is>[^,}}\n]*)")
        read = [line for line in beside if not is_source(line)]
        shown = [found["is"] for line in read for found in given.finditer(line)] or beside
        if not any(all(stands_in(token, line) for token in tokens) for line in shown):
            return f"no line that it cites gives {match['name']} the value {value}"
    return None


def apart(text: str, lines: Iterable[str]) -> str | None:
    """Two quotations, or an address and a quotation, of one clause that stand together in no line,
    in words; None when there are none."""
    lines = list(lines)
    quotes = [t for t in extract(text) if t.kind is Kind.QUOTE or (t.value or 0) >= _ADDRESS]
    hidden = _QUOTED.sub(lambda match: "x" * len(match[0]), text)
    ends = [match.start() for match in _CLAUSE.finditer(hidden)]
    for one, other in pairwise(quotes):
        if Kind.QUOTE not in (one.kind, other.kind):
            continue
        if any(one.start < end < other.start for end in ends):
            continue
        if not any(stands_in(one, line) and stands_in(other, line) for line in lines):
            return f"no line that it cites holds both {one.shown} and {other.shown}"
    return None


def paired(command: str, lines: Iterable[str]) -> Iterator[str]:
    """Lines of an answer, what was asked to be printed in front of each."""
    match = _PRINT.match(command)
    for line in lines:
        yield f"{match['what']} {line}" if match is not None else line
