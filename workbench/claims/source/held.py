"""What has to hold where a line of C or C++ runs: by the conditions that it stands under, and by
those in front of it that leave its block where they hold."""

from collections.abc import Iterator, Sequence

from tree_sitter import Node

from workbench.claims.source import shapes
from workbench.claims.source.order import around, may_jump_in
from workbench.claims.source.parse import BODIES, Parsed
from workbench.claims.source.text import SourceText, normal, words
from workbench.claims.values import NULL

Compared = tuple[str, str, str]
"""Left side, operator, right side; what is tested by itself is compared with 0."""
_LEAVES = words("return_statement break_statement continue_statement goto_statement "
                "throw_statement co_return_statement")  # fmt: skip
_ENDS = words(
    "exit _exit _Exit quick_exit abort longjmp siglongjmp __builtin_trap __builtin_unreachable "
    "err errx verr verrx std::abort std::exit std::terminate"
)
"""Functions of C's library that do not return (C23, POSIX, err(3))."""
_LOOPS = words("while_statement for_statement")
_ROUNDS = _LOOPS | words("do_statement for_range_loop")
_GROUPS = words("parenthesized_expression condition_clause")
_NOT = {"==": "!=", "!=": "==", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}
_TURNED = {"==": "==", "!=": "!=", "<": ">", ">": "<", "<=": ">=", ">=": "<="}
_SETS = {"assignment_expression": "left", "init_declarator": "declarator",
         "update_expression": "argument", "pointer_expression": "argument"}  # fmt: skip


def held(source: SourceText, line: int) -> Iterator[Compared]:
    """The comparisons that hold whenever a line runs, each also turned round, of what nothing sets
    since."""
    found = around(source, line)
    if found is None:
        return
    tree, path = found
    between: list[Node] = []
    for holder, place, statement in path[-1:]:  # of several on its line any may be meant
        rows = statement.start_point.row, statement.end_point.row
        more = [one for one in shapes.named(holder)[place + 1 :] if one.start_point.row in rows]
        between += [statement, *more] if more and holder != statement else []
    for depth in range(len(path) - 1, -1, -1):
        holder, place, statement = path[depth]
        before = shapes.named(holder)[:place] if holder != statement else []
        for index, one in reversed(list(enumerate(before))):
            if _leaves(tree, one) and not may_jump_in(path, depth, index):
                yield from _since(tree, _false(tree, one.child_by_field_name("condition")), between)
            yield from _since(tree, _clamped(tree, one), between)
            between.append(one)
        outer = path[depth - 1][2] if depth else None
        if outer is not None:
            yield from _since(tree, _asked(tree, outer, (holder, statement)), between)
            if outer.type in _ROUNDS:
                between.append(outer)  # it may have been set in a round before


def is_some(source: SourceText, line: int, text: str) -> bool:
    """True where an expression is not null whenever a line runs."""
    return any(
        (one, sign) == (text, "!=") and other in NULL for one, sign, other in held(source, line)
    )


def is_mended(source: SourceText, line: int, text: str) -> bool:
    """True where the next statements ask whether what a line set is null, and then set it again or
    end the process; a variable also where they leave its function."""
    found = around(source, line)
    if found is None or not found[1]:
        return False
    tree, (holder, place, statement) = found[0], found[1][-1]
    behind = shapes.named(holder)[place + 1 :] if holder != statement else []
    for one in [statement] if statement.type == "if_statement" else behind[:2]:
        then = one.child_by_field_name("consequence") if one.type == "if_statement" else None
        asked = _false(tree, one.child_by_field_name("condition")) if then else ()
        if then is not None and any(
            (a, sign) == (text, "!=") and b in NULL for a, sign, b in asked
        ):
            last = _last(then)
            ends = last is not None and _is_end(tree, last)
            return ends or _sets(tree, then, text) or (text.isidentifier() and _leaves(tree, one))
    return False


def _since(tree: Parsed, found: Iterator[Compared], between: Sequence[Node]) -> Iterator[Compared]:
    """Those of which nothing in between sets a side."""
    for one, sign, other in found:
        if not any(_sets(tree, node, side) for node in between for side in (one, other)):
            yield from ((one, sign, other), (other, _TURNED[sign], one))


