"""Which line cleared the member that is null, or left it when its object was made."""

import re
from collections.abc import Iterator, Sequence

from workbench.agents.assisted.code import Code, is_to_come
from workbench.agents.assisted.dump import Dump, Place, class_of
from workbench.agents.assisted.lines import Line
from workbench.agents.assisted.outside import Proved
from workbench.agents.assisted.rivals import is_followed, is_variable, may_overwrite, may_set
from workbench.claims.source import function_extent, is_certain, normal, precedes
from workbench.claims.source.order import around
from workbench.claims.source.shapes import plain_callee
from workbench.claims.source.text import RUST
from workbench.claims.values import NULL, number
from workbench.model.facts import Fault

ZEROED = ("calloc", "zalloc", "malloc0")
"""How functions are named that give zeros: C's own, and what others call theirs."""
_ZEROS = re.compile(r"\{(?:0|\..*)?\}|[^{].*")


async def cleared(dump: Dump, line: Line) -> Proved:
    """The member is null, one line of the source may have made it so, and another member has what
    it is given only behind where the first one was set: it was set once."""
    code = dump.code
    struct, field = code.owners.cell(line.of("target"), line.function)
    address = re.compile(rf"&[\w.:>\[\]-]*\b{re.escape(field)}\b(?!->|\.|\[)")
    others = [one for one in code.stores(struct, field) if not one.is_at(line)
              and code.may_be(one, one.of("expression")) and not is_to_come(code, one)]  # fmt: skip
    setting = [one for one in code.stores(struct, field)
               if not code.may_be(one, one.of("expression"))]  # fmt: skip
    if not field or line.of("expression") not in NULL or others or (
        may_overwrite(code, line, struct) or is_followed(code, line.function, setting)
    ) or any(
        address.search(one.of("expression") + one.of("arguments")) for one in code.lines
    ):  # fmt: skip
        return ()
    read = _read(dump)
    for place in dump.places(line):
        null = await dump.of(place, line.of("target"), line)
        if not null or null.value or await _was_of_another(dump, line, place):
            continue
        cell = await dump.of(place, f"&{line.of('target')}", line)
        if read and (cell is None or cell.value not in read):
            continue  # it is not the member that was read
        if is_born_with(code, struct, field) or (line.text.language == RUST and setting):
            return await dump.said(null)  # Rust's objects begin with all their members
        for other in set_behind(code, struct, field):
            some = await dump.of(place, line.of("target")[: -len(field)] + other, line)
            if null and some and some.value:
                return await dump.said(null, some)
    return ()


async def _was_of_another(dump: Dump, line: Line, place: Place) -> bool:
    """True where every call of a line's function stands in a frame of the stack, and gave it
    another object than the place's."""
    cell = await dump.of(place, f"&{line.of('target')}", line)
    calls = list(dump.calls(line.function))
    given = [await dump.of(one, f"&{line.of('target')}", line) for one in calls]
    alone = len(calls) == len(dump.code.named(line.function)) - 1
    return bool(cell and calls) and alone and all(
        one and cell and one.value != cell.value for one in given
    )  # fmt: skip


def _is_one(code: Code, line: Line, struct: str) -> bool:
    """True for an allocation of one object: by the size of its type, or of what it is set to."""
    sized = re.fullmatch(r"sizeof\(?(\*?)([\w ]+?)\)?", line.of("size"))
    return (
        line.of("count") in ("", "1")
        and sized is not None
        and (sized[2] == line.of("target") if sized[1] else code.owners.bare(sized[2]) == struct)
    )


def is_born_with(code: Code, struct: str | None, field: str) -> bool:
    """True where each function that allocates such objects sets the member to what is not null
    before it returns one."""
    born = [one for one in code.of_kind("allocates")
            if code.owners.points_to(one.of("target"), one.function) == struct]  # fmt: skip
    return bool(born) and not is_variable(code, struct) and all(
        _is_one(code, one, str(struct)) and any(
            one.of("target").isidentifier()
            and store.of("target") == f"{one.of('target')}->{field}"
            and store.text == one.text and store.function == one.function
            and not code.may_be(store, store.of("expression"))
            and is_certain(store.text, store.at) and not code.where(one.function)
            and all(precedes(back.text, store.at, back.at) is not None
                    for back in code.of_kind("returns", one.function)
                    if back.text == store.text and back.of("expression") == one.of("target"))
            for store in code.stores(struct, field)
        )
        for one in born
    )  # fmt: skip


def set_behind(code: Code, struct: str | None, field: str) -> Iterator[str]:
    """The members that one line alone sets, behind where the same object's ``field`` is set to what
    is not null; of no struct of which an object begins with others than zeros."""
    if any(
        code.owners.points_to(one.of("target"), one.function) == struct
        and not _ZEROS.fullmatch(one.of("expression"))
        for one in code.of_kind("assigns")
    ):
        return
    for name in {name for of, name in code.owners.members if of == struct and name != field}:
        stores = code.stores(struct, name)
        for one in stores if len({line.at for line in stores}) == 1 else ():
            place = one.of("target").removesuffix(name) + field
            if any(
                two.of("target") == place and two.function == one.function
                and not code.may_be(two, two.of("expression"))
                and is_certain(two.text, two.at) and precedes(two.text, two.at, one.at) is not None
                for two in code.stores(struct, field)
            ):  # fmt: skip
                yield name


