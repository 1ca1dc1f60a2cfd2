"""What a sentence says of memory: which chunk an address lies in, whether it is free, what kind of
mapping holds it."""

import re

from workbench.agents.known import Known
from workbench.agents.relations.parts import Answer, Relation, among, hexadecimal, number, whole
from workbench.model.facts import Argument, FinalizerQueue, Heap, Memory, Region, StackShape


def _chunk(match: re.Match[str], known: Known) -> Answer:
    starts = known.chunk_starts
    if not starts:
        return None
    return among(number(match, "chunk"), starts, "the chunk is at")


def _in_chunk(match: re.Match[str], known: Known) -> Answer:
    address, start = number(match, "value"), number(match, "chunk")
    for chunk in known.chunks:
        if start in (chunk.start, chunk.start + 16):
            if start <= address < chunk.start + max(chunk.size, 17):
                return True
            return f"the chunk at {start:#x} has {chunk.size} bytes; {address:#x} is not in it"
    return _chunk(match, known)


def _held_at(match: re.Match[str], known: Known) -> Answer:
    """A pointer stands at an address of the heap."""
    value, cell = number(match, "value"), number(match, "cell")
    cells = {chunk.address: chunk.holds for chunk in known.chunks if chunk.holds is not None}
    if not cells:
        return None
    if cell not in cells:
        return among(cell, cells, "it stands at")
    return among(value, {v for v in cells.values() if v is not None}, "there stands")


def _next_header(match: re.Match[str], known: Known) -> Answer:
    broken = {h.broken_at for h in known.facts.all(Heap) if h.broken_at is not None}
    return among(number(match, "value"), broken, "the broken header is at")


def _whole(match: re.Match[str], known: Known) -> Answer:
    """The heap's headers and lists make sense, as far as heaps were walked."""
    heaps = known.facts.all(Heap)
    if not heaps:
        return None
    for heap in heaps:
        if heap.broken_at is not None:
            return f"the header at {heap.broken_at:#x} is broken"
    return "a free list leads nowhere" if any(heap.list_faults for heap in heaps) else True


def _damaged(match: re.Match[str], known: Known) -> Answer:
    """The heap's headers or lists make no sense."""
    answer = _whole(match, known)
    if answer is True:
        return "the heap is consistent as far as it was walked"
    return True if isinstance(answer, str) else None


_NEXT_TO = 0x10000


def _next_to(match: re.Match[str], known: Known) -> Answer:
    """An address right below or above the stack or the heap."""
    address, kind = number(match, "value"), match["kind"].lower()
    regions = [r for memory in known.facts.all(Memory) for r in memory.regions if r.kind == kind]
    if not regions:
        return None
    below = match["side"].lower() in ("below", "under", "before")
    gaps = [(r.start - address) if below else (address - r.end + 1) for r in regions]
    if any(0 < gap <= _NEXT_TO for gap in gaps):
        return True
    return f"{match['value']} lies next to no {kind}"


def _ready(match: re.Match[str], known: Known) -> Answer:
    """How many objects wait for their finalizer."""
    counts = {queue.ready for queue in known.facts.all(FinalizerQueue)}
    return among(number(match, "count"), counts, "those that are ready count")


def _end_of(match: re.Match[str], known: Known) -> Answer:
    before = {h.before for h in known.facts.all(Heap) if h.before is not None and h.overrun}
    return among(number(match, "chunk"), before, "the chunk that was overrun is at")


def _both_sides(match: re.Match[str], known: Known) -> Answer:
    return True if any(heap.overrun for heap in known.facts.all(Heap)) else None


def _array(match: re.Match[str], known: Known) -> Answer:
    arguments = known.facts.all(Argument)
    answer = among(number(match, "value"), {a.value for a in arguments}, "it is at")
    if answer is not True:
        return answer
    regions = {a.region for a in arguments if a.value == number(match, "value")}
    if match["kind"] is None or match["kind"] in regions:
        return True
    return f"{match['value']} lies in {' or '.join(sorted(regions))} memory"


def _freed(match: re.Match[str], known: Known) -> Answer:
    """Memory was used after it was freed."""
    if any(chunk.state not in ("in-use", "top", "header") for chunk in known.chunks):
        return True
    return None


def _given_back(match: re.Match[str], known: Known) -> Answer:
    values = {argument.value for argument in known.facts.all(Argument)}
    values |= {chunk.address for chunk in known.chunks}
    return among(number(match, "value"), values, "the pointer was")


