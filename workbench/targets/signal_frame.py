"""The signal that a handler of the process caught before another one ended it: what the kernel put
on the stack for sigreturn(2) holds the registers, the error and the address of the first fault.

Layouts: ``struct rt_sigframe`` of arch/*/kernel/signal*.c, ``ucontext`` and ``sigcontext`` of
arch/*/include/uapi/asm. All distances are from the frame's beginning.
"""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from workbench.targets import registers, siginfo
from workbench.targets.notes import CoreThread
from workbench.targets.siginfo import SigInfo

if TYPE_CHECKING:
    from workbench.targets.core import CoreFile
    from workbench.targets.dump import Dump


class Layout(Struct, frozen=True):
    """Where a frame has its parts: ``info`` siginfo_t, ``context`` the ucontext, ``regs`` the saved
    registers, which stand word by word in the order of ``names`` ("" is none of them); ``address``
    what the fault touched, ``trap`` and ``error`` of x86; ``pad`` what aligns a frame; ``code`` the
    instructions of the return trampoline, whose address a frame begins with on x86."""

    context: int
    regs: int
    names: tuple[str, ...]
    info: int | None = None
    address: int | None = None
    trap: int | None = None
    error: int | None = None
    pad: int = 16
    code: tuple[bytes, ...] = ()
    known: int | None = None


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


_X86_64 = _words("r8 r9 r10 r11 r12 r13 r14 r15 rdi rsi rbp rbx rdx rax rcx rsp rip eflags")
_I386 = _words("gs fs es ds edi esi ebp esp ebx edx ecx eax trap error eip cs eflags")
_RT_I386, _OLD_I386 = bytes.fromhex("b8ad000000cd80"), bytes.fromhex("58b877000000cd80")


def _of_note(arch: str) -> tuple[str, ...]:
    """The names in the order of the core's own note."""
    known = registers.layout(arch)
    return known.names if known is not None else ()


_LAYOUTS: dict[str, tuple[Layout, ...]] = {
    "x86_64": (
        Layout(8, 48, _X86_64, 312, 48 + 176, 48 + 160, 48 + 152, pad=8,
               code=(bytes.fromhex("48c7c00f0000000f05"),)),
    ),
    "i386": (
        Layout(144, 164, _I386, 16, 164 + 84, 164 + 48, 164 + 52, pad=4, code=(_RT_I386,)),
        Layout(8, 8, _I386, None, 8 + 84, 8 + 48, 8 + 52, pad=4, code=(_OLD_I386,)),
    ),
    "aarch64": (Layout(128, 312, _of_note("aarch64"), 0, 304),),
    "riscv64": (Layout(128, 304, _of_note("riscv64"), 0),),
    "loongarch64": (Layout(128, 304, ("pc", *_of_note("loongarch64")[:32]), 0),),
    "arm": (
        Layout(128, 160, _of_note("arm"), 0, 160 + 68, pad=8),
        Layout(0, 32, _of_note("arm"), None, 100, pad=8),
    ),
    "ppc64le": (Layout(0, 232, _of_note("ppc64le"), None, 232 + 41 * 8, known=200),),
    "ppc64": (Layout(0, 232, _of_note("ppc64"), None, 232 + 41 * 8, known=200),),
    "s390x": (Layout(296, 336, _of_note("s390x"), 168, pad=8),),
}  # fmt: skip
_OLD_ARM_FLAGS = 0x5AC3C35A
_SEGV, _BUS, _FPE, _ILL, _TRAP, _ABRT = 11, 7, 8, 4, 5, 6
# x86 exceptions and the signals that the kernel makes of them (arch/x86/kernel/traps.c).
_TRAPS = {0: (_FPE, 1), 1: (_TRAP, 2), 3: (_TRAP, 128), 6: (_ILL, 2), 13: (_SEGV, 128),
          14: (_SEGV, 1), 16: (_FPE, 0), 17: (_BUS, 1), 19: (_FPE, 0)}  # fmt: skip
