"""What calls, passes, allocates and frees."""

from tree_sitter import Node

from workbench.claims.source import names, shapes
from workbench.claims.source.control import cast_row
from workbench.claims.source.reader import RESERVED, Handler, Inner, Reader, Scope
from workbench.claims.source.text import CPP, GO, normal

_CASTS = frozenset(("static_cast", "reinterpret_cast", "const_cast"))
_SIZES = frozenset(("size_of", "mem::size_of", "size_of_val", "mem::size_of_val", "unsafe.Sizeof"))


def _call(reader: Reader, node: Node, scope: Scope) -> Inner:
    call = shapes.call_of(reader.parsed, node)
    if call is None:
        return None
    plain = shapes.plain_callee(call.callee)
    arguments = call.arguments
    if _is_cast(reader, node, call, plain):
        return [(arguments[0], scope)]
    types = _type_arguments(reader, call.name) or _type_arguments(
        reader, node.child_by_field_name("function")
    )
    if plain in _SIZES:
        operand = normal(reader.text(arguments[0])) if arguments else types
        reader.emit("sizeof", scope, call.name, operand=operand)
    if call.callee in RESERVED:
        return []
    called(reader, scope, call.name, node, call.callee, arguments)
    takes = names.ALLOCATES[reader.language].get(plain)
    if takes is not None:
        given = ["", *(normal(reader.text(argument)) for argument in arguments), "", "", ""]
        _allocated(
            reader, scope, call.name, call.callee, given[takes.size], given[takes.items],
            given[takes.type],
        )  # fmt: skip
    freed = names.FREES[reader.language].get(plain, 0)
    if 0 < freed <= len(arguments):
        reader.emit("frees", scope, call.name, callee=call.callee, expression=arguments[freed - 1])
    elif call.receiver and not freed:
        reader.released.append((scope, call.name, normal(reader.text(call.name)), call.receiver))
    inner = [(part, scope._replace(target="")) for part in arguments]
    function = node.child_by_field_name("function")
    return [*([(function, scope._replace(target=""))] if function is not None else []), *inner]


def _is_cast(reader: Reader, node: Node, call: shapes.Call, plain: str) -> bool:
    return len(call.arguments) == 1 and (
        plain in _CASTS
        or (reader.language in (GO, CPP) and bool(names.bits_of(call.callee, reader.language)))
    )


def _converted(reader: Reader, node: Node, scope: Scope) -> Inner:
    call = shapes.call_of(reader.parsed, node)
    if call is None:
        return None
    plain = shapes.plain_callee(call.callee)
    if not _is_cast(reader, node, call, plain):
        return _call(reader, node, scope)
    to = call.callee
    if plain in _CASTS:
        to = call.callee.partition("<")[2].removesuffix(">")
    cast_row(reader, scope, node, call.arguments[0], to)
    return [(call.arguments[0], scope)]


def _type_arguments(reader: Reader, node: Node | None) -> str:
    holder = node.child_by_field_name("type_arguments") if node is not None else None
    return normal(reader.text(holder))[1:-1] if holder is not None else ""


def called(
    reader: Reader, scope: Scope, name: Node, whole: Node, callee: str, arguments: tuple[Node, ...]
) -> None:
    """A row of a call, and one of each of its arguments."""
    texts = [normal(reader.text(argument)) for argument in arguments]
    last = normal(reader.text(name)).partition("<")[0].removesuffix("::").rpartition("::")[2]
    joined = ",".join(texts)
    joined = joined if len(joined) <= 300 else joined[:300] + "…"
    reader.emit("calls", scope, name, whole, callee=callee, name=last, arguments=joined)
    if not reader.parsed.shown(name.start_point.row):
        return
    at = reader.parsed.at(name.start_point.row)
    for index, (argument, text) in enumerate(zip(arguments, texts, strict=True), 1):
        reader.emit(
            "calls", scope, argument, callee=callee, name=last, index=index, expression=text,
            at=at,
        )  # fmt: skip


def _allocated(
    reader: Reader, scope: Scope, place: Node, callee: str, size: str, count: str, type_: str
) -> None:
    reader.emit(
        "allocates", scope, place, target=scope.target, callee=callee, size=size, count=count,
        type=type_,
    )  # fmt: skip


def _macro(reader: Reader, node: Node, scope: Scope) -> Inner:
    """Rust's macros: what they are given is tokens, of which only `vec!` is known."""
    name = node.child_by_field_name("macro")
    tokens = shapes.named(node)[-1]
    if name is None or tokens.type != "token_tree":
        return None
    callee = normal(reader.text(name)) + "!"
    inside = reader.text(tokens)[1:-1]
    arguments = normal(f"f({inside})")[2:-1]
    arguments = arguments if len(arguments) <= 300 else arguments[:300] + "…"
    reader.emit("calls", scope, name, callee=callee, name=callee, arguments=arguments)
    if callee == "vec!":
        count = arguments.rpartition(";")[2] if ";" in arguments else ""
        _allocated(reader, scope, name, callee, "", count, "")
    return []


def _new(reader: Reader, node: Node, scope: Scope) -> Inner:
    """`new` of C++ and C#; what a constructor is given is passed to its type."""
    type_ = node.child_by_field_name("type")
    if type_ is None:
        return None
    text = normal(reader.text(type_))
    count = ""
    array = node.child_by_field_name("declarator")
    length = array.child_by_field_name("length") if array is not None else None
    if node.type == "array_creation_expression":
        rank = type_.child_by_field_name("rank")
        lengths = shapes.named(rank) if rank is not None else []
        length = lengths[0] if len(lengths) == 1 else None
        array = type_
        element = type_.child_by_field_name("type")
        text = normal(reader.text(element)) if element is not None else text
    if length is not None:
        count = normal(reader.text(length))
    callee = "new[]" if array is not None else "new"
    _allocated(reader, scope, node.children[0], callee, "", count, text)
    arguments = node.child_by_field_name("arguments")
    if arguments is not None and arguments.type == "argument_list":
        parts = shapes.arguments(arguments)
        called(reader, scope, type_, arguments, text, parts)
    return None


def _delete(reader: Reader, node: Node, scope: Scope) -> Inner:
    parts = shapes.named(node)
    if parts:
        array = any(child.type == "[" for child in node.children)
        callee = "delete[]" if array else "delete"
        reader.emit("frees", scope, node, callee=callee, expression=parts[-1])
    return None


def _address(reader: Reader, node: Node, scope: Scope) -> Inner:
    """Go's ``&T{…}``."""
    operand = node.child_by_field_name("operand")
    if operand is not None and operand.type == "composite_literal" and reader.language == GO:
        type_ = operand.child_by_field_name("type")
        _allocated(reader, scope, node, "&", "", "", normal(reader.text(type_)) if type_ else "")
    return None


HANDLERS: dict[str, Handler] = {
    "call_expression": _converted, "invocation_expression": _call, "macro_invocation": _macro,
    "new_expression": _new, "object_creation_expression": _new, "array_creation_expression": _new,
    "delete_expression": _delete, "unary_expression": _address,
}  # fmt: skip
