"""What one dump cannot tell: who did something, when, how often, how a value came to be.

A dump is the process at one moment. Memory keeps no record of who wrote or freed it, none of when,
and none of other runs. Such a question gets that for an answer, and what would tell.
"""

import re

from msgspec import Struct

from workbench.agents.chat.asked import Asked, read
from workbench.agents.chat.clauses import clauses
from workbench.model.facts import Finding, Signal, Stack, Wait
from workbench.model.investigation import Investigation

_DONE = (
    r"(?P<verb>freed|frees?|deleted?|deletes|released?|wrote|writes|overwrote|overwrites|"
    r"overwritten|corrupted?|corrupts|clobbered|trashed|stomped|scribbled|smashed|changed|"
    r"modified|set|cleared|reset|zeroed|nulled|destroyed|destructed|moved|unmapped|allocated|"
    r"allocates?|leaked|unlocked|touched)"
)
_WHO = re.compile(
    r"(?i)\b(?:who|whom|(?:which|what)(?:\s+(?:thread|function|code|line|part|component|module|"
    r"caller|call|method|path))?)"
    rf"(?:\s+(?:has|had|have|else|actually|first|last|could|might|may|was|it|that|is)){{0,2}}\s+{_DONE}\b"
)
_WHERE = re.compile(
    rf"(?i)\bwhere(?:\s+\w+){{0,3}}?\s+(?:was|is|were|been|get|got|gets)\s+(?:[\w>*.-]+\s+){{0,4}}?{_DONE}\b"
    rf"|\bby\s+whom\b[^.;?]*?\b{_DONE.replace('verb', 'by')}\b"
)
_SENT = re.compile(r"(?i)\bwho(?:\s+\w+)?\s+(?:sent|killed|signall?ed|aborted|terminated)\b")
_LONG = re.compile(
    r"(?i)^\W*(?:and\s+)?(?:for\s+)?how\s+long\s+(?:(?:has|have|had|did|does)\b|(?:was|were|is)\s+(?:it|"
    r"this|that|thread|the\s+(?:process|program|server|service|app\w*|thread|lock|call|request|hang|"
    r"wait|outage|system))\b)"
)
_WHEN = re.compile(
    r"(?i)^\W*(?:and\s+)?(?:when\s+(?:did|was|were|has|had|is|does|exactly)\b|since\s+when\b|"
    r"(?:at\s+)?what\s+(?:time|date|day|hour)\b|on\s+(?:what|which)\s+(?:day|date)\b|"
    r"how\s+long\s+(?:ago|before|after|until)\b)"
)
_OFTEN = re.compile(
    r"(?i)\bhow\s+(?:often|frequent(?:ly)?)\s+(?:(?:does|do|did|has|is|was|will|would)\s+)?(?:it|this|that|"
    r"the\s+\w+)?\s*(?:happen|occur|crash|fail|hang|die|panic|come|seen|be seen)"
    r"|\bhow\s+(?:likely|probable|rare|reproducible|frequent)\b"
    r"|\bhow\s+many\s+times\s+(?:did|does|has|had|will)\s+(?:it|this|that|the\s+\w+)\s+"
    r"(?:crash|happen|fail|occur|hang|die)"
    r"|\b(?:happen(?:s|ed)?|occurs?|occurred|seen|crash(?:es|ed)?|fail(?:s|ed)?)\b[^.;,]{0,24}\b"
    r"(?:before|again|every\s+time|always|each\s+time|first\s+time|other\s+(?:machines|users))\b"
    r"|\b(?:first|only)\s+time\b|\breproduc(?:e|ible|ed)\b|\bintermittent(?:ly)?\b|\bsporadic\w*\b"
)
_BECAME = re.compile(
    r"(?i)\b(?:why|how)\s+(?:did|has|had|does|is|was|could|can|come|are|were)\s+(?P<what>[^?;,.]{0,80}?)\s*"
    r"\b(?:becom(?:e|es|ing)|became|turn(?:ed)?\s+(?:in)?to|get\s+(?:to\s+be|set|changed|corrupt\w*|"
    r"overwritten|freed|null)|go(?:ne)?\s+(?:bad|wrong|null)|end\s+up|null|nil|zero|garbage|"
    r"corrupt(?:ed)?|overwritten|freed|stale|dangling|uninitiali[sz]ed|wrong|negative|empty)\b"
    r"|\bwhat\s+(?:made|turned|caused)\s+(?P<made>[^?;,]{1,60}?)\s+(?:to\s+be(?:come)?\s+|become\s+|"
    r"into\s+)?(?:null|zero|garbage|corrupt\w*|wrong|negative|empty|stale|freed)\b"
    r"|\bwhere\s+(?:did|does)\s+(?P<from>[^?;,.]{1,60}?)\s+come\s+from\b"
)
_EVENT = re.compile(
    r"(?i)\b(?:why|how)\s+(?:did|has|does|is|was)\s+(?:it|this|that|the\s+(?:program|process|app\w*|"
    r"server|service|thread))\s+(?:go\s+wrong|get\s+(?:stuck|killed)|end\s+up)\b"
)
_IF = re.compile(
    r"(?i)\bwhat\s+(?:would|will|happens|if)\b[^?]*\bif\b|\bwhat\s+if\b"
    r"|\b(?:would|will|could)\s+(?:it|this|that|the\s+\w+)\s+(?:still\s+)?(?:crash|happen|fail|hang|"
    r"help|recover|have|be)\b"
)

