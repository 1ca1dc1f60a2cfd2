"""What has to hold where a line runs: by the conditions that it stands under, and by those in front
of it that leave its block where they hold."""

import itertools
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache

from tree_sitter import Node

from workbench.claims.source import shapes
from workbench.claims.source.changed import LEAVES, NOTHING, Changed, Known, View, nodes, view_of
from workbench.claims.source.order import around, holds, may_jump_in
from workbench.claims.source.parse import BODIES, CASES, Parsed
from workbench.claims.source.text import SourceText, normal, words
from workbench.claims.values import NULL, number

Compared = tuple[str, str, str]
"""Left side, operator, right side; what is tested by itself is compared with 0."""
COMPARED: dict[str, Callable[[int, int], bool]] = {
    "==": int.__eq__, "!=": int.__ne__, "<": int.__lt__, "<=": int.__le__, ">": int.__gt__,
    ">=": int.__ge__,
}  # fmt: skip
"""What the operators that compare say of two numbers."""
_IFS = words("if_statement if_expression")
_LOOPS = words("while_statement for_statement while_expression")
_ROUNDS = _LOOPS | words("do_statement for_range_loop for_expression loop_expression")
_GROUPS = words("parenthesized_expression condition_clause")
_PANICS = words("panic unreachable todo unimplemented")
_MOST = 40
"""Parts of a condition that are looked at."""
UNLIKE = {"==": "!=", "!=": "==", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}
_TURNED = {"==": "==", "!=": "!=", "<": ">", ">": "<", "<=": ">=", ">=": "<="}


def held(source: SourceText, line: int, known: Known) -> Iterator[Compared]:
    """The comparisons that hold whenever a line runs, each also turned round, of what nothing may
    set since."""
    for (one, sign, other), still in _conditions(source, line, known):
        if still:
            yield from ((one, sign, other), (other, _TURNED[sign], one))


def nearest(source: SourceText, line: int, known: Known) -> list[Compared]:
    """What the condition compares that is asked last before a line runs, the part that is false
    where one of several is; empty where something may set a side since."""
    found = next((found for found in _each(source, line, known) if found), [])
    return [one for one, _ in found] if all(still for _, still in found) else []


def ends(source: SourceText, line: int, known: Known) -> bool:
    """True for a line that always ends the process or throws."""
    found = around(source, line)
    if found is None or not found[1]:
        return False
    tree, last = view_of(found[0], found[1][0][0], known), found[1][-1][2]
    inner = shapes.named(last)[:1]
    macro = inner[0].child_by_field_name("macro") if inner else None
    return _bare(last).type == "throw_statement" or _is_end(tree, last) or (
        macro is not None and tree.text(macro) in _PANICS
    )  # fmt: skip


def guards(source: SourceText, line: int, known: Known = NOTHING) -> Iterator[Compared]:
    """The comparisons that have each held before a line runs, whatever is set since."""
    return (one for one, _ in _conditions(source, line, known))


def _conditions(source: SourceText, line: int, known: Known) -> Iterator[tuple[Compared, bool]]:
    return itertools.chain.from_iterable(_each(source, line, known))


@lru_cache(maxsize=1 << 12)
def _each(source: SourceText, line: int, known: Known) -> list[list[tuple[Compared, bool]]]:
    return list(_asking(source, line, known))


