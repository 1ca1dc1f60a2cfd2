"""How the values of listed C and C++ are followed: each place that names one is of few known forms
(`claims.source.uses`): read, kept in what is declared for such values, given to a listed function
that takes such, returned by one that is declared to, given to what C's library only reads or fills.
Where one goes in another way, anybody may have it.
"""

import re
from collections.abc import Sequence

from workbench.agents.assisted.code import Code, is_to_come
from workbench.agents.assisted.lines import Cell, Line, Use
from workbench.agents.assisted.once import once
from workbench.claims.source.names import ALLOCATES, FILLS, FREES, NO_RETURN, bits_of
from workbench.claims.source.shapes import plain_callee
from workbench.claims.source.spots import casts_pointer
from workbench.claims.source.text import CPP, FILE_SCOPE, C, last_name, words
from workbench.claims.values import NULL, number

DEEPEST = 6
_KEEPS = frozenset(FILLS) | words(
    "printf fprintf dprintf puts fputs perror write fwrite send sendto memcmp strcmp strncmp"
    " strlen strchr strrchr strstr qsort bsearch assert sizeof scanf fscanf sscanf"
    " strnlen strcasecmp strncasecmp strcoll strspn strcspn strpbrk strdup strndup atoi atol atoll"
    " atof open fopen creat access unlink remove rename mkdir rmdir chdir opendir getenv setenv"
    " system syslog string string_view memchr wcslen wcscmp"
)
"""Functions of C's library that keep and free nothing that they are given."""
_ALGORITHMS = words(
    "find find_if find_if_not any_of all_of none_of count count_if max_element min_element sort "
    "stable_sort lower_bound upper_bound binary_search distance next prev"
)
"""Of C++'s algorithms those that keep and change none of the elements that they are led to."""
_FRACTIONS = frozenset({"float", "double", "long double", "f32", "f64"})
_PRINTS = words("va_start va_end vprintf vfprintf vdprintf vsprintf vsnprintf vsyslog")
"""Functions of C's library that are given a list of further arguments, and keep none of them."""
_HANDLES = re.compile(r"(?:pthread|sem|mtx|cnd|atomic|__atomic|__sync)_\w+")
"""Functions of C's library that are given where a part of an object lies, and keep it for that."""
_STARTS = {"pthread_create": (3, 4), "thrd_create": (2, 3)}
"""Functions that call their one argument with the other one (POSIX, C23)."""
_SCANS = {"scanf": 2, "fscanf": 3, "sscanf": 3}
"""Functions of C's library that write through all arguments from one on (C23 7.23.6)."""
_SORTS = words("qsort bsearch")
"""Functions that call one with elements of an array that they are given (C23)."""
KEEPING = words(
    "push_back emplace_back push emplace insert find count contains at push_front emplace_front "
    "assign append splice reset"
)
"""Methods of C++'s containers that keep or compare a pointer."""
READING = words(
    "size len empty is_empty begin end cbegin cend rbegin rend front back first last iter iter_mut "
    "get get_mut data as_ptr as_mut_ptr capacity reserve"
)
"""Methods of containers after which each of its elements is still there."""
_PLACING = words("find emplace try_emplace insert lower_bound upper_bound")
"""Methods of containers that give a place of an element."""
_DROPS = words("erase pop_back pop_front pop clear resize remove remove_if")
"""Methods of containers after which an element is gone: of those that own it a release."""
_TAKES_OVER = words("swap exchange copy")
"""What of C++ takes a variable itself, or writes by another argument than the first."""
MAKES = re.compile(r"(?:std::)?make_(?:unique|shared)<([\w:]+)>")
_CHANGES = re.compile(r"##|(?<![=!<>])=(?!=)|<<=|>>=|\+\+|--|\b(?:asm|__asm__)\b")
"""What a macro's body has that may change what it is given."""
_CALLED = re.compile(r"\b([A-Za-z_]\w*)\s*\(")
_GOES_ON = words("given returns sets")
"""Forms in which a value goes on."""
_STATEMENTS = words("if while for switch return sizeof defined __builtin_expect") | NO_RETURN


