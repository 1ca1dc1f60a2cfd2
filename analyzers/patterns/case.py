"""What the facts say of a crash, gathered for the patterns: one view, no judgement."""

import re
from collections.abc import Iterable, Mapping
from functools import cached_property

from msgspec.structs import replace

from analyzers.names import bare
from analyzers.owners.functions import is_runtime_name
from analyzers.patterns.ending import Ending, Kind, of_record, of_signal
from analyzers.patterns.frames import (
    addressed,
    application_frame,
    has_libraries,
    is_application,
    located,
)
from workbench.model.aliases import public
from workbench.model.citation import Citation
from workbench.model.facts import (
    AbortMessage,
    Argument,
    Chunk,
    CoreHealth,
    CxxException,
    ExceptionRecord,
    FactBook,
    Fault,
    Frame,
    Handled,
    Heap,
    LockCycle,
    Memory,
    Place,
    Process,
    Region,
    Registers,
    Signal,
    Stack,
    StackShape,
    Wait,
    rings,
)

_SI_TKILL = -6  # include/uapi/asm-generic/siginfo.h
NEAR_NULL = 64 * 1024
"""Below this an address is a null pointer with an offset (CONTRACT: near-null)."""
FAR = 4096
"""Members farther into an object are rare: without more, such a number need not be null."""
WORD = 8
_OF_ONE_BYTE = re.compile(
    r"(?:push|pop|ret|leave|(?:movs|stos|lods|cmps|scas)[bd](?!.*xmm))(?: |$)"
)
"""Instructions that may take one byte of code (x86-64)."""


_BREAKPOINT, _BREAKS_IN = 0x80000003, "DbgUiRemoteBreakin"
"""What a debugger runs in a thread of its own to stop a process of Windows (ntdll)."""


def is_break_in(facts: FactBook, record: ExceptionRecord) -> bool:
    """True for the breakpoint by which a debugger stopped a process that runs."""
    shown = (s for s in facts.all(Stack) if s.current or s.thread in (None, record.thread))
    return record.code == _BREAKPOINT and any(
        frame.function == _BREAKS_IN for stack in shown for frame in stack.frames[:3]
    )


def fullest(facts: FactBook) -> ExceptionRecord | None:
    """The record that says most: the last one that knows its instruction, else the last. A log
    tells of an exception more than once, and of some that were handled before."""
    records = [r for r in facts.all(ExceptionRecord) if not is_break_in(facts, r)]
    placed = [record for record in records if record.address is not None] or records
    return placed[-1] if placed else None


def interrupted(stack: Stack) -> Stack:
    """The frames that the first of the handlers on a stack interrupted."""
    handlers = [at for at, frame in enumerate(stack.frames) if frame.signal_handler]
    return replace(stack, frames=stack.frames[handlers[-1] + 1 :]) if handlers else stack


def _top(stack: Stack) -> tuple[str | None, str, int] | None:
    """The code in which a stack begins, where its function's offset is told."""
    top = next(iter(stack.frames), None)
    if top is None or top.function is None or top.offset is None:
        return None
    return top.module, top.function, top.offset


def _is(told: Frame, frame: Frame) -> bool:
    """True for a frame of the facts, whose name may have been learnt since."""
    same = told.address in (None, frame.address) and told.function in (None, frame.function)
    return same and (told.index, told.line_no) == (frame.index, frame.line_no)


