"""Signals that a handler, a shell or a crash printer reported, with the stack that it printed."""

import re

from analyzers.base import Analysis, Document, hexadecimal
from analyzers.log import kinds as log_kinds
from analyzers.log.abort import ended_by
from analyzers.log.format import from_fault, without_handler
from analyzers.log.frames import Loose
from analyzers.log.managed import of_a_runtime
from analyzers.log.stacks import as_access, read_roles
from analyzers.log.text import analysis_of, lines_of, sentence, small
from workbench.model.category import Category
from workbench.model.facts import Finding, Note

_NUMBER = re.compile(
    r"(?:\b[Ss]ignal(?: number)?:? ?#?|[Ss]ignal: [\w ]{1,40} \(|\b[Ss]ignal code: )"
    r"(?P<number>\d{1,2})\b"
)
_CFI = re.compile(r"^CFI: Most likely a control flow integrity violation")
_GLOG = re.compile(r"^\*{3} Aborted at \d{1,12} \(unix time\)")
_NAME = re.compile(r"\bSIG(?:SEGV|BUS|FPE|ILL|ABRT|TRAP|SYS)\b")
_WORDS = {
    "Segmentation fault": "SIGSEGV", "segmentation violation": "SIGSEGV", "Bus error": "SIGBUS",
    "Floating point exception": "SIGFPE", "Illegal instruction": "SIGILL", "Aborted": "SIGABRT",
    "Aborting": "SIGABRT",
    "Trace/breakpoint trap": "SIGTRAP", "Killed": "SIGKILL", "Abort trap": "SIGABRT",
    "Segmentation Fault": "SIGSEGV",
}  # fmt: skip
_ADDRESS = re.compile(
    r"(?:si_addr[= ]|SEGV_\w+ |BUS_\w+ |FPE_\w+ |ILL_\w+ |fault addr(?:ess)?:? |"
    r"(?:at|for) address:? |\(@|address )"
    r"(?P<address>0x[0-9a-fA-F]{1,16}|[0-9a-fA-F]{12,16}|\(nil\)|0(?![\w.]))"
)
_REGISTERS = re.compile(
    r"^(?:\s{0,4}(?:ip|RIP|rip): |Received signal \d.{0,60}, PC )(?:0x)?(?P<ip>[0-9a-fA-F]{8,16})\b"
)
_FAULTED = re.compile(r"\b(?:cr2|CR2): (?:0x)?(?P<cr2>[0-9a-fA-F]{8,16})\b")
_SENT = re.compile(r"\bsent by process \d")  # Xorg, of SI_USER
_REPEATED = re.compile(r"\((?:repeats )?\d{5,9} times\)$")
_CODE = re.compile(r"\b(SEGV_MAPERR|SEGV_ACCERR|SI_KERNEL|BUS_ADRERR|BUS_ADRALN|FPE_INTDIV)\b")


def read(document: Document) -> Analysis:
    """The first signal that is named, the address that is given, and the stacks."""
    lines = list(lines_of(document))
    told = read_roles(lines, Loose()) or read_roles(lines, of_a_runtime)
    roles = without_handler(from_fault(told, _pc(lines)))
    number, signal = _signal(lines)
    if not signal and not roles:
        return analysis_of(document, [])
    address, at = _address(lines)
    frames = roles[0].frames if roles else ()
    raised = log_kinds.is_raised(*(line for _, line in lines[:60]))
    category, _ = ended_by(signal, address, None, _pc(lines), frames, raised=raised)
    if any(_CFI.match(line) for _, line in lines[:400]):
        category = Category.TYPE_CONFUSION
    if any(_SENT.search(line) for _, line in lines[:400]):
        category = Category.EXTERNAL_SIGNAL
    elif signal in ("SIGSEGV", "SIGBUS") and any(_REPEATED.search(t) for _, t in lines[:400]):
        category = Category.STACK_OVERFLOW
    notes = tuple(
        Note(text=sentence(text), line=below)
        for below, text in lines[:60]
        if below != number and (_CODE.search(text) or below == at)
    )
    first = next((text for n, text in lines if n == number), lines[0][1] if lines else "")
    finding = Finding(
        cite=document.cite(1, max(1, lines[-1][0])),
        tool="the crash handler" if signal else "the log",
        kind=signal or "stack",
        message=sentence(first),
        line=number or 1,
        category=category,
        rank=2 if signal and signal != "SIGABRT" else 3,
        address=address,
        pc=_pc(lines),
        signal=signal or None,
        stacks=as_access(roles),
        notes=notes[:6],
    )
    return analysis_of(document, [finding])


def _signal(lines: list[tuple[int, str]]) -> tuple[int, str]:
    for number, line in lines[:400]:
        if _GLOG.match(line):
            continue  # the signal stands two lines below
        name = _NAME.search(line)
        if name is not None:
            return number, name[0]
        found = _NUMBER.search(line)
        value = small(found["number"]) if found else None
        if value in log_kinds.NUMBERS:
            return number, log_kinds.NUMBERS[value]
        for words, known in _WORDS.items():
            if words in line:
                return number, known
    return 0, ""


def _address(lines: list[tuple[int, str]]) -> tuple[int | None, int]:
    if any(log_kinds.has_no_address(line) for _, line in lines[:60]):
        return None, 0
    for pattern in (_ADDRESS, _FAULTED):
        for number, line in lines[:400]:
            if (found := pattern.search(line)) is not None:
                return (0 if found[1] == "(nil)" else hexadecimal(found[1])), number
    return None, 0


def _pc(lines: list[tuple[int, str]]) -> int | None:
    found = (match for _, line in lines[:400] if (match := _REGISTERS.match(line)))
    return next((hexadecimal(match["ip"]) for match in found), None)
