"""Which lines run with a lock held: from where a block takes it to where it gives it back."""

import itertools
import re
from functools import lru_cache
from typing import NamedTuple

from tree_sitter import Node

from workbench.claims.source import names, shapes
from workbench.claims.source.changed import nodes
from workbench.claims.source.order import lists
from workbench.claims.source.parse import BODIES, Parsed, parsed
from workbench.claims.source.reader import Reader, Scope
from workbench.claims.source.text import C_SHARP, CPP, RUST, SourceText, last_name, normal, words

_CALLS = frozenset(("call_expression", "invocation_expression"))
_LEAVES = words(
    "return_statement goto_statement throw_statement return_expression co_return_statement"
)
_LOOPS = words("for_statement while_statement do_statement for_range_loop")
_AWAY = {
    "return_statement": words(""), "goto_statement": words(""), "continue_statement": _LOOPS,
    "break_statement": _LOOPS | {"switch_statement"},
}  # fmt: skip
"""What leaves where it stands, and what it goes no further than the end of."""
_SETS = words("assignment_expression assignment_statement update_expression inc_statement")
_STEPS = re.compile(r"->|\.|\[")


class _Held(NamedTuple):
    """``unlocks``: who gives the lock back when it is given one of ``keys``, or called on it."""

    lock: str
    unlocks: tuple[str, ...]
    keys: tuple[str, ...]


def add_locked(reader: Reader, block: Node, scope: Scope) -> None:
    """Rows of what one block runs under a lock that it takes itself."""
    statements = shapes.named(block)
    for index, statement in enumerate(statements):
        if statement.has_error and statement.type != "lock_statement":
            continue
        for held in _taken(reader, statement, scope):
            end = block.end_point.row
            if block.type in BODIES and end > block.start_point.row:
                end -= 1  # the closing brace
            first = statement.end_point.row + 1
            gaps: list[tuple[int, int]] = []
            for later in statements[index + 1 :]:
                release = _release(reader, later, held, gaps)
                if release is not None:
                    end = release - 1
                    break
            for begin, last in sorted(gaps):
                _emit(reader, scope, statement, held.lock, first, min(begin - 1, end))
                first = max(first, last + 1)
            _emit(reader, scope, statement, held.lock, first, end)
        _within(reader, statement, scope)


def _emit(reader: Reader, scope: Scope, place: Node, lock: str, first: int, last: int) -> None:
    last = min(last, len(reader.parsed.source.lines))
    if reader.parsed.shown(first) and first <= last and reader.parsed.shown(place.start_point.row):
        at = reader.parsed.at
        taken = at(place.start_point.row)
        reader.emit("under_lock", scope, place, lock=lock, taken=taken, at=at(first), to=at(last))


def _taken(reader: Reader, statement: Node, scope: Scope) -> list[_Held]:
    """The locks that a statement takes for the rest of its block."""
    language = reader.language
    if statement.type == "expression_statement" or statement.type in _CALLS:
        parts = shapes.named(statement)
        node = parts[0] if statement.type == "expression_statement" and parts else statement
        call = shapes.call_of(reader.parsed, node) if node.type in _CALLS else None
        if call is None:
            return []
        unlocks = names.LOCKS[language].get(shapes.plain_callee(call.callee))
        if unlocks is not None and call.arguments:
            lock = _plain(reader, call.arguments[0])
            return [_Held(lock, unlocks, (lock,))]
        unlocks = names.LOCK_METHODS[language].get(normal(reader.text(call.name)))
        if unlocks is not None and call.receiver and not call.arguments:
            lock = reader.guards.get((scope.function, call.receiver), call.receiver)
            return [_Held(lock, unlocks, (lock, call.receiver))]
    if language == CPP and statement.type == "declaration":
        return _guarded(reader, statement, scope)
    if language == RUST and statement.type == "let_declaration":
        pattern, value = (statement.child_by_field_name(f) for f in ("pattern", "value"))
        lock = _rust_guard(reader, value)
        if lock and pattern is not None and pattern.type == "identifier":
            name = reader.text(pattern)
            return [_Held(lock, ("drop", "mem::drop"), (name,))] if name != "_" else []
    return []


