"""Memory that is mapped and still refuses: read-only, past a file's end, misaligned."""

import re

from analyzers.patterns import commands
from analyzers.patterns.case import Case
from analyzers.patterns.cause import Cause, Open, Proof, Rival, at_frame, of_ending, of_fault
from analyzers.patterns.code import ran
from analyzers.patterns.ending import Kind
from analyzers.patterns.stated import accessed, mapped
from analyzers.patterns.strayed import came_out, read_only_write, walked_in
from analyzers.patterns.words import of
from workbench.claims.render import short_name
from workbench.claims.say import say
from workbench.model.category import Category
from workbench.model.claims import Claim
from workbench.model.facts import ExceptionRecord, Fault, Region
from workbench.model.hypothesis import Rung


def _refusing(case: Case, region: Region | None) -> str:
    """What lies in a mapping that may not be written, by what its file is mapped for: ``code``,
    ``data`` of a loaded file, another ``file``, or none."""
    if region is None or not region.path or region.kind != "file":
        return ""
    if "x" in region.perms:
        return "code"
    runs = any("x" in each.perms for each in case.regions if each.path == region.path)
    return "data" if runs else "file"


def _touched(case: Case, address: int | None) -> list[Claim]:
    """What the instruction did, else the address that the system recorded; and what lies there."""
    fault, ending = case.fault, case.ending
    told = accessed(case, fault)
    if not told and ending is not None and ending.address is not None:
        told = [say("fault_address", of(ending.fact), address=ending.address)]
    return [*told, *(mapped(case, address) if address is not None else [])]


_BUS = (Kind.PAGING, Kind.MISALIGNED)
_END_OF_FILE = 0xC0000011  # ntstatus.h
_IN_MEMORY = re.compile(r"^/?(?:dev/|run/|memfd:|SYSV|anon_hugepage)")


def _bus_address(case: Case) -> int | None:
    if case.fault is not None and case.fault.operand is not None:
        return case.fault.operand
    return case.ending.address if case.ending is not None else None


def _misaligned(case: Case) -> Fault | None:
    fault = case.fault
    if fault is None or case.ending is None or fault.operand is None:
        return None
    if case.ended(Kind.MISALIGNED):
        return fault
    return fault if fault.alignment is not None and case.region(fault.operand) else None


def _write(case: Case, fault: Fault) -> list[Claim]:
    return [
        say(
            "access",
            of(fault),
            pc=fault.pc,
            access=fault.access,
            address=fault.operand,
            symbol=fault.operand_symbol,
        ),
        *mapped(case, fault.operand or 0),
    ]


def _kind(case: Case, fault: Fault) -> str:
    return _refusing(case, case.region(fault.operand))


def _advice(_: Case, fault: Fault) -> str:
    code = fault.operand_symbol
    if code is None:
        return "Write to a copy: string literals and const objects are mapped read-only."
    return (
        f"Find where the pointer was set to `{short_name(code.split('+')[0])}`: a wrong "
        "member, argument or cast, or an object of another type, gave a function for data."
    )


WRITE_TO_READ_ONLY_MEMORY = Cause(
    Category.WRITE_TO_READ_ONLY_MEMORY,
    "A write into a mapping that may be read but not written.",
    statement="Read-only memory was written to.",
    sign=lambda case: read_only_write(case) if came_out(case) is None else None,
    prior=0.9,
    tests=lambda case, fault: (*at_frame(case), *commands.symbol(fault.operand)),
    cites=lambda case, fault: of(fault) + case.cite_region(case.region(fault.operand)),
    findings=(
        Rival(came_out, "The write began in memory that may be written."),
        Open(lambda case: read_only_write(case) if walked_in(case) else None,
             "The mapping does not allow writing, but a copy or a loop may have run into it.", 0.5,
             Rung.MACHINE, _kind, _write, of_fault, missing="where the write began",
             advice="Check the length or index of the copy against its destination's size."),
        Proof(read_only_write, "The mapping does not allow writing.", 0.94, how=_kind,
              told=_write, advice=_advice),
    ),
    absent="The fault is no write to a read-only mapping.",
)  # fmt: skip


def _bus(case: Case) -> bool:
    return case.ended(*_BUS)


def _in_file(case: Case) -> Region | None:
    region = case.region(_bus_address(case))
    return region if _bus(case) and region is not None and region.kind == "file" else None


