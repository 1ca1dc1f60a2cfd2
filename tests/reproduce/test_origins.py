"""Each planted origin is found: its function, and its line."""

import asyncio
import contextlib
import itertools
import os
import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

import pytest
from msgspec.structs import replace

from tests.crashes import NO_DEBUG_FILES, build, crash
from tests.reproduce import told_sources
from tests.reproduce.finding import Found, find, program
from tests.samples import origins
from tests.samples.origins import ORIGINS, Planted
from tests.soak import SOAK, part
from workbench.claims.chain import breaks
from workbench.claims.render import step_how
from workbench.debuggers.gdb import recipe
from workbench.model.origin import OriginKind
from workbench.reproduce import runs, unset
from workbench.reproduce.program import program_of
from workbench.reproduce.runs import Runs, Wanted
from workbench.reproduce.wire import Cell, Hit
from workbench.reproduce.writes import Writes
from workbench.targets.identify import open_core
from workbench.targets.probes.malloc.heaps import find_heaps

KINDS = {
    "blank_order": OriginKind.NEVER_SET,
    "given_back": OriginKind.RELEASED_EARLY,
    "image_fill": OriginKind.TOO_SMALL,
    "nick_list": OriginKind.WRITTEN,
    "part_room": OriginKind.TRUNCATED,
    "short_token": OriginKind.RELEASED_EARLY,
    "strip_tags": OriginKind.CLEARED,
    "table_size": OriginKind.TRUNCATED,
    "taken_again": OriginKind.RELEASED_EARLY,
}
RINGS = {"two_locks"}
UNCONNECTED = {
    "frame_bytes", "given_back", "image_fill", "lock_order", "outlived", "pack_fields", "part_room",
    "rearmed", "router", "spin_down", "table_size", "taken_again", "two_locks",
}  # fmt: skip
LEFT_OPEN = {"callbacks", "refs"}
"""Which of two jumps was taken, and which of two releases was one too many, no run shows yet."""
HANGS = [planted for planted in ORIGINS if planted.hangs]
ENDS = [planted for planted in ORIGINS if not planted.hangs]


@pytest.mark.soak
@pytest.mark.parametrize("planted", part(ENDS, every=8), ids=lambda planted: planted.source.stem)
async def test_the_line_that_caused_it_is_found(planted: Planted) -> None:
    found = await find(program(planted))
    if planted.source.stem in LEFT_OPEN:
        assert found.origin is None
    else:
        _is_right(planted, found)


async def test_the_line_at_which_it_hangs_is_found() -> None:
    """They are waited for together."""
    assert HANGS
    found = await asyncio.gather(*(find(program(planted)) for planted in HANGS))
    for planted, one in zip(HANGS, found, strict=True):
        _is_right(planted, one)
        waits = "run 1: all its threads wait for each other, it seems" in one.said
        assert waits == (one.origin is not None and one.origin.kind is OriginKind.LOCKED)


def _is_right(planted: Planted, found: Found) -> None:
    assert found.reproduced, found.differed
    assert found.origin is not None, found.texts[-1]
    assert (found.origin.function, found.origin.line) == (planted.function, planted.line)
    assert found.origin.kind is KINDS.get(planted.source.stem, found.origin.kind)
    cited, *ring = found.origin.evidence  # of a deadlock both locks are told
    assert bool(ring) is (planted.source.stem in RINGS)
    assert cited.first or found.origin.kind is OriginKind.LOOPED  # of a hit, but of what never came
    text = found.texts[int(cited.evidence[1:]) - 1].splitlines()
    lines = "\n".join(text[cited.first - 1 : cited.last] if cited.first else text)
    assert f"{planted.source.name}:" in lines
    assert found.runs <= 10
    chain = found.origin.chain
    assert (chain == ()) is (planted.source.stem in UNCONNECTED)
    if chain:
        assert not breaks(chain)
        cites = chain[-1].citations
        assert all(c.evidence == cited.evidence for c in cites)
        assert all(not cited.first or cited.first <= c.first <= cited.last for c in cites)


async def test_the_child_that_fails_is_followed() -> None:
    """The fourth one, by an index that its parent worked out."""
    source = Path(origins.__file__).with_name("jobs.c")
    path = build(source, "-g", "-O0")
    found = await find(program_of([str(path)], path.parent, None, [], 3, 20.0))
    assert found.origin is not None
    line = source.read_text().splitlines()[(found.origin.line or 0) - 1]
    assert (found.origin.function, "origin split" in line) == ("split", True)


SAME = """
#include <stdlib.h>
#include <unistd.h>
struct customer { char name[32]; int *zip; };
static int asked(const struct customer *c) { return c->zip == NULL; }
static void drop(struct customer *c) { c->zip = NULL; }
int main(int count, char **words)
{
    struct customer *c = calloc(1, sizeof *c);
    char *none[] = {NULL};
    if (fork() == 0) {
        setsid();
        if (fork() == 0)
            execle("/bin/sleep", "sleep", words[count - 1], NULL, none);
        _exit(0);
    }
    drop(c);
    return asked(c) ? *c->zip : 0;
}
"""


async def test_what_may_only_read_is_not_told_as_a_write() -> None:
    """Nor is who wrote null over null an origin; and a daemon without a setting does not stay."""
    path = build(SAME, "-g", "-O0")
    words = ["sleep", str(100_000 + os.getpid())]
    found = await find(program_of([str(path), words[1]], path.parent, None, [], 3, 20.0))
    assert found.reproduced
    assert found.origin is None
    assert [*(word.encode() for word in words), b""] not in _running()
    lines = [line for text in found.texts for line in text.splitlines()]
    heads = [head for head, frame in itertools.pairwise(lines) if " in asked " in frame]
    assert heads
    assert all(" access C" in head and head.endswith(": 0x0, unchanged") for head in heads)


def _running() -> list[list[bytes]]:
    """The words of every process; of those that end meanwhile none."""
    found = []
    for one in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            found.append(one.read_bytes().split(b"\0"))
    return found


async def test_of_what_was_before_a_hit_that_did_not_come_nothing_is_told() -> None:
    """A cell of the stack may be written once less than in the run before."""
    path = build(told_sources.ERASED_BY_ITS_CALLBACK, "-g", "-O0", lang="cpp")
    ends = Writes._end

    def lost(self: Any, seen: Any, bound: Any) -> int:
        writes = all(hit.kind != "access" for hit in seen.outcome.events)
        return 0 if bound.cell is not None and writes else ends(self, seen, bound)

    with patch.object(Writes, "_end", lost):
        found = await find(program_of([str(path)], path.parent, None, [], 3, 20.0))
    assert found.reproduced
    assert found.origin is None


SAVES = """
static struct { long head[8]; int *at[128]; } frame __attribute__((aligned(64)));
static void save(void)
{
    __asm__ volatile("mov %%rsp, %%rbx; lea %0, %%rsp; fxsave 0x40(%%rsp); mov %%rbx, %%rsp"
                     : "+m"(frame) : : "rbx", "memory");
}
static void lead(long to) { frame.at[0] = (int *)to; }
int main(void)
{
    for (int i = 0; i < 3; i++) {
        save();
        lead(i + 16);
    }
    return *frame.at[0];
}
"""


async def test_where_registers_were_saved_no_hit_is_counted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As the loader saves them, of which this machine may have no name: which of them are written
    depends on what the processor was doing."""
    shown, observe = list[Hit](), Runs.observe

    async def kept(self: Runs, *asked: Any, **watches: Any) -> Any:
        seen = await observe(self, *asked, **watches)
        shown.extend(seen.outcome.events if seen is not None else ())
        return seen

    monkeypatch.setattr(Runs, "observe", kept)
    path = build(SAVES, "-g", "-O0")
    await find(program_of([str(path)], path.parent, None, [], 3, 20.0))
    told = [(hit.frames[0].function, hit.nth) for hit in shown if hit.kind == "write"][:6]
    assert told == [("save", 0), ("lead", 1), ("save", 1), ("lead", 2), ("save", 2), ("lead", 3)]


COUNTED = """
static int table[10];
__attribute__((noinline)) static int look(const int *from, long key) { return from[key]; }
int main(int count, char **words) { return look(table, (long)count << 34) + (words == 0); }
"""


async def test_what_starts_the_program_is_no_origin() -> None:
    """The index is made of ``argc``, which no line of the program's stores."""
    path = build(COUNTED, "-g", "-O1")
    found = await find(program_of([str(path)], path.parent, None, [], 3, 20.0))
    assert found.reproduced
    assert found.origin is None


