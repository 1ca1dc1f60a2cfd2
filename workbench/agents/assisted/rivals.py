"""Who else may have done what a line is said to have done, as far as the listed source tells: where
somebody may, nothing proves that it was this line."""

import re
from collections.abc import Iterator, Sequence

from workbench.agents.assisted.code import NULL, Code, Line, is_to_come
from workbench.agents.assisted.dump import Dump
from workbench.claims.source import COMPARED, guards, is_certain, precedes
from workbench.claims.source.names import FILLS
from workbench.claims.source.shapes import member, plain_callee
from workbench.claims.source.text import CPP, FILE_SCOPE, C, last_name, words
from workbench.claims.values import number

_DEEPEST = 6
_KEEPS = frozenset(FILLS) | words(
    "printf fprintf dprintf puts fputs perror write fwrite send sendto memcmp strcmp strncmp"
    " strlen strchr strrchr strstr qsort bsearch assert pthread_create thrd_create sizeof"
)
"""Functions of C's library that free nothing that they are given."""
_METHODS = words(
    "push_back emplace_back push emplace insert find count contains at push_front emplace_front "
    "assign append splice"
)
"""Methods of C++'s containers that keep or compare a pointer."""
_READS = words(
    "size len empty is_empty begin end cbegin cend rbegin rend front back first last iter iter_mut "
    "get get_mut data as_ptr as_mut_ptr capacity reserve"
)
"""Methods of containers after which each of its elements is still there."""
_TAKES_OVER = words("swap exchange copy")
"""What of C++ takes a variable itself, or writes by another argument than the first."""
_VARIABLE = re.compile(r"[A-Za-z_]\w*")
_STEP = re.compile(r"->|\.")
_PATH = re.compile(r"[\w.:>\[\]-]+")
_BEGIN = re.compile(r"^&(?!.*[^0]\]$)|\[0\]$")
"""What an array's name may stand between where it is meant from its first element on."""
_LEADING = re.compile(r"&?\(*([A-Za-z_][\w.>-]*?)(?:\[(?P<index>.*)\]|\.data\(\))?\)*(?:\+.*)?")
_CAST = re.compile(r"^\((?:const )?[A-Za-z_][\w ]*\*+\)")
_CASTS = re.compile(r"(?:\([A-Za-z_][\w ]*\**\)|\w+_cast<[\w ]+\**>)(?=\(*([A-Za-z_][\w.>-]*))")
"""What is taken for one of another type."""
_PLACE = re.compile(r"(?:std::)?\w+<[^<>]*>::(?:const_)?iterator")
"""A type that leads to an element and owns none."""


def is_by_owner(line: Line) -> bool:
    """True for a release by a container's or a smart pointer's method, or by an assignment."""
    return line.of("callee").removeprefix(line.of("expression"))[:1] in ("=", ".")


def may_release(code: Code, mine: Line) -> bool:
    """True where what a line releases, a member or an object of that type, may have been released
    by who was given it, or with what else owns such objects."""
    expression = mine.of("expression")
    field, kind = member(expression), code.owners.points_to(expression, mine.function)
    own = code.owners.cell(expression, mine.function)
    if may_do_anything(code, {own[0], kind}, field):
        return True
    owned = re.compile(rf"[<,:]{re.escape(kind or '>')}[>,]")
    for one in code.of_kind("declares"):
        type_ = _PLACE.sub("", one.of("type"))
        if owned.search(type_) and (one.of("of"), one.of("name")) != own:
            return True
    if is_by_owner(mine) and any(
        last_name(one.of("callee")) not in _METHODS | _READS
        and not any(map(one.is_at, code.of_kind("frees")))  # a release like any other
        and code.owners.cell(one.of("callee").rpartition(".")[0], one.function) == own
        for one in code.of_kind("calls")
        if "index" not in one.row.values and not is_to_come(code, one)
    ):  # fmt: skip
        return True
    if mine.text.language not in (C, CPP):
        return False
    return any(
        _is_it(code, call, call.of("expression"), field, kind)
        and _gives_away(code, call, mine, _DEEPEST)
        for call in code.of_kind("calls")
        if "index" in call.row.values and not is_to_come(code, call)
    )


