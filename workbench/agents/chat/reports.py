"""What a sanitizer's report tells of the stacks that it kept: who freed, who allocated."""

import re
from collections.abc import Iterator

from workbench.agents.chat.talk import Talk
from workbench.model.claims import Claim
from workbench.model.facts import Finding

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


def of_the_reports(talk: Talk) -> Iterator[Claim]:
    """The lines of the stacks that a question is about, each as it stands."""
    wanted = {role for word in talk.asked.words for role in _ROLES.get(word, ())}
    sized = bool(talk.asked.words & _SIZE) or "how big" in talk.asked.text.lower()
    for finding in talk.state.facts.all(Finding)[:2]:
        if sized:
            yield from _sizes(finding, talk)
        for role in finding.stacks:
            if role.role not in wanted or (sized and not talk.asked.words & {"who", "where"}):
                continue
            lead = _LEADS.get(role.role, "The report")
            numbers = [role.line, *(frame.line_no for frame in role.frames[:_FRAMES])]
            for number in dict.fromkeys(n for n in numbers if n):
                yield from talk.quote(lead, finding.cite.evidence, number)


def _sizes(finding: Finding, talk: Talk) -> Iterator[Claim]:
    numbers = [note.line for note in finding.notes if _REGION.search(note.text)]
    numbers += [finding.access_line] if finding.access_line else []
    for number in dict.fromkeys(numbers):
        yield from talk.quote("The report", finding.cite.evidence, number)
