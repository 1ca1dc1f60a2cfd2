"""Which lines ran on an object: who sets one of its members sets another one with it."""

import re
from collections.abc import Iterator, Sequence

from workbench.agents.assisted.bounds import TEXTS
from workbench.agents.assisted.code import Code, is_new, is_to_come
from workbench.agents.assisted.dump import Dump, Found, Place
from workbench.agents.assisted.followed import MAKES, element, is_filled, is_read, leads_only
from workbench.agents.assisted.lines import Line
from workbench.agents.assisted.once import once
from workbench.agents.assisted.rivals import (
    first_values,
    is_variable,
    makes_unseen,
    may_release_such,
    may_set,
)
from workbench.claims.source import function_extent, is_certain
from workbench.claims.source.changed import run_together
from workbench.claims.source.order import around
from workbench.claims.source.shapes import plain_callee
from workbench.claims.source.spots import has
from workbench.claims.source.text import CPP, FILE_SCOPE, RUST, C, words
from workbench.claims.values import NULL, number
from workbench.model.facts import Fault

ZEROED = ("calloc", "zalloc", "malloc0")
"""How functions are named that give zeros: C's own, and what others call theirs."""
_FIXED = {"true": 1, "false": 0}
_TRUTHS = {"bool", "_Bool"}
_FIRST = re.compile(r"^\{\w+(?=[,}])")
"""The first value of a list."""
_NAMED = re.compile(r'\.(\w+)=(?:"(?:[^"\\]|\\.)*"|[^{},"])*')
"""A member that a list of values gives by its name, with what it is given."""
_CATCHES = words("catch catch_unwind async packaged_task co_await co_return co_yield")
"""What goes on after an exception or a panic, at once or where its result is asked for."""
_BYTE = 1 << 8
"""Numbers are told apart by their last byte, which any type keeps."""


async def has_run_on(dump: Dump, place: Place, line: Line) -> bool:
    """True where another member has a value that only the line's function gives it: no other line
    does, and no object is made with it."""
    code, struct = dump.code, dump.struct(line)
    making = makers(code, struct)
    built = bool(making) and all(one.function == f"{struct}::{struct}" for one in making)
    rust = line.text.language == RUST  # whose objects begin with all their members
    variable = is_variable(code, struct) and not (built or rust)
    known = not makes_unseen(code) if rust else (
        bool(making) or variable) and not (variable and not _are_zeros(code, struct))  # fmt: skip
    gone = _may_be_gone(code, struct) and (not rust or _is_unsafe(code))
    first = next((name for of, name in code.owners.members if of == struct), "")
    for name, own in beside(code, line, calls=comes_back(code), before=True):
        begun = first_values(code, struct, name) if _is_constructed(code, struct) else []
        if not begun and (not known or (variable and name == first)):
            continue  # a list may begin with its value
        others = {fixed_of(code, one) for one in code.stores(struct, name) if not one.is_at(own)}
        others.update(*(begins_with(code, one, struct, name) for one in making))
        others |= {fixed_of(code, one) for one in begun} or ({0} if variable else set())
        if None in others or may_set(code, struct, name, zero_fills(code, making)):
            continue
        held, fixed = await _number(dump, place, own), fixed_of(code, own)
        if gone and not fixed:
            continue  # whose memory it is now may have left that there
        if (
            held
            and all([await _differs(dump, place, held.value, one or 0) for one in others])
            and (fixed is None or not await _differs(dump, place, held.value, fixed))
        ):
            return True
    return False if rust or gone else await _was_filled(dump, place, line)


async def _was_filled(dump: Dump, place: Place, line: Line) -> bool:
    """True where a text of the same object is not empty, which one call alone fills, with the line:
    each object begins as zeros."""
    code, struct = dump.code, dump.struct(line)
    base = line.of("target").removesuffix(code.member_of(line)[1])
    zeros = is_variable(code, struct) or bool(makers(code, struct))
    for fill in code.of_kind("calls", line.function):
        name = fill.of("expression").removeprefix(base)
        first, last = sorted((fill.at, line.at))
        if (
            plain_callee(fill.of("callee")) in TEXTS and fill.row.values.get("index") == 1
            and fill.text == line.text and fill.of("expression") == f"{base}{name}"
            and (struct, name) in code.owners.members
            and run_together(line.text, line.at, fill.at, re.split(r"\W", base)[0], code.known)
            and not any(first <= at <= last for at in code.where(line.function))
            and zeros and _are_zeros(code, struct) and not may_set(code, struct, name)
            and all(one.of("callee").endswith(ZEROED) for one in makers(code, struct))
            and all(use.line.is_at(fill) or use.of("form") == "reads"
                    or (use.of("form") == "given" and not is_filled(use) and is_read(code, use))
                    for use, _ in code.through((struct, name)))
        ):  # fmt: skip
            text = await dump.of(place, f"{base}{name}[0]", fill)
            if text is not None and text.value:
                return True
    return False


