"""What a sentence says of the cause: named, it must be the one that the evidence decides; denied,
it may not be that one. And circumstances that only evidence can know of."""

import re
from itertools import islice

from workbench.agents.known import Known
from workbench.agents.relations.parts import (
    MOST_MATCHES,
    Answer,
    Relation,
    Statement,
    Test,
    cased,
    whole,
)
from workbench.model.facts import Finding

_SAID_AS = {
    "null-pointer-dereference": r"null pointer (?:is|was) (?:being )?(?:dereferenced|used)",
    "null-function-pointer-call": r"null function pointer (?:is|was) (?:being )?called",
    "assertion-failure": r"(?:assertion|check)(?: of the program's own)? (?:fail(?:s|ed)?|was hit)",
    "illegal-instruction": r"illegal instruction (?:is|was) (?:run|executed)|"
    r"(?:ran|runs?) an instruction that the processor refuses",
    "wild-pointer": r"pointer to nowhere (?:is|was) (?:dereferenced|used)|uses? a pointer to no",
    "corrupted-pointer": r"pointer (?:that )?(?:is|was) overwritten",
    "use-after-free": r"uses? (?:memory|a block) (?:that|after it) (?:is|was) (?:free|freed)",
    "double-free": r"freed (?:twice|memory that was free already)|double free",
    "stack-overflow": r"(?:ran|runs?) out of stack|(?:is|was) recursion",
    "stack-buffer-overflow": r"(?:wrote|writes?|about to write) past the end|"
    r"return address on the stack (?:is|was) overwritten",
    "heap-buffer-overflow": r"(?:wrote|writes?|ran) past the end",
    "buffer-overflow": r"(?:wrote|writes?|went|go|about to write) past the end",
    "divide-by-zero": r"divid(?:es?|ed) by zero",
    "integer-overflow": r"divid(?:es?|ed) by minus one|integer (?:result )?overflow(?:s|ed)?",
    "uncaught-exception": r"thr(?:ew|own|ows?) an exception|exception (?:is|was) thrown",
    "deadlock": r"wait for each other|holds? (?:it )?itself",
    "panic": r"\bpanicked",
    "explicit-abort": r"(?:ended|end|sent|send) (?:the process )?itself",
    "pure-virtual-call": r"called? a pure virtual function",
    "trap": r"(?:ran|run|runs)(?: into)? a (?:trap|breakpoint) instruction",
    "write-to-read-only-memory": r"(?:writes?|wrote) to read-only memory",
    "out-of-memory": r"[Mm]emory (?:ran|run) out",
    "data-race": r"used? the same memory at once",
    "bus-error": r"raised? a bus error",
    "external-signal": r"signal (?:is|was) sent",
}
"""How a sentence says that a cause is there. Only its denial is looked at: what was proved, or what
a tool says, cannot be denied in the same conclusion."""

