"""Statements that follow from verified ones by arithmetic."""

from collections.abc import Callable

from workbench.claims.values import number
from workbench.model.claims import Claim, Outcome

_RELATIONS: dict[str, Callable[[int, int], bool]] = {
    "equal": lambda a, b: a == b,
    "differs": lambda a, b: a != b,
    "less": lambda a, b: a < b,
}
_RESULTS: dict[str, Callable[[int, int], int | None]] = {
    "sum": lambda a, b: a + b,
    "difference": lambda a, b: a - b,
    "product": lambda a, b: a * b,
    "quotient": lambda a, b: a // b if b else None,
    "shifted": lambda a, b: a >> b if 0 < b < 64 else None,
}
_WIDTHS = (8, 16, 24, 31, 32, 48, 63, 64)


def derive(claim: Claim, pool: set[int]) -> tuple[Outcome, str]:
    """Whether a derivation is right, and each operand a value of ``pool``: those of the verified
    statements beside it. A result may be a new value; a product or a sum may have one operand that
    is small and constant (a size, a count of bytes, a step) beside one that is known."""
    given = {arg.name: number(arg.value) for arg in claim.args}
    numbers = [value for value in given.values() if value is not None]
    if len(numbers) < len(given):
        return Outcome.UNKNOWN, "an operand is no number"
    if claim.kind == "truncated":
        return _truncated(given, pool)
    left, right, result = given.get("left"), given.get("right"), given.get("result")
    if left is None or right is None:
        return Outcome.UNKNOWN, "an operand is missing"
    if claim.kind in _RELATIONS:
        if not _RELATIONS[claim.kind](left, right):
            return Outcome.REFUTED, f"{left:#x} and {right:#x} are not so"
        unknown = [v for v in (left, right) if v not in pool]
        return _known(unknown)
    compute = _RESULTS.get(claim.kind)
    if compute is None or result is None:
        return Outcome.UNKNOWN, "there is no such derivation"
    real = compute(left, right)
    if real is None:
        return Outcome.REFUTED, f"nothing is computed with {right}"
    if real != result and all(real % (1 << bits) != result % (1 << bits) for bits in (32, 64)):
        return Outcome.REFUTED, f"it is {real:#x}"
    loose = [v for v in (left, right) if v not in pool]
    if len(loose) == 1 and 0 < loose[0] <= _SMALL and result in pool:
        loose = []
    return _known(loose)


_SMALL = 4096
"""A size, a stride or an offset that the source gives as a constant; the result has to be seen."""


def _truncated(given: dict[str, int | None], pool: set[int]) -> tuple[Outcome, str]:
    value, bits, result = given.get("value"), given.get("bits"), given.get("result")
    if value is None or bits is None or result is None:
        return Outcome.UNKNOWN, "an operand is missing"
    if bits not in _WIDTHS:
        return Outcome.UNKNOWN, f"no type has {bits} bits"
    low = value % (1 << bits)
    if result not in (low, low - (1 << bits)):
        return Outcome.REFUTED, f"it is {low:#x}"
    if value == result:
        return Outcome.REFUTED, "nothing is lost by it"
    return _known([v for v in (value, result) if v not in pool])


def _known(unknown: list[int]) -> tuple[Outcome, str]:
    if unknown:
        return Outcome.UNKNOWN, f"no verified statement has the value {unknown[0]:#x}"
    return Outcome.VERIFIED, ""
