"""KDE's crash dialog: the handler's own frames are left out, and the signal stands in words."""

from pathlib import Path

import pytest

from tests.logs.reading import read_text
from workbench.model.category import Category as C

HEAD = "Application: Till ({name}), signal: {signal}\n"
BARE = "(no debugging symbols found)\n" * 3
CHECKED = """\
[KCrash Handler]
#6  0x00007f11aa0a33a5 in raise () from /lib/x86_64-linux-gnu/libc.so.6
#7  0x00007f11aa0a6b0b in abort () from /lib/x86_64-linux-gnu/libc.so.6
#8  0x00007f11ab0fd43b in qt_message_output(QtMsgType, char const*) () from /usr/lib/libQtCore.so.4
#9  0x00007f11ab0fd994 in qFatal(char const*, ...) () from /usr/lib/libQtCore.so.4
#10 0x00007f1192030e5c in Drawer::count() const () from /usr/lib/qt4/plugins/till/libdrawer.so
"""
ACCESS = """\
Thread 2 (Thread 0x7f11a0000700 (LWP 4361)):
#0  0x00007f11aa1be04c in pthread_cond_wait@@GLIBC_2.3.2 () from /lib/libpthread.so.0
#1  0x00007f11aa0d489d in clone () from /lib/libc.so.6

Thread 1 (Thread 0x7f11ac0b3780 (LWP 4300)):
[KCrash Handler]
#6  0x00007f1192030e5c in Drawer::open (this=0x0) at /src/till/drawer.cpp:41
#7  0x00007f1192031544 in Till::slotOpen() () from /usr/lib/libtill.so
"""


@pytest.mark.parametrize("head", [HEAD.format(name="till", signal="Aborted (6)"), BARE, ""])
def test_a_check_of_qts_is_one_of_whoever_called_it(tmp_path: Path, head: str) -> None:
    read = read_text(tmp_path, head + CHECKED)
    assert (read.category, read.function) == (C.ASSERTION_FAILURE, "Drawer::count() const")


def test_another_frames_operand_is_no_null(tmp_path: Path) -> None:
    inner = "0x0000561e2a0451c9 in std::Sink::write (this=0x0, level=4) at /usr/include/sink.h:41\n"
    outer = "#1  0x0000561e2a0453c9 in Drawer::open (this=0x7ffe2) at /src/drawer.cpp:30\n"
    stop = (
        f"Program received signal SIGSEGV, Segmentation fault.\n{inner}41\t    count_ += level;\n"
    )
    read = read_text(tmp_path, f"{stop}(gdb) bt\n#0  {inner}{outer}(gdb) quit\n")
    assert (read.category, read.function) == (C.NULL_POINTER_DEREFERENCE, "Drawer::open")
    assert "0x7ffe2" not in read.cause


def test_an_access_without_an_address_stays_open_in_its_frame(tmp_path: Path) -> None:
    head = HEAD.format(name="kdeinit4", signal="Segmentation fault")
    read = read_text(tmp_path, head + ACCESS.replace("this=0x0", "this=0x55d0"))
    assert read.category is None
    [found] = read.findings
    assert found.signal == "SIGSEGV"


@pytest.mark.parametrize("before", ["", "It dies when I shut it:\n\n"])
@pytest.mark.parametrize("margin", [4, 8, 56])
def test_a_page_may_indent_all_of_it(tmp_path: Path, before: str, margin: int) -> None:
    text = before + "".join(f"{' ' * margin}{line}\n" for line in CHECKED.splitlines())
    assert read_text(tmp_path, text).function == "Drawer::count() const"
