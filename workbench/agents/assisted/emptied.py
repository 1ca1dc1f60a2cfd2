"""Which line made an element of a Vec of Options None, or a Vec too short for an index that was one
of its elements' before: the only one of Rust's source that may, where each line that names the Vec
is one of few forms."""

import re
from functools import lru_cache

from analyzers.patterns.case import Case
from workbench.agents.assisted.code import Code
from workbench.agents.assisted.dump import Dump, Place
from workbench.agents.assisted.lines import Cell, Line
from workbench.agents.assisted.once import once
from workbench.agents.assisted.outside import Proved
from workbench.agents.assisted.returned import unwrapped
from workbench.agents.assisted.rivals import makes_unseen, may_set
from workbench.claims.source import SourceText, precedes, shapes
from workbench.claims.source.changed import run_together
from workbench.claims.source.held import guards
from workbench.claims.source.names import bits_of
from workbench.claims.source.spots import Spot, has, names, spots
from workbench.claims.source.text import RUST, last_name, normal, words
from workbench.claims.values import number
from workbench.model.facts import Frame

_ELEMENT = re.compile(r"(.+)\[[^\[\]]*\]")
_GIVES_NONE = words("filter() and() and_then() xor() zip()")
"""Methods of an Option that may give None for one that is not (Rust's library)."""
_UNSEEN = words("unsafe transmute serde Deserialize macro_definition extern")
_OPTIONS = ("Vec<Option<", "std::vec::Vec<Option<")
_READS = words("len() is_empty() iter() capacity() first() last() get()")
_READ_OF_ONE = words("as_ref() as_mut() as_deref() is_some() is_none() clone() iter()")
_NUMBERS = words("bool str String char")
"""Types that have no elements."""
_BOUNDS = "core::panicking::panic_bounds_check"
"""Where Rust's library ends a process for an index (library/core/src/panicking.rs)."""
_SHORTENS = words(
    "clear drain truncate pop remove swap_remove split_off retain dedup take pop_front pop_back"
)
_KEPT = _READS | words(
    "iter_mut() get_mut() insert() reserve() shrink_to_fit() contains() reverse() swap() []"
    " first_mut() last_mut()"
)
_KEPT_TOO = ("push", "extend", "sort", "binary_search")
"""What takes no element away, and how such methods begin."""
_COUNT = re.compile(r"([\w.]+)\.len\(\)(-1)?")
_LOOKS_UP = re.compile(
    r"[*&]?([\w.]+)(?:\[[^\[\]]*\]|\.(?:get|remove)\((?:[^()]|\([^()]*\))*\)"
    r"(?:\.(?:copied|cloned|unwrap)\(\)|\.expect\(\"[^\"]*\"\)|\?)*)"
)
_ENTRY = re.compile(r"\.entry\((?:[^()]|\([^()]*\))*\)\.or_(?:default|insert_with)\([\w:]*\)$")
_LISTED = re.compile(r"&?([\w.]+?)(?:\.iter\(\))?")
_TAKEN = words("retain() clear() truncate() len() is_empty() iter() contains() remove() pop()")
_PUTS = words("insert() push()")
_MAPS = ("HashMap", "BTreeMap", "Vec")
_MAPPED = words(
    "get() remove() contains_key() len() is_empty() clear() keys() values() iter() insert() push()"
    " pop() first() last() retain() truncate() dedup() sort() sort_unstable() contains()"
)
"""What puts no number into a map, or Vec, but for one that is known."""


async def emptied(dump: Dump, line: Line) -> Proved:
    """The failing line unwraps an element of the Vec, and no other line than this may leave None in
    one."""
    code, mine = dump.code, element_of(dump.code, line)
    wrapped = {element_of(code, one.into(on)) for on, one in unwrapped(dump)}
    alone = mine is not None and wrapped == {mine} and _is_alone(code, mine[1], line)
    return tuple(dump.chain[:1]) if alone else ()


