"""Each place of a listing that has a word, and what is done there with what has that name."""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from tree_sitter import Node

from workbench.claims.source import shapes
from workbench.claims.source.macros import directives
from workbench.claims.source.parse import Parsed, is_cut, parsed, reparsed
from workbench.claims.source.text import RUST, SourceText, normal, words

_SILENT = words("comment line_comment block_comment string_content string_fragment "
                "system_lib_string character raw_string_content escape_sequence")  # fmt: skip
"""Leaves of which no word is a name."""
_OBJECT = {"field_expression": ("value", "argument"), "call_expression": ("function",),
           "index_expression": (), "subscript_expression": ("argument",),
           "parenthesized_expression": (), "try_expression": (),
           "qualified_identifier": ("name",), "scoped_identifier": ("name",),
           "template_function": ("name",), "generic_function": ("function",)}  # fmt: skip
"""What goes on from a value, and the part of it that this is; the first one where none is named."""
_STEPS = {"index_expression": "[]", "subscript_expression": "[]", "try_expression": "?"}
_SETS = words("assignment_expression compound_assignment_expr")
_OVER = {"for_expression": "value", "for_range_loop": "right"}
_PATTERNS = words("closure_parameters match_pattern tuple_struct_pattern field_pattern")
_WRAPS = words("type_cast_expression parenthesized_expression")
_LONGER = words("static extern thread_local _Thread_local __thread")
_LISTED = words("field_initializer shorthand_field_initializer")


class Names(NamedTuple):
    """A parsed listing; the leaves that have each word, without those of comments and texts, the
    nodes of each sort, and the words of what directives define, which are in no tree."""

    tree: Parsed
    words: dict[str, list[Node]]
    sorts: dict[str, list[Node]]
    defined: frozenset[str]

    def at(self, node: Node) -> int:
        """The line of the source in which a node begins; 0 of what is not of the listing."""
        row = node.start_point.row
        return self.tree.at(row) if self.tree.shown(row) else 0

    def has(self, *named: str) -> bool:
        """True where one of some words stands, or a node of such a sort."""
        return any(one in self.words or one in self.sorts or one in self.defined
                   for one in named)  # fmt: skip

    def on(self, line: int, *named: str) -> bool:
        """True where one stands in a line."""
        return any(self.at(node) == line for one in named
                   for node in (*self.words.get(one, ()), *self.sorts.get(one, ())))  # fmt: skip


class Spot(NamedTuple):
    """``steps``: what is reached or called through it, one after another: ``.name``, ``name()``,
    ``[]``, ``?``, and ``()`` where it is called itself; ``given``: with what the first one is.
    ``is_member``: of an object that stands in front, or of the struct that is declared or made.
    ``lent``: behind ``&``, or ``&mut`` of what may be changed by it. ``sort``: `declared` with the
    ``value`` for its type, `made` or `set` to that, `bound` by a pattern, walked `over` by a loop
    that calls each ``by`` a name, `led` to by a reference of C++, `named` in what is not parsed, or
    `used`."""

    at: int
    node: Node
    sort: str
    is_member: bool
    steps: tuple[str, ...]
    given: tuple[str, ...]
    lent: str
    value: str
    operator: str
    by: str = ""

    def begins(self, *steps: str) -> bool:
        """True where the first step is one of some."""
        return bool(self.steps) and self.steps[0] in steps

    def calls(self, *begin: str) -> bool:
        """True where a method is called on it whose name begins with one of some."""
        return bool(self.steps) and self.steps[0].startswith(begin) and self.steps[0][-1] == ")"

    @property
    def is_over(self) -> bool:
        """True for a loop over it that changes nothing of it: it is lent, or each is copied."""
        copied = not self.lent and self.by[:1] == "&" and self.by[1:].isidentifier()
        return self.sort == "over" and not self.steps and (self.lent == "&" or copied)


