"""Damaged and made-up cores: every probe answers in bounded time and raises nothing."""

import time
from collections.abc import Iterator

import pytest

from analyzers.base import Document
from analyzers.registry import analyze
from tests.soak import SOAK
from tests.targets.probes.ask import crashed
from tests.targets.probes.hostile import DamagedCore, RandomCore
from tests.targets.probes.test_fault import BAD_CALL, SMASHED
from tests.targets.probes.test_heap import IN_THREAD, OVERRUN, STALE
from tests.targets.probes.test_stack import RECURSION
from workbench.targets.core import CoreFile
from workbench.targets.identify import open_core
from workbench.targets.probes import PROBES
from workbench.targets.reader import DumpReader

THROWING = '#include <stdexcept>\nint main() { throw std::runtime_error("x"); }'
PROGRAMS = {
    "stale": (STALE, ("-O0",), "c"),
    "thread": (IN_THREAD, ("-O2", "-pthread"), "c"),
    "overrun": (OVERRUN.replace("FILL", "memset(p, 'x', c * 60)"), ("-O0",), "c"),
    "call": (BAD_CALL, ("-O2", "-static", "-s"), "c"),
    "smashed": (SMASHED, ("-O0", "-fno-stack-protector"), "c"),
    "recursion": (RECURSION, ("-O0",), "c"),
    "thrown": (THROWING, ("-O2", "-static", "-s"), "cpp"),
}
LONGEST = 5.0
ASKED = [
    name for name, (module, _) in PROBES.items() if module.startswith("workbench.targets.probes.")
]


def asked(core: object, *words: str) -> str:
    return DumpReader(core).answer(" ".join(words))  # type: ignore[arg-type]


def answers(core: object) -> None:
    threads = core.threads  # type: ignore[attr-defined]
    thread = threads[0]
    arguments = {
        "@call": [f"pc={thread.pc or 0:#x}", f"sp={thread.sp or 0:#x}", "rbp=0x10", "rbx=x"],
        "@loop": [str(thread.tid)],
        "@heap": [f"{thread.sp or 0:#x}", f"{thread.registers.get('rdi', 0):#x}"],
    }
    for name in ASKED:
        for given in ([], arguments.get(name, ["1"])):
            started = time.process_time()  # the machine may be busy with others
            text = asked(core, name, *given)
            assert time.process_time() - started < LONGEST, name
            assert text.endswith("\n")
            assert all(line.isprintable() for line in text.splitlines()), text
            analyze(Document("E1", name, "dump", text))


@pytest.fixture(params=list(PROGRAMS))
def core(request: pytest.FixtureRequest) -> Iterator[CoreFile]:
    source, flags, lang = PROGRAMS[request.param]
    with open_core(crashed(source, *flags, lang=lang)) as opened:
        yield opened


@pytest.mark.soak
@pytest.mark.parametrize("rate", [0.0001, 0.003, 0.3])
def test_damaged_cores(core: CoreFile, rate: float) -> None:
    for seed in range(4 if SOAK else 1):
        answers(DamagedCore(core, seed, rate))


@pytest.mark.parametrize("first", range(0, 80, 20))
def test_made_up_cores(first: int) -> None:
    for seed in range(first, first + 20):
        answers(RandomCore(seed))


def test_no_threads_and_other_machines() -> None:
    core = RandomCore(1)
    core.threads = ()
    for name in ASKED:
        assert asked(core, name), name
    core = RandomCore(2)
    core.arch, core.bits = "mips", 32  # type: ignore[misc]
    for name in ("@fault", "@locks", "@heap", "@exception", "@call"):
        assert "not decoded on mips" in asked(core, name), name
