"""Linux kernel reports: KASAN and its relatives, oopses, panics, lockups, and the lines that the
kernel writes for a user's program (arch/x86/mm/fault.c, traps.c)."""

import re

from msgspec.structs import replace

from analyzers.base import Analysis, Document, hexadecimal
from analyzers.blocks import first_of
from analyzers.log import kinds as log_kinds
from analyzers.log.kernel_access import ACCESS, address_of, by_address
from analyzers.log.kernel_stacks import is_machinery, race_of, roles_of
from analyzers.log.kernel_words import (
    OOM_KILLED,
    SANITIZER,
    SEGFAULT,
    TRAP,
    UBSAN,
    begins,
    goes_on,
    kind_of,
    tells_by_tag,
)
from analyzers.log.kinds import Kind
from analyzers.log.stacks import trace
from analyzers.log.text import (
    MAX_FINDINGS,
    access_in,
    analysis_of,
    lines_of,
    notes_of,
    offset_of,
    sentence,
    small,
)
from analyzers.owners.kernel import is_kernel_machinery
from workbench.model.category import Category as C
from workbench.model.facts import Finding, Frame

# Who asked for memory (mm/oom_kill.c, dump_header), and who watches (kernel/hung_task.c).
_NOT_ABOUT_THE_STACK = frozenset({"oom-killer", "hung tasks"})
# What a watchdog suspects: that tasks or a processor waited long, not for what.
_SUSPECTED = frozenset({"hung tasks", "spinlock lockup"})
# After whose reports the kernel goes on.
_ONLY_TELLS = frozenset({"hung task", "lockup", "UBSAN", "KCSAN", "check", "lock check", "warning",
                         "atomic sleep"})  # fmt: skip
# What a hung task waits for, by its trace: a device (kernel/sched, mm/filemap.c, block, net/sunrpc)
# or a lock (kernel/locking); the line alone says neither.
_WAITS = (
    (r"\b(?:io_schedule|bit_wait_io|blk_\w+|submit_bio_wait|rpc_wait_\w+|nfs\w*_wait\w*|jbd2_\w+)\b",
     Kind(C.BLOCKED_ON_IO)),
    (r"\b\w*(?:mutex|rwsem|rt_mutex|down_(?:read|write)|lock_sock|rtnl)\w*\+0x",
     Kind(C.DEADLOCK, False)),
    ("", Kind(C.BLOCKED_ON_IO, False)),
)  # fmt: skip
_TASK = re.compile(r"\bPID: (?P<pid>\d{1,10}) (?:UID: \d+ )?Comm: (?P<name>\S{1,32})")
_NOTE = re.compile(
    r"^(?:The buggy address|(?:Read|Write|Free) of size|Allocated by task|Freed by task|KASAN: |"
    r"#PF: |Mem abort|Comm: |CPU: \d+ PID|which belongs to|index -?\d|shift exponent|"
    r"\S.{0,80} but task is already holding lock|trying to acquire|Possible unsafe|"
    r"\*\*\* DEADLOCK|value changed:|"
    r"signed integer|division|member access|load of|Address belongs|The variable)"
)


def read(document: Document) -> Analysis:
    """The reports in their order; each has the lines up to the next one."""
    lines = list(lines_of(document))
    starts: list[int] = []
    for at, (_, line) in enumerate(lines):
        if begins(line) and not (starts and goes_on(lines[starts[-1]][1], line)):
            starts.append(at)
    starts = starts[:MAX_FINDINGS]
    found: list[Finding] = []
    for place, at in enumerate(starts):
        end = starts[place + 1] if place + 1 < len(starts) else len(lines)
        finding = _finding(document, lines[at:end])
        if finding is not None:
            # A later report may be the first one's consequence and does not go before it,
            # unless that one only warned.
            sure = [
                f.rank for f in found if f.category and f.signal is None and f.kind != "warning"
            ]
            found.append(replace(finding, rank=max(finding.rank, *sure)) if sure else finding)
    return analysis_of(document, found)


