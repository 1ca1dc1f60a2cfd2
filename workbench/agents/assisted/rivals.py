"""Who else may have done what a line is said to have done, as far as the listed source tells: where
somebody may, nothing proves that it was this line.
"""

import re
from collections.abc import Sequence

from tree_sitter import Node

from workbench.agents.assisted.bounds import wholes
from workbench.agents.assisted.code import Code, is_to_come
from workbench.agents.assisted.dump import Dump
from workbench.agents.assisted.followed import (
    KEEPING,
    MAKES,
    READING,
    element,
    escapes,
    goes_on,
    is_in_macro,
    is_taken,
    leads_only,
)
from workbench.agents.assisted.lines import Cell, Line, Use
from workbench.agents.assisted.once import once
from workbench.agents.assisted.sources import emptied, is_outermost
from workbench.claims.chain import same_function
from workbench.claims.source import is_certain
from workbench.claims.source.changed import nodes
from workbench.claims.source.held import COMPARED, guards
from workbench.claims.source.names import GROWS, bits_of
from workbench.claims.source.order import around, function_extent
from workbench.claims.source.shapes import member
from workbench.claims.source.spots import Names, Spot, names, spots
from workbench.claims.source.text import FILE_SCOPE, RUST, C, last_name, normal, words
from workbench.claims.values import NULL, number

_VARIABLE = re.compile(r"[A-Za-z_]\w*")
_STEP = re.compile(r"->|\.")
_LEADING = re.compile(r"&?\(*([A-Za-z_][\w.>-]*?)(?:\[(?P<index>.*)\]|\.data\(\))?\)*(?:\+.*)?")
_CAST = re.compile(r"^\((?:const )?[A-Za-z_][\w ]*\*+\)")
_LED = re.compile(r"&(?:raw )?(?:mut|const)?\s?\*(\w+)|(\w+)\.as_(?:mut_)?ptr\(\)")
"""What leads to the memory that a variable of Rust owns."""
_SIGNED = re.compile(
    r"(?:const )?(?:signed|char|short|int|long|ssize_t|ptrdiff_t|__s|i\d|isize|ptrdiff_t|off_t)"
)
_LEAST = 7
"""So many bits of a number any integer type has."""
_WRITES = words("MaybeUninit write_bytes addr_of_mut")
_WRITE_IN = {"mem": ("replace", "take", "swap", "zeroed", "transmute"),
             "ptr": ("write", "copy", "swap")}  # fmt: skip
"""How the functions of Rust's modules begin by which memory is written."""
_LENDS = words("take_if() clone_from()")
_KEEPING_ALL = words("push_back emplace_back push_front emplace_front push")
"""Methods of C++'s containers that keep what they are given in any case: a map ends what it gets
for a key that it has (C++23, associative.reqmts)."""
_FULL = re.compile(r"Some\((?!.*\)\.)|-?\d|true\b|false\b|[\"']")
"""The beginning of what is no None, and has none within."""
_PLACE = re.compile(r"(?:std::)?\w+<[^<>]*>::(?:const_)?iterator")
"""A type that leads to an element and owns none."""


def is_by_owner(line: Line) -> bool:
    """True for a release by a container's or a smart pointer's method, or by an assignment."""
    return line.of("callee").removeprefix(line.of("expression"))[:1] in ("=", ".")


