"""``@stop``: where and why the debugger says that the program stopped, out of a log's sections.

Lines are ``key: value``. The instruction's operand is computed from the registers that the log
prints; each value names the line of the file that it was read from.
"""

import re
from collections.abc import Sequence

from workbench.model.evidence import Section
from workbench.targets.plain import one_line
from workbench.targets.transcript.dereferenced import SourceOfStop
from workbench.targets.transcript.handled import SIGNALS, Handled
from workbench.targets.transcript.machine_lines import (
    instruction_of,
    listed,
    names_wide,
    register_of,
    returns_to,
)
from workbench.targets.transcript.operands import decode

# A whole line of the debugger: what stands within one may be data that the program chose.
_STOPPED = re.compile(
    r"[ \t]{0,8}(?:(?:Program|Process|Inferior|Thread|Task|LWP|Child)\b[^\"\n]{0,80}"
    r"(?:\"[^\"\n]{0,64}\"\)?)?,? )?(?:received|terminated with|crashed with) signal "
    r"(?:(?P<name>SIG[A-Z]{2,8}|EXC_[A-Z_]{3,20})|(?P<number>\d{1,2}))"
    r"(?:, (?P<words>[\w /-]{1,60}))?"
)
# Apple's gdb says below which of the kernel's codes it was, and where (13: no address was told).
_MACH_REASON = re.compile(
    r"^[ \t]{0,8}Reason: (?:KERN_[A-Z_]{4,30}|[12]) at address: (0x[0-9a-fA-F]{1,16})"
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
    r"(?:fault address:? |address=|si_addr = |"
    r"_sigfault = \{si_addr = )(0x[0-9a-fA-F]{1,16})"
)
_PRINTED_ADDRESS = re.compile(r"^\$\d{1,9} = (?:\([^()]{1,40}\) )?(0x[0-9a-fA-F]{1,16})\b")
_FRAME = re.compile(
    r"^(?:#0 {1,3}(?P<gdb>0x[0-9a-fA-F]{1,16}) in |"
    r"[ \t*]{0,12}frame #0: (?P<lldb>0x[0-9a-fA-F]{1,16})(?:\s|$))"
)
_POINTERS = re.compile(r"[(,] ?[A-Za-z_]\w{0,80}=0x([0-9a-fA-F]{12,16})(?=[,)])")
_BARE = re.compile(r"^(?P<pc>0x[0-9a-fA-F]{1,16}) in ")
# KDE's crash dialog, by strsignal(3)'s words.
_KDE = re.compile(
    r"Application: [^\n]{1,200}, signal: (?P<words>[A-Z][A-Za-z/ ]{3,40}?)(?: \(\d{1,2}\))?$"
)
_WORDS = {
    "Segmentation fault": "SIGSEGV", "Aborted": "SIGABRT", "Bus error": "SIGBUS",
    "Floating point exception": "SIGFPE", "Illegal instruction": "SIGILL",
    "Trace/breakpoint trap": "SIGTRAP", "Bad system call": "SIGSYS",
}  # fmt: skip
_HOSTS = ("gdb", "lldb")
_MOST_LISTED = 2000
_POINTER = ("rip", "eip", "pc")
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
            if line.startswith("$"):
                at = section.first_line + offset
                facts.source.take_printed(section.command, line[:4096], at)
    return facts.text()


