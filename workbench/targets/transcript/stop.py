"""``@stop``: where and why the debugger says that the program stopped, out of a log's sections.

Lines are ``key: value``. The instruction's operand is computed from the registers that the log
prints; each value names the line of the file that it was read from.
"""

import re
from collections.abc import Sequence

from workbench.model.evidence import Section
from workbench.targets.plain import one_line
from workbench.targets.transcript.dereferenced import SourceOfStop
from workbench.targets.transcript.operands import decode

# A whole line of the debugger: what stands within one may be data that the program chose.
_STOPPED = re.compile(
    r"[ \t]{0,8}(?:(?:Program|Process|Inferior|Thread|Task|LWP|Child)\b[^\"\n]{0,80}"
    r"(?:\"[^\"\n]{0,64}\"\)?)?,? )?(?:received|terminated with|crashed with) signal "
    r"(?:(?P<name>SIG[A-Z]{2,8})|(?P<number>\d{1,2}))(?:, (?P<words>[\w /-]{1,60}))?"
)
_REASON = re.compile(
    r"[ \t*]{0,8}(?:thread #\d|Process \d)(?:[^\"'\n]|'[^'\n]{0,200}'){0,600}?"
    r"\bstop reason = (?P<reason>.{1,200})$"
)
# The strings that a debugger prints escape the quotes within them; one may be cut.
_QUOTED = re.compile(r'"(?:[^"\\\n]|\\.)*(?:"|$)')
_REASON_SIGNAL = re.compile(r"signal (SIG[A-Z]{2,8})(?:: (?P<words>.{1,120}))?")
_REASON_MACH = re.compile(r"(?P<name>EXC_[A-Z_]{3,30}) \((?P<words>.{1,160})\)")
_SAID_ADDRESS = re.compile(
    r"(?:fault address: |address=|si_addr = |"
    r"_sigfault = \{si_addr = )(0x[0-9a-fA-F]{1,16})"
)
_PRINTED_ADDRESS = re.compile(r"^\$\d{1,9} = (?:\([^()]{1,40}\) )?(0x[0-9a-fA-F]{1,16})\b")
_INSTRUCTION = re.compile(
    r"^(?:=>|->)\s{1,4}(?P<pc>0x[0-9a-fA-F]{1,16})(?P<where>(?: "
    r"?<[^\n]{0,2000}?>)?):\s*(?P<text>\S.{0,300})$"
)
_LATE = re.compile(
    r"^(?:=>|->)\s{1,4}(?P<pc>0x[0-9a-fA-F]{1,16}).{0,3000}?>:\s+(?P<text>\S.{0,300})$"
)
_REGISTER = re.compile(
    r"^\s{0,12}(?P<name>[re]?[a-ds][xip]|[re]?[sbd][ip]|[re]?ip|r\d{1,2}|x\d{1,2}|w\d{1,2}|fp|lr|"
    r"sp|pc)(?:\s{1,20}|\s*=\s*)0x(?P<value>[0-9a-fA-F]{1,16})\b"
)
_FRAME = re.compile(
    r"^(?:#0 {1,3}(?P<gdb>0x[0-9a-fA-F]{1,16}) in |"
    r"[ \t*]{0,12}frame #0: (?P<lldb>0x[0-9a-fA-F]{1,16})(?:\s|$))"
)
_POINTERS = re.compile(r"[(,] ?[A-Za-z_]\w{0,80}=0x([0-9a-fA-F]{12,16})(?=[,)])")
# A handler's own frame, and what gdb prints between it and the code that it interrupted.
_HANDLER = re.compile(
    r"^#\d{1,5} {1,3}[^\"\n]{0,400}?\((?:[^()\"\n]{0,200}, )?"
    r"(?:sig|signo|signum|signal|signal_number)=(?P<number>\d{1,2})[,)]"
)
_INTERRUPTED = re.compile(r"^#\d{1,5} {1,3}<signal handler called>")
_ANY_FRAME = re.compile(r"^#\d{1,5} {1,3}(?:(?P<pc>0x[0-9a-fA-F]{1,16}) in )?\S")
_BARE = re.compile(r"^(?P<pc>0x[0-9a-fA-F]{1,16}) in ")
_SIGNALS = {4: "SIGILL", 5: "SIGTRAP", 6: "SIGABRT", 7: "SIGBUS", 8: "SIGFPE", 11: "SIGSEGV"}
_HOSTS = ("gdb", "lldb")
_MOST = 50_000
_FATAL = frozenset({"SIGSEGV", "SIGBUS", "SIGFPE", "SIGILL", "SIGABRT", "SIGSYS"})
# What the instruction touches ended nothing then.
_NO_ADDRESS = frozenset({"SIGABRT", "SIGFPE", "SIGILL", "SIGTRAP", "SIGSYS", "EXC_ARITHMETIC",
                         "EXC_BAD_INSTRUCTION", "EXC_BREAKPOINT", "EXC_CRASH"})  # fmt: skip