def _asked(tree: Parsed, outer: Node, inside: tuple[Node, Node]) -> Iterator[Compared]:
    """What an if or a loop asks for before it runs what it holds."""
    condition = outer.child_by_field_name("condition")
    then = "body" if outer.type in _LOOPS else "consequence"
    other = outer.child_by_field_name("alternative")
    if outer.type not in _LOOPS | {"if_statement"}:
        return
    if outer.child_by_field_name(then) in inside:
        yield from _true(tree, condition)
    elif other is not None and (other in inside or any(one in inside for one in other.children)):
        yield from _false(tree, condition)


def _clamped(tree: Parsed, test: Node) -> Iterator[Compared]:
    """What holds behind ``if (n > most) n = most;``."""
    then = test.child_by_field_name("consequence") if test.type == "if_statement" else None
    last = _last(then) if then is not None else None
    made = shapes.named(last)[0] if last is not None and shapes.named(last) else None
    if made is None or made.type != "assignment_expression":
        return
    target, value = (made.child_by_field_name(name) for name in ("left", "right"))
    shown = [normal(tree.text(one)) if one is not None else "" for one in (target, value)]
    for one, sign, other in _true(tree, test.child_by_field_name("condition")):
        if one == shown[0] and sign in (">", ">=") and shown[1] in (other, f"{other}-1"):
            yield one, "<=" if shown[1] == other else "<", other


def _true(tree: Parsed, condition: Node | None) -> Iterator[Compared]:
    """What holds where a condition is true."""
    for part in _parts(condition, "&&"):
        yield from _compared(tree, part)


def _false(tree: Parsed, condition: Node | None) -> Iterator[Compared]:
    """What holds where a condition is false."""
    for part in _parts(condition, "||"):
        yield from ((one, _NOT[sign], other) for one, sign, other in _compared(tree, part))


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


def _compared(tree: Parsed, part: Node) -> Iterator[Compared]:
    """What a part of a condition compares; of an assignment in it the target."""
    sign = part.child_by_field_name("operator")
    text = sign.type if sign is not None else ""
    if part.type == "binary_expression":
        sides = [part.child_by_field_name(name) for name in ("left", "right")]
        if text in _NOT and sides[0] is not None and sides[1] is not None:
            yield _place(tree, sides[0]), text, _place(tree, sides[1])
    elif part.type == "unary_expression" and text == "!":
        yield _place(tree, shapes.named(part)[-1]), "==", "0"
    elif part.type != "unary_expression":
        yield _place(tree, part), "!=", "0"


def _place(tree: Parsed, node: Node) -> str:
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


def _leaves(tree: Parsed, test: Node) -> bool:
    """True for an if without an else whose body never goes on behind it."""
    then = test.child_by_field_name("consequence") if test.type == "if_statement" else None
    last = _last(then) if then is not None else None
    return (
        last is not None
        and test.child_by_field_name("alternative") is None
        and (last.type in _LEAVES or _is_end(tree, last))
    )


def _is_end(tree: Parsed, statement: Node) -> bool:
    """True for a call of what does not return."""
    call = shapes.named(statement)[0] if shapes.named(statement) else None
    callee = call.child_by_field_name("function") if call is not None else None
    return callee is not None and tree.text(callee) in _ENDS


def _sets(tree: Parsed, node: Node, text: str) -> bool:
    """True where a part of a node may set an expression, or what it is reached through."""
    ends = (at for at in range(len(text)) if text[at] in ".[" or text[at : at + 2] == "->")
    roots = {text, *(text[:at] for at in ends)}
    waiting = [node]
    while waiting:
        one = waiting.pop()
        waiting += one.named_children
        place = one.child_by_field_name(_SETS[one.type]) if one.type in _SETS else None
        sign = one.child_by_field_name("operator")
        taken = one.type != "pointer_expression" or (sign is not None and sign.type == "&")
        if place is not None and taken and normal(tree.text(place)).lstrip("*&(") in roots:
            return True
    return False
