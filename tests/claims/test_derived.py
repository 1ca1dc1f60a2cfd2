"""What follows from other values by arithmetic."""

import pytest

from workbench.claims.check import derive
from workbench.claims.say import say
from workbench.model.claims import Outcome

WHOLE = 0x5562_AC48_C2A0


@pytest.mark.parametrize(
    ("result", "outcome"),
    [
        (0xAC48_C2A0, Outcome.VERIFIED),
        (0xFFFF_FFFF_AC48_C2A0, Outcome.VERIFIED),  # taken for signed, as a register shows it
        (0xAC48_C2A0 - (1 << 32), Outcome.VERIFIED),  # as source shows it
        (0xAC48_C2A1, Outcome.REFUTED),
        (WHOLE, Outcome.REFUTED),
    ],
)
def test_a_lower_half_may_be_signed(result: int, outcome: Outcome) -> None:
    claim = say("computed", left=WHOLE, operator="truncated-to-bits", right=32, result=result)
    assert derive(claim, {WHOLE, result})[0] is outcome