def is_unlisted(code: Code, call: Line) -> bool:
    """True for a call of C or C++ of what is neither listed nor known: a macro, a library's, a
    pointer's. It may do anything with what it is given."""
    callee, language = call.of("callee"), call.text.language
    plain, name = plain_callee(callee), last_name(callee)
    return language in (C, CPP) and "index" in call.row.values and not (
        plain in _KEEPS - (_TAKES_OVER if language == CPP else frozenset())
        or any(one.is_at(call) and one.of("callee") == callee
               for kind in ("frees", "allocates") for one in code.of_kind(kind))
        or (name in _METHODS | _READS and callee != name)
        or name in code.functions
    )  # fmt: skip


def may_do_anything(code: Code, structs: set[str | None], field: str) -> bool:
    """True where a call of what is not listed was given an object of these, or such a member."""
    return any(
        (bool(field) and member(path) == field)
        or code.owners.points_to(path, one.function) in structs - {None}
        for one in code.of_kind("calls")
        for path in [_CAST.sub("", one.of("expression")).lstrip("(&*").rstrip(")")]
        if is_unlisted(code, one) and not is_to_come(code, one)
    )


def _is_it(code: Code, line: Line, given: str, field: str, kind: str | None) -> bool:
    """Whether an argument is that member or object, or begins where it does: ``&p->base``."""
    path = _CAST.sub("", given).lstrip("(&*")
    if _PATH.fullmatch(path) is None:
        return False
    parts = [
        path,
        *([path.rpartition("->")[0], path.rpartition(".")[0]] if given[:1] == "&" else []),
    ]
    if field:
        return any(member(one) == field for one in parts if one)
    return kind is not None and any(
        code.owners.points_to(one, line.function) == kind for one in parts if one
    )


def _gives_away(code: Code, call: Line, mine: Line, depth: int) -> bool:
    """Whether the called function may release what it is given at that place."""
    callee, index = call.of("callee"), int(call.row.values["index"])
    name = last_name(callee)
    if plain_callee(callee) in _KEEPS or (name in _METHODS and callee != name) or (
        any(one.is_at(call) for one in code.of_kind("frees"))  # a release like any other
    ):  # fmt: skip
        return False
    own = [one for one in code.lines if one.function and last_name(one.function) == name]
    if not own:  # nothing of a library's frees what a member of its own lies in
        return not call.of("expression").startswith("&")
    taken = code.parameters(own[0].function)[index - 1 :][:1]
    if not taken or depth == 0:
        return True
    copies = {taken[0]} | {
        one.of("target") for one in own
        if one.row.kind == "assigns" and one.of("expression").rpartition(")")[2] == taken[0]
    }  # fmt: skip
    return any(
        (one.row.kind == "frees" and one.of("expression") in copies and not one.is_at(mine))
        or (one.row.kind == "calls" and "index" in one.row.values
            and one.of("expression").lstrip("&") in copies
            and _gives_away(code, one, mine, depth - 1))
        for one in own
    )  # fmt: skip


async def cannot_have(dump: Dump, line: Line) -> bool:
    """True for a line that has not run: it is to come, nothing names its function, or a condition
    around it was false whenever it may have been looked at."""
    return (
        is_to_come(dump.code, line)
        or not dump.code.is_named(line.function)
        or await never_held(dump, line)
    )


async def never_held(dump: Dump, line: Line) -> bool:
    """True where a condition around a line was false whenever it may have been looked at."""
    for left, sign, right in guards(line.text, line.at):
        one, other = await _had(dump, line, left), await _had(dump, line, right)
        if one and other and not any(COMPARED[sign](a, b) for a in one for b in other):
            return True
    return False


