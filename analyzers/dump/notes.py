"""@notes: process, signal or exception, and the first thread's registers."""

import re

from analyzers.base import Analysis, Document, Settled
from analyzers.dump import record as dump_record
from analyzers.dump import said
from analyzers.dump import text as dump_text
from workbench.model.facts import (
    AnyFact,
    ExceptionRecord,
    Handled,
    Process,
    Register,
    Registers,
    Signal,
)

_SIGNAL = re.compile(r"([0-9]{1,3}) (\S{1,40}(?: [0-9]{1,5})?) in thread ([0-9]{1,10})")
_CODE = re.compile(r"(-?[0-9]{1,10}) (\S{1,40})(?: \(.*\))?")
_CAUGHT = "caught before"
_SENDER = re.compile(r"process (-?[0-9]{1,10}) of user ([0-9]{1,10})(?: \(.*\))?")
_CORE = re.compile(r"(\S.{0,60}) (\S{1,40}), (?:32|64)-bit, (?:little|big)-endian")
_THREAD = re.compile(
    r"thread ([0-9]{1,10}):(?: pc 0x[0-9a-f]{1,16} sp 0x[0-9a-f]{1,16})?(?: name .{1,200})?"
)
_HEADING = re.compile(r"registers of thread ([0-9]{1,10}):")
_REGISTER = re.compile(r"  ([a-z][a-z0-9_]{0,15}) 0x([0-9a-f]{1,16})")

Keyed = dict[str, tuple[int, str]]
_OF_PROCESS = (
    *("core", "process", "command line", "executable", "system", "processor", "made by"),
)


class DumpNotes(Settled):
    """Reads the answer to @notes."""

    name = "dump-notes"

    def can_analyze(self, document: Document) -> bool:
        """True for @notes."""
        return dump_text.is_probe(document, "@notes")

    def analyze(self, document: Document) -> Analysis:
        """Process, Signal (none for a snapshot), Handled, ExceptionRecord, what nobody
        caught, Threads (where they have names) and Registers, as far as they can be read."""
        keys = dump_text.keyed(document)
        process = _process(document, keys)
        ended = process is None or not process.snapshot
        signal = _signal(document, keys) if ended else None
        handled = _handled(document) if ended else None
        record, fast_fail = dump_record.record(document, keys) or (None, None)
        first = record.thread if record is not None else None
        named = dump_record.thread_names(document, first)
        thrown = dump_record.uncaught(document, keys)
        registers = _registers(document)
        known = (process, signal, handled, record, thrown, named, registers)
        read: tuple[AnyFact | None, ...] = known
        facts = (*(fact for fact in read if fact is not None), *said.read(document))
        other = record if signal is None and process is not None and ended else None
        findings = (*_findings(process, signal), *_thrown(other, fast_fail))
        if handled is not None:
            findings += (f"A handler had caught {handled.first.name} [{handled.cite}]",)
        return Analysis(_summary(process, signal, other), facts, findings)


def _process(document: Document, keys: Keyed) -> Process | None:
    if "core" not in keys:
        return None
    first, text = keys["core"]
    core = _CORE.fullmatch(text)
    if core is None:
        return None
    unknown = (first, "unknown")
    made_by = keys.get("made by", unknown)[1]
    said = [keys[key][0] for key in _OF_PROCESS if key in keys]
    threads = (_THREAD.fullmatch(line) for _, line in dump_text.lines(document))
    return Process(
        cite=document.cite(min(said), max(said)),
        pid=dump_text.number(keys.get("process", unknown)[1]),
        command_line=dump_text.known(keys.get("command line", unknown)[1]),
        executable=dump_text.known(keys.get("executable", unknown)[1]),
        arch=core[2],
        os=core[1],
        threads=tuple(int(match[1]) for match in threads if match),
        snapshot=made_by.startswith("a snapshot"),
        system=dump_text.known(keys.get("system", unknown)[1]),
        processor=dump_text.known(keys.get("processor", unknown)[1].partition(",")[0]),
    )