def escapes(code: Code, struct: str) -> bool:
    """True where a pointer to such an object, to what it derives from or to what has such a
    pointer, or the object, goes where its type does not."""
    reached = [struct]
    for one in reached:
        holders = {of for (of, _), type_ in code.owners.members.items() if type_ == one}
        reached += [of for of in (*code.owners.bases(one), *holders) if of not in reached]
    if code.away.intersection(reached) or code.kept_in.issuperset(reached):
        return not code.away.isdisjoint(reached)
    if code.asked:  # within itself: as far as is known, and looked into with what it is asked for
        code.asked.update(reached)
        return False
    code.asked.update(reached)
    looked: set[str] = set()
    while looked != code.asked and code.away.isdisjoint(reached):
        looked = set(code.asked)
        found = {one for one in looked - code.away - code.kept_in if _escapes(code, one)}
        code.away |= found
        if found:
            looked = set()  # what was answered before it was known may be otherwise now
    if code.away.isdisjoint(reached):
        code.kept_in |= code.asked - code.away
    code.asked.clear()
    return not code.away.isdisjoint(reached)


def _escapes(code: Code, struct: str) -> bool:
    known = code.functions | KEEPING | READING | _DROPS
    return any(
        (_enters(code, use, struct) or _is_lent(code, use, struct) if use.struct != struct
         else not _is_typed(code, use, struct))
        and not is_to_come(code, use.line)
        for use in code.uses
    ) or any(
        line.text.language == CPP and on and method not in known
        and (struct, method) not in code.owners.members  # a pointer to a function
        and code.owners.points_to(on.rstrip("->."), line.function) == struct
        for line in code.of_kind("calls") if "index" not in line.row.values
        for method in [last_name(line.of("callee"))]
        for on in [line.of("callee").removesuffix(method)]
    )  # fmt: skip


def _is_lent(code: Code, use: Use, struct: str) -> bool:
    """True where the address of a part of such an object goes where it is not followed."""
    if use.of("path")[:1] != "&" or all(of != struct for (of, _), _ in use.parts):
        return False
    if use.struct and _is_typed(code, use, use.struct):
        return False
    if use.of("form") == "sets" and code.owners.is_local(use.of("into"), use.line.function):
        return goes_on(code, code.cell_of(use.line, use.of("into")))
    if use.of("form") != "given":
        return use.of("form") not in ("reads", "target")
    return not (is_read(code, use) or _HANDLES.fullmatch(plain_callee(use.of("into")))) and any(
        not name or goes_on(code, (function, name)) for function, name, _ in given_to(code, use)
    )


def _is_typed(code: Code, use: Use, struct: str, depth: int = DEEPEST) -> bool:
    """Whether a value is only read, or kept and handed on as what its type says; also through a
    ``void *`` that becomes such again."""
    form, owners, cast = use.of("form"), code.owners, use.of("cast")
    if form in ("reads", "target") or (cast and owners.bare(cast) == struct):
        return True
    if form == "given":
        copied = last_name(use.of("into")) == struct  # by its constructor
        return copied or is_read(code, use) or (not cast and all(
            owners.bare(type_) in owners.bases(struct)
            or (name and type_ == "void*" and depth > 0
                and _is_kept(code, (function, name), struct, depth))
            for function, name, type_ in given_to(code, use)
        ))  # fmt: skip
    if form == "sets" and depth > 0 and _is_untyped(code, use.line, use.of("into")):
        cell = code.cell_of(use.line, use.of("into"))
        lent = cell[0] in owners.structs and (
            is_taken(code, cell) or is_in_macro(code, cell[1]) or escapes(code, str(cell[0]))
        )
        return not lent and _is_kept(code, cell, struct, depth)
    return not cast and (
        (form == "sets"
         and owners.points_to(use.of("into"), use.line.function) in owners.bases(struct))
        or (form == "returns"
            and code.results.get(last_name(use.line.function)) in owners.bases(struct))
    )  # fmt: skip


def _is_kept(code: Code, cell: Cell, struct: str, depth: int) -> bool:
    """True where a ``void *`` becomes what it was wherever it is named."""
    return all(
        _is_typed(code, one, struct, depth - 1) and not is_filled(one)
        for one, _ in code.through(cell)
    )