def _guarded(reader: Reader, statement: Node, scope: Scope) -> list[_Held]:
    """C++: an object that holds locks while it lives."""
    type_ = shapes.type_text(reader.parsed, statement)
    declarator = statement.child_by_field_name("declarator")
    if declarator is None or type_.partition("<")[0].rpartition("::")[2] not in names.GUARDS:
        return []
    found = shapes.declared(reader.parsed, declarator)
    holder = declarator.child_by_field_name("value")
    if holder is None and found is not None and found.prototype is not None:
        holder = found.prototype.child_by_field_name("parameters")
    if found is None or holder is None:
        return []
    given = [_plain(reader, part) for part in shapes.named(holder)]
    if not given or any(one.rpartition("::")[2] in names.NOT_AT_ONCE for one in given):
        return []
    name = normal(reader.text(found.name))
    reader.guards[scope.function, name] = given[0]
    return [_Held(lock, ("unlock",), (name,)) for lock in given]


def _plain(reader: Reader, node: Node) -> str:
    return normal(reader.text(node)).removeprefix("&").removeprefix("ref ")


def _rust_guard(reader: Reader, node: Node | None) -> str:
    """``m`` of ``m.lock().unwrap()``: the value is the guard itself."""
    unwrapped = False
    for _ in range(4):
        if node is None:
            return ""
        if node.type in ("await_expression", "try_expression"):
            node, unwrapped = shapes.named(node)[0], True
            continue
        call = shapes.call_of(reader.parsed, node) if node.type in _CALLS else None
        if call is None:
            return ""
        name = reader.text(call.name)
        if name in names.RUST_GUARDS and not call.arguments:
            return call.receiver if name == "lock" or unwrapped else ""
        if name not in names.RUST_UNWRAPS:
            return ""
        function = node.child_by_field_name("function")
        node, unwrapped = function.child_by_field_name("value") if function else None, True
    return ""


def _within(reader: Reader, statement: Node, scope: Scope) -> None:
    """Statements that hold a lock over a block of their own, or for themselves."""
    parts = shapes.named(statement)
    if reader.language == C_SHARP and statement.type == "lock_statement" and len(parts) == 2:
        lock, body = parts
        inner = body.start_point.row + (body.start_point.row < body.end_point.row)
        last = body.end_point.row - (body.start_point.row < body.end_point.row)
        place = statement.children[0]
        _emit(reader, scope, place, _plain(reader, lock), inner, last)
    if reader.language != RUST or statement.type != "expression_statement" or not parts:
        return
    node = parts[0]
    condition, then = (node.child_by_field_name(f) for f in ("condition", "consequence"))
    if node.type == "if_expression" and condition is not None and then is not None:
        guard = _rust_guard(reader, condition.child_by_field_name("value"))
        pattern = condition.child_by_field_name("pattern")
        held = _Held(guard, ("drop", "mem::drop"), ())
        named = pattern is not None and not reader.text(pattern).endswith("(_)")
        if guard and named and _release_in(reader, then, held) is None:
            rows = then.start_point.row + 1, then.end_point.row - 1
            _emit(reader, scope, condition, guard, *rows)
    elif node.type in _CALLS and not any(True for _ in lists(statement)):
        function = node.child_by_field_name("function")
        value = function.child_by_field_name("value") if function is not None else None
        guard = _rust_guard(reader, value) or ""
        if guard:
            row = statement.start_point.row
            _emit(reader, scope, statement, guard, row, statement.end_point.row)


def _calls_in(node: Node) -> list[Node]:
    found, waiting = [], [node]
    while waiting:
        one = waiting.pop()
        if one.type in _CALLS:
            found.append(one)
        if one.type != "defer_statement" and one.type not in shapes.CLOSURES:
            waiting += one.named_children
    return found


def _is_release(reader: Reader, node: Node, held: _Held) -> bool:
    call = shapes.call_of(reader.parsed, node)
    if call is None:
        return False
    if call.arguments and shapes.plain_callee(call.callee) in held.unlocks:
        return not held.keys or _plain(reader, call.arguments[0]) in held.keys
    name = normal(reader.text(call.name))
    return name in held.unlocks and call.receiver in held.keys


def _release_in(reader: Reader, node: Node, held: _Held) -> int | None:
    return next((n.start_point.row for n in _calls_in(node) if _is_release(reader, n, held)), None)


