"""Values of the dump show the origin of programs of one file and of several, and no lie."""

import tomllib
from pathlib import Path
from typing import Any

import pytest

from tests.analyzers.test_patterns_real import computes
from tests.assisted.conftest import Investigate
from tests.assisted.script import statement
from tests.assisted.test_analysts import Recorded, concluded
from tests.crashes import build, crash, hang
from tests.soak import SOAK, part
from workbench.claims.chain import same_function

HERE = Path(__file__).parent
PROOFS: dict[str, dict[str, Any]] = tomllib.loads((HERE / "proofs.toml").read_text())


def program(made: str) -> Path:
    first, *more = made.split()
    rest = [str(HERE / "programs" / one) if one[0] != "-" else one for one in more]
    return build(HERE / "programs" / first, "-g", *rest)


def dump(row: dict[str, Any]) -> tuple[Path, Path]:
    """``hang``: it waits or computes when its core is taken; ``frames``: whose libc's count."""
    executable = program(row["made"])
    if "hang" in row:
        return executable, hang(executable, until=computes if row["hang"] == "computes" else None)
    return executable, crash(executable)


def test_all_but_these_are_reached() -> None:
    assert [name for name, row in PROOFS.items() if row.get("open")] == [
        "plugins",
        "pixels",
        "probe",
        "links",
        "retry",
        "members",
        "grown",
        "image",
        "halves",
        "stolen",
        "roster",
        "shared",
    ]


# Of the lies of each row the first ones: each tries all chains that its statements make.
MOST_LIES = None if SOAK else 2


@pytest.mark.soak
@pytest.mark.parametrize("name", part(PROOFS, every=6))
async def test_values_of_the_dump_show_the_origin(
    investigate: Investigate, request: pytest.FixtureRequest, name: str
) -> None:
    row = PROOFS[name]
    if "frames" in row:
        request.getfixturevalue("debug_files")
    analyst = Recorded(row)
    session = await investigate(analyst.model(), core=dump(row))
    ai = (await session.build_report()).analysis.ai_analysis
    if row.get("open"):
        assert ai.origin is None
    else:
        kind, function = row["origin"].split()
        assert ai.origin is not None
        assert (ai.origin.kind, ai.category) == (kind, row["category"])
        assert same_function(str(ai.origin.function), function)
        assert (ai.origin.line, ai.confidence) == (analyst.said["origin"]["line"], 0.8)
    told = {**analyst.said, "predictions": []}
    for lie in row["lies"][:MOST_LIES]:
        kind, category, named, *args = lie.split("; ")
        added = statement(named, **dict(arg.split("=", 1) for arg in args))
        stated = [*told["statements"], added]
        origin = {**told["origin"], "kind": kind, "line": 0, "function": args[0].partition("=")[2]}
        for to in (len(told["chain"]) - 1, len(told["chain"])):
            answer = {**told, "statements": stated, "chain": [*told["chain"][:to], len(stated)],
                      "origin": origin, "category": category or told["category"]}  # fmt: skip
            assert (await concluded(session, answer)).origin is None, lie
