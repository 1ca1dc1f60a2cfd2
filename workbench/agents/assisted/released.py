"""What released a block: the one line of the source that releases that member or such an object."""

import re
from collections.abc import Sequence
from functools import partial

from analyzers.patterns.case import NEAR_NULL, Case
from analyzers.patterns.dangling import from_behind
from workbench.agents.assisted import rivals
from workbench.agents.assisted.bounds import wholes
from workbench.agents.assisted.carried import carried, led_by
from workbench.agents.assisted.claims import hold
from workbench.agents.assisted.code import Code, is_to_come, only_at
from workbench.agents.assisted.dump import ELEMENTS, LEAST, Dump, Found, Place
from workbench.agents.assisted.followed import MAKES, element, is_taken, leads_only, template
from workbench.agents.assisted.lines import Line
from workbench.agents.assisted.marks import begins_with, is_in, is_one, makers, zero_fills
from workbench.agents.assisted.once import once
from workbench.agents.assisted.outside import Proved
from workbench.agents.assisted.reissued import is_new, owner, stays
from workbench.agents.assisted.rivals import is_wrapped, leading
from workbench.agents.assisted.twice import is_later, second
from workbench.agents.ports import Ports
from workbench.claims.chain import OVERFLOWS, breaks
from workbench.claims.say import say
from workbench.claims.source import is_certain, normal
from workbench.claims.source.names import FILLS
from workbench.claims.source.shapes import member, plain_callee
from workbench.claims.source.text import CPP, class_of, last_name, words
from workbench.claims.values import NULL, number
from workbench.model.category import Category
from workbench.model.claims import Claim
from workbench.model.facts import Chunk, Fault

IN_USE = (None, "in-use", "header", "top")
_OF = re.compile(r"&(?P<of>.+?)(?:->|\.)\w+(?:\[\w+\])?|&?(?P<itself>[^&]+)")
"""The object that a value is of, by the address of a member or by its own."""
_NAMES_CELL = words("loaded value data chunk outside")
"""Statements that say which cell it was."""
_TEXTS = words("std::string string String &str")
_WORD = 8
_PAGE = 0x1000
_WORDS = re.compile(r"(?<![\w.>])[A-Za-z_]\w*(?:(?:->|\.)\w+)*")
_HEADS = {
    **dict.fromkeys(words("map multimap set multiset"), (32,)), "list": (16,), "forward_list": (8,),
    **dict.fromkeys(words("unordered_map unordered_multimap unordered_set unordered_multiset"),
                    (8, 16)),
}  # fmt: skip
"""Bytes in front of the element in a node of libstdc++'s containers (bits/stl_tree.h, stl_list.h,
hashtable_policy.h, which keeps the hash of some keys)."""
_NODE = 64
"""Bytes that libstdc++'s nodes and malloc take beside an element, at most."""