def _enters(code: Code, use: Use, struct: str) -> bool:
    """True for a value of another type that becomes such, unless it is new, or a ``void *`` that is
    such wherever it comes from: who had it before may have it still."""
    form, path, owners, at = use.of("form"), use.of("path"), code.owners, use.line
    if use.struct and not use.of("cast") and struct in owners.bases(use.struct):
        return False
    if form == "sets" and use.of("into") in owners.structs:
        return False  # given to the constructor of what its class derives from
    if (form == "given" and last_name(use.of("into")) == use.struct) or not (
        (use.of("cast") and owners.bare(use.of("cast")) == struct)
        or (form == "sets" and owners.points_to(use.of("into"), at.function) == struct)
        or (form == "returns" and code.results.get(last_name(at.function)) == struct)
        or (form == "given"
            and {owners.bare(type_) for _, _, type_ in given_to(code, use)} == {struct})
    ) or path in NULL or number(code.macros.get(path, "").strip()) is not None:  # fmt: skip
        return False
    callee = path.rpartition("(")[0] if path.endswith("()") else path.partition("(")[0]
    on = callee.removesuffix(last_name(callee)).rstrip("->.")
    if (
        plain_callee(callee) in ALLOCATES[at.text.language or C]
        or MAKES.fullmatch(callee)
        or (last_name(callee) in READING | _PLACING and owners.points_to(on, at.function) == struct)
    ):
        return False
    if _is_untyped(code, at, path):
        return _carried(code, code.cell_of(at, path)) - {struct} != set()
    return bool(use.of("cast")) or not owners.is_number(path, at.function)


_UNTYPED = {"void*", "const void*"}


def _is_untyped(code: Code, line: Line, path: str) -> bool:
    """True for a member or variable that is declared as ``void *``."""
    types = set(code.types(line, path))
    return bool(types) and types <= _UNTYPED


def _carried(code: Code, cell: Cell, asked: frozenset[Cell] = frozenset()) -> set[str | None]:
    """The structs that all values of a ``void *`` lead to; None among them where one is not
    known."""
    if cell in asked:
        return set()
    asked, struct, name = asked | {cell}, *cell
    sources = [use for use in code.uses if _becomes(code, use, cell)]
    if struct in code.owners.structs or struct == FILE_SCOPE:
        stores = {(one.file, one.at) for one in code.stores(struct, name)
                  if one.of("expression") not in NULL}  # fmt: skip
        followed = stores <= {(one.line.file, one.line.at) for one in sources} and not (
            is_taken(code, cell) or is_in_macro(code, name) or escapes(code, str(struct))
        )
    else:
        followed = _is_called_here(code, str(struct), sources)
    found: set[str | None] = set() if followed and sources else {None}
    for use in sources:
        path = use.of("path")
        if use.struct is None and _is_untyped(code, use.line, path):
            found |= _carried(code, code.cell_of(use.line, path), asked)
        elif path not in NULL:
            found.add(use.struct)
    return found


def _becomes(code: Code, use: Use, cell: Cell) -> bool:
    """True for a value that a member, variable or parameter is set to or given."""
    if use.of("form") == "given":
        return any((of, name) == cell for of, name, _ in given_to(code, use))
    return use.of("form") == "sets" and code.cell_of(use.line, use.of("into")) == cell


def _is_called_here(code: Code, function: str, given: Sequence[Use]) -> bool:
    """True where each line that names a function calls it, has it called with what it is given, or
    keeps it in a listed struct's member; and no other assigns its parameters."""
    sorts = [one for one in code.of_kind("calls") if plain_callee(one.of("callee")) in _SORTS
             and one.of("expression") == function]  # fmt: skip
    lines = {(one.line.file, one.line.at) for one in given} | {(one.file, one.at) for one in sorts}
    for use in code.uses:
        if use.of("path").lstrip("&") != function:
            continue
        into = code.cell_of(use.line, use.of("into"))[0] if use.of("form") == "sets" else None
        if (into in code.owners.structs and not escapes(code, str(into))) or (
            use.of("form") == "given" and all(name for _, name, _ in given_to(code, use))
        ):
            lines.add((use.line.file, use.line.at))
    return len(code.named(function) - lines) == 1


def is_filled(use: Use) -> bool:
    """True for what a call of C's library writes through."""
    if use.of("form") != "given":
        return False
    callee, index = plain_callee(use.of("into")), int(use.line.row.values["index"])
    return FILLS.get(callee) == index or index >= _SCANS.get(callee, index + 1)


