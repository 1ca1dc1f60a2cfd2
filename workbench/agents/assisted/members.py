"""Which line cleared the member that is null, or left it when its object was made."""

import re
from collections.abc import Iterator, Sequence

from workbench.agents.assisted.carried import cells_of
from workbench.agents.assisted.code import Code, is_to_come, is_weighed
from workbench.agents.assisted.dump import Dump, Place
from workbench.agents.assisted.followed import given_to, is_taken
from workbench.agents.assisted.left import is_in_choice, left_local, left_unset
from workbench.agents.assisted.lines import Cell, Line
from workbench.agents.assisted.marks import (
    ZEROED,
    begins_as_zeros,
    begins_with,
    cells_read,
    comes_back,
    extent_of,
    failing,
    fixed_of,
    has_run_on,
    is_in,
    is_one,
    is_sure,
    is_with_some,
    makers,
    was_before,
    was_made_otherwise,
    zero_fills,
)
from workbench.agents.assisted.outside import Proved
from workbench.agents.assisted.rivals import (
    first_values,
    given_once,
    is_followed,
    is_variable,
    makes_unseen,
    may_overwrite,
    may_set,
)
from workbench.agents.assisted.sources import unwrapped_by
from workbench.claims.chain import moves, same_function
from workbench.claims.render import last_part
from workbench.claims.source import is_certain, normal
from workbench.claims.source.changed import run_together
from workbench.claims.source.held import guards, is_some
from workbench.claims.source.order import is_bare_branch, may_be_passed
from workbench.claims.source.shapes import member
from workbench.claims.source.spots import constructors, names, spots
from workbench.claims.source.text import CPP, RUST, class_of, last_name
from workbench.claims.values import NULL
from workbench.model.claims import Claim
from workbench.model.facts import Frame

_NEAR = 3
"""Frames, from the one that failed on, whose conditions are looked at."""
_MOVES = ("move", "forward", "swap", "exchange")
_ZEROS = re.compile(r"\{(?:0|\..*)?\}|[^{].*")


async def cleared(dump: Dump, line: Line) -> Proved:
    """The member is null, one line of the source may have made it so, and another member has what
    it is given only behind where the first one was set: it was set once."""
    code = dump.code
    if line.row.kind == "calls":
        line = await _part_filled(dump, line)
    if line.text.language == CPP and _is_moved(code, line):
        return ()
    struct, field = code.member_of(line)
    address = re.compile(rf"&[\w.:>\[\]-]*\b{re.escape(field)}\b(?!->|\.|\[)")
    born = is_born_with(code, struct, field)
    first = first_values(code, str(struct), field) if born else []
    others = [one for one in code.stores(struct, field)
              if not any(map(one.is_at, (line, *first)))
              and code.may_be(one, one.of("expression")) and not is_to_come(code, one)
              and not _is_set_again(code, one)]  # fmt: skip
    setting = [one for one in code.stores(struct, field)
               if not code.may_be(one, one.of("expression"))]  # fmt: skip
    if not field or line.of("expression") not in NULL or (
        may_overwrite(code, line, struct)
    ) or any(
        address.search(one.of("expression") + one.of("arguments")) for one in code.lines
    ):  # fmt: skip
        return ()
    read = cells_read(dump)
    members = {cell for cell in cells_of(dump) if cell[0] in code.owners.structs}
    if not read and members and (struct, field) not in members:
        return ()  # another one is null, too
    followed = is_followed(code, line.function, setting)
    for place in dump.places(line):
        null = await dump.of(place, line.of("target"), line)
        if not null or null.value or await _was_of_another(dump, line, place):
            continue
        cell = await dump.of(place, f"&{line.of('target')}", line)
        if read and (cell is None or cell.value not in read):
            continue  # it is not the member that was read
        ran = any([await has_run_on(dump, place, one) for one in setting]) or (
            _was_some(code, line) and await has_run_on(dump, place, line)
        )
        base = line.of("target")[: -len(field)]
        behind = [await dump.of(place, base + other, line)
                  for other in (() if ran else set_behind(code, struct, field))]  # fmt: skip
        some = [one for one in behind if one and one.value][:1]
        rest = [one for one in others if not ((ran or some)
                and _is_at_birth(code, one, str(struct), field))]  # fmt: skip
        if not all([await _cannot_be(dump, place, one, line) for one in rest]):
            continue
        if followed and not (ran or some):
            continue  # what was cleared was set again, as far as is known
        if born or ran or some or _is_handed_out(code, place, str(struct), field) or (
            line.text.language == RUST and setting and not makes_unseen(code)
        ):  # fmt: skip
            return await dump.said(null, *some)  # Rust's objects begin with all their members
    return ()