async def shortened(dump: Dump, line: Line) -> Proved:
    """The index that Rust's library refused is that of an element that the Vec had whenever the
    index was set, and no other line than this takes elements from it."""
    code, frame = dump.code, dump.ports.state.facts.once(Case).frame
    on, _, method = line.of("callee").rpartition(".")
    if line.text.language != RUST or method not in _SHORTENS or frame is None or not any(
        one.function == _BOUNDS for one in code.frames
    ):  # fmt: skip
        return ()
    cell = code.cell_of(line, on)
    used = {found for text in code.texts if text.lists(frame.file, frame.line)
            for found in indexed(text, frame.line)}  # fmt: skip
    if len(used) != 1 or cell[0] not in code.owners.structs:
        return ()
    array, index = used.pop()
    place = Place(frame)
    now, length = await dump.value(place, index), await dump.value(place, f"{array}.len")
    if (
        now is None or length is None or now.value < length.value
        or code.cell_in(frame.function or "", array) != cell
        or not _was_element(code, frame, array, index, now.value)
        or not _takes_alone(code, cell[1], line)
    ):  # fmt: skip
        return ()
    return await dump.said(now)


def _was_element(code: Code, frame: Frame, array: str, index: str, value: int) -> bool:
    """True for an index that a loop counts up to the Vec's length, one of a map that has nothing
    but such, or a member beside the Vec that each line which sets it to what it may be keeps below
    that."""
    function, base = frame.function or "", array.rpartition(".")[0]
    root = base.partition(".")[0]
    if any(one.of("target") == root for one in code.of_kind("assigns", function)[1:]):
        return False  # it may have been another object's
    if index.isidentifier() and (kept := _looked_up(code, function, index, base)):
        return _keeps_elements(code, kept, code.cell_in(function, array))
    if index.isidentifier():
        loops = [one for one in code.of_kind("loops", function) if one.has(frame.line)]
        over = [one.of("condition") for one in loops if one.of("each") == index]
        if code.sets(function, index) or len(over) != 1 or over == [f"0..{array}.len()"]:
            return len(over) == 1 and not code.sets(function, index)
        listed = _LISTED.fullmatch(over[0])
        kept = _looked_up(code, function, listed[1], base) if listed else None
        if listed and listed[1].rpartition(".")[0] == base:
            kept = code.cell_in(function, listed[1])
        return (
            kept is not None
            and kept[0] in code.owners.structs
            and (_keeps_elements(code, kept, code.cell_in(function, array)))
        )
    struct, field = code.cell_in(function, index)
    stores = code.stores(struct, field)
    return (
        bool(base and struct and stores) and index.rpartition(".")[0] == base
        and not may_set(code, struct, field) and not makes_unseen(code)
        and all(_is_kept(code, one, array, value) for one in stores)
    )  # fmt: skip


def _looked_up(code: Code, function: str, index: str, base: str) -> Cell | None:
    """The map of an object from which a function takes an index, which it binds by one ``let``
    alone."""
    named = re.compile(rf"\b{re.escape(index)}\b")
    sets = [one for one in code.of_kind("assigns", function) if named.search(one.of("target"))]
    if (
        len(sets) != 1
        or index in code.parameters(function)
        or any(
            one.sort in ("bound", "named")
            for one in spots(sets[0].text, index)
            if one.at > sets[0].at
        )
    ):
        return None
    found = _LOOKS_UP.fullmatch(sets[0].of("expression"))
    bare = sets[0].of("target") in (index, f"Some({index})", f"Some(&{index})")
    own = found is not None and bare and found[1].rpartition(".")[0] == base
    cell = code.cell_of(sets[0], found[1]) if found and own else (None, "")
    return cell if cell[0] in code.owners.structs and cell[1] else None


@once
def _keeps_elements(code: Code, kept: Cell, array: Cell) -> bool:
    """True for a map, a Vec, or a map of Vecs, of numbers of elements alone: each is how many there
    were just before one more was put behind them."""
    inserts = [one for one in code.of_kind("calls")
               if (one.of("name"), one.row.values.get("index")) in (("insert", 2), ("push", 1))
               and code.cell_of(one, _put_into(one)) == kept]  # fmt: skip
    uses = fields_of(code, kept[1], inserts[0]) if inserts else []
    return (
        bool(uses)
        and all(is_made(one, *_MAPS) or _is_kept_map(one) or _is_shortened(code, one)
                for one, _ in uses)
        and len(inserts) == sum(bool(_PUTS & {*one.steps}) for one, _ in uses)
        and all(_is_next(code, one, array) for one in inserts)
    )  # fmt: skip


