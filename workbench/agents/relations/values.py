"""What a sentence says of values: a register that holds a variable, what is null, how many chunks
of a heap are free, and adjectives that the cited lines deny."""

import re

from workbench.agents.known import Known
from workbench.agents.relations.parts import Answer, Relation, cased, whole
from workbench.model.facts import Heap, Stack

_NULL = re.compile(r"0x0+|0|nullptr|NULL|null|nil|None|<nil>")
_SHOWN = r"\s*=\s*(?:\([^()]*\)\s*)?(?P<is>[\w<>.+-]+)"


def _holds_variable(match: re.Match[str], known: Known) -> Answer:
    """A register holds what a variable is."""
    register, name = match["register"].lstrip("$%"), match["name"]
    values, shown = known.register_now(register), known.numbers_of(name)
    if known.register(name) or name in known.functions or not values:
        return None
    if shown is None:
        both = (rf"\b{re.escape(register)}\b", rf"\b{re.escape(name)}\b")
        together = any(all(re.search(one, line) for one in both) for line in known.cited)
        return None if together or name in known.variables else False
    if {v & 0xFFFFFFFF for v in values} & {v & 0xFFFFFFFF for v in shown}:
        return True
    return (
        f"{register} holds {', '.join(f'{v:#x}' for v in sorted(values)[:3])}, which {name} is not"
    )


_NUMBERED = frozenset(
    ("line", "thread", "frame", "signal", "process", "page", "level", "error", "code", "index")
)


def _bare_value(match: re.Match[str], known: Known) -> Answer:
    """A variable's name as a word, and a number behind it: "level 12"."""
    values = known.numbers_of(match["name"])
    if not values or int(match["value"]) in values:
        return None
    if match["name"] in _NUMBERED - {"level", "index"}:
        return None
    if known.facts.all(Stack) and len(values) > 8:
        return None  # the arguments of many calls, of which not all are shown
    return f"{match['name']} is {', '.join(map(str, sorted(values)[:3]))}"


def _is_null(match: re.Match[str], known: Known) -> Answer:
    """A register or a variable is null, or zero."""
    whole_name = match["name"].lstrip("$%*&")
    if whole_name in known.functions:
        return None
    values = known.register_now(whole_name) or known.numbers_of(whole_name)
    if values:
        if 0 in values or _near_null(match, values):
            return True
        return f"{whole_name} is {', '.join(f'{v:#x}' for v in sorted(values)[:3])}"
    last = re.split(r"->|\.", re.sub(r"\[[^\]]*\]", "", whole_name))[-1]
    if not last:
        return None
    pattern = re.compile(rf"(?<![\w]){re.escape(last)}{_SHOWN}")
    found = {m["is"] for line in known.cited for m in pattern.finditer(line)}
    if any(_NULL.fullmatch(value) for value in found):
        return True
    if found and all(re.fullmatch(r"0x[0-9a-f]+|-?\d+", value) for value in found):
        return f"{whole_name} is {', '.join(sorted(found)[:3])}"
    return False


def _null_from(match: re.Match[str], known: Known) -> Answer:
    """A null came from a register: one that holds another value does not tell so."""
    values = known.register_now(match["register"].lstrip("$%"))
    return None if not values or 0 in values else False


def _near_null(match: re.Match[str], values: set[int]) -> bool:
    return "near" in match["null"].lower() and any(value < 0x10000 for value in values)


def _in_heap(match: re.Match[str], known: Known) -> Answer:
    """So many chunks of a heap are in use or free."""
    heaps = known.facts.all(Heap)
    if not heaps:
        return None
    used = "use" in match["state"] or "alloc" in match["state"]
    counts = {heap.in_use if used else heap.free for heap in heaps}
    counts.add(sum(heap.in_use if used else heap.free for heap in heaps))
    if match["count"].lower() in ("no", "none"):
        wanted = 0
    else:
        wanted = int(match["count"])
        said = rf"\b{wanted} (?:chunks )?(?:{'in use' if used else 'free'})"
        if any(re.search(said, line) for line in known.cited):
            return True
    if wanted in counts:
        return True
    state = "in use" if used else "free"
    return f"{' or '.join(map(str, sorted(counts)))} chunks are {state}, not {wanted}"