@once
def begins_as_zeros(code: Code, of: str, struct: str | None) -> bool:
    """True for a struct of which each variable begins with zeros; of another one than the struct
    that is asked for, each block as well."""
    blocks = [] if of == struct else makers(code, of)
    variables = [
        one for one in code.of_kind("declares")
        if code.owners.bare(one.of("type")) == of and one.of("type")[-1:] not in "*&"
        and not (one.of("of") or leads_only(element(code.owners.meant(one.of("type")))))
    ]  # fmt: skip
    return all(one.of("callee").endswith(ZEROED) for one in blocks) and all(
        one.function == FILE_SCOPE
        or any(set_.is_at(one) and set_.of("target") == one.of("name")
               for set_ in code.of_kind("assigns", one.function))
        or "static" in one.storage
        for one in variables
    )  # fmt: skip


@once
def _are_zeros(code: Code, struct: str) -> bool:
    """True where each variable that is an object of a struct, or has one as a part, begins as zeros
    but for members of other structs, which it is given by their names, and an object itself for its
    first one."""
    around = code.owners.around(struct)
    first = [
        _FIRST.sub("{0", set_.of("expression"))
        if code.owners.bare(one.of("type")) == struct
        else set_.of("expression")
        for one in code.of_kind("declares")
        if code.owners.bare(one.of("type")) in around and one.of("type")[-1:] not in "*&"
        for set_ in code.of_kind("assigns")
        if set_.is_at(one) and set_.of("target") == one.of("name")
    ]
    return all(
        re.fullmatch(r"[{},0]*", _NAMED.sub("", text))
        and not any((struct, name) in code.owners.members for name in _NAMED.findall(text))
        for text in first
    ) and all(begins_as_zeros(code, of, struct) for of in around)


async def _number(dump: Dump, place: Place, store: Line) -> Found | None:
    """What the member that a line sets is now: of a truth value, an enumerator, its number."""
    held = await dump.of(place, store.of("target"), store)
    return held or await dump.of(place, f"{store.of('target')}+0", store)


def begins_with(code: Code, making: Line, struct: str, name: str) -> set[int | str | None]:
    """What a member may have, as constants, where a line's function has made an object and has not
    set it; with None where that is not known."""
    if any(one.of("target")[:1] != "*" and is_in(one, [making]) and is_sure(code, one)
           for one in code.stores(struct, name)):  # fmt: skip
        return set()
    first = first_values(code, struct, name)
    zeros = making.of("callee").endswith(ZEROED) or any(
        is_in(one, [making]) for one in zero_fills(code, [making])
    )
    return {fixed_of(code, one) for one in first} or {0 if zeros else None}


async def was_before(dump: Dump, place: Place, line: Line, mine: Line) -> bool:
    """True where another member has not the value that a line's function always gives it: nothing
    changes that later, but where objects are made, where ``mine`` runs as well, and behind where
    the member that failed is set to what is not null."""
    code, struct = dump.code, dump.struct(line)
    with_mine = [one for _, one in beside(code, mine)]
    field = code.member_of(mine)[1]
    for name, own in beside(code, line):
        fixed = fixed_of(code, own)
        same = [one for one in code.stores(struct, name) if fixed_of(code, one) == fixed
                or is_with_some(code, one, field)]  # fmt: skip
        if fixed is None or any(map(own.is_at, with_mine)) or not _is_set_by(
            code, struct, name, [*same, *with_mine], makers(code, struct)
        ):  # fmt: skip
            continue
        held = await _number(dump, place, own)
        if held and await _differs(dump, place, held.value, fixed):
            return True
    return False


