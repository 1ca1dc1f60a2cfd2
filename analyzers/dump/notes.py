"""Reads ``@notes``: process, signal or exception, threads, and the first thread's registers; of a
minidump also what its writer was told."""

from typing import Any

from analyzers.base import Analysis, Document
from analyzers.dump.runtimes import split_types
from analyzers.dump.shapes import Said, below, read
from analyzers.log.text import sentence
from workbench.model import facts as f
from workbench.model.category import Category
from workbench.model.text import counted

_SIGNAL = "{number:n} {name:\\S{1,40}(?: [0-9]{1,5})?} in thread {thread:n}"
_SHAPES = {
    "core": "core: {os:\\S.{0,60}} {arch:\\S{1,40}}, {bits:n}-bit, [little|big]-endian",
    "process": "process: {pid:.*}",
    "command line": "command line: {command_line:.*}",
    "executable": "executable: {executable:.*}",
    "system": "system: {system:.*}",
    "processor": "processor: {processor:[^,]*}{}",
    "made by": "made by: {made_by:.*}",
    "signal": f"signal: {_SIGNAL}",
    "caught": f"caught before: {_SIGNAL}",
    "code": "si_code: {code:-n} {code_name:\\S{1,40}}[ ({})]",
    "no code": "si_code: {}",
    "address": "si_addr: {fault_address:x}",
    "no address": "si_addr: {}",
    "sender": "sender: process {sender_pid:-n} of user {sender_uid:n}[ ({})]",
    "context": "context: {context:x}[, {}]",
    "exception": "exception: {code:x} {name:\\S.{0,100}} in thread {thread:n}",
    "exception platform": "exception platform: {platform:w}",
    "exception flags": "exception flags: {flags:x}",
    "exception address": "exception address: {recorded:x}",
    "exception raw": "exception address as recorded: {raw:x}",
    "exception access": "exception access: [{access:read|write|execute}|touched] at "
    "{fault_address:x}",
    "exception words": "exception parameters: {parameters:0x[0-9a-f]{1,16}(?: 0x[0-9a-f]{1,16})"
    "{0,14}}",
    "exception detail": "fast fail: {detail}",
    "thrown": "uncaught exception: {type}",
    "thrown message": "uncaught exception message: {message:.*}",
    "thrown bases": "uncaught exception derives from: {bases}",
    "thread": "thread {thread:n}:[ pc {pc:x} sp {:x}][ name {name:.{1,200}}]",
    "registers": "registers of thread {thread:n}:",
    "register": "  {name:[a-z][a-z0-9_]{0,15}} {value:x}",
    # MDRawAssertionInfo (Breakpad, exception_handler.cc): _set_invalid_parameter_handler(),
    # _set_purecall_handler() and a program's own assertion.
    "assertion": "assertion: {kind:invalid parameter|pure virtual call|assertion}[ {}] in "
    "{function:\\S.{0,300}} at {file:.{1,400}}:{line:[0-9]{1,9}}",
    "annotation": "annotation[ of {:[^:]{1,200}}]: [{:[\\w.$-]{1,100}} = ]{value:.*}",
}
_PROCESS = ("core", "process", "command line", "executable", "system", "processor", "made by")
_SIGINFO = frozenset({"code", "no code", "address", "no address", "sender"})
_RECORD = frozenset(name for name in _SHAPES if name.startswith("exception "))
_KINDS = {"pure virtual call": Category.PURE_VIRTUAL_CALL}
_SAY = frozenset({"assert", "glibc", "the allocator", "libc++abi", "the C++ runtime", "the loader",
                  "Objective-C", "Swift", "the program's log"})  # fmt: skip