async def freed(dump: Dump, line: Line) -> Proved:
    """One line of the source releases that member or such an object; and the block that was used is
    free, or what failed lay in another one than the member leads to now."""
    twice = await second(dump)
    free = list(twice.said) if twice else await _free(dump, line)
    again = await _given_again(dump, line) if not free else ()
    free = free or list(again[:1])
    if any([await _is_of_another(dump, line, one) for one in free]) or (
        await _has_another_size(dump, line, free)
    ):
        return ()
    if not twice and await _may_be_unset(dump, free):
        return ()
    others = _releasing(dump.code, line)
    if twice and not any(map(twice.line.is_at, others)):
        return ()  # it releases what that line does not
    if twice and twice.line.is_at(line) and not _may_be_first(dump.code, line):
        return ()
    for other in others:
        if not (
            other.is_at(line)
            or (twice is not None and await is_later(dump, twice, other))
            or (
                other.function.endswith(f"::~{class_of(other.function)}")
                and rivals.all_live(dump.code, class_of(other.function))
            )
            or _was_before(dump, other)
            or _is_empty(dump.code, other)
            or _made_it(dump.code, other)
            or await rivals.cannot_have(dump, other)
            or await _is_elsewhere(dump, other, free)
            or await _is_given_another(dump, other, free)
            or await _has_another_size(dump, other, free)
        ):
            return ()
    element = rivals.grows(line) and await _led(dump, line) is not None
    if rivals.may_release(dump.code, line, element=element):
        return ()
    if rivals.is_by_owner(line) and not await _gave_back(dump, line, free):
        return ()
    if free:
        return again or tuple(free)
    held = [await dump.of(place, line.of("expression"), line) for place in dump.places(line)]
    used, code = await _used(dump), dump.code
    if any(one is not None and one.value == 0 for one in held):
        return ()  # what it led to is gone from it
    if not used:  # no block failed that is one still
        return await _was_unmapped(dump, line)
    local = code.owners.is_local(line.of("expression"), line.function)
    if await _lay_in_another(dump, line, used) or (local and not rivals.is_by_owner(line)):
        return ()
    for place in dump.places(line):
        own = await dump.of(place, f"&{line.of('expression')}", line)
        if own and own.value in used:
            return ()  # what failed was reached by what the member has now
        for end in ELEMENTS:
            now = await dump.of(place, f"{line.of('expression')}{end}", line)
            chunk = await dump.chunk(now.value) if now and now.value >= LEAST else None
            last = chunk.start + chunk.size if chunk else 0
            apart = [at for at in used if chunk and not chunk.start <= at < last]
            if chunk and now and apart and not dump.damaged(chunk.start, last):
                return await dump.said(now)
    return ()


async def _led(dump: Dump, line: Line) -> tuple[Found, Line] | None:
    """The variable whose value failed, where one line alone makes what it has, which leads into the
    array of the member that a line releases; with that line."""
    fault, code = dump.ports.state.facts.once(Case).fault, dump.code
    cell = code.cell_of(line, line.of("expression"))
    for frame, path in carried(dump) if fault and cell[0] and cell[1] else ():
        own = path.removeprefix("&").isidentifier() or member(path)
        made = led_by(code, frame.function or "", path, cell) if own else None
        held = await dump.value(Place(frame), path) if made else None
        if made and held and fault and held.value == fault.base_value:
            return held, made
    return None


async def _was_unmapped(dump: Dump, line: Line) -> Proved:
    """What failed led into the array of the member that a line releases, nothing is mapped there,
    and the member has another block now, which is mapped alone as large ones are (mallopt(3),
    M_MMAP_THRESHOLD): the one before was given back to the system. An element of the array that
    the variable led to then lies in the new one."""
    case, found = dump.ports.state.facts.once(Case), await _led(dump, line)
    at = case.fault.operand if case.fault else None
    if found is None or not at or case.region(at) or not case.memory:
        return ()
    then, led = found
    made = led.of("expression") if led.row.kind != "loops" else ""
    made = f"&{made}" if made and then.expression[:1] == "&" else made
    for place in dump.places(line) if _is_counted(dump.code, led) else ():
        ends = [await dump.of(place, f"{line.of('expression')}{end}", line) for end in ELEMENTS]
        now = next((one for one in ends if one), None)
        chunk = await dump.chunk(now.value) if now else None
        same = await dump.of(place, made, led.into(leading(made))) if made else now
        block = range(chunk.start, chunk.start + chunk.size) if chunk else range(0)
        if now and chunk and same and not chunk.start % _PAGE and (
            same.value in block and then.value not in block
        ):  # fmt: skip
            return await dump.said(then, now)
    return ()


def _is_counted(code: Code, line: Line) -> bool:
    """True where the index of what leads into an array is a number, or a member that is only added
    to since its object was made: it was no larger before."""
    array = leading(line.of("expression"))
    names = _WORDS.findall(line.of("expression").replace(array, "", 1))
    return all(
        stores and not is_taken(code, cell) and all(
            one.of("operator") in ("++", "+=") or is_in(one, makers(code, str(cell[0])))
            for one in stores
        )
        for name in names
        for cell in [code.owners.cell(name, line.function)]
        for stores in [code.stores(*cell) if cell[1] else []]
    )  # fmt: skip


