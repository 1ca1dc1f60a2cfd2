"""Locks of Rust's std, which are bare futexes in memory, are known by the frames that wait."""

import pytest
from msgspec.structs import replace

from analyzers.base import Document
from analyzers.patterns.case import Case
from analyzers.patterns.deadlock import DEADLOCK
from analyzers.patterns.waiting import MISSED_WAKEUP
from analyzers.registry import analyze
from workbench.model.citation import Citation
from workbench.model.facts import FactBook, Process, Stack, Wait
from workbench.model.hypothesis import Status
from workbench.targets.probes.demangle import function

STACK = """\
#0  0x00007ffff7eb2719 in syscall () at ../sysdeps/unix/sysv/linux/x86_64/syscall.S:38
#1  0x00005555555a2f13 in std::sys::pal::unix::futex::futex_wait () at library/std/futex.rs:73
#2  0x00005555555a1c12 in {inner} () at library/std/src/sys/sync/futex.rs:100
#3  0x0000555555568c12 in shop::total (all=0x55555559a080) at shop.rs:9
"""


def book(kind: str, inner: str, *others: str) -> FactBook:
    threads = tuple(range(41, 42 + len(others)))
    waits_for = "".join(f"thread {tid}: waits for {each} 0x404050 in futex\n"
                        for tid, each in zip(threads, (kind, *others), strict=True))  # fmt: skip
    locks = f"{len(threads)} threads\n{waits_for}"
    process = Process(
        cite=Citation("E1", 1), pid=41, command_line=None, executable="/srv/shop", arch="x86_64",
        os="Linux", threads=threads, snapshot=True,
    )  # fmt: skip
    waits = analyze(Document("E2", "@locks", "dump", locks)).facts
    stack = analyze(Document("E3", "bt 64", "gdb", STACK.format(inner=inner))).facts
    return FactBook([process, *waits, *stack])


@pytest.mark.parametrize(
    ("inner", "known"),
    [
        ("std::sys::sync::mutex::futex::Mutex::lock_contended", "mutex"),
        ("std::sys::sync::rwlock::futex::RwLock::write_contended", "rwlock"),
        ("std::sys::unix::locks::futex_mutex::Mutex::lock_contended", "mutex"),
    ],
)
def test_a_lock_that_nobody_is_left_to_give_up(inner: str, known: str) -> None:
    facts = book("futex", inner)
    assert Case(facts).waits[41].kind == known
    verdict = DEADLOCK.evaluate(facts)
    assert (verdict.status, verdict.confidence) == (Status.CONFIRMED, 0.8)
    assert "`shop::total` at `shop.rs:9`" in verdict.claims[0].text
    advice = " ".join(verdict.recommendations)
    assert ("a reader that asks to write" in advice) is (known == "rwlock")
    assert "different orders" not in advice  # it is one lock


def test_two_locks_may_be_taken_in_different_orders() -> None:
    facts = book("mutex", "__lll_lock_wait", "mutex")
    process, first, second, *rest = facts
    verdict = DEADLOCK.evaluate(FactBook([process, first, replace(second, address=0x8), *rest]))
    assert "different orders, a thread that locks twice" in " ".join(verdict.recommendations)
    assert "There are 2 threads that wait, of 2 in all." in [one.text for one in verdict.claims]


@pytest.mark.parametrize(
    "condvar",
    ["std::sys::sync::condvar::futex::Condvar", "<std::sys::sync::condvar::futex::Condvar>"],
)
def test_a_condition_variable_is_none(condvar: str) -> None:
    facts = book("futex", f"{condvar}::wait_optional_timeout")
    assert DEADLOCK.evaluate(facts).status is Status.REJECTED
    assert "condition variable" in MISSED_WAKEUP.evaluate(facts).claims[1].text


def test_a_wait_of_the_programs_own_within_a_librarys_is_not_the_librarys() -> None:
    """A task that a future runs waits for what it likes."""
    outer = "shop::gate () at gate.cc:3\n#3  0x0000555555560001 in std::__future_base::_Result"
    assert Case(book("futex", outer)).waits[41].kind == "futex"


def test_the_pool_that_a_library_waits_in_is_not_what_is_waited_for() -> None:
    facts = book("futex", "std::barrier<std::__empty_completion>::wait")
    (wait,) = facts.all(Wait)
    pool = replace(wait, name="_ZZNSt8__detail18__waiter_pool_base6_S_forEPKvE3__w+0x740")
    (process,) = facts.all(Process)
    (stack,) = facts.all(Stack)
    found = Case(FactBook([process, pool, stack])).waits[41]
    assert (found.kind, found.address, found.name) == ("barrier", None, None)


