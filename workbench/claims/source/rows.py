"""The rows of a listing, and those that tell who writes a member."""

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from pathlib import PurePosixPath

from tree_sitter import Node

from workbench.claims.source import calls, control, names, shapes, stores
from workbench.claims.source.held import Compared, guards
from workbench.claims.source.locks import add_locked
from workbench.claims.source.macros import directives, expanded
from workbench.claims.source.order import is_certain
from workbench.claims.source.parse import parsed
from workbench.claims.source.reader import COMPOUND_SIGNS, Reader, Scope
from workbench.claims.source.stores import add_released
from workbench.claims.source.text import C_SHARP, CPP, C, Row, SourceText, last_name, normal, words
from workbench.claims.values import NULL

_KEEPS = re.compile(r"~\(?(?:0[xX][0-9a-fA-F]{1,2}|\d{1,3})[uUlL]*\)?")
_INT, _DIGITS = 32, 9
"""Bits of an int; narrower types are made one before they are reckoned with."""
_OPERATED = words(
    "binary_expression conditional_expression assignment_expression cast_expression "
    "unary_expression update_expression pointer_expression comma_expression sizeof_expression"
)
"""Operands that an operator in front of them takes apart, or makes another of with their own."""
_NARROWING = words("/ % >>")
_WIDENING = words("+ - * | ^")
"""Of these the result is as wide as the wider operand; of others it may be small."""


def add_narrowings(reader: Reader) -> None:
    """Give casts the type they are from, and add a row for each value that loses bits."""
    for store in reader.stores:
        if not reader.parsed.shown(store.place.start_point.row):
            continue
        from_type = _type(reader, store.scope, store.value, 0)
        if store.row >= 0:
            row = reader.rows[store.row]
            reader.rows[store.row] = row._replace(values={**row.values, "from_type": from_type})
        to = store.to or _named_type(reader, store.scope, store.place)
        value: Node | str = store.value
        if sign := COMPOUND_SIGNS.get(store.operator):
            with_it = "1" if store.value is store.place else normal(reader.text(store.value))
            if store.value.type in _OPERATED:
                with_it = f"({with_it})"
            value = f"{store.target}{sign}{with_it}"
            from_type = _wider(reader, to, "int" if with_it.isdecimal() else from_type)
        wide, left = (names.bits_of(type_, reader.language) for type_ in (from_type, to))
        if 0 < left < wide:
            reader.emit(
                "converts", store.scope, store.place, target=store.target, from_type=from_type,
                type=to, bits=left, expression=value,
            )  # fmt: skip


def _wider(reader: Reader, one: str, other: str) -> str:
    """The type in which two numbers are reckoned with (C23 6.3.1.8); "" where one is not known."""
    bits = {type_: names.bits_of(type_, reader.language) for type_ in (one, other)}
    if not all(bits.values()):
        return ""
    return max(bits, key=bits.__getitem__) if max(bits.values()) >= _INT else "int"


def _named_type(reader: Reader, scope: Scope, node: Node) -> str:
    """The declared type of a variable, of a member that all types of the listing declare alike, of
    an element."""
    known = reader.types_of(scope, normal(reader.text(node)))
    if known:
        return next(iter(known)) if len(known) == 1 else ""
    if node.type in ("subscript_expression", "index_expression"):
        of = node.child_by_field_name("argument") or node.child_by_field_name("operand")
        array = _named_type(reader, scope, of) if of is not None else ""
        return array.removesuffix("*") if array.endswith("*") else ""
    return ""


