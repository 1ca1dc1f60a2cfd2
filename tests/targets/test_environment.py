"""The environment that a process was started with, and nothing else that looks like one."""

from tests.crashes import build, crash
from workbench.targets.identify import open_core
from workbench.targets.reader import DumpReader, environment

_LOOKALIKES = """
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv) {
    char lines[64];
    snprintf(lines, sizeof lines, "%cname=kiosk%cuser=root%c", 0, 0, 0);
    setenv("LATER", lines + 1, 1);
    abort();
}
"""


def test_neither_a_buffer_nor_an_argument_is_the_environment() -> None:
    program = build(_LOOKALIKES, "-g")
    core = crash(program, "if=input", "last=argument")
    given = dict(environment(DumpReader(open_core(core, program))))
    assert given["PATH"]
    assert given.keys().isdisjoint({"name", "user", "if", "last", "LATER"})