async def _is_of_another(dump: Dump, line: Line, free: Claim) -> bool:
    """True where what leads to a free block, by a value of the chain or of what failed, itself or
    on the way, is declared as leading to what the line does not release."""
    code, owners = dump.code, dump.code.owners
    chunk = await dump.chunk(number(str(free.get("address"))) or 0)
    start = chunk.address - chunk.offset if chunk is not None else 0
    led = set[str]()
    shown = [(dump.live(str(link.get("function"))), normal(str(link.get("expression"))))
             for link in dump.chain if link.kind == "value"]  # fmt: skip
    for frame, path in (*shown, *carried(dump)) if start else ():
        for one in (path, path.lstrip("&").rpartition("->")[0]):
            held = await dump.value(Place(frame), one) if one and frame else None
            of = owners.points_to(one, frame.function or "") if frame and one[:1] != "&" else None
            if held and held.value == start and of:
                led.add(of)
    return _are_others(code, line, led)


def _are_others(code: Code, line: Line, led: set[str]) -> bool:
    """True where objects of some types are none that a line releases, nor a part of one."""
    owners = code.owners
    kind = owners.points_to(line.of("expression"), line.function)
    if kind is None:  # what a parameter is given, a cast may have made such
        types = code.types(line, line.of("expression"))
        given = line.of("expression") in code.parameters(line.function)
        return bool(led and types) and not given and not any("void" in one for one in types)
    known = {*owners.begins(kind), *owners.around(kind), *owners.bases(kind)}
    return bool(led) and not any(
        of in known or kind in (*owners.bases(of), *owners.begins(of), *owners.around(of))
        for of in led
    )


async def _may_be_unset(dump: Dump, free: Sequence[Claim]) -> bool:
    """True where a member that leads to a free block may have been left by who made its object:
    what it has may be what an older one of that memory had."""
    code = dump.code
    chunks = [await dump.chunk(number(str(one.get("address"))) or 0) for one in free]
    for frame, path in carried(dump) if free else ():
        whole = path.lstrip("&*")
        for end in (*(at.start() for at in re.finditer(r"->|\.|\[", whole)), len(whole)):
            struct, field = code.owners.cell(whole[:end], frame.function or "")
            making = makers(code, str(struct)) or [
                one for one in code.of_kind("allocates")
                if struct and code.owners.points_to(one.of("target"), one.function) == struct
            ]  # fmt: skip
            held = await dump.value(Place(frame), whole[:end]) if field else None
            inside = held and any(
                one and one.start <= held.value < one.start + one.size for one in chunks
            )
            if inside and any(None in begins_with(code, one, str(struct), field) for one in making):
                return True
    return False


async def _lay_in_another(dump: Dump, line: Line, used: Sequence[int]) -> bool:
    """True where what failed was read from a member of an object that a line does not release."""
    of = set[str]()
    for frame, path in carried(dump):
        at = await dump.value(Place(frame), f"&{path}") if member(path) else None
        struct = dump.code.owners.owner(path, frame.function or "")
        if at is not None and at.value in used and struct:
            of.add(struct)
    return _are_others(dump.code, line, of)


async def _used(dump: Dump) -> list[int]:
    """What failed, and what that was read from, as far as it lies in memory that blocks are of."""
    facts = dump.ports.state.facts
    case, fault = facts.once(Case), facts.first(Fault)
    if fault is None or (fault.operand is not None and fault.operand < NEAR_NULL):
        return []
    read = [*(load.source for load in fault.origin if not load.own), *await _read_from(dump)]
    found = [(at, case.region(at)) for at in (fault.operand, *read) if at is not None]
    return [at for at, one in found if one is not None and one.kind in ("heap", "anonymous")]


