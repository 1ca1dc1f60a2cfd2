"""@stack [TID]: a thread's stack as memory, in the lines of a core's, with the callers that frame
pointers lead to: ``frame 1: 0x401234 at 0x7ffc1230: no symbol in app.exe at offset 0x1234``.
@threads: the same frames of every thread, each behind ``thread 4204 name main loop``."""

from itertools import islice

from workbench.model.facts import Region
from workbench.targets.minidump import unwind_x64
from workbench.targets.minidump.codes_windows import STACK_OVERFLOW
from workbench.targets.minidump.contexts import Context
from workbench.targets.minidump.dump import MinidumpFile
from workbench.targets.minidump.exception import data_address
from workbench.targets.minidump.walk import Caller, callers, is_code
from workbench.targets.plain import one_line
from workbench.targets.probes import stack_scan as scan
from workbench.targets.probes.cfi import callers_of_thread
from workbench.targets.probes.places import place, thread_of, where
from workbench.targets.probes.transfer import follows_call, machine_of

_SCANNED = 0x8000
_MOST_SLOTS, _FEW_SLOTS = 32, 8
_FAR_BELOW, _NEAR_END = 64 << 20, 1 << 16


def answer(dump: MinidumpFile, words: list[str]) -> str:
    """The report on the stack of the thread of the exception, or of thread ``words[0]``."""
    asked = int(words[0]) if words and words[0].isdigit() else None
    tid = dump.first_thread if asked is None else asked
    context = dump.context_of(tid) if tid is not None else None
    if tid is None or context is None:
        return "no such thread in the dump\n" if asked is not None else "no registers to read\n"
    lines = [f"thread {tid}"]
    pc, sp = context.pc, context.sp
    if sp is None or pc is None:
        return "\n".join([*lines, f"stack not decoded on {dump.arch}", ""])
    region = _stack_of(dump, tid, sp)
    if region is None:
        lines.append(f"stack pointer {sp:#x}: {place(dump, sp)}, in no stack")
    else:
        lines += _bounds(dump, tid, sp, region)
    lines += frame_lines(dump, tid, context)
    if region is not None:
        lines += _contents(dump, sp, region)
    return "\n".join(lines) + "\n"


def _stack_of(dump: MinidumpFile, tid: int, sp: int) -> Region | None:
    """The region that a stack pointer is in; the thread's own where it points below that."""
    region = dump.region(sp)
    if region is not None and "w" in region.perms and region.kind != "file":
        return region
    for other in dump.regions:
        if other.thread == tid and 0 < other.start - sp <= _FAR_BELOW:
            return other
    return None


def _bounds(dump: MinidumpFile, tid: int, sp: int, region: Region) -> list[str]:
    lowest = f"the {scan.LOWEST}"
    if not dump.mapped:
        lowest = "the lowest address of this stack that the dump holds"
    lines = scan.bounds_lines(region.start, region.end, "a thread", sp, lowest)
    if dump.mapped:
        lines.append(f"below the stack: {scan.guard_of(dump, region.start)}")
    record = dump.record
    if record is None or record.thread != tid or not dump.crashed:
        return lines
    data = data_address(record)
    if data is not None:
        lines.append(scan.fault_line(dump, region.start, region.end, data))
    if record.platform == "windows" and record.code == STACK_OVERFLOW:
        lines.append(
            f"stack overflow: the system raised {record.name} with the stack pointer at {sp:#x}"
        )
    elif dump.mapped and data is not None and _ran_out(dump, data, sp, region):
        lines.append(scan.overflow_line(region.start, data))
    return lines


def _ran_out(dump: MinidumpFile, data: int, sp: int, region: Region) -> bool:
    """True when an access went off the low end of a stack that is used up."""
    if not 0 < region.start - data <= _FAR_BELOW or sp - region.start > _NEAR_END:
        return False
    there = dump.region(data)
    return there is None or set(there.perms) == {"-"}


def _contents(dump: MinidumpFile, sp: int, region: Region) -> list[str]:
    size, code = dump.bits // 8, MinidumpCode(dump)
    start = max(sp, region.start) & -size
    words = scan.words_at(dump, start, min(region.end, start + _SCANNED))
    repeats = scan.repetitions(dump, code, start, region.end)
    lines = scan.repeat_lines(dump, repeats)
    lines += [
        f"{'' if slot.proved else 'possible '}return address {slot.address:#x} at {slot.at:#x}: "
        f"{where(dump, slot.address)}"
        for slot in scan.return_slots(code, words, _FEW_SLOTS if repeats else _MOST_SLOTS)
    ]
    return lines + scan.word_lines(dump, start, region.start, region.end)