def _asking(source: SourceText, line: int, known: Known) -> Iterator[list[tuple[Compared, bool]]]:
    """What is asked around a line and in front of it, of each statement that asks, the last first,
    and whether it holds there still."""
    found = around(source, line)
    if found is None or not found[1]:
        return
    path, tree = found[1], view_of(found[0], found[1][0][0], known)
    row = next(row for row, (_, at, _) in enumerate(source.lines, 1) if at == line)
    path, beside = _one_of(path, row)
    changed = Changed(tree, beside)
    if any(one.type == "lambda_expression" for one in nodes(path[0][2]) if holds(one, row)):
        return  # who calls it, and when, is not told
    for depth in range(len(path) - 1, -1, -1):
        holder, place, statement = path[depth]
        before = shapes.named(holder)[:place] if holder != statement else []
        for index, one in reversed(list(enumerate(before))):
            compiled = _is_compiled(found[0], one)
            if compiled and _leaves(tree, one) and not may_jump_in(path, depth, index):
                asked = _bare(one).child_by_field_name("condition")
                yield list(_since(_false(tree, asked), changed))
            yield list(_since(_clamped(tree, one) if compiled else (), changed))
            changed.add(one)
        outer = _bare(path[depth - 1][2]) if depth else None
        if outer is not None:
            asks = outer.type in _LOOPS | _IFS and not _is_entered(tree, outer, path[0][0])
            yield list(_since(_asked(tree, outer, (holder, statement)) if asks else (), changed))
            # It may have been set in a round before, or by what is asked.
            part = outer.child_by_field_name("condition") if outer.type not in _ROUNDS else outer
            if part is not None:
                changed.add(part)


def _is_entered(tree: View, outer: Node, body: Node) -> bool:
    """True where a statement of a function's body may be entered past its condition: by a jump from
    outside of it to a label in it, or as a case of a switch around it."""
    inside, whole = tree.text(outer), tree.text(body)
    for one in nodes(outer) if "goto" in whole or "case" in inside else ():
        if one.type == "labeled_statement":
            label = one.child_by_field_name("label")
            to = tree.text(label) if label else ""
            for at in (at for at in nodes(body, every=True) if at.type == "goto"):
                behind = tree.tree.data[at.end_byte :].partition(b";")[0].strip().decode()
                if (behind == to or behind[:1] == "*") and not (
                    outer.start_byte <= at.start_byte < outer.end_byte
                ):
                    return True
        around = one.parent.parent if one.type in CASES and one.parent is not None else None
        if around is not None and around.start_byte < outer.start_byte:
            return True
    return False


Path = list[tuple[Node, int, Node]]


def _one_of(path: Path, row: int) -> tuple[Path, list[Node]]:
    """The statements that hold a row, as far as each is the only one of its list that does; the
    rest may run in any order."""
    for depth, (holder, _, statement) in enumerate(path):
        parts = shapes.named(holder) if holder != statement else [statement]
        beside = [one for one in parts if one != statement and holds(one, row)]
        ways = [statement.child_by_field_name(name) for name in ("consequence", "alternative")]
        if beside:
            return [*path[: depth + 1]], [statement, *beside]
        if all(one is not None and holds(one, row) for one in ways):
            return path[: depth + 1], [statement]
    return path, []


def is_some(source: SourceText, line: int, text: str, known: Known) -> bool:
    """True where an expression is not null whenever a line runs: by what is asked of it, or of what
    is reached through it, or by what was stored through it."""
    through = re.compile(rf"(?<![\w.>]){re.escape(text)}(?:->|\[)")
    return any(
        ((one, sign) == (text, "!=") and other in NULL) or through.match(one)
        for one, sign, other in held(source, line, known)
    ) or _is_stored_through(source, line, text, known)


def _is_stored_through(source: SourceText, line: int, text: str, known: Known) -> bool:
    """True where a statement of the same list in front of a line stores into a member of what a
    variable leads to, which nothing sets since: null would have ended the process there."""
    found = around(source, line)
    if found is None or not found[1] or not text.isidentifier() or (
        found[1][-1][2].type == "labeled_statement"
    ):  # fmt: skip
        return False
    tree, (holder, place, statement) = view_of(found[0], found[1][0][0], known), found[1][-1]
    changed, into = Changed(tree), re.compile(rf"{re.escape(text)}->\w+(?:(?:->|\.)\w+)*")
    for one in reversed(shapes.named(holder)[:place] if holder != statement else []):
        made = (shapes.named(one) or [one])[0] if one.type == "expression_statement" else one
        left, right = (made.child_by_field_name(side) for side in ("left", "right"))
        if left is not None and right is not None and into.fullmatch(normal(tree.text(left))):
            changed.add(right)
            return text in tree.local and not changed.may(text) and _is_compiled(found[0], one)
        if one.type == "labeled_statement":
            return False
        changed.add(one)
    return False


