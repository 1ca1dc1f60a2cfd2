"""What of a listing runs before what, by the shape of the code alone; and where functions end."""

import re
from collections.abc import Iterator
from functools import lru_cache

from tree_sitter import Node

from workbench.claims.source import shapes
from workbench.claims.source.parse import BODIES, CASES, COMPOUND, Parsed, parsed
from workbench.claims.source.text import Row, SourceText, normal, words

_CASES = CASES | words("match_arm catch_clause finally_clause else_clause")
"""Of these one runs and not the next: they stand beside each other without an order."""
_BRANCHES = words("if_statement if_expression")
_PARTS = ("consequence", "alternative", "body")
_MAX_TEXT = 300
_MOST = 1 << 14
"""Lines and pairs of lines of which it is known."""


@lru_cache(maxsize=_MOST)
def function_extent(source: SourceText, line: int) -> tuple[int, int] | None:
    """The first and last source line of the function around a line; None where the listing does
    not show all of it, or the line stands in none."""
    tree = parsed(source)
    row = _row(source, line)
    if tree is None or row is None:
        return None
    path = list(_down(tree.root, row))
    index = next((i for i in range(len(path) - 1, -1, -1) if _is_function(path[i])), -1)
    if index < 0:
        return None
    node = path[index]
    if index and path[index - 1].type == "template_declaration":
        node = path[index - 1]
    first, last = node.start_point.row, node.end_point.row
    if not (tree.shown(first) and tree.shown(last)):
        return None
    return tree.at(first), tree.at(last)


def same_function(source: SourceText, first: int, second: int) -> bool:
    """True where two source lines lie in one function, also in one whose head is cut off."""
    tree = parsed(source)
    rows = _row(source, first), _row(source, second)
    if tree is None or rows[0] is None or rows[1] is None:
        return False
    one, other = (_innermost(tree.root, row) for row in rows if row is not None)
    return one is not None and one == other


@lru_cache(maxsize=_MOST)
def precedes(source: SourceText, first: int, second: int) -> Row | None:
    """A row where whatever runs the statement on the second source line has run that on the first:
    the first one's block holds both, and no label lies between. None where the shape does not tell.

    Of a statement that holds others its head is meant: ``if (x)`` runs before what it guards.
    """
    tree = parsed(source)
    rows = _row(source, first), _row(source, second)
    if tree is None or rows[0] is None or rows[1] is None or rows[0] in tree.unsure:
        return None
    functions = [_innermost(tree.root, row) for row in rows if row is not None]
    if functions[0] is None or functions[0] != functions[1] or rows[1] in tree.unsure:
        return None
    one = _path(functions[0], rows[0], deepest=False)
    other = _path(functions[0], rows[1], deepest=True)
    if not one or not other:
        return None
    holder, index, statement = one[-1]
    last = other[-1][2]
    if statement.type in _CASES or _faulty(statement) or _faulty(last):
        return None
    for depth, (around, place, passed) in enumerate(other):
        if around != holder:
            continue
        inside = place == index and depth + 1 < len(other) and passed.type != "do_statement"
        ends = (
            statement.end_point.row < last.start_point.row or statement.end_byte <= last.start_byte
        )
        if not (inside or (place > index and ends)) or may_jump_in(other, depth, index):
            return None
        name = shapes.function_name(tree, functions[0]) if functions[0].start_point.row else ""
        return Row(
            "precedes",
            {
                "function": name,
                "first": tree.at(rows[0]),
                "second": tree.at(rows[1]),
                "first_text": _head(tree, statement),
                "second_text": _head(tree, last),
                "at": tree.at(rows[0]),
                "to": tree.at(rows[1]),
            },
            tree.cited(rows[0]),
        )
    return None


def _row(source: SourceText, line: int) -> int | None:
    return next((row for row, (_, at, _) in enumerate(source.lines, 1) if at == line), None)


def _is_function(node: Node) -> bool:
    return node.type in shapes.FUNCTIONS


def holds(node: Node, row: int) -> bool:
    """True where a node has a part of a row."""
    return node.start_point.row <= row <= node.end_point.row


def _down(node: Node, row: int) -> Iterator[Node]:
    """The nodes that hold a row, from the outermost; of several in one row the first."""
    inner: Node | None = node
    while inner is not None:
        yield inner
        inner = next((child for child in inner.named_children if holds(child, row)), None)


_PARTED = re.compile(r"&&|\|\||\?")


def around(source: SourceText, line: int) -> tuple[Parsed, list[tuple[Node, int, Node]]] | None:
    """The parsed listing, and the statements that hold a line, from the outermost: what holds each,
    its place there, it."""
    tree, row = parsed(source), _row(source, line)
    function = _innermost(tree.root, row) if tree is not None and row is not None else None
    if tree is None or row is None or function is None or row in tree.unsure:
        return None
    return tree, _path(function, row, deepest=True)


@lru_cache(maxsize=_MOST)
def is_certain(source: SourceText, line: int) -> bool:
    """True where all that a line states runs whenever its statement does: it has no part that a
    condition guards, and no body."""
    tree, row = parsed(source), _row(source, line)
    function = _innermost(tree.root, row) if tree is not None and row is not None else None
    if tree is None or row is None or function is None or row in tree.unsure:
        return False
    one, deep = _path(function, row, deepest=False), _path(function, row, deepest=True)
    if not one or one != deep or one[-1][2].type in _CASES or _faulty(one[-1][2]):
        return False
    holder, place, statement = one[-1]
    if any(other.type in COMPOUND or _PARTED.search(tree.text(other))
           for other in shapes.named(holder)[place + 1 :]
           if holder != statement and other.start_point.row == row):  # fmt: skip
        return False  # which of the statements of one line is meant is not told
    bare = statement.type not in COMPOUND
    text = tree.text(statement) if bare else _head(tree, statement)
    return not (_PARTED.search(text) or "for" in statement.type or len(text) >= 4 * _MAX_TEXT)


