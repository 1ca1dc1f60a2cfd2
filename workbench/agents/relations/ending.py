"""What a sentence says of the end: the signal, the exception, what the C library said."""

import re

from workbench.agents.known import Known, bare
from workbench.agents.relations.parts import (
    AT_PLACE,
    Answer,
    Relation,
    cased,
    named,
    names,
    number,
)
from workbench.model.facts import CxxException, ManagedException, Process


def _thrown(match: re.Match[str], known: Known) -> Answer:
    name = named(match, "name")
    if not known.types:
        return None
    if name in known.types or bare(name) in {bare(known_type) for known_type in known.types}:
        return True
    return f"the exception is of type {' or '.join(sorted(known.types))}, not {name}"


def _threw(match: re.Match[str], known: Known) -> Answer:
    name = named(match, "name")
    if name in known.types and bare(name) not in known.functions:
        return f"{name} is the type of the exception, not a function"
    return True if known.types and bare(name) in known.functions else None


def _caught(match: re.Match[str], known: Known) -> Answer:
    thrown: list[CxxException | ManagedException] = [
        *known.facts.all(CxxException),
        *known.facts.all(ManagedException),
    ]
    known_of = {fact.uncaught for fact in thrown if fact.uncaught is not None}
    aborted = known.signal is not None and known.signal.name == "SIGABRT" and bool(thrown)
    if not known_of and not aborted:
        return None
    uncaught = True in known_of or not known_of
    says_uncaught = match["how"].lower().startswith(("nobody", "un", "no one", "nothing"))
    if says_uncaught == uncaught:
        return True
    return "nobody caught the exception" if uncaught else None


def _ended(match: re.Match[str], known: Known) -> Answer:
    name = match["signal"].upper()
    process = known.facts.first(Process)
    if known.signal is not None:
        if name == known.signal.name:
            return True
        return f"the process was ended by {known.signal.name}, not {name}"
    if process is not None and process.snapshot and not known.records:
        return f"this is a snapshot: no signal ended the process, {name} neither"
    return None


def _ended_by_exception(match: re.Match[str], known: Known) -> Answer:
    codes = {record.code & 0xFFFFFFFF for record in known.records}
    if not codes:
        return None
    code = number(match, "code")
    if code in codes or code in {record.code for record in known.records}:
        return True
    return f"the exception is {' or '.join(f'{c:#x}' for c in sorted(codes))}, not {code:#x}"


def _raised_at(match: re.Match[str], known: Known) -> Answer:
    """NAME (CODE) at ADDRESS in thread N."""
    code = _ended_by_exception(match, known)
    if code is not True:
        return code
    records = [r for r in known.records if r.code & 0xFFFFFFFF == number(match, "code")]
    addresses = {n for r in records for n in (r.address, r.recorded) if n is not None}
    if match["at"] is not None and addresses and number(match, "at") not in addresses:
        return f"it was raised at {' or '.join(f'{a:#x}' for a in sorted(addresses))}"
    threads = {record.thread for record in records} - {None}
    if match["tid"] is not None and threads and number(match, "tid") not in threads:
        return f"it was raised in thread {' or '.join(f'{t:#x}' for t in threads if t)}"
    return True


def _sent(match: re.Match[str], known: Known) -> Answer:
    signal, process = known.signal, known.facts.first(Process)
    if signal is None or process is None or not signal.sender_pid or process.pid is None:
        return None
    itself = signal.sender_pid == process.pid
    said = "itself" in match["who"]
    if itself == said:
        return True
    return f"the signal was sent by {'the process itself' if itself else signal.sender_pid}"


def _aborted(match: re.Match[str], known: Known) -> Answer:
    text = known.messages.lower()
    word = match["what"].lower()
    if not text:
        return None
    if "assert" in word:
        return True if "assertion" in text else None
    if any(part in word for part in ("double", "already", "twice")):
        return True if "double free" in text else None
    if "in use" in word or "returned" in word:
        return f'the C library said "{known.messages}"' if "double free" in text else None
    if "smashing" not in text and "buffer overflow" not in text:
        return None
    if word.startswith("read") or "before" in word or "heap" in word:
        return f'the C library said "{known.messages}"'
    return True


def _use(match: re.Match[str], known: Known) -> Answer:
    """Memory used before it was allocated: what is free was allocated once."""
    return "the memory was freed: it had been allocated" if known.chunks else None


_ENDED = r"(?:killed|ended|terminated|died|crash(?:ed)?|delivered|received|got|stopped)"

ENDING: tuple[Relation, ...] = (
    (cased(r"exception of type ", names("name")), _thrown),
    (cased(names("name"), AT_PLACE, r" (?:threw|throws?|raised) "), _threw),
    (
        cased(
            r"(?P<how>nobody|no one|nothing|somebody|the caller|a handler) ",
            r"(?:caught|catch(?:es)?) (?:it|the exception)",
        ),
        _caught,
    ),
    (cased(r"(?P<how>uncaught|unhandled) exception"), _caught),
    (cased(r"(?P<how>(?:it|exception) (?:was|is) (?:caught|handled))"), _caught),
    (cased(rf"\b{_ENDED}\b(?:\W+\w+){{0,3}}?\W+(?P<signal>SIG[A-Z][A-Z0-9]+)"), _ended),
    (
        cased(
            r"(?P<signal>SIG[A-Z][A-Z0-9]+) (?:killed|ended|terminated|crashed|",
            r"was (?:the signal|delivered|raised|received))",
        ),
        _ended,
    ),
    (cased(r"[Tt]he signal (?:is|was|be) (?P<signal>SIG[A-Z][A-Z0-9]+)"), _ended),
    (cased(r"ended by \w+ \((?P<code>0x[0-9a-f]+)\)"), _ended_by_exception),
    (
        cased(
            r"(?:[Ee]xception|[Vv]iolation|[Oo]verflow|divide-by-zero|[A-Z]{3,}[A-Z_/ ]*) ",
            r"\((?P<code>0x[0-9a-f]{1,16})\)(?: at (?P<at>0x[0-9a-f]+))?",
            r"(?: in thread (?P<tid>0x[0-9a-f]+))?",
        ),
        _raised_at,
    ),
    (
        cased(
            r"(?P<who>sent itself|send itself|was sent by (?!tkill|tgkill)",
            r"(?:itself|the process itself|[\w ]{3,20}))",
        ),
        _sent,
    ),
    (
        cased(
            r"(?P<what>[Aa]n? [Aa]ssertion fail(?:ed)?|freed memory that was free already|",
            r"double free|freed twice|stack smashing|freed memory that was (?:still )?in use|",
            r"freed memory that the allocator returned|(?:wrote|write|read|about to write) ",
            r"(?:past the end|before the (?:beginning|start)) of an array",
            r"(?: on (?:its|the) (?:stack|heap))?)",
        ),
        _aborted,
    ),
    (cased(r"before it was allocated"), _use),
)
