"""A log of one stack whose thread waits for a lock."""

from pathlib import Path

import pytest

from tests.claims.holding import unproved
from tests.logs.reading import Read, read_text
from workbench.agents import experts
from workbench.model.category import Category as C
from workbench.model.hypothesis import Status, Verdict

TAKEN = """\
#0  0x00007fc6b926665d in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x00007fc6b925f979 in pthread_mutex_lock () from /lib64/libpthread.so.0
"""
WAITS = TAKEN + "#2  0x0000000000407929 in shut_drawer (box=0x7ffda27b35e0) at drawer.c:14\n"
HANDLED = WAITS + "#3  <signal handler called>\n"


def _deadlock(read: Read) -> Verdict | None:
    found, failed = experts.proposals(read.facts, set())
    assert not failed
    if C.DEADLOCK not in [proposal.category for proposal in found]:
        return None
    return experts.verdict(C.DEADLOCK, read.facts)


@pytest.mark.parametrize(
    ("text", "second"),
    [
        (WAITS + "#3  0x000000000040782e in main () at till.c:24\n", ""),
        (HANDLED + "#4  0x000000000040782e in main () at till.c:24\n", ""),
        (
            HANDLED + "#4  0x00007fc6b925f979 in __GI___pthread_mutex_lock (m=0x1) at m.c:80\n"
            "#5  0x000000000040782e in main () at till.c:24\n",
            "The signal came while `__GI___pthread_mutex_lock` took a lock.",
        ),
    ],
)
def test_it_stays_open(tmp_path: Path, text: str, second: str) -> None:
    read = read_text(tmp_path, text)
    assert read.category is None
    verdict = _deadlock(read)
    assert verdict is not None
    assert verdict.status is Status.INCONCLUSIVE
    assert verdict.frame is not None
    assert verdict.frame.function == "shut_drawer"
    said = [claim.text for claim in verdict.claims]
    assert said[0].startswith("`shut_drawer` ")
    assert "`pthread_mutex_lock`" in said[1] or "`__GI___pthread_mutex_lock`" in said[1]
    assert said[2:] == ([second] if second else [])
    assert unproved(verdict.claims, read.facts, {"E1": text}) == []


@pytest.mark.parametrize(
    "text",
    [
        "Program received signal SIGSEGV, Segmentation fault.\n" + WAITS,
        f"Thread 2 (Thread 0x7f10 (LWP 7)):\n{WAITS}\nThread 1 (Thread 0x7f20 (LWP 6)):\n"
        "#0  0x00007fc6b9266000 in read () from /lib64/libc.so.6\n",
        WAITS.replace("lll_lock_wait", "poll").replace("mutex_lock", "cond_wait"),
    ],
)
def test_what_says_more_is_not_open_for_this(tmp_path: Path, text: str) -> None:
    verdict = _deadlock(read_text(tmp_path, text))
    assert verdict is None or verdict.status is not Status.CONFIRMED


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("- waiting to lock <0x0734e62f> (a till.Lid) held by thread 50", True),
        ("- locked <0x0734e62f> (a till.Lid)", False),
    ],
)
def test_a_monitor_whose_holder_is_not_shown(tmp_path: Path, line: str, said: bool) -> None:
    text = f"""\
"main" prio=5 tid=1 Blocked
  | group="main" sCount=1
  at com.till.Drawer.open (Drawer.java:70)
{line}
  at com.till.Till.tap (Till.java:42)
"""
    read = read_text(tmp_path, text)
    assert read.category is None
    verdict = _deadlock(read)
    assert (verdict is not None) is said
    if verdict is not None:
        assert verdict.status is Status.INCONCLUSIVE
        assert verdict.claims[0].get("function") == "com.till.Drawer.open"
        assert verdict.claims[1].get("text") == line
        assert unproved(verdict.claims, read.facts, {"E1": text}) == []
