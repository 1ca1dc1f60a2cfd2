"""What a sentence says of the machine: which value a register has, what an instruction touches."""

import re

from workbench.agents.known import Known
from workbench.agents.relations.parts import (
    Answer,
    Relation,
    among,
    hexadecimal,
    number,
    whole,
)
from workbench.model.facts import Fault, Finding, StackShape

NEAR_NULL = 0x10000
_REGISTER = (
    r"`?[$%]?(?P<register>[er]?(?:ax|bx|cx|dx|si|di|bp|sp|ip)|r\d{1,2}|[xw]\d{1,2}|sp|pc|lr|"
    r"[c-gs]s|e?flags|[fg]s_base)`?"
)
_VALUE = r"(?:the )?(?:value |word |pointer |address )?`?(?P<value>0[xX][0-9a-fA-F]{1,16}|\d+)`?"
_IS = r"(?:holds?|held|holding|contain(?:s|ed)?|is|was|be|equals?|equalled|had|has|=|:)"


def _register(match: re.Match[str], known: Known) -> Answer:
    return _has(match, known.register(match["register"]))


def _register_now(match: re.Match[str], known: Known) -> Answer:
    values = known.register_now(match["register"])
    return _has(match, values) if values else _printed(match, known)


def _printed(match: re.Match[str], known: Known) -> Answer:
    """A register that no fact has: as a cited line prints it."""
    name = re.escape(match["register"])
    shown = re.compile(rf"\b{name}\b\s*[=:]?\s*(?:0x)?([0-9a-f`]+)\b", re.IGNORECASE)
    found = {m[1].replace("`", "") for line in known.cited for m in shown.finditer(line)}
    values = {int(digits, 16) for digits in found if 0 < len(digits) <= 16}
    return _has(match, values) if values else None


def _has(match: re.Match[str], values: set[int]) -> Answer:
    value = number(match, "value")
    if value < 1 << 32 and any(v & 0xFFFFFFFF == value for v in values) and value:
        return None  # the lower half of a register
    return among(value, values, f"{match['register']} holds")


def _loaded(match: re.Match[str], known: Known) -> Answer:
    loads = [load for fault in known.facts.all(Fault) for load in fault.origin]
    answer = among(number(match, "source"), {load.source for load in loads}, "it was loaded from")
    groups = match.groupdict()
    if answer is not True or groups.get("value") is None:
        return answer
    at = [load for load in loads if load.source == number(match, "source")]
    values = {load.value for load in at if load.value is not None}
    return among(number(match, "value"), values, "what was loaded there is")


def _instruction(match: re.Match[str], known: Known) -> Answer:
    if not known.faulting:
        return None
    address = number(match, "pc")
    if address in known.code:
        return True
    listed = re.compile(rf"^\s*(?:=>|->)?\s*0x0*{address:x}\b.*:\s|\b(?:at|from) 0x0*{address:x}\b")
    if "fault" not in match[0].lower() and any(map(listed.search, known.cited)):
        return None  # another instruction that a listing shows
    shown = " or ".join(f"{pc:#x}" for pc in sorted(known.faulting)[:3])
    return f"the instruction at fault is at {shown}, not {address:#x}"


_DIRECTIONS = {"r": "read", "l": "read", "w": "write", "s": "write"}


def _access(match: re.Match[str], known: Known) -> Answer:
    """The instruction at PC reads from ADDRESS: all three."""
    groups = match.groupdict()
    if groups.get("pc") is not None:
        answer = among(number(match, "pc"), known.faulting, "the instruction at fault is at")
        if answer is not True:
            return answer
    if groups.get("target") is not None:
        answer = among(number(match, "target"), known.touched, "the access went to")
        if answer is not True:
            return answer
    return _direction(match, known)


def _direction(match: re.Match[str], known: Known) -> Answer:
    verb = re.sub(r"^fail(?:ed)?\s+to\s+", "", match["verb"].lower())
    direction = "execute" if verb[:2] in ("ca", "ex", "ju", "ru") else _DIRECTIONS.get(verb[0])
    if direction is None or not known.accesses:
        return True if direction is None and match.groupdict().get("target") else None
    if direction in known.accesses:
        return True
    return f"the access was a {' or '.join(sorted(known.accesses))}, not a {direction}"


