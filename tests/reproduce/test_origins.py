"""Each planted origin is found: its function, and its line."""

import pytest

from tests.reproduce.finding import find, program
from tests.samples.origins import ORIGINS, Planted


@pytest.mark.parametrize("planted", ORIGINS, ids=lambda planted: planted.source.stem)
async def test_the_line_that_caused_it_is_found(planted: Planted) -> None:
    found = await find(program(planted))
    assert found.reproduced, found.differed
    assert found.origin is not None, found.texts[-1]
    assert (found.origin.function, found.origin.line) == (planted.function, planted.line)
    (cited,) = found.origin.evidence
    text = found.texts[int(cited.evidence[1:]) - 1].splitlines()
    lines = "\n".join(text[cited.first - 1 : cited.last] if cited.first else text)
    assert f"{planted.source.name}:" in lines
    assert found.runs <= 10