@once
def is_read(code: Code, use: Use) -> bool:
    """True for what is given to what keeps nothing of it: what C's library reads, fills or frees,
    or a container for such values."""
    callee, language, path = use.of("into"), use.line.text.language or C, use.of("path")
    plain, name = plain_callee(callee), last_name(callee)
    on = callee.removesuffix(name).rstrip("->.")
    if on == "std::" and name in _ALGORITHMS:
        return True
    if on and name in KEEPING | READING | _DROPS and language == CPP:
        types = [code.owners.meant(one) for one in code.types(use.line, on)]
        return any("<" in one for one in types) and (
            code.owners.points_to(on, use.line.function) == use.struct
        )
    if path[:1] == "&" and any(one[-1:] == "*" for one in code.types(use.line, path[1:])):
        return False  # the pointer's own bytes
    if name in code.macros:
        return _is_harmless(code, code.macros[name])
    if name in code.functions and not code.declared(name, int(use.line.row.values["index"])):
        return _prints(code, name)
    return name not in code.functions and (
        plain in _KEEPS - (_TAKES_OVER if language == CPP else frozenset())
        or FREES.get(language, {}).get(plain) == use.line.row.values["index"]
    )


def _is_own(code: Code, line: Line, called: str) -> bool:
    """True for a pointer to a function that listed lines alone set, to listed functions or to what
    all calls give for a parameter, which are such."""
    struct, name = cell = code.cell_of(line, called)
    names = code.given(line.function, name) if struct == line.function else []
    for one in code.of_kind("assigns"):
        if code.target_of(one) == cell:
            made = one.of("expression")
            names = [*names, *(code.given(one.function, made) or [made])]
    names = [one for one in names if one != called]  # a function hands it on to itself
    own = all(one in NULL or last_name(one.lstrip("&")) in code.functions - {""} for one in names)
    return own and (not escapes(code, struct) if struct in code.owners.structs else bool(names))


def _prints(code: Code, function: str) -> bool:
    """True for a function of which all further arguments are only printed."""
    lists = {one.of("expression") for one in code.of_kind("calls")
             if last_name(one.function) == function and one.of("callee") == "va_start"
             and one.row.values.get("index") == 1}  # fmt: skip
    return bool(lists) and all(
        plain_callee(use.of("into")) in _PRINTS
        for use in code.uses
        if last_name(use.line.function) == function
        and lists & set(re.findall(r"\w+", use.of("path").partition("(")[0] or use.of("path")))
    )


@once
def given_to(code: Code, use: Use) -> list[tuple[str, str, str]]:
    """The parameters that are given a value: function, name and type, of all listed functions of
    that name; one without a name where none is listed."""
    callee, index = use.of("into"), use.line.row.values["index"]
    on, _, method = callee.rpartition(".")
    callee = made[1] if (made := MAKES.fullmatch(callee)) else callee
    if method.startswith("emplace"):  # what a constructor of its elements is given
        callee = code.owners.points_to(on, use.line.function) or ""
    called = callee.lstrip("(*").rstrip(")")
    if any(map(code.owners.is_callable, code.types(use.line, called))):
        found = [one for name in code.pointed for one in code.declared(name, int(index))]
        own = found and "" not in code.pointed and _is_own(code, use.line, called)
        return found if own else [("", "", "")]
    started, at = _STARTS.get(plain_callee(callee), (0, 0))
    if at == index:
        callee, index = next((one.of("expression") for one in code.of_kind("calls")
                              if one.is_at(use.line) and one.of("callee") == callee
                              and one.row.values.get("index") == started), ""), 1  # fmt: skip
    return code.declared(last_name(callee), int(index)) or [("", "", "")]


@once
def goes_on(
    code: Code, cell: Cell, mine: Line | bool = False, depth: int = DEEPEST,
    but: tuple[Line, ...] = (),
) -> bool:  # fmt: skip
    """True where what a member or variable leads to goes on in a way that is not followed, or, with
    ``mine``, is written by another line than that (any, for True), and than those that are known
    (``but``)."""
    own = (mine, *but) if isinstance(mine, Line) else but
    return any(
        _leads_off(code, use, cell, rest, mine, depth) and not is_to_come(code, use.line)
        for use, rest in code.through(cell)
        if not (mine and any(map(use.line.is_at, own)))
    )


