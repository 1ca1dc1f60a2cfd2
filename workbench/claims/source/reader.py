"""The walk over a listing's tree: a handler a node type makes its rows.

What lies in a fault of the tree, spans a cut end, or is compiled only under a condition that is not
known, gives no row.
"""

import re
from collections.abc import Callable, Iterable
from copy import copy
from typing import NamedTuple, TypeAlias

from tree_sitter import Node

from workbench.claims.source import shapes
from workbench.claims.source.parse import BODIES, CASES, COMPOUND, Parsed
from workbench.claims.source.text import C_SHARP, CPP, FILE_SCOPE, GO, C, Row, normal, words

_MAX_TEXT = 600
"""Characters of an expression; what is longer is no row."""
_CLEAR = words(
    "parenthesized_expression cast_expression type_cast_expression conditional_expression "
    "try_expression await_expression expression_list initializer_list struct_expression "
    "composite_literal literal_value field_initializer_list object_creation_expression "
    "initializer_expression unary_expression reference_expression literal_element"
)
"""Through these a value reaches what the whole is assigned to."""
RESERVED = words(
    "return else if for while do switch case break continue goto default sizeof delete new throw "
    "try catch finally match loop let fn impl defer go func in lock using foreach"
)
_NAMES_OF_C = words("finally match loop let fn impl defer go func in lock foreach")
"""Of these what C and C++ let a program name things."""
_SCOPES = shapes.FUNCTIONS | shapes.CLOSURES | shapes.TYPES
_LEAVES = words(
    "identifier field_identifier type_identifier namespace_identifier statement_identifier "
    "shorthand_field_identifier primitive_type predefined_type sized_type_specifier number_literal "
    "integer_literal int_literal float_literal real_literal string_literal char_literal "
    "character_literal interpreted_string_literal raw_string_literal boolean_literal null_literal "
    "null nil true false this self super comment line_comment block_comment break_statement "
    "continue_statement storage_class_specifier type_qualifier visibility_modifier modifier "
    "mutable_specifier"
)
"""What holds nothing that is said."""
_AT_TOP = words("declaration var_declaration const_declaration static_item const_item")
"""What declares variables of the file where it stands in no function, at the margin."""


class Scope(NamedTuple):
    """Where a node stands: its function and the types that hold it; what its value is assigned to;
    whether its tree is without faults; what a ``return`` there leaves."""

    function: str = ""
    owner: tuple[str, ...] = ()
    target: str = ""
    sound: bool = True
    leaves: str | None = ""


Inner: TypeAlias = list[tuple[Node, Scope]] | None
"""What is read next; None: all parts of the node."""


_STRUCT = re.compile(r"(?:const |struct )*(\w+)(?: ?const)?[*&]?")
"""A variable's type that leads to one struct."""
COMPOUND_SIGNS = {"+=": "+", "-=": "-", "*=": "*", "++": "+", "--": "-"}
"""What of C's assignments reckons with what the target has, of which the result may be wider."""


class Store(NamedTuple):
    """A value that is given another type: by an assignment to ``target``, of what ``operator``
    makes of both, or, where ``row`` is not -1, by a cast ``to`` another, of which it is the row."""

    scope: Scope
    place: Node
    target: str
    value: Node
    to: str = ""
    row: int = -1
    operator: str = "="