def _type(reader: Reader, scope: Scope, node: Node, depth: int) -> str:
    """The type of an expression as far as the listing tells; "" where it does not."""
    if depth > 20:
        return ""
    kind = node.type
    parts = shapes.named(node)
    if kind == "parenthesized_expression" and parts:
        return _type(reader, scope, parts[-1], depth + 1)
    if kind in ("cast_expression", "type_cast_expression"):
        to = node.child_by_field_name("type")
        return normal(reader.text(to)) if to is not None else ""
    if kind == "sizeof_expression":
        return "size_t"
    if kind == "binary_expression" and len(parts) == 2:
        sign = node.child_by_field_name("operator")
        if sign is not None and sign.type == "&":  # a mask that keeps all but a few low bits
            parts = [part for part in parts if not _KEEPS.fullmatch(normal(reader.text(part)))]
            return _type(reader, scope, parts[0], depth + 1) if len(parts) == 1 else ""
        if sign is not None and depth and sign.type in _NARROWING:
            parts = parts[:1]  # as wide as it is, what goes on with it is reckoned as wide
        elif sign is None or sign.type not in _WIDENING:
            return ""
        numbers = numbers_of(reader.parsed.source)
        parts = [one for one in parts
                 if "literal" not in one.type and reader.text(one) not in numbers]  # fmt: skip
        known = [_type(reader, scope, part, depth + 1) for part in parts]
        if sign.type == "-" and len(known) == 2 and all(one.endswith("*") for one in known):
            return "ptrdiff_t"  # of two pointers (C23 6.5.7)
        bits = [names.bits_of(type_, reader.language) for type_ in known]
        if not (bits and all(bits)):
            return ""
        promoted = reader.language in (C, CPP, C_SHARP) and max(bits) < _INT  # C23 6.3.1.1
        return "int" if promoted else known[bits.index(max(bits))]
    if kind in ("call_expression", "invocation_expression"):
        call = shapes.call_of(reader.parsed, node)
        if call is None:
            return ""
        name = normal(reader.text(call.name))
        if shapes.plain_callee(call.callee) in names.LENGTHS:
            return "size_t"
        if reader.language == CPP and call.receiver and name in ("size", "length"):
            return "size_t"
        return reader.results.get(call.callee, "")
    return _named_type(reader, scope, node)


_LOCKS = (b"ock", b"Enter", b"WaitOne", b"Acquire", b".read()", b".write()", b"Guard")
"""Without one of these no block takes a lock."""
_OF_LIBRARIES = ("frees", "allocates")
_STANDARD = words("free malloc calloc realloc aligned_alloc strdup strndup new delete")
"""Whose meaning a program that defines them keeps (C23; malloc(3), replacing malloc)."""
_HANDLERS = control.HANDLERS | stores.HANDLERS | calls.HANDLERS


def rows(source: SourceText, beside: Sequence[SourceText] = ()) -> Sequence[Row]:
    """All statements of a listing, in the order of its lines, and of what macros stand for in them;
    none of what no parser knows. Macros, what a conversion loses, and which functions release what
    they are given are told by the listings ``beside`` it, too."""
    return _all(source, tuple(beside))


@lru_cache(maxsize=256)
def rows_of(kind: str, source: SourceText, beside: tuple[SourceText, ...]) -> tuple[Row, ...]:
    """Those of one kind."""
    return tuple(row for row in _all(source, beside) if row.kind == kind)


@lru_cache(maxsize=256)
def _all(source: SourceText, texts: tuple[SourceText, ...]) -> tuple[Row, ...]:
    members = _members(texts)
    found, whole = list(_rows(source, members)), expanded(source, texts or (source,))
    if whole != source:
        known = {(row.kind, *sorted(row.values.items())) for row in found}
        found += [row for row in _rows(whole, members)
                  if (row.kind, *sorted(row.values.items())) not in known]  # fmt: skip
    own = _parameters(texts) if texts else {}
    found = [row for row in found if row.kind not in _OF_LIBRARIES
             or _is_meant(row, own.get(last_name(str(row.values["callee"]))))]  # fmt: skip
    return tuple(sorted([*found, *_wrapped(found, releasing(texts))], key=lambda row: row.line))


