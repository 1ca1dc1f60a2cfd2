"""Who, which, how many and in what order: what a sentence says of these is held to the facts, and
what only facts could tell is no model's to say."""

import pytest

from tests.agents.cases import LIBC, START, TEXTS, cite, evidence, opening, state_of
from workbench.agents.contradictions import affirmed_spans, contradiction, unproved_relation
from workbench.agents.critic import judged_claims, known_of
from workbench.model.events import EvidenceRecorded
from workbench.model.facts import (
    Argument,
    Chunk,
    Fault,
    Frame,
    Heap,
    Locals,
    LockCycle,
    Register,
    Registers,
    Stack,
    StackShape,
    Variable,
    Wait,
)
from workbench.model.hypothesis import Claim
from workbench.model.investigation import Investigation

HERE = cite("E6")
AUDIT = Frame(index=0, function="audit", file="src/ring.c", line=90, args="p=p@entry=0x0, n=7")
_MORE = (
    Fault(
        cite=HERE,
        thread=4711,
        pc=0x401196,
        instruction="mov eax, dword ptr [rdx + 4]",
        mnemonic="mov",
        access="read",
        operand=0x4052B0,
        operand_size=4,
        operand_region="unmapped",
        base_register="rdx",
        base_value=0x4052AC,
        origin_call="find",
        origin_value=0x4052AC,
    ),
    Registers(
        cite=HERE,
        thread=4711,
        frame=0,
        values=(
            Register("rax", 0),
            Register("rdx", 0x4052AC),
            Register("rdi", 0x4052A0),
            Register("rsi", 7),
        ),
    ),
    Locals(
        cite=HERE,
        function="conn_drop",
        variables=(Variable(name="count", value="7"), Variable(name="next", value="0x0")),
    ),
    Stack(cite=HERE, number=2, thread=4712, name="relay", frames=(AUDIT, LIBC)),
    StackShape(
        cite=HERE,
        thread=4711,
        pointer=0x7FFC0,
        guard_distance=8000,
        below=(Frame(index=0, function="list_free"),),
    ),
    Heap(cite=HERE, start=0x405000, end=0x426000, chunks=9, in_use=4, free=5),
    Chunk(
        cite=HERE, address=0x4052A0, start=0x405290, size=32, state="tcache", offset=0,
        heap=0x405000, thread=4711,
    ),
    Wait(cite=HERE, thread=4712, kind="mutex", address=0x405500, owner=4713, name="table"),
    Wait(cite=HERE, thread=4713, kind="mutex", address=0x405540, owner=4712, recursive=False),
    Argument(
        cite=HERE, function="conn_drop", register="rdi", value=0x4052A0, region="heap", at=0x401200
    ),
    Wait(cite=HERE, thread=4711, kind="running"),
    LockCycle(cite=HERE, threads=(4712, 4713), locks=(0x405500, 0x405540)),
)  # fmt: skip
LINES = (
    "#0  0x0000000000401196 in conn_drop (c=0x4052a0) at src/ring.c:42",
    "#1  0x0000000000401230 in worker (arg=0x0) at src/ring.c:77",
    "=> 0x401196 <conn_drop+16>: mov 0x4(%rdx),%eax",
    "77  conn_drop(c); list_free(c->list);",
    "lock 0x2, count 0, owner 4713, users 1, not recursive",
)


def case() -> Investigation:
    state = state_of(opening())
    item = evidence("E6", "\n".join(LINES), "bt")
    state.apply(EvidenceRecorded(evidence=item, facts=_MORE), START)
    return state


