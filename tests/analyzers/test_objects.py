"""The part of a global object that a lock is, by debug information."""

import pytest
from msgspec.structs import replace

from analyzers.base import Document
from analyzers.patterns import objects
from analyzers.patterns.case import Case
from analyzers.patterns.deadlock import DEADLOCK
from analyzers.patterns.stuck import waiting
from analyzers.registry import analyze
from workbench.debuggers.policy import check
from workbench.model.citation import Citation
from workbench.model.facts import AnyFact, FactBook, Signal, Wait

_PLANT, _AT = "frame apply level 0 -q ptype /o ", 0x5000
_GDB = {
    "plant": """\
/* offset      |    size */  type = struct plant {
/*      0      |     192 */    struct stage stages[2];
/*    192      |      16 */    union {
/*                     8 */        long number;
/*                    16 */        struct {
/*    192      |       8 */            char *text;
/*    200      |       4 */            int length;

                                       /* total size (bytes):   16 */
                                   } line;

                                   /* total size (bytes):   16 */
                               } as;
/*    208      |      56 */    pthread_rwlock_t plan;

                               /* total size (bytes):  264 */
                             }
""",
    "plant.stages": """\
/* offset      |    size */  type = struct stage {
/*      0      |      96 */    struct queue in;

                               /* total size (bytes):   96 */
                             } [2]
""",
    "plant.stages[0]": """\
/* offset      |    size */  type = struct stage {
/*      0      |      96 */    struct queue {
/*      0      |      40 */        pthread_mutex_t lock;
/*     40      |      48 */        pthread_cond_t more;
/*     88      |       8 */        int cells[2];

                                   /* total size (bytes):   96 */
                               } in;

                               /* total size (bytes):   96 */
                             }
""",
    "plant.plan": "type = union {\n    struct __pthread_rwlock_arch_t __data;\n}\n",
}
_PLACES = {"plant.stages[0].in.lock": 0, "plant.stages[1].in.more": 136, "plant.plan": 208,
           "plant.as.line.length": 200}  # fmt: skip


def _wait(name: str, far: int, line: int) -> Wait:
    return Wait(cite=Citation("E1", line, line), thread=line, kind="mutex", address=_AT + far,
                name=name, name_line=line)  # fmt: skip


@pytest.mark.parametrize(
    ("symbol", "far", "said", "moved"),
    [
        ("plant", 0, "plant.stages[0].in.lock", 0),
        ("plant+0x88", 136, "plant.stages[1].in.more", 0),
        ("plant+0xd0", 208, "plant.plan", 0),
        ("plant+0xc8", 200, "plant.as.line.length", 0),
        ("plant+0x58", 88, "plant+0x58", 0),  # the debugger says that it lies elsewhere
        ("plant+0xd0", 208, "plant+0xd0", 64),  # another object of that name
    ],
)
def test_the_part_of_an_object_that_is_waited_for(
    symbol: str, far: int, said: str, moved: int
) -> None:
    wait = _wait(symbol, far, 1)
    stack = Document("E2", "bt 64", "gdb", "#0  0x0000000000401136 in main () at plant.c:9\n")
    found: list[AnyFact] = [wait, *analyze(stack).facts]
    asked: set[str] = set()
    while new := {one.text for one in objects.look(Case(FactBook(found)))} - asked:
        asked |= new
        for text in new:
            name = text.removeprefix(_PLANT)
            answer = _GDB.get(name, "Attempt to take contents of a non-pointer value.\n")
            if (place := _PLACES.get(text.rpartition("&")[2])) is not None:
                answer = f"$1 = (pthread_mutex_t *) {_AT + place + moved:#x} <plant+{place}>\n"
            found += analyze(Document(f"E{len(asked) + 9}", text, "gdb", answer)).facts
    assert f" `{said}` at " in waiting(wait, FactBook(found)).text


def test_a_lock_without_a_symbol_is_what_the_line_names() -> None:
    cite, level = Citation("E1", 1, 1), "frame apply level 0 -q "
    shown = {
        "bt 64": "#0  0x0000000000401136 in take (s=0x5000) at lock.c:5\n",
        f"{level}frame": "#0  0x401136 in take (s=0x5000) at lock.c:5\n"
        "5\t    pthread_mutex_lock(&s->pool.guard);\n",
        f"{level}print &s->pool": "$1 = (struct {...} *) 0x5008\n",
        f"{level}print &s->pool.guard": "$2 = (pthread_mutex_t *) 0x5008\n",
    }
    signal = Signal(cite=cite, number=6, name="SIGABRT", thread=1)
    wait = Wait(cite=cite, thread=1, kind="mutex", address=0x5008, owner=1)
    found: list[AnyFact] = [signal, wait]
    for number, (command, text) in enumerate(shown.items(), 2):
        asked = {one.text for one in DEADLOCK.followup(FactBook(found))}
        assert number == 2 or command in asked
        found += analyze(Document(f"E{number}", command, "gdb", text)).facts
    told = [claim.text for claim in DEADLOCK.evaluate(FactBook(found)).claims]
    assert told[2] == "`&s->pool.guard` is (pthread_mutex_t *) 0x5008."


_LLDB = """\
0x0000000000404040: (plant) plant = {
0x0000000000404040:   stages = {
0x0000000000404040:     [0] = {
0x0000000000404040:       lock = {
0x0000000000404040:         __data = {
0x0000000000404040:           __lock = 2
        }
      }
    }
0x0000000000404098:     [1] = {
0x0000000000404098:       lock ={...}
0x00000000004040c0:       name = 0x0000000000402010 "[2] = {"
    }
  }
0x00000000004040f0:   plan = 1
}
"""


@pytest.mark.parametrize(
    ("symbol", "far", "said"),
    [
        ("plant", 0, "plant.stages[0].lock"),
        ("plant+0x58", 88, "plant.stages[1].lock"),
        ("plant+0xb0", 176, "plant.plan"),
        ("plant+0x60", 96, "plant+0x60"),
    ],
)
def test_lldb_is_asked_where_each_part_lies(symbol: str, far: int, said: str) -> None:
    wait = replace(_wait(symbol, far, 1), address=0x404040 + far)
    others = (dict(one.others) for one in objects.look(Case(FactBook([wait]))))
    (command,) = (one["lldb"] for one in others if "lldb" in one)
    assert command == "target variable --location --depth 6 plant"
    assert check(command, "lldb").accepted
    facts = analyze(Document("E9", command, "lldb", _LLDB)).facts
    assert f" `{said}` at " in waiting(wait, FactBook([wait, *facts])).text