async def _had(dump: Dump, line: Line, side: str) -> set[int]:
    """All values that one side of a comparison may have had: a number, what each call gives for a
    parameter, what one line set once of objects that begin as zeros; empty where not all are
    known."""
    code, owners = dump.code, dump.code.owners
    struct, field = owners.cell(side, line.function)
    if struct and field:
        stores = code.stores(struct, field)
        made = [one.of("callee") for one in code.of_kind("allocates")
                if owners.points_to(one.of("target"), one.function) == struct]  # fmt: skip
        plain = any(owners.bare(one.of("type")) == struct and one.of("type")[-1:] not in "*&"
                    for one in code.of_kind("declares"))  # fmt: skip
        once = all(one.is_at(stores[0]) and code.runs_once(one) for one in stores)
        if not once or plain or may_set(code, struct, field) or not made or not all(
            callee.endswith(("calloc", "zalloc", "malloc0")) for callee in made
        ):  # fmt: skip
            return set()
        held = [await dump.of(place, side, line) for place in dump.places(line)[:1]]
        return {0} | {one.value for one in held if one} if all(held) else set()
    given = [0 if one in NULL else number(one) for one in code.given(line.function, side) or [side]]
    return {one for one in given if one is not None} if None not in given else set()


def may_overwrite(code: Code, mine: Line, struct: str | None) -> bool:
    """True where another line writes a whole object of the struct, unless the member that a line
    clears is always set behind it in the same function."""
    field = member(mine.of("target"))
    own = code.owners.cell(mine.of("target"), mine.function)
    return struct is not None and (
        any(
            not (
                one.is_at(mine) or is_to_come(code, one) or _is_set_behind(code, one, struct, field)
            )
            for one in _whole(code, struct)
        )
        or may_do_anything(code, {struct}, field)
        or _is_given(code, own)
    )


def _is_given(code: Code, cell: tuple[str | None, str]) -> bool:
    """True where a call of C++ is given a member itself, by a reference, or a variable is one to it
    or to its object."""
    return any(
        (held == cell and by_reference(code, one))
        or (held in (cell, (cell[0], "")) and code.is_reference(one))
        for kind in ("assigns", "calls")
        for one in code.of_kind(kind)
        for held in [code.owners.cell(one.of("expression"), one.function)]
    )


def _whole(code: Code, struct: str) -> Iterator[Line]:
    """The lines that write all of an object of the struct, or take it for one of another type and
    may write anything of it by that one's members or bytes."""
    points_to = code.owners.points_to
    for line in code.lines:
        if line.row.kind not in ("assigns", "returns", "calls"):
            continue
        place, given = line.of("target"), line.of("expression")
        taken = [path for text in (place, given) for path in _CASTS.findall(text)]
        filled = FILLS.get(plain_callee(line.of("callee"))) == line.row.values.get("index", 0)
        into = given if filled else place
        if (
            points_to(into.lstrip("(&*"), line.function) == struct
            and (filled or place[:1] == "*" or place[-1:] == "]" or _is_value(code, line))
        ) or (
            any(points_to(path, line.function) == struct for path in taken)
            and (place[:1] == "*" or _leads_off(code, line))
        ) or any(
            _writes(code, *led, _DEEPEST, whole=points_to(led[1], led[0]) != struct)
            for led in led_to(code, line)
            if points_to(_CAST.sub("", given).lstrip("(&*"), line.function) == struct
            and (line.row.kind == "calls" or points_to(led[1], led[0]) != struct)
        ):  # fmt: skip
            yield line


def _is_value(code: Code, line: Line) -> bool:
    """True for an assignment to a member or a variable that is declared as a struct itself, but for
    its own declaration's."""
    of, name = cell_of(code, line, line.of("target"))
    return line.row.kind == "assigns" and any(
        one.of("name") == name and (one.of("of") or one.function) in (of, FILE_SCOPE)
        and one.of("type")[-1:] not in "*&]" and not one.is_at(line)
        for one in code.of_kind("declares")
    )  # fmt: skip


