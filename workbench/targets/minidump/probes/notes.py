"""@notes: process, system, exception, threads and the registers at the exception.

Lines are ``key: value`` as in the notes of a core; further ones are ``system``, ``exception`` with
``exception address``, ``exception access``, ``exception parameters``, ``fast fail``, ``assertion``,
``annotation`` and ``unloaded module``. ``exception address`` is what the record says: the
instruction on Windows, si_addr on Linux, the data of EXC_BAD_ACCESS on macOS.
"""

import re
import struct

from msgspec import Struct

from workbench.targets import siginfo
from workbench.targets.minidump import codes_macos, contexts, extras
from workbench.targets.minidump.dump import MinidumpFile
from workbench.targets.minidump.exception import Record
from workbench.targets.minidump.streams import EXCEPTION
from workbench.targets.minidump.system import DumpThread
from workbench.targets.minidump.wow64 import inner_context, is_wow64
from workbench.targets.overview import lines
from workbench.targets.plain import one_line

_MOST_THREADS = 20_000
_MOST_UNLOADED = 64
_MOST_ANNOTATIONS = 256
_LONGEST = 400


def answer(dump: MinidumpFile) -> str:
    """The streams as text."""
    program = dump.program
    executable = program.path if program is not None else None
    found = [
        lines.core(dump.system.os, dump.arch, dump.bits, dump.little_endian),
        *_system(dump),
        *lines.process(dump.pid, extras.command_line(dump.streams), executable),
        f"threads: {len(dump.all_threads)}",
        *_ending(dump),
        *_said(dump),
    ]
    first = sorted(dump.all_threads, key=lambda t: t.tid != dump.first_thread)
    threads = (_thread(dump, thread) for thread in first)
    found += lines.some(threads, len(first), "threads", " threads")
    found += _registers(dump)
    if is_wow64(dump):
        found += _inner(dump, first)
    found += _rest(dump)
    return "\n".join(found)


def _system(dump: MinidumpFile) -> list[str]:
    system, misc = dump.system, dump.misc
    pack = system.service_pack or ""
    # Breakpad puts the whole of uname(2) where Windows has its service pack.
    parts = [pack] if pack.startswith(system.os) else [system.os, system.version or "", pack]
    build = extras.distribution(dump.streams) or misc.build
    said = [
        f"system: {' '.join(one_line(part, 200) for part in parts if part)}",
        f"processor: {system.cpu}, {system.processors} of them",
    ]
    if build:
        said.append(f"system build: {build}")
    return said


def _ending(dump: MinidumpFile) -> list[str]:
    record = dump.record
    if record is None and (dump.streams.find(EXCEPTION) is not None or not dump.all_threads):
        return ["made by: unknown, no exception and no thread can be read"]
    if record is None:
        return ["made by: a snapshot of the running process; the dump holds no exception"]
    if record.requested:
        said = [
            "made by: a snapshot of the running process; the program or a debugger asked for it "
            f"({record.name}), nothing had crashed"
        ]
        return [*said, *_exception(record)]
    said = ["made by: an exception handler, at the exception"]
    if dump.signal is not None:
        said += _signal(dump, record, dump.signal)
    return [*said, *_exception(record), *_thrown(dump, record)]


def _thrown(dump: MinidumpFile, record: Record) -> list[str]:
    """A language's exception that nobody caught: a C++ object's type and message, an Objective-C
    exception in the words of Crashpad's annotations."""
    if record.platform == "windows":
        found = thrown(dump, record)
        if found is None:
            return []
        said = [f"uncaught exception: {one_line(found.type, 200)}"]
        if found.message is not None:
            said.append(f"uncaught exception message: {one_line(found.message, _LONGEST)}")
        if found.bases:
            named = ", ".join(one_line(base, 100) for base in found.bases)
            said.append(f"uncaught exception derives from: {named}")
        return said
    if not codes_macos.is_nsexception(record.code, record.flags) or record.platform != "macos":
        return []
    notes = {note.key: note.value for note in extras.read_annotations(dump.streams)}
    name = notes.get("exceptionName") or "NSException"
    said = [f"uncaught exception: {one_line(name, 200)}"]
    if notes.get("exceptionReason"):
        said.append(f"uncaught exception message: {one_line(notes['exceptionReason'], _LONGEST)}")
    return said


def _signal(dump: MinidumpFile, record: Record, info: siginfo.SigInfo) -> list[str]:
    code = f"{info.code} {info.code_name or 'unknown'}" if info.code else "not recorded"
    first = f"signal: {info.number} {info.name} in thread {record.thread}"
    return [first, *lines.signal(info, dump.pid, code)]


def _exception(record: Record) -> list[str]:
    said = [
        f"exception: {record.code:#x} {record.name} in thread {record.thread}",
        f"exception platform: {record.platform}",
        f"exception flags: {record.flags:#x}",
        f"exception address: {record.address:#x}",
    ]
    if record.raw_address != record.address:
        said.append(f"exception address as recorded: {record.raw_address:#x}")
    if record.data is not None:
        said.append(f"exception access: {record.access or 'touched'} at {record.data:#x}")
    if record.parameters:
        words = " ".join(f"{word:#x}" for word in record.parameters)
        said.append(f"exception parameters: {words}")
    if record.detail is not None:
        said.append(f"fast fail: {record.detail}")
    return said


def _said(dump: MinidumpFile) -> list[str]:
    said = []
    found = extras.read_assertion(dump.streams)
    if found is not None:
        said.append(
            f"assertion: {found.kind} {lines.text(found.expression)} in "
            f"{lines.text(found.function)} at {lines.text(found.file)}:{found.line}"
        )
    if dump.asked.requester is not None:
        said.append(f"asked for by: thread {dump.asked.requester}")
    if dump.asked.writer is not None:
        said.append(f"written by: thread {dump.asked.writer}")
    return said


