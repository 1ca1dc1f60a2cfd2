"""Data inside a prompt: fenced, so that it cannot pass for the prompt's own words, and labelled
with what it holds, so that it can be left out."""

import re
from collections.abc import Iterable
from typing import Any

from workbench.model.models import Content
from workbench.model.text import printable

_TICKS = re.compile("`{3,}")
_BLOCK = re.compile(
    r"^(?P<fence>`{4,})data (?P<label>[^\n\[\]]*?)(?: \[(?P<kinds>[a-z ]+)\])?\n"
    r"(?P<body>.*?)\n?^(?P=fence)$",
    re.MULTILINE | re.DOTALL,
)
_QUOTED = re.compile(r'"(?:[^"\\\n]|\\.)*"')
_LINE = 400  # characters of a value within a sentence


class Fenced(str):
    """A text that stands in its fence already."""

    __slots__ = ()


def as_data(text: object, label: str = "data", contents: str | Iterable[Content] = ()) -> Fenced:
    """A text of any source in a fence that nothing in it can close.

    CommonMark ends a block at a fence at least as long as the one that opened it: this one is
    longer than any run of backticks inside. ``contents`` are the kinds that it holds, in a template
    as words (``"stacks strings"``).
    """
    body = printable(str(text), keep="\n\t").rstrip("\n")
    longest = max((len(run) for run in _TICKS.findall(body)), default=3)
    fence = "`" * (longest + 1)
    name = " ".join(printable(label).split()).translate(str.maketrans("`[]", "'()"))
    words = contents.split() if isinstance(contents, str) else contents
    kinds = " ".join(sorted(Content(word).value for word in words))
    return Fenced(f"{fence}data {name}{f' [{kinds}]' if kinds else ''}\n{body}\n{fence}")


def as_value(value: Any) -> Any:
    """What Jinja writes for a value: a text of several lines in a fence, one line as it is with
    its length bounded, a number as it is."""
    if isinstance(value, Fenced) or not isinstance(value, str):
        return value
    if "\n" in value.strip():
        return as_data(value)
    line = _TICKS.sub(lambda run: "'" * len(run[0]), printable(value.strip()))
    return line if len(line) <= _LINE else f"{line[:_LINE]}…"


def kinds_in(text: str) -> frozenset[Content]:
    """The kinds that the fences of a text say they hold."""
    return frozenset(
        Content(word)
        for block in _BLOCK.finditer(text)
        for word in (block["kinds"] or "").split()
        if word in set(Content)
    )


def is_data(text: str) -> bool:
    """True when a text is one fence and nothing else."""
    return bool(_BLOCK.fullmatch(text.strip()))


def without(text: str, left_out: frozenset[Content]) -> str:
    """A text whose fences hold nothing of these kinds. Of strings, what stands in quotes goes and
    the rest of the block stays: a stack without its strings is a stack."""
    if not left_out:
        return text

    def kept(block: re.Match[str]) -> str:
        kinds = {Content(word) for word in (block["kinds"] or "").split() if word in set(Content)}
        gone = (kinds & left_out) - {Content.STRINGS}
        body = block["body"]
        if gone:
            body = f"({', '.join(sorted(gone))}: left out, the user keeps it on the machine)"
        elif Content.STRINGS in left_out:
            body = _QUOTED.sub('"…"', body)
        tail = f" [{block['kinds']}]" if block["kinds"] else ""
        fence = block["fence"]
        return f"{fence}data {block['label']}{tail}\n{body}\n{fence}"

    return _BLOCK.sub(kept, text)
