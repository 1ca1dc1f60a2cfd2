"""Who is needed to say what an output means, by command: declared once, asked before an answer."""

import pytest

from analyzers.base import Document
from analyzers.registry import complexity
from workbench.model.models import Complexity

SIMPLE = {
    "gdb": ["bt", "bt 64", "info registers", "info threads", "thread apply 3 bt 20", "where",
            "info sharedlibrary", "info proc mappings"],
    "lldb": ["bt", "thread backtrace --count 64", "register read", "thread list", "clrthreads",
             "sos SyncBlk", "sos ThreadPool", "pe", "clrstack", "image list"],
    "dotnet-dump": ["clrthreads", "syncblk", "threadpool", "clrstack", "pe", "eeheap -gc"],
    "cdb": ["k", "kn 0n64", "r", "~", "!threads", "!syncblk", "!threadpool", ".ecxr", ".exr -1",
            "!locks", "lm", "!runaway", "!heap -s", "~3s k", "!sos.threads"],
    "dump": ["@notes", "@health", "@fault", "@heap 0x4052a0", "@locks", "@modules", "@stop"],
    "asan": ["asan"], "valgrind": ["valgrind"], "kernel": ["kernel"], "python": ["python"],
}  # fmt: skip
MODERATE = {
    "gdb": ["p x", "x/3i $pc", "info locals", "list", "bt()", ""],
    "lldb": ["frame variable", "p x", "sos DumpHeap -stat", "(opening)"],
    "dotnet-dump": ["dumpheap -stat", "dumpobj 7f00", "gcroot 7f00", "dso", "threads", "no such"],
    "cdb": ["!analyze -v", "!dumpheap -stat", "!do 0123", "!handle", "!address -summary", "dt x"],
    "dump": ["@unheard of"],
    "nobody": ["anything"],
}  # fmt: skip
COMPLEX = {
    "gdb": ["thread apply all bt", "thread apply all -q bt 32", "taas bt"],
    "lldb": ["thread backtrace --count 32 all", "bt all", "clrstack -all", "parallelstacks"],
    "dotnet-dump": ["clrstack -all", "pstacks", "parallelstacks"],
    "cdb": ["~*k", "~*kn 0n32", "~* kb", "~*e !clrstack", "~*e k", "!uniqstack", "!stacks"],
}


def cases(expected: dict[str, list[str]]) -> list[tuple[str, str]]:
    return [(host, command) for host, commands in expected.items() for command in commands]


@pytest.mark.parametrize(
    ("expected", "host", "command"),
    [
        (level, *case)
        for level, table in (
            (Complexity.SIMPLE, SIMPLE),
            (Complexity.MODERATE, MODERATE),
            (Complexity.COMPLEX, COMPLEX),
        )
        for case in cases(table)
    ],
)
def test_a_command_says_how_hard_its_output_is(
    expected: Complexity, host: str, command: str
) -> None:
    assert complexity(Document("", command, host, "")) is expected