def _thread(dump: MinidumpFile, thread: DumpThread) -> str:
    context = dump.context(thread)
    pc, sp = (context.pc, context.sp) if context is not None else (None, None)
    return lines.thread(thread.tid, pc, sp, thread.name)


def _inner(dump: MinidumpFile, threads: list[DumpThread]) -> list[str]:
    """The registers of a 32-bit program under the 64-bit layer that ran it."""
    said = []
    for thread in threads[:_MOST_THREADS]:
        context = inner_context(dump, thread)
        if context is not None:
            words = " ".join(f"{name} {value:#x}" for name, value in context.registers.items())
            said.append(f"32-bit registers of thread {thread.tid}: {words}")
    return said


def _registers(dump: MinidumpFile) -> list[str]:
    first = dump.first_thread
    context = dump.context_of(first) if first is not None else None
    if context is None:
        if first is None:
            return []
        known = contexts.known(dump.system.cpu)
        why = "are not in the dump" if known else f"of {dump.system.cpu} cannot be read"
        return [f"registers: those of thread {first} {why}"]
    return lines.registers(first or 0, context.registers)


def _rest(dump: MinidumpFile) -> list[str]:
    said = []
    if dump.misc.created:
        said.append(f"process created: {dump.misc.created} seconds after 1970")
    if dump.streams.time:
        said.append(f"dump written: {dump.streams.time} seconds after 1970")
    if dump.misc.user is not None:
        said.append(f"processor time: {dump.misc.user} s user, {dump.misc.kernel} s system")
    said += [f"comment: {text}" for text in extras.comments(dump.streams)]
    for note in extras.read_annotations(dump.streams)[:_MOST_ANNOTATIONS]:
        whose = ""
        if note.module is not None and note.module < len(dump.loaded):
            whose = f" of {dump.loaded[note.module].name}"
        key = f"{one_line(note.key, 100)} = " if note.key else ""
        said.append(f"annotation{whose}: {key}{one_line(note.value, _LONGEST)}")
    for module in dump.unloaded[:_MOST_UNLOADED]:
        said.append(f"unloaded module: {module.base:#x}-{module.end:#x} {module.name}")
    if len(dump.unloaded) > _MOST_UNLOADED:
        said.append(f"not shown: {len(dump.unloaded) - _MOST_UNLOADED} more unloaded modules")
    return said


# Microsoft's C++ runtime (ehdata.h: ThrowInfo, CatchableTypeArray, CatchableType, TypeDescriptor;
# vcruntime_exception.h: std::exception keeps its text behind the vtable's pointer). On x64 the
# records name each other by offsets in the image.
_CPP_EXCEPTION = 0xE06D7363
_MAGIC = range(0x19930520, 0x19930523)
_MOST_TYPES = 32
_LONGEST_TEXT = 512
_PLAIN = re.compile(r"\.\?A[UV]([A-Za-z_]\w*(?:@[A-Za-z_]\w*)*)@@")


class Thrown(Struct, frozen=True):
    """``type`` is readable where its name is a plain one; ``bases`` are what it can be caught as
    besides, nearest first; ``message`` is what() of a std::exception."""

    type: str
    bases: tuple[str, ...] = ()
    message: str | None = None


def thrown(dump: MinidumpFile, record: Record) -> Thrown | None:
    """The exception's type, None where the dump does not hold it."""
    words = record.parameters
    if record.code != _CPP_EXCEPTION or len(words) < 3 or words[0] not in _MAGIC:
        return None
    mask = (1 << dump.bits) - 1
    base = (words[3] & mask if len(words) > 3 else 0) if dump.bits == 64 else 0
    if dump.bits == 64 and not base:
        return None
    info = _numbers(dump, words[2] & mask, 4)
    listed = _numbers(dump, base + info[3], 1) if info else ()
    if not listed:
        return None
    names = []
    for entry in _numbers(dump, base + info[3] + 4, min(listed[0], _MOST_TYPES)):
        described = _numbers(dump, base + entry, 2)
        name = _name(dump, base + described[1]) if described else None
        if name is not None:
            names.append(name)
    if not names:
        return None
    readable = [readable_name(name) for name in names]
    message = _message(dump, words[1] & mask) if "std::exception" in readable else None
    return Thrown(readable[0], tuple(readable[1:]), message)


def _numbers(dump: MinidumpFile, address: int, count: int) -> tuple[int, ...]:
    raw = dump.read(address, 4 * count) if address and count else None
    return struct.unpack(f"<{count}I", raw) if raw is not None else ()


def _name(dump: MinidumpFile, descriptor: int) -> str | None:
    raw = dump.read_cstring(descriptor + 2 * (dump.bits // 8), _LONGEST_TEXT)
    text = raw.decode("ascii", "replace") if raw else ""
    return text if text.startswith(".") else None


def readable_name(mangled: str) -> str:
    """``std::runtime_error`` for ``.?AVruntime_error@std@@``; others stay as they are."""
    match = _PLAIN.fullmatch(mangled)
    return "::".join(reversed(match[1].split("@"))) if match is not None else mangled


def _message(dump: MinidumpFile, address: int) -> str | None:
    size = dump.bits // 8
    text = dump.read_word(address + size)
    raw = dump.read_cstring(text, _LONGEST_TEXT) if text else None
    return raw.decode("utf-8", "replace") if raw else None