async def never_set(dump: Dump, line: Line) -> Proved:
    """Of what makes such objects this alone leaves the member, and nothing else sets it."""
    code, link = dump.code, dump.chain[-1]
    target, at = normal(str(link.get("target"))), link.get("at")
    struct, field = code.owners.cell(target, line.function)
    struct = struct or class_of(line.function)
    making = [one for one in code.lines if one.function == f"{struct}::{struct}"]
    place = await _failed(dump, line.into(target), field or target)
    if not making:
        making = [one for one in code.of_kind("allocates")
                  if code.owners.points_to(one.of("target"), one.function) == struct
                  and not any("**" in of for of in code.types(one, one.of("target")))]  # fmt: skip
        cell = await dump.value(place, f"&{place.base}{field}") if place else None
        if cell is None or not await dump.chunk(cell.value):
            return ()  # no block of the heap is what failed
        if not all(
            _is_one(code, one, str(struct)) for one in making if one.row.kind == "allocates"
        ):
            return ()  # of several one may be left out
    stores, fresh = code.stores(struct, field or target), list(_zeroed(code, making))
    zeroed = {_extent_of(one) for one in fresh} | {
        _extent_of(one) for one in making if one.of("callee").endswith(ZEROED)
    }
    while making and not any(_is_in(one, making) for one in stores):
        zeros = {_extent_of(one) for one in making} <= zeroed
        making = _callers(code, making)  # they only hand on what they allocate
        zeroed |= {_extent_of(one) for one in making} if zeros else set()
    made = {extent: one for one in making if (extent := _extent_of(one))}
    if not all(_is_in(one, making) for one in stores) or (
        may_set(code, struct, field or target, fresh)
    ):
        return ()
    left: list[tuple[str, int, int]] = []
    for extent, one in made.items():
        own = [store for store in stores if _is_in(store, [one])]
        given = any(code.may_be(store, store.of("expression")) for store in own)
        sure = any(_is_sure(code, store) for store in own)
        if (code.null and not given and sure) or (not code.null and (sure or extent in zeroed)):
            continue  # it sets it, or leaves a zero that is not what failed
        if len(made) == 1 or place is None or not await _is_marked(
            dump, place, one, str(struct), making, extent in zeroed
        ):  # fmt: skip
            left.append(extent)
    mine = len(left) == 1 and isinstance(at, int) and left[0][1] <= at <= left[0][2]
    return (link,) if mine and not any(_is_in(one, [made[left[0]]]) for one in stores) else ()


def _is_sure(code: Code, store: Line) -> bool:
    """True for a store that its function does before it returns, whatever it does; a constructor's
    list stands in no block."""
    found = around(store.text, store.at)
    if found is None or not found[1]:
        return found is not None
    backs = [one for one in code.of_kind("returns", store.function) if one.text == store.text
             and one.of("expression") not in NULL]  # fmt: skip
    return is_certain(store.text, store.at) and len(found[1]) == 1 and all(
        precedes(store.text, store.at, back.at) is not None for back in backs
    )  # fmt: skip


def _read(dump: Dump) -> set[int | None]:
    """The cells that the value which failed was read from."""
    return {load.source for fault in dump.ports.state.facts.all(Fault) for load in fault.origin
            if load.value == fault.base_value and not load.own}  # fmt: skip


async def _failed(dump: Dump, line: Line, field: str) -> Place | None:
    """The object whose member was read; where that is not known, the first that has one."""
    read = _read(dump)
    for place in dump.places(line):
        cell = await dump.value(place, f"&{place.base}{field}")
        if cell is not None and (not read or cell.value in read):
            return place
    return None


async def _is_marked(
    dump: Dump, place: Place, one: Line, struct: str, making: Sequence[Line], zeroed: bool
) -> bool:
    """True where another member of the object has a value that this one of what makes such never
    gives it, and that nothing changes later."""
    code = dump.code
    for name in sorted({name for of, name in code.owners.members if of == struct}):
        stores = code.stores(struct, name)
        own = [store for store in stores if _is_in(store, [one])]
        if not all(_is_in(store, making) for store in stores) or len({s.at for s in own}) > 1 or (
            may_set(code, struct, name, list(_zeroed(code, making)))
        ):  # fmt: skip
            continue
        made = own[0].of("expression") if own else "0"
        known = 0 if made in NULL else number(made)
        sure = _is_sure(code, own[0]) if own else zeroed
        held = await dump.value(place, f"{place.base}{name}") if sure else None
        if held is not None and known is not None and (held.value - known) % (1 << 8):
            return True
    return False


def _extent_of(line: Line) -> tuple[str, int, int] | None:
    """File, first and last line of a line's function."""
    found = function_extent(line.text, line.at)
    return (line.file, *found) if found else None


def _is_in(line: Line, others: Sequence[Line]) -> bool:
    """True for a line of the function of one of the others."""
    return _extent_of(line) in {_extent_of(one) for one in others} - {None}


def _zeroed(code: Code, making: Sequence[Line]) -> Iterator[Line]:
    """The lines that fill what their own function has just allocated with zeros."""
    for line in code.of_kind("calls"):
        given = code.passed(line)
        if plain_callee(line.of("callee")) == "memset" and 2 in given and (
            given[2].of("expression") in NULL
        ) and any(
            one.of("target") == given[1].of("expression") and one.function == line.function
            and one.text == line.text and one.at <= line.at
            for one in making
        ):  # fmt: skip
            yield line


def _callers(code: Code, making: Sequence[Line]) -> list[Line]:
    """The calls of functions that return what they allocate; none where one does not."""
    found: list[Line] = []
    for one in making:
        given = {line.of("expression") for line in code.of_kind("returns", one.function)}
        calls = code.calls(one.function)
        called = {(call.file, call.at) for call in calls}
        if one.of("target") not in given or len(code.named(one.function)) != len(called) + 1:
            return []
        found += [call.into(code.made_by(call)) for call in calls]
    return found
