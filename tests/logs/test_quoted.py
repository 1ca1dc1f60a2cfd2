"""A report in a mail that quotes it."""

from pathlib import Path

import pytest

from tests.logs.reading import read_text
from workbench.model.category import Category as C

RACE = """\
WARNING: ThreadSanitizer: data race (pid=21382)
  Read of size 8 at 0x000000979970 by thread T1:
    #0 count_coins till.c:35 (till+0x6cde1c)
    #1 close_drawer drawer.c:105 (till+0x6a3bf0)

  Previous write of size 8 at 0x000000979970 by main thread:
    #0 count_coins till.c:38 (till+0x6cde1c)
"""
PROMPTS = """\
> clrthreads
ThreadCount:      1
UnstartedThread:  0
> threadpool
Portable thread pool
CPU utilization:  1%
Workers Total:    3
Workers Running:  3
Workers Idle:     0
"""


@pytest.mark.parametrize("before", ["", "Bob wrote:\n\n"])
@pytest.mark.parametrize("mark", ["> ", ">"])
def test_a_report_behind_angles(tmp_path: Path, before: str, mark: str) -> None:
    quoted = "".join(f"{mark}{line}\n" for line in RACE.splitlines())
    read = read_text(tmp_path, before + quoted)
    assert (read.category, read.function) == (C.DATA_RACE, "count_coins")


def test_prompts_are_no_quotation(tmp_path: Path) -> None:
    assert read_text(tmp_path, PROMPTS).hosts == ["dotnet-dump", "dotnet-dump"]
