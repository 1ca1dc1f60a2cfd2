"""What parts of the source may set, and which lines run together."""

import re
from collections.abc import Iterable, Iterator

from tree_sitter import Node

from workbench.claims.source import names, shapes
from workbench.claims.source.order import around
from workbench.claims.source.parse import Parsed
from workbench.claims.source.text import CPP, SourceText, normal, words
from workbench.claims.values import number

LEAVES = words("return_statement break_statement continue_statement goto_statement "
                "throw_statement co_return_statement return_expression break_expression "
                "continue_expression")  # fmt: skip
"""Statements behind which the next one does not run."""
_READS = words(
    "strcmp strncmp strcasecmp strlen memcmp printf fprintf puts fputs snprintf sizeof abs isdigit "
    "isspace isalpha isalnum tolower toupper assert std::strcmp std::strlen std::printf"
)
"""Functions of C's library that change nothing of what they are led to, or what they print to."""
_NAMES = re.compile(r"[A-Za-z_]\w*")
_PARTS = re.compile(r"(?:(?<=->)|(?<=\.))\w+|[A-Za-z_]\w*(?=\[)")
"""Members, and arrays of which an element is named."""
_SETS = {"assignment_expression": "left", "init_declarator": "declarator",
         "update_expression": "argument", "pointer_expression": "argument",
         "compound_assignment_expr": "left", "let_declaration": "pattern",
         "reference_expression": "value"}  # fmt: skip


class Changed:
    """What parts of the source may set: by an assignment to a name or through a pointer, by a call
    that is given its place; of what lies in memory by any call that does more than read."""

    def __init__(self, tree: Parsed, nodes: Iterable[Node] = ()) -> None:
        self._tree = tree
        self._memory = self._through = False
        self._names, self._last = set[str](), set[str]()  # what is set; and the end of its path
        for node in nodes:
            self.add(node)

    def add(self, node: Node) -> None:
        """Take what a part of the source may set."""
        for one in nodes(node):
            if one.type == "call_expression":
                self._call(one)
            place = one.child_by_field_name(_SETS[one.type]) if one.type in _SETS else None
            sign = one.child_by_field_name("operator")
            taken = one.type == "pointer_expression"
            if place is not None and not (taken and (sign is None or sign.type != "&")):
                target = normal(self._tree.text(place))
                self._through |= target[:1] == "*" and not taken
                self._names.add(target.lstrip("*&("))
                self._last.update(_NAMES.findall(target.partition("[")[0])[-1:])

    def _call(self, call: Node) -> None:
        callee, given = (call.child_by_field_name(name) for name in ("function", "arguments"))
        name = self._tree.text(callee) if callee is not None else ""
        if name not in _READS:
            self._memory = True
            if self._tree.language == CPP or name.isupper():  # by a reference, by a macro
                parts = shapes.named(given) if given is not None else []
                self._names.update(normal(self._tree.text(part)) for part in parts)

    def may(self, text: str) -> bool:
        """True where an expression, or what it is reached through, may be set."""
        return number(text) is None and (
            self._through
            or (self._memory and not text.isidentifier())
            or not self._names.isdisjoint(_NAMES.findall(text))
            or not self._last.isdisjoint(_PARTS.findall(text))
        )


def nodes(node: Node) -> Iterator[Node]:
    """A part of the source and all that it is made of."""
    waiting = [node]
    while waiting:
        one = waiting.pop()
        waiting += one.named_children
        yield one


def run_together(source: SourceText, first: int, second: int, name: str) -> bool:
    """True where either of two lines runs with the other, in one list of statements that nothing
    leaves in between, and a name is the same for both."""
    found = [around(source, line) for line in sorted((first, second))]
    if not all(one is not None and one[1] for one in found):
        return False
    (tree, path), (_, other) = (one for one in found if one is not None)
    (holder, start, one), (second_holder, end, two) = path[-1], other[-1]
    if holder != second_holder or holder == one or any(
        part.type == "labeled_statement" for part in shapes.named(holder)[start + 1 : end + 1]
    ):  # fmt: skip
        return False
    between = shapes.named(holder)[start:end]
    return two.type == one.type == "expression_statement" and not (
        Changed(tree, between).may(name) or any(_may_leave(tree, part) for part in between[1:])
    )


def _may_leave(tree: Parsed, part: Node) -> bool:
    callees = (one.child_by_field_name("function") for one in nodes(part))
    return any(one.type in LEAVES for one in nodes(part)) or any(
        tree.text(one) in names.NO_RETURN for one in callees if one is not None
    )
