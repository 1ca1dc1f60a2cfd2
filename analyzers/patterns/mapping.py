"""Memory that is mapped and still refuses: read-only, past a file's end, misaligned."""

from analyzers.patterns import commands, signs
from analyzers.patterns.base import OneRound
from analyzers.patterns.case import Case
from analyzers.patterns.words import (
    claim,
    confirmed,
    of,
    place,
    region_words,
    rejected,
    signal_claim,
)
from workbench.model.category import Category
from workbench.model.facts import FactBook, Fault
from workbench.model.hypothesis import Proposal, Rung, Verdict

_ALIGNED = ("movaps", "movapd", "movdqa", "movntps", "movntpd", "movntdq", "vmovaps", "vmovapd",
            "vmovdqa")  # fmt: skip


def _read_only_write(case: Case) -> Fault | None:
    fault = case.fault
    if fault is None or fault.access != "write" or fault.operand is None:
        return None
    region = case.region(fault.operand)
    if region is None or "w" in region.perms or "r" not in region.perms:
        return None
    if signs.ran_out_of_stack(case) is not None or signs.lost_stack(case) is not None:
        return None
    return fault


class WriteToReadOnlyMemory(OneRound):
    """A write into a mapping that may be read but not written."""

    category = Category.WRITE_TO_READ_ONLY_MEMORY

    def propose(self, facts: FactBook) -> Proposal | None:
        """When the write's mapping is read-only."""
        case = Case(facts)
        fault = _read_only_write(case)
        if fault is None:
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
        fault = _read_only_write(case)
        if fault is None:
            return rejected("The fault is no write to a read-only mapping.", of(case.fault))
        region = case.region(fault.operand)
        where = place(case, case.frame)
        claims = [
            claim(
                f"{where.capital} writes to read-only memory: the "
                f"instruction at {fault.pc:#x} writes to {fault.operand:#x}, which lies in "
                f"{region_words(region)} mapped without write permission.",
                of(fault),
                case.cite_region(region),
                where.cites,
            ),
            *signal_claim(case),
        ]
        return confirmed(
            case,
            Rung.MACHINE,
            0.94,
            claims,
            reason="The mapping does not allow writing.",
            recommendations=(
                "Write to a copy: string literals, const objects and code are mapped read-only.",
            ),
        )


class BusError(OneRound):
    """SIGBUS that is neither a truncated file nor a misaligned access."""

    category = Category.BUS_ERROR

    def propose(self, facts: FactBook) -> Proposal | None:
        """For every SIGBUS that an instruction raised."""
        case = Case(facts)
        if case.signal is None or case.signal.name != "SIGBUS":
            return None
        if not signs.raised_by_instruction(case):
            return None
        return Proposal(
            category=self.category,
            statement="The memory behind a mapping could not be provided.",
            confidence=0.4,
            tests=(*commands.siginfo(), *commands.source(case.frame)),
            citations=of(case.signal) + of(case.fault),
        )

    def evaluate(self, facts: FactBook) -> Verdict:
        """Confirmed when nothing narrower fits."""
        case = Case(facts)
        signal, fault = case.signal, case.fault
        if signal is None or signal.name != "SIGBUS":
            return rejected("The signal is another.", of(signal))
        address = _bus_address(case)
        region = case.region(address)
        if region is not None and region.kind == "file":
            return rejected("The address lies in a mapped file: its end is the narrower cause.",
                            case.cite_region(region))  # fmt: skip
        if _misaligned(case) is not None:
            return rejected("The access is misaligned, which is narrower.", of(fault))
        where = place(case, case.frame)
        claims = [
            claim(f"{where.capital} was stopped by a bus error.",
                  of(signal), where.cites),
            *signal_claim(case),
        ]  # fmt: skip
        return confirmed(case, Rung.MACHINE, 0.7, claims, support=of(fault),
                         reason="SIGBUS outside of any mapped file.")  # fmt: skip


def _bus_address(case: Case) -> int | None:
    if case.fault is not None and case.fault.operand is not None:
        return case.fault.operand
    return case.signal.fault_address if case.signal is not None else None


class TruncatedMapping(OneRound):
    """SIGBUS, BUS_ADRERR, in a file mapping: the page lies past the file's end (mmap(2))."""

    category = Category.TRUNCATED_MAPPING

    def propose(self, facts: FactBook) -> Proposal | None:
        """When SIGBUS hit a mapped file."""
        case = Case(facts)
        region = case.region(_bus_address(case))
        if case.signal is None or case.signal.name != "SIGBUS" or region is None:
            return None
        if region.kind != "file" or not signs.raised_by_instruction(case):
            return None
        return Proposal(
            category=self.category,
            statement="A mapped file is shorter than its mapping.",
            confidence=0.85,
            tests=(*commands.siginfo(), *commands.source(case.frame),
                   *commands.variables(case.frame)),
            citations=of(case.signal) + case.cite_region(region),
        )  # fmt: skip

    def evaluate(self, facts: FactBook) -> Verdict:
        """Confirmed by the signal and the mapping."""
        case = Case(facts)
        signal = case.signal
        address = _bus_address(case)
        region = case.region(address)
        if signal is None or signal.name != "SIGBUS" or address is None:
            return rejected("The signal is another.", of(signal))
        if region is None or region.kind != "file" or signal.code_name == "BUS_ADRALN":
            return rejected("The address lies in no mapped file past its end.", of(signal))
        where = place(case, case.frame)
        claims = [
            claim(
                f"{where.capital} touches {address:#x}, a page of a "
                "mapped file that lies past the file's end.",
                of(case.fault),
                of(signal),
                case.cite_region(region),
                where.cites,
            ),
            *signal_claim(case),
        ]
        return confirmed(
            case,
            Rung.MACHINE,
            0.9,
            claims,
            reason="SIGBUS in a file mapping means that the file ends before the page.",
            recommendations=(
                "Check the file's size before and while it is mapped; someone truncated it, or the "
                "mapping is longer than the file.",
            ),
        )


def _misaligned(case: Case) -> Fault | None:
    fault, signal = case.fault, case.signal
    if fault is None or signal is None or fault.operand is None:
        return None
    if signal.code_name == "BUS_ADRALN":
        return fault
    needs = (fault.mnemonic or "").startswith(_ALIGNED)
    return fault if needs and fault.operand % 16 and case.region(fault.operand) else None


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
        where = place(case, case.frame)
        shown = f" `{fault.mnemonic}`" if fault.mnemonic else ""
        claims = [
            claim(
                f"{where.capital} makes an aligned access at a misaligned "
                f"address: the{shown} instruction at {fault.pc:#x} touches {fault.operand:#x}.",
                of(fault),
                where.cites,
            ),
            *signal_claim(case),
        ]
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
