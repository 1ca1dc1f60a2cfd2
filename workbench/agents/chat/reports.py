"""What a question asks of the accesses and the stacks of a report, in the report's own lines."""

import re
from collections.abc import Iterator

from analyzers.names import bare
from analyzers.owners.printed import is_own
from workbench.agents.chat.clauses import affirmed, clauses, denies, elsewhen, is_open
from workbench.agents.chat.talk import Talk, Told
from workbench.agents.chat.words import content_words
from workbench.claims.check import as_it_is
from workbench.claims.say import say
from workbench.model.claims import Claim
from workbench.model.facts import Fault, Finding, Role

OF_A_TOOL = re.compile(r"\b[TM]\d{1,9}\b")
"""A thread or a lock as ThreadSanitizer names it."""
_ACCESS = re.compile(
    r"(?i)\b(?P<previous>previous\s+)?(?:atomic\s+|racy\s+|invalid\s+)?(?P<how>read|write)\s+of\s+size\s+\d"
)
_EITHER = re.compile(
    r"(?i)\b(?:read\w*|load\w*)\s+or\s+(?:was\s+it\s+|is\s+it\s+)?(?:an?\s+)?(?:writ\w+|stor\w+)\b"
    r"|\b(?:writ\w+|stor\w+)\s+or\s+(?:was\s+it\s+|is\s+it\s+)?(?:an?\s+)?(?:read\w*|load\w*)\b"
)
_HOW = {"read": "read", "reader": "read", "write": "write", "writer": "write"}
_RACED = frozenset({"race", "racing", "raced"})
_NO_STACK = "[failed to restore the stack]"
_MOST_FINDINGS = 2
_MOST_LINES = 4000


_OF_ROLES = frozenset({"free", "delete", "allocation", "allocate", "create", "leak"})
_WHO_RAN = re.compile(
    r"(?i)\b(?:which|what)\s+(?:process|task|program|command)\b(?!\s+(?:id|line)\b)"
)
_COMM = re.compile(r"\bPID: \d+ (?:UID: \d+ )?Comm: \S")
_WHOSE = re.compile(r"(?i)\b(another|a different|the same|the other) thread\b")
_ALLOCATES = re.compile(
    r"(?i)interceptor|(?:m|c|re)alloc|memalign|free$|operator (?:new|delete)|strn?dup"
)


def of_deeds(talk: Talk) -> Iterator[Told]:
    """Whether the thread or the function that is named freed or allocated what a report is about,
    as its stack of that has it; a function that is not the first of the program's is left open."""
    yield from _by_whom(talk)
    for clause in affirmed(talk.asked.text):
        words = content_words(clause)
        roles = [role for role in ("free", "alloc") if words & {*_ROLES[role][0].split()}]
        if is_open(clause) or len(roles) != 1:
            continue
        threads = {int(one[1:]) for one in OF_A_TOOL.findall(clause) if one[0] == "T"}
        threads |= {*talk.asked.threads}
        for finding in talk.state.facts.all(Finding)[:_MOST_FINDINGS]:
            for role in (one for one in finding.stacks if one.role == roles[0]):
                lead, where = _ROLES[role.role][1], finding.cite.evidence
                if len(threads) == 1 and role.thread is not None:
                    same = role.thread in threads
                    yield from (Told(c, same, clause) for c in talk.quote(lead, where, role.line))
                elif not threads and (line := _done_in(role, {*talk.asked.names})):
                    yield from (Told(c, True, clause) for c in talk.quote(lead, where, line))
                return


def _by_whom(talk: Talk) -> Iterator[Told]:
    """Whether the thread that freed or allocated what a report is about is the one that used it."""
    for clause in clauses(talk.asked.text):
        words = content_words(clause)
        wanted = [role for role in ("free", "alloc") if words & {*_ROLES[role][0].split()}]
        whose = _WHOSE.search(clause)
        if whose is None or len(wanted) != 1 or is_open(clause) or denies(clause):
            continue
        for finding in talk.state.facts.all(Finding)[:1]:
            for role in (one for one in finding.stacks if one.role == wanted[0]):
                threads = (role.thread, _user(finding))
                for claim in talk.quote(_ROLES[role.role][1], finding.cite.evidence, role.line):
                    same = threads[0] == threads[1]
                    if None not in threads:
                        yield Told(claim, same == (whose[1].lower() == "the same"), clause)


def _user(finding: Finding) -> int | None:
    """The thread of a report's own access."""
    access = next((role.thread for role in finding.stacks if role.role == "access"), None)
    return access if access is not None else finding.thread


def _done_in(role: Role, names: set[str]) -> int:
    """The line of the first frame of the program's where it is one of those named, else 0."""
    for frame in role.frames:
        if is_own(frame) and not _ALLOCATES.search(frame.function or ""):
            return frame.line_no if bare(frame.function or "") in names else 0
    return 0