class Case:
    """A reading of one `FactBook`: None, empty or False where nothing is known."""

    def __init__(self, facts: FactBook) -> None:
        self.facts = facts

    @cached_property
    def handled(self) -> Handled | None:
        """The signal that a handler had caught, and which is the one to explain."""
        return self.facts.first(Handled)

    @cached_property
    def signal(self) -> Signal | None:
        """The signal to explain: the one that a handler caught first, else what ended the
        process."""
        return self.handled.first if self.handled is not None else self.facts.first(Signal)

    @cached_property
    def process(self) -> Process | None:
        """The dumped process."""
        return self.facts.first(Process)

    @cached_property
    def ending(self) -> Ending | None:
        """The signal or exception that ended the process; None for a snapshot."""
        if self.signal is not None:
            found = of_signal(self.signal)
            return found._replace(raised=True, sent=False) if self.resent else found
        record = fullest(self.facts)
        if record is None or (self.process is not None and self.process.snapshot):
            return None
        return of_record(record)

    @property
    def own_signal(self) -> bool:
        """True when the process sent itself the signal to explain (sigaction(2), si_code)."""
        signal, process = self.signal, self.process
        if signal is None or (signal.code is not None and signal.code > 0):
            return False
        if signal.sender_pid is None:
            return signal.code == _SI_TKILL
        return process is not None and signal.sender_pid in {process.pid, *process.threads}

    @cached_property
    def resent(self) -> bool:
        """True where a handler sent its signal once more and returned: it was blocked meanwhile, so
        that it ends the process at the instruction which had raised it, the registers as they
        were (sigaction(2), SA_NODEFER). That one fails by itself, as no other would by chance."""
        signal, fault = self.signal, self.fault
        if signal is None or fault is None or not self.own_signal:
            return False
        if signal.thread not in (None, fault.thread):
            return False
        match of_signal(signal).kind:
            case Kind.ACCESS | Kind.PAGING:
                return fault.access in ("read", "write")
            case Kind.ARITHMETIC:
                return fault.divisor == 0 or fault.quotient_overflow
        return False

    def ended(self, *kinds: Kind) -> bool:
        """True when the process ended in one of these ways."""
        return self.ending is not None and self.ending.kind in kinds

    @cached_property
    def snapshot(self) -> bool:
        """True for a dump of a living process."""
        return self.ending is None and (self.process is None or self.process.snapshot)

    @property
    def narrow(self) -> bool:
        """True for a process whose words are of 32 bits."""
        return self.process is not None and self.process.bits == 32

    @cached_property
    def memory(self) -> Memory | None:
        """The mappings."""
        return self.facts.first(Memory)

    @property
    def regions(self) -> tuple[Region, ...]:
        """Each mapping."""
        return self.memory.regions if self.memory is not None else ()

    @cached_property
    def fault(self) -> Fault | None:
        """What the faulting instruction did."""
        return self.facts.last(Fault)

    @cached_property
    def ceiling(self) -> float:
        """The highest confidence that the dump's own health allows."""
        return min((health.ceiling for health in self.facts.all(CoreHealth)), default=1.0)

    @cached_property
    def message(self) -> AbortMessage | None:
        """The message that glibc kept when it aborted."""
        return self.facts.last(AbortMessage)

    @cached_property
    def exception(self) -> CxxException | None:
        """A C++ exception that no handler had, else the first in flight."""
        found = self.facts.all(CxxException)
        return next((e for e in found if e.uncaught), found[0] if found else None)

    @cached_property
    def thread(self) -> int | None:
        """The TID of the faulting thread."""
        if self.ending is not None and self.ending.thread is not None:
            return self.ending.thread
        return self.fault.thread if self.fault else None

    @cached_property
    def stack(self) -> Stack | None:
        """The faulting thread's stack: the longest listing of it. The debugger's first listing
        without a thread is of the thread that the signal hit, and so is one that begins there."""
        mine = self.thread
        found = [s for s in self.facts.all(Stack) if mine is not None and s.thread == mine]
        current = [s for s in self.facts.all(Stack) if s.current]
        found += [s for s in current[:1] if s.thread is None]
        tops = {_top(s) for s in found} - {None}
        found += [s for s in current[1:] if s.thread is None and _top(s) in tops]
        longest = max(found, key=lambda s: len(s.frames), default=None)
        if longest is None or self.handled:
            return interrupted(longest) if longest is not None else None
        return self._without_empty(longest)

    def _without_empty(self, stack: Stack) -> Stack:
        """A stack without the functions that were inlined at the fault and have no code there: the
        line is that of the one around them."""
        place, fault = self.place, self.fault
        if place is None or fault is None or place.frame.address != fault.pc:
            return stack
        if _OF_ONE_BYTE.match(fault.instruction or ""):
            return stack
        level = place.frame.index
        inner, rest = stack.frames[:level], stack.frames[level:]
        own = place.frame
        if not rest or not all(frame.inlined for frame in inner):
            return stack
        if rest[0].index != level or bare(rest[0].function or "") != own.function:
            return stack
        first = replace(rest[0], file=own.file, line=own.line, address=own.address,
                        line_no=own.line_no, file_lines=own.file_lines)  # fmt: skip
        return replace(stack, frames=(first, *rest[1:]))

    @property
    def frames(self) -> tuple[Frame, ...]:
        """The frames of the faulting thread's stack, innermost first."""
        return self.stack.frames if self.stack is not None else ()

    @property
    def top(self) -> Frame | None:
        """The innermost of them."""
        return next(iter(self.frames), None)

    @property
    def calls_out(self) -> bool:
        """True where what the application's frame called failed: it gave its operand away."""
        if self.left is not None:
            return True
        return self.top is not None and self.frame is not None and self.top.index < self.frame.index

    def runs_here(self, frame: Frame) -> bool:
        """True for the frame that failed: what it called was inlined into it."""
        return all(other.inlined for other in self.frames if other.index < frame.index)

    @property
    def place(self) -> Place | None:
        """Whose code stands at the fault, where the listing begins with what has none there."""
        return self.facts.last(Place)

    @cached_property
    def shape(self) -> StackShape | None:
        """The faulting thread's stack as memory."""
        return next(
            (s for s in reversed(self.facts.all(StackShape)) if s.thread == self.thread), None
        )

    @cached_property
    def heaps(self) -> list[Heap]:
        """The latest walk of each heap."""
        latest = {heap.start: heap for heap in self.facts.all(Heap)}
        return list(latest.values())

    @cached_property
    def waits(self) -> dict[int, Wait]:
        """What each thread waits for, by TID."""
        found = {wait.thread: wait for wait in self.facts.all(Wait)}
        stacks = {stack.thread: stack for stack in self.facts.all(Stack)}
        alone = len(found) == 1
        return {
            tid: named_by_stack(wait, self.stack_of(tid) if alone else stacks.get(tid))
            for tid, wait in found.items()
        }

    @cached_property
    def cycles(self) -> list[LockCycle]:
        """Rings of threads that wait for each other."""
        return all_cycles(self.facts.all(LockCycle), self.waits)

    @cached_property
    def frame(self) -> Frame | None:
        """The application's innermost frame of the faulting thread. None where the function that
        it had called is the application's too, and `left` no frame."""
        return self.listed if self.left is None else None

    @cached_property
    def listed(self) -> Frame | None:
        """The innermost that is known, by unwinding, else the one that ran at the thread's pc, else
        the nearest likely return address on its stack."""
        found = self.frame_of(self.stack)
        if found is not None or not has_libraries(self.memory):
            return found
        running = self.running if self.stack is None else None
        scanned = self.shape.scanned if self.shape is not None else ()
        near = (*((running,) if running is not None else ()), *scanned)
        return next((frame for frame in near if self.is_ours(frame)), None)

    @property
    def running(self) -> Frame | None:
        """The frame at the faulting thread's pc, by the symbols that the dump's files have."""
        known = self.fault is not None and self.thread in (None, self.fault.thread)
        return self.fault.running if self.fault is not None and known else None

    @cached_property
    def left(self) -> Frame | None:
        """The application's function that went on by a jump into the library's that failed, and
        left no frame: the innermost frame of the application's that is listed had called it."""
        listed = self.frame_of(self.stack)
        if listed is None or self.stack is None or self.fault is None or not listed.index:
            return None
        within = [f.address for f in addressed(self.stack) if f.index <= listed.index]
        gone = (left.frame for left in self.fault.left if left.back in within)
        return next((frame for frame in gone if self.is_ours(frame)), None)

    @cached_property
    def unlisted(self) -> Frame | None:
        """The application's function that holds the library's code which its innermost listed frame
        is said to have called: lldb drops it where a call that never returns is the last
        instruction of what was inlined (StackFrameList.cpp: by the return address)."""
        listed, shape = self.listed, self.shape
        inner = [f for f in addressed(self.stack) if f.index < listed.index] if (
            listed is not None and self.stack is not None
        ) else []  # fmt: skip
        if listed is None or shape is None or not inner or (
            listed.address in (None, inner[-1].address)
        ):  # fmt: skip
            return None
        around = (one for one in shape.scanned if one.address == inner[-1].address)
        return next((one for one in around if self.is_ours(one)), None)

    @cached_property
    def blamed(self) -> Frame | None:
        """The application's frame that did what failed: the one that went there by a jump in place
        of a call, which left no frame."""
        if self.left is not None:
            return self.left
        fault, frame = self.fault, self.running
        if fault is None or frame is None or (fault.access, fault.transfer) != ("execute", "jump"):
            return self.frame
        return frame if frame.function and self.is_ours(frame) else None

    def frame_of(self, stack: Stack | None) -> Frame | None:
        """The application's innermost frame of a stack, its address filled in where gdb prints
        none. In a static program without symbols only the frame of a fault is the application's
        for all that is known: any other may be the C library's."""
        found = application_frame(stack, self.memory, self.process, self._pc(stack))
        if found is None:
            return None
        alike = found.function is None and not has_libraries(self.memory)
        if alike and not (found.index == 0 and stack is self.stack and self.faulted):
            return None
        return found

    @cached_property
    def faulted(self) -> bool:
        """True when an instruction raised the signal (sigaction(2), si_code over zero) or the
        exception."""
        return self.ending is not None and self.ending.raised

    def _pc(self, stack: Stack | None) -> int | None:
        """Where the innermost frame of the faulting stack runs."""
        return self.fault.pc if self.fault is not None and stack is self.stack else None

    def is_ours(self, frame: Frame) -> bool:
        """True when a frame runs the application's own code."""
        return is_application(frame, self.memory, self.process)

    def stack_of(self, thread: int) -> Stack | None:
        """The longest listing of a thread's stack."""
        found = [s for s in self.facts.all(Stack) if s.thread == thread]
        alone = self.process is not None and self.process.threads == (thread,)
        if not found and (thread == self.thread or alone):
            return self.stack
        return max(found, key=lambda s: len(s.frames), default=None)

    def registers(self, level: int) -> Registers | None:
        """The registers of one frame of the selected thread."""
        return next(
            (r for r in reversed(self.facts.all(Registers)) if r.frame == level and not r.thread),
            None,
        )

    def region(self, address: int | None) -> Region | None:
        """The mapping that holds an address."""
        return None if address is None or self.memory is None else self.memory.region(address)

    def reached(self, fault: Fault) -> int | None:
        """The address that an access failed at: its operand, or where the mapping of that ends
        within the bytes that were touched."""
        region = self.region(fault.operand)
        if region is None or fault.operand is None:
            return fault.operand
        return (
            region.end if region.end < fault.operand + (fault.operand_size or 1) else fault.operand
        )

    def described(self, address: int | None) -> bool:
        """True when an address lies in memory that the dump knows to be mapped."""
        region = self.region(address)
        return region is not None and region.kind != "unknown"

    def chunk(self, address: int | None) -> Chunk | None:
        """Where an address lies in the heap, as the latest walk says."""
        return next((c for c in reversed(self.facts.all(Chunk)) if c.address == address), None)

    def arguments(self, *functions: str) -> list[Argument]:
        """Recovered arguments of calls to the named functions, or of any call where no name is
        given; latest first."""
        found = list(reversed(self.facts.all(Argument)))
        return [a for a in found if not functions or public(bare(a.function or "")) in functions]

    def calls(self, *functions: str, within: int | None = None) -> Frame | None:
        """The innermost frame of the faulting stack that runs one of the named functions."""
        named = (frame for frame in self.frames[:within] if frame.function is not None)
        return next((f for f in named if public(bare(f.function or "")) in functions), None)

    def matching(self, name: re.Pattern[str], within: int | None = None) -> Frame | None:
        """The innermost frame of it in whose function's name, without arguments, a pattern is
        found."""
        named = (frame for frame in self.frames[:within] if frame.function is not None)
        return next((f for f in named if name.search(bare(f.function or ""))), None)

    def caller_of(self, frame: Frame) -> Frame | None:
        """The application's first frame outside of a runtime's frame; None where code in between
        has no name and, as in a log, nothing tells whose it is."""
        if self.stack is None:
            return None
        known = has_libraries(self.memory)
        for other in addressed(self.stack, self._pc(self.stack)):
            if other.index > frame.index and self.is_ours(other):
                return located(other, self.memory)
            nameless = other.function is other.module is None and not other.signal_handler
            if other.index > frame.index and nameless and not known:
                return None
        return None

    def holding(self, frame: Frame) -> Stack | None:
        """The listing of a stack that a frame is of."""
        mine = [self.stack] if self.stack is not None else []
        return next(
            (
                stack
                for stack in (*mine, *self.facts.all(Stack))
                if any(_is(f, frame) and f.args == frame.args for f in stack.frames)
            ),
            None,
        )

    def cite(self, frame: Frame | None) -> tuple[Citation, ...]:
        """The line that shows a frame."""
        if frame is None or not frame.line_no:
            return ()
        own = self.place
        if own is not None and (own.frame.line_no, own.frame.file_lines) == (
            frame.line_no, frame.file_lines
        ):  # fmt: skip
            lines = Citation(own.cite.evidence, frame.line_no, frame.line_no)
            return (lines, Citation(own.cite.evidence, *(frame.file_lines or ())))
        stack = self.holding(frame)
        if stack is not None:
            said = Citation(stack.cite.evidence, frame.line_no, frame.line_no)
            if frame.file_lines is None:
                return (said,)
            return (said, Citation(stack.cite.evidence, *frame.file_lines))
        for fault in self.facts.all(Fault):
            known = (*((fault.running,) if fault.running is not None else ()),
                     *(left.frame for left in fault.left))  # fmt: skip
            if any(_is(one, frame) for one in known):
                return (Citation(fault.cite.evidence, frame.line_no, frame.line_no),)
        for shape in self.facts.all(StackShape):
            listed = (*shape.scanned, *shape.below, shape.entered, *shape.outer)
            if any(f and _is(f, frame) for f in listed):
                return (Citation(shape.cite.evidence, frame.line_no, frame.line_no),)
        return ()

    def cite_region(self, region: Region | None) -> tuple[Citation, ...]:
        """The line that shows a mapping."""
        if region is None or self.memory is None:
            return ()
        if not region.line:
            return (self.memory.cite,)
        return (Citation(self.memory.cite.evidence, region.line, region.line),)


