"""What returns, compares, loops and casts."""

from tree_sitter import Node

from workbench.claims.source import shapes
from workbench.claims.source.reader import Handler, Inner, Reader, Scope, Store
from workbench.claims.source.text import CPP, GO, C, normal, words

_COMPARES = frozenset(("==", "!=", "<", ">", "<=", ">=", "is", "is not"))
_LOOPS = words(
    "for_statement for_range_loop foreach_statement while_statement do_statement while_expression "
    "for_expression loop_expression"
)
_VALUES = words(
    "identifier field_expression subscript_expression pointer_expression call_expression"
)


def _return(reader: Reader, node: Node, scope: Scope) -> Inner:
    if scope.leaves is not None:
        parts = shapes.named(node)
        reader.emit("returns", scope, node, expression=parts[0] if parts else "")
    return None


def _tail(reader: Reader, node: Node, scope: Scope) -> Inner:
    """A Rust function's last expression; of branches each one's."""
    whole = reader.parsed.shown(node.end_point.row) and node.child_by_field_name("return_type")
    waiting = [node.child_by_field_name("body")] if whole else []
    while waiting:
        one = waiting.pop()
        if one is None or one.has_error:
            continue
        parts = shapes.named(one)
        kind = one.type
        if kind in ("block", "unsafe_block", "else_clause", "match_block"):
            waiting += parts[-1:] if kind != "match_block" else parts
        elif kind in ("if_expression", "match_expression"):
            fields = ("consequence", "alternative", "body")
            waiting += [one.child_by_field_name(field) for field in fields]
        elif kind == "match_arm":
            waiting.append(one.child_by_field_name("value"))
        elif kind == "expression_statement" and not reader.text(one).rstrip().endswith(";"):
            waiting += parts[:1]
        elif not kind.endswith(("_statement", "_declaration", "_item")) and kind not in (
            "return_expression", "macro_definition", "loop_expression", "while_expression",
            "for_expression",
        ):  # fmt: skip
            reader.emit("returns", scope, one, expression=one)
    return None


def _arrow(reader: Reader, node: Node, scope: Scope) -> Inner:
    parts = shapes.named(node)
    if parts and scope.leaves:
        reader.emit("returns", scope, parts[0], expression=parts[0])
    return None


def _binary(reader: Reader, node: Node, scope: Scope) -> Inner:
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    sign = node.child_by_field_name("operator")
    if left is not None and right is not None and sign is not None and sign.type in _COMPARES:
        reader.emit("compares", scope, left, left=left, operator=sign.type, right=right)
    elif left and right and sign and reader.language == CPP and sign.type in ("<<", ">>"):
        texts = [normal(reader.text(one)) for one in (left, right)]
        reader.emit("calls", scope, left, node, callee=f"operator{sign.type}", name="operator",
                    arguments=",".join(texts))  # fmt: skip
    return None


def _pattern(reader: Reader, node: Node, scope: Scope) -> Inner:
    """C#'s ``is``. The grammar takes what follows a constant by ``||`` for a part of it."""
    left, right = node.child_by_field_name("expression"), node.child_by_field_name("pattern")
    operator = "is"
    if right is not None and right.type == "negated_pattern":
        operator, right = "is not", shapes.named(right)[-1]
    if right is not None and right.type == "constant_pattern":
        right = shapes.named(right)[0]
    while right is not None and right.type == "binary_expression":
        right = right.child_by_field_name("left")
    if left is not None and right is not None:
        reader.emit("compares", scope, left, left=left, operator=operator, right=right)
    return None