async def _free(dump: Dump, line: Line) -> list[Claim]:
    """What the chain says of blocks that are free, else that those are which its values lead to: of
    such that hold what failed, or what that was read from."""
    said = [one for one in dump.chain if one.kind == "chunk" and one.get("state") not in IN_USE]
    values = [number(str(one.get("value"))) for one in dump.chain if one.kind == "value"]
    for value in values if not said else ():
        chunk = await dump.chunk(value) if value and value >= LEAST else None
        if chunk is not None and chunk.offset == 0 and chunk.state not in IN_USE:
            said.append(say("chunk", (chunk.cite,), address=value, state=chunk.state))
    fault, failed = await _failed(dump)
    failed += _linked(dump, line, fault)
    for at in failed if not said else ():  # no link says of which block it is
        chunk = await dump.chunk(at) if at and at >= LEAST else None
        if chunk is not None and chunk.state not in IN_USE and await _is_for(dump, line, chunk):
            said.append(say("chunk", (chunk.cite,), address=at, state=chunk.state))
    found, case = [], dump.ports.state.facts.once(Case)
    for one in await hold(dump.ports, said):
        chunk = await dump.chunk(number(str(one.get("address"))) or 0)
        if (
            one.holds
            and chunk is not None
            and not from_behind(case, chunk)
            and (
                fault is None
                or any(at and chunk.start <= at < chunk.start + chunk.size for at in failed)
                or await _holds(dump, chunk, {at for at in failed if at})
            )
        ):
            found.append(one)
    return found


async def _read_from(dump: Dump) -> list[int]:
    """Where the places lie that the value which failed was in on its way to a library's function,
    and is now: no instruction of the program's own is what failed."""
    fault, found = next(iter(dump.ports.state.facts.all(Fault)), None), []
    if fault is None or not all(load.own for load in fault.origin):
        return []
    for frame, place in carried(dump):
        held = await dump.value(Place(frame), place) if member(place) else None
        if held is not None and held.value in (fault.operand, fault.base_value):
            at = await dump.value(Place(frame), f"&{place}")
            found += [at.value] if at is not None else []
    return found


async def _failed(dump: Dump) -> tuple[Fault | None, list[int | None]]:
    """The fault, with what failed and from where and through what that was loaded."""
    fault = next(iter(dump.ports.state.facts.all(Fault)), None)
    loads = fault.origin if fault is not None else ()
    failed = [*(load.source for load in loads), *(load.value for load in loads),
              *await _read_from(dump)]  # fmt: skip
    return fault, failed + ([fault.operand, fault.base_value] if fault is not None else [])


def _linked(dump: Dump, line: Line, fault: Fault | None) -> list[int]:
    """Where the heap has what failed: in one place alone, the first word of a free block, in which
    free() keeps its links. What led there may have been set to what was read (``at = at->next``),
    the first member of such an object, which each has had a value of since it was made."""
    code, struct = dump.code, _kind(dump.code, line) or ""
    base = fault.base_value if fault is not None else None
    kept = {one.address: one for one in dump.ports.state.facts.all(Chunk)
            if one.holds is not None and one.holds == base}  # fmt: skip
    first = next((name for of, name in code.owners.members if of == struct), "")
    making = makers(code, struct)
    known = bool(first and making) and not any(
        None in begins_with(code, one, struct, first) for one in making
    )
    return [at for at, one in kept.items() if known and len(kept) == 1 and not one.offset
            and one.state not in IN_USE]  # fmt: skip


async def _given_again(dump: Dump, line: Line) -> Proved:
    """That the block which what failed was read from, as large as one for what a line releases, has
    been given out again since: a variable has it alone."""
    for at in (await _failed(dump))[1]:
        chunk = await dump.chunk(at) if at and at >= LEAST else None
        if chunk is None or chunk.state != "in-use" or not await _is_for(dump, line, chunk):
            continue
        held = await owner(dump, chunk.address - chunk.offset)
        if held and (held.frame.index, held.expression) in _began_with(dump):
            return ()  # it leads to its own block
        said = [say("chunk", (chunk.cite,), address=at, state=chunk.state)]
        found = await hold(dump.ports, said) if held else ()
        if held and all(one.holds for one in found):
            return (*found, *await dump.said(held))
    return ()


def _began_with(dump: Dump) -> set[tuple[int, str]]:
    """The variables by which what failed was reached, with their frames' numbers."""
    found = set[tuple[int, str]]()
    for frame, path in [*carried(dump)][-1:]:
        root = re.split(r"\W", path.lstrip("&*("))[0]
        found |= {(one.index, name) for one, name in carried(dump, (frame, root))}
    return found