def is_bare_branch(source: SourceText, first: int, last: int, lines: frozenset[int]) -> bool:
    """True where lines are one branch of an ``if`` with an ``else``, which stands in its function
    and in no other statement, and of some other lines each other branch, and nothing else, has one
    in any case."""
    found = around(source, first)
    statement = found[1][0][2] if found and found[1] else None
    if found is None or statement is None or statement.type not in _BRANCHES:
        return False
    tree, branches, waiting = found[0], list[Node](), [statement]
    for one in waiting:
        parts = [one.child_by_field_name(name) for name in _PARTS[:2]]
        for part in parts:
            inner = shapes.named(part)[-1] if part and part.type == "else_clause" else part
            if inner is None:
                return False  # there is no else
            (waiting if inner.type in _BRANCHES else branches).append(inner)

    def has(branch: Node, at: int) -> bool:
        path = around(source, at)
        return path is not None and is_certain(source, at) and any(
            (holder if branch.type in BODIES else one) == branch for holder, _, one in path[1]
            if path[1][-1][2] == one
        )  # fmt: skip

    def extent(branch: Node) -> range:
        return range(tree.at(branch.start_point.row), tree.at(branch.end_point.row) + 1)

    bare = [one for one in branches if not any(has(one, at) for at in lines)]
    own = shapes.named(bare[0]) if len(bare) == 1 and bare[0].type in BODIES else bare
    rows = [row for one in own for row in (one.start_point.row, one.end_point.row)]
    return len(bare) == 1 and bool(rows) and (
        first <= tree.at(min(rows)) <= tree.at(max(rows)) <= last
        and {first, last} <= {*extent(bare[0])}
        and not any(at in extent(bare[0])[1:-1] for at in lines)
        and all(any(at in extent(one) for one in branches if one != bare[0]) for at in lines)
    )  # fmt: skip


def may_be_passed(source: SourceText, line: int) -> bool:
    """True for a line within an ``if`` of which no part may run: none is an ``else`` alone."""
    found = around(source, line)
    for one in [statement for _, _, statement in found[1]] if found else ():
        part: Node | None = one
        while part is not None and part.type in _BRANCHES:
            part = part.child_by_field_name(_PARTS[1])
            part = shapes.named(part)[-1] if part and part.type == "else_clause" else part
            if part is None:
                return True
    return False


def _innermost(root: Node, row: int) -> Node | None:
    return next((n for n in reversed(list(_down(root, row))) if _is_function(n)), None)


def lists(node: Node) -> Iterator[tuple[Node, list[Node]]]:
    """The lists of statements right within a node, each with what holds it: its blocks, and what
    stands in the place of one."""
    waiting = [node]
    while waiting:
        one = waiting.pop()
        if one.type in BODIES or (one.type in _CASES and one != node):
            yield one, shapes.named(one)
            continue
        parts = () if one.type == "struct_expression" else _PARTS  # Rust's list of members
        bodies = [one.child_by_field_name(field) for field in parts]
        for child in shapes.named(one):
            if child in bodies and child.type not in BODIES and child.type not in _CASES:
                yield child, [child]
            else:
                waiting.append(child)


def _path(function: Node, row: int, deepest: bool) -> list[tuple[Node, int, Node]]:
    """The statements that hold a row, from the outermost: what holds each, its place there, it.
    Unless the ``deepest`` is wanted it ends with the first that begins there."""
    found: list[tuple[Node, int, Node]] = []
    node = function
    while True:
        inner = lists(node) if node.type not in BODIES else iter([(node, shapes.named(node))])
        here = [
            (holder, place, one)
            for holder, statements in inner
            for place, one in enumerate(statements)
            if holds(one, row)
        ][:1]
        if not here:
            return found
        found += here
        node = here[0][2]
        if node.start_point.row == row and not deepest and node.type not in BODIES:
            return found
        if len(found) > 500:
            return []


def _faulty(node: Node) -> bool:
    return node.has_error and node.type not in COMPOUND


def may_jump_in(path: list[tuple[Node, int, Node]], depth: int, index: int) -> bool:
    """True where a label lies between: a jump may come from where the first did not run."""
    for level, (holder, place, statement) in enumerate(path[depth:]):
        before = shapes.named(holder)[: place + 1] if holder != statement else [statement]
        if any(one.type == "labeled_statement" for one in before[index + 1 if not level else 0 :]):
            return True
    return False


def _head(tree: Parsed, node: Node) -> str:
    """A statement's text; of one that holds others what stands before them."""
    if node.type in COMPOUND or node.type == "expression_statement":
        inner = next(iter(sorted(lists(node), key=lambda found: found[0].start_byte)), None)
        if inner is not None:
            text = tree.data[node.start_byte : inner[0].start_byte].decode("utf-8", "replace")
            return normal(text)[:_MAX_TEXT]
    return normal(tree.text(node))[:_MAX_TEXT]