def _is_set_behind(code: Code, whole: Line, struct: str, field: str) -> bool:
    return any(
        one.text == whole.text and one.function == whole.function
        and one.of("expression") not in NULL and is_certain(one.text, one.at)
        and precedes(one.text, whole.at, one.at) is not None
        for one in code.stores(struct, field)
    )  # fmt: skip


def may_set(code: Code, struct: str | None, field: str) -> bool:
    """True where a line writes a whole object of the struct, or a call is given the address of the
    member or the member itself."""
    given = (one.of("expression") for one in code.lines)
    return (
        any(one[:1] == "&" and member(one[1:]) == field for one in given)
        or _is_given(code, (struct, field))
        or (struct is not None and any(_whole(code, struct)))
        or may_do_anything(code, {struct}, field)
    )


def is_followed(code: Code, function: str, setting: Sequence[Line], depth: int = 4) -> bool:
    """True where each listed call of a function that was made is followed, in its caller or in
    that one's, by one of these lines or a call that leads to one, with an object that it had."""
    leading_there = list(setting)
    for one in leading_there:
        calls = code.calls(one.function) if one.function != function else []
        leading_there += [call for call in calls if call not in leading_there]
    calls = [one for one in code.calls(function) if not is_to_come(code, one)]
    return depth > 0 and bool(calls) and all(
        any(
            one.text == call.text and one.function == call.function
            and precedes(call.text, call.at, one.at) is not None
            and all(precedes(one.text, one.at, at) is not None for at in code.where(one.function))
            and _objects(code, call) & _objects(code, one)
            for one in leading_there
        )
        or is_followed(code, call.function, setting, depth - 1)
        for call in calls
    )  # fmt: skip


def _objects(code: Code, line: Line) -> set[str]:
    """The variables that a call is given or called on, or of the object whose member is set."""
    given = [one.of("expression") for one in code.passed(line).values()]
    return {
        found[0]
        for text in (*given, line.of("target"), *_STEP.split(line.of("callee"))[:-1])
        for found in [_VARIABLE.search(text)] if found
    }  # fmt: skip


def is_handed_out(code: Code, function: str, name: str) -> bool:
    """True for a variable whose address is taken, or that a call of its function is given by
    reference or may be given so: what is not listed may be a macro."""
    taken = (one.of("expression") for one in code.of_kind("assigns", function))
    return f"&{name}" in taken or any(
        one.of("expression") == f"&{name}"
        or (one.of("expression") == name and (by_reference(code, one) or is_unlisted(code, one)))
        for one in code.of_kind("calls", function)
    )


def leading(expression: str) -> str:
    """What a pointer is made of that may lead into an array: ``r->cells + n``, ``&a[n]``,
    ``v.data()``; "" of an element's value."""
    found = _LEADING.fullmatch(_CAST.sub("", expression))
    if found is None or (found["index"] is not None and expression[:1] != "&"):
        return ""
    if re.search(r"[%&]", found["index"] or ""):
        return ""  # a remainder or a mask keeps it inside
    return found[1]


def by_reference(code: Code, call: Line) -> bool:
    """True where a call of C++ may be given a variable itself: by a parameter that is a reference,
    or to a function that is not listed and no library's that takes values."""
    index = int(call.row.values.get("index", 0))
    if call.text.language != CPP or not index:
        return False
    types = [one.of("type") for one in code.of_kind("declares", call.of("callee"))][index - 1 :][:1]
    if types:
        return types[0].endswith("&") and not types[0].startswith("const")
    return is_unlisted(code, call)


