"""How much memory a process is said to have used, against what a core of it holds."""

import re
from collections.abc import Iterator

from workbench.agents.chat.asked import read
from workbench.agents.chat.talk import Talk, Told
from workbench.model.facts import CoreHealth, Memory
from workbench.model.target import TargetKind

_MEMORY = re.compile(
    r"(?i)\b(?:memory|ram|rss|resident|footprint|process(?: size)?|working set|it used|used up)\b"
)
_ELSE = re.compile(r"\b(?:heap|stack|file|chunk|buffer|object|leak\w*|dump|core|block)\b", re.I)
_MORE = 1.1


def told(clause: str, talk: Talk) -> Iterator[Told]:
    """See `presumed`. A core holds the private memory that was in use; all that was mapped is the
    most that can have been."""
    amounts = [one for one in read(clause).amounts if one.family == "bytes"]
    health, memory = talk.state.facts.last(CoreHealth), talk.state.facts.last(Memory)
    core = talk.state.target is not None and talk.state.target.kind is TargetKind.ELF_CORE
    if not amounts or not core or health is None or memory is None:
        return
    if not _MEMORY.search(clause) or _ELSE.search(clause):
        return
    held = health.dumped_bytes + health.missing_bytes
    mapped = sum(region.end - region.start for region in memory.regions)
    said = amounts[0]
    too_much = said.base > _MORE * max(held, mapped) and said.relation != "<="
    too_little = said.base * _MORE < held and said.relation != ">="
    if too_much or too_little:
        yield from talk.line_with(("memory:",), health.cite, False)
