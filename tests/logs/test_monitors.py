"""Dumps of all threads of a Java program: who waits for whose monitor."""

from pathlib import Path

import pytest

from tests.logs.reading import read_text
from workbench.model.category import Category as C

ART = """\
"main" prio=5 tid=1 Blocked
  | group="main" sCount=1 dsCount=0 flags=1 obj=0x71f4d2d0 self=0x7b4e723c00
  | held mutexes=
  at com.till.Drawer.open(Drawer.java:70)
  - waiting to lock <0x0734e62f> (a com.till.Lid) held by {holder}
  at com.till.Till.tap(Till.java:42)
  - locked <0x0aaaaaaa> (a com.till.Till)

"Printer" daemon prio=5 tid=12 Blocked
  | group="main" sCount=1
  at com.till.Printer.print (Printer.java:7)
- waiting to lock <0x0aaaaaaa> (a com.till.Till) held by {other}
  - locked <0x0734e62f> (a com.till.Lid)

"Signal Catcher" daemon prio=5 tid=3 Runnable
  native: #00 pc 0000000000051e14  /system/lib64/libart.so (art::DumpState+16)
  (no managed stack frames)
"""
HOTSPOT = """\
2024-01-02 03:04:05
Full thread dump OpenJDK 64-Bit Server VM (17.0.1+12 mixed mode, sharing):

"Thread-0" #12 prio=5 os_prio=0 tid=0x00007f28c8 nid=0x5b03 waiting for monitor entry [0x00007f]
   java.lang.Thread.State: BLOCKED (on object monitor)
\tat com.till.Drawer.open(Drawer.java:70)
\t- waiting to lock <0x000000076ab0a3c8> (a com.till.Lid)
\t- locked <0x000000076ab0a3b8> (a com.till.Till)

"Thread-1" #13 prio=5 os_prio=0 tid=0x00007f28d8 nid=0x5c03 {state} [0x00007f]
   java.lang.Thread.State: BLOCKED (on object monitor)
\tat com.till.Printer.print(Printer.java:7)
\t- {act} <0x000000076ab0a3b8> (a com.till.Till)
\t- locked <0x000000076ab0a3c8> (a com.till.Lid)
"""


@pytest.mark.parametrize(
    ("holder", "other", "category"),
    [
        ("thread 12", "thread 1", C.DEADLOCK),
        ("tid=12 (Printer)", "tid=1 (main)", C.DEADLOCK),
        ("thread 12", "thread 50", None),
        ("thread 1", "thread 1", None),
    ],
)
@pytest.mark.parametrize("head", ["----- pid 812 at 2020-02-14 10:11:12 -----\n", ""])
def test_android(tmp_path: Path, head: str, holder: str, other: str, category: C | None) -> None:
    read = read_text(tmp_path, head + ART.format(holder=holder, other=other))
    assert read.category is category
    [found] = read.findings
    assert found.stacks[0].frames[0].function == "com.till.Drawer.open"
    if category is not None:
        assert read.function == "com.till.Drawer.open"


@pytest.mark.parametrize(
    ("state", "act", "category"),
    [
        ("waiting for monitor entry", "waiting to lock", C.DEADLOCK),
        ("in Object.wait()", "waiting on", None),
    ],
)
def test_hotspot(tmp_path: Path, state: str, act: str, category: C | None) -> None:
    read = read_text(tmp_path, HOTSPOT.format(state=state, act=act))
    assert read.category is category
    assert read.findings[0].stacks[0].frames[0].function == "com.till.Drawer.open"


def test_a_monitor_that_its_holder_gave_back_while_it_waits(tmp_path: Path) -> None:
    text = HOTSPOT.format(state="in Object.wait()", act="waiting to lock")
    text += "\t- waiting on <0x000000076ab0a3c8> (a com.till.Lid)\n"
    assert read_text(tmp_path, text).category is None