@once
def may_release(code: Code, mine: Line, *, element: bool = False) -> bool:
    """True where what a line releases, a member or an object of that type, may have been released
    by who got it elsewhere, or with what else owns such objects; of the block of an array of which
    what failed is known to be an ``element`` the array's owner alone decides."""
    expression = mine.of("expression")
    kind = code.owners.points_to(expression, mine.function)
    own = code.owners.cell(expression, mine.function)
    kinds = [one for one in code.owners.structs if kind in code.owners.bases(one)] if kind else []
    owned = re.compile(rf"[<,:](?:{'|'.join(map(re.escape, kinds or [kind or '>']))})[>,]")
    for one in code.of_kind("declares"):
        type_ = _PLACE.sub("", code.owners.meant(one.of("type")))
        moved = not one.of("of") and any(
            one.of("name") == set_.of("expression") and code.member_of(set_) == own
            for set_ in code.of_kind("assigns", one.function)
        )
        moved = moved or (not one.of("of") and _is_moved(code, one, own))
        by = owned.search(type_) or (not one.of("of") and _owns_by_auto(code, one, owned))
        if by and (one.of("of"), one.of("name")) != own and not (
            (one.of("name") == own[1] and any(
                two.is_at(one) and (two.of("of"), two.of("name")) == own
                for two in code.of_kind("declares")))  # of a listing that begins within a class
            or moved or (one.of("of") and all_live(code, one.of("of")))
        ):  # fmt: skip
            return True
    if is_by_owner(mine) and any(
        last_name(one.of("callee")) not in KEEPING | READING
        and not any(map(one.is_at, code.of_kind("frees")))  # a release like any other
        and code.owners.cell(on[:-1], one.function) == own
        for one in code.of_kind("calls")
        if "index" not in one.row.values and not is_to_come(code, one)
        for on in [one.of("callee").removesuffix(last_name(one.of("callee")))] if on[-1:] == "."
    ):  # fmt: skip
        return True
    if is_in_macro(code) or (grows(mine) and _may_move(code, own)):
        return True
    if kind is None:
        rust = mine.text.language == RUST  # whose owners release what no line names
        return rust or goes_on(code, code.cell_of(mine, expression))
    if mine.text.language == RUST:
        return any(_outlives(code, one) for one in code.of_kind("assigns"))
    begun = (one for one in code.owners.begins(kind) if one in code.owners.structs and not element)
    return any(escapes(code, struct) for struct in begun)


def _is_moved(code: Code, declared: Line, own: Cell) -> bool:
    """True for a variable of C++ that its function moves into a container, whatever it does: what
    it has moved from owns nothing (C++23, unique.ptr.single.ctor)."""
    at = function_extent(declared.text, declared.at)
    return any(
        one.of("expression") == f"std::move({declared.of('name')})"
        and at in (None, function_extent(one.text, one.at))
        and last_name(one.of("callee")) in _KEEPING_ALL
        and code.owners.cell(one.of("callee").rpartition(".")[0], one.function) == own
        and is_certain(one.text, one.at) and is_outermost(one)
        and all(one.is_before(back.at)
                for back in code.of_kind("returns", one.function) if back.text == one.text)
        for one in code.of_kind("calls", declared.function)
    )  # fmt: skip


def _owns_by_auto(code: Code, declared: Line, owned: re.Pattern[str]) -> bool:
    """True for a variable of C++ of the type of what it is made of, where that may be an owner."""
    return re.match(r"(?:const )?auto\b", declared.of("type")) is not None and any(
        owned.search(one.of("expression").partition("(")[0]) or "move(" in one.of("expression")
        or owned.search(code.owners.meant(
            code.result_of(last_name(one.of("expression").partition("(")[0]))))
        for one in code.of_kind("assigns", declared.function)
        if one.of("target") == declared.of("name")
    )  # fmt: skip


def grows(line: Line) -> bool:
    """True for what may move an array's elements into a larger block."""
    return last_name(line.of("callee")) in GROWS


def _may_move(code: Code, own: Cell) -> bool:
    """True where an array's elements may have moved by no line that calls its methods: it is set,
    led to or handed on itself, or an object that has it is set whole or may have ended."""
    return any(
        rest == ""
        and use.of("form") != "reads"
        and not _is_only_shown(code, use)
        and not any(
            one.is_at(use.line)
            and use.of("into") == one.of("each") != ""
            and one.of("condition") == use.of("path")
            for one in code.of_kind("loops")
        )  # it leads to elements alone
        for use, rest in code.through(own)
    ) or (
        own[0] in code.owners.structs and (any(wholes(code, own[0])) or not all_live(code, own[0]))
    )