def of_accesses(talk: Talk) -> Iterator[Told]:
    """The accesses that a report lists, or that of the fault, where it is asked which way they
    went, which threads did them or what a thread held then; of a thread of the tool's whether its
    access went the way that is stated."""
    for clause in clauses(_EITHER.sub(" read/write ", talk.asked.text)):
        words = content_words(clause)
        named = set(OF_A_TOOL.findall(clause))
        if elsewhen(clause) or (denies(clause) and not (named and is_open(clause))):
            continue
        ways = {_HOW[word] for word in words & _HOW.keys()}
        either = len(ways) > 1
        held = bool(words & {"hold", "lock"})
        if not (is_open(clause) or either):
            if named and len(ways) == 1 and not held:
                own = [list(_listed(talk, named, one, held=False)) for one in (ways, set[str]())]
                yield from (Told(claim, bool(own[0]), clause) for claim in (own[0] or own[1])[:1])
            continue
        if words & _OF_ROLES or not (either or named or words & _RACED or (ways and held)):
            continue
        told = list(_listed(talk, named, ways if not either else set(), held=held))
        if either and not told and not (named or talk.asked.threads or talk.asked.addresses):
            found = as_it_is(say("access", access="read"), talk.book, ("address",))
            told = [found[0]] if found is not None and talk.state.facts.all(Fault) else []
        yield from (Told(claim, True, clause) for claim in told)


def _listed(talk: Talk, named: set[str], ways: set[str], *, held: bool) -> Iterator[Claim]:
    """The lines of reports that begin an access, of the threads that are ``named`` and the ways
    that are asked for; with ``held``, those that list locks."""
    for finding in talk.state.facts.all(Finding)[:_MOST_FINDINGS]:
        last = min(finding.cite.last, finding.cite.first + _MOST_LINES)
        for number in range(finding.cite.first, last + 1):
            line = talk.line_of(finding.cite.evidence, number)
            access = _ACCESS.search(line)
            how = access["how"].lower() if access is not None else finding.access
            if access is None and number != finding.access_line:
                continue
            if ways and how not in ways:
                continue
            if named and not named & {*OF_A_TOOL.findall(line)}:
                continue
            if held and "mutex" not in line:
                continue
            lead = "The other access" if access is not None and access["previous"] else "The access"
            yield from talk.quote(lead, finding.cite.evidence, number)
            if _NO_STACK in talk.line_of(finding.cite.evidence, number + 1):
                yield from talk.quote("Its stack", finding.cite.evidence, number + 1)


_ROLES = {
    "free": ("free delete", "It was freed"), "alloc": ("allocation allocate", "It was allocated"),
    "leak": ("allocation allocate leak", "It was allocated"),
    "create": ("create", "The thread was created"), "lock": ("lock", "The lock was taken"),
}  # fmt: skip
"""By the role of a report's stack: the words that ask for it, and what is said of it."""
_SIZE = frozenset({"big", "large", "size", "region", "offset", "far", "much"})
_REGION = re.compile(r"\bregion\b|\bblock of size\b|\bbytes? (?:inside|after|before|to the)\b")
_FRAMES = 4
_OF_THE_BLOCK = re.compile(r"(?i)\b(?:that|which|it)\s+(?:was|is|had been|has been|got|were)\s+\w+")
"""What else was done to what a question asks about: "who allocated the block that was freed?"."""


def of_the_reports(talk: Talk) -> Iterator[Claim]:
    """The lines of the stacks that a question is about, each as it stands."""
    sized = bool(talk.asked.words & _SIZE) or "how big" in talk.asked.text.lower()
    stacks = not sized or bool(talk.asked.words & {"who", "where"})
    first = content_words(_OF_THE_BLOCK.sub("", talk.asked.text))
    roles = {word for words, _ in _ROLES.values() for word in words.split()}
    asked = talk.asked.words & first if first & roles else talk.asked.words
    for finding in talk.state.facts.all(Finding)[:2]:
        numbers = [note.line for note in finding.notes if _REGION.search(note.text)]
        told = [("The report", number) for number in (*numbers, finding.access_line) if sized]
        if _WHO_RAN.search(talk.asked.text):
            notes = [note.line for note in finding.notes if _COMM.search(note.text)]
            told += [("Of the process", line) for line in notes[:1]]
        for role in finding.stacks if stacks else ():
            words, lead = _ROLES.get(role.role, ("", ""))
            if asked & {*words.split()}:
                told += [(lead, role.line), *((lead, f.line_no) for f in role.frames[:_FRAMES])]
        for lead, number in dict.fromkeys(told):
            yield from talk.quote(lead, finding.cite.evidence, number or 0)