def _release(
    reader: Reader, statement: Node, held: _Held, gaps: list[tuple[int, int]]
) -> int | None:
    """The row from which on a later statement of the block leaves it open whether the lock is
    held; None: it is held behind it as before, and not in the ``gaps``, which are left for good."""
    if _is_lost(reader, statement, held):
        return statement.start_point.row
    text = reader.text(statement)
    if not any(name in text for name in held.unlocks):
        return None
    if statement.type == "try_statement":
        last = shapes.named(statement)[-1]
        if last.type == "finally_clause" and _release_in(reader, last, held) is not None:
            others = shapes.named(statement)[:-1]
            if all(_release_in(reader, one, held) is None for one in others):
                return last.start_point.row
    waiting = [statement]
    while waiting:
        one = waiting.pop()
        inner = list(lists(one))
        if not inner and _release_in(reader, one, held) is not None:
            return statement.start_point.row
        for _, statements in inner:
            if not statements or _left(statements[-1]) not in _LEAVES:
                waiting += statements
                continue
            rows = [_release_in(reader, inside, held) for inside in statements]
            gaps += [(row, statements[-1].end_point.row) for row in rows if row is not None][:1]
        if inner and _release_in(reader, _head_of(one), held) is not None:
            return statement.start_point.row
    return None


def _is_lost(reader: Reader, statement: Node, held: _Held) -> bool:
    """Whether a lock of which nobody here is the guard may be another by its name behind a
    statement, or a function that it calls gives it back."""
    if held.lock not in held.keys:
        return False
    steps = [held.lock[: sign.start()] for sign in _STEPS.finditer(held.lock)]
    ends = {last_name(step) for step in steps[1:]}
    for one in nodes(statement):
        left = one.child_by_field_name("left") or one.child_by_field_name("argument")
        if left is not None and one.type in _SETS:
            target = normal(reader.text(left))
            if target in steps or (shapes.member(target) in ends - {""}):
                return True
        call = shapes.call_of(reader.parsed, one) if one.type in _CALLS else None
        given = last_name(normal(reader.text(call.name))) if call is not None else ""
        if given and last_name(held.lock) in unlocking(reader.parsed).get(given, ()):
            return True
    return False


def leaves(source: SourceText, first: int, last: int) -> frozenset[str]:
    """How control leaves some lines of a function by the way: kinds of statements."""
    tree = parsed(source)
    found = set[str]()
    for one in nodes(tree.root) if tree is not None else ():
        if tree is None or one.type not in _AWAY or not (
            first <= tree.at(one.start_point.row) <= last
        ):  # fmt: skip
            continue
        around: Node | None = one
        while around is not None and around.type not in _AWAY[one.type]:
            around = around.parent
        if around is None or tree.at(around.start_point.row) < first:
            found.add(one.type)
    return frozenset(found)


@lru_cache(maxsize=64)
def unlocking(parsed: Parsed) -> dict[str, set[str]]:
    """The functions of a listing that give back what they do not take, by their last names, each
    with the last names of the locks; those too that only call such."""
    tables = [table[parsed.language] for table in (names.LOCKS, names.LOCK_METHODS)]
    taking = {name for table in tables for name in table}
    giving = {name for table in tables for unlocks in table.values() for name in unlocks}
    told = parsed.text(parsed.root)
    found: dict[tuple[str, bool], set[str]] = {}
    called: dict[str, set[str]] = {}
    for function in nodes(parsed.root) if any(name in told for name in giving) else ():
        own = last_name(shapes.function_name(parsed, function)) if (
            function.type in shapes.FUNCTIONS
        ) else ""  # fmt: skip
        for one in _calls_in(function) if own else ():
            call = shapes.call_of(parsed, one)
            name = last_name(normal(parsed.text(call.name))) if call is not None else ""
            called.setdefault(own, set()).add(name)
            plain = name if call is None or call.receiver else shapes.plain_callee(call.callee)
            if call is not None and plain in taking | giving:
                lock = normal(parsed.text(call.arguments[0])) if call.arguments else call.receiver
                found.setdefault((own, plain in giving), set()).add(last_name(lock))
    for _ in called:  # as deep as there are functions
        for (own, inner), gives in itertools.product(called.items(), (False, True)):
            for name in inner:
                found.setdefault((own, gives), set()).update(found.get((name, gives), ()))
    return {own: locks - found.get((own, False), set())
            for (own, gives), locks in found.items() if gives}  # fmt: skip


def _left(statement: Node) -> str:
    parts = shapes.named(statement)
    return parts[0].type if statement.type == "expression_statement" and parts else statement.type


def _head_of(node: Node) -> Node:
    return node.child_by_field_name("condition") or node.children[0]
