"""Kernel reports: which of a log's reports counts, and which function it is about."""

from pathlib import Path

import pytest

from tests.logs.reading import read_text
from workbench.model.category import Category as C

WARNING = """\
[   54.586790] WARNING: CPU: 1 PID: 6747 at drivers/till.c:81 till_check+0xdb/0x100
[   54.594511] Kernel panic - not syncing: panic_on_warn set ...
[   54.618165] Call Trace:
[   54.620747]  dump_stack+0x194/0x257
[   54.640747]  panic+0x1e4/0x41c
[   54.660263]  report_bug+0x211/0x2d0
[   54.670263]  do_invalid_op+0x1b/0x20
[   54.699305] RIP: 0010:till_check+0xdb/0x100
[   54.700305]  till_ioctl+0x6e/0xd0
"""
NULL = """\
[   61.889077] BUG: unable to handle kernel NULL pointer dereference at           (null)
[   61.891826] Call Trace:
[   61.895826]  [<ffffffff83064aa1>] till_send+0x141/0x2e0
[   61.920336] Kernel panic - not syncing: Fatal exception
"""
UNLOCK = """\
[  163.448095] WARNING: bad unlock balance detected!
[  163.452916] 6.1.0 #217 Not tainted
[  163.461783] till/19522 is trying to release lock (drawer) at:
[  163.506866] stack backtrace:
[  163.528007] Call Trace:
[  163.530573]  dump_stack+0x194/0x257
[  163.543121]  print_unlock_imbalance_bug+0x12f/0x140
[  163.548118]  lock_release+0x5f9/0xda0
[  163.579392]  _raw_read_unlock+0x1a/0x30
[  163.583341]  till_stop+0xe1/0x130
"""
LEAK = """\
BUG: memory leak
unreferenced object 0xffff88005f7ac800 (size 2048):
  comm "till", pid 6839, jiffies 4294947130 (age 39.460s)
  backtrace:
    [<00000000996d44e4>] __kmalloc+0x14f/0x2a0
    [<0000000018bf48ad>] till_create+0x149/0x520
"""
OLD = """\
[110417.280426] WARNING: at drivers/till.c:22 till_pages+0x231/0x8f0()
[110417.280528] Call Trace:
[110417.280535]  [<ffffffff81057adf>] warn_slowpath_common+0x7f/0xc0
[110417.280543]  [<ffffffff81124321>] till_pages+0x231/0x8f0
"""
SLEEP = """\
[   64.549526] BUG: sleeping function called from invalid context at mm/slab.h:420
[   64.609526] Call Trace:
[   64.619526]  dump_stack+0x194/0x257
[   64.629526]  ___might_sleep+0x2b2/0x470
[   64.639526]  till_connect+0x46/0x150
"""


@pytest.mark.parametrize(
    ("text", "category", "function"),
    [
        (WARNING, C.ASSERTION_FAILURE, "till_check"),
        (NULL, C.NULL_POINTER_DEREFERENCE, "till_send"),
        (UNLOCK, C.ASSERTION_FAILURE, "till_stop"),
        (LEAK, C.MEMORY_LEAK, "till_create"),
        (OLD, C.ASSERTION_FAILURE, "till_pages"),
        (SLEEP, C.ASSERTION_FAILURE, "till_connect"),
        (SLEEP + WARNING, C.ASSERTION_FAILURE, "till_connect"),
    ],
)
def test_the_first_report_and_its_function(
    tmp_path: Path, text: str, category: C, function: str
) -> None:
    read = read_text(tmp_path, text)
    assert (read.category, read.function) == (category, function)


def test_a_tombstone_as_android_studio_shows_it(tmp_path: Path) -> None:
    lines = (
        "*** *** *** *** *** *** *** *** *** *** *** *** *** *** *** ***",
        "pid: 2201, tid: 2219, name: RenderThread  >>> org.shop.till <<<",
        "signal 11 (SIGSEGV), code 1 (SEGV_MAPERR), fault addr 0x10",
        "backtrace:",
        "  #00 pc 0000000000023d00  /data/app/till/lib/libtill.so (till_count+16)",
    )
    text = "".join(f"2021-05-04 10:11:12.131 812-830/? A/DEBUG: {line}\n" for line in lines)
    read = read_text(tmp_path, text)
    assert read.hosts == ["android"]
    assert (read.category, read.function) == (C.NULL_POINTER_DEREFERENCE, "till_count")