def _is_set_again(code: Code, line: Line) -> bool:
    """True for a line behind which its function sets the member of the same object to what is not
    null, whenever it runs: it does not stand in between now, and nothing is caught."""
    base = line.of("target").removesuffix(member(line.of("target")) or line.of("target"))
    return comes_back(code) and any(
        one.text == line.text and one.of("target") == line.of("target") and one.at > line.at
        and not code.may_be(one, one.of("expression"))
        and run_together(line.text, line.at, one.at, re.split(r"\W", base)[0], code.known,
                         calls=True)
        and not any(line.at <= at <= one.at for at in code.where(line.function))
        for one in code.of_kind("assigns", line.function)
    )  # fmt: skip


def _is_moved(code: Code, line: Line) -> bool:
    """True where the objects whose smart pointer a line clears, or what they are a part of, may be
    moved, which clears it too; and for what no smart pointer is: nothing that is moved from, or
    asked to give up what it has, clears that. Also where a reference to it is returned."""
    if any(one.is_at(line) and moves(one.of("expression")) and (
               code.results_of(one)[-1:] in ("", "&") or "decltype" in code.results_of(one))
           for one in code.of_kind("returns", line.function)):  # fmt: skip
        return True  # a reference leaves it where it is
    if not code.is_owner(line, line.of("target")):
        return line.names("move", "reset", "release")
    around = code.owners.around(str(code.member_of(line)[0]))
    return any(
        last_name(one.of("callee")) in _MOVES and "index" in one.row.values
        and not code.is_owner(one, one.of("expression"))  # whose object stays where it is
        and (one.of("expression") == "*this"
             or code.owners.points_to(one.of("expression"), one.function) in around
             or any(code.owners.bare(of) in around
                    for of in code.types(one, one.of("expression"))))
        for one in code.of_kind("calls")
    )  # fmt: skip


async def _part_filled(dump: Dump, line: Line) -> Line:
    """Of a call that fills a whole object with zeros, the store of null into the member of it that
    was read; else the line as it is, which stores nowhere."""
    given, owners = dump.code.passed(line), dump.code.owners
    whole, read = given[1].of("expression") if 1 in given else "", cells_read(dump)
    rest = [one.of("expression") for at, one in sorted(given.items()) if at > 1]
    zeros = {"memset": ["0"], "bzero": [], "explicit_bzero": []}.get(line.of("callee"))
    struct = owners.points_to(whole, line.function)
    sizes = [
        f"sizeof{of}" for of in (f"*{whole}", f"(*{whole})", f"({struct})", f"(struct {struct})")
    ]
    if zeros is None or struct is None or rest[:-1] != zeros or rest[-1] not in sizes:
        return line
    for field in [name for of, name in owners.members if of == struct]:
        store = line.into(f"{whole}->{field}")
        store = store._replace(
            row=store.row._replace(
                kind="assigns", values={**store.row.values, "operator": "=", "expression": "NULL"}
            )
        )
        for place in dump.places(store):
            cell = await dump.of(place, f"&{store.of('target')}", store)
            if cell is not None and cell.value in read:
                return store
    return line


def _is_handed_out(code: Code, place: Place, struct: str, field: str) -> bool:
    """True where the object is reached through a member that functions alone set which give none
    before they set what is not null in it: it was set once."""
    path, function = place.base.removesuffix("->"), place.frame.function or ""
    of, kept = code.owners.cell(path, function)
    sets = code.stores(of, kept) if kept and place.base[-2:] == "->" else []
    return bool(sets) and all(
        one.of("operator") == "=" and one.of("expression")[-1:] == ")"
        and (name := one.of("expression").partition("(")[0]) in code.functions
        and _gives_set(code, name, struct, field)
        for one in sets
    ) and not is_taken(code, (of, kept))  # fmt: skip