_POINTERS = "corrupted-pointer wild-pointer uninitialized-pointer invalid-vtable type-confusion"
_BOUNDS = (
    "buffer-overflow heap-buffer-overflow stack-buffer-overflow out-of-bounds-write "
    "out-of-bounds-read"
)
_NAMED: tuple[tuple[str, str], ...] = (
    (
        r"use[- ]after[- ]free|UAF|dangling (?:pointer|reference)|(?:already[- ])?freed memory|"
        r"(?:pointer|object|block|memory|chunk|buffer) (?:is|was|had been|has been|being) "
        r"(?:already )?freed(?! twice| that no)|after (?:it|they) (?:was|were|had been) freed",
        "use-after-free double-free heap-corruption",
    ),
    (
        r"double[- ]free|freed twice|second free|frees? (?:\w+ ){0,3}(?:twice|again)",
        "double-free",
    ),
    (
        r"(?:writ(?:es?|ten|ing)|wrote|reads?|reading|ran|runs?|goes|went) "
        r"(?:past|beyond|over|off) the (?:end|bounds?)",
        _BOUNDS + " heap-corruption stack-overflow truncated-mapping bus-error",
    ),
    (
        r"return address (?:of `?[\w:~]+`? )?(?:is|was) (?:overwritten|smashed|corrupted)",
        "stack-buffer-overflow",
    ),
    (
        r"(?:aborts?|aborted|exits?|exited|ends?|ended) (?:itself )?(?:on purpose|deliberately|"
        r"intentionally)",
        "explicit-abort assertion-failure",
    ),
    (
        r"exception (?:left|leaves|escaped|escapes|propagated|was thrown|is thrown|was raised)",
        "uncaught-exception std-terminate missing-method version-mismatch library-load-failure "
        "out-of-memory",
    ),
    (
        r"(?:sent|came|comes|arrived|killed) from outside|sent by another process",
        "external-signal",
    ),
    (r"invalid free", "invalid-free mismatched-deallocation"),
    (
        r"heap (?:buffer )?over(?:flow|run)",
        "heap-buffer-overflow buffer-overflow heap-corruption out-of-bounds-write",
    ),
    (
        r"heap (?:corruption|(?:is|was|had been) corrupt(?:ed)?)|corrupt(?:ed)? heap",
        "heap-corruption double-free invalid-free mismatched-deallocation " + _BOUNDS,
    ),
    (
        r"stack (?:buffer overflow|smashing|corruption)|smashed stack|stack was smashed",
        "stack-buffer-overflow buffer-overflow",
    ),
    (r"buffer over(?:flow|run)", _BOUNDS + " heap-corruption"),
    (r"out[- ]of[- ]bounds", _BOUNDS + " panic uncaught-exception assertion-failure trap"),
    (
        r"null[- ]pointer|null dereference|dereferenc\w+ (?:of )?(?:a )?null|pointer is null",
        "null-pointer-dereference null-function-pointer-call unchecked-allocation",
    ),
    (
        r"(?:un|never |not )initiali[sz]ed",
        "uninitialized-pointer uninitialized-value null-pointer-dereference wild-pointer "
        "corrupted-pointer null-function-pointer-call",
    ),
    (r"type confusion|wrong type", "type-confusion invalid-vtable uncaught-exception panic"),
    (
        r"stack (?:overflow|exhaustion|was exhausted|ran out)|(?:infinite|unbounded|endless|deep|"
        r"runaway) recursion|out of stack|recurs(?:es?|ed) (?:without (?:end|limit)|forever|"
        r"infinitely|endlessly)",
        "stack-overflow",
    ),
    (r"divi(?:sion|d(?:es?|ed|ing)) by zero", "divide-by-zero"),
    (
        r"(?:integer|arithmetic) overflow",
        "integer-overflow divide-by-zero panic unchecked-allocation heap-buffer-overflow trap "
        "uncaught-exception",
    ),
    (
        r"assertion (?:failure|failed|fails)|failed assertion",
        "assertion-failure explicit-abort panic trap",
    ),
    (
        r"dead[- ]?lock(?:ed|s)?|lock[- ]order inversion|circular wait",
        "deadlock missed-wakeup thread-starvation",
    ),
    (r"(?:thread|pool) starvation|starved", "thread-starvation"),
    (r"(?:lost|missed) wake-?up", "missed-wakeup"),
    (
        r"(?:data )?race(?: condition)?s?|raced (?:for|on|to)|concurrent(?:ly)?|"
        r"simultaneous(?:ly)?|at the same time",
        "data-race",
    ),
    (
        r"(?:infinite|endless) loop|live-?lock(?:ed)?|busy[- ]wait\w*|spins?(?: forever)?",
        "infinite-loop high-cpu",
    ),
    (
        r"out[- ]of[- ]memory|memory (?:exhaustion|was exhausted)|OOM",
        "out-of-memory memory-leak unchecked-allocation",
    ),
    (r"memory leaks?|leak(?:s|ed)(?: memory)?", "memory-leak out-of-memory"),
    (
        r"(?:allocation|malloc|calloc|mmap) (?:has )?failed|failed (?:allocation|malloc|mmap)",
        "unchecked-allocation out-of-memory explicit-abort uncaught-exception panic std-terminate",
    ),
    (r"misalign(?:ed|ment)|unaligned", "misaligned-access bus-error"),
    (r"pure virtual", "pure-virtual-call"),
    (r"format string", ""),
    (r"type of the object (?:is|was) wrong", "type-confusion invalid-vtable " + _POINTERS),
)
"""A cause as a sentence names it, and the categories that it may be said of."""

_CIRCUMSTANCES = (
    r"third[- ]party|customers?|(?:the|a|an|end) users?|administrators?|operators?|attackers?|"
    r"malware|exploit(?:s|ed|able|ation)?|malicious|hackers?|"
    r"hardware (?:fault|error|failure|defect)|bad (?:RAM|memory module)|cosmic|overheat\w*|"
    r"power (?:loss|failure|outage)|disk (?:space|full|was full|is full|error|failure)|"
    r"network (?:outage|failure|error|partition|timeout)|database|server restart(?:ed)?|reboot\w*|"
    r"OOM killer|out-of-memory killer|antivirus|firewall|docker|kubernetes|container|"
    r"parent process|untrusted|(?:user|network) input|(?:from|over|for) the network|sockets?|"
    r"compiled (?:with|without)|compiler flags?|iterators?|"
    r"compiler (?:bug|error|optimi[sz]ation)|"
    r"(?:without|with(?: full)?) optimi[sz]ations?|false positive|"
    r"(?:next|previous|latest|new|old(?:er)?|recent) (?:release|version|update|deployment|commit)|"
    r"regression|patch(?:ed)?|known bug|CVE-\d+-\d+|"
    r"(?:days|hours|weeks|months) (?:ago|earlier|before|of uptime)|"
    r"shut(?:ting)? ?down|start(?:ing)? up|exited normally|no crash|"
    r"(?:in|by) the kernel(?! says)|kernel (?:bug|driver|module)|device driver|"
    r"virtual machine|hypervisor|emulator"
)
"""What happened around a crash. A dump tells little of it, so that its words must stand in what is
cited."""

