"""Statements that follow from verified ones by arithmetic."""

from collections.abc import Callable

from workbench.claims.values import number
from workbench.model.claims import Claim, Outcome

_TRUNCATES = "truncated-to-bits"
_WIDTHS = (8, 16, 24, 31, 32, 48, 63, 64)
RELATIONS: dict[str, Callable[[int, int], bool]] = {
    "equal": lambda a, b: a == b,
    "differs": lambda a, b: a != b,
    "less": lambda a, b: a < b,
}
OPERATORS: dict[str, Callable[[int, int], int | None]] = {
    "sum": lambda a, b: a + b,
    "difference": lambda a, b: a - b,
    "product": lambda a, b: a * b,
    "quotient": lambda a, b: a // b if b else None,
    "shifted-right-by": lambda a, b: a >> b if 0 < b < 64 else None,
    "truncated-to-bits": lambda a, b: a % (1 << b) if b in _WIDTHS else None,
}


def derive(claim: Claim, pool: set[int]) -> tuple[Outcome, str]:
    """Whether a derivation is right, and each operand a value of ``pool``: those of the verified
    statements beside it. A result may be a new value; a product or a sum may have one operand that
    is small and constant (a size, a count of bytes, a step) beside one that is known."""
    operands = (claim.get("left"), claim.get("right"), claim.get("result"))
    left, right, result = (None if value is None else number(value) for value in operands)
    if left is None or right is None:
        return Outcome.UNKNOWN, "an operand is missing"
    relation = RELATIONS.get(str(claim.get("relation")))
    if relation is not None:
        if not relation(left, right):
            return Outcome.REFUTED, f"{left:#x} and {right:#x} are not so"
        return _known([v for v in (left, right) if v not in pool])
    operator = str(claim.get("operator"))
    compute = OPERATORS.get(operator)
    if compute is None or result is None:
        return Outcome.UNKNOWN, "there is no such derivation"
    real = compute(left, right)
    if real is None:
        return Outcome.REFUTED, f"nothing is computed with {right}"
    if operator == _TRUNCATES:
        if result % (1 << 64) not in (real, (real - (1 << right)) % (1 << 64)):
            return Outcome.REFUTED, f"it is {real:#x}"
        if left == result:
            return Outcome.REFUTED, "nothing is lost by it"
        return _known([v for v in (left, result) if v not in pool])
    if real != result and all(real % (1 << bits) != result % (1 << bits) for bits in (32, 64)):
        return Outcome.REFUTED, f"it is {real:#x}"
    loose = [v for v in (left, right) if v not in pool]
    if len(loose) == 1 and 0 < loose[0] <= _SMALL and result in pool:
        loose = []
    return _known(loose)


_SMALL = 4096
"""A size, a stride or an offset that the source gives as a constant; the result has to be seen."""


def _known(unknown: list[int]) -> tuple[Outcome, str]:
    if unknown:
        return Outcome.UNKNOWN, f"no verified statement has the value {unknown[0]:#x}"
    return Outcome.VERIFIED, ""
