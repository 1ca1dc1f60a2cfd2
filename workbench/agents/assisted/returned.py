"""Which call returned what failed."""

from collections.abc import Iterator

from analyzers.patterns.case import NEAR_NULL, Case
from workbench.agents.assisted.code import Code, is_to_come
from workbench.agents.assisted.dump import Dump, Found, Place
from workbench.agents.assisted.followed import is_in_macro, is_taken
from workbench.agents.assisted.kept import gives_kept
from workbench.agents.assisted.lines import Cell, Line
from workbench.agents.assisted.marks import (
    failing,
    has_run_on,
    is_in,
    is_one,
    is_sure,
    makers,
    was_before,
)
from workbench.agents.assisted.members import is_born_with
from workbench.agents.assisted.outside import Proved
from workbench.agents.assisted.rivals import (
    first_values,
    is_variable,
    makes_unseen,
    may_release_such,
    may_set,
)
from workbench.agents.assisted.sources import unwrapped_by
from workbench.claims.chain import same_function
from workbench.claims.source import function_extent, normal
from workbench.claims.source.held import guards
from workbench.claims.source.names import bits_of
from workbench.claims.source.spots import names
from workbench.claims.source.text import FILE_SCOPE, RUST, C
from workbench.claims.values import NULL, number
from workbench.model.claims import Claim
from workbench.model.facts import Fault
from workbench.model.investigation import Investigation

_ERRORS = 4096
"""The numbers below zero that tell an error, as the system's calls return them (errno.h)."""


def gave_it(state: Investigation, last: Claim) -> Proved:
    """The machine shows that what failed, null or an error's number, was returned by a call."""
    value, shown = last.get("value"), [
        one
        for fault in state.facts.all(Fault)
        for one in (fault.operand, fault.base_value, fault.index_value, fault.divisor)
    ]  # fmt: skip
    small = isinstance(value, int) and (
        value < NEAR_NULL or any(-_ERRORS < value - (1 << bits) < 0 for bits in (32, 64))
    )
    return (last,) if small and value in shown else ()


async def returned(dump: Dump, line: Line) -> Proved:
    """The machine shows, or a variable that the result is in, the constant that one line alone
    returns."""
    code, made = dump.code, line.of("expression")
    may = [one for one in code.of_kind("returns", line.function)
           if code.may_be(one, one.of("expression"))
           and not (_is_without_memory(code, one) or gives_kept(code, one))]  # fmt: skip
    if (
        any(not one.is_at(line) for one in may)
        or _returns_unseen(line)
        or not (made in NULL or number(made) is not None or (may and made.isidentifier()))
    ):
        return ()
    for on, one in unwrapped(dump):
        if code.is_call(one, on, line.function) or _is_born_with(code, code.cell_of(one, on), line):
            return tuple(dump.chain[:1])
    if not code.null and code.owners.is_local(made, line.function):
        return ()  # it may have led to what was there when it was returned
    if code.returned:  # the machine shows who
        if code.null and made not in NULL and bits_of(code.results_of(line), C):
            return ()  # a number, which is no null pointer by chance
        return tuple(dump.chain[:1]) if same_function(code.returned, line.function) else ()
    for link in dump.chain[:-1]:
        frame = dump.live(str(link.get("function")))
        if (
            link.kind == "assigns"
            and frame
            and not _set_by_another(code, link)
            and any(
                code.is_call(one, one.of("expression"), line.function) for one in code.kept(link)
            )
            and not is_taken(
                code, code.cell_in(str(link.get("function")), normal(str(link.get("target"))))
            )
        ):
            held = await dump.value(Place(frame), normal(str(link.get("target"))))
            if held and held.value == 0 and code.null:
                return await dump.said(held)
    for link in dump.chain[:-1] if code.null else ():
        for store in code.kept(link) if link.kind == "assigns" else ():
            if found := await _kept_in_member(dump, store, line.function):
                return await dump.said(found)
    return ()


def _is_without_memory(code: Code, line: Line) -> bool:
    """True for a line that runs only where an allocation failed whose size is small whatever the
    data."""
    made = {name: [one for one in code.sets(line.function, name) if one.text == line.text]
            for name, sign, other in guards(line.text, line.at, code.known)
            if sign == "==" and other in NULL and code.owners.is_local(name, line.function)
            and not code.is_handed_out(line.function, name)}  # fmt: skip
    return any(sets and all(map(code.gives_some, sets)) for sets in made.values())


