"""Reads ``@stop``: why a debugger says that a program stopped, and what the instruction touched."""

import re
from typing import Any

from analyzers.base import Analysis, Document
from analyzers.dump.shapes import read as lines_in
from analyzers.log import kinds as log_kinds
from analyzers.log.apple_cause import MACH
from analyzers.log.text import analysis_of, sentence
from workbench.model.category import Category
from workbench.model.facts import Finding, Note

_LINE = " (line {:n} of the log)"
_BY = f", source line {{:n}} of the log{_LINE}"
_STOP = {
    "signal": f"signal: {{signal:[A-Z_]{{3,40}}}}[, {{}}]{_LINE}",
    "message": f"message: {{message:.{{1,400}}?}}{_LINE}",
    "code": f"signal code: {{code:-?\\d{{1,3}}}}{_LINE}",
    "address": f"fault address: {{address:X}}{_LINE}",
    "pc": f"pc: {{pc:X}}{_LINE}",
    "instruction": f"instruction: {{instruction:.{{1,400}}?}}{_LINE}",
    "access": "access: {access:read|write|execute} at {touched:X} through {:.{1,200}}",
    "another": f"another stop: {{:SIG[A-Z]{{2,8}}}}{_LINE}",
    "went on": rf"went on: {{:[\w =]{{1,40}}}}{_LINE}",
    "pointer": rf"dereferenced: {{operand:[\w.>-]{{1,200}}}} = {{pointer:X}}{_BY}",
    "divisor": rf"divisor: {{operand:[\w.>-]{{1,200}}}} = {{divisor:-?\d{{1,20}}}}{_BY}",
    "divides": rf"divides by: {{by:[\w.>()-]{{1,400}}}}{_LINE}",
    "register": r"register: {:\w{1,8}} = {register:X}{:.*}",
}
_TOLD = ("address", "instruction", "another", "went on", "pointer", "divisor", "divides",
         "register")  # fmt: skip
"""Lines that the finding notes."""
# A push or a call, and an access a field's distance above the stack pointer; one with an index goes
# where the program computed, whatever the stack has left.
_STACK = re.compile(
    r" through (?:the stack|(?:0x[0-9a-f]{1,4})?\(%[er]sp\)|[^\[]{0,20}"
    r"\[[er]?sp(?:[, +]{1,3}#?(?:0x[0-9a-f]{1,4}|\d{1,5}))?\])"
)
# Moves that fault unless their operand lies at a multiple of the register's width (Intel SDM
# volume 2; all others of VEX's may lie anywhere).
_ALIGNED = re.compile(r"^v?mov(?:ap[sd]|dqa(?:32|64)?|nt(?:dqa?|p[sd]))\b.*?(?P<width>[xyz])mm")
_WIDTH = {"x": 16, "y": 32, "z": 64}
# No instruction raises these (signal(7)); a debugger's user interrupts with the others himself.
_SENT = frozenset({"SIGKILL", "SIGTERM", "SIGHUP", "SIGINT", "SIGQUIT", "SIGUSR1", "SIGUSR2",
                   "SIGALRM", "SIGXCPU", "SIGXFSZ"})  # fmt: skip
_BUS_ADRALN, _ACCERR = 1, 2
_PROTECTS = re.compile(r"EXC_BAD_ACCESS \(code=2,")  # KERN_PROTECTION_FAILURE, mach/kern_return.h
_COUNTS = (".size()", ">size()", ".length()", ">length()")
_TRAPS = re.compile(r"^(?:ud2|int3|brk|bkpt|hlt|udf|\.inst)")
_DIVIDES = re.compile(r"^(?:i?div[bwlq]?|[su]divr?)\b")