_NO = re.compile(r"\b(?:no|without|neither|nor)(?: (?:sign|trace) of)? (?:an? )?$", re.IGNORECASE)
_HEDGE = re.compile(
    r"\b(?:may|might|could|can|would|possibl[ey]|perhaps|maybe|likely|whether|if|or|suggests?|like|"
    r"typical|prove[sdn]?|tell|rules? out|ruled out|no sign|nothing|neither|nor|against|instead|"
    r"rather|unlike|without|no|either|such as|often|usually|looks?|expected|open)\b[^.;:]{0,60}$",
    re.IGNORECASE,
)


def _phrase(pattern: str) -> Statement:
    """Whole words, with blanks of any width between them."""
    return whole(r"\b(?:", pattern.replace("[- ]", r"[-\s]"), r")\b")


def _named_as(pattern: str) -> Statement:
    """The same with the verb in front, which may be denied, as groups of which ``said`` is it."""
    said = pattern.replace("[- ]", r"[-\s]")
    return whole(r"\b(?:(?:is|was|are|were|be|been) (?:an? |the )?)?(?P<said>", said, r")\b")


def _is_stated(match: re.Match[str], known: Known) -> bool:
    """True where the cited lines have these words, as a tool's or the program's own."""
    said = re.sub(r"^(?:the|an?)\s+", "", _said(match).lower())
    words = re.escape(said).replace(r"\ ", r"\s+")
    return any(re.search(words, line.lower()) for line in known.cited)


def _said(match: re.Match[str]) -> str:
    return (match.groupdict().get("said") or match[0]).strip()


def _is_reported(match: re.Match[str], known: Known) -> bool:
    """True where a tool names the stack on which memory was freed."""
    roles = {role.role for finding in known.facts.all(Finding) for role in finding.stacks}
    return _said(match).lower().endswith("freed") and "free" in roles


def _denied(category: str) -> Test:
    def test(match: re.Match[str], known: Known) -> Answer:
        return True if category in known.causes else None

    return test


def _named(categories: frozenset[str]) -> Test:
    def test(match: re.Match[str], known: Known) -> Answer:
        before = match.string[max(match.start() - 100, 0) : match.start("said")]
        if known.causes & categories or _is_reported(match, known):
            return "the evidence says that there is" if _NO.search(before) else True
        if _HEDGE.search(before):
            return None
        if _is_stated(match, known):
            return True
        decided = " and ".join(sorted(filter(None, known.causes))) if known.causes else "no cause"
        return f'nothing shows "{_said(match)}"; the evidence decides {decided}'

    return test


def _circumstance(match: re.Match[str], known: Known) -> Answer:
    if _is_stated(match, known):
        return None
    return f'"{match[0].strip()}" stands in none of the cited lines'


def _handler(match: re.Match[str], known: Known) -> Answer:
    """A handler was running: a stack shows the frame that the kernel lays below it."""
    if any(frame.signal_handler for frame in known.frames) or _is_stated(match, known):
        return None
    return "no stack shows a signal handler"


CAUSES: tuple[Relation, ...] = (
    *((cased(pattern), _denied(category)) for category, pattern in _SAID_AS.items()),
    *(
        (_named_as(pattern), _named(frozenset(categories.split())))
        for pattern, categories in _NAMED
    ),
    (_phrase(_CIRCUMSTANCES), _circumstance),
    (whole(r"\bsignal(?:'s)? handler\b"), _handler),
)

_NAMES = tuple((_phrase(pattern), frozenset(categories.split())) for pattern, categories in _NAMED)


def causes_in(text: str) -> list[tuple[re.Match[str], frozenset[str]]]:
    """The words of a sentence that name a cause, stated, denied or only supposed, each with the
    categories that it may be said of."""
    return [
        (match, categories)
        for statement, categories in _NAMES
        for match in islice(statement.said_in(text), MOST_MATCHES)
    ]