@lru_cache(maxsize=32)
def names(source: SourceText) -> Names | None:
    """The words of a listing; None where no parser reads all of it."""
    tree = parsed(source) if not is_cut(source) else None
    if tree is None:
        return None
    if tree.language == RUST:
        tree = _with_calls(tree)
    defined = {word for _, parts in directives(source) if parts[0] == "define" for word in parts}
    found = Names(tree, {}, {}, frozenset(defined))
    waiting = [tree.root]
    while waiting:
        node = waiting.pop()
        found.sorts.setdefault(node.type, []).append(node)
        if not node.child_count and node.type not in _SILENT:
            found.words.setdefault(tree.text(node), []).append(node)
        elif node.type not in _SILENT and not node.type.startswith("preproc_"):
            waiting += reversed(node.children)
    return found


def _with_calls(tree: Parsed) -> Parsed:
    """A listing of Rust with macros in parentheses read as calls of what they are given."""
    for _ in range(4):  # as deep as they stand in each other
        data, waiting = bytearray(tree.data), [tree.root]
        while waiting:
            node = waiting.pop()
            waiting += node.named_children
            if node.type == "macro_invocation" and tree.text(shapes.named(node)[-1])[:1] == "(":
                sign = next(one for one in node.children if one.type == "!")
                data[sign.start_byte : sign.end_byte] = b" "
        if bytes(data) == tree.data:
            break
        tree = reparsed(tree, bytes(data))
    return tree


@lru_cache(maxsize=512)
def spots(source: SourceText, name: str) -> tuple[Spot, ...]:
    """Each place of a name."""
    found = names(source)
    if found is None:
        return ()
    nodes = [*found.words.get(name, ()), *[found.tree.root] * (name in found.defined)]
    return tuple(_spot(found, node) for node in nodes)


def _spot(found: Names, node: Node) -> Spot:
    text, parent = found.tree.text, node.parent
    steps, given, one = list[str](), tuple[str, ...](), node
    is_member = node.type in ("field_identifier", "shorthand_field_identifier")
    while parent is not None and parent.type in _OBJECT:
        fields = _OBJECT[parent.type]
        if one not in [parent.child_by_field_name(field) for field in fields] + (
            [] if fields else parent.named_children[:1]
        ):  # fmt: skip
            if parent.child_by_field_name("field") != one or steps or one != node:
                break
        elif parent.type == "field_expression":
            field = parent.child_by_field_name("field")
            steps.append(f".{text(field) if field is not None else ''}")
        elif parent.type == "call_expression":
            holder = parent.child_by_field_name("arguments")
            last = steps.pop()[1:] if steps and steps[-1][0] == "." else ""
            steps.append(f"{last}()")
            if len(steps) == 1 and holder is not None:
                given = tuple(normal(text(part)) for part in shapes.named(holder))
        elif parent.type in _STEPS:
            steps.append(_STEPS[parent.type])
        one, parent = parent, parent.parent
    lent = ""
    if parent is not None and parent.type in ("reference_expression", "pointer_expression"):
        sign = text(parent)
        if sign[:1] == "&":
            changes = parent.type == "pointer_expression" or any(
                part.type == "mutable_specifier" for part in parent.children)  # fmt: skip
            lent = "&mut" if changes else "&"
            one, parent = parent, parent.parent
    sort, value, operator, by = _sort(found, one, parent)
    return Spot(found.at(node), node, sort, is_member or (parent is not None
                and parent.type in _LISTED and one == node),
                tuple(steps), given, lent, value, operator, by)  # fmt: skip


