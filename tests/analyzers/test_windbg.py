"""WinDbg's, cdb's and kd's text: every shape that the readers know, and any bytes."""

import time
from typing import TypeVar

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analyzers.base import Document
from analyzers.registry import analyze
from tests.analyzers.windbg_texts import (
    ANALYZE,
    BUGCHECK,
    LOCKS,
    MANAGED,
    OLD_ANALYZE,
    PAGE_HEAP,
    RPC,
    STACKS,
    TEXTS,
    THREADS,
    VERIFIER,
)
from tests.soak import examples
from workbench.model.facts import (
    AnyFact,
    Bucket,
    BugCheck,
    ExceptionRecord,
    Fact,
    Fault,
    HeapReport,
    Lock,
    ManagedException,
    Module,
    Process,
    Registers,
    RpcCell,
    SourceLine,
    Stack,
    Threads,
)

F = TypeVar("F", bound=Fact)


def read(text: str, command: str = "(opening)") -> list[AnyFact]:
    return list(analyze(Document("E1", command, "cdb", text)).facts)


def one(kind: type[F], text: str) -> F:
    """The only fact of a kind."""
    (found,) = [fact for fact in read(text) if isinstance(fact, kind)]
    return found


def of(kind: type[F], text: str) -> list[F]:
    return [fact for fact in read(text) if isinstance(fact, kind)]


def test_the_exception_of_a_new_analysis() -> None:
    record = one(ExceptionRecord, ANALYZE)
    assert (record.code, record.name, record.thread) == (0xC0000005, "Access violation", 0x2B40)
    assert (record.access, record.fault_address) == ("read", 0x30)
    assert record.address == 0x7FF6A1B21064
    fault = one(Fault, ANALYZE)
    assert (fault.access, fault.operand, fault.pc) == ("read", 0x30, 0x7FF6A1B21064)
    assert (fault.base_register, fault.base_value) == ("rcx", 0x18)
    assert fault.operand_region == "near-null"
    assert one(Registers, ANALYZE).get("rdi") == 0x1C7A3F40F50


def test_the_stack_of_an_analysis_names_functions_files_and_the_thread() -> None:
    stack = one(Stack, ANALYZE)
    assert stack.current
    assert stack.thread == 0x2B40
    first, second = stack.frames[:2]
    assert (first.function, first.module, first.offset) == ("Basket::total", "orders", 0x14)
    assert (first.file, first.line) == ("D:\\src\\orders\\basket.cpp", 41)
    assert first.address == 0x7FF6A1B21064
    assert second.address == 0x7FF6A1B2113C
    assert ANALYZE.split("\n")[first.line_no - 1].endswith("basket.cpp @ 41]")


def test_the_old_analysis_of_a_terminal_of_eighty_columns() -> None:
    fault = one(Fault, OLD_ANALYZE)
    assert (fault.access, fault.operand, fault.mnemonic) == ("write", 0x10, "mov")
    stack = one(Stack, OLD_ANALYZE)
    assert [frame.function for frame in stack.frames] == [
        "set_limit", "main", "__tmainCRTStartup", "BaseThreadInitThunk"
    ]  # fmt: skip
    first = stack.frames[0]
    assert first.file is not None
    assert first.file.endswith("long folder name\\limits\\limits.cpp")
    assert first.line == 12
    assert first.file_lines is not None
    (line,) = [source for source in of(SourceLine, OLD_ANALYZE) if source.line == 12]
    assert line.text.strip() == "item->limit = 4;"
    assert one(Process, OLD_ANALYZE).executable == "limits.exe"


@pytest.mark.parametrize("name", sorted(STACKS))
def test_every_way_of_printing_a_stack(name: str) -> None:
    text, functions = STACKS[name]
    stack = one(Stack, text)
    shown = [frame.function or f"{frame.module}+{frame.offset:#x}" if frame.module else "?"
             for frame in stack.frames]  # fmt: skip
    assert shown == functions


def test_inline_frames_have_no_address_of_their_own() -> None:
    stack = one(Stack, STACKS["inline"][0])
    assert [frame.inlined for frame in stack.frames] == [False, True, False]
    assert stack.frames[2].address == 0x7FF6A1B21390


def test_frames_that_only_handle_the_exception_are_left_out() -> None:
    stack = one(Stack, STACKS["dispatched"][0])
    assert stack.frames[0].function == "Basket::total"
    assert stack.current
    assert not one(Stack, STACKS["filter"][0]).current


def test_threads_by_number_and_id() -> None:
    threads = one(Threads, THREADS)
    assert [(t.number, t.thread, t.current) for t in threads.items] == [
        (0, 0x2B40, True), (1, 0x1F08, False), (12, 0xA3, False)
    ]  # fmt: skip
    assert threads.items[0].name == "worker pool"


def test_stacks_of_all_threads_have_their_numbers() -> None:
    stacks = of(Stack, LOCKS)
    assert [(s.number, s.thread) for s in stacks] == [(1, 0x1F08), (2, 0x2C10)]