async def _holds(dump: Dump, chunk: Chunk, failed: set[int]) -> bool:
    """True where what failed is what free() left at a block's beginning: the links of its list. The
    second word of a block in a thread's cache is the key that all of those have (malloc.c)."""
    start = chunk.address - chunk.offset
    for frame in dump.frames[:1]:
        for at in (start,) if chunk.state == "tcache" else (start, start + _WORD):
            held = await dump.value(Place(frame), f"*(unsigned long *){at:#x}")
            if held is not None and held.value >= LEAST and held.value in failed:
                return True
    return False


async def met(
    ports: Ports, chain: Sequence[Claim], code: Code, category: Category | None
) -> tuple[Claim, ...]:
    """The links up to the one that names an object, and the one that releases such: the block that
    it is in is as large as one, or as an array of them, and no other object that may stand there is
    released by another line. Empty where that is not so."""
    if category in OVERFLOWS:  # the proof says that what the chain names lies behind its elements
        ends = [at for at, link in enumerate(chain[:-1], 1)
                if link.kind in _NAMES_CELL and not breaks(chain[:at])]  # fmt: skip
        return (*chain[: ends[-1]], chain[-1]) if ends else ()
    lines, owners = code.kept(chain[-1]), code.owners
    fills = chain[-1].kind == "calls" and plain_callee(str(chain[-1].get("callee"))) in FILLS
    if not (chain[-1].kind == "frees" or fills) or len({(one.file, one.at) for one in lines}) != 1:
        return ()
    dump, line = Dump(ports, chain, code, category), lines[0]
    if chain[0].kind == "message" and not fills and await second(dump):
        return (chain[0], chain[-1])  # of what its frame releases
    given = code.passed(line).get(1) if fills else line
    kind = owners.points_to(given.of("expression"), line.function) if given else None
    for at, link in enumerate(chain[:-1], 1):
        if kind is None or breaks(chain[:at]):
            break
        frame = dump.live(str(link.get("function")))
        shown = _OF.fullmatch(normal(str(link.get("expression"))))
        if link.kind != "value" or frame is None or shown is None:
            continue
        path = shown["of"] or shown["itself"]
        of = owners.points_to(path, frame.function or "")
        if fills and of == kind and link.get("expression") != path:
            return (*chain[:at], chain[-1])  # of which object, the proof tells by its member
        others = (one for one in code.of_kind("frees")
                  if not (one.is_at(line) or is_to_come(code, one)))  # fmt: skip
        if fills or (of != kind and (of not in owners.bases(kind) or any(
            owners.points_to(one.of("expression"), one.function) in owners.around(of)
            for one in others
        ))):  # fmt: skip
            continue
        start = await dump.value(Place(frame), path)
        named = [f"*({path})"] if of == kind else [f"struct {kind}", kind]
        named += [one for one in owners.structs if one != kind and kind in owners.bases(one)]
        sizes = [await dump.value(Place(frame), f"sizeof({one})") for one in named]
        chunk = await dump.chunk(start.value) if start else None
        if chunk and any(
            size and chunk.offset % size.value == 0 and _fits_some(chunk.size, size.value)
            for size in sizes
        ):
            last = at + 1 if chain[at].kind == "chunk" and not breaks(chain[: at + 1]) else at
            return (*chain[:last], chain[-1])
    return ()


async def _is_for(dump: Dump, line: Line, chunk: Chunk) -> bool:
    """True for a chunk as large as one for what a line releases."""
    kind = _kind(dump.code, line) or ""
    for frame in dump.frames[:1]:
        for name in (f"struct {kind}", kind) if kind.isidentifier() else ():
            size = await dump.value(Place(frame), f"sizeof({name})")
            if size is not None:
                sizes = [size.value, *await _nodes(dump, line, Place(frame), size.value)]
                return any(fits_one(chunk.size, one) for one in sizes)
    return False