@lru_cache(maxsize=16)
def numbers_of(source: SourceText) -> frozenset[str]:
    """The macros of a listing of C or C++ that stand for a number that an int has, each of them."""
    made = [(parts[1], "".join(parts[3:]).removeprefix("(").removesuffix(")"))
            for _, parts in directives(source) if parts[0] == "define"]  # fmt: skip
    others = {name for name, number in made if not number.isdigit() or len(number) > _DIGITS}
    return frozenset(name for name, _ in made) - others


@lru_cache(maxsize=16)
def releasing(texts: tuple[SourceText, ...]) -> dict[str, int]:
    """The functions of C and C++ that release a ``void *`` which they are given, by their last
    names, with its place from 1."""
    found: dict[str, int] = {}
    heads: dict[str, set[tuple[object, ...]]] = {}
    for text in texts:
        stated = _rows(text) if text.language in (C, CPP) else ()
        taken: dict[object, list[Row]] = {}
        for row in stated:
            if row.kind == "declares" and "parameter" in row.values:
                own = taken.setdefault(row.values["function"], [])
                own += [row] if row.values["name"] not in [o.values["name"] for o in own] else []
                file = PurePosixPath((text.file or "").replace("\\", "/")).name
                name = last_name(str(row.values["function"]))
                heads.setdefault(name, set()).add((file, row.values["function"]))
        for row in (one for one in stated if one.kind == "frees"):
            own = taken.get(row.values["function"], [])
            name = str(row.values["expression"])
            index = next((at for at, one in enumerate(own, 1) if one.values["name"] == name), 0)
            if index and own[index - 1].values["type"] == "void*" and _is_all(
                text, row, name, stated, {str(one.values["name"]) for one in own}
            ):  # fmt: skip
                found[last_name(str(row.values["function"]))] = index
    # Another one of that name may be what is called.
    return {name: at for name, at in found.items() if len(heads[name] - {("", name)}) <= 1}


def _is_all(text: SourceText, row: Row, name: str, stated: Sequence[Row], own: set[str]) -> bool:
    """True for a release that its function always does, unless what it is given is null."""
    at = int(row.values["at"])
    before = [one for one in stated if one.values.get("function") == row.values["function"]]
    return (
        row.values["callee"] not in own
        and is_certain(text, at)
        and all(one == name and sign == "!=" and other in NULL
                for one, sign, other in guards(text, at))
        and not any(
            (one.kind == "assigns" and one.values["target"] == name)
            or (one.kind == "returns" and int(one.values["at"]) < at
                and not _is_null(guards(text, int(one.values["at"])), name))
            or (one.kind == "loops" and int(one.values["at"]) <= at <= int(one.values["to"]))
            for one in before
        )
    )  # fmt: skip


def _is_null(found: Iterable[Compared], name: str) -> bool:
    """True where nothing is asked but whether a value is null."""
    asked = list(found)
    return bool(asked) and all(
        (one, sign) == (name, "==") and other in NULL for one, sign, other in asked
    )


@lru_cache(maxsize=16)
def _parameters(texts: tuple[SourceText, ...]) -> dict[str, list[str]]:
    """The types that the functions of C and C++ in listings take, by their last names; of what one
    releases itself "frees"."""
    found: dict[str, dict[str, str]] = {}
    stated = [row for text in texts if text.language in (C, CPP) for row in _rows(text)]
    for row in stated:
        if row.kind == "declares" and "parameter" in row.values:
            of = found.setdefault(last_name(str(row.values["function"])), {})
            of[str(row.values["name"])] = str(row.values["type"])
    for row in stated:
        of = found.get(last_name(str(row.values["function"])), {}) if row.kind == "frees" else {}
        of.update(dict.fromkeys({str(row.values.get("expression"))} & set(of), row.kind))
    return {name: list(types.values()) for name, types in found.items()}