def read(document: Document) -> Analysis:
    """One `Finding` when a reason or an instruction is there."""
    said: dict[str, Any] = {}
    lines: dict[str, int] = {}
    notes: list[Note] = []
    through_stack = wrapped = False
    for name, number, text, fields in lines_in(document, _STOP):
        said |= fields
        lines[name] = number
        wrapped = wrapped or _is_negative(fields.get("register", 0))
        through_stack = through_stack or (name == "access" and bool(_STACK.search(text)))
        if name in _TOLD:
            notes.append(Note(text=sentence(text), line=number))
    get = said.get
    signal, message, instruction, access = (
        get(name) for name in ("signal", "message", "instruction", "access")
    )
    address, pc, touched, pointer = (get(name) for name in ("address", "pc", "touched", "pointer"))
    divisor = int(said["divisor"]) if "divisor" in said else None
    line = next((lines[name] for name in ("message", "signal", "instruction") if name in lines), 0)
    if signal is None and instruction is None:
        if _is_null(address, pc):
            return analysis_of(document, [_printed(document, lines["address"], address, pc)])
        return analysis_of(document, [])
    posix = MACH.get(signal or "", signal)
    code = int(said["code"]) if "code" in said else None
    unaligned = _is_unaligned(posix, instruction or "", touched, address) or (
        posix == "SIGBUS" and code == _BUS_ADRALN
    )
    address = touched if address is None or unaligned else address
    category = (
        Category.MISALIGNED_ACCESS
        if unaligned
        else _category(posix, address, access, pc, instruction, divisor, message)
    )
    ends: bool | None = "went on" not in lines
    if posix in _SENT and (posix == "SIGKILL" or "terminated with" in (message or "")):
        category = Category.EXTERNAL_SIGNAL
    elif posix in _SENT:
        ends = None
    refused, doubt = posix == "SIGFPE" and category is None, ""
    if refused and ("by" in said or _DIVIDES.match((instruction or "").strip())):
        # What counts elements is never -1, by which alone a quotient may not fit.
        category = Category.DIVIDE_BY_ZERO
        doubt = "" if (get("by") or "").endswith(_COUNTS) else "divides"
    if through_stack and access == "write" and category is Category.WILD_POINTER:
        category = Category.STACK_OVERFLOW  # a push that faults: no stack is left below
    refuses = code == _ACCERR or _PROTECTS.search(message or "")
    if refuses and posix == "SIGSEGV" and category is Category.WILD_POINTER:
        category = None  # memory is there, which may not be accessed so
    if wrapped and category is Category.NULL_POINTER_DEREFERENCE:
        category = Category.WILD_POINTER  # -1 plus a member's offset is small, too
    if address is None and category is Category.WILD_POINTER:
        category = _through(pointer) or category
    if "another" in lines or (code is not None and code <= 0 and posix != "SIGABRT"):
        # Several runs, or a text of the program's: which one ended it? Or a process sent the signal
        # (sigaction(2)).
        category = None
    return analysis_of(
        document,
        [
            Finding(
                cite=document.cite(),
                tool="the debugger",
                kind=signal or "stop",
                message=sentence(message or instruction or ""),
                line=line or 1,
                rank=2,
                category=category,
                access=access,
                access_line=lines.get("access", 0),
                address=address,
                pc=pc,
                signal=posix,
                operand=get("operand"),
                notes=tuple(notes[:8]),
                ends=ends,
                sure=not doubt,
                doubt=doubt,
            )
        ],
    )


def _is_unaligned(
    signal: str | None, instruction: str, touched: int | None, address: int | None
) -> bool:
    """True for an operand that lies where its instruction may not have it. The processor names no
    address then (#GP), which Linux gives as 0."""
    move = _ALIGNED.match(instruction.strip())
    if move is None or not touched or signal not in ("SIGSEGV", "SIGBUS") or address:
        return False
    return touched % _WIDTH[move["width"]] != 0


def _is_negative(value: int) -> bool:
    """True for a small negative number in a register of either width."""
    return any(0 < (1 << bits) - value <= log_kinds.NEAR_NULL for bits in (32, 64))


def _through(pointer: int | None) -> Category | None:
    """What a pointer's value proves that the line of the stop goes through."""
    if pointer is None:
        return None
    near = pointer < log_kinds.NEAR_NULL
    return Category.NULL_POINTER_DEREFERENCE if near else log_kinds.poisoned(pointer)


def _is_null(address: int | None, pc: int | None) -> bool:
    return address is not None and address < log_kinds.NEAR_NULL and address != pc


def _printed(document: Document, line: int, address: int | None, pc: int | None) -> Finding:
    """A fault of which the log has nothing but its address (sigaction(2), si_addr), near null."""
    return Finding(
        cite=document.cite(),
        tool="the debugger",
        kind="si_addr",
        message=sentence(document.text.split("\n")[line - 1]),
        line=line,
        rank=3,
        category=Category.NULL_POINTER_DEREFERENCE,
        address=address,
        pc=pc,
    )


def _category(
    signal: str | None,
    address: int | None,
    access: str | None,
    pc: int | None,
    instruction: str | None,
    divisor: int | None,
    message: str | None,
) -> Category | None:
    word = (instruction or "").strip()
    if signal == "SIGFPE" and word and not _DIVIDES.match(word):
        return None  # floating-point arithmetic, or a signal that was sent
    if signal == "SIGFPE" or (signal is None and _DIVIDES.match(word)):
        if divisor is None:  # the quotient's overflow raises it too (Intel SDM 3A, 6.15, #DE)
            return Category.DIVIDE_BY_ZERO if "divide by zero" in (message or "") else None
        return Category.INTEGER_OVERFLOW if divisor else Category.DIVIDE_BY_ZERO
    if signal == "SIGILL" and _TRAPS.match(word):
        return Category.TRAP
    if signal is None:  # registers and an instruction alone: only a null pointer speaks for itself
        near = access is not None and address is not None and address < log_kinds.NEAR_NULL
        return Category.NULL_POINTER_DEREFERENCE if near else None
    return log_kinds.of_access(signal, address, access, pc)