async def was_made_otherwise(
    dump: Dump, place: Place, one: Line, struct: str, making: Sequence[Line], zeroed: bool
) -> bool:
    """True where another member of the object has a value that this one of what makes such never
    gives it, and that nothing changes later."""
    code = dump.code
    for name in sorted({name for of, name in code.owners.members if of == struct}):
        stores = code.stores(struct, name)
        own = [store for store in stores if is_in(store, [one])]
        if not all(is_in(store, making) for store in stores) or len({s.at for s in own}) > 1 or (
            may_set(code, struct, name, zero_fills(code, making))
        ):  # fmt: skip
            continue
        known = fixed_of(code, own[0]) if own else 0
        sure = is_sure(code, own[0]) if own else zeroed
        held = await dump.value(place, f"{place.base}{name}") if sure else None
        if held and known is not None and await _differs(dump, place, held.value, known):
            return True
    return False


@once
def is_with_some(code: Code, store: Line, field: str) -> bool:
    """True for a line in front of which its function always sets another member of the same object
    to what is not null."""
    name = code.member_of(store)[1]
    base = store.of("target").removesuffix(name)
    return any(
        one.of("target") == f"{base}{field}" and one.text == store.text
        and not code.may_be(one, one.of("expression"))
        and is_certain(one.text, one.at) and one.is_before(store.at)
        for one in code.of_kind("assigns", store.function)
    )  # fmt: skip


@once
def _may_be_gone(code: Code, struct: str) -> bool:
    """True where a line may have released such an object before."""
    return any(
        not is_to_come(code, one) and may_release_such(code, one, struct)
        for one in code.of_kind("frees")
    )


@once
def _is_unsafe(code: Code) -> bool:
    """True where Rust's source may use what is gone."""
    return code.has("unsafe")


@once
def comes_back(code: Code) -> bool:
    """True where a function that is called comes back, or the process ends: no exception or panic
    is caught, or kept for another thread, and nobody jumps."""
    return not code.jumps_far and all(
        text.language in (C, CPP, RUST) and not has([text], *_CATCHES) for text in code.texts
    )


@once
def _is_constructed(code: Code, struct: str) -> bool:
    """True for a class of C++ of which no block is made by what runs no constructor."""
    return all(
        one.of("callee") == "new" or MAKES.match(one.of("callee"))
        for one in code.of_kind("allocates")
        if code.owners.points_to(one.of("target"), one.function) == struct
    )


def beside(
    code: Code, line: Line, *, calls: bool = False, before: bool = False
) -> Iterator[tuple[str, Line]]:
    """The other members of the same object that are set whenever the line runs, where its function
    does not stand in between now; but for ``calls`` no other function of the program may run in
    between. ``before``: also those that are set only where the line ran before."""
    struct, field = code.member_of(line)
    base = line.of("target").removesuffix(field)
    root = re.split(r"\W", base)[0] or "this"  # C++ names its own members bare
    sets = code.of_kind("assigns", line.function)
    shown = {id(one.text) for kind in ("assigns", "calls", "returns")  # listings may repeat it
             for one in code.of_kind(kind, line.function) if one.is_at(line)}  # fmt: skip
    for own in sets:
        name = own.of("target").removeprefix(base)
        first, last = sorted((own.at, line.at))
        if (
            id(own.text) in shown and name.isidentifier()
            and own.of("target").startswith(base) and name != field
            and code.member_of(own) == (struct, name)
            and (
                run_together(
                    own.text, line.at, own.at, root, code.known, calls=calls
                )
                or (before and own.is_behind(line.at) and root in ("this", "self"))
            )
            and not any(first <= at <= last for at in code.where(line.function))
        ):  # fmt: skip
            yield name, own


def _is_set_by(
    code: Code, struct: str, name: str, lines: Sequence[Line], making: Sequence[Line]
) -> bool:
    """True where those lines, and what makes such objects, alone set a member."""
    first = [*lines, *first_values(code, struct, name)]
    return not may_set(code, struct, name, zero_fills(code, making)) and all(
        any(map(one.is_at, first)) or is_in(one, making) for one in code.stores(struct, name)
    )


@once
def fixed_of(code: Code, store: Line) -> int | str | None:
    """The constant that a line stores: a number, an enumerator's name; None of what is none, and of
    a bit field, which keeps a part of it."""
    made = code.macros.get(store.of("expression"), store.of("expression")).strip()
    types = {code.owners.bare(one) for one in code.types(store, store.of("target"))}
    if store.of("operator") not in ("", "=") or code.is_bits(store, store.of("target")):
        return None
    if made.isidentifier() and made not in (*NULL, *_FIXED):
        named = any(one.of("name") == made for one in code.of_kind("declares"))
        return None if named or code.owners.is_local(made, store.function) else made
    fixed = 0 if made in NULL else _FIXED.get(made, number(made))
    return int(fixed != 0) if fixed is not None and _TRUTHS.intersection(types) else fixed


