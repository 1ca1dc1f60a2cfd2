"""lldb at a program that ran under it: what its report of the stop says without any command."""

from pathlib import Path

import pytest

from tests.logs.reading import read_text
from workbench.model.category import Category as C
from workbench.model.facts import Stack

BROKEN = """\
Traceback (most recent call last):
  File "<string>", line 1, in <module>
ModuleNotFoundError: No module named 'lldb.embedded_interpreter'
"""


def _run(reason: str, frame: str, command: str = "run") -> str:
    return f"""\
(lldb) target create "./till"
Current executable set to '/home/ann/till' (x86_64).
(lldb) {command}
Process 812 stopped
* thread #1, name = 'till', stop reason = {reason}
    frame #0: {frame}
   11  \tint count(struct drawer *d) {{
-> 12  \t  return d->coins;
Process 812 launched: '/home/ann/till' (x86_64)
"""


COUNT = "0x000055555555513e till`count(d=0x0000000000000000) at till.c:12:12"
NULL = "signal SIGSEGV: invalid address (fault address: 0x10)"


def test_the_debuggers_own_traceback_is_no_exception_of_the_program(tmp_path: Path) -> None:
    for command in ("run", "process launch", "process launch --stop-at-entry"):
        read = read_text(tmp_path, BROKEN + _run(NULL, COUNT, command))
        assert "python" not in read.hosts
        assert read.category is C.NULL_POINTER_DEREFERENCE
        assert read.function == "count"
        [stack] = read.facts.all(Stack)
        assert (stack.number, stack.frames[0].line) == (1, 12)


def test_a_traceback_of_the_program_stays_one(tmp_path: Path) -> None:
    mine = 'Traceback (most recent call last):\n  File "/srv/till.py", line 3, in <module>\n'
    read = read_text(tmp_path, mine + "ValueError: no coins\n" + _run("signal SIGABRT", COUNT))
    assert "python" in read.hosts


def test_a_call_of_nothing(tmp_path: Path) -> None:
    reason = "signal SIGSEGV: invalid address (fault address: 0x0)"
    read = read_text(tmp_path, _run(reason, "0x0000000000000000"))
    assert read.category is C.NULL_FUNCTION_POINTER_CALL


def test_the_zero_that_stands_for_no_address_is_no_null_pointer(tmp_path: Path) -> None:
    reason = "signal SIGSEGV: invalid address (fault address: 0x0)"
    frame = "0x000055555555513e till`count(d=0x6f632073756f6972) at till.c:12:12"
    read = read_text(tmp_path, _run(reason, frame))
    assert [finding.category for finding in read.findings] == [C.WILD_POINTER.value]
    assert read.category is None  # wild, but of which address nobody knows


def test_division(tmp_path: Path) -> None:
    read = read_text(tmp_path, _run("signal SIGFPE: integer divide by zero", COUNT))
    assert (read.category, read.function) == (C.DIVIDE_BY_ZERO, "count")


_ENDS = """\
Process 913 stopped
* thread #1, name = 'till', stop reason = signal SIGTRAP
    frame #0: 0x00007ffff7fd0100 ld-linux-x86-64.so.2`_start
(lldb) c
Process 913 resuming
Process 913 stopped
* thread #1, name = 'till', stop reason = {reason}
    frame #4: 0x0000000000401180 till`pop(s=0x00007fffffffe0a0) at till.c:17:2
(lldb) bt
* thread #1, name = 'till', stop reason = {reason}
    frame #0: 0x00007ffff7c96a7c libc.so.6`__pthread_kill_implementation at pthread_kill.c:44:76
    frame #1: 0x00007ffff7c42476 libc.so.6`__GI_raise(sig=6) at raise.c:26:13
    frame #2: 0x00007ffff7c287f3 libc.so.6`__GI_abort at abort.c:79:7
    frame #3: 0x00007ffff7c2871b libc.so.6`{call} at libc.c:94:3
  * frame #4: 0x0000000000401180 till`pop(s=0x00007fffffffe0a0) at till.c:17:2
    frame #5: 0x00000000004011f0 till`main at till.c:30:3
"""


@pytest.mark.parametrize(
    ("reason", "call", "category"),
    [
        ("hit program assert", '__assert_fail(assertion="s->n > 0")', C.ASSERTION_FAILURE),
        ("signal SIGABRT", 'malloc_printerr(str="free(): invalid pointer")', C.INVALID_FREE),
        ("signal SIGABRT", 'malloc_printerr(str="free(): double free detected in tcache 2")',
         C.DOUBLE_FREE),
    ],
)  # fmt: skip
def test_why_the_program_gave_up(tmp_path: Path, reason: str, call: str, category: C) -> None:
    read = read_text(tmp_path, _ENDS.format(reason=reason, call=call))
    assert (read.category, read.function) == (category, "pop")


def test_memory_that_refuses_an_access_is_there(tmp_path: Path) -> None:
    """KERN_PROTECTION_FAILURE (2), as of the guard below a stack; KERN_INVALID_ADDRESS is 1."""
    for code, category in ((1, C.WILD_POINTER.value), (2, None)):
        frame = "0x0000000100003e80 till`count(d=0x0000600000204000) at till.c:9:0"
        read = read_text(
            tmp_path, _run(f"EXC_BAD_ACCESS (code={code}, address=0x16f5ffff8)", frame)
        )
        assert [finding.category for finding in read.findings] == [category]
