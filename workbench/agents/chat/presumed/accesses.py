"""A pointer that is said to be null, and an access that is said to read, write or execute."""

import re
from collections.abc import Iterator

from analyzers.patterns.case import NEAR_NULL
from workbench.agents.chat.talk import Talk, Told
from workbench.model.facts import ExceptionRecord, Fault, Finding, Locals

_NULL = re.compile(
    r"(?i)\b(?:null|nullptr|nil)\b(?![\s-]*(?:terminat|byte|char|check|device|reference exception))"
)
_POINTER = re.compile(r"\b(?:pointer|ptr|it|that|this|address|null|nullptr)\b", re.IGNORECASE)
_CALL = re.compile(r"\bfunction\b", re.IGNORECASE)
_ACCESS = re.compile(
    r"(?i)\b(?:an?|the|bad|invalid|illegal|wild|was|is|by|while|when)\s+"
    r"(?:(?:bad|invalid|illegal|wild|simple|8-byte|4-byte)\s+)?"
    r"(?P<read>read(?:ing)?|load(?:ing)?)\b(?!\s+lock)|"
    r"\b(?:an?|the|bad|invalid|illegal|wild|was|is|by|while|when)\s+"
    r"(?:(?:bad|invalid|illegal|wild|simple)\s+)?(?P<write>writ(?:e|ing)|store|storing)\b(?!\s+lock)"
)


def told(clause: str, talk: Talk) -> Iterator[Told]:
    """See `presumed`."""
    if _NULL.search(clause):
        yield from _null(clause, talk)
    said = _ACCESS.search(clause)
    if said is not None:
        yield from _accessed("read" if said["read"] else "write", talk)


def _null(clause: str, talk: Talk) -> Iterator[Told]:
    if re.search(r"\w(?:->|\[|\.[A-Za-z_])", clause):
        return  # of a member: `valued`
    named = [word for word in re.findall(r"[A-Za-z_]\w*", clause) if len(word) > 1]
    for shown in talk.state.facts.all(Locals):
        for variable in shown.variables:
            value = _pointer(variable.value)
            if variable.name in named and value is not None:
                yield from talk.line(shown.cite.evidence, variable.line, value < NEAR_NULL)
                return
    if not _POINTER.search(clause):
        return
    for fault in talk.state.facts.all(Fault)[:1]:
        at = fault.base_value if fault.base_value is not None else fault.operand
        if at is not None and not _CALL.search(clause):
            words = ("base register", "operand", "access")
            yield from talk.line_with(words, fault.cite, at < NEAR_NULL)
        return
    for finding in talk.state.facts.all(Finding)[:1]:
        if finding.address is not None:
            null = finding.address < NEAR_NULL
            yield from talk.line(finding.cite.evidence, finding.line, null)


def _pointer(text: str) -> int | None:
    """The address that a debugger printed as a variable's value; None for what is none."""
    match = re.search(r"\b0x([0-9a-fA-F]{1,16})\b", text[:200])
    return int(match[1], 16) if match is not None else None


def _accessed(said: str, talk: Talk) -> Iterator[Told]:
    for finding in talk.state.facts.all(Finding)[:1]:
        if finding.access in ("read", "write", "execute"):
            number = finding.access_line or finding.line
            yield from talk.line(finding.cite.evidence, number, finding.access == said)
            return
    for fault in talk.state.facts.all(Fault)[:1]:
        if fault.access in ("read", "write", "execute"):
            yield from talk.line_with(("access", "operand"), fault.cite, fault.access == said)
            return
    for record in talk.state.facts.all(ExceptionRecord)[:1]:
        if record.access is not None:
            words = ("exception access", "access")
            yield from talk.line_with(words, record.cite, record.access == said)