def test_locks_have_owners_and_names() -> None:
    first, second = of(Lock, LOCKS)
    assert (first.name, first.address, first.owner) == ("app!g_orders", 0x7FF6A1B40120, 0x2C10)
    assert first.locked
    assert second.name == "app!g_stock"


def test_a_verifier_stop() -> None:
    report = one(HeapReport, VERIFIER)
    assert (report.kind, report.stop, report.block, report.size) == ("overrun", 0xF, 0x5A1FC8, 0x38)
    newer = VERIFIER.replace("Heap block", "Heap block being freed again.")
    again = one(HeapReport, newer.replace("Block size", "Size of the heap block."))
    assert (again.heap, again.block, again.size) == (0x5A1000, 0x5A1FC8, 0x38)


def test_page_heap_knows_who_freed() -> None:
    freed, busy = of(HeapReport, PAGE_HEAP)
    assert (freed.kind, freed.address) == ("freed", 0x1B7D5F10)
    assert [frame.function for frame in freed.frames][-2:] == ["Cache::evict", "main"]
    assert (busy.kind, busy.block, busy.size) == ("busy", 0x5D5FF0, 0x10)


def test_a_bug_check_with_its_arguments() -> None:
    bug = one(BugCheck, BUGCHECK)
    assert (bug.code, bug.name) == (0xD1, "DRIVER_IRQL_NOT_LESS_OR_EQUAL")
    assert [argument.value for argument in bug.arguments] == [0x10, 2, 1, 0xFFFFF80711223344]
    assert bug.arguments[0].meaning == "memory referenced"


def test_managed_exceptions_first_and_second_chance() -> None:
    first, second = of(ManagedException, MANAGED)
    assert (first.type, first.uncaught) == ("System.FormatException", None)
    assert (second.type, second.uncaught) == ("System.AggregateException", True)
    assert second.message == "One or more errors occurred."
    assert len(of(Module, MANAGED)) == 2
    assert one(ExceptionRecord, MANAGED).thread == 0x6320


def test_rpc_cells() -> None:
    kinds = [cell.kind for cell in of(RpcCell, RPC)]
    assert kinds == ["stack", "endpoint", "call", "cell", "thread"]
    assert of(RpcCell, RPC)[-1].thread == 0x1A4


def test_buckets_of_both_formats() -> None:
    text = "FAILURE_BUCKET_ID:  A_c0000005_x.exe!f\n\n    Key  : Failure.Bucket\n    Value: B!g\n"
    assert [bucket.text for bucket in of(Bucket, text)] == ["A_c0000005_x.exe!f", "B!g"]


def test_half_of_a_register_of_arm64_is_read_from_the_whole() -> None:
    (fault,) = of(
        Fault,
        """\
(1f3c.2a10): Access violation - code c0000005 (first chance)
 x0=0000000000000001   x8=00000200d4a01000   x9=ffffffff000f4240
 pc=00007ff61a2b1234   sp=000000f1e2cff8a0
app!look+0x24:
00007ff6`1a2b1234 b8695908 ldr         w8,[x8,w9 uxtw #2]
""",
    )
    assert (fault.base_value, fault.index_value) == (0x200D4A01000, 0xF4240)


def test_the_debuggers_own_stops_are_no_exceptions() -> None:
    text = (
        "(1.2): Break instruction exception - code 80000003 (first chance)\n"
        "ntdll!LdrpDoDebuggerBreak+0x30:\n00007ff8`8542b784 cc              int     3\n"
    )
    assert of(ExceptionRecord, text) == []


@settings(max_examples=examples(120), deadline=None)
@given(st.sampled_from(TEXTS), st.integers(0, 5000), st.integers(0, 5000), st.binary(max_size=12))
def test_damaged_text_is_read_as_far_as_it_goes(text: str, at: int, cut: int, put: bytes) -> None:
    damaged = text[: at % (len(text) + 1)] + put.decode("latin-1") + text[(at + cut) % len(text) :]
    lines = damaged.count("\n") + 1
    for fact in read(damaged):
        assert 0 <= fact.cite.first <= fact.cite.last <= lines


@settings(max_examples=examples(150), deadline=None)
@given(st.text(max_size=400))
def test_any_text_is_read(text: str) -> None:
    read(text)


@pytest.mark.parametrize(
    "line",
    [
        "0" * 4000,
        "00000001`00000002 " * 300,
        "a!" + "b(" * 3000,
        "app!f" + "<" * 2000 + ">" * 1000 + "+0x10",
        "rax=" + "0" * 4000,
        "(" * 4000,
        " : ".join(["00000000`00000000"] * 200),
        "ExceptionAddress: 00000000 (" + "(" * 3000,
        "VERIFIER STOP " + "0" * 3000 + ": pid 0x1: x",
        "[" * 2000 + " @ " + "1" * 2000,
        "~" * 3000,
        "ModLoad: " + "0 " * 2000,
        "CritSec " + "a at " * 800,
        "Arg1: " + "0`" * 2000,
        "Windows " + "10 " * 1300 + "Version",
    ],
    ids=range(15),
)
def test_hostile_lines_take_no_time(line: str) -> None:
    started = time.process_time()
    read("\n".join([line] * 200))
    assert time.process_time() - started < 5
