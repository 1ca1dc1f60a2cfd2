"""Data inside a prompt: fenced, so that it cannot pass for the prompt's own words."""

import re
from typing import Any

from workbench.model.text import printable

_FENCE = re.compile("`{3,}")
_LINE = 400  # characters of a value within a sentence


class Fenced(str):
    """A text that stands in its fence already."""

    __slots__ = ()


def as_data(text: object, label: str = "data") -> Fenced:
    """A text of any source in a fence that nothing in it can close.

    CommonMark ends a block at a fence at least as long as the one that opened it: this one is
    longer than any run of backticks inside.
    """
    body = printable(str(text), keep="\n\t").rstrip("\n")
    longest = max((len(run) for run in _FENCE.findall(body)), default=3)
    fence = "`" * (longest + 1)
    name = " ".join(printable(label).replace("`", "'").split())
    return Fenced(f"{fence}data {name}\n{body}\n{fence}")


def as_value(value: Any) -> Any:
    """What Jinja writes for a value: a text of several lines in a fence, one line as it is with
    its length bounded, a number as it is."""
    if isinstance(value, Fenced) or not isinstance(value, str):
        return value
    if "\n" in value.strip():
        return as_data(value)
    line = _FENCE.sub(lambda run: "'" * len(run[0]), printable(value.strip()))
    return line if len(line) <= _LINE else f"{line[:_LINE]}…"