def _is_meant(row: Row, takes: Sequence[str] | None) -> bool:
    """True where a function is no one of the program's own of a library's name, or does with what
    it takes what that does: releases it, or makes as much memory as the number says."""
    callee = last_name(str(row.values["callee"]))
    if takes is None or callee in _STANDARD:
        return True
    if row.kind == "frees":
        at = names.FREES[CPP].get(callee, 0)
        return not at or len(takes) == at or "frees" in takes[at - 1 : at]
    sizes = names.ALLOCATES[CPP].get(callee, names.Allocator())
    return all(names.bits_of(type_, C) for at in sizes[:2] if at for type_ in takes[at - 1 : at])


def _wrapped(stated: Sequence[Row], by: dict[str, int]) -> list[Row]:
    """A release for each call of a function that does it, where no row says so yet."""
    known = {(row.values["at"], row.values["expression"]) for row in stated if row.kind == "frees"}
    return [
        Row("frees", {
            "function": row.values["function"], "callee": row.values["callee"],
            "expression": row.values["expression"], "at": row.values["at"],
            "to": row.values.get("to", row.values["at"]),
        }, row.line)
        for row in (stated if by else ())
        if row.kind == "calls" and by.get(str(row.values["callee"])) == row.values.get("index", 0)
        and (row.values["at"], row.values["expression"]) not in known
    ]  # fmt: skip


@lru_cache(maxsize=16)
def _members(texts: tuple[SourceText, ...]) -> tuple[tuple[str, str, str], ...]:
    """The structs and the members that listings declare, with their types."""
    members = {
        (
            str(row.values["of"]),
            str(row.values["name"]),
            str(row.values["type"]) + ("*" if row.values["size"] else ""),
        )
        for text in texts
        if (reader := _read(expanded(text, texts))) is not None
        for row in reader.rows
        if row.kind == "declares" and row.values["of"]
    }
    return tuple(sorted(members))


@lru_cache(maxsize=16)
def _read(source: SourceText) -> Reader | None:
    """What a listing says by itself, not to be added to."""
    tree = parsed(source)
    if tree is None:
        return None
    reader = Reader(tree, _HANDLERS)
    reader.read()
    return reader


@lru_cache(maxsize=256)
def _rows(source: SourceText, members: tuple[tuple[str, str, str], ...] = ()) -> tuple[Row, ...]:
    as_read = _read(source)
    if as_read is None:
        return ()
    reader = as_read.with_members(members)
    add_narrowings(reader)
    add_released(reader)
    if any(word in reader.parsed.data for word in _LOCKS):
        for block, scope in reader.blocks:
            add_locked(reader, block, scope)
    return tuple(sorted(reader.rows, key=lambda row: row.line))


def writers(field: str, source: SourceText, beside: Sequence[SourceText] = ()) -> list[Row]:
    """The rows that assign, free, fill or empty a member, by any path to it; of a bare name where
    no function declares it for itself."""
    found = []
    for row in rows(source, beside):
        if row.kind == "calls" and "index" not in row.values:
            path, _, method = str(row.values["callee"]).rpartition(".")
            written = path if method in names.CLEARS else ""
        elif row.kind == "calls":
            callee = shapes.plain_callee(str(row.values["callee"]))
            filled = names.FILLS.get(callee) == row.values["index"]
            written = str(row.values["expression"]).lstrip("&") if filled else ""
            written = written.removeprefix("mut ").removeprefix("ref ")
        else:
            column = {"assigns": "target", "frees": "expression"}.get(row.kind, "")
            written = str(row.values[column]) if column else ""
        if written and _is_member(field, normal(written), row, source):
            found.append(row)
    return found


def _is_member(field: str, path: str, row: Row, source: SourceText) -> bool:
    path = path.removeprefix("*")
    while path.endswith("]"):  # an element of it
        path = path[: path.rfind("[")]
    if path != field:
        return shapes.member(path) == field
    function = row.values["function"]
    return not any(
        other.kind == "declares" and other.values["name"] == field and not other.values["of"]
        and other.values["function"] in (function, "")
        for other in rows(source)
    )  # fmt: skip