def all_cycles(told: Iterable[LockCycle], waits: Mapping[int, Wait]) -> list[LockCycle]:
    """The rings that were told, each once, then those that follow from the locks' owners."""
    found: dict[frozenset[int], LockCycle] = {}
    for cycle in told:
        found.setdefault(frozenset(cycle.threads), cycle)
    for ring in rings({thread: wait.owner for thread, wait in waits.items()}):
        held = [waits[thread] for thread in ring]
        locks = tuple(wait.address for wait in held if wait.address is not None)
        if len(locks) == len(ring):
            cycle = LockCycle(cite=held[0].cite, threads=ring, locks=locks)
            found.setdefault(frozenset(ring), cycle)
    return list(found.values())


_NEAREST = 12
_POOL = "__waiter_pool"
"""Where libstdc++ waits for what is no int (bits/atomic_wait.h): it lies in none of them."""
_BARE = ("futex", "condition", "once")
# library/std/src/sys/sync/{mutex,rwlock,condvar}/futex.rs; before 1.78 under sys::unix::locks.
_RUST = re.compile(
    r"^std::sys::(?:\w+::){1,5}(?P<kind>Mutex|RwLock|Condvar)"
    r"::(?:lock_contended|write_contended|read_contended|wait|wait_timeout|wait_optional_timeout)$"
)
_KINDS = {"Mutex": "mutex", "RwLock": "rwlock", "Condvar": "condition"}


