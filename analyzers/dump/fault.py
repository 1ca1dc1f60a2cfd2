"""Reads ``@fault``: the faulting instruction, its operands, and the origin of its pointer."""

import re

from msgspec.structs import replace

from analyzers.base import Analysis, Document, Settled
from workbench.model.facts import (
    DataRun,
    Fault,
    Frame,
    Load,
    Member,
    Outside,
    Spelled,
    Taint,
    Unset,
    VirtualCall,
)

_HEX = r"0x[0-9a-f]{1,16}"
_PATTERNS = {
    "thread": r"thread (\d{1,10})",
    "pc": rf"pc ({_HEX}): (.*)",
    "sp": rf"stack pointer ({_HEX}): .*",
    "instruction": r"instruction (?!not decoded)(.{1,160})",
    "mnemonic": r"mnemonic (.{1,40})",
    "update": rf"update: ({_HEX}) would go on to write to {_HEX}",
    "access": rf"access (read|write|execute) at ({_HEX})(?: through (.{{1,80}}))?(?:: (.*))?",
    "operand": rf"(?:implicit )?operand (.{{1,80}}) = ({_HEX}): [a-z ]+ of (\d{{1,5}}) bytes, (.+)",
    "register": rf"(base|index) register (\w{{1,10}}) = ({_HEX}): .*",
    "divisor": rf"divisor \w{{1,10}} = ({_HEX}) .*",
    "overflow": r"quotient overflow: .*",
    "transfer": r"transfer (call|return|unknown): (.*)",
    "target": rf"target cell .{{1,80}} = ({_HEX}) \(.*\) holds ({_HEX})",
    "load": rf"origin \d+: (\w{{1,10}}) was loaded with ({_HEX}) from ({_HEX}) \(.*\) by .*"
    rf" at ({_HEX})",
    "call": rf"origin \d+: \w{{1,10}} = (.{{1,20}}) was returned by the call to (\S+) at {_HEX}",
    "unset": rf"(index )?origin \d+: ({_HEX}) at ({_HEX}) was never set: .* at ({_HEX}) \(.*",
    "unset register": rf"(index )?origin \d+: \w{{1,10}} = ({_HEX}) was never set ()by .*"
    rf" at ({_HEX}) \(.*",
    "virtual": rf"virtual call: the object at ({_HEX}) \(.*\) has its table at ({_HEX}): (.+)",
    "taint": rf"taint (call|branch|return|store): .* at ({_HEX})",
    "outside": rf"bounds: the cell ({_HEX}) is not in the variable (\S{{1,300}}) at ({_HEX}), .*",
    "misaligned": r"misaligned: .* wants an address that is a multiple of (\d{1,3})",
    "root": rf"root: {_HEX} was made from ({_HEX}) by the .*",
    "member": rf"member: the cell ({_HEX}) lies ({_HEX}) bytes into the object at ({_HEX}), whose"
    r" table is that of class (.{1,300}) \(bases: (.{1,900})\)"
    r"(?:; a method of class (.{1,300}) reads it)?",
    "run": rf"run: (.+) from ({_HEX}) to ({_HEX}) covers the cell ({_HEX})",
    "text": rf'text: the bytes of ({_HEX}) are the characters "([\x20-\x7e]{{4,16}})"',
    "copy": rf"copy: the word ({_HEX}) stands at ({_HEX}) \(.*\), in (.+) from ({_HEX})"
    rf" to ({_HEX})",
    "changed": rf"origin \d+: (\w{{1,10}}) was loaded by .* at ({_HEX}) from ({_HEX}) \(.*",
}
_LINES = {name: re.compile(pattern) for name, pattern in _PATTERNS.items()}
_OWN = re.compile(r"\[(?:[er]sp\b|[er]bp - )")
_SYMBOL = re.compile(r"file .{1,200} [r?-][w?-]x[ps]?, (?=\S)")
_CALL_AT = re.compile(rf" lies behind .* at ({_HEX}) \(")
_CODE = re.compile(r"file (?P<module>.{1,200}) [r?-][w?-][x?][ps]?(?:, (?P<function>.{1,2000}))?")
_GOES = re.compile(rf".* at ({_HEX}) goes to {_HEX}")


