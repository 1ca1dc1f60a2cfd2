"""What a sanitizer's report tells of the stacks that it kept: who freed, who allocated."""

import re
from collections.abc import Iterator

from workbench.agents.chat.asked import Asked
from workbench.agents.chat.presumed.told import LineOf
from workbench.agents.chat.quoting import quoting
from workbench.model.claims import Claim
from workbench.model.facts import Finding
from workbench.model.investigation import Investigation

_ROLES = {
    "free": frozenset({"free"}),
    "delete": frozenset({"free"}),
    "allocation": frozenset({"alloc", "leak"}),
    "allocate": frozenset({"alloc", "leak"}),
    "leak": frozenset({"leak"}),
    "create": frozenset({"create"}),
    "lock": frozenset({"lock"}),
}
_LEADS = {
    "free": "It was freed",
    "alloc": "It was allocated",
    "leak": "It was allocated",
    "create": "The thread was created",
    "lock": "The lock was taken",
}
_SIZE = frozenset({"big", "large", "size", "region", "offset", "far", "much"})
_REGION = re.compile(r"\bregion\b|\bblock of size\b|\bbytes? (?:inside|after|before|to the)\b")
_FRAMES = 4


def of_the_reports(asked: Asked, state: Investigation, line_of: LineOf) -> Iterator[Claim]:
    """The lines of the stacks that a question is about, each as it stands."""
    wanted = {role for word in asked.words for role in _ROLES.get(word, ())}
    sized = bool(asked.words & _SIZE) or "how big" in asked.text.lower()
    for finding in state.facts.all(Finding)[:2]:
        if sized:
            yield from _sizes(finding, line_of)
        for role in finding.stacks:
            if role.role not in wanted or (sized and not asked.words & {"who", "where"}):
                continue
            lead = _LEADS.get(role.role, "The report")
            numbers = [role.line, *(frame.line_no for frame in role.frames[:_FRAMES])]
            for number in dict.fromkeys(n for n in numbers if n):
                text = line_of(finding.cite.evidence, number)
                yield from quoting(lead, finding.cite.evidence, number, text)


def _sizes(finding: Finding, line_of: LineOf) -> Iterator[Claim]:
    numbers = [note.line for note in finding.notes if _REGION.search(note.text)]
    numbers += [finding.access_line] if finding.access_line else []
    for number in dict.fromkeys(numbers):
        text = line_of(finding.cite.evidence, number)
        yield from quoting("The report", finding.cite.evidence, number, text)
