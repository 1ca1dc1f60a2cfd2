"""Expressions whose value is the same whatever the program did: to foretell one says nothing."""

import ast
import operator
import random
import re
from collections.abc import Callable

from workbench.claims.source import normal

_SIZE = re.compile(r"(?:sizeof|alignof|_Alignof|offsetof)(?:\([^()]*\)|\s*[*&\w.>-]+)")
_CAST = re.compile(r"\((?:const|unsigned|signed|struct|[A-Za-z_]\w*)(?:[ \w]*\w)?\**\)(?=[\w(&*])")
_PATH = re.compile(
    r"(?:(?<![\w)\]])[&*]+)?(?<![\w.>])[A-Za-z_$][\w$]*(?:::\w+)*(?:(?:->|\.)[A-Za-z_]\w*|\[[^\[\]]*\])*"
)
_TRIES = 40
_VALUES = (-1, 0, 1, 2, 3, 5, 7)
_MOST_SHIFTED = 64
_BINARY: dict[type, Callable[[int, int], int]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv, ast.Mod: operator.mod, ast.BitAnd: operator.and_,
    ast.BitOr: operator.or_, ast.BitXor: operator.xor,
    ast.LShift: lambda left, right: left << min(right, _MOST_SHIFTED),
    ast.RShift: operator.rshift, ast.Eq: operator.eq, ast.NotEq: operator.ne,
    ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt, ast.GtE: operator.ge,
}  # fmt: skip


def made_of(expression: str) -> str | None:
    """The only place that an expression reckons with, as in ``n == 0``; None of one that is a place
    itself, has several, or reads what one points to as another type."""
    text = normal(expression)
    found = set(_PATH.findall(_bare(text)))
    if len(found) != 1 or text in found or _CAST.search(text):
        return None
    return str(found.pop())


def is_settled(expression: str) -> bool:
    """True where it has one value whatever its places have: constants, sizes, ``n == n``,
    ``n * 0 + 7``; and where it chooses or lists values of its own."""
    text = _bare(expression)
    found = list(dict.fromkeys(_PATH.findall(text)))
    if not found or re.search(r"[?,]", text):
        return True
    names = {place: f"v{at}" for at, place in enumerate(found)}
    text = _PATH.sub(lambda match: names[match[0]], text).replace("&&", " and ")
    text = re.sub(r"!(?!=)", " not ", text.replace("||", " or ")).replace("/", "//")
    try:
        tree = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError):
        return False
    # What it compares with decides where its value changes.
    literals = [n.value for n in ast.walk(tree) if isinstance(n, ast.Constant)]
    near = [n + by for n in literals if isinstance(n, int) for by in (-1, 0, 1)]
    chance, results = random.Random(0), set()
    for _ in range(_TRIES + len(near)):
        given = {name: chance.choice((*_VALUES, *near)) for name in names.values()}
        try:
            results.add(_value(tree, given))
        except (ArithmeticError, ValueError):
            continue
        except TypeError:
            return False
    return len(results) < 2


def _bare(expression: str) -> str:
    return _CAST.sub("", _SIZE.sub("8", normal(expression)))


def _value(node: ast.expr, given: dict[str, int]) -> int:
    """Raises `TypeError` for what is no arithmetic."""
    match node:
        case ast.Constant(value=int() as value):
            return value
        case ast.Name(id=name) if name in given:
            return given[name]
        case ast.UnaryOp(op=sign, operand=inner):
            value = _value(inner, given)
            return {ast.USub: -value, ast.Not: int(not value), ast.Invert: ~value}.get(
                type(sign), value
            )
        case ast.BoolOp(op=sign, values=parts):
            found = [bool(_value(part, given)) for part in parts]
            return int(all(found) if isinstance(sign, ast.And) else any(found))
        case ast.BinOp(left=left, op=sign, right=right):
            return _BINARY[type(sign)](_value(left, given), _value(right, given))
        case ast.Compare(left=left, ops=[sign], comparators=[right]) if type(sign) in _BINARY:
            return int(_BINARY[type(sign)](_value(left, given), _value(right, given)))
    raise TypeError