def is_mended(source: SourceText, line: int, text: str, known: Known) -> bool:
    """True where the next statement asks whether what a line set is null, and then always sets it
    again or ends the process; a variable also where it leaves its function."""
    found = around(source, line)
    if found is None or not found[1]:
        return False
    tree, (holder, place, statement) = view_of(found[0], found[1][0][0], known), found[1][-1]
    behind = shapes.named(holder)[place + 1 : place + 2] if holder != statement else []
    for one in [statement] if _bare(statement).type in _IFS else behind:
        then = _then(one) if _is_compiled(found[0], one) else None
        asked = _false(tree, _bare(one).child_by_field_name("condition")) if then else ()
        if then is not None and any(
            (a, sign) == (text, "!=") and b in NULL for a, sign, b in asked
        ):
            last = _last(then)
            ends = last is not None and _is_end(tree, last)
            parts = shapes.named(then) if then.type in BODIES else [then]
            again = any(_is_set(tree, one, text) for one in parts)
            return ends or again or (text in tree.local and _leaves(tree, one))
    return False


def _is_compiled(tree: Parsed, node: Node) -> bool:
    rows = range(node.start_point.row, node.end_point.row + 1)
    return tree.unsure.isdisjoint(rows)


def _is_set(tree: View, statement: Node, text: str) -> bool:
    """True for a statement that sets a place, and not to null."""
    one = shapes.named(statement)[0] if statement.type == "expression_statement" else None
    sides = [one.child_by_field_name(side) if one else None for side in ("left", "right")]
    target, value = (normal(tree.text(side)) if side is not None else "" for side in sides)
    return (
        one is not None
        and one.type == "assignment_expression"
        and (target == text and value not in NULL)
    )


def _since(found: Iterable[Compared], changed: Changed) -> Iterator[tuple[Compared, bool]]:
    """Each with whether nothing may set a side since; a call is not the same value twice."""
    for one, sign, other in found:
        still = "(" not in one + other and not (changed.may(one) or changed.may(other))
        yield (one, sign, other), still


def _asked(tree: View, outer: Node, inside: tuple[Node, Node]) -> Iterator[Compared]:
    """What an if or a loop asks for before it runs what it holds."""
    condition = outer.child_by_field_name("condition")
    then = "body" if outer.type in _LOOPS else "consequence"
    other = outer.child_by_field_name("alternative")
    if outer.child_by_field_name(then) in inside:
        yield from _true(tree, condition)
    elif other is not None and (other in inside or any(one in inside for one in other.children)):
        yield from _false(tree, condition)


def _clamped(tree: View, test: Node) -> Iterator[Compared]:
    """What holds behind ``if (n > most) n = most;`` and ``if (n >= most) n = most - 1;``."""
    then = _then(test)
    last = _last(then) if then is not None and len(_body(then)) == 1 else None
    made = shapes.named(last)[0] if last is not None and shapes.named(last) else None
    sign = made.child_by_field_name("operator") if made is not None else None
    parts = [*_parts(_bare(test).child_by_field_name("condition"), "&&")] if made else []
    if made is None or made.type != "assignment_expression" or len(parts) != 1 or (
        _bare(test).child_by_field_name("alternative") is not None
        or (sign is not None and sign.type != "=")
    ):  # fmt: skip
        return
    target, value = (made.child_by_field_name(name) for name in ("left", "right"))
    shown = [normal(tree.text(one)) if one is not None else "" for one in (target, value)]
    for one, sort, other in _compared(tree, parts[0]):
        if one == shown[0] and sort in (">", ">=") and shown[1] == other:
            yield one, "<=", other
        elif one == shown[0] and sort == ">=" and shown[1] == f"{other}-1":
            yield one, "<", other


