"""@notes: process, system, exception, threads and the registers at the exception.

Lines are ``key: value`` as in the notes of a core; further ones are ``system``, ``exception`` with
``exception address``, ``exception access``, ``exception parameters``, ``fast fail``, ``assertion``,
``annotation``, ``unloaded module`` and ``open handles``. ``exception address`` is what the record
says: the instruction on Windows, si_addr on Linux, the data of EXC_BAD_ACCESS on macOS.
"""

from itertools import islice

from workbench.targets import siginfo
from workbench.targets.errors import ProbeError
from workbench.targets.minidump import codes_macos, contexts, extras
from workbench.targets.minidump.cpp import thrown
from workbench.targets.minidump.dump import MinidumpFile
from workbench.targets.minidump.exception import Record
from workbench.targets.minidump.streams import EXCEPTION
from workbench.targets.minidump.threads import DumpThread
from workbench.targets.minidump.wow64 import inner_context, is_wow64
from workbench.targets.plain import one_line

_MOST_THREADS = 20_000
_MOST_UNLOADED = 64
_MOST_ANNOTATIONS = 256
_LONGEST = 400


def answer(dump: MinidumpFile, words: list[str]) -> str:
    """The streams as text."""
    if words:
        raise ProbeError("@notes takes no argument")
    order = "little-endian" if dump.little_endian else "big-endian"
    program = dump.program
    lines = [
        f"core: {dump.system.os} {dump.arch}, {dump.bits}-bit, {order}",
        *_system(dump),
        f"process: {dump.pid if dump.pid is not None else 'unknown'}",
        f"command line: {_text(extras.command_line(dump.streams))}",
        f"executable: {_text(program.path if program is not None else None)}",
        f"threads: {len(dump.all_threads)}",
        *_ending(dump),
        *_said(dump),
    ]
    first = sorted(dump.all_threads, key=lambda t: t.tid != dump.first_thread)
    lines += [_thread(dump, thread) for thread in islice(first, _MOST_THREADS)]
    if len(first) > _MOST_THREADS:
        lines.append(f"not shown: {len(first) - _MOST_THREADS} more threads")
    lines += _registers(dump)
    if is_wow64(dump):
        lines += _inner(dump, first)
    lines += _rest(dump)
    return "\n".join(lines)


def _system(dump: MinidumpFile) -> list[str]:
    system, misc = dump.system, dump.misc
    pack = system.service_pack or ""
    # Breakpad puts the whole of uname(2) where Windows has its service pack.
    parts = [pack] if pack.startswith(system.os) else [system.os, system.version or "", pack]
    build = extras.distribution(dump.streams) or misc.build
    lines = [
        f"system: {' '.join(one_line(part, 200) for part in parts if part)}",
        f"processor: {system.cpu}, {system.processors} of them",
    ]
    if build:
        lines.append(f"system build: {build}")
    return lines


def _ending(dump: MinidumpFile) -> list[str]:
    record = dump.record
    if record is None and (dump.streams.find(EXCEPTION) is not None or not dump.all_threads):
        return ["made by: unknown, no exception and no thread can be read"]
    if record is None:
        return ["made by: a snapshot of the running process; the dump holds no exception"]
    if record.requested:
        lines = [
            "made by: a snapshot of the running process; the program or a debugger asked for it "
            f"({record.name}), nothing had crashed"
        ]
        return [*lines, *_exception(record)]
    lines = ["made by: an exception handler, at the exception"]
    if dump.signal is not None:
        lines += _signal(dump, record, dump.signal)
    return [*lines, *_exception(record), *_thrown(dump, record)]


def _thrown(dump: MinidumpFile, record: Record) -> list[str]:
    """A language's exception that nobody caught: a C++ object's type and message, an Objective-C
    exception in the words of Crashpad's annotations."""
    if record.platform == "windows":
        found = thrown(dump, record)
        if found is None:
            return []
        lines = [f"uncaught exception: {one_line(found.type, 200)}"]
        if found.message is not None:
            lines.append(f"uncaught exception message: {one_line(found.message, _LONGEST)}")
        if found.bases:
            named = ", ".join(one_line(base, 100) for base in found.bases)
            lines.append(f"uncaught exception derives from: {named}")
        return lines
    if not codes_macos.is_nsexception(record.code, record.flags) or record.platform != "macos":
        return []
    said = {note.key: note.value for note in extras.read_annotations(dump.streams)}
    name = said.get("exceptionName") or "NSException"
    lines = [f"uncaught exception: {one_line(name, 200)}"]
    if said.get("exceptionReason"):
        lines.append(f"uncaught exception message: {one_line(said['exceptionReason'], _LONGEST)}")
    return lines