def _is_only_shown(code: Code, use: Use) -> bool:
    """True where a function returns a copy, or what nobody may change by it."""
    made = code.results_of(use.line)
    return use.of("form") == "returns" and use.of("path")[:1] != "&" and (
        made[-1:] not in ("", "&", "*")
        or (made[-1:] == "&" and "const" in made and not code.has("const_cast"))
    )  # fmt: skip


def _is_given_to_type(spot: Spot) -> bool:
    """True where a container's type, or another one, is made with a class itself."""
    node: Node | None = spot.node
    while node is not None and node.type in ("type_identifier", "qualified_identifier"):
        node = node.parent
    return spot.sort == "named" or (
        node is not None and node.type == "type_descriptor"
        and node.child_by_field_name("declarator") is None
        and node.parent is not None and node.parent.type == "template_argument_list"
    )  # fmt: skip


@once
def all_live(code: Code, of: str) -> bool:
    """True for a class of which all objects are variables of blocks that have not ended: nothing
    has destroyed one."""
    made = [
        one
        for one in (*code.of_kind("declares"), *code.of_kind("allocates"))
        if code.owners.bare(one.of("type")) == of and one.of("type")[-1:] not in "*&"
    ]
    unnamed = any(  # a temporary, which ends with its statement, or one that a smart pointer has
        (one.of("callee") == of and not any(map(one.is_at, made)))
        or ((by := MAKES.fullmatch(one.of("callee"))) and code.owners.bare(by[1]) == of)
        for one in code.of_kind("calls")
    )
    # By a container, or by a name for one (`using`).
    unnamed = unnamed or any(names(text) is None or any(map(_is_given_to_type, spots(text, of)))
                             for text in code.texts)  # fmt: skip
    unnamed = unnamed or any(
        one.of("type").removeprefix("const ") == "auto" and any(  # a copy, as far as is known
            set_.is_at(one) and set_.of("target") == one.of("name")
            and set_.of("expression")[:1] != "&"
            and code.owners.points_to(set_.of("expression"), one.function) == of
            for set_ in code.of_kind("assigns", one.function))
        for one in code.of_kind("declares")
    )  # fmt: skip
    return bool(made) and not unnamed and all(
        one.row.kind == "declares" and not one.of("of")
        and any(is_open(two, code.where(one.function)) for two in made if two.is_at(one))
        for one in made
    )  # fmt: skip


def is_open(line: Line, stands: Sequence[int]) -> bool:
    """True for a line of a block in which its function stands, once on the stack."""
    found = around(line.text, line.at)
    if found is None or not found[1] or len(stands) != 1:
        return False
    tree, end = found[0], found[1][-1][0].end_point.row
    return line.at < stands[0] and (not tree.shown(end) or stands[0] <= tree.at(end))


def _outlives(code: Code, line: Line) -> bool:
    """True for a line of Rust that keeps in a member where a variable's own memory lies, which its
    function releases at its end."""
    led = _LED.fullmatch(line.of("expression"))
    return bool(led and member(line.of("target"))) and any(
        one.of("target") in led.groups() for one in code.of_kind("allocates", line.function) if led
    )


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
    for left, sign, right in guards(line.text, line.at, dump.code.known):
        one, other = await _had(dump, line, left), await _had(dump, line, right)
        fit = _holds(dump.code, line, left, one) and _holds(dump.code, line, right, other)
        if one and other and fit and not any(COMPARED[sign](a, b) for a in one for b in other):
            return True
    return False


def _holds(code: Code, line: Line, side: str, values: set[int]) -> bool:
    """Whether what is declared has values as they are: a -1 that is given to an unsigned one is
    another number there (C23 6.3.1.3), and so is what a bit field keeps."""
    if code.is_bits(line, side):
        return False
    for type_ in code.types(line, side):
        named = type_ if bits_of(type_, line.text.language or C) else code.owners.bare(type_)
        bits = bits_of(named, line.text.language or C) or _LEAST
        least = -(1 << bits - 1) if bits > _LEAST and _SIGNED.match(named) else 0
        if type_[-1:] != "*" and not all(least <= v < least + (1 << bits) for v in values):
            return False
    return True


