"""Memory that is mapped and still refuses: read-only, past a file's end, misaligned."""

from analyzers.patterns import commands, signs
from analyzers.patterns.base import OneRound
from analyzers.patterns.bounds import came_out, read_only_write, walked_in
from analyzers.patterns.case import Case
from analyzers.patterns.ending import Kind
from analyzers.patterns.stated import accessed, mapped
from analyzers.patterns.words import (
    confirmed,
    in_place,
    inconclusive,
    of,
    rejected,
    signal_claim,
)
from workbench.claims.render import short_name
from workbench.claims.say import say
from workbench.model.category import Category
from workbench.model.claims import Claim
from workbench.model.facts import FactBook, Fault, Region
from workbench.model.hypothesis import Proposal, Rung, Verdict


def _refusing(case: Case, region: Region | None) -> str:
    """What lies in a mapping that may not be written, by what its file is mapped for: ``code``,
    ``data`` of a loaded file, another ``file``, or none."""
    if region is None or not region.path or region.kind != "file":
        return ""
    if "x" in region.perms:
        return "code"
    regions = case.memory.regions if case.memory is not None else ()
    runs = any("x" in each.perms for each in regions if each.path == region.path)
    return "data" if runs else "file"


def _touched(case: Case, address: int | None) -> list[Claim]:
    """What the instruction did, else the address that the system recorded; and what lies there."""
    fault, ending = case.fault, case.ending
    told = accessed(case, fault)
    if not told and ending is not None and ending.address is not None:
        told = [say("fault_address", of(ending.fact), address=ending.address)]
    return [*told, *(mapped(case, address) if address is not None else [])]


class WriteToReadOnlyMemory(OneRound):
    """A write into a mapping that may be read but not written."""

    category = Category.WRITE_TO_READ_ONLY_MEMORY

    def propose(self, facts: FactBook) -> Proposal | None:
        """When the write's mapping is read-only."""
        case = Case(facts)
        fault = read_only_write(case)
        if fault is None or came_out(case) is not None:
            return None
        return Proposal(
            category=self.category,
            statement="Read-only memory was written to.",
            confidence=0.9,
            tests=(*commands.source(case.frame), *commands.variables(case.frame),
                   *commands.symbol(fault.operand)),
            citations=of(fault) + case.cite_region(case.region(fault.operand)),
        )  # fmt: skip

    def evaluate(self, facts: FactBook) -> Verdict:
        """Confirmed by the mapping's permissions."""
        case = Case(facts)
        fault = read_only_write(case)
        if fault is None:
            return rejected("The fault is no write to a read-only mapping.", of(case.fault))
        region = case.region(fault.operand)
        out = came_out(case)
        if out is not None:
            return rejected("The write began in memory that may be written.", out.cites)
        code = fault.operand_symbol
        claims = [
            in_place(case, self.category, case.frame, how=_refusing(case, region)),
            say("access", of(fault), pc=fault.pc, access=fault.access, address=fault.operand,
                symbol=code),
            *mapped(case, fault.operand or 0),
            *signal_claim(case),
        ]  # fmt: skip
        if walked_in(case):
            return inconclusive(
                case,
                "The mapping does not allow writing, but a copy or a loop may have run into it.",
                ("where the write began",),
                confidence=0.5,
                rung=Rung.MACHINE,
                supporting=of(fault),
                claims=claims,
                recommendations=("Check the length or index of the copy against its "
                                 "destination's size.",),
            )  # fmt: skip
        return confirmed(
            case,
            Rung.MACHINE,
            0.94,
            claims,
            reason="The mapping does not allow writing.",
            recommendations=(
                f"Find where the pointer was set to `{short_name(code.split('+')[0])}`: a wrong "
                "member, argument or cast, or an object of another type, gave a function for data.",
            )
            if code is not None
            else ("Write to a copy: string literals and const objects are mapped read-only.",),
        )


_BUS = (Kind.PAGING, Kind.MISALIGNED)


