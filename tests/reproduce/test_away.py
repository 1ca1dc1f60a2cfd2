"""Origins of programs that were written without this in mind, as far as they are found."""

import pytest

from tests.reproduce.finding import find
from tests.samples.away import AWAY, Away
from tests.samples.case import make
from tests.soak import part
from workbench.reproduce.program import program_of

_NOT_FOUND = {
    "telemetry.c",  # the arena is the program's own: the write is told, not the wrong size
}
FOUND = [away for away in AWAY if away.name not in _NOT_FOUND]


@pytest.mark.soak
@pytest.mark.parametrize("away", part(FOUND), ids=lambda away: away.name)
async def test_an_origin_that_another_planted_is_found(away: Away) -> None:
    executable, _ = make(away.case)
    asked = program_of([str(executable)], executable.parent, None, [], 6, 20.0)
    found = await find(asked)
    assert found.origin is not None
    places = {
        (function, line) for (_, function, _), line in zip(away.origins, away.lines(), strict=True)
    }
    function = (found.origin.function or "").rsplit("::", 1)[-1]
    assert (function, found.origin.line) in places