_OF_TRAP = {13: {_SEGV, _BUS, _ILL}, 14: {_SEGV, _BUS}}
_DIVIDE, _STEP, _BREAK, _PAGING = 0, 1, 3, 14
_TRAP_FLAG = 0x100
_RESULTS = {"x86_64": "rax", "i386": "eax"}
"""Where a system call leaves its result."""
_GIVEN = {"x86_64": ("rsi", "rdx"), "i386": ("ecx", "edx")}
"""Where a call that sends a signal is given which one: kill(2) second, tgkill(2) third."""
_LONGEST = 15
_MOST_PIDS = 1 << 22  # PID_MAX_LIMIT, include/linux/threads.h
_PRESENT = 1
"""Bit of a page fault's error code: the page is there, and refuses the access."""
_REACH, _NESTED, _CALLERS = 1 << 17, 64, 256
_GUARD = 1 << 20
"""How far below its stack the pointer of one that ran out may be (mm/mmap.c, stack_guard_gap)."""
_LARGEST_FRAME = 1 << 13
_SYSCALLS = (b"\x0f\x05", b"\xcd\x80", b"\x0f\x34")
_INTERRUPTED, _NONE = (1 << 64) - 4, (1 << 64) - 1
"""-EINTR, which a call gives that is not begun again; and no call."""


class Interrupted(Struct, frozen=True):
    """The thread as it was when the first signal hit it, that signal, and where its frame lies."""

    thread: CoreThread
    info: SigInfo
    frame: int


def interrupted(core: "CoreFile", thread: CoreThread) -> Interrupted | None:
    """The first of the faults, or of the signals that a thread sent itself, whose handler a thread
    is still in; None where it is in none."""
    layouts = _LAYOUTS.get(core.arch, ())
    found: Interrupted | None = None
    now = thread
    for _ in range(_NESTED if layouts else 0):
        start = _unwound(core, now, layouts)
        frames = _frames(core, thread, layouts, start) if start is not None else iter(())
        inner = next((frame for frame in frames if _in_use(core, now, frame)), None)
        if inner is None:
            break
        if inner.info.number in siginfo.FAULTS | {_ABRT}:
            found = inner
        now = inner.thread
    return found


def _unwound(core: "Dump", thread: CoreThread, layouts: tuple[Layout, ...]) -> int | None:
    """Where to look for a frame from: the one that unwinding leads to, so that what a handler left
    behind is not found; the place where it ends for want of tables; None where it leads to the
    thread's beginning without one."""
    if core.arch != "x86_64" or thread.pc is None:
        return thread.sp
    from workbench.targets.probes import cfi, unwind_table

    at, known = thread.pc, dict(thread.registers)
    for _ in range(_CALLERS):
        found = cfi.caller_of(core, at, known)
        if found is None or found[1]["rsp"] <= known.get("rsp", 0):
            ended = at != thread.pc and unwind_table.find_record(core, at) is not None
            return None if ended else known.get("rsp")
        if _returned_by(core, layouts, found[0]) is not None:
            return found[1]["rsp"] - 8
        at, known = found[0] - 1, found[1]
    return None


def _in_use(core: "CoreFile", thread: CoreThread, frame: Interrupted) -> bool:
    """False for a frame that the chain of frame pointers does not lead into, where there is one:
    on aarch64 the kernel adds a link of its own to it (arch/arm64/kernel/signal.c)."""
    if core.arch != "aarch64":
        return True
    at = thread.registers.get("x29", 0)
    for _ in range(_CALLERS):
        if frame.frame <= at < frame.frame + _LARGEST_FRAME:
            return True
        above = core.read_word(at)
        if above is None or above <= at:
            return False
        at = above
    return False


