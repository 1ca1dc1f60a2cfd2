"""A null argument that the source line of the stop dereferences."""

from pathlib import Path

import pytest

from tests.logs.reading import read_log
from workbench.model.category import Category
from workbench.targets.transcript.stop_source import SourceOfStop, dereferences

LOG = """\
Program terminated with signal SIGSEGV, Segmentation fault.
#0  0x000055cc18b75154 in pour (it={argument}) at kettle.c:14
14\t{source}
(gdb) bt full
#0  0x000055cc18b75154 in pour (it={argument}) at kettle.c:14
No locals.
#1  0x000055cc18b75187 in main () at kettle.c:21
(gdb) info registers
rax            0x0                 0
rip            0x55cc18b75154      0x55cc18b75154 <pour+12>
"""


@pytest.mark.parametrize(
    ("source", "through"),
    [
        ("    return it->level;", True),
        ("int pour(struct kettle *it) { return it->level; }", True),
        ("    *it = 4;", True),
        ("    return *it;", True),
        ("    total += it[0];", True),
        ("    return it[i].level + lid->open;", True),
        ("    return &it->level;", False),
        ("    if (it && it->level)", False),
        ("    return it ? it->level : 0;", False),
        ("    if (it != NULL) fill(it->level);", False),
        ("    it = next; it->level = 3;", False),
        ("    fill(it);", False),
        ("    unit->level = 3;", False),
        ("    lid->it->level = 3;", False),
        ("    n = sizeof it->level;", False),
        ('    log("it->level"); // it->level', False),
        ("int pour(struct kettle *it) {", False),
        ("    return a * it;", False),
    ],
)
def test_a_line_reads_through_a_pointer_whatever_it_is(source: str, through: bool) -> None:
    assert dereferences(source, "it") is through


@pytest.mark.parametrize(
    ("argument", "source", "category"),
    [
        ("0x0", "    return it->level;", Category.NULL_POINTER_DEREFERENCE),
        ("0x55cc1a2b3c40", "    return it->level;", None),
        ("0x0", "    fill(it);", None),
        ("0x800000000000", "    return it->level;", None),
    ],
)
def test_the_null_hypothesis_stands_above_the_others(
    tmp_path: Path, argument: str, source: str, category: Category | None
) -> None:
    log = tmp_path / "gdb.log"
    log.write_text(LOG.format(argument=argument, source=source), encoding="utf-8")
    assert read_log(log).category is category


def test_lldbs_spelling_is_read() -> None:
    taken = SourceOfStop()
    for number, line in enumerate(
        [
            "* thread #1, name = 'kettle', stop reason = signal SIGSEGV",
            "  * frame #0: 0x000055cc18b75154 kettle`pour(it=0x0000000000000000) at kettle.c:14:14",
            "   13  \tint pour(struct kettle *it) {",
            "-> 14  \t    return it->level;",
        ],
        1,
    ):
        taken.take(line, number)
    assert taken.found == ("it", 0, 2, 4)
