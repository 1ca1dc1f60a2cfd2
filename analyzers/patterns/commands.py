"""The commands that patterns ask: each names its frame or address, none needs a selection."""

from analyzers.patterns.case import NEAR_NULL, Case
from workbench.model.evidence import Command
from workbench.model.facts import Frame
from workbench.model.listing import is_source

_CALLER_REGISTERS = ("rbx", "r12", "r13", "r14", "r15")


def of_cdb(text: str, intent: str) -> Command:
    """What only the debuggers of Windows are asked."""
    return Command("", intent, (("cdb", text),))


def source(frame: Frame | None) -> tuple[Command, ...]:
    """The source line of a frame."""
    if frame is None:
        return ()
    if not is_source(frame.file):
        return code(frame.address)
    return (
        Command(
            f"frame apply level {frame.index} -q frame",
            "the source line of this frame",
            (("lldb", f"frame select {frame.index}"), ("cdb", f".frame 0n{frame.index}")),
        ),
    )


def variables(frame: Frame | None) -> tuple[Command, ...]:
    """Arguments and locals of a frame that has debug information."""
    if frame is None or frame.file is None:
        return ()
    level = f"frame apply level {frame.index} -q"
    select = f"frame select {frame.index}; frame variable"
    return (
        Command(
            f"{level} info args",
            "what the function was given",
            (("lldb", f"{select} --no-locals"), ("cdb", f".frame 0n{frame.index}; dv /t /v")),
        ),
        Command(
            f"{level} info locals",
            "what its variables hold",
            (("lldb", f"{select} --no-args"),),
        ),
    )


def value(
    frame: Frame | None, expression: str, intent: str = "what the operand is called in the source"
) -> tuple[Command, ...]:
    """What an expression of the source is in a frame."""
    if frame is None:
        return ()
    text = f"frame apply level {frame.index} -q print {expression}"
    select = f"frame select {frame.index}; frame variable {expression}"
    return (Command(text, intent, (("lldb", select),)),)


def registers(frame: Frame | None) -> tuple[Command, ...]:
    """The registers of a frame, which recover a call's arguments."""
    if frame is None or frame.trust == "scan":
        return ()
    text = f"frame apply level {frame.index} -q info registers"
    return (
        Command(
            text,
            "the caller's registers, to recover what it passed",
            (
                ("lldb", f"frame select {frame.index}; register read"),
                ("cdb", f".frame /r 0n{frame.index}"),
            ),
        ),
    )


def code(address: int | None, count: int = 3) -> tuple[Command, ...]:
    """The instructions at an address."""
    if address is None:
        return ()
    return (
        Command(
            f"x/{count}i {address:#x}",
            "the instructions there",
            (
                ("lldb", f"disassemble --start-address {address:#x} --count {count}"),
                ("cdb", f"u {address:#x} L0n{count}"),
            ),
        ),
    )


def words(case: Case, address: int | None, intent: str, count: int = 4) -> tuple[Command, ...]:
    """The memory at an address, in words of the process's own size."""
    if address is None:
        return ()
    size, show = ("w", "dd") if case.narrow else ("g", "dq")
    text = f"x/{count}{size}x {address:#x}"
    return (Command(text, intent, (("lldb", text), ("cdb", f"{show} {address:#x} L0n{count}"))),)


def symbol(address: int | None) -> tuple[Command, ...]:
    """What an address belongs to."""
    if address is None:
        return ()
    return (
        Command(
            f"info symbol {address:#x}",
            "what this address belongs to",
            (("lldb", f"image lookup --address {address:#x}"), ("cdb", f"ln {address:#x}")),
        ),
    )


def siginfo() -> tuple[Command, ...]:
    """The signal's own record."""
    return (
        Command(
            "p $_siginfo",
            "what ended the process, as the system recorded it",
            (("lldb", "thread info"), ("cdb", ".exr -1")),
        ),
    )


def stacks(intent: str) -> tuple[Command, ...]:
    """Every thread's innermost frames."""
    others = (("lldb", "thread backtrace --count 32 all"), ("cdb", "~*kn 0n32"))
    return (Command("thread apply all bt 32", intent, others),)


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
