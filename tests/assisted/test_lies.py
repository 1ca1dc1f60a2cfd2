"""No line is told as the origin of a crash that was not: of programs whose innocent lines look like
it, by no chain of true statements."""

import re
from pathlib import Path

import pytest

from tests.assisted.chains import TRUE, told
from tests.assisted.conftest import Investigate
from tests.crashes import build, crash
from tests.soak import SOAK

_PROGRAMS = sorted((Path(__file__).parent / "lies").iterdir())
_TRUTHS = {
    "cleared_of_given.c", "cleared_of_several.c", "cut_by_a_macro.c", "cut_to_zero.rs",
    "filled_behind_its_maker.c", "free_by_type.c", "kept_in_a_map.cpp", "key_taken_out.rs",
    "null_cleared.c", "null_returned.c", "number_in_a_map.rs", "number_listed.rs",
    "past_its_numbers.c",
}  # fmt: skip
"""Programs of which the true line is told, so that the chains are known to reach one."""


@pytest.mark.soak
@pytest.mark.parametrize("source", _PROGRAMS[: None if SOAK else 1], ids=lambda one: one.name)
async def test_no_innocent_line_is_told(source: Path, investigate: Investigate) -> None:
    head, *lines = source.read_text().split("\n")  # noqa: ASYNC240
    made = re.search(r"attack:(.*?)\*/", head)
    parts = [part.strip().partition("=") for part in (made[1] if made else "").split(";")]
    how = {name: value for name, _, value in parts}
    executable = build(source, "-g", *how.get("flags", "-O0").split())
    dump = crash(executable, *how.get("args", "").split())
    session = await investigate(None, core=(executable, dump))
    found = await told(session, source, how.get("values", "").split(","))
    assert [one for one in found if TRUE not in lines[one.line - 2]] == []
    assert bool(found) or source.name not in _TRUTHS
