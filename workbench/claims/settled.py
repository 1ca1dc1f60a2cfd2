"""Expressions whose value is the same whatever the program did: to foretell one says nothing."""

import operator
import random
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from workbench.claims.source import SourceText, normal
from workbench.claims.source.parse import parsed
from workbench.claims.source.text import CPP, words
from workbench.claims.values import number

if TYPE_CHECKING:
    from tree_sitter import Node

_PLACES = words(
    "identifier field_expression subscript_expression pointer_expression qualified_identifier this"
)
_SIZES = words("sizeof_expression alignof_expression offsetof_expression")
_CHOOSES = words("conditional_expression comma_expression initializer_list argument_list")
_TRIES = 40
_VALUES = (-1, 0, 1, 2, 3, 5, 7)
_MOST_SHIFTED = 64
_SIZE = 8
_LONGEST = 400
"""Characters: what is longer nests deeper than it is worth to read."""
_UNARY: dict[str, Callable[[int], int]] = {
    "-": operator.neg, "+": operator.pos, "~": operator.invert, "!": operator.not_,
}  # fmt: skip
_BINARY: dict[str, Callable[[int, int], int]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.floordiv,
    "%": operator.mod, "&": operator.and_, "|": operator.or_, "^": operator.xor,
    "<<": lambda left, right: left << min(right, _MOST_SHIFTED), ">>": operator.rshift,
    "==": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le,
    ">": operator.gt, ">=": operator.ge,
    "&&": lambda left, right: bool(left and right), "||": lambda left, right: bool(left or right),
}  # fmt: skip


def made_of(expression: str) -> str | None:
    """The only place that an expression reckons with, as in ``n == 0``; None of one that is a place
    itself, has several, or reads what one points to as another type."""
    tree = _tree(expression)
    nodes = list(_nodes(tree)) if tree is not None else []
    found = {_text(node) for node in nodes if node.type in _PLACES}
    if tree is None or len(found) != 1 or tree.type in _PLACES or any(
        node.type == "cast_expression" for node in nodes
    ):  # fmt: skip
        return None
    return found.pop()


def is_settled(expression: str) -> bool:
    """True where it has one value whatever its places have: constants, sizes, ``n == n``,
    ``n * 0 + 7``; and where it chooses or lists values of its own."""
    tree = _tree(expression)
    if tree is None:
        return False
    nodes = list(_nodes(tree))
    places = {_text(node) for node in nodes if node.type in _PLACES}
    if not places or any(node.type in _CHOOSES and len(node.named_children) > 1 for node in nodes):
        return True
    # What it compares with decides where its value changes.
    literals = [number(_text(node)) for node in nodes if node.type == "number_literal"]
    near = [n + by for n in literals if n is not None for by in (-1, 0, 1)]
    chance, results = random.Random(0), set()
    for _ in range(_TRIES + len(near)):
        given = {place: chance.choice((*_VALUES, *near)) for place in sorted(places)}
        try:
            results.add(_value(tree, given))
        except (ArithmeticError, ValueError):
            continue
        except TypeError:
            return False
    return len(results) < 2


def _tree(expression: str) -> "Node | None":
    """An expression without brackets around it; None of what is none, or several, or long."""
    if len(expression) > _LONGEST:
        return None
    tree = parsed(SourceText(CPP, None, ((1, 1, f"auto it = ({expression});"),)))
    if tree is None or tree.root.has_error or len(tree.root.named_children) != 1:
        return None
    node = tree.root.named_children[0].child_by_field_name("declarator")
    node = node.child_by_field_name("value") if node is not None else None
    while node is not None and node.type == "parenthesized_expression":
        node = node.named_children[0] if len(node.named_children) == 1 else None
    return node


def _nodes(node: "Node") -> "Iterator[Node]":
    """A node and what is in it; of a place and of a size nothing."""
    yield node
    if node.type not in _PLACES | _SIZES:
        for child in node.named_children:
            yield from _nodes(child)


def _text(node: "Node") -> str:
    return normal((node.text or b"").decode("utf-8", "replace"))


def _value(node: "Node", given: dict[str, int]) -> int:
    """Raises `TypeError` for what is no arithmetic."""
    if node.type in _SIZES:
        return _SIZE
    if node.type in _PLACES:
        return given[_text(node)]
    sign, inner = node.child_by_field_name("operator"), node.named_children
    match node.type:
        case "parenthesized_expression":
            return _value(inner[0], given)
        case "cast_expression":
            return _value(inner[-1], given)
        case "unary_expression" if sign is not None:
            return int(_UNARY[_text(sign)](_value(inner[0], given)))
        case "binary_expression" if sign is not None and _text(sign) in _BINARY:
            return int(_BINARY[_text(sign)](*(_value(one, given) for one in inner)))
        case "number_literal" | "char_literal" | "true" | "false" | "null":
            found = number(_text(node))  # of what is written in another way any will do
            return found if found is not None else int(node.type not in ("false", "null"))
    raise TypeError