def _at_target(match: re.Match[str], known: Known) -> Answer:
    """It reads or writes at an address: of that of the failed access the direction is known."""
    if number(match, "target") not in known.touched or known.facts.first(Finding) is not None:
        return None
    return _direction(match, known)


def _stack_pointer(match: re.Match[str], known: Known) -> Answer:
    return among(number(match, "value"), known.stack_pointers, "the stack pointer is")


def _stack_start(match: re.Match[str], known: Known) -> Answer:
    return among(number(match, "value"), known.stack_starts, "stacks begin and end at")


def _went_to(match: re.Match[str], known: Known) -> Answer:
    fault = known.fault
    if fault is None or fault.access != "execute":
        return None
    return among(number(match, "value"), known.touched | known.faulting, "control went to")


def _came_by(match: re.Match[str], known: Known) -> Answer:
    fault = known.fault
    if fault is None or fault.transfer_from is None:
        return None
    return among(number(match, "value"), {fault.transfer_from}, "the call is at")


def _transfer(match: re.Match[str], known: Known) -> Answer:
    fault = known.fault
    went = _went_to(match, known)
    if isinstance(went, str):
        return went
    if fault is None or fault.transfer not in ("call", "return"):
        return None
    verb = match["verb"].lower()
    return True if verb == fault.transfer else f"control went there by a {fault.transfer}"


def _divisor(match: re.Match[str], known: Known) -> Answer:
    words = {"zero": 0, "one": 1, "two": 2}
    value = words.get(match["value"].lower())
    value = number(match, "value") if value is None else value
    divisors = {f.divisor for f in known.facts.all(Fault) if f.divisor is not None}
    if not divisors and any("divide" in (r.name or "").lower() for r in known.records):
        divisors = {0}
    if not divisors and value == 0 and not known.causes & {"divide-by-zero", "panic"}:
        return False if known.faulting else None
    return among(value, divisors, "the divisor is")


def _operation(match: re.Match[str], known: Known) -> Answer:
    """An instruction's name stands where a function's would be a mix-up."""
    name, at = match["name"], match.groupdict().get("pc")
    if name in known.mnemonics:
        return True
    if at is not None and int(at, 16) not in known.faulting:
        return None
    if known.mnemonics and (name in known.functions or len(name) <= 6):
        return f"the instruction is {' or '.join(sorted(known.mnemonics))}, not {name}"
    return None


def _named_operation(match: re.Match[str], known: Known) -> Answer:
    """As above, where any word may stand: "the faulting instruction" names none."""
    name = match["name"]
    return _operation(match, known) if name in known.functions | known.mnemonics else None


def _operation_at(match: re.Match[str], known: Known) -> Answer:
    return _instruction(match, known) if match["op"] in known.mnemonics else None


def _smash(match: re.Match[str], known: Known) -> Answer:
    words = {shape.smash_word for shape in known.facts.all(StackShape)} - {None}
    return among(number(match, "value"), {w for w in words if w is not None}, "the word is")


def _writable(match: re.Match[str], known: Known) -> Answer:
    answer = _direction(match, known)
    fault = known.fault
    if isinstance(answer, str) or fault is None or fault.operand is None:
        return answer
    region = known.region(fault.operand)
    if region is None or "?" in region.perms:
        return None
    if ("w" in region.perms) == (match["kind"].lower() != "read-only"):
        return True
    return f"{fault.operand:#x} is mapped {region.perms}"


def _variable(match: re.Match[str], known: Known) -> Answer:
    """A variable has a value: as a debugger printed it."""
    shown = known.variables.get(match["variable"])
    if not shown or known.register(match["variable"]):
        return None
    value = number(match, "value")
    if _OF_ANOTHER.search(match.string[: match.start()]) or _is_cited(match, value, known):
        return None
    found = {m for text in shown for m in re.findall(r"0x[0-9a-f]+|-?\d+", text)}
    if any(int(text, 0 if text.startswith("0x") else 10) == value for text in found):
        return True
    if not all(re.match(r"-?\d+\b|0x[0-9a-f]+\b|\(.*\) 0x", text) for text in shown):
        return None
    return f"{match['variable']} is {' or '.join(sorted(shown)[:3])}"


_OF_ANOTHER = re.compile(r"(?:\b(?:its|own|their|whose|member|field)|\w's|\b(?:\w+->|\w+\.))\s*$")
"""What names a member of something, which may be called like a variable."""