def _past_end(case: Case) -> Region | None:
    """The mapping of a file that ends before the page: one that was read. For one that is written
    the file system may have no room left, which Linux tells alike (page_mkwrite), for a file in
    memory also where it is read (shmem_fault, hugetlb_fault). Windows says why it could not read
    (the record's third word)."""
    fault, ending = case.fault, case.ending
    if fault is None or fault.access != "read" or ending is None:
        return None
    if isinstance(ending.fact, ExceptionRecord):
        return _in_file(case) if _END_OF_FILE in ending.fact.parameters[2:3] else None
    broken = (ending.fact.code_name or "").startswith("BUS_MCEERR")  # the memory itself
    region = None if broken else _in_file(case)
    return None if region is None or _IN_MEMORY.search(region.path or "") else region


def _nowhere(case: Case) -> Fault | None:
    """A stack fault (Intel SDM 3A, 6.15, #SS), which Linux tells as SIGBUS (arch/x86/kernel/
    traps.c): an address of no canonical form through rbp or rsp."""
    fault = case.fault
    return fault if fault is not None and fault.operand_region == "non-canonical" else None


BUS_ERROR = Cause(
    Category.BUS_ERROR,
    "SIGBUS and its kin that is neither a truncated file nor a misaligned access.",
    statement="The memory behind a mapping could not be provided.",
    sign=lambda case: _bus(case) and case.faulted,
    prior=0.4,
    tests=lambda case, _: (*commands.siginfo(), *commands.source(case.frame)),
    cites=lambda case, _: of_ending(case) + of(case.fault),
    findings=(
        Rival(_past_end, "The address lies in a mapped file: its end is the narrower cause.",
              lambda case, region: case.cite_region(region)),
        Rival(_misaligned, "The access is misaligned, which is narrower."),
        Rival(_nowhere, "The address is no canonical one: nothing could be mapped there."),
        Proof(_in_file, "A page of a mapped file could not be provided.", 0.7,
              told=lambda case, _: _touched(case, _bus_address(case)), support=of_fault,
              missing="how long the file is, and how much room its file system has",
              advice="Compare the file's size with the mapping's, and look at the room of its file "
              "system: for /dev/shm in a container that is a setting (docker's --shm-size)."),
        Proof(_bus, "The memory lies outside of any mapped file.", 0.7,
              told=lambda case, _: _touched(case, _bus_address(case)), support=of_fault),
    ),
    absent="The process ended otherwise.",
    unseen=of_ending,
)  # fmt: skip

TRUNCATED_MAPPING = Cause(
    Category.TRUNCATED_MAPPING,
    "A file mapping's page that cannot be read: it lies past the file's end (mmap(2)).",
    statement="A mapped file is shorter than its mapping.",
    sign=lambda case: _in_file(case) if case.faulted else None,
    prior=0.85,
    tests=lambda case, _: (*commands.siginfo(), *at_frame(case)),
    cites=lambda case, region: of_ending(case) + case.cite_region(region),
    findings=(
        Open(lambda case: None if _past_end(case) or case.ended(Kind.MISALIGNED)
             else _in_file(case),
             "The page could not be provided: nothing tells that the file ends before it.", 0.3,
             told=lambda case, _: _touched(case, _bus_address(case)),
             missing="how long the file is, and how much room its file system has"),
        Proof(lambda case: None if case.ended(Kind.MISALIGNED) else _past_end(case),
              "A page of a file mapping that cannot be provided lies past the file's end.", 0.9,
              told=lambda case, _: _touched(case, _bus_address(case)),
              advice="Check the file's size before and while it is mapped; someone truncated it, "
              "or the mapping is longer than the file."),
    ),
    absent="The address lies in no mapped file past its end.",
    unseen=of_ending,
)  # fmt: skip

MISALIGNED_ACCESS = Cause(
    Category.MISALIGNED_ACCESS,
    "An instruction that needs an aligned operand got another.",
    statement="An aligned access was made at a misaligned address.",
    sign=lambda case: _misaligned(case) if case.faulted else None,
    prior=0.85,
    tests=lambda case, fault: (*commands.code(fault.pc), *at_frame(case)),
    findings=(
        Proof(_misaligned,
              "The operand is mapped, and its address is not what the instruction needs.", 0.9,
              told=lambda case, fault: [*accessed(case, fault),
                                        *(ran(fault) if fault.instruction else [])],
              advice="Keep casts from raising a pointer's alignment: memcpy() the value instead, "
              "or align the buffer."),
    ),
    absent="The access needs no alignment that it lacks.",
)  # fmt: skip