def notes(document: Document) -> Analysis:
    """Process, Signal (none for a snapshot), Handled, ExceptionRecord, what nobody caught, Threads
    (where they have names), Registers and a runtime's last words, as far as they can be read."""
    said = list(read(document, _SHAPES))
    first: dict[str, Said] = {}
    for item in said:
        first.setdefault(item.name, item)
    threads = [item for item in said if item.name == "thread"]
    process = _process(document, first, threads)
    ended = process is None or not process.snapshot
    signal = _signal(document, said, first.get("signal")) if ended else None
    handled = _handled(document, said, first) if ended else None
    record, detail = _record(document, said, first, threads)
    known = (
        process,
        signal,
        handled,
        record,
        _thrown(document, said, first),
        _names(document, threads, record),
        _registers(document, said),
    )
    facts: list[f.AnyFact] = [fact for fact in known if fact is not None]
    facts += _spoken(document, said)
    other = record if signal is None and process is not None and ended else None
    findings = _findings(process, signal, handled, other, detail)
    return Analysis(_summary(process, signal, other), tuple(facts), findings)


def _known(text: str | None) -> str | None:
    return None if text in (None, "", "unknown") else text


def _process(document: Document, first: dict[str, Said], threads: list[Said]) -> f.Process | None:
    if "core" not in first:
        return None
    told: dict[str, Any] = {}
    for name in _PROCESS:
        told |= first[name].fields if name in first else {}
    pid = told.get("pid", "")
    lines = [first[name].number for name in _PROCESS if name in first]
    texts = ("command_line", "executable", "system", "processor")
    return f.Process(
        cite=document.cite(min(lines), max(lines)),
        pid=int(pid) if pid.isascii() and pid.isdigit() else None,
        arch=told["arch"],
        bits=told["bits"],
        os=told["os"],
        threads=tuple(item.fields["thread"] for item in threads),
        snapshot=told.get("made_by", "").startswith("a snapshot"),
        **{name: _known(told.get(name)) for name in texts},
    )


def _signal(document: Document, said: list[Said], item: Said | None) -> f.Signal | None:
    if item is None:
        return None
    more, last = below(said, item, _SIGINFO, 3)
    told: dict[str, Any] = dict.fromkeys(("code", "fault_address", "sender_pid", "sender_uid"))
    more["code_name"] = _known(more.get("code_name"))
    return f.Signal(cite=document.cite(item.number, last), **told | item.fields | more)


def _handled(document: Document, said: list[Said], first: dict[str, Said]) -> f.Handled | None:
    """The signal that was caught before, from its own lines down to its context's."""
    signal = _signal(document, said, first.get("caught"))
    context = first.get("context")
    if signal is None or context is None or not 0 < context.number - signal.cite.first < 5:
        return None
    cite = document.cite(signal.cite.first, context.number)
    return f.Handled(cite=cite, first=signal, context=context.fields["context"])


def _record(
    document: Document, said: list[Said], first: dict[str, Said], threads: list[Said]
) -> tuple[f.ExceptionRecord | None, str | None]:
    """The exception's record, and what its fast-fail code is called."""
    item = first.get("exception")
    if item is None:
        return None, None
    more, last = below(said, item, _RECORD, len(_RECORD))
    told: dict[str, Any] = {
        "platform": "other",
        "flags": 0,
        "recorded": None,
        **item.fields,
        **more,
    }
    detail = told.pop("detail", None)
    recorded = told["recorded"]
    told["recorded"] = told.pop("raw", None) or recorded
    told["parameters"] = tuple(int(word, 16) for word in told.get("parameters", "").split())
    own = (one.fields["pc"] for one in threads if one.fields["thread"] == told["thread"])
    told["address"] = recorded if told["platform"] == "windows" else next(own, None)
    return f.ExceptionRecord(cite=document.cite(item.number, last), **told), detail


def _thrown(document: Document, said: list[Said], first: dict[str, Said]) -> f.CxxException | None:
    """An exception of a language that ended the process, as an annotation names it."""
    item = first.get("thrown")
    if item is None:
        return None
    more, last = below(said, item, frozenset({"thrown message", "thrown bases"}), 2)
    at = first.get("exception address")
    return f.CxxException(
        cite=document.cite(item.number, last),
        type=item.fields["type"],
        message=more.get("message") or None,
        address=at.fields["recorded"] if at is not None else 0,
        uncaught=True,
        bases=tuple(split_types(more["bases"])) if "bases" in more else (),
    )