def _gives_set(code: Code, function: str, struct: str, field: str) -> bool:
    """True where a function has set the member of each object that it returns to what is not
    null."""
    given = [one for one in code.of_kind("returns", function) if one.of("expression") not in NULL]
    return bool(given) and all(
        any(
            store.of("target") == f"{back.of('expression')}->{field}"
            and store.text == back.text and store.function == back.function
            and _gives_some(code, store, back)
            and store.is_before(back.at)
            for store in code.stores(struct, field)
        )
        for back in given
    )  # fmt: skip


def _returns(code: Code, made: Line) -> bool:
    return any(back.of("expression") == made.of("target")
               for back in code.of_kind("returns", made.function))  # fmt: skip


def _gives_some(code: Code, store: Line, back: Line) -> bool:
    """True where a function sets the member of what it returns to what is not null, or returns it
    only where it asked for that, and had let go of the object nowhere before."""
    own = back.of("expression")
    return not code.may_be(store, store.of("expression")) or (
        is_some(back.text, back.at, store.of("target"), code.known)
        and all(
            use.of("form") in ("reads", "returns")
            or any(map(use.line.is_at, code.of_kind("frees")))
            for use in code.uses
            if use.of("path") == own and use.line.function == back.function
        )
    )


def _was_some(code: Code, line: Line) -> bool:
    """True where a line goes through the member before the one that clears it, gives it to a
    function that does, or unwraps it, in any case; or where that is asked."""
    target = line.of("target")
    return is_some(line.text, line.at, target, code.known) or any(
        one.text == line.text and unwrapped_by(one) == target and is_certain(one.text, one.at)
        and line.is_behind(one.at)
        for one in code.of_kind("calls", line.function)
    ) or any(
        use.line.text == line.text and (
            use.of("path").startswith(f"{target}->")
            or (use.of("path") == target and use.of("form") == "given"
                and all(_goes_through(code, *one[:2]) for one in given_to(code, use)))
        )
        and is_certain(use.line.text, use.line.at) and not is_weighed(use)
        and line.is_behind(use.line.at)
        for use in code.uses
    )  # fmt: skip


def _goes_through(code: Code, function: str, name: str) -> bool:
    """True where a function goes through a parameter, whatever it does before it returns."""
    return bool(name) and not any(
        one.of("target") == name for one in code.of_kind("assigns", function)
    ) and any(
        use.of("path").startswith(f"{name}->") and is_sure(code, use.line) and not is_weighed(use)
        for use in code.uses if use.line.function == function
    )  # fmt: skip


def _is_at_birth(code: Code, line: Line, struct: str, field: str) -> bool:
    """True for a line that sets the member of an object that its function makes, before it has
    another one: of Rust by its list of members."""
    if line.text.language == RUST:
        return line.of("target") == f".{field}" or any(
            spot.at == line.at and spot.sort == "made" for spot in spots(line.text, field)
        )
    return any(
        is_in(line, [made]) and line.of("target") in (
            [f"{made.of('target')}->{field}"] if made.row.kind == "allocates"
            else [field, f"this->{field}"]
        )
        for made in makers(code, struct)
    )  # fmt: skip


async def _cannot_be(dump: Dump, place: Place, one: Line, mine: Line) -> bool:
    """True where another line set the member of another object alone, or before."""
    known = given_once(dump.code, one) and await _was_of_another(dump, one, place)
    return known or await was_before(dump, place, one, mine)


async def _was_of_another(dump: Dump, line: Line, place: Place) -> bool:
    """True where every call of a line's function stands in a frame of the stack, and gave it
    another object than the place's."""
    cell = await dump.of(place, f"&{line.of('target')}", line)
    calls = list(dump.calls(line.function))
    given = [await dump.of(one, f"&{line.of('target')}", line) for one in calls]
    alone = dump.code.is_called_alone(line.function)
    return bool(cell and calls) and alone and all(
        one and cell and one.value != cell.value for one in given
    )  # fmt: skip