class _Stop:
    """What the lines said so far; the first of each is kept, registers of the first listing."""

    def __init__(self) -> None:
        self.said: dict[str, tuple[str, int]] = {}
        self.registers: dict[str, int] = {}
        self.lines: dict[str, int] = {}
        self.closed = False
        self.fatal: dict[str, int] = {}
        self.listed: dict[int, tuple[str, int]] = {}
        self.handled = Handled()
        self.source = SourceOfStop()
        self.unsaid = False
        """True where the frame was passed a pointer that no address can be."""

    def take(self, line: str, number: int) -> None:
        """Take one line."""
        if "signal" in line or "stop reason" in line:
            self._take_reason(line, number)
        bare = _QUOTED.sub('""', line) if '"' in line else line
        if line.startswith(("#", "[KCrash ")):
            self.handled.take(line, number)
        self.source.take(bare, number)
        said = _SAID_ADDRESS.search(bare) or _MACH_REASON.match(line)
        if said is not None:
            self.said.setdefault("address", (said[1], number))
        found = instruction_of(line)
        if found is not None:
            self.said.setdefault("pc", (found.pc, number))
            self.said.setdefault("instruction", (one_line(found.text), number))
        elif "0x" in line[:5] and len(self.listed) < _MOST_LISTED:
            plain = listed(line)
            if plain is not None:
                self.listed.setdefault(int(plain.pc, 16), (one_line(plain.text), number))
        register = register_of(line)
        if register is not None:
            name, value = register
            if name in self.registers:
                self.closed = True
            if not self.closed:
                self.registers[name] = value
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
        self._find_instruction()
        if not self.said.keys() & {"signal", "instruction", "printed"}:
            return None
        lines = [f"{key}: {value} (line {at} of the log)" for key, (value, at) in self._head()]
        lines += [
            f"another stop: {name} (line {at} of the log)"
            for name, at in list(self.fatal.items())[1:]
        ]
        pc = self.said.get("pc") or self.said.get("frame")
        pointer = next((r for r in _POINTER if r in self.registers), None)
        if pc is not None:
            lines.append(f"pc: {pc[0]} (line {pc[1]} of the log)")
        elif pointer is not None:
            at = self.lines[pointer]
            lines.append(f"pc: {self.registers[pointer]:#x} (line {at} of the log)")
        bad = self.source.found
        if bad is not None and not (self.unsaid and not bad.value):
            where = f"source line {bad.source_line} of the log"
            shown = f"{bad.name} = {bad.value:#x}"
            lines.append(f"dereferenced: {shown}, {where} (line {bad.line} of the log)")
        instruction = self.said.get("instruction")
        if instruction is not None:
            lines.append(f"instruction: {instruction[0]} (line {instruction[1]} of the log)")
            lines += self._operand(instruction[0])
        return "\n".join(lines) + "\n"

    def _find_instruction(self) -> None:
        """Where no arrow points at it: the listed instruction at the printed program counter."""
        pointer = next((self.registers[r] for r in _POINTER if r in self.registers), None)
        if pointer in self.listed and "signal" in self.said:
            self.said.setdefault("instruction", self.listed[pointer])

    def _head(self) -> list[tuple[str, tuple[str, int]]]:
        names = {"signal": "signal", "message": "message", "address": "fault address"}
        said = {key: value for key, value in self.said.items() if key in names}
        target = returns_to(self.said.get("instruction", ("", 0))[0])
        nowhere = self.unsaid or (target is not None and not _canonical(target))
        if nowhere and int(said.get("address", ("1", 0))[0], 16) == 0:
            del said["address"]  # the processor names none for such a pointer, and Linux says 0
        return [(names[key], said[key]) for key in names if key in said]

    def _operand(self, instruction: str) -> list[str]:
        wide = any(name in self.registers for name in ("rax", "rsp", "rip", "x0", "x29"))
        wide = wide or names_wide(instruction)
        signal = self.said["signal"][0].split(",")[0] if "signal" in self.said else None
        if signal in _NO_ADDRESS:
            return []
        target = returns_to(instruction)
        if target is not None and not _canonical(target):
            return [f"access: execute at {target:#x} through {instruction}"]
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
    return not all(_canonical(int(value, 16)) for value in _POINTERS.findall(frame))


def _canonical(address: int) -> bool:
    """True for what x86-64 with four levels of page tables can address."""
    return not 0x0000_8000_0000_0000 <= address < 0xFFFF_8000_0000_0000


def _reason_of(line: str) -> tuple[str | None, str | None]:
    """The signal or exception that a line says the program stopped for, and its words."""
    stopped = _STOPPED.match(line)
    if stopped is not None:
        number = stopped["number"]
        return (SIGNALS.get(int(number)) if number else stopped["name"]), stopped["words"]
    kde = _KDE.match(line)
    if kde is not None:
        return _WORDS.get(kde["words"]), kde["words"]
    plain = _QUOTED.sub('""', line) if '"' in line else line
    reason = _REASON.match(plain)
    if reason is None:
        return None, None
    signal = _REASON_SIGNAL.match(reason["reason"])
    if signal is not None:
        return signal[1], signal["words"]
    mach = _REASON_MACH.match(reason["reason"])
    return (mach["name"], mach["words"]) if mach is not None else (None, None)