def _handled(document: Document) -> Handled | None:
    """The signal that was caught before, from its own lines down to its context's."""
    lines = dump_text.lines(document)
    first = next((at for at, (_, text) in enumerate(lines) if text.startswith(_CAUGHT)), None)
    if first is None:
        return None
    keys = {}
    for number, text in lines[first : first + 5]:
        key, _, value = text.partition(": ")
        keys["signal" if key == _CAUGHT else key] = (number, value)
    signal = _signal(document, keys)
    number, context = keys.get("context", (0, ""))
    where = dump_text.address(context.partition(",")[0])
    if signal is None or where is None:
        return None
    cite = document.cite(lines[first][0], number)
    return Handled(cite=cite, first=signal, context=where)


def _signal(document: Document, keys: Keyed) -> Signal | None:
    if "signal" not in keys:
        return None
    first, text = keys["signal"]
    match = _SIGNAL.fullmatch(text)
    if match is None:
        return None
    said = [first]

    def value(key: str) -> str:
        number, found = keys.get(key, (0, ""))
        if first < number <= first + 3:
            said.append(number)
            return found
        return ""

    code = _CODE.fullmatch(value("si_code"))
    sender = _SENDER.fullmatch(value("sender"))
    fault_address = dump_text.address(value("si_addr"))
    return Signal(
        cite=document.cite(first, max(said)),
        thread=int(match[3]),
        number=int(match[1]),
        name=match[2],
        code=int(code[1]) if code else None,
        code_name=dump_text.known(code[2]) if code else None,
        fault_address=fault_address,
        sender_pid=int(sender[1]) if sender else None,
        sender_uid=int(sender[2]) if sender else None,
    )


def _registers(document: Document) -> Registers | None:
    numbered = dump_text.lines(document)
    for index, (first, line) in enumerate(numbered):
        heading = _HEADING.fullmatch(line)
        if heading is None:
            continue
        values = []
        for number, text in numbered[index + 1 : index + 129]:
            match = _REGISTER.fullmatch(text)
            if match is None:
                break
            values.append(Register(match[1], int(match[2], 16), number))
        return Registers(
            cite=document.cite(first, values[-1].line if values else first),
            thread=int(heading[1]),
            frame=0,
            values=tuple(values),
        )
    return None


def _summary(process: Process | None, signal: Signal | None, record: ExceptionRecord | None) -> str:
    if process is None:
        return "nothing readable in the notes"
    count = f"{len(process.threads)} thread" + ("" if len(process.threads) == 1 else "s")
    if process.snapshot:
        return f"a snapshot of a running process, {count}"
    if signal is None and record is not None:
        return f"{record.name} ({record.code:#x}) in thread {record.thread}, {count}"
    if signal is None:
        return f"{count}, the signal is not known"
    code = f" ({signal.code_name})" if signal.code_name else ""
    return f"{signal.name}{code} in thread {signal.thread}, {count}"


def _findings(process: Process | None, signal: Signal | None) -> tuple[str, ...]:
    found = []
    if process is not None and process.snapshot:
        what = "signal" if process.os == "Linux" else "exception"
        found.append(f"No {what} ended the process [{process.cite}]")
    if signal is not None:
        at = f" at 0x{signal.fault_address:x}" if signal.fault_address is not None else ""
        by = f", sent by process {signal.sender_pid}" if signal.sender_pid is not None else ""
        found.append(f"Thread {signal.thread} got {signal.name}{at}{by} [{signal.cite}]")
    return tuple(found)


def _thrown(record: ExceptionRecord | None, fast_fail: str | None) -> tuple[str, ...]:
    if record is None:
        return ()
    at = f" at {record.address:#x}" if record.address is not None else ""
    why = f": {fast_fail}" if fast_fail else ""
    if record.fault_address is not None:
        why = f": {record.access or 'access'} of {record.fault_address:#x}"
    return (f"Thread {record.thread} raised {record.name}{at}{why} [{record.cite}]",)
