"""Recorded sessions on what is no ELF core: a Windows minidump, and a sanitizer's log."""

from collections.abc import Sequence
from hashlib import sha256

from tests.tui.sample import START
from workbench.model.category import Category
from workbench.model.citation import Citation
from workbench.model.events import (
    AnyEvent,
    DebuggerStarted,
    EvidenceRecorded,
    GateOpened,
    HypothesisProposed,
    Phase,
    PhaseEntered,
    SessionOpened,
)
from workbench.model.evidence import Evidence, Source
from workbench.model.facts import AnyFact, ExceptionRecord, Finding
from workbench.model.hypothesis import Hypothesis
from workbench.model.target import Options, Target, TargetKind

RECORD = """\
exception: 0xc0000005 EXCEPTION_ACCESS_VIOLATION
thread: 2764
address: 0x7ff6a3b11c42 spooler.exe
access: read of 0x0000000000000018
"""
MODULES = "module: 0x7ff6a3b00000-0x7ff6a3b40000 spooler.exe 4.2.0.17, not here\n"
REPORT = """\
==4242==ERROR: AddressSanitizer: heap-use-after-free on address 0x602000000010 at pc 0x0000004c3a21 bp 0x7ffd5 sp 0x7ffd4
READ of size 4 at 0x602000000010 thread T0
    #0 0x4c3a20 in drain_queue /src/queue.c:41:12
"""  # noqa: E501


def _item(
    number: int, command: str, source: Source, text: str, summary: str, facts: tuple[AnyFact, ...]
) -> EvidenceRecorded:
    raw = text.encode()
    return EvidenceRecorded(
        evidence=Evidence(
            id=f"E{number}",
            command=command,
            source=source,
            intent="what ended the process",
            at=START.isoformat(),
            sha256=sha256(raw).hexdigest(),
            size=len(raw),
            lines=text.count("\n"),
            call_hash=f"{number:064x}",
            summary=summary,
        ),
        facts=facts,
    )


def _asked(category: Category, statement: str) -> list[AnyEvent]:
    hypothesis = Hypothesis(
        id="H1",
        statement=statement,
        category=category,
        confidence=0.8,
        citations=(Citation("E1", 1, 2),),
    )
    question = "Which of these should be tested?"
    return [
        PhaseEntered(phase=Phase.HYPOTHESES),
        HypothesisProposed(hypothesis=hypothesis),
        GateOpened(id="G1", kind="hypothesis", subjects=("H1",), question=question),
    ]


def minidump_events() -> tuple[Sequence[AnyEvent], dict[str, str]]:
    """A minidump in lldb, at its first gate; with its texts."""
    target = Target(
        path="/var/crash/spooler.dmp",
        kind=TargetKind.MINIDUMP,
        size=184_320,
        arch="x86_64",
        os="windows",
        recorded_executable="C:\\Program Files\\Spooler\\spooler.exe",
        pid=4120,
        thread_count=11,
    )
    record = ExceptionRecord(
        cite=Citation("E1", 1, 4),
        platform="windows",
        code=0xC0000005,
        name="EXCEPTION_ACCESS_VIOLATION",
        thread=2764,
        address=0x7FF6A3B11C42,
        access="read",
        fault_address=0x18,
    )
    opened = SessionOpened(
        session_id="session_20260314_092653_spooler",
        target=target,
        options=Options(),
        version="0",
        debugger="lldb",
        debugger_why="lldb reads minidumps",
    )
    return [
        opened,
        DebuggerStarted(name="lldb", version="23.1", path="/usr/bin/lldb"),
        PhaseEntered(phase=Phase.BASELINE),
        _item(1, "@exception", Source.FILE, RECORD, "access violation, read of 0x18", (record,)),
        _item(2, "image list", Source.DEBUGGER, MODULES, "1 module", ()),
        *_asked(Category.NULL_POINTER_DEREFERENCE, "A field of a null pointer was read."),
    ], {"E1": RECORD, "E2": MODULES}


def log_events() -> tuple[Sequence[AnyEvent], dict[str, str]]:
    """A sanitizer's report in a log, at its first gate; with its texts."""
    target = Target(
        path="/tmp/build/asan.log",
        kind=TargetKind.TRANSCRIPT,
        size=len(REPORT),
        arch="unknown",
        os="unknown",
        dialect="log",
    )
    finding = Finding(
        cite=Citation("E1", 1, 3),
        tool="AddressSanitizer",
        kind="heap-use-after-free",
        message="heap-use-after-free on address 0x602000000010",
        line=1,
        category="use-after-free",
        rank=0,
    )
    opened = SessionOpened(
        session_id="session_20260314_092653_asan",
        target=target,
        options=Options(),
        version="0",
        debugger="replay",
        debugger_why="a log is replayed",
    )
    return [
        opened,
        DebuggerStarted(name="replay", version="", path=""),
        PhaseEntered(phase=Phase.BASELINE),
        _item(1, "(opening)", Source.DEBUGGER, REPORT, "heap-use-after-free", (finding,)),
        *_asked(Category.USE_AFTER_FREE, "Memory was used after it was freed."),
    ], {"E1": REPORT}