_MOST_THREADS = 1_000
_MOST_FRAMES = 48


def threads(dump: MinidumpFile) -> str:
    """The frames of all threads as text."""
    lines = [f"threads: {len(dump.all_threads)}"]
    for thread in islice(dump.all_threads, _MOST_THREADS):
        name = f" name {one_line(thread.name, 200)}" if thread.name is not None else ""
        lines.append(f"thread {thread.tid}{name}")
        context = dump.context(thread)
        if context is None or context.pc is None:
            lines.append("registers not in the dump")
            continue
        lines += frame_lines(dump, thread.tid, context, _MOST_FRAMES)
    if len(dump.all_threads) > _MOST_THREADS:
        lines.append(f"not shown: {len(dump.all_threads) - _MOST_THREADS} more threads")
    return "\n".join(lines)


_MOST_CALLERS = 256


def frame_lines(
    dump: MinidumpFile, tid: int, context: Context, most: int = _MOST_CALLERS
) -> list[str]:
    """``frame 1: 0x401234 at 0x7ffc1230: no symbol in app.exe at offset 0x1234``, nearest first."""
    pc = context.pc or 0
    lines = [f"frame 0: {pc:#x}: {where(dump, pc, is_return=False)}"]
    return lines + [
        f"frame {number}: {caller.address:#x} at {caller.slot:#x}: {where(dump, caller.address)}"
        for number, caller in enumerate(_callers(dump, tid, context)[:most], 1)
    ]


def _callers(dump: MinidumpFile, tid: int, context: Context) -> list[Caller]:
    """The callers by unwinding tables where the modules' files are here or their images in the
    dump, else by frame pointers."""
    walked = callers(dump, context)
    thread = thread_of(dump, tid)
    if dump.arch == "x86_64" and dump.system.family == "windows" and context.sp is not None:
        by_table = unwind_x64.callers(dump, context.registers, _MOST_CALLERS)
        return max(by_table, walked, key=len)
    if dump.arch != "x86_64" or thread is None or not any(m.trusted for m in dump.loaded):
        return walked
    found = [
        Caller(caller.call.end, caller.registers["rsp"] - dump.bits // 8)
        for caller in callers_of_thread(dump, thread, _MOST_CALLERS)
        if "rsp" in caller.registers
    ]
    return max(found, walked, key=len)


# Words on a stack that look like return addresses. The code in front of most of them is not in a
# minidump, so that few can be proved; what can be looked at has to end a call.
_PROBED = 16
_LONGEST_CALL = 8
_FRAME = 1 << 20


class MinidumpCode(scan.CodeMap):
    """Code as far as a minidump tells."""

    def __init__(self, dump: MinidumpFile) -> None:
        super().__init__(dump)
        self._dump = dump

    def _is_returned_to(self, address: int) -> bool:
        """True for an address of code that is not known to follow anything but a call."""
        if not is_code(self._dump, address) or not address:
            return False
        module = self._dump.module_at(address)
        if module is not None and address - module.base < 0x1000:
            return False  # a module's headers
        return self._after_call(address) is not False

    def proved(self, address: int) -> bool:
        """True where the call in front of a return address is in the dump."""
        return self._after_call(address) is True

    def repeats(self, address: int, places: list[int]) -> bool:
        """Pointers to a module's data repeat as well: only those count that follow a saved frame
        pointer or a call, or that lie in memory known to be executable."""
        region = self._dump.region(address)
        if (region is not None and region.perms[2] == "x") or self.proved(address):
            return True
        size = self._dump.bits // 8
        saved = ((at, self._dump.read_word(at - size) or 0) for at in places[:_PROBED])
        return all(at < pointer <= at + _FRAME for at, pointer in saved)

    def _after_call(self, address: int) -> bool | None:
        """Whether a call ends right before an address; None where the bytes are not in the dump,
        or are of a processor whose instructions are not read here."""
        known = machine_of(self._dump) is not None
        if not known or self._dump.read(address - _LONGEST_CALL, _LONGEST_CALL) is None:
            return None
        return follows_call(self._dump, address)
