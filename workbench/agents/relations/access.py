"""What a sentence says of the failed access beyond its address: through which register, how many
bytes, on what kind of page, and what registers were for."""

import re

from workbench.agents.known import Known, bare
from workbench.agents.relations.actors import fronts
from workbench.agents.relations.parts import (
    AT_PLACE,
    Answer,
    Relation,
    cased,
    hexadecimal,
    named,
    names,
    number,
    whole,
)
from workbench.model.facts import Fault, Finding, Process

_REGISTER = (
    r"`?\[?[$%]?(?P<register>[er]?(?:ax|bx|cx|dx|si|di|bp|sp|ip)|r\d{1,2}d?|"
    r"[xw]\d{1,2})\b[^`\s,.;]{0,20}\]?`?"
)


def _registers(known: Known) -> set[str]:
    """Those that the address of the failed access was made of."""
    found: set[str] = set()
    for fault in known.facts.all(Fault):
        found |= {r for r in (fault.base_register, fault.index_register) if r is not None}
    return found


def _base(match: re.Match[str], known: Known) -> Answer:
    """A register was the one that was dereferenced."""
    registers = _registers(known)
    if not registers:
        return None
    said = match["register"].lower()
    if said in registers:
        return True
    return f"the access went through {' and '.join(sorted(registers))}, not {said}"


def _through(match: re.Match[str], known: Known) -> Answer:
    """It reads or writes through a register: the right one, in the right direction."""
    answer = _base(match, known)
    fault = known.fault
    if answer is not True or fault is None or fault.access not in ("read", "write"):
        return answer
    writes = match["verb"].lower().startswith(("w", "st"))
    return True if writes == (fault.access == "write") else f"the access was a {fault.access}"


def _fault(match: re.Match[str], known: Known) -> Fault | None:
    """The fault, where the sentence is about its instruction or the function that ran."""
    fault = known.fault
    if fault is None or known.facts.first(Finding) is not None:
        return None
    groups = match.groupdict()
    if groups.get("pc") is not None:
        return fault if number(match, "pc") in known.faulting else None
    if groups.get("name") is not None or groups.get("name_") is not None:
        first = {bare(frame.function) for front in fronts(known) for frame in front[:1]}
        return fault if bare(named(match, "name")) in first else None
    return fault


def _sized(match: re.Match[str], known: Known) -> Answer:
    """It reads or writes so many bytes."""
    fault = _fault(match, known)
    if fault is None or fault.access not in ("read", "write"):
        return None
    writes = match["verb"].lower().startswith(("w", "st"))
    if writes != (fault.access == "write"):
        return f"the access was a {fault.access}"
    if fault.operand_size is None or int(match["size"]) == fault.operand_size:
        return True
    return f"the access was of {fault.operand_size} bytes"


_PROTECTED = re.compile(r"ACCERR|access violation|0xc0000005|PROTECTION", re.IGNORECASE)


def _page(match: re.Match[str], known: Known) -> Answer:
    """It hit a page that is there and protected."""
    fault, signal = known.fault, known.signal
    if "guard" in match[0].lower() and any(s.guard == "no-access" for s in known.shapes):
        return None
    if fault is None or fault.operand is None:
        return None
    if signal is not None and signal.code_name == "SEGV_MAPERR":
        return f"nothing is mapped at {fault.operand:#x}"
    if fault.operand_region in ("unmapped", "near-null", "non-canonical"):
        return f"{fault.operand:#x} is {fault.operand_region}"
    return None


def _kind(match: re.Match[str], known: Known) -> Answer:
    """The access was a read, or a write."""
    fault = known.fault
    if fault is None or known.facts.first(Finding) is not None:
        return None
    said = {"r": "read", "w": "write"}[match["kind"].lower()[0]]
    if fault.access == said:
        return True
    return f"it was a {fault.access}" if fault.access != "none" else "no access to memory failed"


def _divisor_named(match: re.Match[str], known: Known) -> Answer:
    """A divisor by its name: as a cited line of source divides."""
    name = re.split(r"->|\.", match["name"])[-1]
    divides = [line for line in known.cited if re.search(r"[^/*][/%][^/*]", line)]
    if not divides:
        return None
    written = re.compile(rf"[/%]=?\s*[\w>.()\[\] -]*\b{re.escape(name)}\b")
    if any(written.search(line) for line in divides):
        return True
    return f"no cited line divides by {name}"