def _is_born_with(code: Code, cell: Cell, line: Line) -> bool:
    """True for a member of Rust that one line alone gives its object, when that is made: what a
    call of the function returned."""
    stores = code.stores(*cell)
    return bool(stores) and cell[0] in code.owners.structs and not may_set(code, *cell) and all(
        one.is_same(stores[0]) and one.text.language == RUST
        and one.of("target") == f"{one.of('target').partition('.')[0]}.{cell[1]}"
        and code.is_call(one, one.of("expression"), line.function)
        for one in stores
    ) and not makes_unseen(code)  # fmt: skip


def _returns_unseen(line: Line) -> bool:
    """True for a function of Rust in which an operator ``?`` may return as well."""
    found = function_extent(line.text, line.at) if line.text.language == RUST else None
    read = names(line.text) if found else None
    return found is not None and (read is None or any(
        found[0] <= read.at(node) <= found[1] for node in read.words.get("?", ())
    ))  # fmt: skip


def unwrapped(dump: Dump) -> Iterator[tuple[str, Line]]:
    """What the failing line alone unwraps, where Rust's library says that it is None: as a place,
    without what gives a None for a None."""
    code, frame = dump.code, dump.ports.state.facts.once(Case).frame
    there = [one for one in code.of_kind("calls", frame.function or "")
             if one.at == frame.line and unwrapped_by(one)
             ] if code.unwrapped and frame is not None else []  # fmt: skip
    for one in there if len({one.of("callee") for one in there}) == 1 else ():
        yield unwrapped_by(one), one


async def _kept_in_member(dump: Dump, store: Line, function: str) -> Found | None:
    """The member of the object that failed, which is null, where one line alone has set it there:
    to what a call of the function returned, perhaps by a variable that has nothing else."""
    code, expression = dump.code, store.of("expression")
    struct, field = code.member_of(store)
    sets = code.sets(store.function, expression)
    made = list({one.of("expression") for one in sets if one.text == store.text})
    if not field or not code.may_be(store, expression) or may_set(code, struct, field) or not (
        code.is_call(store, expression, function)
        or (len(made) == 1 and code.is_call(store, made[0], function)
            and not is_taken(code, code.cell_of(store, expression)))
    ):  # fmt: skip
        return None
    place = await failing(dump, store, field)
    null = await dump.of(place, store.of("target"), store) if place else None
    if place is None or null is None or null.value or not (
        await has_run_on(dump, place, store) or is_born_with(code, struct, field)
        or _is_born_by(code, store, str(struct))
    ):  # fmt: skip
        return None
    born = [one for one in makers(code, str(struct)) if not is_in(store, [one])]
    first = first_values(code, str(struct), field)  # all these were before
    others = [one for one in code.stores(struct, field)
              if not (one.is_same(store) or any(map(one.is_at, first)) or is_in(one, born))
              and code.may_be(one, one.of("expression")) and not is_to_come(code, one)]  # fmt: skip
    return null if all([await was_before(dump, place, one, store) for one in others]) else None


def _is_born_by(code: Code, store: Line, struct: str) -> bool:
    """True for a store that each such object has had: its function alone makes one, and always sets
    the member; nobody has released one."""
    making = makers(code, struct)
    return (
        bool(making)
        and all(is_in(store, [one]) and is_one(code, one, struct) for one in making)
        and is_sure(code, store)
        and not is_variable(code, struct)
        and all(is_to_come(code, one) for one in code.of_kind("frees")
                if may_release_such(code, one, struct))
    )  # fmt: skip


def _set_by_another(code: Code, link: Claim) -> bool:
    """True where another line may have set the member or the file's variable that a link sets, or
    its whole object, or a macro the variable."""
    return any(
        may_set(code, *cell) or any(
            code.may_be(one, one.of("expression"))
            and not (one.is_same(line) or is_to_come(code, one) or one.function == FILE_SCOPE)
            for one in code.stores(*cell)
        ) if cell[0] != line.function else (
            is_in_macro(code, line.of("target"))
            or not code.owners.is_local(line.of("target"), line.function)  # of a namespace
        )
        for line in code.kept(link)
        for cell in [code.target_of(line)]
    )  # fmt: skip
