"""What the facts know, gathered so that a sentence can be held to it."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import islice

from workbench.model.facts import (
    AbortMessage,
    Argument,
    Chunk,
    CxxException,
    ExceptionRecord,
    FactBook,
    Fault,
    Finding,
    Frame,
    Heap,
    Locals,
    ManagedException,
    Memory,
    Region,
    Registers,
    Signal,
    SourceLine,
    Stack,
    StackShape,
    Threads,
)

MOST_FRAMES = 200_000
"""Frames that are looked at, of all stacks together."""
_ARGUMENT = re.compile(r"\b(\w+)=(?:\w+@entry=)?(0x[0-9a-f]+|-?\d+)(?![\w.])")
_WHOLE = re.compile(r"(?:\([^()]*\) )?(0x[0-9a-f]+|-?\d+)(?: (?:<.*>|\".*|'.*))?")
_SAME = {"eip": "rip", "esp": "rsp", "ebp": "rbp", "pc": "rip"}


class Known:
    """Views of a fact book; each is made when it is first asked for."""

    def __init__(self, facts: FactBook, causes: Iterable[str] = ()) -> None:
        self.facts = facts
        self.signal = facts.first(Signal)
        self.fault = facts.first(Fault)
        self.records = facts.all(ExceptionRecord)
        self.shape = facts.first(StackShape)
        self.chunks = facts.all(Chunk)
        self.causes = {finding.category for finding in facts.all(Finding)} | set(causes)
        self.blamed_frames: Sequence[Frame] = ()
        """Frames to which experts' verdicts point."""
        self.by_model = False
        """Whether the claim at hand is a model's, which is held to more."""
        self.cited: Sequence[str] = ()
        """The lines that the claim at hand cites."""

    @cached_property
    def registers(self) -> dict[str, set[int]]:
        """Every value that a register is known to have had, by its name."""
        found: dict[str, set[int]] = defaultdict(set)
        for registers in self.facts.all(Registers):
            for register in registers.values:
                found[_same(register.name)].add(register.value)
        for fault in self.facts.all(Fault):
            for name, value in (
                (fault.base_register, fault.base_value),
                (fault.index_register, fault.index_value),
                *((load.register, load.value) for load in fault.origin),
            ):
                if name is not None and value is not None:
                    found[_same(name)].add(value)
        return found

    def register(self, name: str) -> set[int]:
        """The values of one register; empty when it is none or was not shown."""
        return self.registers.get(_same(name.lstrip("$%").lower()), set())

    @cached_property
    def _now(self) -> dict[str, set[int]]:
        found: dict[str, set[int]] = defaultdict(set)
        for registers in self.facts.all(Registers):
            for register in registers.values if registers.frame == 0 else ():
                found[_same(register.name)].add(register.value)
        for fault in self.facts.all(Fault):
            if fault.base_register is not None and fault.base_value is not None:
                found[_same(fault.base_register)].add(fault.base_value)
        return found

    def register_now(self, name: str) -> set[int]:
        """Its values where the threads stopped; where these are not known, all of them."""
        return self._now.get(_same(name.lstrip("$%").lower())) or self.register(name)

    @property
    def blamed(self) -> set[str]:
        """Bare names of the functions to which experts' verdicts point."""
        return {bare(frame.function) for frame in self.blamed_frames if frame.function}

    @property
    def shapes(self) -> list[StackShape]:
        """The stacks that were read as memory."""
        return self.facts.all(StackShape)

    @cached_property
    def returned(self) -> set[str]:
        """Bare names of functions that had returned: where they were called from is left below the
        stack pointer."""
        below = (frame.function for shape in self.shapes for frame in shape.below)
        return {bare(function) for function in below if function}

    def tids(self, number: int) -> set[int]:
        """What a thread's number may mean: its TID, and that of the debugger's thread N."""
        listed = (item for threads in self.facts.all(Threads) for item in threads.items)
        return {number} | {item.thread for item in listed if item.number == number}

    @cached_property
    def arguments(self) -> dict[str, set[int]]:
        """Whole numbers that the frames of all stacks show for each argument."""
        found: dict[str, set[int]] = defaultdict(set)
        for frame in self.frames:
            for name, value in _ARGUMENT.findall(frame.args):
                found[name].add(int(value, 16 if value.startswith("0x") else 10))
        return found

    def numbers_of(self, variable: str) -> set[int] | None:
        """The whole numbers that are shown for a variable; None where it is not shown, or with a
        value that is none."""
        shown = self.variables.get(variable, set())
        read = [_WHOLE.fullmatch(value) for value in shown]
        if not all(read):
            return None
        found = {int(m[1], 16 if m[1].startswith("0x") else 10) for m in read if m is not None}
        return found | self.arguments.get(variable, set()) or None

    @cached_property
    def frames(self) -> list[Frame]:
        """The frames of all stacks."""
        return list(islice(self._frames(), MOST_FRAMES))

    def _frames(self) -> Iterator[Frame]:
        for stack in self.facts.all(Stack):
            yield from stack.frames
        for fault in self.facts.all(Fault):
            if fault.running is not None:
                yield fault.running
        for shape in self.facts.all(StackShape):
            yield from shape.scanned
        for thrown in self.facts.all(ManagedException):
            yield from thrown.frames
        for finding in self.facts.all(Finding):
            for role in finding.stacks:
                yield from role.frames

    @cached_property
    def stacks(self) -> list[tuple[str, ...]]:
        """The functions of each stack, innermost first."""
        lists: list[Iterable[Frame]] = [stack.frames for stack in self.facts.all(Stack)]
        for finding in self.facts.all(Finding):
            lists += [role.frames for role in finding.stacks]
        return list(
            dict.fromkeys(tuple(bare(frame.function) for frame in frames) for frames in lists)
        )

    @cached_property
    def places(self) -> dict[str, set[tuple[str, int]]]:
        """(file's name, line) pairs of each function, by its bare name."""
        found: dict[str, set[tuple[str, int]]] = defaultdict(set)
        for frame in self.frames:
            if frame.function and frame.file and frame.line:
                found[bare(frame.function)].add((file_name(frame.file), frame.line))
        return found

    @cached_property
    def functions_at(self) -> dict[tuple[str, int], set[str]]:
        """The functions of each place."""
        found: dict[tuple[str, int], set[str]] = defaultdict(set)
        for function, places in self.places.items():
            for place in places:
                found[place].add(function)
        return found

    @cached_property
    def functions(self) -> set[str]:
        """Bare names of all functions that stand on a stack."""
        return {bare(frame.function) for frame in self.frames} - {""}

    @cached_property
    def addresses(self) -> dict[str, set[int]]:
        """Code addresses of each function's frames."""
        found: dict[str, set[int]] = defaultdict(set)
        for frame in self.frames:
            if frame.function and frame.address is not None:
                found[bare(frame.function)].add(frame.address)
        return found

    @cached_property
    def variables(self) -> dict[str, set[str]]:
        """What was printed for each variable."""
        found: dict[str, set[str]] = defaultdict(set)
        for fact in self.facts.all(Locals):
            for variable in fact.variables:
                found[variable.name].add(variable.value)
        return found

    @cached_property
    def ended_in(self) -> list[tuple[str, ...]]:
        """The functions of the thread that ended the process, innermost first."""
        thread = self.signal.thread if self.signal is not None else None
        thread = self.fault.thread if self.fault is not None else thread
        stacks = self.facts.all(Stack)
        found = [s for s in stacks if s.current or (s.thread is not None and s.thread == thread)]
        found = found or (stacks if len(stacks) == 1 else [])
        return [tuple(bare(frame.function) for frame in stack.frames) for stack in found]

    @cached_property
    def faulting(self) -> set[int]:
        """Addresses of the instruction at which the process ended."""
        found = {fault.pc for fault in self.facts.all(Fault)}
        found |= {r.address for r in self.records if r.address is not None}
        found |= {f.pc for f in self.facts.all(Finding) if f.pc is not None}
        return found

    @cached_property
    def code(self) -> set[int]:
        """Addresses of instructions that some fact names."""
        found = set(self.faulting)
        for fault in self.facts.all(Fault):
            found |= {load.at for load in fault.origin}
            if fault.transfer_from is not None:
                found.add(fault.transfer_from)
        found |= {frame.address for frame in self.frames if frame.address is not None}
        found |= {argument.at for argument in self.facts.all(Argument)}
        return found

    @cached_property
    def touched(self) -> set[int]:
        """Addresses that the failed access went to."""
        found: set[int | None] = {self.signal.fault_address} if self.signal else set()
        for fault in self.facts.all(Fault):
            found.add(fault.operand)
            if fault.access == "execute":
                found.add(fault.pc)
        found |= {record.fault_address for record in self.records}
        found |= {finding.address for finding in self.facts.all(Finding)}
        return {address for address in found if address is not None}

    @cached_property
    def pointers(self) -> set[int]:
        """What was used as an address, and what it was computed from."""
        found = set(self.touched)
        for fault in self.facts.all(Fault):
            values = [fault.base_value, *(load.value for load in fault.origin)]
            found |= {value for value in values if value is not None}
        return found

    @cached_property
    def accesses(self) -> set[str]:
        """read, write, execute: what the failed access was."""
        found = {fault.access for fault in self.facts.all(Fault)}
        found |= {r.access for r in self.records if r.access is not None}
        found |= {f.access for f in self.facts.all(Finding) if f.access is not None}
        return found - {"none"}

    @cached_property
    def mnemonics(self) -> set[str]:
        """The operations of the faulting instruction."""
        return {fault.mnemonic for fault in self.facts.all(Fault) if fault.mnemonic is not None}

    @cached_property
    def chunk_starts(self) -> set[int]:
        """Addresses at which a chunk of the heap is known to begin, or its memory."""
        found = {n for chunk in self.chunks for n in (chunk.start, chunk.start + 16)}
        for heap in self.facts.all(Heap):
            found |= {n for n in (heap.broken_at, heap.before) if n is not None}
        return found

    @cached_property
    def stack_pointers(self) -> set[int]:
        """Values of the stack pointer."""
        found = {shape.pointer for shape in self.facts.all(StackShape)}
        found |= {f.stack_pointer for f in self.facts.all(Fault) if f.stack_pointer is not None}
        return found | self.register("rsp") | self.register("sp")

    @cached_property
    def stack_starts(self) -> set[int]:
        """Where a stack begins or ends."""
        shapes = self.facts.all(StackShape)
        found = {n for shape in shapes for n in (shape.start, shape.end) if n is not None}
        for region in self._regions:
            if region.kind == "stack":
                found |= {region.start, region.end}
        return found

    @cached_property
    def types(self) -> set[str]:
        """Types of the exceptions that were thrown."""
        found: set[str] = set()
        for cxx in self.facts.all(CxxException):
            found |= {cxx.type, *cxx.bases} | ({cxx.mangled} if cxx.mangled else set())
        for managed in self.facts.all(ManagedException):
            found |= {managed.type, *(inner.type for inner in managed.inner)}
        return found

    @cached_property
    def messages(self) -> str:
        """What the C library said when it ended the process."""
        return "\n".join(message.text for message in self.facts.all(AbortMessage))

    @cached_property
    def sources(self) -> set[tuple[str, int]]:
        """Places whose source text was shown."""
        return {
            (file_name(line.file), line.line) for line in self.facts.all(SourceLine) if line.file
        }

    @cached_property
    def _regions(self) -> tuple[Region, ...]:
        return tuple(region for memory in self.facts.all(Memory) for region in memory.regions)

    def region(self, address: int) -> Region | None:
        """The mapping that holds an address; None when there is none or no map."""
        for memory in self.facts.all(Memory):
            found = memory.region(address)
            if found is not None:
                return found
        return None

    @property
    def has_map(self) -> bool:
        """True when a whole map of the memory is there, so that what is not in it is unmapped."""
        return bool(self._regions) and all(r.kind != "unknown" for r in self._regions)


def bare(function: str | None) -> str:
    """A function's last name, without scope, parameters, version and its compiler's suffix."""
    if function is None:
        return ""
    name = re.sub(r"^(?:.*[^:])?::(?=operator\b)", "", function)
    if "operator" in name:
        return name.split("(", 1)[0].strip()
    name = re.sub(r"\(\*?([^()]*)\)\.", r"\1::", name)  # Go's methods: main.(*Manager).run
    name = re.split(r"[(<@ ]", name.replace("`", "'"), maxsplit=1)[0] or name
    name = re.split(r"\.(?:isra|constprop|part|cold|lto_priv)\b", name)[0]
    return re.split(r"::|[.!+]", name)[-1] or name


def file_name(path: str) -> str:
    """The last part of a path of any system, in lower case, for Windows writes it both ways."""
    return re.split(r"[\\/]", path)[-1].lower()


def _same(register: str) -> str:
    return _SAME.get(register, register)