def _signal(dump: MinidumpFile, record: Record, info: siginfo.SigInfo) -> list[str]:
    lines = [f"signal: {info.number} {info.name} in thread {record.thread}"]
    if info.code:
        lines.append(f"si_code: {info.code} {info.code_name or 'unknown'}")
    else:
        lines.append("si_code: not recorded")
    if info.address is not None:
        lines.append(f"si_addr: {info.address:#x}")
    if info.pid is not None:
        who = " (the process itself)" if info.pid == dump.pid else ""
        lines.append(f"sender: process {info.pid} of user {info.uid}{who}")
    return lines


def _exception(record: Record) -> list[str]:
    lines = [
        f"exception: {record.code:#x} {record.name} in thread {record.thread}",
        f"exception platform: {record.platform}",
        f"exception flags: {record.flags:#x}",
        f"exception address: {record.address:#x}",
    ]
    if record.raw_address != record.address:
        lines.append(f"exception address as recorded: {record.raw_address:#x}")
    if record.data is not None:
        lines.append(f"exception access: {record.access or 'touched'} at {record.data:#x}")
    if record.parameters:
        words = " ".join(f"{word:#x}" for word in record.parameters)
        lines.append(f"exception parameters: {words}")
    if record.detail is not None:
        lines.append(f"fast fail: {record.detail}")
    return lines


def _said(dump: MinidumpFile) -> list[str]:
    lines = []
    found = extras.read_assertion(dump.streams)
    if found is not None:
        lines.append(
            f"assertion: {found.kind} {_text(found.expression)} in {_text(found.function)} at "
            f"{_text(found.file)}:{found.line}"
        )
    if dump.asked.requester is not None:
        lines.append(f"asked for by: thread {dump.asked.requester}")
    if dump.asked.writer is not None:
        lines.append(f"written by: thread {dump.asked.writer}")
    return lines


def _thread(dump: MinidumpFile, thread: DumpThread) -> str:
    context = dump.context(thread)
    text = f"thread {thread.tid}:"
    if context is not None and context.pc is not None and context.sp is not None:
        text += f" pc {context.pc:#x} sp {context.sp:#x}"
    if thread.name is not None:
        text += f" name {one_line(thread.name, 200)}"
    return text


def _inner(dump: MinidumpFile, threads: list[DumpThread]) -> list[str]:
    """The registers of a 32-bit program under the 64-bit layer that ran it."""
    lines = []
    for thread in threads[:_MOST_THREADS]:
        context = inner_context(dump, thread)
        if context is not None:
            words = " ".join(f"{name} {value:#x}" for name, value in context.registers.items())
            lines.append(f"32-bit registers of thread {thread.tid}: {words}")
    return lines


def _registers(dump: MinidumpFile) -> list[str]:
    first = dump.first_thread
    context = dump.context_of(first) if first is not None else None
    if context is None:
        if first is None:
            return []
        known = contexts.known(dump.system.cpu)
        why = "are not in the dump" if known else f"of {dump.system.cpu} cannot be read"
        return [f"registers: those of thread {first} {why}"]
    lines = [f"registers of thread {first}:"]
    return lines + [f"  {name} {value:#x}" for name, value in context.registers.items()]


def _rest(dump: MinidumpFile) -> list[str]:
    lines = []
    if dump.misc.created:
        lines.append(f"process created: {dump.misc.created} seconds after 1970")
    if dump.streams.time:
        lines.append(f"dump written: {dump.streams.time} seconds after 1970")
    if dump.misc.user is not None:
        lines.append(f"processor time: {dump.misc.user} s user, {dump.misc.kernel} s system")
    lines += [f"comment: {text}" for text in extras.comments(dump.streams)]
    for note in extras.read_annotations(dump.streams)[:_MOST_ANNOTATIONS]:
        whose = ""
        if note.module is not None and note.module < len(dump.loaded):
            whose = f" of {dump.loaded[note.module].name}"
        key = f"{one_line(note.key, 100)} = " if note.key else ""
        lines.append(f"annotation{whose}: {key}{one_line(note.value, _LONGEST)}")
    for module in dump.unloaded[:_MOST_UNLOADED]:
        lines.append(f"unloaded module: {module.base:#x}-{module.end:#x} {module.name}")
    if len(dump.unloaded) > _MOST_UNLOADED:
        lines.append(f"not shown: {len(dump.unloaded) - _MOST_UNLOADED} more unloaded modules")
    counts = extras.handles(dump.streams)
    if counts:
        named = ", ".join(f"{count} {kind}" for kind, count in sorted(counts.items())[:40])
        lines.append(f"open handles: {sum(counts.values())}: {named}")
    return lines


def _text(value: str | None) -> str:
    return one_line(value) if value else "unknown"