FALSE = [
    "It is due to an integer overflow of `count`.",
    "The access was a write.",
    "The stack had 144 bytes left.",
    "0x405500 is in the stack at 0x4052b0; it was a write.",
    "It stopped at count 9.",
    "Line 77 of `ring.c` is the one that faults.",
    "`sum` is divided by zero.",
    "Thread 4711 returned from `worker`.",
    "`worker` returned 0x5.",
    "Thread 4713 holds the mutex at 0x405999.",
    "`worker` crashed.",
    "The crash was in `worker`.",
    "The fault lies in `worker`.",
    "Thread 4712 crashed.",
    "The faulting thread is thread 4713.",
    "`list_free` was running when SIGSEGV arrived.",
    "`ring.c:77` dereferences the pointer.",
    "`worker+0x2a` is the faulting instruction.",
    "`conn_drop` called `worker`.",
    "It was freed by thread 4712.",
    "Thread 4713 had freed the chunk.",
    "`conn_drop` is recursive.",
    "`rax` was the base register of the access.",
    "The code dereferences `rdi`.",
    "`rax` holds the value that was dereferenced.",
    "The instruction at 0x401196 writes 4 bytes.",
    "`conn_drop` reads 8 bytes.",
    "The access hit a read-only page.",
    "`rdi` holds `count`.",
    "`rdi` is null.",
    "`count` was null.",
    "`next` and `count` are equal.",
    "`count` went negative.",
    "4 chunks are free.",
    "No chunk of the heap is free.",
    "The lock 0x405500 has 2 users.",
    "The mutex 0x405540 is recursive.",
    "Thread 4712 waits for thread 4711.",
    "Thread 4711 is blocked.",
    "Thread 4712 is asleep.",
    "Thread 4712 waits on a condition variable.",
    "Thread 4712 holds both 0x405500 and 0x405540.",
    "Thread 4711 holds the lock `table`.",
    "Three threads form the ring.",
    "Both threads wait for the same mutex.",
    "Only one thread is in `start_thread`.",
    "The stack had 8000 bytes left when it overflowed.",
    "SIGSEGV was sent by process 4710.",
    "The process survived.",
    "The process has 2 threads.",
    "The dump is a snapshot.",
    "`worker` dereferenced the null pointer.",
    "It dereferenced the pointer at `ring.c:77`.",
    "`conn_drop` wrote the sum back to 0x4052b0.",
    "The chunk 0x405290 is still in use.",
    "The heap is damaged.",
    "The pointer 0x4052a0 was passed, and `conn_drop` was given 0x405310.",
    "`find` returned 0x1.",
    "`count` is smaller than `next`.",
]
UNTOLD = [
    "`strlen` crashed.",
    "`conn_drop` has a bug.",
    "`enrol` ran after `conn_drop`.",
    "`start_thread` called `conn_drop`.",
    "Thread 4712 woke thread 4711.",
    "`guard` was never called.",
    "`list_free` freed the connection.",
    "The write overflowed, and `c` overflowed too.",
    "`c` was overwritten.",
    "The length is negative.",
    "`mprotect` failed.",
    "0x405310 was freed.",
    "`worker` caught the exception.",
    "The heap is exhausted.",
    "Thread 4712 took its lock before thread 4713 did.",
    "`audit` ran before `conn_drop`.",
    "`list_free` called `conn_drop`.",
    "`audit` called `conn_drop`.",
    "`conn_drop+0x11` is the faulting instruction.",
    "`start_thread` deleted `c`.",
    "`mov` at 0x401196 executed twice.",
    "`rsi` holds the number of threads.",
    "`worker` left 0x7 in `rsi`.",
    "`rdx` was cleared by `worker`.",
    "`conn_drop` holds a lock.",
    "It unlocked `guard`.",
    "`malloc` failed.",
    "The crash was caused by `audit`.",
]
TRUE = [
    "`conn_drop` crashed at `ring.c:42`.",
    "The crash is in `conn_drop`.",
    "Thread 4711 crashed.",
    "`ring.c:42` is the faulting line.",
    "`conn_drop+16` is the faulting instruction.",
    "`worker` called `conn_drop`.",
    "`list_free` returned before `conn_drop` crashed.",
    "It was freed by thread 4711.",
    "`rdx` is the base register.",
    "The code dereferences `rdx`.",
    "The instruction at 0x401196 reads 4 bytes.",
    "`rsi` holds `count`.",
    "`next` is null.",
    "`p` is null.",
    "5 chunks are free.",
    "Thread 4712 waits for thread 4713.",
    "Thread 4712 is blocked.",
    "Thread 4713 holds the lock `table`.",
    "The lock 0x405540 is held by thread 4712.",
    "Two threads form the ring.",
    "The process has 3 threads.",
    "`conn_drop` dereferences a wild pointer.",
    "It reads the length from 0x4052b0.",
    "The chunk 0x405290 is free.",
    "The heap is otherwise consistent.",
    "`conn_drop` was given 0x4052a0.",
    "`find` returned 0x4052ac.",
    "`count` is larger than `next`.",
    "0x4052a8 was freed.",
]


@pytest.mark.parametrize("text", FALSE)
def test_what_the_facts_say_otherwise(text: str) -> None:
    state = case()
    known = known_of(state)
    known.by_model = True
    assert contradiction(text, state, known, LINES), text


@pytest.mark.parametrize("text", UNTOLD)
def test_what_no_fact_tells_is_no_models_to_say(text: str) -> None:
    state = case()
    known = known_of(state)
    known.by_model = True
    assert contradiction(text, state, known, LINES) is None, text
    assert unproved_relation(text, known), text
    claims = [Claim(text, (cite("E6"),), by=by) for by in ("model", "critic")]
    by_model = judged_claims(claims, state, lambda name: (TEXTS | {"E6": "\n".join(LINES)})[name])[
        0
    ]
    assert by_model.status == "struck"


@pytest.mark.parametrize("text", TRUE)
def test_what_the_facts_say_too(text: str) -> None:
    state = case()
    known = known_of(state)
    known.by_model = True
    assert contradiction(text, state, known, LINES) is None, text
    assert unproved_relation(text, known) is None, text
    assert affirmed_spans(text, known), text


def test_a_word_before_a_place_is_no_function() -> None:
    state = case()
    assert contradiction("`conn_drop` is at `ring.c:42`.", state, known_of(state), LINES) is None


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("Two threads form the ring.", "held"),
        ("Two threads form the ring, and a thief came.", "struck"),
        ("The heap is otherwise consistent.", "held"),
        ("The heap is otherwise a ruin.", "struck"),
        ("It is all very well.", "struck"),
    ],
)
def test_facts_stand_for_a_name_or_a_number(text: str, status: str) -> None:
    state = case()
    claims = [Claim(text, (cite("E6"),), by="model")]
    (claim,) = judged_claims(claims, state, lambda _: "\n".join(LINES))
    assert claim.status == status, claim.reason