_MACH = {"EXC_BAD_ACCESS": "SIGSEGV", "EXC_BAD_INSTRUCTION": "SIGILL", "EXC_ARITHMETIC": "SIGFPE"}


def answer(sections: Sequence[Section]) -> str | None:
    """The text of ``@stop``; None where no debugger says that the program stopped."""
    facts = _Stop()
    for section in sections:
        if section.host not in _HOSTS:
            continue
        asked = section.host == "gdb" and "si_addr" in section.command
        for offset, line in enumerate(section.text.split("\n")[:_MOST]):
            facts.take(line[:4096], section.first_line + offset)
            if asked:
                facts.take_printed(line[:4096], section.first_line + offset)
    return facts.text()


class _Stop:
    """What the lines said so far; the first of each is kept, registers of the first listing."""

    def __init__(self) -> None:
        self.said: dict[str, tuple[str, int]] = {}
        self.registers: dict[str, int] = {}
        self.lines: dict[str, int] = {}
        self.closed = False
        self.fatal: dict[str, int] = {}
        self.handled = _Handled()
        self.source = SourceOfStop()
        self.unsaid = False
        """True where the frame was passed a pointer that no address can be."""

    def take(self, line: str, number: int) -> None:
        """Take one line."""
        if "signal" in line or "stop reason" in line:
            self._take_reason(line, number)
        bare = _QUOTED.sub('""', line) if '"' in line else line
        if line.startswith("#"):
            self.handled.take(line, number)
        self.source.take(bare, number)
        said = _SAID_ADDRESS.search(bare)
        if said is not None:
            self.said.setdefault("address", (said[1], number))
        found = _INSTRUCTION.match(line) or _LATE.match(line)
        if found is not None:
            self.said.setdefault("pc", (found["pc"], number))
            self.said.setdefault("instruction", (one_line(found["text"]), number))
        register = _REGISTER.match(line)
        if register is not None:
            name = register["name"]
            if name in self.registers:
                self.closed = True
            if not self.closed:
                self.registers[name] = int(register["value"], 16)
                self.lines[name] = number
        frame = _FRAME.match(line) or _BARE.match(line)
        if frame is not None:
            pc = next(value for value in frame.groups() if value is not None)
            if "frame" not in self.said and _unmappable(bare):
                self.unsaid = True
            self.said.setdefault("frame", (pc, number))

    def take_printed(self, line: str, number: int) -> None:
        """Take a line of the answer to ``print $_siginfo._sifields._sigfault.si_addr``."""
        printed = _PRINTED_ADDRESS.match(line)
        if printed is not None and "printed" not in self.said:
            self.said["printed"] = (printed[1], number)
            self.said.setdefault("address", (printed[1], number))

    def _take_reason(self, line: str, number: int) -> None:
        name, words = _reason_of(line)
        if name is None:
            return
        same = _MACH.get(name, name)
        first = "signal" not in self.said
        if same in _FATAL:
            first = first or not self.fatal  # what a debugger passed on before ended nothing
            self.fatal.setdefault(same, number)
        if not first:
            return
        self.said["signal"] = (f"{name}{', ' + one_line(words) if words else ''}", number)
        self.said["message"] = (one_line(line.strip(), 300), number)

    def text(self) -> str | None:
        """The answer's lines."""
        if "signal" not in self.said:
            self.handled.tell(self.said)
        if not self.said.keys() & {"signal", "instruction", "printed"}:
            return None
        lines = [f"{key}: {value} (line {at} of the log)" for key, (value, at) in self._head()]
        lines += [
            f"another stop: {name} (line {at} of the log)"
            for name, at in list(self.fatal.items())[1:]
        ]
        pc = self.said.get("pc") or self.said.get("frame")
        pointer = next((r for r in ("rip", "eip", "pc") if r in self.registers), None)
        if pc is not None:
            lines.append(f"pc: {pc[0]} (line {pc[1]} of the log)")
        elif pointer is not None:
            at = self.lines[pointer]
            lines.append(f"pc: {self.registers[pointer]:#x} (line {at} of the log)")
        null = self.source.found
        if null is not None and not self.unsaid:
            where = f"source line {null.source_line} of the log"
            lines.append(f"dereferenced: {null.name} = 0x0, {where} (line {null.line} of the log)")
        instruction = self.said.get("instruction")
        if instruction is not None:
            lines.append(f"instruction: {instruction[0]} (line {instruction[1]} of the log)")
            lines += self._operand(instruction[0])
        return "\n".join(lines) + "\n"

    def _head(self) -> list[tuple[str, tuple[str, int]]]:
        names = {"signal": "signal", "message": "message", "address": "fault address"}
        said = {key: value for key, value in self.said.items() if key in names}
        if self.unsaid and int(said.get("address", ("1", 0))[0], 16) == 0:
            del said["address"]  # the processor names none for such a pointer, and Linux says 0
        return [(names[key], said[key]) for key in names if key in said]

    def _operand(self, instruction: str) -> list[str]:
        wide = any(name in self.registers for name in ("rax", "rsp", "rip", "x0", "x29"))
        signal = self.said["signal"][0].split(",")[0] if "signal" in self.said else None
        if signal in _NO_ADDRESS:
            return []
        found = decode(instruction, self.registers, 64 if wide else 32)
        if found is None:
            return []
        lines = [f"access: {found.access} at {found.address:#x} through {found.text}"]
        for name, value in found.registers:
            at = self.lines.get(name)
            where = f" (line {at} of the log)" if at else ""
            lines.append(f"register: {name} = {value:#x}{where}")
        return lines