def _state(match: re.Match[str], known: Known) -> Answer:
    """What a chunk that the sentence names is: free or in use."""
    free = "use" not in match["state"]
    groups = match.groupdict()
    named = {number(match, "chunk")} if groups.get("chunk") else set()
    chunks = [c for c in known.chunks if not named or c.start in named or c.start + 16 in named]
    chunks = [c for c in chunks if c.state not in ("top", "header")]
    if not chunks:
        return None
    is_free = [chunk.state != "in-use" for chunk in chunks]
    if all(state == free for state in is_free):
        where = groups.get("bin")
        states = {chunk.state for chunk in chunks}
        if where and where in _BINS and where not in states:
            return f"the chunk is in {' or '.join(sorted(states))}, not {where}"
        return True
    if any(state == free for state in is_free):
        return None
    return f"the chunk at {chunks[0].start:#x} is {chunks[0].state}"


_BINS = frozenset(("tcache", "fastbin", "unsorted", "bin"))


def _overrun(match: re.Match[str], known: Known) -> Answer:
    if not any(heap.overrun for heap in known.facts.all(Heap)):
        return None
    past = match["side"].startswith(("past", "beyond"))
    return True if past else "the same data stands on both sides of the end of the chunk"


_KINDS = {"stack": "stack", "heap": "heap", "file": "file"}


def _bound(match: re.Match[str], known: Known) -> Answer:
    """Where a thread's stack begins, at its lowest address, or ends."""
    begins = match["end"].startswith(("begin", "start"))
    shapes = known.facts.all(StackShape)
    bounds = {shape.start if begins else shape.end for shape in shapes} - {None}
    return among(number(match, "value"), {b for b in bounds if b is not None}, "it is at")


def _lies_in(match: re.Match[str], known: Known) -> Answer:
    kind = match["kind"].lower()
    region = known.region(number(match, "value"))
    if kind in ("unmapped", "not mapped"):
        if not known.has_map:
            return None
        return True if region is None else f"{match['value']} lies in a mapping: {region.kind}"
    if region is None or region.kind in ("unknown", "none"):
        return f"{match['value']} is in no mapping" if known.has_map and region is None else None
    wanted = _KINDS.get(kind, kind)
    if _is_kind(region, wanted):
        if wanted == "heap" and region.kind == "anonymous" and not _in_heap(match, known):
            return False
        return _permissions(match, region)
    return f"{match['value']} lies in {region.kind} memory, not in {wanted}"


def _part_of(match: re.Match[str], known: Known) -> Answer:
    """An address lies in the code or the data of a file."""
    region = known.region(number(match, "value"))
    if region is None or "?" in region.perms:
        return f"{match['value']} is in no mapping" if known.has_map and region is None else None
    name, part = (region.path or "").rpartition("/")[2], match["part"].lower()
    if match["name"] != name.replace("`", "'"):
        return f"{match['value']} lies in `{name or region.kind}`"
    held = (part == "code") == ("x" in region.perms)
    if held and part != "code":
        held = part.startswith("writable") == ("w" in region.perms)
    return True if held else f"{match['value']} is mapped {region.perms}"


def _in_heap(match: re.Match[str], known: Known) -> bool:
    """True in memory of which it is known that an allocator has it."""
    address = number(match, "value")
    heaps = known.facts.all(Heap)
    chunks = (chunk.start <= address < chunk.start + chunk.size for chunk in known.chunks)
    return any(h.start <= address < h.end for h in heaps) or any(chunks)


def _is_kind(region: Region, kind: str) -> bool:
    if kind == "heap":  # a large block is mapped by itself, an arena of a thread too
        return region.kind in ("heap", "anonymous")
    return region.kind == kind or (region.kind == "anonymous" and kind == "anonymous")


def _permissions(match: re.Match[str], region: Region) -> Answer:
    said = match.groupdict().get("permission")
    if not said or "?" in region.perms:
        return True
    words = said.lower()
    letter = "x" if "code" in words or "execut" in words else "w" if "writ" in words else "r"
    lacks = "without" in words or "not" in words
    if (letter not in region.perms) == lacks:
        return True
    return f"{match['value']} is mapped {region.perms}"


_CHUNK = r"chunk (?:of memory )?(?:that begins )?(?:at )?" + hexadecimal("chunk")
_STATE = (
    r"(?P<state>(?:already )?free(?:d)?(?: already)?|still in use|in use|allocated)"
    r"(?: \(?(?:in the )?(?P<bin>\w+)\)?)?"
)
_SIDE = r"(?P<side>past the end|beyond the end|before the (?:beginning|start))"

