"""Which line made an element of a Vec of Options None, or a Vec too short for an index that was one
of its elements' before: the only one of Rust's source that may, where each line that names the Vec
is one of few forms."""

import re
from collections.abc import Iterator
from functools import lru_cache

from analyzers.patterns.case import Case
from workbench.agents.assisted.code import Code
from workbench.agents.assisted.dump import Dump, Place
from workbench.agents.assisted.lines import LONGEST, Cell, Line
from workbench.agents.assisted.once import once
from workbench.agents.assisted.outside import Proved
from workbench.agents.assisted.returned import unwrapped
from workbench.agents.assisted.rivals import makes_unseen, may_set
from workbench.claims.source import SourceText, precedes
from workbench.claims.source.changed import run_together
from workbench.claims.source.held import guards
from workbench.claims.source.text import RUST, last_name, words
from workbench.claims.values import number
from workbench.model.facts import Frame

_ELEMENT = re.compile(r"(.+)\[[^\[\]]*\]")
_TEXT = re.compile(r'"(?:[^"\\]|\\.)*"|//.*|/\*.*?\*/')
_SOME = re.compile(r"\bSome\(")
_GIVES_NONE = re.compile(r"\s*\.\s*(?:filter|and|and_then|xor|zip)\b")
"""Methods of an Option that may give None for one that is not (Rust's library)."""
_LED = re.compile(r"&\s*(?P<mut>mut\s+)?[\w.]*$")
"""A reference that is made of it: through one that is not mutable nothing is set."""
_UNSEEN = re.compile(
    r"\b(?:unsafe|transmute|Default|default|serde|Deserialize|macro_rules|extern)\b"
)
_EMPTY = re.compile(r"#\[derive\([^\]]*\)\]|\b(?!Default|Option)[A-Z]\w*::default\(\)")
"""What begins with no elements, as the members of a struct do that derives its default."""
_MADE = (  # an empty one, one more element that is not None, and what only reads
    r":\s*(?:std::vec::)?Vec<\s*Option<.*|:\s*(?:Vec::(?:new|with_capacity)\([^()]*\)|vec!\[\])\s*,?.*"
    r"|\.push\(Some\(.*|\[[^\[\]]*\]\s*=\s*Some\(.*"
    r"|\.(?:len|is_empty|iter|capacity|first|last|get)\(.*"
    r"|\[[^\[\]]*\]\s*\.(?:as_ref|as_mut|as_deref|is_some|is_none|clone|iter)\(.*"
)
_NAMES = re.compile(r"\s*(?:[,}:]|$)")
"""What a member's name alone has behind it where it is declared, set or taken out."""
_OTHER = re.compile(r"\s*:\s*&?(?:bool|str|String|char|[iuf](?:\d+|size))\b")
"""A variable, or a member of another struct, of a type that has no elements like those."""
_BOUNDS = "core::panicking::panic_bounds_check"
"""Where Rust's library ends a process for an index (library/core/src/panicking.rs)."""
_INDEXED = re.compile(r"([A-Za-z_][\w.]*)\[([\w.]+)\]")
_SHORTENS = words(
    "clear drain truncate pop remove swap_remove split_off retain dedup take pop_front pop_back"
)
_KEPT = (  # what takes no element away
    r":.*|\[.*|\.(?:push\w*|len|is_empty|iter|iter_mut|capacity|first|last|get|get_mut|extend\w*|"
    r"insert|reserve|shrink_to_fit|sort\w*|contains|reverse|swap|first_mut|last_mut|binary_search\w*)\(.*"
)
_COUNT = re.compile(r"([\w.]+)\.len\(\)(-1)?")
_LOOKS_UP = re.compile(
    r"[*&]?([\w.]+)(?:\[[^\[\]]*\]|\.(?:get|remove)\((?:[^()]|\([^()]*\))*\)"
    r"(?:\.(?:copied|cloned|unwrap)\(\)|\.expect\(\"[^\"]*\"\)|\?)*)"
)
_BINDS = re.compile(r"\|[^|]*\||\bfor\s+[^{]*?\bin\b|[^,{]*=>")
"""Parameters of a closure, what a loop takes, and a pattern of ``match``."""
_ENTRY = re.compile(r"\.entry\((?:[^()]|\([^()]*\))*\)\.or_(?:default|insert_with)\([\w:]*\)$")
_PUTS = re.compile(r"\.(?:insert|push)\(")
_LISTED = re.compile(r"&?([\w.]+?)(?:\.iter\(\))?")
_EACH = re.compile(r"\bfor\s+(\w+)\s+in\s+[\w.]*$")
_VALUES = re.compile(r"\.values_mut\(\)\s*\{")
_TAKEN = r"\.(?:retain|clear|truncate|len|is_empty|iter|contains|remove|pop)\("
OVER = re.compile(r"\bin\s+&\s*[\w.]*$")
"""A loop over it that changes nothing of it."""
_SHARED = re.compile(r"(?:\bfor\s+|\bfor\s+&\w+\s+in\s+|\bSome\(|\bin\s+&)$")
"""Where the variable of that name is bound, or read by a reference through which nothing is set."""
_MAPS = re.compile(  # what puts no number into a map, or Vec, but for one that is known
    r"\s*(?::\s*(?:std::collections::)?(?:(?:Hash|BTree)Map|Vec)(?:<.*|::(?:new|with_capacity)\(.*)"
    r"|\.(?:get|remove|contains_key|len|is_empty|clear|keys|values|iter|insert|push|pop|first|last"
    r"|retain|truncate|dedup|sort|sort_unstable|contains)\(.*"
    r"|\.entry\((?:[^()]|\([^()]*\))*\)\.or_(?:default|insert_with)\([\w:]*\)\.push\(.*"
    r"|\[[^\[\]]*\](?!\s*[-+*/%]?=[^=]).*)"
)
_NONE = r"\[[^\[\]]*\]\s*(?:\.take\(\)|=\s*None\b).*"


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
    shown = {one for text in code.texts for _, at, one in text.lines
             if at == frame.line and text.lists(frame.file, at)}  # fmt: skip
    used = {found for one in shown for found in _INDEXED.findall(_TEXT.sub("", one))}
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
    if len(sets) != 1 or index in code.parameters(function) or any(
        named.search(bound)
        for _, at, shown in sets[0].text.lines if at > sets[0].at for bound in _BINDS.findall(shown)
    ):  # fmt: skip
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
    uses = list(fields_of(code, kept[1], inserts[0])) if inserts else []
    return (
        bool(uses)
        and all(
            (_MAPS.match(rest) and not _is_lent(before)) or OVER.search(before)
            or _is_shortened(code, before, rest)
            for before, rest, _ in uses
        )
        and len(inserts) == sum(_PUTS.search(rest) is not None for _, rest, _ in uses)
        and all(_is_next(code, one, array) for one in inserts)
    )  # fmt: skip


