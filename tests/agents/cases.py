"""A finished investigation of a use after free, made of events, for the tests of the report."""

import hashlib
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta

from workbench.claims.say import cause, say
from workbench.model.category import Category
from workbench.model.citation import Citation
from workbench.model.claims import Claim
from workbench.model.critique import Conclusion
from workbench.model.events import (
    AnyEvent,
    ConclusionDrafted,
    DebuggerStarted,
    EvidenceRecorded,
    HypothesisDecided,
    HypothesisProposed,
    SessionOpened,
)
from workbench.model.evidence import Command, Evidence, Source
from workbench.model.facts import (
    AnyFact,
    Chunk,
    CoreHealth,
    Frame,
    Locals,
    LockCycle,
    Module,
    Process,
    Signal,
    SourceLine,
    Stack,
    Variable,
    Wait,
)
from workbench.model.hypothesis import Hypothesis, Rung, Status, Verdict
from workbench.model.investigation import Investigation
from workbench.model.target import Options, Target, TargetKind

START = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)

TEXTS = {
    "E1": "signal 11 SIGSEGV code 1 SEGV_MAPERR thread 4711\nfault address 0x4052b0\n",
    "E2": (
        "#0  0x0000000000401196 in conn_drop (c=0x4052a0) at src/ring.c:42\n"
        "#1  0x0000000000401230 in worker (arg=0x0) at src/ring.c:77\n"
        "#2  0x00007ffff7e00fff in start_thread () from /lib/libc.so.6\n"
    ),
    "E3": (
        "heap 0x405000-0x426000\n"
        "address 0x4052a0: chunk at 0x405290, 32 bytes, freed: tcache of thread 4711\n"
        + "".join(f"chunk 0x{0x405300 + 16 * n:x} in use\n" for n in range(300))
    ),
    "E4": '42\t    c->next = NULL; /* "</pre><script>alert(1)</script>" ``` */\n',
    "E5": 'c = 0x4052a0\nname = 0x405310 "\x1b[31mred | pipe"\n',
}

_COMMANDS = {
    "E1": "@notes",
    "E2": "bt 64",
    "E3": "@heap 0x4052a0",
    "E4": "thread apply 1 -q frame apply level 0 -q frame",
    "E5": "thread apply 1 -q frame apply level 0 -q info locals",
}

FRAME = Frame(
    index=0,
    function="conn_drop",
    file="src/ring.c",
    line=42,
    module="relay",
    offset=0x1196,
    address=0x401196,
)
CALLER = Frame(
    index=1, function="worker", file="src/ring.c", line=77, module="relay", address=0x401230
)
LIBC = Frame(index=2, function="start_thread", module="libc.so.6", address=0x7FFFF7E00FFF)


def cite(text: str) -> Citation:
    """``E3:4-6`` as a citation."""
    evidence, _, span = text.partition(":")
    first, _, last = span.partition("-")
    return Citation(evidence, int(first or 0), int(last or first or 0))


def claim(text: str, *citations: str) -> Claim:
    """A quotation of the lines that it cites."""
    return say("quote", [cite(citation) for citation in citations], text=text)


FACTS: dict[str, tuple[AnyFact, ...]] = {
    "E1": (
        Signal(
            cite=cite("E1:1-2"),
            thread=4711,
            number=11,
            name="SIGSEGV",
            code=1,
            code_name="SEGV_MAPERR",
            fault_address=0x4052B0,
            sender_pid=None,
            sender_uid=None,
        ),
        Process(
            cite=cite("E1"),
            pid=4710,
            command_line="./relay --port 1",
            executable="/opt/relay",
            arch="x86_64",
            os="linux",
            threads=(4711, 4712, 4713),
            snapshot=False,
        ),
        CoreHealth(
            cite=cite("E1"),
            truncated=False,
            executable="/opt/relay",
            executable_matches=True,
            dumped_bytes=4096,
            missing_bytes=0,
            ceiling=0.9,
            caps=("libc.so.6 has no symbols",),
            remedies=("install the symbols of libc.so.6",),
        ),
        Module(
            cite=cite("E1"),
            name="relay",
            path="/opt/relay",
            base=0x400000,
            end=0x404000,
            build_id="ab12",
            status="found",
            symbols="debug-info",
        ),
    ),
    "E2": (
        Stack(
            cite=cite("E2:1-3"),
            number=1,
            thread=4711,
            name="relay",
            frames=(FRAME, CALLER, LIBC),
            current=True,
        ),
        Stack(cite=cite("E2:3"), number=2, thread=4712, name="relay", frames=(LIBC,)),
        Stack(cite=cite("E2:3"), number=3, thread=4713, name="relay", frames=(LIBC,)),
    ),
    "E3": (
        Chunk(
            cite=cite("E3:2"),
            address=0x4052A0,
            start=0x405290,
            size=32,
            state="tcache",
            offset=0,
            heap=0x405000,
        ),
        Wait(
            cite=cite("E3"),
            thread=4712,
            kind="mutex",
            syscall="futex",
            address=0x405500,
            owner=4713,
        ),
        Wait(
            cite=cite("E3"),
            thread=4713,
            kind="mutex",
            syscall="futex",
            address=0x405540,
            owner=4711,
        ),
    ),
    "E4": (
        SourceLine(
            cite=cite("E4:1"),
            file="src/ring.c",
            line=42,
            text='c->next = NULL; /* "</pre><script>alert(1)</script>" ``` */',
        ),
    ),
    "E5": (
        Locals(
            cite=cite("E5:1-2"),
            function="conn_drop",
            variables=(Variable(name="c", value="0x4052a0"),),
        ),
    ),
}

