"""The first line of HotSpot's error report, as it was worded through the years."""

from pathlib import Path

import pytest

from tests.logs.reading import read_text

REST = """\
#
#  SIGSEGV (0xb) at pc=0x00002b825629ce25, pid=16067, tid=1076017488
#
# Java VM: Java HotSpot(TM) 64-Bit Server VM (1.6.0_03-b05 mixed mode)
# Problematic frame:
# C  [libtill.so+0x2fe25]  drawer_open+0x15
"""


@pytest.mark.parametrize(
    "head",
    [
        "# A fatal error has been detected by the Java Runtime Environment:",
        "# An unexpected error has been detected by Java Runtime Environment:",
        "# An unexpected error has been detected by HotSpot Virtual Machine:",
    ],
)
@pytest.mark.parametrize("margin", ["", "    "])
@pytest.mark.parametrize("blanks", [" ", "  "])
def test_the_report_is_known(tmp_path: Path, head: str, margin: str, blanks: str) -> None:
    rest = REST.replace("# Problematic", f"#{blanks}Problematic")
    text = "".join(f"{margin}{line}\n" for line in f"#\n{head}\n{rest}".splitlines())
    read = read_text(tmp_path, text)
    assert read.hosts[0] == "java"
    [found] = read.findings
    assert (found.signal, found.stacks[0].frames[0].function) == ("SIGSEGV", "drawer_open")


@pytest.mark.parametrize(
    "frame",
    [
        "J 1204 c2 com.till.Drawer.count(J)J (41 bytes) @ 0x00007f1f0d2b4c1a [0x00007f1f+0x3a]",
        "J 34% c1 com.till.Drawer.count([BLjava/lang/String;)V (41 bytes) @ 0x00007f1f0d2b4c1a",
        "j  com.till.Drawer.count()V+12",
    ],
)
def test_a_frame_of_java_has_the_name_of_its_method(tmp_path: Path, frame: str) -> None:
    head = "# A fatal error has been detected by the Java Runtime Environment:"
    text = f"#\n{head}\n" + REST.replace("C  [libtill.so+0x2fe25]  drawer_open+0x15", frame)
    [found] = read_text(tmp_path, text).findings
    assert found.stacks[0].frames[0].function == "com.till.Drawer.count"


DEADLOCK = """\
Found one Java-level deadlock:
=============================
"transfer-1":
  waiting to lock monitor 0x00007f1a08003f60 (object 0x000000070fe0a1b8, a com.till.Account),
  which is held by "transfer-2"
"transfer-2":
  waiting to lock monitor 0x00007f1a0c0012a0 (object 0x000000070fe0a1a8, a com.till.Account),
  which is held by "transfer-1"

Java stack information for the threads listed above:
===================================================
"transfer-1":
\tat com.till.Account.deposit(Account.java:17)
\t- waiting to lock <0x000000070fe0a1b8> (a com.till.Account)
\tat com.till.Account.transfer(Account.java:24)
"transfer-2":
\tat com.till.Account.withdraw(Account.java:21)
\t- waiting to lock <0x000000070fe0a1a8> (a com.till.Account)

Found 1 deadlock.
"""


def test_a_deadlock_has_the_stacks_of_the_threads_in_it(tmp_path: Path) -> None:
    [found] = read_text(tmp_path, DEADLOCK).findings
    assert (found.kind, found.category) == ("deadlock", "deadlock")
    tops = [(role.role, role.frames[0].function, role.frames[0].line) for role in found.stacks]
    assert tops == [
        ("access", "com.till.Account.deposit", 17),
        ("other", "com.till.Account.withdraw", 21),
    ]
