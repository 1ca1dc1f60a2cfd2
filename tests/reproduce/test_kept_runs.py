"""What is kept of a run for the next one, and for the next call: whole, or nothing."""

import itertools
import shutil
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import msgspec
import pytest

from tests.crashes import build
from workbench.reproduce import runs
from workbench.reproduce.observing import Observed
from workbench.reproduce.program import program_of
from workbench.reproduce.runner import Runner, Seen
from workbench.reproduce.search import Search
from workbench.reproduce.wire import Cell, Outcome
from workbench.targets.dump import Dump


@pytest.mark.parametrize("length", [0, 20, None])
def test_a_file_that_was_cut_off_is_none(tmp_path: Path, length: int | None) -> None:
    seen, kept = Observed("E1", Outcome()), tmp_path / "runs" / "a.json"
    runs._keep(kept, seen)
    assert [one.name for one in kept.parent.iterdir()] == ["a.json"]
    kept.write_bytes(msgspec.json.encode(seen)[:length])
    assert runs._known(kept) == (seen if length is None else None)


def test_a_folder_that_cannot_be_written_costs_only_the_run(tmp_path: Path) -> None:
    (tmp_path / "runs").write_text("")  # in the folder's place
    kept = tmp_path / "runs" / "a.json"
    runs._keep(kept, Observed("E1", Outcome()))
    assert runs._known(kept) is None


async def test_all_watched_runs_together_are_bounded(tmp_path: Path) -> None:
    """A third run is let have what is left of the time, and then none: the search is cut off."""
    program = program_of(["/bin/true"], tmp_path, None, [], 2, 60.0)
    runner, allowed, outcome = Runner(program, tmp_path), list[float](), Outcome(signal="SIGSEGV")

    async def run(most: float, **_: object) -> Seen:
        allowed.append(most)
        return Seen(outcome, "", 4.0, spent=4.0)

    async def keep(*_: object) -> str:
        return "E1"

    runner.run = run  # type: ignore[method-assign, assignment]
    made = runs.Runs(runner, keep, lambda text: None)
    made._first = outcome
    core = SimpleNamespace(threads=(), crashing=None)
    search = Search(cast(Dump, core), Observed("E0", outcome), made)
    asked = itertools.count()
    while await search._observe("writes", cells=(Cell("C1", next(asked)),)) is not None:
        pass
    assert allowed == [4.0, 4.0, 2.0]
    assert search._is_spent()
    assert search._cut_off


async def test_gdb_keeps_what_it_read_of_a_library(tmp_path: Path) -> None:
    path = build("#include <stdlib.h>\nint main(void) { abort(); }", "-g", "-O0")
    runner = Runner(program_of([str(path)], tmp_path, None, [], 2, 20.0), tmp_path)
    try:
        for _ in range(2):
            assert (await runner.run(aslr=False)).outcome.signal == "SIGABRT"
            inferiors = (await runner._say("info inferiors", 10)).read()
            assert (inferiors.count("libc.so.6"), inferiors.count("process ")) == (1, 0)
    finally:
        await runner.close()


_TWO_WRITERS = """
#include <pthread.h>
static long cells[1024];
static void *left(void *none) { for (int at = 1; at < 300; at++) cells[0] = at; return none; }
static void *right(void *none) { for (int at = 1; at < 300; at++) cells[900] = at; return none; }
int main(void)
{
    pthread_t other;
    pthread_create(&other, 0, left, 0);
    right(0);
    pthread_join(other, 0);
    ((void (*)(long *))8)(cells);
}
"""


async def test_a_write_is_told_with_the_thread_that_made_it(tmp_path: Path) -> None:
    """Both cells have changed at many a stop: the other thread's write is its own stop's."""
    path = build(_TWO_WRITERS, "-g", "-O0", "-pthread")
    runner = Runner(program_of([str(path)], tmp_path, None, [], 2, 20.0), tmp_path)
    try:
        crash = (await runner.run(aslr=False)).outcome
        start = crash.registers["rdi"]
        cells = (Cell("left", start), Cell("right", start + 7200))
        seen = (await runner.run(aslr=False, cells=cells)).outcome
    finally:
        await runner.close()
    by = {(hit.watch, hit.frames[0].function) for hit in seen.events if hit.frames[0].function}
    assert by == {("left", "left"), ("right", "right")}


_SEEDED = """
#include <stdlib.h>
#include <sys/random.h>
int main(void)
{
    long seed[2] = {0}, *freed = malloc(40);
    free(freed);
    if (getrandom(seed, sizeof seed, 0) != sizeof seed) return 1;
    ((void (*)(long, long, long))8)(seed[0], seed[1], freed[1]);
}
"""


@pytest.mark.parametrize("flags", [(), ("-static",)])
async def test_each_run_gets_the_same_random_numbers(
    tmp_path: Path, flags: tuple[str, ...]
) -> None:
    """With ASLR they are those of the system."""
    path = build(_SEEDED, "-g", "-O0", *flags)
    runner = Runner(program_of([str(path)], tmp_path, None, [], 2, 20.0), tmp_path)
    try:
        ends = [(await runner.run(aslr=aslr)).outcome for aslr in (False, False, True)]
    finally:
        await runner.close()
    one, other, free = ([end.registers[name] for name in ("rdi", "rsi", "rdx")] for end in ends)
    assert one == other
    assert not {*one} & {*free, 0}


async def test_a_program_that_finds_no_library_has_ended(tmp_path: Path) -> None:
    """The loader ends it before its first instruction."""
    library = tmp_path / "libgone.so"
    shutil.copy(build("int gone(void) { return 1; }", "-shared", "-fPIC"), library)
    path = build("int gone(void); int main(void) { return gone(); }", str(library))
    library.unlink()
    runner = Runner(program_of([str(path)], tmp_path, None, [], 2, 20.0), tmp_path)
    try:
        ends = [(await runner.run(aslr=aslr)).outcome.ended for aslr in (False, True)]
    finally:
        await runner.close()
    assert ends == ["exited with 127"] * 2
