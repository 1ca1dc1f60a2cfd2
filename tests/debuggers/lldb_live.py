"""lldb on a live process (see `live`), and command lines made at random of its own words."""

# ruff: noqa: SIM905 - long tables of words read better as text

import random
import re
from collections.abc import Iterator

from tests.debuggers.live import Host
from workbench.debuggers.lldb.commands import ALIASES, SUBCOMMANDS
from workbench.debuggers.lldb.reading import READING

LLDB = Host(
    # Stops are told with the command that led to them.
    begin=(
        "script lldb.debugger.SetAsync(False)",
        "breakpoint set --name f",
        "process launch",
        "thread step-over",
        "thread step-over",
    ),
    state={
        "registers": "register read",
        "stack": "memory read --force --size 8 --format x --count 96 $rsp",
        "data": "target variable victim calls arr",
        "settings": "settings show",
        "breakpoints": "breakpoint list --verbose",
        "watchpoints": "watchpoint list",
        "selection": "frame info",
        "threads": "thread list",
        "modules": "target modules list",
        "hooks": "target stop-hook list",
        "summaries": "type summary list",
        "formats": "type format list",
        "commands": "help",
        "targets": "target list",
        "signals": "process handle",
        "recognizers": "frame recognizer list",
    },
    moving=re.compile(r"^prompt "),
)

_LEAVES = sorted(
    {
        f"{parent} {name}".strip()
        for parent, children in SUBCOMMANDS.items()
        for name in children
        if f"{parent} {name}".strip() not in SUBCOMMANDS
    }
    | set(ALIASES)
)
_READERS = sorted({*READING, *"x v var bt f di l image list re".split()})
_OPTIONS = (
    "-a -s 4 -c 2 -f x --format=x --count 1 -o out --outfile out -n f -n -r -e -v -l 3 -b -p "
    "-t foo -A -O -z x -d run-target -g -R -G 4gx --size 8 -fx -- -1 --pc all 1 -S -P 1 -x"
).split(" ")
_ATOMS = (
    "victim calls arr x.value ptr->value frame_local name[1] n a b 3 0 7 $rax $rip $rsp &victim "
    "*ptr touch f malloc arr[2] 0x10 $0 foo"
).split()
_JOINTS = "= += == ++ -- + - * , . -> [ ] ( ) (int) :: ! ~ ` ; | > /x".split()


def spellings(seed: int, count: int) -> Iterator[str]:
    """That many lines; most mean nothing to lldb."""
    chance = random.Random(seed)
    for _ in range(count):
        name = chance.choice(_READERS if chance.random() < 0.75 else _LEAVES)
        words = name.split()
        if chance.random() < 0.4:
            words = [word[: chance.randint(1, len(word))] for word in words]
        rest = [
            chance.choice(_OPTIONS if chance.random() < 0.5 else _ATOMS)
            for _ in range(chance.randint(0, 3))
        ]
        if rest and chance.random() < 0.4:
            rest[-1] += chance.choice(_JOINTS) + chance.choice(_ATOMS)
        if chance.random() < 0.1:
            rest.insert(chance.randint(0, len(rest)), chance.choice(_JOINTS))
        before = "frame select 1; " if chance.random() < 0.1 else ""
        suffix = chance.choice(("/x", "/2i", "/s")) if chance.random() < 0.05 else ""
        yield before + " ".join([*words[:-1], words[-1] + suffix, *rest])