def _bare(node: Node) -> Node:
    """What a statement of Rust is made of; another one itself."""
    parts = shapes.named(node) if node.type == "expression_statement" else []
    return parts[0] if len(parts) == 1 and parts[0].type in _IFS | _ROUNDS | LEAVES else node


def _then(test: Node) -> Node | None:
    """What an if does where its condition holds."""
    bare = _bare(test)
    return bare.child_by_field_name("consequence") if bare.type in _IFS else None


def _body(node: Node) -> list[Node]:
    return shapes.named(node) if node.type in BODIES else [node]


def _true(tree: View, condition: Node | None) -> Iterator[Compared]:
    """What holds where a condition is true."""
    yield from _alone(tree, list(_parts(condition, "&&")))


def _false(tree: View, condition: Node | None) -> Iterator[Compared]:
    """What holds where a condition is false."""
    found = _alone(tree, list(_parts(condition, "||")))
    yield from ((one, UNLIKE[sign], other) for one, sign, other in found)


def _alone(tree: View, parts: Sequence[Node]) -> Iterator[Compared]:
    """What the parts of a condition compare, where no other part may set it."""
    for part in parts if len(parts) <= _MOST else ():
        rest = Changed(tree, (one for one in parts if one != part))
        for one, sign, other in _compared(tree, part):
            if not (rest.may(one) or rest.may(other)):
                turned = one in NULL or number(one) is not None
                yield (other, _TURNED[sign], one) if turned else (one, sign, other)


def _parts(node: Node | None, operator: str) -> Iterator[Node]:
    """What a condition joins by an operator."""
    waiting = [node]
    while waiting:
        one = waiting.pop()
        if one is None:
            continue
        sign = one.child_by_field_name("operator")
        if one.type in _GROUPS or (sign is not None and sign.type == operator):
            waiting += shapes.named(one)[-1:] if one.type in _GROUPS else shapes.named(one)
        else:
            yield one


def _compared(tree: View, part: Node) -> Iterator[Compared]:
    """What a part of a condition compares; of an assignment in it the target."""
    sign = part.child_by_field_name("operator")
    text = sign.type if sign is not None else ""
    if part.type == "binary_expression":
        sides = [part.child_by_field_name(name) for name in ("left", "right")]
        if text in UNLIKE and sides[0] is not None and sides[1] is not None:
            yield _place(tree, sides[0]), text, _place(tree, sides[1])
    elif part.type == "unary_expression" and text == "!":
        yield _place(tree, shapes.named(part)[-1]), "==", "0"
    elif part.type != "unary_expression":
        yield _place(tree, part), "!=", "0"


def _place(tree: View, node: Node) -> str:
    one: Node | None = node
    while one is not None and one.type == "parenthesized_expression" and shapes.named(one):
        inner = shapes.named(one)[-1]
        if inner.type not in ("parenthesized_expression", "assignment_expression"):
            break
        one = inner
    if one is not None and one.type == "assignment_expression":
        one = one.child_by_field_name("left")
    return normal(tree.text(one or node))


def _last(node: Node) -> Node | None:
    while node.type in BODIES:
        parts = shapes.named(node)
        if not parts:
            return None
        node = parts[-1]
    return node


def _leaves(tree: View, test: Node) -> bool:
    """True for an if without an else whose body never goes on behind it."""
    then = _then(test)
    last = _last(then) if then is not None else None
    return (
        last is not None
        and _bare(test).child_by_field_name("alternative") is None
        and (_bare(last).type in LEAVES or _is_end(tree, last))
    )


def _is_end(tree: View, statement: Node) -> bool:
    """True for a call of what does not return."""
    call = shapes.named(statement)[0] if shapes.named(statement) else None
    callee = call.child_by_field_name("function") if call is not None else None
    return callee is not None and tree.known.is_end(tree.text(callee))