def _sort(found: Names, one: Node, parent: Node | None) -> tuple[str, str, str, str]:
    """The sort of a place, what it is declared as or set to, by which operator, and what a loop
    over it calls each."""

    def told(field: str) -> str:
        part = parent.child_by_field_name(field) if parent is not None else None
        return normal(found.tree.text(part)) if part is not None else ""

    if parent is None or one.is_error or _is_unread(one):
        return "named", "", "", ""
    if parent.type == "field_declaration" and told("type"):
        return "declared", told("type"), "", ""
    if parent.type in _LISTED:
        return "made", told("value"), "", ""
    if parent.type in _SETS and parent.child_by_field_name("left") == one:
        return "set", told("right"), told("operator") or "=", ""
    if _OVER.get(parent.type) and parent.child_by_field_name(_OVER[parent.type]) == one:
        return "over", "", "", told("pattern") or told("declarator")
    if parent.type == "init_declarator" and parent.child_by_field_name("value") == one:
        return "led" if told("declarator")[:1] == "&" else "used", "", "", ""
    return ("bound" if _is_bound(one) else "used"), "", "", ""


def _is_unread(node: Node) -> bool:
    """True in a fault, and in what a macro is given that is no call."""
    around = node.parent
    while around is not None and not around.type.endswith("_statement"):
        if around.is_error or around.type == "token_tree":
            return True
        around = around.parent
    return False


def _is_bound(node: Node) -> bool:
    """True for a name that a closure, a loop or an arm of a ``match`` takes."""
    inner, around = node, node.parent
    while around is not None and not around.type.endswith(("_statement", "block")):
        if around.type in _PATTERNS:
            return (
                around.type != "match_pattern" or around.child_by_field_name("condition") != inner
            )
        if around.type == "for_expression":
            return around.child_by_field_name("pattern") == inner
        inner, around = around, around.parent
    return False


def has(sources: Sequence[SourceText], *named: str) -> bool:
    """True where a listing has one of some words, or a node of such a sort, or is not read."""
    return any((found := names(one)) is None or found.has(*named) for one in sources)


def divisors(source: SourceText, line: int) -> set[str]:
    """By what the expressions of Rust that begin in a line divide, without what it is cast to."""
    found, by = names(source), set[str]()
    for sort in ("binary_expression", "compound_assignment_expr"):
        for node in found.sorts.get(sort, ()) if found else ():
            sign, right = (node.child_by_field_name(one) for one in ("operator", "right"))
            while right is not None and right.type in _WRAPS:
                right = right.named_children[0]
            if found and sign and right and sign.type[0] in "/%" and found.at(node) == line:
                by.add(normal(found.tree.text(right)))
    return by


def casts_pointer(source: SourceText, named: set[str]) -> bool:
    """True where C makes another pointer of what begins with one of some names, or may."""
    found = names(source)
    for node in found.sorts.get("cast_expression", ()) if found else ():
        type_, first = (node.child_by_field_name(one) for one in ("type", "value"))
        while first is not None and first.named_children:
            first = first.named_children[0]
        if found and type_ and first and found.tree.text(first) in named and (
            found.tree.text(type_)[-1:] == "*"
        ):  # fmt: skip
            return True
    return found is None


def constructors(source: SourceText, struct: str) -> set[int]:
    """The lines in which heads of a class's constructors stand, or may."""
    read, found = names(source), set[int]()
    for spot in spots(source, struct):
        node = spot.node.parent
        while node is not None and node.type == "qualified_identifier":
            node = node.parent
        around = node.parent if node is not None and node.type == "function_declarator" else None
        behind = read.tree.data[spot.node.end_byte :].lstrip()[:1] if read else b""
        unread = spot.sort == "named" and behind in (b"", b"(")
        if unread or (around is not None and around.type == "function_definition"):
            found.add(spot.at)
    return found


def storage(source: SourceText, name: str) -> Iterator[tuple[int, frozenset[str]]]:
    """The line of each place that declares a name of C or C++, and what it lives longer by."""
    for spot in spots(source, name):
        inner, node = spot.node, spot.node.parent
        while node is not None and inner in (
            node.children_by_field_name("declarator") or node.named_children
        ):
            inner, node = node, node.parent
            if inner.type in ("declaration", "function_definition"):
                parts = (one.child(0) for one in inner.children
                         if one.type == "storage_class_specifier")  # fmt: skip
                yield spot.at, _LONGER & {one.type for one in parts if one is not None}
                break