def _is_kept_map(spot: Spot) -> bool:
    """True where nothing is set by what a map, or Vec, of numbers gives."""
    if spot.lent == "&mut" or spot.sort in ("declared", "made", "named"):
        return False
    entry = spot.begins("entry()") and spot.steps[1:2] in (("or_default()",), ("or_insert_with()",))
    return spot.is_over or spot.begins(*_MAPPED) or (entry and spot.steps[2:] == ("push()",)) or (
        spot.begins("[]") and (spot.sort != "set" or len(spot.steps) > 1)
    )  # fmt: skip


def _put_into(call: Line) -> str:
    """What a call puts a number into: a map's own Vec of a key counts as the map."""
    return _ENTRY.sub("", call.of("callee").rpartition(".")[0])


def _is_shortened(code: Code, spot: Spot) -> bool:
    """True for a loop over a map's Vecs by a variable that does nothing but take numbers out,
    wherever that name stands in the source."""
    return spot.steps == ("values_mut()",) and spot.by.isidentifier() and all(
        one.is_member or one.begins(*_TAKEN) or one.sort == "bound" or one.is_over
        for text in code.texts for one in spots(text, spot.by)
    )  # fmt: skip


def _is_next(code: Code, insert: Line, array: Cell) -> bool:
    """True for a number that is given to a map as that of what its function pushes, just before or
    behind that; perhaps by a variable."""
    sets = code.sets(insert.function, insert.of("expression"))
    made = sets[0] if len(sets) == 1 else insert
    number_of = _COUNT.fullmatch(made.of("expression"))
    pushed = [one for one in code.of_kind("calls", insert.function)
              if one.text == insert.text and "index" not in one.row.values
              and one.of("name") in ("push", *_SHORTENS)
              and code.cell_of(one, one.of("callee").rpartition(".")[0]) == array]  # fmt: skip
    if number_of is None or [one.of("name") for one in pushed] != ["push"]:
        return False
    first, *_, last = sorted((made.at, insert.at, pushed[0].at))
    of = {
        one.rpartition(".")[0]
        for one in (
            number_of[1],
            *map(_put_into, (insert, pushed[0])),
        )
    }
    return (
        len(of) == 1
        and code.cell_of(made, number_of[1]) == array
        and (pushed[0].at < made.at if number_of[2] else made.at < pushed[0].at)
        and (
            run_together(insert.text, insert.at, pushed[0].at, "self", code.known, calls=True)
            or (pushed[0].at < insert.at
                and precedes(insert.text, pushed[0].at, insert.at) is not None)
        )
        and (made is insert or precedes(made.text, made.at, insert.at) is not None)
        and not any(last_name(one.of("callee")) in code.functions
                    for one in code.of_kind("calls", insert.function) if first <= one.at <= last)
    )  # fmt: skip


def _is_kept(code: Code, store: Line, array: str, value: int) -> bool:
    """True for a line that sets an index to another number than it has, or to one of an element."""
    made, by, target = store.of("expression"), store.of("operator"), store.of("target")
    length = f"{target.rpartition('.')[0]}.{array.rpartition('.')[2]}.len()"
    if by == "=" and number(made) is not None:
        return number(made) != value
    if by == "-=" or made == f"{length}-1" or re.fullmatch(rf".*%{re.escape(length)}", made):
        return True
    new = f"{target}+{made}" if by == "+=" else made
    asked = [one.at for one in code.of_kind("compares", store.function)
             if (one.of("left"), one.of("operator"), one.of("right")) == (new, "<", length)
             ]  # fmt: skip
    stores = code.sets(store.function, target)
    return (
        by in ("=", "+=") and len(asked) == len({one.at for one in stores}) == 1
        and (new, "<", length) in [*guards(store.text, store.at, code.known)]
        and not code.loop(store, store.at)
        and not any(last_name(one.of("callee")) in code.functions
                    for one in code.of_kind("calls", store.function)
                    if asked[0] <= one.at <= store.at)
    )  # fmt: skip


@once
def _takes_alone(code: Code, field: str, line: Line) -> bool:
    """True where no line but this takes elements from what has that name, or may."""
    uses = uses_of(code, field, line)
    return uses is not None and all(
        mine or one.lent == "&" or (one.lent and one.sort == "over")
        or one.sort in ("declared", "made") or one.begins(*_KEPT) or one.calls(*_KEPT_TOO)
        for one, mine in uses
    )  # fmt: skip