MEMORY: tuple[Relation, ...] = (
    (whole(r"\b", _CHUNK), _chunk),
    (
        whole(
            hexadecimal("value"),
            r":? (?:it )?(?:which |that )?(?:lies?|is|points?|was) (?:in|into|inside|within)",
            r"(?: of)? (?:the |a )?",
            _CHUNK,
        ),
        _in_chunk,
    ),
    (whole(r"same data stands? on both sides"), _both_sides),
    (
        whole(
            hexadecimal("value"),
            r" (?:stands?|stood|is stored|was stored) at ",
            hexadecimal("cell"),
        ),
        _held_at,
    ),
    (
        whole(
            r"(?:given back|passed to free|freed pointer|freed) (?:is|was) ",
            hexadecimal("value"),
        ),
        _given_back,
    ),
    (whole(_CHUNK, r",? (?:which |that |and )?(?:is|was|be) ", _STATE), _state),
    (
        whole(
            r"\bheap(?:'s)? (?:itself |otherwise )?(?:headers |structures |chunks |lists )?",
            r"(?:is|are|was|were) (?:otherwise |itself |still )?(?:whole|intact|"
            r"consistent|sound)\b",
        ),
        _whole,
    ),
    (whole(r"\b(?P<count>\d{1,18}) objects? (?:is|are) ready for finali[sz]ation"), _ready),
    (whole(r"header of the next (?:one|chunk) at ", hexadecimal("value")), _next_header),
    (whole(r"past the end of the ", _CHUNK), _end_of),
    (
        whole(
            r"(?:array|buffer|block|memory|destination) (?:on the (?P<kind>stack|heap) )at ",
            hexadecimal("value"),
        ),
        _array,
    ),
    (whole(r"use[ds]? (?:a block|memory|it|an object) after (?:it was )?(?:being )?freed"), _freed),
    (whole(r"memory (?:that |which )(?:is|was) ", _STATE), _state),
    (whole(_SIDE, r" of the chunk"), _overrun),
    (
        whole(
            r"\bstack,? (?:that |which )?(?P<end>begins?|starts?|ends?) at ", hexadecimal("value")
        ),
        _bound,
    ),
    (
        whole(
            hexadecimal("value"),
            r",? (?:which |that )?(?:lies?|is|was|points?) (?:in|into|to|inside)(?: of)? the ",
            r"(?P<part>code|read-only data|writable data) of `(?P<name>[^`]{1,200})`",
        ),
        _part_of,
    ),
    (
        whole(
            hexadecimal("value"),
            r",? (?:which |that )?(?:lies?|is|was|points?) (?:in|on|into|to|inside)?(?: of)? ?",
            r"(?:an? |the )?(?:mapped |main |process's )?",
            r"(?P<kind>stack|heap|file|anonymous(?= memory)|unmapped|not mapped)\b",
            r"(?:(?: \w+)? (?P<permission>(?:that )?may not run as code|(?:that )?may run as code|",
            r"mapped with(?:out)? write permission))?",
        ),
        _lies_in,
    ),
)

MEMORY_OF_MODELS: tuple[Relation, ...] = (
    (whole(r"\b(?P<kind>stack|heap)(?: memory)? at ", hexadecimal("value")), _lies_in),
    (
        whole(
            hexadecimal("value"),
            r",? (?:which |that )?(?:lies?|is|was|points?) (?:just|right|directly|immediately) ",
            r"(?P<side>below|above|under|before|behind|past) (?:the |its )?(?:\w+ )?",
            r"(?P<kind>stack|heap)\b",
        ),
        _next_to,
    ),
    (whole(r"\b(?:walk|heap)\b[^.;]{0,40}? found (?:it )?(?:consistent|intact|whole)\b"), _whole),
    (
        whole(
            r"\bheap(?:'s)? (?:itself )?(?:headers |structures |chunks |lists )?",
            r"(?:is|are|was|were|has been|had been) (?:itself |already )?",
            r"(?:damaged|corrupt(?:ed)?|broken|inconsistent|trashed|smashed)\b",
        ),
        _damaged,
    ),
    (
        whole(
            r"\b(?:\d+|one|two|some|a) (?:of (?:them|(?:its|the) chunks) |chunks? )?",
            r"(?:is |are )?",
            r"(?:damaged|corrupt(?:ed)?|broken)\b",
        ),
        _damaged,
    ),
)