async def _had(dump: Dump, line: Line, side: str) -> set[int]:
    """All values that one side of a comparison may have had: a number, what each call gives for a
    parameter, what lines set of objects that begin as zeros, one once or all to numbers; empty
    where not all are known."""
    code, owners = dump.code, dump.code.owners
    struct, field = owners.cell(side, line.function)
    if struct and field:
        first = first_values(code, struct, field)
        stores = [*first, *code.stores(struct, field)]
        made = [one.of("callee") for one in code.of_kind("allocates")
                if owners.points_to(one.of("target"), one.function) == struct]  # fmt: skip
        fixed = {0 if one.of("expression") in NULL else number(one.of("expression"))
                 if one.of("operator") == "=" else None for one in stores}  # fmt: skip
        known = None not in fixed or all(
            one.is_at(stores[0]) and code.runs_once(one) for one in stores
        )
        zeroed = made and all(one.endswith(("calloc", "zalloc", "malloc0")) for one in made)
        zeroed = zeroed and not is_variable(code, struct)
        if not (known and (zeroed or first)) or may_set(code, struct, field):
            return set()
        if None not in fixed:
            return {*([] if first else [0]), *(one for one in fixed if one is not None)}
        held = [await dump.of(place, side, line) for place in dump.places(line)[:1]]
        return {0} | {one.value for one in held if one} if all(held) else set()
    given = [0 if one in NULL else number(one) for one in code.given(line.function, side) or [side]]
    return {one for one in given if one is not None} if None not in given else set()


@once
def first_values(code: Code, struct: str, field: str) -> list[Line]:
    """The line by which each object of a class of C++ begins with a member's value, where none is
    made of a list of values: none is that has a constructor of its own, or a private member (C++23,
    dcl.init.aggr)."""
    declared = [one for one in code.of_kind("declares")
                if (one.of("of"), one.of("name")) == (struct, field)]  # fmt: skip
    built = any(one.function == f"{struct}::{struct}" for one in code.lines) or (
        bool(declared) and all(map(_is_private, declared))
    )
    if not built and any(found is None or any(_is_list_of(found, one, struct)
                                              for one in found.sorts.get("initializer_list", ()))
                         for found in map(names, code.texts)):  # fmt: skip
        return []
    return [one for one in code.of_kind("assigns") if one.function == FILE_SCOPE
            and one.of("target") == field and any(map(one.is_at, declared))]  # fmt: skip


def _is_list_of(found: Names, values: Node, struct: str) -> bool:
    """True for values in braces that may be those of a struct's members."""
    of = values.parent
    if of is None or not values.named_children or of.type == "field_initializer":
        return False
    if of.type == "init_declarator" and of.parent is not None:
        plain = any(one.type == "=" for one in of.children)
        return plain or struct in found.tree.text(of.parent)
    type_ = of.child_by_field_name("type")
    return type_ is None or last_name(normal(found.tree.text(type_))) == struct


def _is_private(declared: Line) -> bool:
    """True for a member of a class of C++ that stands behind ``private:``, or behind its head."""
    for spot in spots(declared.text, declared.of("name")):
        part: Node | None = spot.node if spot.at == declared.at else None
        while part is not None and part.type != "field_declaration":
            part = part.parent
        around = part.parent.parent if part and part.parent else None
        while part is not None and part.type != "access_specifier":
            part = part.prev_sibling
        if part is not None or around is not None:
            return around is not None and (
                around.type == "class_specifier" if part is None
                else part.child(0).type == "private"
            )  # fmt: skip
    return False


@once
def given_once(code: Code, line: Line) -> bool:
    """True where each call of a line's function is given variables and constants alone that keep
    what they had then: one line that runs once sets each."""
    for call in code.calls(line.function):
        for given in code.passed(call).values():
            name = given.of("expression").removeprefix("&")
            sets = code.sets(call.function, name)
            fixed = name in NULL or number(name) is not None or name[:1] == '"'
            lasting = given.of("expression")[:1] == "&" and name.isidentifier()
            if not (fixed or lasting or (
                len({one.at for one in sets}) == 1 and all(map(code.runs_once, sets))
                and code.owners.is_local(name, call.function)
                and not code.is_handed_out(call.function, name)
                and not sets[0].storage
            )):  # fmt: skip
                return False
    return True


