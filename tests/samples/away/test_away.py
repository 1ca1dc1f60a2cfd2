"""The programs with the defect away from the crash still are what their rows say."""

import pytest

from tests.samples.away import AWAY, Away
from tests.test_crashes import ask


@pytest.mark.parametrize("away", AWAY, ids=lambda away: away.name)
def test_it_crashes_and_no_origin_is_on_the_stack(away: Away) -> None:
    executable, core = away.case.make()
    stack = ask(executable, core, "bt").rpartition("#0 ")[2]
    assert any(f"{name} (" in stack for name in away.case.functions), stack
    assert len(away.lines()) == len(away.origins)
    assert not any(f"{function} (" in stack for _, function, _ in away.origins), stack