def _leads_off(code: Code, use: Use, cell: Cell, rest: str, mine: Line | bool, depth: int) -> bool:
    form, into, path = use.of("form"), use.of("into"), use.of("path")
    part = form == "stores" or path[:1] == "*" or (rest[:1] in ("[", "-", ".") and path[:1] != "&")
    if form == "reads" or (part and (form == "target" or is_single(code, use))):
        written = form == "stores" or (form == "target" and depth < DEEPEST)
        return bool(mine) and (written or _is_bound(code, use))  # else what it leads to is read
    if form == "stores":
        return bool(mine)
    if form == "target" or (path[:1] == "&" and re.search(r"[%&]", rest)):
        return False  # a remainder or a mask keeps it inside
    if form == "sets" and (code.cell_of(use.line, into) == cell or is_number(code, use)):
        return False
    if form == "given" and is_read(code, use):
        return bool(mine) and is_filled(use) and (part or depth < DEEPEST)
    led: list[Cell] = []
    if form == "given":
        led = [(name, one) for name, one, _ in given_to(code, use)]
    if form == "sets" and (kept := kept_in(code, use.line, into)):
        led = [kept]
    if form == "returns":
        if mine and _is_returned_to_read(code, use.line.function):
            return False
        led = _returned_to(code, use.line.function)
    return not led or any(
        not name or depth == 0 or goes_on(code, (of, name), mine, depth - 1) for of, name in led
    )


def kept_in(code: Code, line: Line, place: str) -> Cell | None:
    """The variable, or the member of C's structs that are followed, that a line keeps a value in;
    None of any other."""
    struct, field = cell = code.cell_of(line, place)
    if code.owners.is_local(place, line.function):
        return line.function, place
    known = line.text.language == C and struct in code.owners.structs and place[-1:] != "]"
    return cell if known and not (
        escapes(code, str(struct)) or is_taken(code, cell) or is_in_macro(code, field)
    ) else None  # fmt: skip


@once
def _is_returned_to_read(code: Code, function: str) -> bool:
    """True for a function of C whose result is a pointer to what is const, which no cast makes
    another one, and which nothing is given or returns: only variables of the same type have it."""
    const, name = re.compile(r"const\b[^*]*\*"), last_name(function)
    calls = code.calls(function)
    had = [one for call in calls for one in code.of_kind("assigns", call.function)
           if one.is_at(call) and code.is_call(one, one.of("expression"), function)]  # fmt: skip
    hands_on = re.compile(rf"(?<![!*\w]){name}\([^()]*\)(?!\s*(?:->|[?=!<>]|&&|\|\|))")
    return (
        const.fullmatch(code.result_of(name)) is not None
        and code.is_called_alone(function)
        and all(call.text.language == C for call in calls)
        and all(
            one.of("target").isidentifier()
            and [bool(const.fullmatch(of)) for of in code.types(one, one.of("target"))] == [True]
            and not any(
                use.of("form") in _GOES_ON and use.of("path") == one.of("target")
                and use.line.function == one.function and not is_read(code, use)
                for use in code.uses
            )
            for one in had
        )
        and not any(
            hands_on.search(one.of("expression")) and one not in had and one.is_at(call)
            for kind in ("assigns", "calls", "returns")
            for one in code.of_kind(kind) for call in calls
        )
        and not any(casts_pointer(text, {name, *(one.of("target") for one in had)})
                    for text in code.texts)
    )  # fmt: skip


@once
def _returned_to(code: Code, function: str) -> list[Cell]:
    """The variables and members that each call of a function of C sets to its result; none where
    one does anything else with it, or may not be known."""
    calls = code.calls(function)
    sets = [
        next((one for one in code.of_kind("assigns", call.function) if one.is_at(call)
              and one.of("operator") == "=" and code.is_call(one, one.of("expression"), function)),
             None)
        for call in calls if call.text.language == C
    ]  # fmt: skip
    found = [kept for one in sets if one and (kept := kept_in(code, one, one.of("target")))]
    return found if len(found) == len(calls) and code.is_called_alone(function) else []


def is_number(code: Code, use: Use) -> bool:
    """True for the elements of an array that a loop takes one by one, as numbers."""
    loops = [one for one in code.of_kind("loops") if one.is_at(use.line)]
    types = code.types(use.line, use.of("into"))
    return any(one.of("each") == use.of("into") for one in loops) and bool(types) and all(
        bits_of(one, use.line.text.language or "") for one in types
    )  # fmt: skip