def cell_of(code: Code, line: Line, place: str) -> tuple[str | None, str]:
    """What is the same for all paths to a member, or the variable of a function."""
    struct, field = code.owners.cell(place, line.function)
    return (struct, field) if field else (line.function, place)


def may_fill(code: Code, mine: Line, cell: tuple[str | None, str]) -> bool:
    """True where a variable that is set to an array, or a function that is given it, writes through
    what it has in another line, one that is not listed is given it or its holder, or it is kept
    where nothing follows it: returned, in a member, in an initialiser."""
    held = may_do_anything(code, {cell[0]}, cell[1]) if cell in code.owners.members else False
    return held or any(
        is_unlisted(code, one)
        or any(_writes(code, *led, _DEEPEST, mine) for led in led_to(code, one))
        or _leads_off(code, one)
        for one in code.lines
        for part in _parts(one.of("expression"))
        if leading(part) and not is_to_come(code, one)
        and cell_of(code, one, leading(part)) == cell
    )  # fmt: skip


def _parts(expression: str) -> list[str]:
    """The values of an initialiser; of any other expression itself."""
    return expression.strip("{}").split(",") if expression[:1] == "{" else [expression]


def _leads_off(code: Code, line: Line) -> bool:
    """True for a line that keeps its value where nothing follows it."""
    return line.row.kind in ("assigns", "returns") and not any(True for _ in led_to(code, line))


def stays(code: Code, line: Line) -> bool:
    """True where what a line releases was allocated for that member or variable, and nothing else
    is made of it: it is no object of another type."""
    cell = cell_of(code, line, line.of("expression"))
    stores = [
        one for one in code.of_kind("assigns") if cell_of(code, one, one.of("target")) == cell
    ]
    born = code.of_kind("allocates")
    return bool(stores) and all(
        one.of("expression") in NULL or any(map(one.is_at, born)) for one in stores
    ) and not any(
        plain_callee(one.of("callee")) not in _KEEPS and not any(map(one.is_at, frees))
        for frees in [code.of_kind("frees")]
        for one in code.lines
        if one.row.kind in ("assigns", "returns", "calls")
        for part in _parts(one.of("expression"))
        if leading(part) and cell_of(code, one, leading(part)) == cell
    )  # fmt: skip


def led_to(code: Code, line: Line) -> Iterator[tuple[str, str]]:
    """The variable that a line sets, or the parameter that it gives, with its function."""
    if line.row.kind == "assigns" and line.of("operator") == "=" and (
        line.of("target").isidentifier() and line.of("expression")[:1] != "{"
    ):  # fmt: skip
        yield line.function, line.of("target")
    elif line.row.kind == "calls" and "index" in line.row.values:
        taken = code.parameters(line.of("callee"))[int(line.row.values["index"]) - 1 :]
        yield from ((line.of("callee"), name) for name in taken[:1])


def _writes(
    code: Code, function: str, name: str, depth: int, mine: Line | None = None, whole: bool = False
) -> bool:
    """Whether a function stores through a variable, or what it hands it on to does: all of what it
    leads to, or, where that is not ``mine``, in another line a part of it; with ``whole`` any part
    is all."""
    part = r"(?:\[|->)" if mine or whole else r"\["
    through = re.compile(rf"\(?\*+\(*{re.escape(name)}\b.*|{re.escape(name)}{part}.*")
    return any(
        (through.fullmatch(one.of("target")) and not (mine and one.is_at(mine)))
        or (FILLS.get(plain_callee(one.of("callee"))) == one.row.values.get("index", 0)
            and one.of("expression") == name and not (mine and one.is_at(mine)))
        or (depth and _BEGIN.sub("", one.of("expression")) == name and (
            is_unlisted(code, one) or (mine and _leads_off(code, one))
            or any(_writes(code, *led, depth - 1, mine, whole) for led in led_to(code, one))))
        for kind in ("assigns", "calls", "returns") for one in code.of_kind(kind, function)
    )  # fmt: skip