def _put_into(call: Line) -> str:
    """What a call puts a number into: a map's own Vec of a key counts as the map."""
    return _ENTRY.sub("", call.of("callee").rpartition(".")[0])


def _is_shortened(code: Code, before: str, rest: str) -> bool:
    """True for a loop over a map's Vecs by a variable that does nothing but take numbers out,
    wherever that name stands in the source."""
    each = _EACH.search(before) if _VALUES.match(rest) else None
    if each is None:
        return False
    kept = re.compile(rf"\b(?<!\.){each[1]}\b(?!{_TAKEN})")
    return all(
        _SHARED.search(bare[: found.start()])
        for text in code.texts for _, _, shown in text.lines for bare in [_TEXT.sub("", shown)]
        for found in kept.finditer(bare)
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
    kept = re.compile(rf"\s*(?:{_KEPT})")
    uses = uses_of(code, field, line)
    return uses is not None and all(
        mine or re.search(r"\bin\s+&(?:\s*mut\s+)?[\w.]*$", before) is not None
        or ((led := _LED.search(before)) is not None and not led["mut"]) or kept.match(rest)
        for before, rest, mine in uses
    )  # fmt: skip


def uses_of(code: Code, field: str, line: Line) -> list[tuple[str, str, bool]] | None:
    """What stands before and behind each place of a name, and whether it is of that line; None
    where a line is too long to be read, or has what hides others."""
    named, uses = re.compile(rf"(?<![\w]){re.escape(field)}\b(?!\()"), list[tuple[str, str, bool]]()
    for text in code.texts:
        for nth, (_, at, shown) in enumerate(text.lines):
            bare = _TEXT.sub("", shown)
            if len(shown) > LONGEST or _UNSEEN.search(_EMPTY.sub("", bare)):
                return None
            for found in named.finditer(bare):
                behind = text.lines[nth + 1 : nth + 2]  # where a chain of calls is broken
                rest = bare[found.end() :] or "".join(one.lstrip() for *_, one in behind)
                mine = at == line.at and text.file == line.text.file
                uses.append((bare[: found.start()], rest, mine))
    return uses


def fields_of(code: Code, field: str, line: Line) -> Iterator[tuple[str, str, bool]]:
    """What stands before and behind each place of a member's name, and whether it is of that line;
    a variable of that name, which nothing is made of, is none. One of nothing where not all is
    read."""
    for before, rest, mine in uses_of(code, field, line) or [("", "", False)]:
        if before[-1:] == "." or (_NAMES.match(rest) and not _OTHER.match(rest)):
            yield before, rest.lstrip() if before[-1:] == "." else rest, mine


def element_of(code: Code, line: Line) -> Cell | None:
    """The member of which a line of Rust sets an element."""
    found = _ELEMENT.fullmatch(line.of("target")) if line.text.language == RUST else None
    cell = code.owners.cell(found[1], line.function) if found else (None, "")
    return cell if cell[0] and cell[1] else None


@lru_cache(maxsize=32)
def is_plain(text: SourceText) -> bool:
    """True where each ``Some(...)`` of Rust is just that, and no method is called that may make it
    None: ``Some(one).filter(is_new)``."""
    shown = "\n".join(_TEXT.sub("", line[:LONGEST]) for _, _, line in text.lines)
    for found in _SOME.finditer(shown):
        depth = 1
        for at in range(found.end(), len(shown)):
            depth += (shown[at] == "(") - (shown[at] == ")")
            if not depth:
                if _GIVES_NONE.match(shown, at + 1):
                    return False
                break
    return True


def _is_lent(before: str) -> bool:
    """True behind what makes a reference by which something is set."""
    led = _LED.search(before)
    return led is not None and led["mut"] is not None


@once
def _is_alone(code: Code, field: str, line: Line) -> bool:
    if any(not is_plain(text) for text in code.texts if text.language == RUST):
        return False
    forms, none = re.compile(rf"\s*(?:{_MADE})"), re.compile(rf"\s*{_NONE}")
    uses = uses_of(code, field, line)
    for before, rest, mine in uses or ():
        plain = _LED.search(before) or forms.match(rest) or (none.match(rest) and mine)
        if _is_lent(before) or not plain:
            return False
    return uses is not None