class DumpFault(Settled):
    """The analyzer of ``@fault``."""

    name = "dump-fault"

    def can_analyze(self, document: Document) -> bool:
        """True for our reader's answer to ``@fault``."""
        return document.host == "dump" and document.command.split()[:1] == ["@fault"]

    def analyze(self, document: Document) -> Analysis:
        """One `Fault` when the thread and its pc are there."""
        reading = _Reading()
        for number, line in document.numbered():
            for kind, pattern in _LINES.items():
                match = pattern.fullmatch(line)
                if match is not None:
                    reading.take(kind, match, number)
                    break
        if reading.thread is None or reading.pc is None:
            return Analysis("no fault to read")
        fault = reading.fact(document)
        what = fault.instruction or "an unknown instruction"
        summary = f"{fault.access} fault at {fault.pc:#x}: {what}"
        if fault.access == "none":
            summary = f"thread {fault.thread} at {fault.pc:#x}: {what}"
        return Analysis(summary, (fault,), (f"{summary} [{fault.cite}]",))


class _Reading:
    """What the lines said so far."""

    def __init__(self) -> None:
        self.thread: int | None = None
        self.pc: int | None = None
        self.running: Frame | None = None
        self.sp: int | None = None
        self.text: dict[str, str] = {}
        self.access = "none"
        self.accessed: int | None = None
        self.through: str | None = None
        self.place: str | None = None
        self.operands: dict[str, tuple[int, int, str]] = {}
        self.registers: dict[str, tuple[str, int]] = {}
        self.divisor: int | None = None
        self.overflow = False
        self.transfer: str | None = None
        self.transfer_from: int | None = None
        self.call: str | None = None
        self.returned: tuple[int | None, int] = (None, 0)
        self.unset: dict[str, Unset] = {}
        self.virtual: VirtualCall | None = None
        self.taint: Taint | None = None
        self.outside: Outside | None = None
        self.member: Member | None = None
        self.run: DataRun | None = None
        self.spelled: Spelled | None = None
        self.update: tuple[int | None, int] = (None, 0)
        self.alignment: int | None = None
        self.root: tuple[int | None, int] = (None, 0)
        self.loads: list[Load] = []
        self.first = self.last = 0

    def take(self, kind: str, match: re.Match[str], number: int) -> None:
        """Take one line."""
        self.first, self.last = self.first or number, number
        match kind:
            case "thread":
                self.thread = int(match[1])
            case "pc":
                self.pc = int(match[1], 16)
                self.running = _frame(self.pc, match[2], number)
            case "sp":
                self.sp = int(match[1], 16)
            case "instruction" | "mnemonic":
                self.text[kind] = match[1]
            case "access":
                self.access, self.accessed = match[1], int(match[2], 16)
                self.through, self.place = match[3], match[4]
            case "operand":
                self.operands[match[1]] = (int(match[2], 16), int(match[3]), match[4])
            case "register":
                self.registers[match[1]] = (match[2], int(match[3], 16))
            case "divisor":
                self.divisor = int(match[1], 16)
            case "overflow":
                self.overflow = True
            case "update":
                self.update = int(match[1], 16), number
            case "run":
                self.run = DataRun(
                    start=int(match[2], 16),
                    end=int(match[3], 16),
                    cell=int(match[4], 16),
                    what=match[1],
                    line=number,
                )
            case "text":
                self.spelled = Spelled(value=int(match[1], 16), text=match[2], line=number)
            case "copy":
                self._take_copy(match, number)
            case "call":
                value = int(match[1], 16) if match[1].startswith("0x") else None
                self.call, self.returned = match[2], (value, number)
            case "unset" | "unset register":
                self.unset[match[1] or ""] = Unset(
                    cell=int(match[3], 16) if match[3] else None,
                    value=int(match[2], 16),
                    function=int(match[4], 16),
                    line=number,
                )
            case "taint":
                self.taint = Taint(kind=match[1], at=int(match[2], 16), line=number)
            case "misaligned":
                self.alignment = int(match[1])
            case "root":
                self.root = int(match[1], 16), number
            case "outside":
                self.outside = Outside(
                    cell=int(match[1], 16), variable=match[2], start=int(match[3], 16), line=number
                )
            case "member":
                self.member = _member(match, number)
            case "virtual":
                self.virtual = VirtualCall(
                    object=int(match[1], 16), table=int(match[2], 16), where=match[3], line=number
                )
            case "transfer":
                self._take_transfer(match)
            case "target":
                cell, value = int(match[1], 16), int(match[2], 16)
                at = self.transfer_from or 0
                self.loads.append(
                    Load(at=at, register="rip", source=cell, value=value, line=number)
                )
            case _:
                self._take_load(kind, match, number)

    def _take_copy(self, match: re.Match[str], number: int) -> None:
        if self.spelled is not None and self.spelled.value == int(match[1], 16):
            seen = self.spelled.places
            here = int(match[2], 16), int(match[4], 16), int(match[5], 16)
            self.spelled = replace(
                self.spelled,
                places=(*seen, here),
                cell=here[0] if not seen else None,
                run=match[3],
                start=here[1],
                end=here[2],
                copy_line=number,
            )

    def _take_transfer(self, match: re.Match[str]) -> None:
        self.transfer = match[1]
        found = _CALL_AT.search(match[2]) or _GOES.fullmatch(match[2])
        if found is not None:
            self.transfer_from = int(found[1], 16)

    def _take_load(self, kind: str, match: re.Match[str], number: int) -> None:
        if kind == "load":
            at, value, source = int(match[4], 16), int(match[2], 16), int(match[3], 16)
            own = _OWN.search(match[0]) is not None
            self.loads.append(
                Load(at=at, register=match[1], source=source, value=value, line=number, own=own)
            )
        else:
            at, source = int(match[2], 16), int(match[3], 16)
            self.loads.append(
                Load(at=at, register=match[1], source=source, value=None, line=number)
            )

    def fact(self, document: Document) -> Fault:
        """The fact of all lines."""
        size, where = None, self.place
        if self.through in self.operands:
            _, size, where = self.operands[self.through]
        kind, perms = _place(where)
        base = self.registers.get("base", (None, None))
        index = self.registers.get("index", (None, None))
        return Fault(
            cite=document.cite(self.first, self.last),
            thread=self.thread or 0,
            pc=self.pc or 0,
            instruction=self.text.get("instruction"),
            mnemonic=self.text.get("mnemonic"),
            access=self.access,
            operand=self.accessed,
            operand_size=size,
            operand_region=kind,
            operand_perms=perms,
            operand_symbol=_SYMBOL.sub("", where) if where and _SYMBOL.match(where) else None,
            base_register=base[0],
            base_value=base[1],
            index_register=index[0],
            index_value=index[1],
            divisor=self.divisor,
            quotient_overflow=self.overflow,
            origin=tuple(self.loads),
            origin_call=self.call,
            run=self.run,
            origin_value=self.returned[0],
            origin_line=self.returned[1],
            unset=self.unset.get(""),
            index_unset=self.unset.get("index "),
            virtual=self.virtual,
            taint=self.taint,
            outside=self.outside,
            member=self.member,
            spelled=self.spelled,
            transfer=self.transfer,
            transfer_from=self.transfer_from,
            stack_pointer=self.sp,
            running=self.running,
            updated_at=self.update[0],
            updated_line=self.update[1],
            alignment=self.alignment,
            root=self.root[0],
            root_line=self.root[1],
        )