RING = LockCycle(cite=cite("E3"), threads=(4712, 4713), locks=(0x405500, 0x405540))

GOOD = (
    cause("use-after-free", FRAME, (cite("E2:1"),)),
    say("chunk", (cite("E3:2"),), address=0x4052A0, start=0x405290, size=32, state="tcache"),
    say("signal", (cite("E1:1"),), name="SIGSEGV", thread=4711),
    say("fault_address", (cite("E1:2"),), address=0x4052B0),
)

UAF = Hypothesis(
    id="H1",
    statement="A connection is used after it was freed",
    category=Category.USE_AFTER_FREE,
    planned=(Command("@heap 0x4052a0", "is it free?"),),
)
NULL = Hypothesis(
    id="H2", statement="A null pointer | was followed", category=Category.NULL_POINTER_DEREFERENCE
)
PROVED = Verdict(
    status=Status.CONFIRMED,
    confidence=0.9,
    rung=Rung.STRUCTURE,
    reason="the chunk is in the tcache",
    supporting=(cite("E3:2"), cite("E1:2")),
    claims=GOOD,
    recommendations=("Clear the pointer after `free`.",),
    frame=FRAME,
)
LOST = Verdict(
    status=Status.REJECTED,
    confidence=0.05,
    rung=Rung.MACHINE,
    reason="the address is not near null",
    contradicting=(cite("E1:2"),),
)


def evidence(identifier: str, text: str, command: str) -> Evidence:
    """A ledger row for a text."""
    data = text.encode(errors="surrogateescape")
    return Evidence(
        id=identifier,
        command=command,
        source=Source.FILE if command.startswith("@") else Source.DEBUGGER,
        intent="to know",
        at=START.isoformat(),
        sha256=hashlib.sha256(data).hexdigest(),
        size=len(data),
        lines=max(1, text.count("\n")),
        call_hash=hashlib.sha256(command.encode()).hexdigest(),
        summary=f"what {command} says",
    )


def conclusion(*claims: Claim, confidence: float = 0.9) -> Conclusion:
    """A draft that explains H1."""
    return Conclusion(
        hypothesis="H1",
        category=Category.USE_AFTER_FREE,
        confidence=confidence,
        claims=claims or GOOD,
        frame=FRAME,
        recommendations=("Clear the pointer after `free`.",),
    )


def opening() -> list[AnyEvent]:
    """A session on a core, with a debugger and five items of evidence."""
    events: list[AnyEvent] = [
        SessionOpened(
            session_id="session_20260102_030405_core",
            target=Target(
                path="/tmp/core",
                kind=TargetKind.ELF_CORE,
                size=123456,
                arch="x86_64",
                os="linux",
                executable="/opt/relay",
                thread_count=3,
            ),
            options=Options(issue="why?"),
            version="0.1",
        ),
        DebuggerStarted(name="gdb", version="18.1", path="/usr/bin/gdb"),
    ]
    for identifier, text in TEXTS.items():
        item = evidence(identifier, text, _COMMANDS[identifier])
        events.append(EvidenceRecorded(evidence=item, facts=FACTS[identifier]))
    return events


def decided() -> list[AnyEvent]:
    """Up to two decided hypotheses."""
    return [
        *opening(),
        HypothesisProposed(hypothesis=UAF),
        HypothesisProposed(hypothesis=NULL),
        HypothesisDecided(id="H1", verdict=PROVED),
        HypothesisDecided(id="H2", verdict=LOST),
    ]


def state_of(events: Iterable[AnyEvent]) -> Investigation:
    """The fold, one second an event."""
    state = Investigation()
    for number, event in enumerate(events):
        state.apply(event, START + timedelta(seconds=number))
    return state


def drafted(*claims: Claim, confidence: float = 0.9) -> Investigation:
    """The state when the critic begins."""
    draft = conclusion(*claims, confidence=confidence)
    return state_of([*decided(), ConclusionDrafted(conclusion=draft)])