def is_born_with(code: Code, struct: str | None, field: str) -> bool:
    """True where each function that allocates such objects, or each constructor, sets the member to
    what is not null before it returns one."""
    if constructors := _constructors(code, str(struct)):
        return all(
            any(is_in(one, [made]) and _makes_some(code, one, str(struct), field)
                for one in (*code.of_kind("calls", name), *code.stores(struct, field)))
            for name, made in constructors
        )  # fmt: skip
    born = [one for one in code.of_kind("allocates")
            if code.owners.points_to(one.of("target"), one.function) == struct]  # fmt: skip
    return bool(born) and not is_variable(code, struct) and all(
        is_one(code, one, str(struct)) and any(
            one.of("target").isidentifier()
            and store.of("target") == f"{one.of('target')}->{field}"
            and store.text == one.text and store.function == one.function
            and is_certain(store.text, store.at)
            and all(store.is_before(at) for at in code.where(one.function))
            and all(back.is_behind(store.at)
                    and _gives_some(code, store, back)
                    for back in code.of_kind("returns", one.function)
                    if back.text == store.text and back.of("expression") == one.of("target"))
            and (_returns(code, one) or not code.may_be(store, store.of("expression")))
            for store in code.stores(struct, field)
        )
        for one in born
    )  # fmt: skip


def _constructors(code: Code, struct: str) -> list[tuple[str, Line]]:
    """A line of each constructor of a class, with its name; none where one has no line."""
    name = f"{struct}::{struct}"
    found = {extent_of(one): one for one in code.lines if one.function == name}
    heads = {(last_part(text.file or ""), at)
             for text in code.texts for at in constructors(text, struct)}  # fmt: skip
    named = struct.isidentifier() and None not in found and len(heads) == len(found)
    named = named and all(map(names, code.texts))
    return [(name, one) for one in found.values()] if named else []


def _makes_some(code: Code, line: Line, struct: str, field: str) -> bool:
    """True for a line that always sets the member of its own object to what is not null, or calls a
    method that does."""
    if line.row.kind == "assigns":
        return not code.may_be(line, line.of("expression")) and is_sure(code, line)
    called = f"{struct}::{line.of('callee').removeprefix('this->')}"
    return is_sure(code, line) and any(
        _makes_some(code, one, struct, field) for one in code.stores(struct, field)
        if one.function == called and one.of("target") in (field, f"this->{field}")
    )  # fmt: skip


def set_behind(code: Code, struct: str | None, field: str) -> Iterator[str]:
    """The members that are not zero only behind where the same object's ``field`` is set to what is
    not null, or is gone through: all lines that set them to anything else do that; of no struct of
    which an object begins with others than zeros."""
    if any(
        code.owners.points_to(one.of("target"), one.function) == struct
        and not _ZEROS.fullmatch(one.of("expression"))
        for one in code.of_kind("assigns")
    ):
        return
    zeros = all(begins_as_zeros(code, of, struct) for of in code.owners.around(str(struct)))
    listed = not makes_unseen(code) and any(  # Rust's objects begin with all their members
        text.language == RUST for text in code.texts
    )
    making = makers(code, str(struct))
    for name in {name for of, name in code.owners.members if of == struct and name != field}:
        stores = [one for one in code.stores(struct, name) if fixed_of(code, one) != 0]
        first = [fixed_of(code, one) for one in first_values(code, str(struct), name)]
        if not (zeros or listed or (first and set(first) == {0})) or any(
            None in begins_with(code, one, str(struct), name) for one in making
        ):
            continue  # memory that is given again has what its last owner left
        if stores and all(is_with_some(code, one, field) or (
            _was_some(code, one.into(one.of("target")[: -len(name)] + field))
            and not may_set(code, struct, name)) for one in stores
        ):  # fmt: skip
            yield name