def _frames(
    core: "CoreFile", thread: CoreThread, layouts: tuple[Layout, ...], sp: int
) -> Iterator[Interrupted]:
    region = core.region(sp)
    if region is None or "w" not in region.perms:
        return
    size = core.bits // 8
    start = sp // size * size
    raw = core.read(start, min(region.end - start, _REACH)) or b""
    words = [value for (value,) in core.header.word.iter_unpack(raw[: len(raw) // size * size])]
    spans = [(r.start, r.end) for r in core.regions if r.perms[2] in "x?"]
    trampolines: dict[int, Layout | None] = {}
    for number, word in enumerate(words):
        at = start + size * number
        for layout in layouts:
            if at % layout.pad:
                continue
            if layout.code:
                if word not in trampolines:
                    runs = any(low <= word < high for low, high in spans)
                    trampolines[word] = _returned_by(core, layouts, word) if runs else None
                begins = trampolines[word] is layout
            else:
                begins = _links(core, layout, at, words[number + layout.context // size :][:2])
            read = _read(core, thread, layout, at) if begins else None
            if read is not None:
                yield read


def _returned_by(core: "Dump", layouts: tuple[Layout, ...], word: int) -> Layout | None:
    """The frame that the code at an address gives back to the kernel."""
    found = (each for each in layouts for code in each.code if core.read(word, len(code)) == code)
    return next(found, None)


def _links(core: "CoreFile", layout: Layout, at: int, words: list[int]) -> bool:
    """True where a context may stand that links to no other: flags and link are its first words."""
    if len(words) < 2 or words[1]:
        return False
    if layout.known is not None:
        return core.read_word(at + layout.context + 224) == at + layout.regs
    return words[0] == _OLD_ARM_FLAGS if layout.info is None else words[0] < 16


def beneath(core: "Dump", thread: CoreThread) -> CoreThread | None:
    """The thread as the innermost handler that it is in found it, whatever signal that was for, and
    in the system call that it goes back into. None where it is in none; x86-64 alone, where calls
    lead to a frame."""
    layouts = _LAYOUTS["x86_64"] if core.arch == "x86_64" else ()
    at = _unwound(core, thread, layouts) if layouts else None
    if at is None or _returned_by(core, layouts, core.read_word(at) or 0) is None:
        return None
    before = _registers(core, thread, layouts[0], at)
    if before is None or before.pc is None:
        return None
    number, called = before.registers.get("rax", 0), core.read(before.pc, 2) in _SYSCALLS
    if not called and number == _INTERRUPTED and core.read(before.pc - 2, 2) in _SYSCALLS:
        loads = re.findall(rb"\xb8(....)", core.read(before.pc - 16, 14) or b"", re.DOTALL)
        number, called = int.from_bytes(loads[-1], "little") if loads else 0, bool(loads)
    return replace(before, registers={**before.registers, "orig_rax": number if called else _NONE})


def _registers(core: "Dump", thread: CoreThread, layout: Layout, at: int) -> CoreThread | None:
    """The thread with what a frame has of its registers."""
    size, known = core.bits // 8, registers.layout(core.arch)
    values = {
        name: value
        for number, name in enumerate(layout.names)
        if (value := core.read_word(at + layout.regs + size * number)) is not None
    }
    if known is None or known.pc not in values or known.sp not in values:
        return None
    for name in ("cs", "ds", "es", "fs", "gs"):  # half a word each, or not saved
        values.pop(name, None)
    sp = values[known.sp]
    above = core.region(sp) or min(
        (r for r in core.regions if 0 < r.start - sp <= _GUARD), key=lambda r: r.start, default=None
    )
    if above is None or "w" not in above.perms:
        return None
    return replace(
        thread,
        registers={**thread.registers, **{n: v for n, v in values.items() if n in known.names}},
        pc=values[known.pc],
        sp=values[known.sp],
    )


def _read(core: "CoreFile", thread: CoreThread, layout: Layout, at: int) -> Interrupted | None:
    before = _registers(core, thread, layout, at)
    info = _info(core, layout, at, before) if before is not None else None
    if before is None or info is None:
        return None
    code = core.region(before.pc or 0)
    runs = code is not None and code.perms[2] in "x?"
    if not runs and info.number != _SEGV:
        return None
    return Interrupted(replace(before, signal=info.number), info, at)


def _info(core: "CoreFile", layout: Layout, at: int, thread: CoreThread) -> SigInfo | None:
    """The signal: as its record has it, where that was written for this frame (a handler without
    SA_SIGINFO gets none on x86), else by the processor's own words."""
    told: SigInfo | None = None
    if layout.info is not None:
        raw = core.read(at + layout.info, 48) or b""
        told = siginfo.decode(raw, core.header.order, core.bits == 64, core.arch)
    address = core.read_word(at + layout.address) if layout.address is not None else None
    if layout.known is not None:
        number = (core.read_word(at + layout.known) or 0) & 0xFFFFFFFF
        return SigInfo(number, 1, 0, address, None, None, b"") if number in siginfo.FAULTS else None
    if layout.trap is None:
        if told is None and layout.info is None:
            return SigInfo(_SEGV, 1, 0, address, None, None, b"")
        good = told is not None and told.errno == 0 and -60 <= told.code <= 128
        return told if good and told is not None and told.number in siginfo.NAMES else None
    if any(core.read((thread.pc or 2) - 2, 2) == code for code in _SYSCALLS):
        ours = told is not None and told.code <= 0 and told.pid == core.pid
        if ours and told is not None and told.number in siginfo.NAMES:
            return told
        last = core.notes.signal
        sent = thread.registers.get(_RESULTS.get(core.arch, "")) == 0  # else it was interrupted
        given = [thread.registers.get(name) for name in _GIVEN.get(core.arch, ())]
        if last is None or last.code > 0 or last.pid != core.pid or not sent:
            return None  # sent from outside: not the handler's signal again
        if last.number not in given:
            return None  # another signal: its handler sent this one
        return replace(last, raw=b"")
    trap = core.read_word(at + layout.trap)
    if trap not in _TRAPS or not _raised(core, thread, trap, address):
        if told is None or told.number not in siginfo.NAMES:
            return None
        sent = told.pid is not None and 0 < told.pid <= _MOST_PIDS
        return told if sent or told.number not in siginfo.FAULTS or trap not in _TRAPS else None
    number, code = _TRAPS[trap]
    same = told is not None and told.code > 0 and told.number in _OF_TRAP.get(trap, {number})
    if same and told is not None and (trap != 14 or told.address == address):
        return told
    if trap != 14:
        return SigInfo(number, code, 0, None, None, None, b"")
    error = core.read_word(at + layout.error) if layout.error is not None else 0
    code = 2 if (error or 0) & _PRESENT else 1
    return SigInfo(number, code, 0, address, None, None, b"")


def _raised(core: "CoreFile", thread: CoreThread, trap: int, address: int | None) -> bool:
    """False where the instruction cannot have raised the exception: the kernel writes the last one
    that the thread ever had into the frame of every signal (arch/x86/kernel/signal_64.c). Behind
    a breakpoint stands ``int3``, ``int 3`` or ``int1``; who is stepped has the trap flag set."""
    if trap in (_STEP, _BREAK):
        two = core.read((thread.pc or 2) - 2, 2) or b""
        stepped = thread.registers.get("eflags", 0) & _TRAP_FLAG
        return bool(stepped) or two[1:] in (b"\xcc", b"\xf1") or two == b"\xcd\x03"
    if core.arch != "x86_64" or trap not in (_DIVIDE, _PAGING) or thread.pc is None:
        return True
    from workbench.targets.probes import touched, transfer

    machine = transfer.machine_of(core)
    raw = core.read(thread.pc, _LONGEST) or b""
    insn = machine.one(raw, thread.pc, thread.registers) if machine is not None else None
    if machine is None or insn is None:
        return True
    registers = machine.registers(thread.registers)
    if trap == _DIVIDE:
        told = touched.division_lines(core, machine, insn, registers)
        return bool(told) and not told[-1].startswith(("divisor", "dividend"))
    reached = (insn.address, insn.end - insn.address)
    found = [(a.address, a.size) for a in machine.accesses(insn, registers)]
    return any(
        start is None or 0 <= (address or 0) - start < max(size, 1)
        for start, size in (reached, *found)
    )
