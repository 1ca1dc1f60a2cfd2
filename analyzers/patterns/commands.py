"""The commands that patterns ask: each names its frame or address, none needs a selection."""

import re
from itertools import product

from analyzers.patterns.case import NEAR_NULL, Case
from workbench.model.evidence import Command, question
from workbench.model.facts import Frame
from workbench.model.listing import is_source

_CALLER_REGISTERS = ("rbx", "r12", "r13", "r14", "r15")
_STEP = re.compile(r"(?<=\w)\.(?=[A-Za-z_])")
_MOST_STEPS = 3
_PLAIN = re.compile(r"[\w./+-]{1,200}")
"""A file's name that stands in a command as it is."""


def of_cdb(text: str, intent: str) -> Command:
    """What only the debuggers of Windows are asked."""
    return question("", intent, cdb=text)


def source(frame: Frame | None) -> tuple[Command, ...]:
    """The source line of a frame."""
    if frame is None:
        return ()
    if not is_source(frame.file):
        return code(frame.address)
    n = frame.index
    return (
        question(
            f"frame apply level {n} -q frame",
            "the source line of this frame",
            lldb=f"frame select {n}",
            cdb=f".frame 0n{n}",
        ),
    )


def listing(frame: Frame, count: int) -> tuple[Command, ...]:
    """So many lines of source up to a frame's own. lldb 14 finds the file of a selected frame
    alone, where a Rust compiler named its unit otherwise."""
    if frame.line is None or _PLAIN.fullmatch(frame.file or "") is None:
        return ()
    first = max(frame.line - count + 1, 1)
    span = f"-l {first} -c {frame.line - first + 1}"
    lldb = f"frame select {frame.index}; source list {span}"
    shown = f"list {frame.file}:{first},{frame.line}"
    return (question(shown, "what its function did before", lldb=lldb),)


def variables(frame: Frame | None) -> tuple[Command, ...]:
    """Arguments and locals of a frame that has debug information."""
    if frame is None or frame.file is None:
        return ()
    n = frame.index
    level, shown = f"frame apply level {n} -q", f"frame select {n}; frame variable"
    return (
        question(
            f"{level} info args",
            "what the function was given",
            lldb=f"{shown} --no-locals",
            cdb=f".frame 0n{n}; dv /t /v",
        ),
        question(f"{level} info locals", "what its variables hold", lldb=f"{shown} --no-args"),
    )


def value(
    frame: Frame | None, expression: str, intent: str = "what the operand is called in the source"
) -> tuple[Command, ...]:
    """What an expression of the source is in a frame. Of Rust's ``p.x`` lldb has to be told whether
    ``p`` is a reference, at each step."""
    if frame is None:
        return ()
    n, lldb = frame.index, expression
    steps = _STEP.split(expression, _MOST_STEPS) if (frame.file or "").endswith(".rs") else []
    for arrows in [*product((".", "->"), repeat=len(steps) - 1)][1:] if steps else ():
        lldb += " " + "".join(map(str.__add__, steps, (*arrows, "")))
    return (
        question(
            f"frame apply level {n} -q print {expression}",
            intent,
            lldb=f"frame select {n}; frame variable {lldb}",
        ),
    )


def registers(frame: Frame | None) -> tuple[Command, ...]:
    """The registers of a frame, which recover a call's arguments."""
    if frame is None or frame.trust == "scan":
        return ()
    n = frame.index
    why = "the caller's registers, to recover what it passed"
    return (
        question(
            f"frame apply level {n} -q info registers",
            why,
            lldb=f"frame select {n}; register read",
            cdb=f".frame /r 0n{n}",
        ),
    )


def code(address: int | None, count: int = 3) -> tuple[Command, ...]:
    """The instructions at an address."""
    if address is None:
        return ()
    lldb = f"disassemble --start-address {address:#x} --count {count}"
    cdb = f"u {address:#x} L0n{count}"
    return (question(f"x/{count}i {address:#x}", "the instructions there", lldb=lldb, cdb=cdb),)


def words(case: Case, address: int | None, intent: str, count: int = 4) -> tuple[Command, ...]:
    """The memory at an address, in words of the process's own size."""
    if address is None:
        return ()
    size, show = ("w", "dd") if case.narrow else ("g", "dq")
    text = f"x/{count}{size}x {address:#x}"
    return (question(text, intent, lldb=text, cdb=f"{show} {address:#x} L0n{count}"),)


def symbol(address: int | None) -> tuple[Command, ...]:
    """What an address belongs to."""
    if address is None:
        return ()
    lldb, cdb = f"image lookup --address {address:#x}", f"ln {address:#x}"
    return (
        question(f"info symbol {address:#x}", "what this address belongs to", lldb=lldb, cdb=cdb),
    )


def siginfo() -> tuple[Command, ...]:
    """The signal's own record."""
    why = "what ended the process, as the system recorded it"
    return (question("p $_siginfo", why, lldb="thread info", cdb=".exr -1"),)


def stacks(intent: str) -> tuple[Command, ...]:
    """Every thread's innermost frames."""
    lldb = "thread backtrace --count 32 all"
    return (question("thread apply all bt 32", intent, lldb=lldb, cdb="~*kn 0n32"),)


def heap(*addresses: int | None) -> tuple[Command, ...]:
    """Whether addresses lie in memory that the allocator holds as free."""
    known = list(dict.fromkeys(a for a in addresses if a is not None and a >= NEAR_NULL))[:8]
    if not known:
        return ()
    text = "@heap " + " ".join(f"{address:#x}" for address in known)
    return (Command(text, "whether the allocator holds this memory as free"),)


def call(case: Case, frame: Frame | None) -> tuple[Command, ...]:
    """What a frame passed to the function that it called, once its registers are known."""
    found = case.registers(frame.index) if frame is not None else None
    if found is None:
        return ()
    pc, sp, bp = found.get("rip"), found.get("rsp"), found.get("rbp")
    if pc is None or sp is None:
        return ()
    text = f"@call pc={pc:#x} sp={sp:#x}" + (f" bp={bp:#x}" if bp is not None else "")
    for name in _CALLER_REGISTERS:
        value = found.get(name)
        if value is not None:
            text += f" {name}={value:#x}"
    return (Command(text, "the arguments of the call, recovered from the caller"),)