def _finding(document: Document, block: list[tuple[int, str]]) -> Finding | None:
    number, line = block[0]
    user = SEGFAULT.search(line) or TRAP.search(line)
    if user is not None:
        return _user_finding(document, number, line, user)
    named = bool(SANITIZER.search(line) or UBSAN.search(line))
    races = "BUG: KCSAN: data-race" in line
    roles = race_of(block) if races else roles_of(block, stopped=not named)
    notes = notes_of([(n, t.strip()) for n, t in block[1:]], _NOTE)
    access, size, address, access_line = access_in(block[:12], ACCESS)
    kind, category, rank, function, place = kind_of(block, access)
    if kind in _NOT_ABOUT_THE_STACK:
        roles, notes = (), ()
    if kind == "lockup" and roles and all(map(is_machinery, roles[0].frames)):
        roles = ()  # cut above what the watchdog interrupted
    if function is not None and is_kernel_machinery(function):
        function = None
    if function and roles and all(is_kernel_machinery(f.function or "") for f in roles[0].frames):
        roles = roles[1:]  # cut above the frame that the first line names
    found = SANITIZER.search(line)
    tool = found["tool"].upper() if found else "UBSAN" if UBSAN.search(line) else "the kernel"
    if address is None:
        address = address_of(line)
    sure = kind not in _SUSPECTED
    if kind == "hung task":
        trace = "\n".join(text for _, text in block[1:40])
        category, sure = first_of(_WAITS, trace) or (None, False)
    if category is None and (kind == "fault" or (tool == "KASAN" and not tells_by_tag(kind))):
        category = by_address(block, address, access)
    task = next((m for _, t in block[:12] if (m := _TASK.search(t))), None)
    process = task["pid"] if task else None
    # Who asked for memory is not who is killed: the last line says that in words. Before 5.1 one
    # above it says whose limit was reached.
    for at, text in block if kind == "oom-killer" else ():
        if killed := OOM_KILLED.search(text):
            process = killed["pid"] or killed["killed"]
            if _GROUP not in line or _GROUP in text:
                number, line = at, text
    return Finding(
        cite=document.cite(block[0][0], block[-1][0]),
        tool=tool,
        kind=kind,
        message=sentence(line),
        line=number,
        category=category,
        rank=rank,
        sure=sure,
        access=access,
        access_line=access_line,
        address=address,
        size=size,
        process=small(process) if process else None,
        place=place,
        function=function,
        stacks=roles,
        notes=notes,
        ends=None if _ONLY_TELLS & {kind, tool} else True,
    )


_GROUP = "Memory cgroup out of memory"
_PRESENT, _WRITE, _EXECUTE, _KEY = 1, 2, 16, 32  # enum x86_pf_error_code
_RED_ZONE, _PAGE = 128, 4096
"""How far below its stack pointer a function writes (System V ABI, 3.2.2); a page is probed."""


def _user_finding(document: Document, number: int, line: str, match: re.Match[str]) -> Finding:
    """The program's failed access or trap."""
    groups = match.groupdict()
    pc = hexadecimal(match["ip"])
    trap = groups.get("trap")
    access = None
    address = None
    sure = True
    if trap is None:
        address, error = hexadecimal(match["address"]), hexadecimal(match["error"])
        access = "execute" if error & _EXECUTE else "write" if error & _WRITE else "read"
        signal = "SIGSEGV"
        category = log_kinds.of_access(signal, address, access, pc)
        refused = error & (_PRESENT | _WRITE | _KEY) == _PRESENT | _WRITE
        if category is C.WILD_POINTER and refused:
            category = C.WRITE_TO_READ_ONLY_MEMORY
        # Nothing is mapped where the stack pointer leads: the stack ran out, or it was overwritten.
        at_stack = -_RED_ZONE <= address - hexadecimal(match["sp"]) < _PAGE
        if category is C.WILD_POINTER and at_stack and error & (_WRITE | _PRESENT) == _WRITE:
            category, sure = C.STACK_OVERFLOW, False
    else:
        signal, category = {
            "divide error": ("SIGFPE", C.DIVIDE_BY_ZERO),
            "invalid opcode": ("SIGILL", C.ILLEGAL_INSTRUCTION),
            "int3": ("SIGTRAP", C.TRAP),
        }.get(trap, ("SIGSEGV", C.WILD_POINTER))
        sure = trap != "divide error"  # the quotient's overflow raises it too (Intel SDM, #DE)
    offset = offset_of(groups, pc)
    frame = Frame(
        index=0,
        module=groups.get("module"),
        address=None if groups.get("base") and offset is None else pc,
        trust="unwound",
        offset=offset,
        line_no=number,
    )
    role = trace("access", line, number, (frame,))
    return Finding(
        cite=document.cite(number),
        tool="the kernel",
        kind=trap or "segfault",
        message=sentence(line),
        line=number,
        category=category,
        rank=2,
        access=access,
        address=address,
        pc=pc,
        signal=signal,
        process=small(match["pid"]),
        stacks=(role,),
        sure=sure,
    )