def _purpose(match: re.Match[str], known: Known) -> Answer:
    """What a register counts or measures: no fact says."""
    return False


def _put(match: re.Match[str], known: Known) -> Answer:
    """A function left a value in a register: what it returned."""
    name = bare(named(match, "name"))
    calls = {bare(f.origin_call) for f in known.facts.all(Fault) if f.origin_call is not None}
    if name in calls:
        return True
    return False if name in known.functions | known.returned else None


def _sent_by(match: re.Match[str], known: Known) -> Answer:
    signal = known.signal
    if signal is None:
        return None
    if not signal.sender_pid:
        kernel = signal.code is not None and signal.code > 0
        return "the signal was raised by an instruction, not sent by a process" if kernel else None
    if signal.sender_pid == int(match["pid"]):
        return True
    return f"the signal was sent by process {signal.sender_pid}"


def _from_outside(match: re.Match[str], known: Known) -> Answer:
    """Another process sent the signal."""
    signal, process = known.signal, known.facts.first(Process)
    if signal is None or process is None:
        return None
    if not signal.sender_pid:
        kernel = signal.code is not None and signal.code > 0
        return "the signal was raised by an instruction" if kernel else False
    if signal.sender_pid == process.pid:
        return "the process sent the signal itself"
    return True


def _negative(match: re.Match[str], known: Known) -> Answer:
    name = match["name"]
    values = known.numbers_of(name) or known.register_now(name)
    if not values:
        return None
    if any(v < 0 or v >> 63 or (v >> 31) == 1 for v in values):
        return True
    return f"{name} is {', '.join(map(str, sorted(values)[:3]))}"


def _equal(match: re.Match[str], known: Known) -> Answer:
    """Two registers or variables are equal, or differ."""
    one, other = (
        known.register_now(name) or known.numbers_of(name) or set()
        for name in (match["one"].lstrip("$%"), match["two"].lstrip("$%"))
    )
    if not one or not other:
        return None
    equal = bool(one & other)
    if equal == match["how"].lower().startswith(("are eq", "are the", "are id", "have the")):
        return True
    return f"{match['one']} and {match['two']} {'are equal' if equal else 'differ'}"


def _failed_allocation(match: re.Match[str], known: Known) -> Answer:
    wanted = {"unchecked-allocation", "out-of-memory", "uncaught-exception", "std-terminate"}
    if known.causes & wanted or known.facts.first(Finding) is not None:
        return None
    return False


_ACCESS = (
    r"(?P<verb>reads?|writes?|wrote|loads?|stores?|(?:tried|tries|attempts?|attempted) to "
    r"(?:read|write))"
)