def _names(
    document: Document, threads: list[Said], record: f.ExceptionRecord | None
) -> f.Threads | None:
    """The threads with the names that the dump records; None where it names none."""
    if not any(item.fields["name"] for item in threads):
        return None
    current = record.thread if record is not None else None
    items = tuple(
        f.Thread(
            number=number,
            thread=item.fields["thread"],
            name=item.fields["name"],
            current=item.fields["thread"] == current,
            line=item.number,
        )
        for number, item in enumerate(threads, 1)
    )
    return f.Threads(cite=document.cite(items[0].line, items[-1].line), items=items)


def _registers(document: Document, said: list[Said]) -> f.Registers | None:
    heading = next((item for item in said if item.name == "registers"), None)
    if heading is None:
        return None
    values: list[f.Register] = []
    for item in said:
        if item.name == "register" and item.number == heading.number + 1 + len(values):
            values.append(f.Register(**item.fields, line=item.number))
    cite = document.cite(heading.number, heading.number + len(values))
    return f.Registers(cite=cite, thread=heading.fields["thread"], frame=0, values=tuple(values))


def _spoken(document: Document, said: list[Said]) -> list[f.AnyFact]:
    """What a minidump's writer was told: a `Finding` for the C runtime's assertion, else for each
    of Crashpad's annotations that is a runtime's last words."""
    item = next((one for one in said if one.name == "assertion"), None)
    if item is not None:
        kind, function, file, line = (item.fields[n] for n in ("kind", "function", "file", "line"))
        known = _known(file) is not None and int(line) != 0
        return [
            f.Finding(
                cite=document.cite(item.number),
                tool="the crash handler",
                kind=kind,
                message=sentence(item.line),
                line=item.number,
                place=f"{file}:{line}" if known else None,
                category=_KINDS.get(kind, Category.ASSERTION_FAILURE).value,
                function=_known(function),
            )
        ]
    values = {one.number: one.fields["value"] for one in said if one.name == "annotation"}
    if not any(values.values()):
        return []
    from analyzers.log import checks

    text = "\n".join(values.get(number, "") for number in range(1, max(values) + 1))
    told = checks.read(Document(document.id, document.command, "check", text)).facts
    return [fact for fact in told if isinstance(fact, f.Finding) and fact.tool in _SAY]


def _summary(
    process: f.Process | None, signal: f.Signal | None, record: f.ExceptionRecord | None
) -> str:
    if process is None:
        return "nothing readable in the notes"
    count = counted(len(process.threads), "thread")
    if process.snapshot:
        return f"a snapshot of a running process, {count}"
    if signal is None and record is not None:
        return f"{record.name} ({record.code:#x}) in thread {record.thread}, {count}"
    if signal is None:
        return f"{count}, the signal is not known"
    code = f" ({signal.code_name})" if signal.code_name else ""
    return f"{signal.name}{code} in thread {signal.thread}, {count}"


def _findings(
    process: f.Process | None,
    signal: f.Signal | None,
    handled: f.Handled | None,
    record: f.ExceptionRecord | None,
    detail: str | None,
) -> tuple[str, ...]:
    found = []
    if process is not None and process.snapshot:
        what = "signal" if process.os == "Linux" else "exception"
        found.append(f"No {what} ended the process [{process.cite}]")
    if signal is not None:
        at = f" at 0x{signal.fault_address:x}" if signal.fault_address is not None else ""
        by = f", sent by process {signal.sender_pid}" if signal.sender_pid is not None else ""
        found.append(f"Thread {signal.thread} got {signal.name}{at}{by} [{signal.cite}]")
    if record is not None:
        at = f" at {record.address:#x}" if record.address is not None else ""
        why = f": {detail}" if detail else ""
        if record.fault_address is not None:
            why = f": {record.access or 'access'} of {record.fault_address:#x}"
        found.append(f"Thread {record.thread} raised {record.name}{at}{why} [{record.cite}]")
    if handled is not None:
        found.append(f"A handler had caught {handled.first.name} [{handled.cite}]")
    return tuple(found)