async def _differs(dump: Dump, place: Place, held: int, fixed: int | str) -> bool:
    """True where a number is not the one of a constant, as far as their last bytes tell."""
    if isinstance(fixed, str):
        named = await dump.value(place, f"{fixed}+0")
        return named is not None and bool((held - named.value) % _BYTE)
    return bool((held - fixed) % _BYTE)


def is_one(code: Code, line: Line, struct: str) -> bool:
    """True for an allocation of one object: by the size of its type, or of what it is set to."""
    sized = re.fullmatch(r"sizeof\(?(\*?)([\w ]+?)\)?", line.of("size"))
    return (
        line.of("count") in ("", "1")
        and sized is not None
        and (sized[2] == line.of("target") if sized[1] else code.owners.bare(sized[2]) == struct)
    )


@once
def _has_older(code: Code, making: Line, struct: str) -> bool:
    """True where a function may give what it has not allocated: from a pool, a list."""
    own = making.of("target")
    return any(
        one.of("target").isidentifier() and one.of("expression") not in NULL
        and not is_new(one.of("expression"), making.of("callee"))
        and code.owners.points_to(one.of("target"), one.function) == struct
        for one in code.of_kind("assigns", making.function)
    ) or any(
        one.of("expression") not in (own, *NULL)
        for one in code.of_kind("returns", making.function)
        if own.isidentifier()
    )  # fmt: skip


@once
def makers(code: Code, struct: str) -> list[Line]:
    """The lines of constructors of a class, else those that allocate such objects; none where one
    of their functions may have an older object in its place."""
    found = [one for one in code.lines if one.function == f"{struct}::{struct}"]
    if found:
        return found
    found = [
        one for one in code.of_kind("allocates")
        if code.owners.points_to(one.of("target"), one.function) == struct
        and not any("**" in of for of in code.types(one, one.of("target")))
    ]  # fmt: skip
    older = any(_has_older(code, one, struct) for one in found)
    return [] if older else found


@once
def is_sure(code: Code, store: Line) -> bool:
    """True for a store that its function does before it returns, whatever it does; a constructor's
    list stands in no block."""
    found = around(store.text, store.at)
    if found is None or not found[1]:
        return found is not None
    backs = [one for one in code.of_kind("returns", store.function) if one.text == store.text
             and one.of("expression") not in NULL]  # fmt: skip
    return is_certain(store.text, store.at) and len(found[1]) == 1 and all(
        store.is_before(back.at) for back in backs
    )  # fmt: skip


def cells_read(dump: Dump) -> set[int | str | None]:
    """The cells that the value which failed was read from."""
    none = 0 if dump.code.null else None  # a member's address, of a null pointer, is no value
    return {load.source for fault in dump.ports.state.facts.all(Fault) for load in fault.origin
            if load.value in (fault.base_value, none) and not load.own}  # fmt: skip


async def failing(dump: Dump, line: Line, field: str) -> Place | None:
    """The object whose member was read; where that is not known, the first that has one."""
    read = cells_read(dump)
    for place in dump.places(line):
        cell = await dump.value(place, f"&{place.base}{field}")
        if cell is not None and (not read or cell.value in read):
            return place
    return None


def extent_of(line: Line) -> tuple[str, int, int] | None:
    """File, first and last line of a line's function."""
    found = function_extent(line.text, line.at)
    return (line.file, *found) if found else None


def is_in(line: Line, others: Sequence[Line]) -> bool:
    """True for a line of the function of one of the others."""
    return extent_of(line) in {extent_of(one) for one in others} - {None}


@once
def _zeroed(code: Code) -> list[tuple[Line, str]]:
    """The lines that fill memory with zeros, and what leads to it."""
    fills = ((line, code.passed(line)) for line in code.of_kind("calls")
             if plain_callee(line.of("callee")) == "memset")  # fmt: skip
    return [(line, given[1].of("expression")) for line, given in fills
            if {1, 2} <= given.keys() and given[2].of("expression") in NULL]  # fmt: skip


def zero_fills(code: Code, making: Sequence[Line]) -> list[Line]:
    """The lines that fill what their own function has just allocated with zeros."""
    return [
        line
        for line, filled in _zeroed(code)
        if any(
            one.of("target") == filled and one.function == line.function
            and one.text == line.text and one.at <= line.at
            for one in making
        )
    ]  # fmt: skip