def test_who_parks_for_a_channel_waits_for_that() -> None:
    facts = book("futex", "std::sync::mpmc::context::Context::wait_until")
    (process,), (wait,), (stack,) = facts.all(Process), facts.all(Wait), facts.all(Stack)
    first, inner, *rest = stack.frames
    parked = replace(stack, frames=(first, replace(inner, function="std::thread::park"), *rest))
    assert Case(FactBook([process, wait, parked])).waits[41].kind == "channel"


def test_what_has_no_name_may_be_a_lock_or_an_event() -> None:
    facts = book("futex", "syscall")
    assert MISSED_WAKEUP.evaluate(facts).status is Status.INCONCLUSIVE


def test_who_waits_to_be_woken_waits_for_who_waits_for_a_lock() -> None:
    facts = book("futex", "std::sync::mpmc::context::Context::wait_until", "mutex")
    assert DEADLOCK.evaluate(facts).status is Status.CONFIRMED
    assert MISSED_WAKEUP.evaluate(facts).status is Status.REJECTED


@pytest.mark.parametrize("kind", ["condition", "once"])
@pytest.mark.parametrize(
    ("inner", "said"),
    [
        ("std::__future_base::_State_baseV2::wait", "the result of a future at 0x404050"),
        ("std::sync::mpmc::context::Context::wait_until", "a message of a channel at 0x404050"),
        ("std::atomic<int>::wait", "a change of the atomic at 0x404050"),
        ("std::latch::wait", "the latch at 0x404050"),
        ("std::thread::functions::park", "a call of unpark() at 0x404050"),
    ],
)
def test_what_is_waited_for_is_named(kind: str, inner: str, said: str) -> None:
    verdict = MISSED_WAKEUP.evaluate(book(kind, inner))
    assert said in verdict.claims[1].text
    assert "predicate" not in " ".join(verdict.recommendations)


@pytest.mark.parametrize(("path", "alone"), [("/srv/shop", True), ("/dev/zero (deleted)", False)])
def test_another_process_may_wake_who_waits_at_shared_memory(path: str, alone: bool) -> None:
    facts = book("condition", "std::__future_base::_State_baseV2::wait")
    text = (
        "mappings: 2 in address order\n"
        "0x401000-0x402000 r-x 4096 file absent offset 0x0 /srv/shop\n"
        f"0x404000-0x405000 rw- 4096 file dumped offset 0x3000 {path}\n"
    )
    facts.add(analyze(Document("E4", "@mappings", "dump", text)).facts)
    assert (MISSED_WAKEUP.evaluate(facts).status is Status.CONFIRMED) is alone


def test_what_is_known_from_memory_stays() -> None:
    facts = book("mutex", "std::sys::sync::condvar::futex::Condvar::wait")
    assert Case(facts).waits[41].kind == "mutex"


@pytest.mark.parametrize(
    ("mangled", "name"),
    [
        ("_ZN4shop4ROWS17h7f5d7c04e180f95fE", "shop::ROWS"),
        ("_ZL4rows", "rows"),
        ("_ZN4shop4rowsE", "shop::rows"),
        ("_ZN99aE", "_ZN99aE"),
        ("_ZSt4cout", "std::cout"),
        ("rows", "rows"),
        ("_ZNK5Store3getERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE", "Store::get"),
        ("_ZN2db5TableINS_3RowEE4findEi", "db::Table<db::Row>::find"),
        (
            "_ZNKSt19__shared_ptr_accessI3RowLN9__gnu_cxx12_Lock_policyE2ELb0ELb0EEptEv",
            "std::__shared_ptr_access<Row, (__gnu_cxx::_Lock_policy)2, false, false>::operator->",
        ),
        ("_ZN4NodeD2Ev", "Node::~Node"),
        ("_ZNSt6vectorIiSaIiEEixEm", "std::vector<int, std::allocator<int>>::operator[]"),
        ("_Znwm", "operator new"),
        ("_ZZ4mainENKUlvE_clEv", "_ZZ4mainENKUlvE_clEv"),
        (
            "_ZN63_$LT$alloc..alloc..Global$u20$as$u20$core..alloc..Allocator$GT$8allocate"
            "17hbc54894c45a8a5eeE",
            "<alloc::alloc::Global as core::alloc::Allocator>::allocate",
        ),
    ],
)
def test_a_linker_symbol_by_its_name_in_the_source(mangled: str, name: str) -> None:
    assert function(mangled) == name
