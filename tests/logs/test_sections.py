"""A failure's section has bounds that no fact crosses; of several the fatal one is told, the others
are listed with their lines."""

from itertools import permutations
from pathlib import Path

import pytest

from analyzers.base import Document
from analyzers.registry import analyze
from tests.logs import test_families as families
from tests.logs.reading import read_text
from tests.logs.told_texts import TEXTS
from tests.soak import part
from tests.targets.transcript.test_dresses import REPORTS
from workbench.model.category import Category as C
from workbench.model.facts import Finding
from workbench.targets.transcript.split import split

# A stack without a head is that of the report before it.
HEADLESS = {"boost"}
# Reports that the first of them holds as its own part.
HELD = {("android", "GWP-ASan"), ("python", "java"), ("hotspot", "java"), ("minidump", "java")}
ALL = {**{name: told.text for name, told in TEXTS.items()}, **REPORTS}
del ALL["gdb"]


def _findings(text: str) -> list[object]:
    found = []
    for section in split(text.split("\n")):
        document = Document("E1", section.command, section.host, section.text)
        for fact in analyze(document).facts:
            if isinstance(fact, Finding):
                frames = [(r.role, [f.function for f in r.frames]) for r in fact.stacks]
                found.append((fact.tool, fact.message, fact.category, fact.address, fact.signal,
                              fact.place, frames))  # fmt: skip
    return found


ALONE = {name: _findings(text) for name, text in ALL.items()}


@pytest.mark.soak
@pytest.mark.parametrize("first", part(ALL, every=3))
def test_no_fact_crosses_from_one_failure_to_another(first: str) -> None:
    for other in ALL:
        if other == first or other in HEADLESS or (first, other) in HELD:
            continue
        both = _findings(f"{ALL[first].rstrip()}\n\n{ALL[other]}")
        assert both == ALONE[first] + ALONE[other], other


@pytest.mark.parametrize(
    ("first", "second"),
    list(permutations([families.SEGFAULT, TEXTS["glog"].text, TEXTS["Scudo"].text], 2)),
)
def test_the_other_failures_are_listed_with_their_lines(
    tmp_path: Path, first: str, second: str
) -> None:
    read = read_text(tmp_path, f"{first}\n{second}")
    assert read.verdict is not None
    others = [c for c in read.verdict.claims if c.text.startswith("The log holds another failure")]
    categories = {finding.category for finding in read.findings}
    assert len(others) == len(read.findings) - 1 or len(categories) == 1
    assert all(claim.citations for claim in others)


def test_a_defect_that_a_tool_names_is_told_before_how_the_process_ended(tmp_path: Path) -> None:
    read = read_text(tmp_path, TEXTS["nginx"].text + TEXTS["Scudo"].text)
    assert read.category is C.DOUBLE_FREE