REUSED = """
#include <stdlib.h>
#include <string.h>
struct link { char name[32]; void (*call)(void); };
static void none(void) {}
static void drop(struct link *one) { free(one); }
static void fill(char *text) { memset(text, 'A', sizeof(struct link)); }
int main(void)
{
    struct link *one = malloc(sizeof *one);
    one->call = none;
    drop(one);
    fill(malloc(sizeof *one));
    one->call();
}
"""


async def test_a_write_after_the_free_is_a_step() -> None:
    path = build(REUSED, "-g", "-O0")
    found = await find(program_of([str(path)], path.parent, None, [], 3, 20.0))
    assert found.origin is not None
    assert (found.origin.kind, found.origin.function) == (OriginKind.FREED, "drop")
    written = [one for one in found.origin.steps if one.kind is OriginKind.WRITTEN]
    assert [(one.function, one.new) for one in written] == [("fill", f"0x{'41' * 8}")]


BUSY = """
#include <stdlib.h>
#include <string.h>
static char room[1 << 20], *kept;
static int *one;
static void drop(char *text) { free(text); }
int main(int count, char **words)
{
    kept = memset(malloc(1 << 20), words != 0, 1 << 20);
    room[count + 64] = 1;
    drop(kept);
    for (long at = 0; at < 400000; at++)
        free(malloc(at % 100 + count));
    return USED;
}
"""


@pytest.mark.parametrize(
    ("used", "function"), [("kept[count]", "drop"), ("*one", None), ("**(char **)room", None)]
)
async def test_a_program_that_allocates_often_is_not_stopped_for_it(
    used: str, function: str | None
) -> None:
    """Where no part of a heap failed: a block that was a mapping of its own, or data of a
    module's."""
    path = build(BUSY.replace("USED", used), "-g", "-O0")
    found = await find(program_of([str(path)], path.parent, None, [], 3, 20.0))
    assert found.reproduced
    assert (found.origin.function if found.origin else None) == function
    assert not any("too often" in one for one in found.said)


HOT = """
static volatile long left = 3000000;
int main(void) { long sum = 0; while (sum >= 0) sum += 1000 / left--; return 0; }
"""