@once
def uses_of(code: Code, field: str, line: Line) -> list[tuple[Spot, bool]] | None:
    """Each place of a name that is no function's, and whether it is of that line; None where a
    listing cannot be read, or has what hides others."""
    uses = list[tuple[Spot, bool]]()
    for text in code.texts:
        if has([text], *_UNSEEN) or _is_by_default(text):
            return None
        uses += [(one, one.at == line.at and text.file == line.text.file)
                 for one in spots(text, field) if not one.begins("()")]  # fmt: skip
    return uses


@lru_cache(maxsize=32)
def _is_by_default(text: SourceText) -> bool:
    """True where Rust may make what has other members than empty ones by its default."""
    found = names(text)
    plain = [one.node.parent for one in spots(text, "default") if one.steps == ("()",)]
    of = [found.tree.text(one).partition("::")[0] for one in plain if found and one]
    words = found.words if found else {}
    derived = [one for one in words.get("Default", ()) if one.parent is not None
               and one.parent.type == "token_tree"]  # fmt: skip
    return len(words.get("default", ())) > sum(
        one[:1].isupper() and not one.startswith(("Default", "Option")) for one in of
    ) or len(words.get("Default", ())) > len(derived)


def fields_of(code: Code, field: str, line: Line) -> list[tuple[Spot, bool]]:
    """Each place of a member's name, and whether it is of that line, without those of another
    struct whose member has no elements; none where not all is read."""
    return [
        (one, mine) for one, mine in uses_of(code, field, line) or ()
        if one.sort == "named" or (one.is_member and not (
            one.sort == "declared"
            and (one.value.lstrip("&") in _NUMBERS or bits_of(one.value.lstrip("&"), RUST))))
    ]  # fmt: skip


def is_made(spot: Spot, *of: str) -> bool:
    """True where a member is declared as a container of Rust's library, or begins as an empty
    one."""
    value = spot.value.removeprefix("std::collections::")
    kind, _, rest = value.partition("<" if spot.sort == "declared" else "::")
    return spot.sort in ("declared", "made") and (
        (kind in of and (spot.sort == "declared" or rest.startswith(("new(", "with_capacity("))))
        or (value == "vec![]" and "Vec" in of)
    )


def indexed(text: SourceText, line: int | None) -> set[tuple[str, str]]:
    """The arrays of which elements are named in a line, each with the index."""
    found = names(text)
    parts = [[normal(found.tree.text(one)) for one in shapes.named(node)]
             for node in (found.sorts.get("index_expression", ()) if found else ())
             if found and found.at(node) == line]  # fmt: skip
    return {(array, index) for array, index in parts}


def element_of(code: Code, line: Line) -> Cell | None:
    """The member of which a line of Rust sets an element."""
    found = _ELEMENT.fullmatch(line.of("target")) if line.text.language == RUST else None
    cell = code.owners.cell(found[1], line.function) if found else (None, "")
    return cell if cell[0] and cell[1] else None


@lru_cache(maxsize=32)
def is_plain(text: SourceText) -> bool:
    """True where each ``Some(...)`` of Rust is just that, and no method is called that may make it
    None: ``Some(one).filter(is_new)``."""
    return not any(_GIVES_NONE & {*one.steps[1:2]} for one in spots(text, "Some"))


@once
def _is_alone(code: Code, field: str, line: Line) -> bool:
    """True where each place of a Vec's name has an empty one, one more element that is not None,
    or only reads, but for the line that leaves None."""
    if any(not is_plain(text) for text in code.texts if text.language == RUST):
        return False
    uses = uses_of(code, field, line)
    return uses is not None and all(
        one.lent == "&" or (one.lent == "" and (
            (one.sort == "declared" and one.value.startswith(_OPTIONS))
            or (one.sort == "made" and is_made(one, "Vec"))
            or (one.begins("push()") and "".join(one.given).startswith("Some("))
            or one.begins(*_READS) or (one.begins("[]") and _leaves_some(one, mine))
        ))
        for one, mine in uses
    )  # fmt: skip


def _leaves_some(spot: Spot, mine: bool) -> bool:
    """True for an element that is set to what is not None, or only read, and for the line that is
    meant where it becomes None."""
    taken = ("take()",) if mine else ()
    stored = spot.value.startswith("Some(") or (mine and spot.value == "None")
    of_one = len(spot.steps) > 1 and spot.steps[1] in (*_READ_OF_ONE, *taken)
    return of_one or (spot.sort == "set" and spot.operator == "=" and stored)