ACCESS: tuple[Relation, ...] = (
    (
        whole(
            r"\b(?:access|fault|crash|it) (?:at `?0x[0-9a-f]+`? )?(?:is|was) (?:a |an "
            r"invalid |a bad )",
            r"(?P<kind>read|write)\b",
        ),
        _kind,
    ),
    (
        whole(
            r"\b(?:fault|crash|access) (?P<kind>reads|writes) (?:to |from |at |the )?",
            r"(?:address|memory|`?0x)",
        ),
        _kind,
    ),
    (
        cased(
            r"\b[Dd]ivisor,? (?:(?:which|that) )?(?:is|was|being) `(?P<name>[A-Za-z_][\w.>-]*)`",
        ),
        _divisor_named,
    ),
    (
        cased(r"\bdivid(?:es|ed|ing) (?:`[^`\n]+` )?by `(?P<name>[A-Za-z_][\w.>-]*)`"),
        _divisor_named,
    ),
    (
        whole(
            _REGISTER,
            r",? (?:(?:which|that) )?(?:is|was) (?:the |its )?(?:base(?: register)?|"
            r"index(?: register)?|",
            r"register that (?:is|was) dereferenced|dereferenced (?:register|pointer|value))\b",
        ),
        _base,
    ),
    (
        whole(
            r"\b(?P<verb>reads?|writes?|wrote|loads?|stores?) (?:\d+ bytes? )?(?:to|from|"
            r"through|into|at) ",
            r"`?\[[$%]?(?P<register>[er]?(?:ax|bx|cx|dx|si|di|bp|sp)|r\d{1,2}|[xw]\d{1,2})\b",
        ),
        _through,
    ),
    (
        whole(
            r"\b(?:dereferences|dereferenced|dereferencing|reads? through|read through|"
            r"writes? through|",
            r"wrote through|accesses? through|loads? through|through the pointer in) "
            r"(?:the register )?",
            _REGISTER,
        ),
        _base,
    ),
    (
        whole(
            _REGISTER,
            r"(?: \([^()]*\))?,? (?:(?:which|that) )?(?:is|was|gets) (?:then )?dereferenced\b",
        ),
        _base,
    ),
    (
        whole(
            _REGISTER,
            r" (?:holds|held|contains) (?:the |a )?(?:[\w-]+ ){0,3}(?:value|pointer|"
            r"address) (?:that|which) ",
            r"(?:is|was) dereferenced\b",
        ),
        _base,
    ),
    (
        whole(
            r"\binstruction (?:at )?",
            hexadecimal("pc"),
            r" (?:\w+ )?",
            _ACCESS,
            r" (?P<size>\d{1,3}) bytes?\b",
        ),
        _sized,
    ),
    (
        cased(names("name"), AT_PLACE, r" ", _ACCESS, r" (?P<size>\d{1,3}) bytes?\b"),
        _sized,
    ),
    (
        whole(
            r"\b(?:page|address|memory|mapping)(?: (?:that|which))? (?:is|was) (?:mapped )?",
            r"(?:write-protected|read-only|write protected|protected)\b|(?<!no[ ])\bguard page\b|",
            r"\b(?:hit|touched|reached|ran into) a (?:write-protected|read-only|"
            r"protected) (?:page|mapping)",
        ),
        _page,
    ),
    (
        whole(
            _REGISTER,
            r"(?: \(?`?0x[0-9a-f]+`?\)?)? (?:holds|held|contains|is|was|counts|shows) "
            r"(?:the |a |an )?",
            r"(?:number|length|size|count|amount|error code|ascii code|code|character|"
            r"byte|integer (?:over|under)flow|",
            r"(?:over|under)flow|return value|result)\b(?: of| that| which|\b)",
        ),
        _purpose,
    ),
    (
        cased(
            names("name"),
            r" (?:left|put|stored|placed|set|loaded|wrote|cleared|zeroed|overwrote|clobbered) ",
            r"(?:[^.;]{0,40}? (?:in|into|to) )?`[$%]?(?:[er]?(?:ax|bx|cx|dx|si|di|bp|sp)|"
            r"r\d{1,2}|[xw]\d{1,2})`",
        ),
        _put,
    ),
    (
        cased(
            r"`[$%]?(?:[er]?(?:ax|bx|cx|dx|si|di|bp|sp)|r\d{1,2}|[xw]\d{1,2})` (?:was|is) ",
            r"(?:cleared|set|left|zeroed|overwritten|clobbered|loaded|changed) by ",
            names("name"),
        ),
        _put,
    ),
    (
        whole(r"\bsent (?:by|from) (?:another|a different|some other|an outside) process\b"),
        _from_outside,
    ),
    (whole(r"\bsent by (?:the )?process (?P<pid>\d{1,10})\b"), _sent_by),
    (
        cased(
            r"`(?P<name>[A-Za-z_]\w*)`(?: \([^()]*\))? (?:is|was|went|became|turned|goes) "
            r"negative\b",
        ),
        _negative,
    ),
    (
        cased(
            r"`(?P<one>[$%]?\w+)` and `(?P<two>[$%]?\w+)` (?:both )?(?P<how>differ\b|are "
            r"different|are equal|",
            r"are the same|are identical|have the same value)",
        ),
        _equal,
    ),
    (
        whole(
            r"`(?:m|c|re)alloc(?:\(\))?` (?:has |had )?(?:failed|returned (?:null|`?0x0`?))|"
            r"\b(?:failed|null) (?:from|by|of) `(?:m|c|re)alloc`"
        ),
        _failed_allocation,
    ),
)