_FIRST = re.compile(
    r"(?i)\b(?:who|which|what)\b[^.;?]{0,40}?\b(?:lock(?:ed|s)?|acquired?|took|taken|grabbed|got)\b"
    r"[^.;?]{0,40}?\b(?:first|earlier|before\s+the\s+other)\b"
    r"|\bwhat\s+order\b[^.;?]{0,40}?\b(?:locks?|locked|mutex\w*|acquired|taken)\b"
)
_ENVIRONMENT = (
    r"(?:\s+\w+){0,3}?\s+(?:production|prod|staging|live|tests?|testing|ci|release|debug|"
    r"optimi[sz]ed|docker|containers?|kubernetes|cloud|windows|linux|mac\w*|arm\w*|servers?|machines?|"
    r"hosts?|customers?|clients?|users?|sites?|load|stress|devices?|systems?|environments?|versions?|"
    r"builds?|laptops?)\b"
)
_FAILS = r"\b(?:crash|fail|happen|hang|hung|die|occur|break|panic|leak|abort)\w*"
_ELSEWHERE = re.compile(
    rf"(?i)\bwhy\b[^.;?]{{0,60}}?(?:{_FAILS}\s+only|\bonly\s+{_FAILS})\s+(?:in|on|at|for|with|under)\b"
    rf"{_ENVIRONMENT}"
    rf"|\bwhy\b[^.;?]{{0,60}}?(?:n['\u2019]t|\bnot|\bnever)\b[^.;?]{{0,40}}?{_FAILS}\s+"
    rf"(?:in|on|at|for|with|under)\b{_ENVIRONMENT}"
    rf"|\bwhy\s+(?:only|not)\s+(?:in|on|at|for|with|under)\b{_ENVIRONMENT}"
)
_IN_MEMORY = re.compile(
    r"(?i)\b(?P<verb>freed?|deallocated?|allocated?|overwr(?:ote|ite|itten)|corrupt(?:ed)?|clobbered|"
    r"trashed|stomped|scribbled|smashed|zeroed|nulled|unmapped)\b"
)
"""What is done to memory, which keeps no time of it."""


class Beyond(Struct, frozen=True):
    """``kind`` who | when | moment (when ``verb`` was done to memory) | first | elsewhere | long |
    often | became | if; ``verb`` what was done, where asked."""

    kind: str
    verb: str = ""


def beyond(asked: Asked, state: Investigation) -> list[Beyond]:
    """What a question asks that lies outside what these facts are able to tell."""
    found = []
    for clause in clauses(asked.text):
        one = _of(clause, asked, state)
        if one is not None and one not in found:
            found.append(one)
    return found


def without(asked: Asked, state: Investigation) -> Asked:
    """What else a question asks; nothing where that is all."""
    left = [one for one in clauses(asked.text) if _of(one, asked, state) is None]
    return read(". ".join(left), asked.names)


def _of(clause: str, asked: Asked, state: Investigation) -> Beyond | None:
    signal = state.facts.first(Signal)
    if _SENT.search(clause) and (signal is None or signal.sender_pid is None):
        return Beyond("who", "sent the signal")
    match = _WHO.search(clause) or _WHERE.search(clause)
    if match is not None:
        verb = match.groupdict().get("verb") or match.groupdict().get("by") or "did it"
        return None if _is_told(verb, state) else Beyond("who", verb)
    if _IF.search(clause):
        return Beyond("if")
    history = _of_a_run(clause, state)
    if history is not None:
        return history if history.kind != "moment" or not _is_told(history.verb, state) else None
    if _LONG.search(clause):
        return Beyond("long")
    if _WHEN.search(clause):
        return Beyond("when")
    if _OFTEN.search(clause):
        return Beyond("often")
    if _BECAME.search(clause) and not _EVENT.search(clause):
        return Beyond("became")
    return None


def _of_a_run(clause: str, state: Investigation) -> Beyond | None:
    """What only the whole run, or another one, shows. A plain log may well tell it: its lines are
    looked at instead."""
    kinds = (Finding, Stack, Signal, Wait)
    if state.recorded and all(state.facts.first(kind) is None for kind in kinds):
        return None
    if _FIRST.search(clause):
        return Beyond("first")
    if _ELSEWHERE.search(clause):
        return Beyond("elsewhere")
    done = _IN_MEMORY.search(clause) if _WHEN.search(clause) else None
    return Beyond("moment", done["verb"].lower()) if done is not None else None


def _is_told(verb: str, state: Investigation) -> bool:
    """True where a tool kept the stack of what is asked about."""
    roles = {role.role for finding in state.facts.all(Finding) for role in finding.stacks}
    verb = verb.lower()
    if verb.startswith(("free", "delet", "releas", "destr")):
        return "free" in roles
    if verb.startswith(("alloc", "creat", "leak")):
        return bool(roles & {"alloc", "create", "leak"})
    if verb.startswith(("wr", "over", "corrupt", "clobber", "chang", "modif", "touch")):
        return any(finding.access == "write" for finding in state.facts.all(Finding))
    return False