@once
def is_variable(code: Code, struct: str | None) -> bool:
    """True where an object of the struct is a variable or a part of another one, which may begin
    with values that no line sets by a member's name."""
    types = {one.of("type") for one in code.of_kind("declares")}
    return any(
        code.owners.bare(one) == struct
        and one[-1:] not in "*&"
        and not leads_only(element(code.owners.meant(one)))
        for one in types
    )


@once
def may_overwrite(code: Code, mine: Line, struct: str | None) -> bool:
    """True where another line may write a member, or a whole object of the struct, unless the
    member that a line clears is always set behind it in the same function."""
    field = member(mine.of("target"))
    own = code.member_of(mine)
    return struct is None or (
        is_taken(code, own) or is_in_macro(code, field)
        or is_lent(code, field, _is_option(code, own)) or any(
            escapes(code, of)
            or not all(one.is_at(mine) or is_to_come(code, one)
                       or (of == struct and _is_set_behind(code, one, struct, field))
                       for one in wholes(code, of, field if of == struct else "", zeros=True))
            for of in code.owners.around(struct)
        )
    )  # fmt: skip


@once
def is_wrapped(code: Code, line: Line) -> bool:
    """True for the release in a function of which each listed call is one, and that nothing else
    names."""
    calls = {(one.file, one.at) for one in code.calls(line.function)}
    rows = {(one.file, one.at) for one in code.of_kind("frees")
            if same_function(one.of("callee"), line.function)}  # fmt: skip
    return (
        last_name(line.function) in code.releasing
        and line.of("expression") in code.parameters(line.function)
        and bool(calls)
        and calls <= rows
        and code.is_called_alone(line.function)
    )


def may_release_such(code: Code, line: Line, struct: str) -> bool:
    """True for a release of what is, or may be, of a struct."""
    of, owners = code.owners.points_to(line.of("expression"), line.function), code.owners
    array, *indices = line.of("expression").split("[")
    types = code.types(line, array)
    for _ in indices:
        types = [element(one) for one in types]
    other = bool(types) and not any("void" in one for one in types)
    return not is_wrapped(code, line) and (
        struct in (*owners.begins(of), *owners.around(of)) or of in owners.around(struct)
        if of else not other
    )  # fmt: skip


def makes_unseen(code: Code) -> bool:
    """True where Rust's source may make an object without naming its members."""
    return code.has("default", "Default", "zeroed", "MaybeUninit", "base_field_initializer")


def _is_option(code: Code, cell: Cell) -> bool:
    """True for a member of Rust that is declared as an Option."""
    types = [one.of("type") for one in code.of_kind("declares")
             if (one.of("of"), one.of("name")) == cell]  # fmt: skip
    return bool(types) and all(one.startswith("Option<") for one in types)


@once
def is_lent(code: Code, field: str, option: bool = False) -> bool:
    """True where Rust's source makes a mutable reference to a member, or writes by one or into raw
    memory (std::mem, std::ptr), or by a macro of its own. Of an ``option`` what may make it None:
    no method does but clone_from and those that are named take, whose stores are told
    (`sources.emptied`)."""
    return _writes_by_reference(code) or any(
        one.sort == "named" or (one.is_member and (
            (one.lent == "&mut" and not {*one.steps} - {"[]"})
            or one.sort == "bound"
            or one.begins(*_LENDS)
            or (not option and (one.calls("replace(", "insert(", "get_or_insert", "as_mut(")
                                or (one.steps and one.steps[0].endswith("_mut()"))))
        ))
        for text in code.texts if text.language == RUST for one in spots(text, field)
    )  # fmt: skip