class BusError(OneRound):
    """SIGBUS and its kin that is neither a truncated file nor a misaligned access."""

    category = Category.BUS_ERROR

    def propose(self, facts: FactBook) -> Proposal | None:
        """For every such end that an instruction raised."""
        case = Case(facts)
        if case.ending is None or not case.ended(*_BUS):
            return None
        if not signs.raised_by_instruction(case):
            return None
        return Proposal(
            category=self.category,
            statement="The memory behind a mapping could not be provided.",
            confidence=0.4,
            tests=(*commands.siginfo(), *commands.source(case.frame)),
            citations=of(case.ending.fact) + of(case.fault),
        )

    def evaluate(self, facts: FactBook) -> Verdict:
        """Confirmed when nothing narrower fits."""
        case = Case(facts)
        ending, fault = case.ending, case.fault
        if ending is None:
            return rejected("Nothing ended the process.", of(case.process))
        if not case.ended(*_BUS):
            return rejected("The process ended otherwise.", of(ending.fact))
        address = _bus_address(case)
        region = case.region(address)
        if region is not None and region.kind == "file":
            return rejected("The address lies in a mapped file: its end is the narrower cause.",
                            case.cite_region(region))  # fmt: skip
        if _misaligned(case) is not None:
            return rejected("The access is misaligned, which is narrower.", of(fault))
        claims = [
            in_place(case, self.category, case.frame),
            *signal_claim(case),
            *_touched(case, address),
        ]
        return confirmed(case, Rung.MACHINE, 0.7, claims, support=of(fault),
                         reason="The memory lies outside of any mapped file.")  # fmt: skip


def _bus_address(case: Case) -> int | None:
    if case.fault is not None and case.fault.operand is not None:
        return case.fault.operand
    return case.ending.address if case.ending is not None else None


class TruncatedMapping(OneRound):
    """A file mapping's page that cannot be provided: it lies past the file's end (mmap(2)), or the
    file could not be read."""

    category = Category.TRUNCATED_MAPPING

    def propose(self, facts: FactBook) -> Proposal | None:
        """When it hit a mapped file."""
        case = Case(facts)
        region = case.region(_bus_address(case))
        if case.ending is None or not case.ended(*_BUS) or region is None:
            return None
        if region.kind != "file" or not signs.raised_by_instruction(case):
            return None
        return Proposal(
            category=self.category,
            statement="A mapped file is shorter than its mapping.",
            confidence=0.85,
            tests=(*commands.siginfo(), *commands.source(case.frame),
                   *commands.variables(case.frame)),
            citations=of(case.ending.fact) + case.cite_region(region),
        )  # fmt: skip

    def evaluate(self, facts: FactBook) -> Verdict:
        """Confirmed by the signal or exception and the mapping."""
        case = Case(facts)
        ending = case.ending
        address = _bus_address(case)
        region = case.region(address)
        if ending is None:
            return rejected("Nothing ended the process.", of(case.process))
        if not case.ended(*_BUS) or address is None:
            return rejected("The process ended otherwise.", of(ending.fact))
        if region is None or region.kind != "file" or ending.kind is Kind.MISALIGNED:
            return rejected("The address lies in no mapped file past its end.", of(ending.fact))
        claims = [
            in_place(case, self.category, case.frame),
            *_touched(case, address),
            *signal_claim(case),
        ]
        return confirmed(
            case,
            Rung.MACHINE,
            0.9,
            claims,
            reason="A page of a file mapping that cannot be provided lies past the file's end.",
            recommendations=(
                "Check the file's size before and while it is mapped; someone truncated it, or the "
                "mapping is longer than the file.",
            ),
        )


def _misaligned(case: Case) -> Fault | None:
    fault = case.fault
    if fault is None or case.ending is None or fault.operand is None:
        return None
    if case.ended(Kind.MISALIGNED):
        return fault
    return fault if fault.alignment is not None and case.region(fault.operand) else None


class MisalignedAccess(OneRound):
    """An instruction that needs an aligned operand got another."""

    category = Category.MISALIGNED_ACCESS

    def propose(self, facts: FactBook) -> Proposal | None:
        """When the instruction needs alignment and the operand is mapped and has none."""
        case = Case(facts)
        fault = _misaligned(case)
        if fault is None or not signs.raised_by_instruction(case):
            return None
        return Proposal(
            category=self.category,
            statement="An aligned access was made at a misaligned address.",
            confidence=0.85,
            tests=(*commands.code(fault.pc), *commands.source(case.frame),
                   *commands.variables(case.frame)),
            citations=of(fault),
        )  # fmt: skip

    def evaluate(self, facts: FactBook) -> Verdict:
        """Confirmed by the instruction and the operand."""
        case = Case(facts)
        fault = _misaligned(case)
        if fault is None:
            return rejected("The access needs no alignment that it lacks.", of(case.fault))
        claims = [
            in_place(case, self.category, case.frame),
            *accessed(case, fault),
            *([say("access", of(fault), pc=fault.pc, instruction=fault.instruction)]
              if fault.instruction else []),
            *signal_claim(case),
        ]  # fmt: skip
        return confirmed(
            case,
            Rung.MACHINE,
            0.9,
            claims,
            reason="The operand is mapped, and its address is not what the instruction needs.",
            recommendations=(
                "Keep casts from raising a pointer's alignment: memcpy() the value instead, or "
                "align the buffer.",
            ),
        )