def condition(reader: Reader, node: Node, scope: Scope) -> Inner:
    """Of C and C++ a bare condition compares with zero; any loop has its bound."""
    tested = node.child_by_field_name("condition")
    if node.type in _LOOPS:
        _loop(reader, node, scope, tested)
    if reader.language not in (C, CPP) or tested is None or tested.has_error:
        return None
    waiting = [(tested, "!=")]
    while waiting:
        one, operator = waiting.pop()
        sign = one.child_by_field_name("operator")
        if one.type in ("parenthesized_expression", "condition_clause"):
            waiting += [(part, operator) for part in shapes.named(one)[-1:]]
        elif one.type == "binary_expression" and sign is not None and sign.type in ("&&", "||"):
            waiting += [(part, "!=") for part in shapes.named(one)]
        elif one.type == "unary_expression" and sign is not None and sign.type == "!":
            waiting += [(p, "==" if operator == "!=" else "!=") for p in shapes.named(one)[-1:]]
        elif one.type in _VALUES:
            reader.emit("compares", scope, one, left=one, operator=operator, right="0")
    return None


def _loop(reader: Reader, node: Node, scope: Scope, condition: Node | None) -> None:
    each = node.child_by_field_name("pattern")
    if condition is None and node.type in ("foreach_statement", "for_range_loop"):
        condition = node.child_by_field_name("right")
        each = node.child_by_field_name("declarator") or node.child_by_field_name("left")
    elif condition is None and node.type == "for_expression":
        condition = node.child_by_field_name("value")
    elif condition is None and reader.language == GO:
        head = next((part for part in shapes.named(node) if part.type != "block"), None)
        condition = head
        if head is not None and head.type in ("for_clause", "range_clause"):
            field = "condition" if head.type == "for_clause" else "right"
            condition = head.child_by_field_name(field)
    parsed = reader.parsed
    first, last = node.start_point.row, node.end_point.row
    body = node.child_by_field_name("body")
    if (condition is not None and condition.has_error) or not parsed.shown(first):
        return
    last = min(last, len(parsed.source.lines))
    before = parsed.data.rfind(b"\n", 0, node.start_byte) + 1
    ends_do = node.type == "while_statement" and b"}" in parsed.data[before : node.start_byte]
    if body is None or ends_do:  # the rest of a loop whose head is cut
        return
    text = normal(reader.text(condition)) if condition is not None else ""
    place = condition or node.children[0]
    before = len(reader.rows)
    name = normal(reader.text(each)).lstrip("&*") if each is not None else ""
    at, to = parsed.at(first), parsed.at(last)
    reader.emit("loops", scope, place, condition=text, each=name, at=at, to=to)
    for index in range(before, len(reader.rows)):  # cited where its first word stands
        reader.rows[index] = reader.rows[index]._replace(line=parsed.cited(first))


def _cast(reader: Reader, node: Node, scope: Scope) -> Inner:
    value = node.child_by_field_name("value") or node.child_by_field_name("left")
    to = node.child_by_field_name("type") or node.child_by_field_name("right")
    if value is not None and to is not None:
        cast_row(reader, scope, node, value, normal(reader.text(to)))
    return None


def cast_row(reader: Reader, scope: Scope, place: Node, value: Node, to: str) -> None:
    """A cast; the type that it is from is looked up when all declarations are read."""
    before = len(reader.rows)
    target = scope.target
    reader.emit("converts", scope, place, target=target, expression=value, from_type="", type=to)
    if len(reader.rows) > before:
        reader.stores.append(Store(scope, place, normal(reader.text(value)), value, to, before))


def _sizeof(reader: Reader, node: Node, scope: Scope) -> Inner:
    value = node.child_by_field_name("value") or node.child_by_field_name("type")
    if value is not None:
        reader.emit("sizeof", scope, node, operand=value)
    return None


HANDLERS: dict[str, Handler] = {
    "return_statement": _return,
    "return_expression": _return,
    "function_item": _tail,
    "arrow_expression_clause": _arrow,
    "binary_expression": _binary,
    "is_pattern_expression": _pattern,
    "cast_expression": _cast,
    "type_cast_expression": _cast,
    "as_expression": _cast,
    "sizeof_expression": _sizeof,
    "if_statement": condition,
    "conditional_expression": condition,
    **dict.fromkeys(_LOOPS, condition),
}