async def never_set(dump: Dump, line: Line) -> Proved:
    """Of what makes such objects this alone leaves the member, and nothing else sets it."""
    code, link = dump.code, dump.chain[-1]
    target, at = normal(str(link.get("target"))), link.get("at")
    if code.owners.is_local(target, line.function):
        said = await left_local(dump, line, target, at)
        return (link, *said) if said else ()
    struct, field = code.owners.cell(target, line.function)
    struct = struct or class_of(line.function)
    making = makers(code, struct)
    place = await failing(dump, line.into(target), field or target)
    if place and struct and await _is_skipped(dump, line, place, (struct, field or target)):
        return (link,)
    if all(one.row.kind == "allocates" for one in making):
        cell = await dump.value(place, f"&{place.base}{field}") if place else None
        if cell is None or not await dump.chunk(cell.value):
            return ()  # no block of the heap is what failed
        if not all(is_one(code, one, struct) for one in making):
            return ()  # of several one may be left out
    stores, fresh = code.stores(struct, field or target), list(zero_fills(code, making))
    own = [one for one in stores if is_in(one, making)]
    branch = _is_bare(link, line, own)
    some_way = bool(making) and making[0].has(at) and len(own) == len(stores) and not (
        any(is_sure(code, one) or is_in_choice(one) for one in own)
        or _is_told_apart(dump, struct, making)
    ) and any(may_be_passed(one.text, one.at) for one in own)  # fmt: skip
    if stores and len({(one.file, one.at) for one in making}) == 1 and is_in(line, making) and not (
        (own and not branch and not some_way)
        or making[0].of("callee").endswith(ZEROED) or fresh or (code.null and not some_way)
    ) and place is not None and cells_read(dump):  # fmt: skip
        return (link, *said) if (said := await left_unset(dump, line.into(target), place)) else ()
    zeroed = {extent_of(one) for one in fresh} | {
        extent_of(one) for one in making if one.of("callee").endswith(ZEROED)
    }
    while making and not any(is_in(one, making) for one in stores):
        zeros = {extent_of(one) for one in making} <= zeroed
        making = _callers(code, making)  # they only hand on what they allocate
        zeroed |= {extent_of(one) for one in making} if zeros else set()
    made = {extent: one for one in making if (extent := extent_of(one))}
    if not all(is_in(one, making) for one in stores) or (
        may_set(code, struct, field or target, fresh)
    ):
        return ()
    left: list[tuple[str, int, int]] = []
    for extent, one in made.items():
        own = [store for store in stores if store.of("target")[:1] != "*" and is_in(store, [one])]
        given = any(code.may_be(store, store.of("expression")) for store in own)
        sure = any(is_sure(code, store) for store in own)
        if (code.null and not given and sure) or (not code.null and (sure or extent in zeroed)):
            continue  # it sets it, or leaves a zero that is not what failed
        if len(made) == 1 or place is None or not await was_made_otherwise(
            dump, place, one, str(struct), making, extent in zeroed
        ):  # fmt: skip
            left.append(extent)
    mine = len(left) == 1 and isinstance(at, int) and left[0][1] <= at <= left[0][2]
    own = [one for one in stores if mine and is_in(one, [made[left[0]]])]
    some = code.null and not any(code.may_be(one, one.of("expression")) for one in own)
    return (link,) if mine and (not own or (some and _is_bare(link, line, own))) else ()


async def _is_skipped(dump: Dump, line: Line, place: Place, cell: Cell) -> bool:
    """True where what failed runs in one state alone, which the object is in, of all lines that
    bring it there all but those of this function do it where the member was set before, and nothing
    clears that: ``if (s->state != READY) return; s->key->use()``."""
    code, (struct, field) = dump.code, cell
    if not code.null or may_set(code, struct, field) or any(
        code.may_be(one, one.of("expression")) for one in code.stores(struct, field)
    ):  # fmt: skip
        return False
    for frame, left, sign, state in _asked(dump):
        of, name = code.cell_in(frame.function or "", left)
        if sign != "==" or of != struct or name == field or may_set(code, struct, name):
            continue
        own = await dump.value(Place(frame), f"&{left.removesuffix(name)}{field}")
        mine = await dump.value(place, f"&{place.base}{field}")
        held = await dump.value(Place(frame), left)
        there = await dump.value(Place(frame), f"{state}+0")
        if not (own and mine and held and there) or own.value != mine.value or (
            held.value != there.value or there.value == 0
            or not _begins_otherwise(code, str(struct), name, state)
        ):  # fmt: skip
            continue
        stores = code.stores(struct, name)
        short = [one for one in stores if not _comes_with(code, one, field, state)]
        known = all(fixed_of(code, one) is not None for one in stores)
        if known and short and all(is_in(one, [line]) for one in short) and not _is_made_up(
            code, line, cell
        ):  # fmt: skip
            return True
    return False