class Reader:
    """Collects the rows of one tree."""

    def __init__(
        self, parsed: Parsed, handlers: "dict[str, Handler]", faulty: bool = False
    ) -> None:
        self.handlers = handlers
        self.faulty = faulty  # what lies in a fault is read, too
        self.parsed = parsed
        self.language = parsed.language
        self.text = parsed.text
        self.rows: list[Row] = []
        self.types: dict[tuple[str, str], str] = {}
        self.members: dict[str, set[str]] = {}
        self.owned: dict[tuple[str, str], set[str]] = {}  # by the struct that has it as well
        self.blocks: list[tuple[Node, Scope]] = []
        self.guards: dict[tuple[str, str], str] = {}
        self.results: dict[str, str] = {}
        self.stores: list[Store] = []
        self.released: list[tuple[Scope, Node, str, str]] = []

    def emit(
        self, kind: str, scope: Scope, place: Node, span: Node | None = None,
        **values: str | int | Node,
    ) -> None:  # fmt: skip
        """A row that stands at ``place``; nodes among the values become normal text. Nothing of
        them and of ``span`` may lie outside of the listing."""
        parsed = self.parsed
        first, last = place.start_point.row, (span or place).end_point.row
        given: dict[str, int | str] = {"function": scope.function}
        for column, value in values.items():
            if isinstance(value, int):
                given[column] = value
                continue
            if not isinstance(value, str):
                last = max(last, value.end_point.row)
                if value.end_byte - value.start_byte > 4 * _MAX_TEXT:
                    return
                value = normal(parsed.text(value))
            if len(value) > _MAX_TEXT:
                return
            given[column] = value
        if first < 1 or last > len(parsed.source.lines):
            return
        if parsed.unsure and any(row in parsed.unsure for row in range(first, last + 1)):
            return
        given.setdefault("at", parsed.at(first))
        given.setdefault("to", parsed.at(last))
        self.rows.append(Row(kind, given, parsed.cited(first)))

    def read(self) -> list[Row]:
        """Every node once, in the order of the text."""
        waiting = [(self.parsed.root, Scope())]
        faulty = self.parsed.root.has_error
        broken = fault_rows(self.parsed.root)
        while waiting:
            node, scope = waiting.pop()
            kind = node.type
            if kind in _LEAVES and kind not in self.handlers:
                continue
            if kind in BODIES or kind in CASES:
                scope = scope._replace(sound=True, target="")
                self.blocks.append((node, scope))
            elif faulty and kind not in COMPOUND and scope.sound and (
                node.has_error
                or node.start_point.row in broken
                or node.end_point.row in broken
            ):  # fmt: skip
                scope = scope._replace(sound=False)
            if kind in _SCOPES:
                scope = self._within(node, kind, scope)
            elif kind in _AT_TOP and scope.function == "" and self._outside(node):
                scope = scope._replace(function=FILE_SCOPE)
            handler = self.handlers.get(kind) if scope.sound or self.faulty else None
            inner = handler(self, node, scope) if handler is not None else None
            if inner is None:
                if scope.target and kind not in _CLEAR:
                    scope = scope._replace(target="")
                inner = [(child, scope) for child in node.named_children]
            waiting += reversed(inner)
        return self.rows

    def _outside(self, node: Node) -> bool:
        holder = node.parent.parent if node.parent is not None else None
        if holder is not None and holder.type == "namespace_definition":
            return True
        return not self.text(node)[:1].isspace() and node.start_point.column == 0

    def _within(self, node: Node, kind: str, scope: Scope) -> Scope:
        if kind in shapes.CLOSURES:
            for part in shapes.parameters(node):
                self.parameter(part, scope)
            return scope._replace(leaves=None)
        if node.start_point.row == 0:
            return scope._replace(leaves="")
        if kind in shapes.TYPES:
            name = shapes.holder_name(self.parsed, node)
            return scope._replace(owner=(*scope.owner, *([name] if name else [])))
        own = shapes.function_name(self.parsed, node) if _named_well(node) else ""
        if kind == "accessor_declaration":
            own = f"{own}_{scope.owner[-1]}" if scope.owner else ""
            scope = scope._replace(owner=scope.owner[:-1])
        joined = ("." if self.language in (GO, C_SHARP) else "::").join((*scope.owner, own))
        function = joined if own else ""
        scope = scope._replace(function=function, leaves=function)
        result = node.child_by_field_name("return_type") or node.child_by_field_name("type")
        if result is not None and own:
            declarator = node.child_by_field_name("declarator")
            found = shapes.declared(self.parsed, declarator) if declarator is not None else None
            type_ = shapes.type_text(self.parsed, node) or normal(self.text(result))
            self.results[own] = type_ + (found.adds if found else "")
        for part in shapes.parameters(node):
            self.parameter(part, scope)
        return scope

    def type_of(self, scope: Scope, name: str) -> str:
        """The declared type of a variable, as far as the listing shows it; "" where not."""
        own = self.types.get((scope.function, name), "")
        if own or not scope.function:  # what a cut function declares may lie outside
            return own
        return self.types.get((FILE_SCOPE, name), "")

    def types_of(self, scope: Scope, path: str) -> set[str]:
        """The declared types of a variable, or of the members that a path, or in a method a bare
        name, may be of."""
        own, field = self.type_of(scope, path), shapes.member(path)
        of = _STRUCT.fullmatch(self.type_of(scope, path.removesuffix(field).rstrip("->.")))
        if of and (known := self.owned.get((of[1], field))):
            return known
        bare = path if "::" in scope.function else ""
        return {own} if own else self.members.get(field or bare, set())

    def has_member(self, of: str, name: str, type_: str) -> None:
        """A struct's member and its type, an array's with a star."""
        self.members.setdefault(name, set()).add(type_)
        self.owned.setdefault((of, name), set()).add(type_)

    def with_members(self, members: Iterable[tuple[str, str, str]]) -> "Reader":
        """One that has read the same and knows these members, to be added to."""
        other = copy(self)
        other.rows, other.guards = list(self.rows), dict(self.guards)
        other.members = {name: set(types) for name, types in self.members.items()}
        other.owned = {of: set(types) for of, types in self.owned.items()}
        for of, name, type_ in members:
            other.has_member(of, name, type_)
        return other

    def declare(
        self, scope: Scope, name: Node, type_: str, size: str = "", of: str = "",
        *, parameter: bool = False,
    ) -> None:  # fmt: skip
        """A name and its type; a member's are kept by its name alone."""
        text = normal(self.text(name))
        known = RESERVED - _NAMES_OF_C if self.language in (C, CPP) else RESERVED
        if known.intersection((text, *type_.split())):
            return  # a grammar takes a keyword for a name where it expects none
        if of:
            self.has_member(of, text, type_ + ("*" if size else ""))
        else:
            self.types[scope.function, text] = type_ + ("*" if size else "")
        if scope.sound:
            at = scope._replace(function=FILE_SCOPE) if of else scope
            more: dict[str, str | int | Node] = {"union": 1} if of and _is_united(name) else {}
            more |= {"parameter": 1} if parameter else {}
            self.emit("declares", at, name, None, name=text, type=type_, size=size, of=of, **more)

    def assign(
        self, scope: Scope, target: Node, operator: str, value: Node | None
    ) -> list[tuple[Node, Scope]]:
        """An assignment; what its value assigns in turn reaches the target too."""
        text = normal(self.text(target))
        if self.language in (C, CPP) and operator in COMPOUND_SIGNS:
            self.stores.append(Store(scope, target, text, value or target, operator=operator))
        if value is None:
            self.emit("assigns", scope, target, target=text, operator=operator, expression="")
            return [(target, scope)]
        self.emit("assigns", scope, target, target=text, operator=operator, expression=value)
        last = value
        while last.type == "assignment_expression":
            right = last.child_by_field_name("right")
            if right is None:
                break
            last = right
        if last is not value:
            self.emit("assigns", scope, target, target=text, operator=operator, expression=last)
        if self.language in (C, CPP) and operator == "=":
            self.stores.append(Store(scope, target, text, last))
        return [(target, scope._replace(target="")), (value, scope._replace(target=text))]

    def parameter(self, node: Node, scope: Scope) -> None:
        """Declare a function's or a closure's parameter."""
        declarator = node.child_by_field_name("declarator")
        if declarator is not None:
            found = shapes.declared(self.parsed, declarator)
            if found is not None:
                type_ = shapes.type_text(self.parsed, node) + found.adds
                self.declare(scope, found.name, type_, found.size, parameter=True)
            return
        type_and_size = self.typed(node.child_by_field_name("type"))
        for field in ("name", "pattern"):
            for name in node.children_by_field_name(field):
                if name.type == "identifier" and not node.has_error:
                    self.declare(scope, name, *type_and_size, parameter=True)

    def typed(self, node: Node | None) -> tuple[str, str]:
        """A type's text and the length of an array."""
        length = node.child_by_field_name("length") if node is not None else None
        return (
            normal(self.text(node)) if node is not None else "",
            normal(self.text(length)) if length is not None else "",
        )


def fault_rows(root: Node) -> set[int]:
    """Where faults begin and end: a statement that shares such a line may be a part of one."""
    rows: set[int] = set()
    waiting = [root] if root.has_error else []
    while waiting:
        for child in waiting.pop().children:
            if child.is_error or child.is_missing:
                rows |= {child.start_point.row, child.end_point.row}
            if child.has_error:
                waiting.append(child)
    return rows


def _is_united(name: Node) -> bool:
    """True for a member that a union of C or C++ declares, or a structure of no name in one."""
    node: Node | None = name.parent
    while node is not None and node.type != "union_specifier":
        if node.type.endswith("_specifier") and node.child_by_field_name("name") is not None:
            return False
        node = node.parent
    return node is not None


def _named_well(node: Node) -> bool:
    """True for a function in whose head is no fault that its name may be due to."""
    declarator = node.child_by_field_name("declarator")
    if declarator is not None:
        return not declarator.has_error
    return not any(child.is_error or child.is_missing for child in node.children)


Handler: TypeAlias = Callable[[Reader, Node, Scope], Inner]