def _unmappable(frame: str) -> bool:
    """True for a frame's line with an argument that is no canonical address of x86-64."""
    return any(
        0x0000_8000_0000_0000 <= int(value, 16) < 0xFFFF_8000_0000_0000
        for value in _POINTERS.findall(frame)
    )


class _Handled:
    """The signal that a crash handler of the program's was called for, where gdb came later: the
    innermost frames are the handler's, and the crash is the frame below ``<signal handler
    called>`` (gdb/stack.c, print_frame_info)."""

    def __init__(self) -> None:
        self.found: dict[str, tuple[str, int]] = {}
        self._handler: tuple[str, str, int] | None = None
        self._next = False

    def take(self, line: str, number: int) -> None:
        """Take one frame's line."""
        if self._next:
            frame = _ANY_FRAME.match(line)
            if frame is not None and frame["pc"]:
                self.found["frame"] = (frame["pc"], number)
            self._next = False
        if self._handler is not None and not self.found and _INTERRUPTED.match(line):
            name, text, at = self._handler
            self.found = {"signal": (name, at), "message": (text, at)}
            self._next = True
        handler = _HANDLER.match(line)
        sent = _SIGNALS.get(int(handler["number"])) if handler is not None else None
        self._handler = (sent, one_line(line.strip(), 300), number) if sent is not None else None

    def tell(self, said: dict[str, tuple[str, int]]) -> None:
        """Replace what the frame of the waiting handler said."""
        if self.found:
            said.pop("frame", None)
            said.update(self.found)


def _reason_of(line: str) -> tuple[str | None, str | None]:
    """The signal or exception that a line says the program stopped for, and its words."""
    stopped = _STOPPED.match(line)
    if stopped is not None:
        number = stopped["number"]
        return (_SIGNALS.get(int(number)) if number else stopped["name"]), stopped["words"]
    plain = _QUOTED.sub('""', line) if '"' in line else line
    reason = _REASON.match(plain)
    if reason is None:
        return None, None
    signal = _REASON_SIGNAL.match(reason["reason"])
    if signal is not None:
        return signal[1], signal["words"]
    mach = _REASON_MACH.match(reason["reason"])
    return (mach["name"], mach["words"]) if mach is not None else (None, None)