def _member(match: re.Match[str], number: int) -> Member:
    bases = tuple(match[5].split(", ")) if match[5] != "none" else ()
    return Member(
        cell=int(match[1], 16),
        offset=int(match[2], 16),
        object=int(match[3], 16),
        kind=match[4],
        bases=bases,
        method_of=match[6],
        line=number,
    )


def _frame(pc: int, where: str, number: int) -> Frame | None:
    """The frame at ``pc`` out of ``file server r-x, handle+0x1a``; None where it is no file's."""
    found = _CODE.fullmatch(where)
    if found is None:
        return None
    function = found["function"]
    if function is not None:
        function = re.sub(r"\+0x[0-9a-f]{1,16}$", "", function)
    return Frame(
        index=0,
        function=function,
        module=found["module"],
        address=pc,
        trust="unwound",
        line_no=number,
    )


def _place(where: str | None) -> tuple[str | None, str | None]:
    """Kind and permissions out of ``file libc.so.6 r-x, puts+0x1a`` or ``near null, unmapped``."""
    if where is None:
        return None, None
    if where.startswith("near null"):
        return "near-null", None
    perms = re.search(r" ([r?-][w?-][x?-])(?:,|$)", where)
    return where.split(" ", 1)[0].rstrip(","), perms[1] if perms else None