def element(type_: str) -> str:
    """The type of an element of an array or a container of C++, of maps the value, or of what a
    pointer leads to."""
    if type_[-1:] != ">":
        return re.sub(r"(?:\[[^\[\]]*\]|\*)$", "", type_)
    head, *parts = template(type_)
    return parts[1 if head.endswith("map") and len(parts) > 1 else 0]


def template(type_: str) -> list[str]:
    """The name of a type of C++ and what it is a template of."""
    head, _, inner = type_.partition("<")
    parts, depth = [""], 0
    for sign in inner[:-1]:
        depth += (sign == "<") - (sign == ">")
        parts = [*parts, ""] if sign == "," and not depth else [*parts[:-1], parts[-1] + sign]
    return [head, *parts]


@once
def is_place(code: Code, line: Line, name: str) -> bool:
    """True for a variable that has nothing but places of a container's elements."""
    made = [one.of("expression") for one in code.sets(line.function, name)]
    return bool(made) and all(
        last_name(one.partition("(")[0]) in _PLACING | {"begin", "end"} for one in made
    )


def leads_only(type_: str) -> bool:
    """True for a pointer or an iterator, which owns nothing of what it leads to."""
    return type_.endswith(("*", "iterator"))


@once
def is_single(code: Code, use: Use) -> bool:
    """True for a part that is declared as a number or a pointer: an array leads on."""
    path = use.of("path").lstrip("*&(").rstrip("+-)")
    named = re.sub(r"(?:\[[^\[\]]*\])+$", "", path)
    for type_ in code.types(use.line, named):
        for _ in range(path[len(named) :].count("[") + (use.of("path")[:1] == "*")):
            type_ = element(type_)
        if leads_only(type_) or bits_of(type_, use.line.text.language or C) or (
            type_.removeprefix("const ") in _FRACTIONS
        ):  # fmt: skip
            return True
    return False


@once
def is_taken(code: Code, cell: Cell) -> bool:
    """True where a member's or variable's address goes anywhere, or a reference may be made of
    it."""
    local = cell[0] not in code.owners.structs and cell[0] != FILE_SCOPE
    return cell in code.owners.united or (local and cell[1] in code.strays) or any(
        rest == "" and (use.of("path")[:1] == "&" or _is_bound(code, use))
        and not is_to_come(code, use.line)
        and not (use.of("form") == "sets"
                 and cell in code.linked(use.line.function, use.of("into")))
        for use, rest in code.through(cell)
    )  # fmt: skip


def _is_bound(code: Code, use: Use) -> bool:
    """True for what a reference of C++ may be made of; in C a macro may take it itself."""
    form, at = use.of("form"), use.line
    if form == "given":
        callee = plain_callee(use.of("into"))
        size = callee in ("malloc", "calloc") or (
            callee in ("realloc", "reallocarray") and use.line.row.values["index"] != 1
        )
        return not (size or is_read(code, use)) and any(
            not name or (type_[-1:] == "&" and not type_.startswith("const"))
            for _, name, type_ in given_to(code, use)
        )
    if form == "returns":
        return code.results_of(at).endswith("&")
    return form == "asm" or (at.text.language == CPP and (form == "" or (form == "sets" and any(
        one.is_at(at) and one.of("name") == use.of("into")
        and one.of("type")[-1:] == "&" and not one.of("type").startswith("const")
        for one in code.of_kind("declares")
    ))))  # fmt: skip


@once
def is_in_macro(code: Code, field: str = "") -> bool:
    """True where a macro that is used names a member or variable, or calls what may do anything."""
    named = re.compile(rf"\b{re.escape(field)}\b")
    return any(
        (field and named.search(body)) or not _is_harmless(code, body)
        for body in code.macros.values()
    )


def _is_harmless(code: Code, body: str) -> bool:
    """True for a macro's body that sets nothing, and calls nothing but listed functions, harmless
    macros and what only reads."""
    known = code.functions | code.macros.keys() | (_KEEPS - FILLS.keys()) | _STATEMENTS
    if (
        body.strip().isidentifier() and body.strip().islower()
    ):  # another name, of what may be called
        return body.strip() in code.functions | _KEEPS - FILLS.keys()
    return not _CHANGES.search(body) and set(_CALLED.findall(body)) <= known