def _asked(dump: Dump) -> Iterator[tuple[Frame, str, str, str]]:
    """What the conditions compare that the lines of the inner frames stand under."""
    code = dump.code
    for nth, frame in enumerate(dump.frames[:_NEAR]):
        inner = dump.frames[nth - 1].function or "" if nth else ""
        calls = [(one.text, one.at) for one in code.calls(inner) if nth
                 and same_function(one.function, frame.function or "")]  # fmt: skip
        at = frame.line or 0
        texts = [(text, at) for text in code.texts if text.lists(frame.file, at)]
        if len({at for _, at in calls}) == 1:
            texts = calls  # a frame may be told by the line of what was inlined there
        text, at = max(texts, key=lambda one: len(one[0].lines), default=(None, 0))
        for left, sign, right in guards(text, at, code.known) if text else ():
            yield frame, left, sign, right


def _is_told_apart(dump: Dump, struct: str, making: Sequence[Line]) -> bool:
    """True where what failed runs by what another member of such objects says, which is also set
    where none is made: what it says may be wrong."""
    code = dump.code
    cells = [code.cell_in(frame.function or "", side)
             for frame, left, _, right in _asked(dump) for side in (left, right)]  # fmt: skip
    return any(
        of == struct and name and (
            may_set(code, of, name) or not all(is_in(one, making) for one in code.stores(of, name)))
        for of, name in cells
    )  # fmt: skip


def _begins_otherwise(code: Code, struct: str, name: str, state: str) -> bool:
    """True where each object begins with another constant in a member than that, which is not 0."""
    first = first_values(code, struct, name)
    making = makers(code, struct)
    return all(fixed_of(code, one) not in (None, state) for one in first) and bool(making) and (
        bool(first) or all(one.of("callee").endswith(ZEROED) for one in making)
    )  # fmt: skip


def _comes_with(code: Code, store: Line, field: str, state: str, depth: int = 4) -> bool:
    """True for a line that brings another state, that runs behind where the member is set, or in a
    state into which all lines bring with it."""
    name = last_name(store.of("target").replace("->", "."))
    own = fixed_of(code, store)
    if own is None or (isinstance(own, str) and own != state) or is_with_some(code, store, field):
        return own is not None
    struct = code.member_of(store)[0]
    return depth > 0 and any(
        left == store.of("target") and sign == "==" and before != state and all(
            _comes_with(code, one, field, before, depth - 1)
            for one in code.stores(struct, name)
        )
        for left, sign, before in guards(store.text, store.at, code.known)
    )  # fmt: skip


def _is_made_up(code: Code, line: Line, cell: Cell) -> bool:
    """True where a call of a line's function is followed by one that sets the member: the caller of
    another one may have left that out."""
    setting = {last_name(one.function) for one in code.stores(*cell)}
    return any(
        one.text == call.text and one.at > call.at and last_name(one.of("callee")) in setting
        for call in code.calls(line.function)
        for one in code.of_kind("calls", call.function)
    )


def _is_bare(link: Claim, line: Line, own: Sequence[Line]) -> bool:
    """True where a statement is of the one branch of a function in which the member is set in each
    other one: what none of those set went through this."""
    at, to = link.get("at"), link.get("to")
    return isinstance(at, int) and isinstance(to, int) and bool(own) and (
        len({one.of("target") for one in own}) == 1
        and all(one.text == line.text for one in own)
        and is_bare_branch(line.text, at, to, frozenset(one.at for one in own))
    )  # fmt: skip


def _callers(code: Code, making: Sequence[Line]) -> list[Line]:
    """The calls of functions that return what they allocate; none where one does not."""
    found: list[Line] = []
    for one in making:
        given = {line.of("expression") for line in code.of_kind("returns", one.function)}
        calls = code.calls(one.function)
        if one.of("target") not in given or not code.is_called_alone(one.function):
            return []
        found += [call.into(code.made_by(call)) for call in calls]
    return found