@once
def _writes_by_reference(code: Code) -> bool:
    """True where Rust's source stores what may be None by a reference, whatever that was made of
    (a pattern, a parameter, ``self`` of a member's trait), or a macro of its own may."""
    read = [names(text) for text in code.texts if text.language == RUST]
    bound = {found.tree.text(part) for found in read if found
             for node in found.sorts.get("let_declaration", ())
             for part in [node.child_by_field_name("pattern")] if part}  # fmt: skip
    taken = [one.of("target") for call in code.of_kind("calls")
             if (one := emptied(call)) and one.text.language == RUST]  # fmt: skip
    return (
        any(found is None or _writes_raw(found) for found in read)
        or any(one.isidentifier() and one not in bound for one in taken)
        or any(
            one.text.language == RUST and one.of("operator") == "="
            and one.of("target")[:1] == "*" and not _FULL.match(one.of("expression"))
            for one in code.of_kind("assigns")
        )
    )  # fmt: skip


def _writes_raw(found: Names) -> bool:
    """True where a listing of Rust writes into raw memory, or by a macro of its own."""
    text, sorts = found.tree.text, found.sorts
    paths = [normal(text(node)).split("::")[-2:] for node in sorts.get("scoped_identifier", ())]
    return (
        found.has(*_WRITES, "foreign_mod_item")
        or any(word.startswith(("copy_from", "copy_to")) for word in found.words)
        or any(path[-1].startswith(_WRITE_IN.get(path[0], "?")) for path in paths)
        or any(normal(text(node)) == "*mut u8" for node in sorts.get("pointer_type", ()))
        or any(node.next_sibling is not None and text(node.next_sibling)[:3] == "mut"
               for node in found.words.get("ref", ()))
        or any(_is_written(one) for node in sorts.get("macro_definition", ())
               for one in nodes(node, every=True))
    )  # fmt: skip


def _is_written(part: Node) -> bool:
    """True for a part of a macro of Rust by which something may be set."""
    kind, behind = part.type, part.next_sibling
    called = kind == "metavariable" and behind is not None and behind.type == "."
    return (
        called
        or kind == "mutable_specifier"
        or (kind[-1:] == "=" and kind not in ("==", "!=", "<=", ">="))
    )


def _is_set_behind(code: Code, whole: Line, struct: str, field: str) -> bool:
    return any(
        one.text == whole.text and one.function == whole.function
        and one.of("expression") not in NULL and is_certain(one.text, one.at)
        and one.is_behind(whole.at)
        for one in code.stores(struct, field)
    )  # fmt: skip


def may_set(code: Code, struct: str | None, field: str, but: Sequence[Line] = ()) -> bool:
    """True where a line but those writes a whole object of the struct, or what is not followed has
    it or the member itself."""
    around = code.owners.around(struct) if struct in code.owners.structs else []
    return (
        is_taken(code, (struct, field))
        or is_in_macro(code, field)
        or is_lent(code, field)
        or any(
            escapes(code, of)
            or not all(
                any(map(one.is_at, but)) for one in wholes(code, of, field if of == struct else "")
            )
            for of in around
        )
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
            and call.is_before(one.at)
            and all(one.is_before(at) for at in code.where(one.function))
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


def leading(expression: str) -> str:
    """What a pointer is made of that may lead into an array: ``r->cells + n``, ``&a[n]``,
    ``v.data()``; "" of an element's value."""
    found = _LEADING.fullmatch(_CAST.sub("", expression))
    if found is None or (found["index"] is not None and expression[:1] != "&"):
        return ""
    if re.search(r"[%&]", found["index"] or ""):
        return ""  # a remainder or a mask keeps it inside
    return found[1]


def may_fill(code: Code, mine: Line, cell: Cell, but: tuple[Line, ...] = ()) -> bool:
    """True where something else than lines that are known may write through what a member or
    variable has."""
    member_of = cell[0] in code.owners.structs
    held = member_of and (escapes(code, str(cell[0])) or is_taken(code, cell))
    return held or is_in_macro(code, cell[1]) or goes_on(code, cell, mine, but=but)
