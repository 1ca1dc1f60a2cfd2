"""Statements that several causes make of a fault."""

from analyzers.names import common
from analyzers.patterns.case import Case
from analyzers.patterns.words import line_of, of, placed
from workbench.claims.say import Cites, at, say
from workbench.model.claims import Arg, Claim
from workbench.model.facts import Argument, Fault, Frame, Returned


def accessed(case: Case, fault: Fault | None) -> list[Claim]:
    """What the faulting instruction did: where control went, or what it read or wrote, through
    which register."""
    if fault is None:
        return []
    if fault.access == "execute":
        target = fault.operand if fault.operand is not None else fault.pc
        if target != fault.pc:  # it still is at the call or the return
            went = say("access", of(fault), pc=fault.pc, access=fault.access, address=target)
            return [went, *mapped(case, target)]
        how = fault.transfer if fault.transfer != "unknown" else None
        went = say("transfer", of(fault), pc=target, transfer=how, from_=fault.transfer_from)
        return [went, *mapped(case, target)]
    if fault.operand is None:
        return []
    near = fault.base_register if fault.base_value is not None else None
    return [
        say("access", of(fault), pc=fault.pc, access=fault.access, address=fault.operand,
            register=near, value=fault.base_value if near else None)
    ]  # fmt: skip


def mapped(case: Case, address: int) -> list[Claim]:
    """What lies at an address, where the dump knows its mappings."""
    if case.memory is None or not case.memory.regions:
        return []
    region = case.region(address)
    if region is None:
        return [say("mapped", of(case.memory), address=address, kind="unmapped")]
    lines = case.cite_region(region)
    return [say("mapped", lines, address=address, kind=region.kind,
                perms=region.perms if "?" not in region.perms else None,
                path=region.path if region.kind == "file" else None)]  # fmt: skip


def stopped(case: Case) -> list[Claim]:
    """The message with which the runtime gave up, up to its first line's end."""
    if case.message is None:
        return []
    return [say("message", of(case.message), text=case.message.text)]


def passed(argument: Argument | None, *, region: bool = False) -> list[Claim]:
    """What a call was given, and with ``region`` where that lies."""
    if argument is None:
        return []
    where = argument.region if region and argument.region != "unknown" else None
    return [say("argument", of(argument), value=argument.value,
                function=_written(argument.function, of(argument)), region=where)]  # fmt: skip


def _written(function: str | None, lines: Cites) -> Arg | None:
    """A function of the runtime, shown as its callers write it."""
    if not function:
        return None
    name = common(function)
    return at(function, lines, name if name != function else "")


def inside(case: Case, address: int, *, offset: bool = False) -> list[Claim]:
    """The chunk of the heap that holds an address: its state, or with ``offset`` how far in."""
    chunk = case.chunk(address)
    if chunk is None:
        return []
    state, distance = (None, chunk.offset) if offset else (chunk.state, None)
    return [say("chunk", of(chunk), address=address, start=chunk.start, state=state,
                offset=distance)]  # fmt: skip


def whole(case: Case) -> list[Claim]:
    """The heaps whose headers are consistent."""
    sound = (heap for heap in case.heaps if heap.broken_at is None)
    return [say("headers", of(heap), state="whole", start=heap.start) for heap in sound]


def loaded(fault: Fault | None, most: int = 1) -> list[Claim]:
    """Where the base register's value came from, nearest first."""
    return [
        say("loaded", of(fault), register=load.register, value=load.value, source=load.source)
        for load in (fault.origin[:most] if fault is not None else ())
        if load.value is not None
    ]


def base_call(fault: Fault | None) -> Returned | None:
    """The call that returned the base register's value, or the null that it was made from."""
    if fault is None or fault.origin_call is None:
        return None
    if fault.origin_value not in (0, fault.base_value):
        return None
    return Returned(fault.origin_call, fault.origin_value, fault.origin_line)


def returned(fault: Fault | None, ended: Returned | None) -> list[Claim]:
    """The call that a walk back ended at, with its result."""
    if fault is None or ended is None or ended.value is None:
        return []
    lines = line_of(fault, ended.line)
    return [say("returned_by", lines, function=_written(ended.function, lines), value=ended.value)]


def copied(fault: Fault) -> list[Claim]:
    """What the bad pointer spells, and where the same word is."""
    spelled = fault.spelled
    if spelled is None:
        return []
    found = [say("data", of(fault), value=spelled.value, text=spelled.text)]
    if spelled.cell is not None:
        found.append(say("data", of(fault), value=spelled.value, cell=spelled.cell,
                         start=spelled.start, end=spelled.end))  # fmt: skip
    return found


def on_stack(case: Case, *frames: Frame | None) -> list[Claim]:
    """What stands in the frames of the faulting thread, where a line shows them."""
    return [say("frame", case.cite(frame), index=frame.index, **placed(frame, case.cite(frame)))
            for frame in frames if frame is not None and case.cite(frame)]  # fmt: skip