def _is_cited(match: re.Match[str], value: int, known: Known) -> bool:
    """True where a cited line gives just that value to that name."""
    pattern = re.compile(
        rf"(?<!\w){re.escape(match['variable'])} ?= ?(?:\([^()]*\) )?(0x[0-9a-f]+|-?\d+)\b"
    )
    found = (m[1] for line in known.cited for m in pattern.finditer(line))
    return any(int(text, 16 if "x" in text else 10) == value for text in found)


def _sized(match: re.Match[str], known: Known) -> Answer:
    answer = _access(match, known)
    sizes = {f.operand_size for f in known.facts.all(Fault) if f.operand_size is not None}
    sizes |= {f.size for f in known.facts.all(Finding) if f.size is not None}
    if answer is not True or not sizes or int(match["size"]) in sizes:
        return answer
    return f"the access was of {' or '.join(map(str, sorted(sizes)))} bytes"


def _pointer(match: re.Match[str], known: Known) -> Answer:
    value = number(match, "value")
    if any(value in values for values in known.registers.values()) and value not in known.pointers:
        return None
    return among(value, known.pointers, "the pointer that failed is")


def _touched(match: re.Match[str], known: Known) -> Answer:
    return among(number(match, "value"), known.touched, "the access went to")


def _kind_of_fault(match: re.Match[str], known: Known) -> Answer:
    null = match["what"].lower() == "null"
    fault = known.fault
    if fault is not None and fault.access == "execute":
        return True if null and fault.pc < NEAR_NULL else None
    if fault is None or fault.operand is None or fault.access not in ("read", "write"):
        return None
    is_null = fault.operand_region == "near-null"
    if is_null == null:
        return True
    return f"the access went to {fault.operand:#x}, near null" if is_null else None


def _overflowed(match: re.Match[str], known: Known) -> Answer:
    if any(
        "stack_overflow" in (r.name or "").lower() or r.code == 0xC00000FD for r in known.records
    ):
        return True
    shapes = known.facts.all(StackShape)
    return True if any(shape.overflowed for shape in shapes) else None


def _recursion(match: re.Match[str], known: Known) -> Answer:
    return True if any(shape.recursion for shape in known.facts.all(StackShape)) else None


def _repeats(match: re.Match[str], known: Known) -> Answer:
    repeats = [r for shape in known.facts.all(StackShape) for r in shape.recursion]
    of = {r.count for r in repeats if r.address == number(match, "pc")}
    if repeats and not of:
        return f"{match['pc']} does not repeat on the stack"
    return among(int(match["count"]), of, "it stands there (times)")


_AT_PC = (
    r"(?:the )?(?:faulting |crashing )?instruction (?:pointer )?(?:at |is |was )*"
    + hexadecimal("pc")
)
_VERB = (
    r"(?P<verb>(?:fail(?:ed)? to )?(?:reads?|loads?|writes?|stores?|wrote|touch(?:es)?|"
    r"push(?:es)?|calls?|called|executes?|jumps?))"
)
_OF = rf"(?:{_IS}|of)"
_END = r"(?!\w|\.\w)"
_DIVISOR = r"`?(?P<value>0x[0-9a-f]+|\d+|zero|one|two)"
_ADDRESS = r"(?:the )?(?:memory )?(?:address )?(?:at )?"