@pytest.mark.parametrize(("seconds", "limit"), [(0.3, 60.0), (100.0, 1.0)])
async def test_what_is_written_too_often_is_left_open(
    seconds: float, limit: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Three million writes are hours under a watch; one run shows that, whichever bound ends it.
    The run before has all the time that a busy machine takes for it."""
    observe = Runs.observe

    async def soon(runs: Runs, *given: Any, **watches: Any) -> Any:
        runs.runner.program = replace(runs.runner.program, timeout=limit)
        return await observe(runs, *given, **watches)

    monkeypatch.setattr(Runs, "observe", soon)
    monkeypatch.setattr("workbench.reproduce.runs._SECONDS", seconds)
    monkeypatch.setattr("workbench.reproduce.runs._TIMES", 0)
    path = build(HOT, "-g", "-O0")
    found = await find(program_of([str(path)], path.parent, None, [], 3, 60.0))
    assert (found.reproduced, found.origin, found.runs) == (True, None, 2)
    assert found.said[-1] == "it is done too often to be watched"


async def test_a_watch_that_missed_the_read_that_failed_shows_no_unset_local(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A thread that is made while gdb steps another one over a breakpoint may run without it."""
    real = unset.hits_of
    monkeypatch.setattr(unset, "hits_of", lambda seen: [h for h in real(seen) if h.watch == "R"])
    path = build(told_sources.FOUND_BY_NOBODY, "-g", "-O0")
    found = await find(program_of([str(path)], path.parent, None, [], 3, 20.0))
    assert (found.reproduced, found.origin) == (True, None)


TAKEN_AWAY = """
#include <stdlib.h>
#include <string.h>
struct text { char *at; };
static struct text made[2];
static void fill(struct text *one)
{
    one->at = malloc(300000);
    memset(one->at, 'a', 300000);
}
static void drop(struct text *one) { free(one->at); }
int main(void)
{
    fill(&made[0]);
    fill(&made[1]);
    drop(&made[1]);
    return made[0].at[9] + made[1].at[9];
}
"""


async def test_what_was_unmapped_is_seen_without_a_cell_that_is_written_too_often(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    observe = Runs.observe

    async def rarely(runs: Runs, *given: Any, **watches: Any) -> Any:
        return None if watches.get("cells") else await observe(runs, *given, **watches)

    monkeypatch.setattr(Runs, "observe", rarely)
    path = build(TAKEN_AWAY, "-g", "-O0")
    found = await find(program_of([str(path)], path.parent, None, [], 3, 20.0))
    assert found.origin is not None
    assert (found.origin.kind, found.origin.function) == ("freed", "drop")


def test_a_word_of_mallocs_own_is_nobodys() -> None:
    core = crash(
        build("""
#include <stdlib.h>
int main(void) { char *one = malloc(100); *(volatile int *)(one ? 0 : one) = 1; return 0; }""")
    )
    with open_core(core) as opened:
        start = find_heaps(opened)[0].walk.starts[-1]
        asked = SimpleNamespace(core=opened)
        said = [Writes._is_size(asked, start + at) for at in (8, 16)]  # type: ignore[arg-type]
    assert said == [True, False]


def test_one_debug_register_is_not_taken_for_two() -> None:
    """A word is not watched by the register of a part of it."""
    asked = SimpleNamespace(core=None)
    at = 0x555555558850
    cells = [Cell("C1", at + 8, 4), *(Cell(f"C{n}", at + n * 64) for n in (2, 3, 4))]
    with patch("workbench.reproduce.observing.find_heaps", return_value=()):
        words = [
            Writes._first_words(asked, (at + 8,), cells[:some])  # type: ignore[arg-type]
            for some in (3, 4)
        ]
    assert words == [(at + 8,), ()]


OFTEN = """
struct meter { int *rows[4]; int at; };
static int one = 1;
static int next(struct meter *meter) { return meter->at++ % 4; }
int main(void)
{
    struct meter meter = {{&one, &one, &one, &one}, 0};
    long sum = 0;
    for (int turn = 0; turn < 900; turn++) {
        sum += *meter.rows[next(&meter)];
        meter.rows[3] = turn < 850 ? &one : 0;
    }
    return (int)sum;
}
"""


async def test_what_is_met_often_takes_no_run_more() -> None:
    """Some hundred hits of an instruction are looked at as they come, and what it read is watched,
    though it is an element of a frame's array."""
    path = build(OFTEN, "-g", "-O0")
    found = await find(program_of([str(path)], path.parent, None, [], 3, 20.0))
    assert found.origin is not None
    assert (found.origin.line, found.runs) == (11, 4), found.said  # the last: who stored it again


ROUND = """
#include <signal.h>
#include <stdio.h>
#include <unistd.h>
static volatile unsigned long turns;
static volatile int table[64];
static void __attribute__((noinline)) work(void) { for (int i = 0; i < 5000; i++) turns += i; }
static void __attribute__((noinline)) few(void) { for (int i = 0; i < 50; i++) turns = i; }
static inline __attribute__((always_inline)) void hot(void) { for (int i = 0; i < 50; i++)
    turns = i; }
static int __attribute__((noinline)) until(int wanted) {
    int at = 0;
    while (table[at] != wanted) {
        few();
        hot();
        at = (at + 1) % 64;
    }
    return at;
}
int main(void) { %s return 0; }
"""


LOOPS = {
    "for (;;) work();": "main",
    "for (;;) { hot(); turns = 7; }": "main",
    "return until(1);": "until:13",
    "for (unsigned long i = 0; i < 1ul << 40; i++) work();": None,
    'for (;;) { printf("%lu\\n", turns++); fflush(stdout); }': None,
    "pause();": None,
}


async def test_only_a_loop_that_cannot_end_loops() -> None:
    """At which instant the program is stopped, in which of the called functions, is chance."""
    paths = [build(ROUND.replace("%s", body), "-g", "-O1") for body in LOOPS]
    found = await asyncio.gather(
        *(find(program_of([str(path)], path.parent, None, [], 1, 1.0)) for path in paths)
    )
    for (body, wanted), one in zip(LOOPS.items(), found, strict=True):
        assert one.reproduced, (body, one.differed)
        name, _, line = (wanted or "").partition(":")
        if wanted is None or one.origin is None:
            assert (one.origin, wanted) == (None, None), body
            continue
        assert (one.origin.kind, one.origin.function) == (OriginKind.LOOPED, name), body
        assert line in ("", str(one.origin.line)), body


ROW = """
#include <stdlib.h>
#include <string.h>
struct row { unsigned words[4]; char *name; };
static struct row *made(void) {
    struct row *row = calloc(1, sizeof *row);
    row->name = "abc";
    return row;
}
static void spoil(struct row *row) { row->name = (char *)0x4141414141414141; }
static void copy(unsigned *to, const unsigned *from, int count) {
    for (int i = 0; i < count; i++) to[i] = from[i];
}
static void set(unsigned short *to, int count) { for (int i = 0; i < count; i++) to[i] = 0x4141; }
static unsigned text[8];
int main(void) {
    struct row *row = made(), *kept = made();
    %s
    return kept->name[0];
}
"""
ITEM = """
#include <stdlib.h>
#include <string.h>
struct item { int (*use)(struct item *); int count; char text[36]; };
static int look(struct item *one) { return one->text[0]; }
static void drop(struct item *one) { %s free(one); }
static void end(struct item *one) { drop(one); }
int main(void) {
    struct item *one = calloc(1, sizeof *one);
    one->use = look;
    one->count = 1;
    end(one);
    memset(malloc(sizeof *one), 'A', sizeof *one);
    return one->use(one);
}
"""


@pytest.mark.parametrize(
    ("source", "what", "function"),
    [
        (ROW, "set((unsigned short *)kept, 11);", "set"),
        (ROW, "spoil(row); copy((unsigned *)kept, (unsigned *)row, 6);", "spoil"),
        (ROW, 'strcpy((char *)text, "a text that is too long, yes"); '
         "copy((unsigned *)kept, text, 6); (void)row; (void)spoil;", "copy"),
        (ITEM, "one->count--;", "drop"),  # a number of something else
        (ITEM, "if (--one->count == 0)", "end"),  # whose last reference it was
    ],
    ids=["run over", "own copy", "copied text", "number", "references"],
)  # fmt: skip
async def test_who_is_told(source: str, what: str, function: str) -> None:
    path = build(source % what, "-g", "-O0")
    found = await find(program_of([str(path)], path.parent, None, [], 3, 20.0))
    assert found.origin is not None
    assert found.origin.function == function
    assert found.origin.chain


TOLD = {
    "ARENA": ("-O0",),
    "SLOTS": ("-O1", "-fno-inline"),
    "BELOW": ("-O1", "-fno-inline"),
    "LIVES": ("-O0",),
    "AGAIN": ("-O0",),
    "NARROWED": ("-O1", "-fno-inline"),
    "PAIR": ("-O1", "-fno-inline"),
    "OWNER": ("-O0",),
    "COUNTED": ("-O0",),
    "SLAB": ("-Copt-level=2",),
    "CLIP": ("-O2",),
    "TWO_NULL": ("-O0",),
    "PANIC": ("-Copt-level=1",),
    "AGAIN_NULL": ("-O0",),
    "TAKEN": ("-Copt-level=1",),
    "NOT_PLACED": ("-Copt-level=1",),
    "FILTERS": ("-O0",),
    "PICK": ("-O1",),
    "SIGNALLED": ("-O0", "-pthread"),
    "JUMPED": ("-O1", "-fno-inline"),
    "SHARED": ("-O1", "-fno-inline"),
    "PAIRS": ("-O1", "-fno-inline"),
    "NO_NAME": ("-Copt-level=2",),
    "MOVED_OUT": ("-O1",),
    "VIEW": ("-O0", "-std=c++17"),
    "NO_MODE": ("-O0",),
    "SHRUNK": ("-O0",),
    "SHRUNK_AND_SPENT": ("-O0",),
    "PART": ("-O0",),
    "KEPT_TOO": ("-O2",),
    "SORTED": ("-O0",),
    "LIVES_OF_TEXT": ("-O0",),
    "BLANKS": ("-O0",),
    "GONE_BACK": ("-O1", "-fno-inline"),
    "HOISTED": ("-O2",),
    "HOT": (),
    "COUNTED_LIST": ("-O1", "-fno-inline"),
    "POINTERS_SIZE": ("-O0",),
    "NOT_FOUND": ("-O2",),
    "THIRD_FREE": ("-O2",),
    "WINDOW": ("-O1", "-fno-inline"),
    "FAILED_FREE": ("-O0",),
    "ZEROED": ("-O0",),
    "ZEROED_BY_HAND": ("-O0",),
    "HANDED_ON": ("-O0",),
    "MOVED_AT_ONCE": ("-O0",),
    "RAN_OUT": ("-O0",),
    "RAN_OUT_FAST": ("-O2",),
    "EXPIRED": ("-O0",),
    "TAGGED": ("-O0",),
    "TAGGED_SMALL": ("-O0",),
    "ASTRAY": ("-O0",),
    "SIGNED": ("-O1",),
    "LAST_NODE": ("-O0",),
    "ONE_PAST": ("-O2", "-fno-builtin"),
    "UNFILLED": ("-Copt-level=1",),
    "TURNED": ("-O1",),
    "HUNG_UP": ("-O0",),
    "RING": ("-O1",),
    "REBORN": ("-O0",),
    "LEFT_OFF": ("-O2",),
    "STRIDE": ("-Copt-level=2",),
    "NEXT_GONE": ("-O0",),
    "PUT_EARLY": ("-O1", "-fno-inline"),
    "NEVER_BOUND": ("-O1", "-fno-inline"),
    "OPENED_AGAIN": ("-O0",),
    "UNLOADED": ("-O0",),
    "LOOKED_BACK": ("-Copt-level=1",),
    "LONG_RUN": ("-O3", "-fno-inline"),
    "NO_NUMBER": ("-O1",),
    "KEPT_VIEW": ("-O1",),
    "REFILLED": ("-O0",),
    "OPTIONS": ("-O1", "-fno-inline"),
    "OCTAL": ("-O2",),
    "OCTAL_IN_MEMORY": ("-O0",),
    "CAST": ("-O0",),
    "LATER": ("-O0",),
    "PLAIN": ("-O0",),
    "FILLED_BY_COUNT": ("-O1", "-fno-inline"),
    "STORED_AT": ("-O0",),
    "GIVEN_CELL": ("-O0",),
    "HOOKED": ("-O0",),
    "COUNTED_APART": ("-O0",),
    "TAGGED_ANEW": ("-O0",),
    "OWN_PLACE": ("-O0",),
    "COUNTED_ON": ("-O0",),
    "BY_HASH": ("-O0",),
    "SHIFTED": ("-O0",),
    "COLUMN": ("-O0",),
    "MARKED": ("-O1", "-fno-inline"),
    "ROW_OF_ANOTHER": ("-O0",),
    "CLONED": ("-O0",),
    "BORROWED": ("-O0",),
    "HANDED_OVER": ("-O0",),
    "UNDONE": ("-O0",),
    "STEPPED_ON": ("-O0",),
    "IN_FRONT": ("-O0",),
    "READY": ("-O0",),
    "FILLED_ROWS": ("-O0",),
    "LAST_OF_NONE": ("-O0",),
    "OTHER_TYPE": ("-O0",),
    "GIVEN_STACK": ("-O0",),
    "WRAPPED_ROWS": ("-O2",),
    "ZEROED_REGISTER": ("-O2",),
    "NO_LENGTH": ("-O0",),
    "ONE_OF_TWO": ("-O0",),
    "TWO_OWNERS": ("-O2",),
    "INSIDE": ("-O2",),
    "SCOPES": ("-O2",),
    "BITS": ("-O0",),
    "PINNED": ("-O0",),
    "LENGTH_OF_A_CALLER": ("-O0",),
    "STALE_TAIL": ("-O0",),
    "JOINED": ("-O2",),
    "GIVEN_TWICE": ("-O0",),
    "CLAMPED_PART": ("-O0",),
    "NO_END": ("-O0",),
    "SHORT_ID": ("-O1", "-fno-inline"),
    "CLAMPED": ("-O1", "-fno-inline"),
    "OTHERS_NUMBER": ("-O0",),
    "SHORT_READ": ("-O0",),
    "NEXT_STATE": ("-O2",),
    "HOISTED_NULL": ("-O2",),
    "AS_FAR_AS_TOLD": ("-O0",),
    "CLEARED_AS_TOLD": ("-O2",),
    "SWAPPED_PARTS": ("-O0",),
    "SPENT_TWICE": ("-O0",),
    "OWNED_BY_THE_DEAD": ("-O0",),
    "STORED_NULL_AGAIN": ("-O0",),
    "GIVEN_NULL_TO_CHOOSE": ("-O0",),
    "ONE_PIN_TOO_FEW": ("-O0",),
    "KEPT_OVER_ANOTHER": ("-O2",),
    "CLEARED_TWICE": ("-O0",),
    "ROOM_OF_BYTES": ("-O1", "-fno-inline"),
    "RESERVED": ("-O0",),
    "DATA_OVER_CODE": ("-O0",),
    "PRINTED_AFTER_FREE": ("-O0",),
    "LENGTH_TOO_NARROW": ("-O2",),
    "KIND_TOO_NARROW": ("-O0",),
    "MERGED_RESET": ("-O2",),
    "SHORT_OF_ROOM": ("-O0",),
    "UNLINKED": ("-O0",),
    "OF_ANOTHER_CALL": ("-O0",),
    "OF_A_KIND": ("-O2",),
    "MAY_BE_NULL": ("-O0",),
    "CONSUMED": ("-O0",),
    "HANDED_BACK": ("-O0",),
    "GREW_UNDER_A_POINTER": ("-O2", "-fno-inline"),
    "LEFT_BY_ANOTHER": ("-O1", "-fno-inline"),
    "RESET_THEN_SOUGHT": ("-O1", "-fno-inline"),
    "SOUGHT_ONCE": ("-O0",),
    "EVICTED": ("-O0",),
    "READ_OVER": ("-O0",),
    "CHANGED_KIND": ("-O2",),
    "ROOM_OF_A_POINTER": ("-O0",),
    "DROPPED_ELEMENT": ("-O0",),
    "WROTE_BEHIND_FREED": ("-Copt-level=0",),
    "APPENDED": ("-O2",),
    "LEFT_FOR_A_LIBRARY": ("-O2",),
    "GAVE_NARROW": ("-O0",),
    "LARGER_KIND": ("-O0",),
    "FEWER_ELEMENTS": ("-Copt-level=0", "-Cpanic=abort"),
    "ROOM_OF_ANOTHER": ("-O0", "-fno-stack-protector"),
    "READ_PAST": ("-O0",),
    "OVER_ITS_OWN": ("-O1", "-fno-stack-protector"),
    "OVER_ITS_CALLER": ("-O0", "-fno-stack-protector"),
    "COUNTED_DOWN": ("-O0", "-fstack-protector-all"),
    "ROOM_HANDED_ON": ("-O0",),
    "ROUNDS_OF_ITS_OWN": ("-O0",),
    "BEHIND_ITS_ROOM": ("-O1", "-fno-inline"),
    "LISTED_EARLY": ("-O2", "-fno-inline-functions-called-once"),
    "LISTED_TWICE": ("-O0",),
    "STACKED_EARLY": ("-O1", "-fno-inline"),
    "MARKED_EARLY": ("-O0",),
    "FILLED_FROM_BEFORE": ("-O0",),
    "OF_MAIN": ("-O1", "-fno-inline"),
    "NULL_OVER_NULL": ("-O0",),
    "COPIED_AND_LEFT": ("-O2",),
    "AT_NO_LEVEL": ("-O0",),
    "KEPT_BY_A_CHILD": ("-O2",),
    "BEHIND_ITS_TEXT": ("-O1",),
    "ENDED_WITH_NULL": ("-O0",),
    "SAID_SO": ("-O1", "-fno-inline"),
    "SOUGHT_ANOTHER": ("-O0",),
    "ASKED_THE_TIME_BEFORE": ("-O0",),
    "CHOSE_A_TEXT": ("-O0",),
    "CHOSE_ITS_TEXT": ("-O2", "-fno-inline"),
    "SOUGHT_IN_PLACE": ("-O0",),
    "READ_BEFORE_MADE": ("-O0",),
    "LEFT_IN_AN_ARENA": ("-O0",),
    "MADE_OF_OLD_ROOM": ("-O0",),
    "WRITTEN_INTO_A_SIZE": ("-O0",),
    "ROOM_FROM_BEFORE": ("-O1", "-fno-inline"),
    "LINK_UNDER_A_TEXT": ("-O0",),
    "BASE_RELEASED": ("-O0",),
    "NULL_IN_A_CALL": ("-O1", "-fno-inline"),
    "CHECKED_OF_TWO": ("-O1", "-fno-inline"),
    "LEFT_IN_A_BLOCK": ("-O0",),
    "LEFT_ON_THE_STACK": ("-O0",),
    "TAKEN_FROM_NONE": ("-O0",),
    "READ_PAST_THE_LAST": ("-O0",),
    "SET_BY_A_THREAD": ("-O1", "-fno-inline"),
    "FREED_BY_WHAT_WAS_LEFT": ("-O0",),
    "FREED_BY_A_ROUND_BEFORE": ("-O0",),
    "FREED_IN_ITS_ROUND": ("-O0",),
    "LENT_AND_LEFT_UNSET": ("-O0",),
    "FOUND_BY_NOBODY": ("-O0",),
    "ZERO_OVER_ZERO": ("-O1",),
    "NOT_BY_THE_OLD_NAME": ("-O0",),
    "FILLED_BY_THE_SYSTEM": ("-O0",),
    "LENT_AS_IT_IS": ("-O2",),
    "GIVEN_BACK_INLINE": ("-O1",),
    "TEXT_OVER_AN_ACTION": ("-O0", "-fno-builtin"),
    "COPIED_BY_AN_OLD_COUNT": ("-O0",),
    "OVER_A_SAVED_REGISTER": ("-O1", "-fno-inline", "-fno-stack-protector"),
    "OVER_THE_NEXT_HEADER": ("-O0",),
    "RELEASED_ASTRAY": ("-O0",),
    "MOVED_AWAY": ("-O0",),
    "SHARED_AND_RELEASED": ("-O0",),
    "MOVED_OVER": ("-O0",),
    "ASKED_FOR_A_FILE": ("-O1",),
    "COUNTED_ON_FROM_NULL": ("-O1", "-fno-inline"),
    "SWITCHED_TO": ("-O1",),
    "TAKEN_LATER": ("-O0",),
    "DOES_NOT_FIT": ("-O1", "-fno-inline"),
    "FREED_BY_ONE_HELPER": ("-O0",),
    "MOVED_UNDER": ("-O2",),
    "NULL_FOR_NULL": ("-O2", "-fno-inline"),
    "MEMBER_LENT": ("-O1", "-fno-inline"),
    "NOT_IN_THE_LIST": ("-O1", "-fno-inline"),
    "LETTERS_OVER_A_BASE": ("-O0",),
    "PUT_AS_IT_CAME": ("-O0",),
    "OVER_THE_BIT_ASKED": ("-O0",),
    "ROW_LEFT_OUT": ("-O1", "-fno-inline"),
    "ROW_NEVER_ASKED_FOR": ("-O0",),
    "ROW_SET_LATER": ("-O1", "-fno-inline"),
    "SIZE_BELOW_ZERO": ("-O0",),
    "READ_OUT_OF_BYTES": ("-O1",),
    "LOOKED_INTO_NONE": ("-O1",),
    "OUTERMOST": ("-O0",),
    "NULL_AND_NOUGHT": ("-O0",),
    "LAST_OF_A_STALE_BLOCK": ("-Copt-level=0", "-Cpanic=abort"),
    "INDEXED_A_STALE_VECTOR": ("-Copt-level=0",),
    "BEGAN_AS_NULL": ("-O1",),
    "MOVED_IN_ITS_LOOP": ("-O1",),
    "FEWER_ROWS": ("-O0",),
    "LESS_THAN_ITS_SIZE": ("-O0",),
    "MARKED_BY_CHOICE": ("-O1", "-fno-inline"),
    "SET_OVER_HOLDERS": ("-O0",),
    "LEFT_OUT_OF_A_COPY": ("-O1",),
    "STALE_IN_A_REGISTER": ("-O1",),
    "EMPTIED_WHERE_IT_WAS_MADE": ("-O1",),
    "BELOW_ZERO_BEFORE": ("-O1",),
    "TEXT_OVER_THE_NEXT_MEMBER": ("-O1",),
    "NARROW_BESIDE": ("-O0",),
    "READ_BY_THE_LIBRARY": ("-O0",),
    "CLEARED_BY_ITS_DESTRUCTOR": ("-O0",),
    "SCALED_BEYOND": ("-O1",),
    "SET_ON_ANOTHER_WAY": ("-O1",),
    "LAST_ELEMENT": ("-O0",),
    "LEFT_OUT_OF_A_REQUEST": ("-O0",),
    "MEMBER_OF_NONE": ("-O2", "-fno-inline"),
    "DELETED_BY_ITS_TABLE": ("-O1",),
    "PRINTED_FROM_FREED": ("-O1",),
    "CLEARED_BY_ITS_ARENA": ("-O1",),
    "UNWRAPPED_NUMBER": ("-Copt-level=0", "-Cpanic=abort"),
    "NEVER_WRAPPED": ("-Copt-level=0", "-Cpanic=abort"),
    "UNWRAPPED": ("-Copt-level=0", "-Cpanic=abort"),
    "FREED_BY_ITS_OWN": ("-O1", "-fno-inline"),
    "RETURNED_UNSET": ("-O0",),
    "COUNTED_AGAIN": ("-O0",),
    "REST_BELOW_ZERO": ("-O0",),
    "SIZE_BY_A_HASH": ("-O0",),
    "MOVED_AND_RUN_OUT": ("-O2",),
    "APPENDED_A_GONE_TEXT": ("-O0",),
    "ROW_OF_A_WRONG_CODE": ("-O1", "-fno-inline"),
    "SLOT_WITHOUT_A_NAME": ("-O0",),
    "TAKEN_WITHOUT_A_TEXT": ("-O0",),
    "POPPED_ONCE_MORE": ("-O2",),
    "ACCESSOR_OF_NULL": ("-O0",),
    "CHOSE_NULL_FOR_NULL": ("-O0",),
    "ONE_BYTE_THE_SAME": ("-O0",),
    "TOOK_ONE_TOO_MANY": ("-O0",),
    "ROOM_THAT_ITS_OBJECT_SAYS": ("-O0",),
    "SINK_THAT_MAY_BE_NULL": ("-O0",),
    "HASH_WITHOUT_A_MASK": ("-O1",),
    "SHIFTED_AS_BEFORE": ("-O0",),
    "NULL_THAT_OTHERS_ASK_FOR": ("-O0",),
    "NOUGHT_THAT_OTHERS_ASK_FOR": ("-O0",),
    "WALKED_PAST_THE_END": ("-O0",),
    "BOX_TAKEN_FOR_A_CIRCLE": ("-O0",),
    "LEFT_BY_A_JUMP": ("-O0",),
    "BEGUN_AS_NULL_IN_MAIN": ("-O0",),
    "AS_MANY_AS_A_GLOBAL_SAYS": ("-O0",),
    "GUARDED_BY_ITS_CALLER": ("-O0",),
    "SIZE_THAT_ITS_OBJECT_SAYS": ("-O0",),
    "NOT_FOUND_BY_THE_LIBRARY": ("-O0",),
    "COPIED_OVER_WHAT_WAS_LEFT": ("-O0",),
    "SHORTENED_BELOW_ZERO": ("-O0",),
    "OWNED_BY_WHO_WAS_GIVEN_IT": (),
    "OWNED_BY_ITSELF_TWICE": (),
    "RELEASED_BY_A_HOOK": ("-O0",),
    "RAISED": ("-O0",),
    "ANOTHERS_COUNT": ("-O0",),
    "EMPTIED_SLOT": ("-Copt-level=1",),
    "BORROWED_TWICE": ("-Copt-level=0",),
    "ENDED_TWICE": ("-O0",),
    "TEXTS_COPIED_AS_BYTES": ("-O0",),
    "RING_OF_A_FREED_NODE": ("-O2",),
    "MADE_AS_A_RING": ("-O0",),
    "COPIED_BEFORE_IT_MOVED": ("-O0",),
    "MOVED_BEFORE_IT_WAS_GIVEN": ("-O0",),
    "CLOSED_BEFORE_IT_WAS_OPENED": ("-O1",),
    "GREW_BY_TOO_LITTLE": ("-O2",),
    "ASKED_WHETHER_OPEN": ("-O0",),
    "EMPTY_OPTIONAL": ("-O0",),
    "SWEPT_UNMARKED": ("-O2",),
    "OF_AN_OLD_EPOCH": ("-O0",),
    "NEVER_SHOWN": ("-O0",),
    "NEVER_SHOWN_AT_O2": ("-O2",),
    "COUNTED_NOTHING": ("-O0",),
    "COUNTED_NOTHING_SINCE": ("-O0",),
    "LOCKED_FOR_ITS_CALLER": ("-O0", "-pthread"),
    "END_OF_WORDS": ("-O0",),
    "CUT_BEHIND_ITS_END": ("-O0",),
    "LEFT_BY_A_VARIABLE": ("-O0",),
    "ENDED_BY_TWO": ("-O0",),
    "CAST_OF_GONE": ("-O0",),
    "TAKEN_OUT_BEFORE": ("-Copt-level=0",),
    "COUNTED_BEFORE_FILLED": ("-Copt-level=0",),
    "DROPPED_BEFORE_ITS_PLACE_MOVED": ("-Copt-level=0",),
    "DOUBLED_ELEMENTS": ("-Copt-level=0",),
    "GREW_WHERE_IT_HAD_GROWN": ("-O0",),
    "TAKEN_WHERE_IT_HAD_BEEN": ("-O0",),
    "FEWER_THAN_ITS_FORM_SAYS": ("-O0",),
    "PRINTED_AS_A_FORM": ("-O0", "-Wno-format-security"),
    "GIVEN_BACK_WHEN_GONE": ("-O0",),
    "FOUND_IN_A_CACHE": ("-O0",),
    "DESTROYED_WITH_ITS_LAST_HOLDER": ("-O0",),
    "PUT_IN_TWICE": ("-O0",),
    "NOT_FOUND_FOR_ITS_CALLER": ("-O0",),
    "RELEASED_AS_A_LEAF": ("-O0",),
    "RELEASED_AS_A_LEAF_AT_O2": ("-O2",),
    "LOOKED_FOR_A_COLON": ("-O0",),
    "GIVEN_NULL_AS_ALLOWED": ("-O2",),
    "KNOWN_TO_THE_COMPILER": ("-O2",),
    "CAST_FOR_ITS_CALLER": ("-O2",),
    "KEPT_WHILE_IT_GREW": ("-O0",),
    "INDEX_KEPT_BY_NAME": ("-Copt-level=0",),
    "DROPPED_IN_ITS_WALK": ("-O0",),
    "PARENT_GONE": ("-O0",),
    "PUT_BACK_TWICE": ("-O0",),
    "KEPT_PART_OF_A_LOCAL": ("-O0",),
    "COUNT_AND_LIST": ("-O0",),
    "SHARED_BY_TWO_MEMBERS": ("-O0",),
    "TAKEN_FROM_A_MAP": ("-Copt-level=0",),
    "COUNTED_ON_BEHIND": ("-O0",),
    "ENDED_UNBEGUN": ("-O0",),
    "LIST_NEVER_BEGUN": ("-O0",),
    "LIST_NEVER_BEGUN_INLINED": ("-O1",),
    "DELETED_IN_ITS_CALLBACK": ("-O0",),
    "SWEPT_AS_UNLOADED": ("-O2",),
    "EVICTED_FROM_THE_END": ("-O1",),
    "LEFT_TO_A_THREAD": ("-O0",),
    "SHARED_BY_A_COPY": ("-O0",),
    "SHARED_IN_A_VECTOR": ("-O2",),
    "TAKEN_BY_COPIES": ("-O0",),
    "RING_OF_CALLS": ("-O2",),
    "RING_AS_TOLD": ("-O0",),
    "RING_OF_A_STALE_NODE": ("-O2",),
    "POINTERS_FOR_VALUES": ("-O0",),
    "SLOTS_OF_A_POINTERS_SIZE": ("-O0",),
    "ROOM_WITHOUT_THE_FRONT": ("-O0",),
    "MADE_BY_A_LOOKUP": ("-O0",),
    "FOUND_AS_NULL": ("-O0",),
    "NULL_AS_DECLARED": ("-O1",),
    "NONE_AS_DECLARED": ("-O0",),
    "ANSWER_NOT_LOOKED_AT": ("-O0",),
    "ANSWER_THE_SAME": ("-O0",),
    "CUT_FROM_A_DOUBLE": ("-O1",),
    "LED_ASTRAY_BY_ITS_CALLER": ("-O0",),
    "LED_ASTRAY_OR_NOT": ("-O0",),
    "LED_ASTRAY_BY_A_CHOICE": ("-O1",),
    "BITS_THAT_ALL_PASS": ("-O0",),
    "RANGE_BEYOND_ITS_TEXT": ("-Copt-level=0",),
    "STEPPED_BY_WHAT_WAS_GIVEN": ("-Copt-level=0",),
    "TAKEN_OUT_BY_ITS_ID": ("-O0",),
    "FILLED_IN_PART": ("-O0",),
    "SET_FOR_ONE_KIND": ("-O0",),
    "SET_FOR_ONE_KIND_ON_THE_HEAP": ("-O0",),
    "SHARED_BY_ASSIGNMENT": ("-O0",),
    "SHARED_IN_REGISTERS": ("-O2",),
    "RELEASED_BY_AN_OLD_COUNT": ("-O0",),
    "LED_TO_A_RELEASED_BLOCK": ("-O0",),
    "EVERY_THIRD": ("-O0",),
    "GIVEN_TO_TWO": ("-O0",),
    "LEFT_ON_ITS_CHAIN": ("-O2",),
    "BEGUN_AT_NO_NUMBER_OF_ITS_OWN": ("-O2",),
    "COPIED_IN_REGISTERS": ("-O2",),
    "OFFSET_OF_A_FILE": ("-O0",),
    "NUMBER_OF_A_FILE": ("-O1", "-fno-inline"),
    "OFFSET_LOOKED_AT": ("-O0",),
    "ROWS_CUT_SHORT": ("-O0",),
    "TAKEN_OFF_AND_READ": ("-O0",),
    "DELETED_AS_A_WIDGET": ("-O2",),
    "OTHERS_THAN_ITS_ITEMS": ("-O0",),
    "TAKEN_FOR_AN_INDEX": ("-O0",),
    "COUNTED_TO_ITS_END": ("-O2",),
    "ROUNDED_DOWN": ("-O0",),
    "ASSIGNED_BY_ITS_CLASS": ("-O2",),
    "FOLDED_BELOW_ZERO": ("-O2",),
    "COUNTED_IN_A_VECTOR": ("-O2",),
    "MADE_IN_EACH_ROUND": ("-O0",),
    "MADE_IN_EACH_ROUND_BY_ITSELF": ("-O0",),
    "MADE_IN_EACH_ROUND_INLINE": ("-O2",),
    "NULL_FOR_A_LIBRARY": ("-O1",),
    "NULL_HANDED_ON": ("-O0",),
    "NULL_HANDED_TO_WHO_ASKS": ("-O0",),
    "ASKED_TOO_LATE": ("-O0",),
    "ASSERTED_TOO_LATE": ("-O0",),
    "CALLS_WITHOUT_END": ("-O0",),
    "CALLS_WITH_THE_SAME": ("-O0",),
    "CALLS_THAT_MAY_END": ("-O0",),
    "CALLS_BELOW_THEIR_END": ("-O0",),
    "CALLS_PAST_THEIR_EXIT": ("-O0",),
    "CALLS_PAST_THEIR_COLD_END": ("-O2",),
    "PUT_BY_A_BORROWER": ("-O0",),
    "PUT_INLINE_BY_A_BORROWER": ("-O2",),
    "COUNTED_BY_A_LIBRARY": ("-O0",),
    "GIVEN_BACK_FROM_A_PLACE": ("-O0",),
    "BACK_AND_FORTH": ("-O0",),
    "BEGUN_IN_A_REGISTER": ("-O1",),
    "BEGUN_IN_FRONT": ("-O2",),
    "CALLED_BACK_WITH_NULL": ("-O0",),
    "ENDED_BY_TWO_INLINE": ("-O2",),
    "RELEASED_INLINE_BY_ITS_OWNERS": ("-O1",),
    "HANDED_BACK_INLINE": ("-O1",),
    "GIVEN_TO_TWO_INLINE": ("-O1",),
    "SHARED_AND_MOVED_UP": ("-O1",),
    "ENDED_AS_REMOVED_INLINE": ("-O2",),
    "CALLED_BEHIND_ITS_END": ("-O0",),
    "RESET_BY_ITS_OWNER": ("-O0",),
    "RESET_IN_THE_SAME_CALL": ("-O0",),
    "COUNT_MET_BY_A_POINTER": ("-O0",),
    "NULL_OF_A_LOOKUP": ("-O0",),
    "COPIED_BEFORE_A_PANIC": (),
    "HANDED_TO_WHO_ASKS_FOR_NULL": ("-O0",),
    "CANARY_IN_PART": ("-O0", "-fstack-protector-all"),
    "ADDS_TO_A_LENT_ARRAY": ("-O0", "-fstack-protector-all"),
    "COUNT_BEHIND_ITS_ARRAY": ("-O0",),
    "NARROWED_BEHIND_A_CALL": ("-O0",),
    "GIVEN_TO_WHAT_THREW": ("-O0",),
    "GIVEN_A_BAD_LENGTH": ("-O0",),
    "LOCKED_AS_THEY_CAME": ("-O0", "-pthread"),
    "ENDED_BEHIND_ITS_TEXT": ("-O0",),
    "ESCAPED_INTO_ITS_LENGTH": ("-O0",),
    "WIDENED_INTO_ITS_LENGTH": ("-O0",),
    "ROOM_FOR_HALF_OF_THEM": ("-O0",),
    "MEASURED_WITHOUT_HEADS": ("-O0",),
    "ENCODED_BY_ANOTHER": ("-O0",),
    "COPIED_PAST_ITS_LINE": ("-O0",),
    "ADDED_BY_TWO_LOOPS": ("-O0",),
    "FILLED_DOWNWARDS": ("-O0",),
    "REPEATED_ONCE_MORE": ("-O0",),
    "FOLDED_INTO_ITS_CALLER": ("-O2",),
    "CHECKED_IN_A_COLD_PART": ("-O2",),
    "CHECKED_BY_TWO_IN_A_COLD_PART": ("-O2",),
    "CALLED_BY_A_JUMP": ("-O2",),
    "DELETED_INLINE": ("-O2",),
    "USED_AFTER_ITS_TAKE": (),
    "ENDED_AT_A_PRODUCT": ("-O0",),
    "SWAPPED_IN_PAIRS": ("-O0",),
    "MOVED_UP_BEHIND_ITS_PLACE": ("-O0",),
    "DIVIDED_EXACTLY": ("-O0",),
    "READ_OUT_BEFORE_A_PANIC": (),
    "COUNTED_AGAIN_BEHIND_A_PANIC": (),
    "PLACE_BEHIND_ITS_POOL": ("-O0",),
    "ASSERTED_OF_WHAT_MAY_BE_NULL": ("-O0",),
    "DESTROYED_TWICE_IN_ITS_SLOT": (),
    "DIALED_INTO_THE_SPARE": ("-O0",),
    "LOCKED_AGAINST_THE_ORDER": ("-Copt-level=1",),
    "PRICED_BEFORE_IT_COUNTED": (),
    "TRIED_FOR_THE_OTHER": ("-O0",),
    "CALLED_OF_A_BLOCK_GIVEN_AGAIN": ("-O0",),
    "A_TEXT_OF_A_LOCALS": ("-O0",),
    "AS_MANY_AS_ANOTHER_SAID": ("-O0",),
    "ONE_ROUND_TOO_MANY_OF_A_MEMBER": ("-O1",),
    "HAD_LESS_THAN_ITS_HEADER_SAID": ("-Copt-level=0",),
    "CLOSED_BY_ITS_HANDLER": ("-O1",),
    "PIXELS_OF_A_NARROW_PRODUCT": ("-O2",),
    "HANDED_ON_WITH_A_REPLY": ("-O0",),
    "AS_NARROW_AS_IT_WAS_GIVEN": ("-Copt-level=0",),
    "TAKEN_FOR_POINTERS": ("-O0",),
    "LEFT_BY_ITS_HANDLER": ("-O2",),
    "DAMAGED_WHEN_IT_WAS_GIVEN_AGAIN": ("-O0",),
    "COUNTED_BEHIND_ITS_ARRAY": ("-O2",),
    "DELETED_ITSELF": (
        "-O2",
        "-std=c++20",
    ),
    "CLOSED_BY_ITS_TABLE": ("-O2",),
    "CUT_BELOW_ITS_RANGES": ("-Copt-level=0",),
    "REPLACED_BELOW_ITS_PLACES": ("-Copt-level=0",),
    "DELETED_BY_ITS_LIST": ("-O2",),
    "MOVED_WITH_WHAT_ITS_HEADERS_NAME": ("-O2",),
    "BORROWED_IN_WHAT_WAS_INLINED": ("-Copt-level=2",),
    "GIVEN_BACK_BESIDE_ANOTHER": ("-O0",),
    "HANDED_ON_BESIDE_ANOTHER": ("-O0",),
    "NO_SUCH_UNIT": ("-O0",),
    "GUARDED_AS_THEY_CAME": ("-O1", "-pthread"),
    "KEPT_BY_ITS_READER": ("-O0",),
    "HANDED_ON_INLINE": ("-O1",),
    "ENDED_FOR_BOTH": ("-O0",),
    "MEMBER_OF_NO_TYPE": ("-O2",),
    "COUNTED_BY_ANOTHER": ("-O0",),
    "CLEARED_THROUGH_ANOTHER": ("-O1",),
    "MADE_BY_A_JUMP": ("-O2",),
    "STOPPED_BY_ITS_SECOND_BASE": ("-O2",),
    "CLOSED_BY_ITS_SECOND_WORD": ("-O2",),
    "UNPACKED_INTO_ITS_HALVES": ("-O0",),
    "DAMAGED_TO_A_LARGE_ONE": ("-O0",),
    "FIRST_OF_AN_EMPTY_ROW": ("-Copt-level=0",),
    "CLOSED_WITH_ONE_PENDING": ("-O0",),
    "COUNTED_UP_TO_ITS_LIMIT": ("-O2",),
    "READY_WITHOUT_A_FRAME": ("-O2",),
    "ENDED_AT_A_HEADERS_LINE": ("-O2",),
    "OWNED_BY_A_POINTER": ("-O2",),
    "TRIMMED_IN_WHAT_WAS_INLINED": ("-O1",),
    "MOVED_IN_WHAT_WAS_INLINED": ("-O1",),
    "DROPPED_AND_LEFT_BY_A_JUMP": ("-Copt-level=1",),
    "LEFT_AND_READ_THROUGH_ITSELF": ("-O2",),
    "MADE_AS_A_RING_OR_NOT": ("-O1",),
    "ENDS_ITS_THREAD": ("-O2", "-pthread"),
    "STRIDE_OF_SIXTEEN_BITS": ("-O0",),
    "STRIDE_IN_A_REGISTER": ("-O2",),
    "HEADER_OVER_ITS_ROUTE": ("-O0",),
    "FIRST_OF_AN_EMPTY_WORD": ("-Copt-level=2",),
    "MOVED_INTO_A_BRACED_LIST": ("-O0", "-std=c++17"),
    "MOVED_INTO_ONE_THAT_WAS_INLINED": ("-O2", "-std=c++17"),
    "KEPT_ITS_ELEMENT": ("-O0",),
    "UNLINKED_WITH_ONE_CHILD": ("-O0",),
    "SELECTED_BEFORE_THE_FILTER": ("-O0",),
    "SELECTED_BEFORE_THE_FILTER_IN_LINE": ("-O2",),
    "EVICTED_IN_LINE": ("-O2",),
    "STALE_LINK": ("-O2",),
    "RUN_INTO_A_LINK": ("-O0",),
    "RESIZED_THROUGH_A_HOOK": ("-O1",),
    "LEFT_THROUGH_A_HOOK": ("-O2",),
    "COPIED_FROM_BEHIND": ("-O2",),
    "MERGED_BEHIND_ITS_ITERATOR": ("-O2",),
    "WENT_TO_THREE_WORDS": ("-O0",),
    "SUMMED_FOR_THREE_WORDS": ("-O2",),
    "TAGGED_INTO_ITS_LABEL": ("-O0",),
    "LONGEST_OF_MOVED_STOPS": ("-O0", "-std=c++17"),
    "PRINTED_AS_A_TEXT": ("-O0",),
    "GRID_OF_TOO_MANY": ("-O0",),
    "ACCESSED_BY_ITS_CELL": ("-O0",),
    "MONTH_BELOW_ZERO": ("-O0",),
    "MONTH_BEHIND_A_BRANCH": ("-O2",),
    "ROOMS_BY_A_REST_OF_A_HASH": ("-O2",),
    "ROOMS_BY_A_HASH": ("-O2",),
    "GIVEN_OUT_TO_ITS_USER": ("-O0",),
    "TAKEN_OR_ASKED_FOR": ("-O0",),
    "LEFT_BY_A_JUMP_WITH_ITS_MEMBER": ("-O2",),
    "PRINTED_BEYOND_ITS_ROOM": ("-O2",),
    "ERASED_BY_ITS_CALLBACK": ("-O0",),
    "DESTROYED_ITS_OWN_RING": ("-Copt-level=2",),
    "OWNED_TWICE_IN_A_LIST": ("-O0",),
    "WRITTEN_THROUGH_A_WINDOW": ("-O0", "-std=c++20"),
    "COUNTED_IN_A_POINTER": ("-O0",),
    "ENDED_AS_OF_AN_ABSTRACT_CLASS": ("-O2",),
    "CARRIED_BY_A_COPY_IN_LINE": ("-O2",),
    "MARKED_AND_FOLLOWED": ("-O0",),
    "RELEASED_BY_A_MOVED_OWNER": ("-O0",),
    "STEPPED_ON_AND_BACK": ("-O0",),
    "FIRST_OF_ITS_LIST": ("-O0",),
    "SUM_IN_ANOTHER_ORDER": ("-O2",),
    "GUARDED_FROM_THE_FIRST": ("-O0",),
    "MADE_IN_EACH_ROUND_WITHOUT_A_CALL": ("-O1",),
    "HOOKED_BEFORE_THEY_WERE_SET": ("-O0",),
    "LED_IN_FRONT_BY_A_FUNCTION": ("-O0",),
    "LED_AWAY_BY_A_SHORT": ("-O0",),
    "LED_DOWN_ON_PURPOSE": ("-O0",),
    "SAID_TO_HAVE_MORE_ROWS": ("-O0",),
    "FILLED_OVER_ITS_FUNCTION": ("-O0",),
    "STILL_IN_ITS_CHAIN": ("-O0",),
    "PRINTED_OVER_ITS_LINK": ("-O0",),
    "CLEARED_WHERE_IT_WAS_TAKEN": ("-O2",),
    "KEPT_FROM_A_TEXT_THAT_WENT": ("-O2",),
    "TAKEN_OUT_OF_A_TABLE": ("-O2",),
    "TAKEN_OUT_OF_A_TREE": ("-O0",),
    "TAKEN_OUT_BY_A_MOVE": ("-Copt-level=0",),
    "NEVER_IN_ITS_TABLE": ("-O0",),
    "LED_AS_FAR_BEFORE": ("-O2",),
    "KEPT_IN_EACH_LIFE": ("-O0",),
    "COPIED_WITH_ANOTHERS_ROOM": ("-O0",),
    "SAID_OF_A_WRONG_OBJECT": ("-O0",),
    "GIVEN_BACK_IN_ITS_LINE": ("-O0",),
    "RELEASED_IN_A_PART": ("-O2",),
    "FOUND_NULL_IN_TWO_WAYS": ("-O1",),
    "KEPT_BY_WHAT_A_TABLE_LED_TO": ("-O1",),
    "HELD_TO_MORE_THAN_IT_HAS": ("-O0",),
    "NONE_AS_OTHERS_KNOW": ("-O0",),
    "EMPTIED_EACH_ROUND": ("-O0",),
    "EMPTIED_TO_BE_FILLED": ("-O0",),
    "ANOTHER_CALL_THREW": ("-O0",),
    "ASKED_BY_OTHERS_WHETHER_IT_IS_HOOKED": ("-O0",),
    "CHAINED_TO_NOBODY": ("-O2",),
    "KEPT_WHO_WAS_BEFORE": ("-O0",),
    "TAKEN_FOR_A_NUMBER_WITH_A_SIGN": ("-O0",),
}


# Rows of `make soak` alone: each branch of `workbench/reproduce`, of what runs inside gdb too, that
# one of these takes is taken by another row as well (measured with coverage.py's branches). A new
# row is never one: that it fails without its rule is what it is for.
SHARED = {
    "LIVES", "COUNTED", "SLAB", "CLIP", "TWO_NULL", "TAKEN", "NOT_PLACED", "FILTERS",
    "MOVED_OUT", "SHRUNK", "PART", "LIVES_OF_TEXT", "BLANKS", "GONE_BACK", "COUNTED_LIST",
    "WINDOW", "FAILED_FREE", "ZEROED", "ZEROED_BY_HAND", "RAN_OUT_FAST", "TAGGED",
    "LAST_NODE", "ONE_PAST", "HUNG_UP", "LEFT_OFF", "NEXT_GONE", "PUT_EARLY", "NEVER_BOUND",
    "UNLOADED", "LOOKED_BACK", "LONG_RUN", "REFILLED", "OCTAL_IN_MEMORY", "STORED_AT",
    "HOOKED", "COUNTED_APART", "OWN_PLACE", "COLUMN", "MARKED", "HANDED_OVER", "READY",
    "GIVEN_STACK", "PINNED", "GIVEN_TWICE", "CLAMPED", "HOISTED_NULL", "SWAPPED_PARTS",
    "DATA_OVER_CODE", "PRINTED_AFTER_FREE", "OF_ANOTHER_CALL", "RESET_THEN_SOUGHT",
    "SOUGHT_ONCE", "ROOM_OF_A_POINTER", "LEFT_FOR_A_LIBRARY", "STACKED_EARLY", "MARKED_EARLY",
    "FILLED_FROM_BEFORE", "AT_NO_LEVEL", "ENDED_WITH_NULL", "ASKED_THE_TIME_BEFORE",
    "CHOSE_A_TEXT",
}  # fmt: skip


# Rust calls memmove through a cell that has no symbol: which function copied is known from the C
# library's debug files alone, which `make soak` reads.
NAMED_BY_DEBUG_FILES = {"COPIED_BEFORE_A_PANIC"}


_OF_CPP = re.compile(r"#include <\w+>|\bdelete ")
"""Its own headers have no suffix."""
ROWS = [name for name in TOLD if SOAK or name not in SHARED | NAMED_BY_DEBUG_FILES]


@pytest.mark.soak
@pytest.mark.parametrize("name", part(ROWS, every=16, newest=12))
async def test_the_line_is_told_or_left_open(name: str) -> None:
    source = getattr(told_sources, name)
    lang = "rs" if "fn main()" in source else "cpp" if _OF_CPP.search(source) else "c"
    path = build(source, "-g", *TOLD[name], lang=lang)
    hang = ("JUMPED", "SIGNALLED", "RING_OF_A_FREED_NODE", "MADE_AS_A_RING", "STILL_IN_ITS_CHAIN",
            "LOCKED_FOR_ITS_CALLER", "PUT_IN_TWICE", "LOCKED_AS_THEY_CAME",
            "LOCKED_AGAINST_THE_ORDER", "PRICED_BEFORE_IT_COUNTED",
            "TRIED_FOR_THE_OTHER", "GUARDED_AS_THEY_CAME",
            "MADE_AS_A_RING_OR_NOT")  # fmt: skip
    limit = 3.0 if name in hang else 20.0
    found = await find(program_of([str(path)], path.parent, None, [], 3, limit))
    assert found.reproduced, found.differed
    lines = [number for number, line in enumerate(source.splitlines(), 1) if " told" in line]
    assert ([found.origin.line] if found.origin is not None else []) == lines
    kinds = re.findall(r" told: ([\w-]+)", source)
    shown = {found.origin.kind.value, step_how(found.origin)} if found.origin is not None else set()
    assert not kinds or shown & {*kinds}


@pytest.mark.parametrize(("name", "kind", "by"), [
    ("OFTEN", OriginKind.COMPUTED, "grow"), ("AFTER_MUCH_MEMORY", OriginKind.FREED, "drop"),
])  # fmt: skip
async def test_what_is_done_too_often_is_watched_from_when_it_counts(
    name: str, kind: str, by: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A cell of the stack from the call on that made its frame, blocks from their first
    write on."""
    monkeypatch.setattr(runs, "_SECONDS", 0.7)
    path = build(getattr(told_sources, name), "-g", "-O0")
    found = await find(program_of([str(path)], path.parent, None, [], 3, 20.0))
    assert "it is done too often to be watched" in found.said
    assert found.origin is not None
    assert (found.origin.kind, found.origin.function) == (kind, by)


async def test_a_release_by_who_was_moved_is_connected_with_the_move() -> None:
    """By where the released pointer was read, which lay in what had been moved."""
    path = build(told_sources.RELEASED_BY_A_MOVED_OWNER, "-g", "-O0")
    found = await find(program_of([str(path)], path.parent, None, [], 3, 20.0))
    assert found.origin is not None
    assert found.origin.chain
    assert not breaks(found.origin.chain)
    # What was used was released by another: this one is not said to have done it.
    assert step_how(found.origin) == "freed-owner"


LEFT_NULL = """
#include <stdlib.h>
struct owner { int id; };
struct node { struct owner *owner; int weight; };
static struct owner first = {7};
static struct node *make(int weight)
{
    struct node *made = malloc(sizeof *made);
    made->weight = weight;
    made->owner = NULL;
    return made;
}
static void adopt(struct node *one) { if (one->weight > 2) one->owner = &first; }
static int owner_of(const struct node *one) { return one->owner->id; }
int main(int count, char **words)
{
    struct node *one = make(count + (words == NULL));
    adopt(one);
    return owner_of(one);
}
"""


@pytest.mark.parametrize("flags", ["-O0", "-O1"])
async def test_null_that_was_put_there_on_purpose_is_no_origin(flags: str) -> None:
    """Who should have set it, or looked for null, did not run: no run shows which of the two."""
    path = build(LEFT_NULL, "-g", flags, "-fno-inline")
    found = await find(program_of([str(path)], path.parent, None, [], 3, 20.0))
    assert found.reproduced
    assert any(" in make at " in text for text in found.texts)
    assert found.origin is None


OPEN = {
    "freelist.c": ("-g", "-O0"),  # emptied as it was put on a list that nothing was taken from
    "lookup.c": ("-g", "-O0"),  # nothing was found: the lookup may say so, its caller did not ask
    "pages.rs": ("-g", "-Cpanic=abort", "-Copt-level=1"),  # moved by a container that has grown
}
"""Programs of whose runs no write is the origin for certain."""


@pytest.mark.parametrize("name", OPEN)
async def test_what_is_not_certain_is_left_open(name: str) -> None:
    path = build(Path(origins.__file__).with_name(name), *OPEN[name])
    found = await find(program_of([str(path)], path.parent, None, [], 3, 20.0))
    assert found.reproduced
    assert found.origin is None


INLINED = """
struct node { struct node *next; int value; };
static struct node *head;
static inline int top(void) { return head->value; }
int main(void) { return top(); }
"""


async def test_a_run_fails_where_the_dump_did_by_the_place_of_the_instruction() -> None:
    """At the first instruction of an inlined function gdb tells of a process the outer one."""
    path = build(INLINED, "-g", "-O2")
    asked = program_of([str(path)], path.parent, None, [], 2, 20.0)
    found = await find(asked)
    at = int(found.texts[0].splitlines()[1].split()[1], 16)
    elsewhere = Wanted(signal="SIGSEGV", function="no_name", address=at + 0x7000)
    assert (await find(asked, elsewhere)).reproduced
    assert not (await find(asked, replace(elsewhere, address=at + 1))).reproduced


async def test_a_source_that_is_a_pipe_is_not_read(tmp_path: Path) -> None:
    """A program names what it likes as its source."""
    os.mkfifo(tmp_path / "pipe")
    path = build(f'# 1 "{tmp_path}/pipe"\n{TWO_WAYS}', "-g", "-O0")
    found = await asyncio.wait_for(
        find(program_of([str(path)], path.parent, None, [], 2, 20.0)), 60.0
    )
    assert found.origin is not None
    assert found.origin.function == "reset"


TWO_WAYS = """
#include <stddef.h>
struct line { long *peer; int state; };
static long zero;
static struct line line = {&zero, 1};
static void hang_up(struct line *one) { one->peer = NULL; one->state = 2; }
static void reset(struct line *one) { one->peer = NULL; one->state = 9; }
static long ping(struct line *one) { return *one->peer; }
int main(int count, char **words)
{
    if (count > 1)
        hang_up(&line);
    else
        reset(&line);
    return (int)ping(&line) + (words == NULL);
}
"""


async def test_who_failed_in_the_same_line_by_another_way_is_no_origin() -> None:
    path = build(TWO_WAYS, "-g", "-O0")
    asked = program_of([str(path)], path.parent, None, [], 2, 20.0)
    for words, told in ((["x"], None), ([], "reset")):
        core = crash(path, *words)
        found = await find(asked, Wanted(signal="SIGSEGV", function="ping", core=core))
        assert (found.origin and found.origin.function) == told


async def test_frames_that_libcs_debug_information_adds_keep_variables_in_theirs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Behind a jump of abort() gdb shows what was inlined there, which its numbers do not count."""
    settings = tuple(one for one in recipe._SAFE if one != NO_DEBUG_FILES)
    monkeypatch.setattr(recipe, "_SAFE", settings)
    path = build(told_sources.SHRUNK, "-g", "-O0")
    found = await find(program_of([str(path)], path.parent, None, [], 1, 20.0))
    assert found.origin is not None
    assert found.origin.function == "shrink"