def _adjective(match: re.Match[str], known: Known) -> Answer:
    """The cited lines have this word only as denied."""
    word = match["adjective"]
    every = re.compile(rf"(?<![\w-])(?P<no>not |non-|no longer |never )?{word}\b", re.IGNORECASE)
    found = [m["no"] for line in known.cited for m in every.finditer(line)]
    if found and all(found):
        return f'the cited lines say "{found[0]}{word}"'
    return None


def _counted(match: re.Match[str], known: Known) -> Answer:
    """So many users, waiters, modules: a cited line has another number for that word."""
    noun = match["noun"].lower().rstrip("s")
    pattern = re.compile(rf"\b{noun}s?[ :=]{{1,2}}(\d+)\b|\b(\d+) {noun}s?\b", re.IGNORECASE)
    found = {int(m[1] or m[2]) for line in known.cited for m in pattern.finditer(line)}
    if not found or int(match["count"]) in found:
        return None
    return f"the cited lines count {' or '.join(map(str, sorted(found)))} {noun}s"


_REGISTER = (
    r"(?<![\w:.])`?(?P<register>[$%]?(?:[er]?(?:ax|bx|cx|dx|si|di|bp|sp|ip)|r\d{1,2}|"
    r"[xw]\d{1,2}|sp|pc|"
    r"lr))`?"
)
_NAME = r"`(?P<name>[$%*&]{0,3}[A-Za-z_][\w.>\[\]-]*)`"

VALUES: tuple[Relation, ...] = (
    (
        cased(
            r"\b(?:[Nn]ull|NULL|[Zz]ero|nullptr)(?: (?:pointer|value|address))?",
            r" (?:came|comes|was (?:read|taken|loaded|copied)|is (?:read|taken|loaded)|stems|",
            r"originate[sd]) (?:directly )?(?:from|out of|in) (?:the )?(?:register )?",
            _REGISTER,
        ),
        _null_from,
    ),
    (
        cased(
            r"(?<![\w`.>])(?P<name>[a-z_][a-z_0-9]{2,}) (?P<value>\d{1,18})(?!\w|\.\d|"
            r"-)(?! (?:bytes?|of)\b)",
        ),
        _bare_value,
    ),
    (
        cased(
            _REGISTER,
            r"(?: \([^()]*\))?,? (?:(?:which|that) )?(?:holds?|held|holding|contains?|"
            r"contained|is|was|has|carries) ",
            r"(?:then |still |now )?(?:the )?(?:value of |variable |argument |parameter |"
            r"pointer |address of |",
            r"counter |index |local )?(?:the )?`(?P<name>[A-Za-z_]\w*)`(?! \+| -|\w)",
        ),
        _holds_variable,
    ),
    (
        cased(
            _NAME,
            r"(?: \([^()]*\))?,? (?:(?:which|that) )?(?:is|was|were|are|has been|had been|"
            r"holds?|held|",
            r"contains?) (?:then |still |now |already )?(?:a |the )?`?",
            r"(?P<null>near[- ]null|null|NULL|nullptr|nil|zero)\b",
        ),
        _is_null,
    ),
    (
        cased(
            r"\b(?:a|the|its) (?P<null>near-null|null|NULL|zero) (?:pointer |argument |"
            r"value |variable )?",
            _NAME,
        ),
        _is_null,
    ),
    (
        whole(
            r"\b(?P<count>\d{1,9}|no|none)(?: of (?:the |its |them|those)?(?:\d+ )?)?",
            r"(?:(?: ?heap)? ?chunks?)? ?(?:of (?:the|this|its) (?:main )?heap )?(?:(?:is|"
            r"are|was|were) )?",
            r"(?P<state>in use|free|allocated)\b(?! (?:bytes|list|lists|memory))",
        ),
        _in_heap,
    ),
    (
        cased(
            r"\b(?:is|are|was|were|be|being) (?:a |an )?(?P<adjective>[a-z]{4,20})\b",
        ),
        _adjective,
    ),
    (
        cased(
            r"(?<![\w.])(?P<count>\d{1,9}) (?:other |more )?",
            r"(?P<noun>users?|waiters?|modules?|mappings?|readers?|writers?|owners?|heaps?)\b",
        ),
        _counted,
    ),
)