async def _nodes(dump: Dump, line: Line, place: Place, size: int) -> list[int]:
    """The bytes of libstdc++'s node for an element of so many, of the container that a line takes
    one out of: the key of a map lies in it, too."""
    types = {dump.code.owners.meant(one) for one in dump.code.types(line, line.of("expression"))}
    head, key, *_ = template(types.pop()) if len(types) == 1 else ["", ""]
    name = last_name(head)
    beside = await dump.value(place, f"sizeof({key})") if name.endswith("map") else None
    if name.endswith("map") and beside is None:
        return []
    return [one + (-(-beside.value // _WORD) * _WORD if beside else 0) + size
            for one in _HEADS.get(name, ())]  # fmt: skip


def fits_one(chunk: int, size: int) -> bool:
    """Whether a chunk of glibc is one for so many bytes (request2size of malloc.c)."""
    return chunk == max(32, (size + 23) & ~15)


def _fits_some(chunk: int, size: int) -> bool:
    """Whether a chunk of glibc is one for objects of a size, as many as it has room for."""
    return 0 < size < chunk and fits_one(chunk, (chunk - _WORD) // size * size)


async def _gave_back(dump: Dump, line: Line, free: Sequence[Claim]) -> bool:
    """True where the object whose member's memory a line releases is not released itself, and what
    is free is as large as an element of a container of C++, also of a class that derives from its
    type, with what stands beside it there, or as the elements of an array that grew."""
    owners = dump.code.owners
    of = owners.points_to(line.of("expression"), line.function)
    grows = rivals.grows(line)
    if grows and not _names_one(dump, of):
        return False
    for place in dump.places(line):
        at = await dump.of(place, f"&{line.of('expression')}", line)
        owner = await dump.chunk(at.value) if at else None
        if at is None or (owner is not None and owner.state not in IN_USE):
            continue
        if line.text.language != CPP or (grows and not free):
            return True
        made = [one for one in owners.structs if of and of in owners.bases(one)]
        names = [one for kind in made for one in (f"{class_of(line.function)}::{kind}", kind)]
        sizes = [await dump.value(place, f"sizeof({name})") for name in names]
        chunks = [await dump.chunk(number(str(one.get("address"))) or 0) for one in free]
        for size in filter(None, sizes):
            nodes = [] if grows else await _nodes(dump, line, place, size.value)
            if any(
                _fits_some(one.size, size.value) if grows
                else 0 <= one.size - size.value < _NODE or fits_one(one.size, node)
                for one in chunks if one for node in nodes or [size.value]
            ):  # fmt: skip
                return True
        return False
    return False


def _names_one(dump: Dump, kind: str | None) -> bool:
    """True where a value of the chain is of an object of that type, which an array has."""
    owners = dump.code.owners
    shown = [(str(one.get("function")), _OF.fullmatch(normal(str(one.get("expression")))))
             for one in dump.chain if one.kind == "value"]  # fmt: skip
    return any(
        found is not None
        and kind in owners.bases(owners.points_to(found["of"] or found["itself"], function) or "")
        for function, found in shown
    )


def _was_before(dump: Dump, line: Line) -> bool:
    """True for a line that ``main``, which runs once, had behind it when it set, in the only line
    that sets it, the member whose value is what is free."""
    code = dump.code
    free = {one.get("address") for one in dump.chain if one.kind == "chunk"}
    fields = {member(normal(str(one.get("expression")))) for one in dump.chain
              if one.kind == "value" and number(str(one.get("value"))) in free}  # fmt: skip
    for mine in (one for link in dump.chain if link.kind == "assigns" for one in code.kept(link)):
        struct, field = code.member_of(mine)
        sets = [one for one in code.stores(struct, field) if one.of("expression") not in NULL]
        if mine.function == "main" and field in fields - {""} and all(map(mine.is_at, sets)) and (
            _is_new(code, mine, line) and is_certain(mine.text, mine.at)
            and only_at(code, line, partial(_is_before, code, mine))
        ):  # fmt: skip
            return True
    return False


@once
def _is_empty(code: Code, line: Line) -> bool:
    """True for room that a constructor makes in a container of its own object which it has not
    named before: nothing leads into that yet."""
    of = class_of(line.function)
    cell = code.owners.cell(line.of("expression"), line.function)
    return (
        last_name(line.of("callee")) == "reserve"
        and line.function == f"{of}::{of}"
        and cell[0] == of
        and line.of("expression").removeprefix("this->") == cell[1]
        and not any(
            use.line.function == line.function and use.line.at < line.at
            for use, _ in code.through((of, cell[1]))
        )
    )


@once
def _made_it(code: Code, line: Line) -> bool:
    """True for a line that runs once and alone makes such objects: what it lets go of is older."""
    kind = code.owners.points_to(line.of("expression"), line.function)
    born = [one for one in code.of_kind("allocates")
            if kind and (code.owners.points_to(one.of("target"), one.function) == kind
                         or code.owners.bare(one.of("type")) == kind)]  # fmt: skip
    born += [one for one in code.of_kind("calls") if (made := MAKES.fullmatch(one.of("callee")))
             and code.owners.bare(made[1]) == kind]  # fmt: skip
    return bool(born) and all(map(line.is_at, born)) and code.runs_once(line)


def _is_new(code: Code, mine: Line, line: Line) -> bool:
    """True for one that sets what it allocates, what the called function does and returns, or what
    the owner has that the other line releases by: what was kept elsewhere may have been released
    before."""
    born, made = code.of_kind("allocates"), mine.of("expression")
    called = last_name(made.partition("(")[0]) if made[-1:] == ")" else ""
    given = [one for one in code.of_kind("returns")
             if last_name(one.function) == called and one.of("expression") not in NULL]  # fmt: skip
    own = code.cell_of(line, line.of("expression")) if rivals.is_by_owner(line) else None
    return any(map(mine.is_at, born)) or (bool(given) and all(
        code.cell_of(back, back.of("expression").removesuffix(".get()")) == own
        or any((one.function, one.of("target")) == (back.function, back.of("expression"))
               for one in born)
        for back in given
    ))  # fmt: skip


def _is_before(code: Code, mine: Line, line: Line) -> bool:
    return line.at < mine.at and not code.loop(line, mine.at)


@once
def _releasing(code: Code, mine: Line) -> list[Line]:
    """The lines that release the same member, by a path or through a copy, or what may be of the
    same type: as that struct, as one that the other begins with, or as bytes of no type."""
    own, owners = _copied(code, mine), code.owners
    kind = owners.points_to(mine.of("expression"), mine.function)
    array = (_kind(code, mine) or "").endswith("*")  # then elements are not told from it
    found: list[Line] = []
    for line in code.of_kind("frees"):
        if rivals.grows(line) and not rivals.grows(mine):
            continue  # whether it grew then no value tells
        types = code.types(line, line.of("expression")) if rivals.is_by_owner(line) else []
        if (types and all(_is_apart(element(one)) for one in types)) or is_wrapped(code, line):
            continue  # its elements are not its own, or its calls are the releases
        of = owners.points_to(line.of("expression"), line.function)
        of, other = of if array else _kind(code, line), _copied(code, line)
        apart = code.is_plain(line) or (
            not of and (stays(code, line) or (own and other and rivals.is_by_owner(line)))
        )
        if (own and own == other) or (
            not (kind and apart)
            and (
                not (kind and of)
                or of in (*owners.begins(kind), *owners.around(kind), *owners.bases(kind))
                or kind in owners.bases(of)
            )
        ):
            found.append(line)
    return found


def _is_apart(type_: str) -> bool:
    """True for an element that owns no object of the program, nor is room for one."""
    return leads_only(type_) or type_ in _TEXTS


@once
def _kind(code: Code, line: Line) -> str | None:
    """The struct that a released block is one of; of an array of pointers to such no struct."""
    expression = line.of("expression")
    of = code.owners.points_to(expression, line.function)
    types = code.types(line, expression) if expression[-1:] not in ")]" else []
    array = bool(types) and all(re.search(r"\*\s*(?:\*|\[)", one) for one in types)
    return f"{of}*" if of and array and expression[:1] != "*" else of


async def _is_given_another(dump: Dump, line: Line, free: Sequence[Claim]) -> bool:
    """True where every call of a line's function stands in a frame of the stack, and what it was
    given to release is another block than the one that failed."""
    gone = [number(str(one.get("address"))) for one in free]
    calls = list(dump.calls(line.function))
    alone = dump.code.is_called_alone(line.function) and _lasts(dump.code, line)
    held = [await dump.of(one, line.of("expression"), line) for one in calls if gone]
    chunks = [await dump.chunk(one.value) if one else None for one in held]
    return bool(chunks) and alone and rivals.given_once(dump.code, line) and all(
        one is not None and one.offset == 0
        and not any(at and one.start <= at < one.start + one.size for at in gone)
        for one in chunks
    )  # fmt: skip


@once
def _may_be_first(code: Code, line: Line) -> bool:
    """True where the line that found a block free may have released it before: it runs more than
    once, nothing grows a block, and each object's member is set when it is made, so that it has
    never had what an older one left, and to what was allocated for it: no two have the same."""
    struct, field = code.owners.cell(line.of("expression"), line.function)
    making = makers(code, str(struct))
    return bool(field and making) and is_new(code, code.stores(struct, field)) and not (
        code.runs_once(line)
        or is_taken(code, (struct, field))
        or any(not any(map(one.is_at, zero_fills(code, making)))
               for one in wholes(code, str(struct), field))
        or any(map(rivals.grows, code.of_kind("frees")))
        or any(None in begins_with(code, one, str(struct), field) for one in making)
    )  # fmt: skip


async def _has_another_size(dump: Dump, line: Line, free: Sequence[Claim]) -> bool:
    """True where all that a line releases are objects of one size, by the lines that make such, and
    the block that failed is none of those."""
    code, kind = dump.code, _kind(dump.code, line) or ""
    born = [one for one in code.of_kind("allocates")
            if code.owners.points_to(one.of("target"), one.function) == kind]  # fmt: skip
    if not (kind.isidentifier() and born and all(is_one(code, one, kind) for one in born)) or any(
        kind in code.owners.bases(one) for one in code.owners.structs if one != kind
    ):
        return False
    chunks = [await dump.chunk(number(str(one.get("address"))) or 0)
              for one in free if one.kind == "chunk"]  # fmt: skip
    for frame in dump.frames[:1] if chunks else ():
        for name in (f"struct {kind}", kind):
            if size := await dump.value(Place(frame), f"sizeof({name})"):
                return all(one and not fits_one(one.size, size.value) for one in chunks)
    return False


@once
def _lasts(code: Code, line: Line) -> bool:
    """True for the release of a parameter, or of a member that has what its object was made with:
    what another path leads to now may be another block than then."""
    place = line.of("expression")
    struct, field = code.owners.cell(place, line.function)
    making = makers(code, str(struct))
    return place in code.parameters(line.function) or (
        re.fullmatch(r"\w+(?:->|\.)\w+", place) is not None
        and bool(making) and not rivals.may_set(code, struct, field, zero_fills(code, making))
        and all(one.of("expression") in NULL or is_in(one, making)
                for one in code.stores(struct, field))
    )  # fmt: skip


async def _is_elsewhere(dump: Dump, line: Line, free: Sequence[Claim]) -> bool:
    """True where what a line releases by a member, which one line sets once, is another block, and
    is in use."""
    cell = dump.code.cell_of(line, line.of("expression"))
    sets = [one for one in dump.code.of_kind("assigns") if dump.code.target_of(one) == cell]
    alone = len({(one.file, one.at) for one in sets}) == 1
    if not (alone and all(map(dump.code.runs_once, sets))) or (
        rivals.is_variable(dump.code, cell[0]) or rivals.may_set(dump.code, *cell)
    ):
        return False  # a new one may stand there
    gone = [number(str(one.get("address"))) for one in free]
    held = [await dump.of(place, line.of("expression"), line) for place in dump.places(line)]
    chunks = [await dump.chunk(one.value) for one in held if one and one.value >= LEAST]
    return bool(chunks) and all(
        one is not None and one.state in IN_USE
        and not any(at and one.start <= at < one.start + one.size for at in gone)
        for one in chunks
    )  # fmt: skip


@once
def _copied(code: Code, line: Line) -> str:
    """The member that a released expression is or was copied from; "" of a parameter."""
    expression = line.of("expression")
    copies = (
        one.of("expression")
        for one in code.sets(line.function, expression)
        if one.text == line.text
    )
    members = (code.owners.cell(one, line.function)[1] for one in (expression, *copies))
    return next(filter(None, members), "")