# libstdc++: bits/atomic_futex.h under std::future, what stands on bits/atomic_wait.h; libc++:
# src/future.cpp. Rust: std::sync::mpmc.
_OTHERS = (
    ("future", re.compile(r"^std::(?:__\w+::)?(?:__atomic_futex_unsigned|__future_base::"
                          r"|__assoc_sub_state::)")),
    ("channel", re.compile(r"^std::sync::mp[ms]c::")),
    ("latch", re.compile(r"^std::(?:__\w+::)?latch::")),
    ("barrier", re.compile(r"^std::(?:__\w+::)?(?:barrier|__tree_barrier)\b")),
    ("semaphore", re.compile(r"^std::(?:__\w+::)?(?:counting_semaphore|__atomic_semaphore)\b")),
    ("atomic", re.compile(r"^std::(?:__\w+::)?(?:__atomic_base|atomic(?:_flag)?)\b.*::wait$")),
)  # fmt: skip


_PARKS = re.compile(r"^std::(?:thread::(?:\w+::)*|sys::(?:\w+::)+Parker::)park$")


def named_by_stack(wait: Wait, stack: Stack | None) -> Wait:
    """The wait with the kind that the innermost frames of the thread tell, where they do."""
    if stack is None or wait.kind not in _BARE or wait.owner is not None:
        return wait
    parked = False
    for frame in stack.frames[:_NEAREST]:
        name = bare(frame.function) if frame.function else ""
        if name and not is_runtime_name(name):
            break  # what it is called for is another wait
        found = _RUST.match(name)
        kind = _KINDS[found["kind"]] if found is not None else next(
            (kind for kind, frames in _OTHERS if frames.match(name)), None)  # fmt: skip
        if kind is not None and _POOL in (wait.name or ""):
            return replace(wait, kind=kind, name=None, address=None)
        if kind is not None:
            return replace(wait, kind=kind)
        parked = parked or bool(_PARKS.match(name))  # for what calls it, where that is known
    return replace(wait, kind="unpark") if parked else wait