MACHINE: tuple[Relation, ...] = (
    (whole(r"(?<![\w:.])", _REGISTER, rf"(?: \([^()]*\))? {_OF} ", _VALUE, _END), _register_now),
    (whole(r"(?<![\w:.])", _REGISTER, "=", _VALUE, _END), _register_now),
    (
        whole(r"(?:value|content|contents) (?:of|in) ", _REGISTER, rf" {_OF} ", _VALUE, _END),
        _register_now,
    ),
    (whole(rf"`?(?<![\w$%])(?P<variable>[a-z_]\w*)`? {_OF} ", _VALUE, _END), _variable),
    (whole(_VERB, r" (?P<size>\d+) bytes? (?:to|from|at) ", hexadecimal("target")), _sized),
    (whole(r"(?<!\w)", _VALUE, r" (?:is |was )?in ", _REGISTER, r"(?![\w:(])"), _register),
    (whole(_VALUE, r" (?:\S+ ){0,3}loaded (?:into \S+ )?from ", hexadecimal("source")), _loaded),
    (whole(r"loaded with ", _VALUE, " from ", hexadecimal("source")), _loaded),
    (whole(_REGISTER, r" (?:was |is )?loaded with ", _VALUE), _register),
    (whole(_VALUE, r" (?:was |is )?loaded into ", _REGISTER), _register),
    (whole(_AT_PC), _instruction),
    (whole(r"\bcode at ", hexadecimal("pc")), _instruction),
    (whole(r"(?:refuses|stopped|trapped):? (?:it |`\w+` )?at ", hexadecimal("pc")), _instruction),
    (whole(r"`(?P<op>[a-z]\w*)` at ", hexadecimal("pc")), _operation_at),
    (whole(r"(?:the |same )word ", hexadecimal("value"), r" (?:covers?|fills?|stands)"), _smash),
    (whole(_VERB, r" (?:to |from )?(?P<kind>read-only|writable|writeable) memory"), _writable),
    (
        whole(
            _AT_PC,
            r" (?:then |that )*",
            _VERB,
            r" (?:to |from |at |into )?",
            _ADDRESS,
            hexadecimal("target"),
        ),
        _access,
    ),
    (whole(_AT_PC, r" (?:then |that )*", _VERB, r" (?:to|from) a "), _access),
    (
        whole(
            _VERB,
            r" (?:to|from|at) (?:the )?(?:memory )?address (?:at )?",
            hexadecimal("target"),
        ),
        _access,
    ),
    (
        whole(
            r"\b(?P<verb>reads?|writes?|wrote|loads?|stores?)(?: [\w`]+){0,4}? (?:to|from|"
            r"at|into) ",
            hexadecimal("target"),
        ),
        _at_target,
    ),
    (
        whole(
            r"\bwhen (?P<verb>reading|writing) (?:[\w ]{0,12} )?at ",
            hexadecimal("target"),
        ),
        _access,
    ),
    (
        whole(r"stack pointer (?:is |was |be |at |of |= |: ?)?", hexadecimal("value")),
        _stack_pointer,
    ),
    (
        whole(r"stack (?:that |which )?(?:begins?|starts?|ends) at ", hexadecimal("value")),
        _stack_start,
    ),
    (
        whole(
            r"(?:control|execution|the return) (?:\w+ ){0,2}(?:went|go|jumped|jump)(?: back)? to ",
            hexadecimal("value"),
        ),
        _went_to,
    ),
    (
        whole(r"(?:a|the) (?P<verb>return|call) (?:went|go|goes|jumped) to ", hexadecimal("value")),
        _transfer,
    ),
    (whole(r"by the call (?:instruction )?at ", hexadecimal("value")), _came_by),
    (whole(r"divisor (?:\S+ ){0,8}?(?:is|was|be|=) ", _DIVISOR), _divisor),
    (whole(r"\bdivid(?:es?|ed|ing) (?:`[^`\n]+` )?by ", _DIVISOR, r"\b"), _divisor),
    (whole(r"(?:the |an? )`?(?P<name>[a-z_][\w.]*)`? instruction(?! pointer)"), _named_operation),
    (
        whole(
            r"instruction (?:at (?:`?(?P<pc>0x[0-9a-f]+)`?|\S+) )?(?:is|was) `(?P<name>[a-z]\w*)"
        ),
        _operation,
    ),
    (
        whole(
            r"(?P<what>null|dangling|stale|freed|wild)(?: function)? pointer (?:is|was|gets) ",
            r"(?:being )?(?:dereferenced|used|accessed|called)",
        ),
        _kind_of_fault,
    ),
    (whole(r"stack pointer ", hexadecimal("value"), r" is at the end of the stack"), _overflowed),
    (whole(r"value ", hexadecimal("value"), r" is (?:text|no address)"), _pointer),
    (whole(r"\btouch(?:es|ed)? ", hexadecimal("value")), _touched),
    (
        whole(r"\b(?:ran|runs?) out of (?:its )?stack\b|\bstack (?:was )?(?:overflowed|exhausted)"),
        _overflowed,
    ),
    (whole(r"\bit is recursion\b|\binfinite recursion\b"), _recursion),
    (
        whole(
            r"return address ",
            hexadecimal("pc"),
            r"(?: in \S+)? (?:stands?|appears?|repeats?|occurs?) (?P<count>\d+) times",
        ),
        _repeats,
    ),
)
