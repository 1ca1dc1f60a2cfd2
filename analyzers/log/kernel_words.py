"""What a line of the kernel says: whether it begins a report, and of which kind.

The sentences are those of mm/kasan/report.c, arch/*/mm/fault.c, kernel/panic.c, kernel/hung_task.c,
kernel/watchdog.c, kernel/locking/lockdep.c, lib/ubsan.c and mm/oom_kill.c.
"""

import re

from analyzers.blocks import Table, first_of
from analyzers.log import kinds as log_kinds
from workbench.model.category import Category as C

SANITIZER = re.compile(
    r"\bBUG: (?P<tool>(?i:KASAN)|KMSAN|KCSAN|KFENCE): (?P<kind>.{2,100}?)"
    r"(?: in (?P<function>[\w.$]{1,200})(?:\+0x[0-9a-f]+/0x[0-9a-f]+)?(?: \[\w{1,60}\](?= at ))?"
    r"(?: at addr (?P<at>[0-9a-f]{8,16}))?| on address (?P<address>[0-9a-f]{8,16})|$)"
)
NULL = re.compile(
    r"(?:NULL pointer dereference(?: at)?(?: virtual address)?,?(?: address)?:? {1,16}|"
    r"unable to handle kernel paging request at (?:virtual address )?|"
    r"Unable to handle kernel (?:\w+ )?(?:paging request|"
    r"access to user memory (?:outside|without) uaccess routines|read from unreadable memory|"
    r"write to read-only memory|execute from non-executable memory) at virtual address |"
    r"unable to handle page fault for address: |"
    # arch/powerpc/mm/fault.c
    r"Unable to handle kernel paging request for (?:data|unaligned access|instruction fetch) at "
    r"address |BUG: (?:Kernel NULL pointer dereference|Unable to handle kernel (?:data access|"
    r"instruction fetch))(?: on (?:read|write))? at |"
    r"unable to handle kernel access .*at virtual address |Unhandled fault: .{1,80} at )"
    r"\(?(?P<address>[0-9a-f]{8,16}\b|0x[0-9a-f]{1,16}\b|null)\)?"
)
NON_CANONICAL = re.compile(
    r"general protection fault(?:, (?:probably|"
    r"maybe))? for (?:non-canonical )?address (?P<address>0x[0-9a-f]{1,16})\b"
)
_GPF = re.compile(r"^(?:traps: |Oops: )?general protection fault")
_BUG_AT = re.compile(r"\bkernel BUG at (?P<file>[^:]{1,300}):(?P<line>\d{1,9})!?")
UBSAN = re.compile(
    r"\bUBSAN: (?P<kind>.{2,120}?) in (?P<file>[^:\s]{1,300}):(?P<line>\d{1,9})(?::\d+)?"
)
_PANIC = re.compile(r"\bKernel panic - not syncing: (?P<message>.{1,300})")
# The words of a panic that only ends what another report began (kernel/panic.c).
_CONSEQUENCE = re.compile(
    r"Kernel panic - not syncing: (?:panic_on_warn|panic_on_oops|kasan\.fault|Fatal exception|"
    r"Machine halted|Oops|hung_task|RCU Stall|softlockup|KASAN|UBSAN|Attempted to kill)"
)
# How a processor stops at the instruction that BUG() is (arch/*/include/asm/bug.h).
_STOPPED = re.compile(r"^(?:Oops: )?invalid opcode: |Internal error: Oops - BUG: ")
_STALLED = re.compile(r"^rcu: {1,16}\d{1,4}-\S{1,8}: \(\d+ ")
_LEAKED = re.compile(r"unreferenced object 0x[0-9a-f]")
# What the kernel writes for a program of a user.
# mm/memory.c, print_vma_addr: since 6.7 with the place in the file.
VMA = (
    r"(?: in (?P<module>[^\[\s]{1,200})\[(?:(?P<offset>[0-9a-f]{1,16}),)?"
    r"(?P<base>[0-9a-f]{1,16})\+[0-9a-f]{1,16}\])?"
)
SEGFAULT = re.compile(
    r"(?P<name>[^\s\[\]]{1,64})\[(?P<pid>\d{1,10})\]: segfault at (?P<address>[0-9a-f]{1,16}) ip "
    r"(?P<ip>[0-9a-f]{1,16}) sp (?P<sp>[0-9a-f]{1,16}) error (?P<error>[0-9a-f]{1,4})" + VMA
)
TRAP = re.compile(
    r"(?:traps: )?(?P<name>[^\s\[\]]{1,64})\[(?P<pid>\d{1,10})\] (?:trap )?(?P<trap>divide error|"
    r"invalid opcode|int3|general protection(?: fault)?|stack segment) ip:(?P<ip>[0-9a-f]{1,16}) "
    r"sp:[0-9a-f]{1,16} error:[0-9a-f]{1,8}" + VMA
)

_OTHERS: Table[tuple[str, C | None, int]] = (
    (r"\b(?:WARNING|INFO): possible (?:circular|recursive|irq lock inversion)|"
     r"\b(?:WARNING|INFO): (?:HARD|SOFT)IRQ-(?:READ-)?safe -> |\binconsistent lock state",
     ("lockdep", C.DEADLOCK, 0)),
    (r"\bBUG: spinlock recursion|\bINFO: possible (?:recursive|circular)", ("lock",
     C.DEADLOCK, 0)),
    (r"\bBUG: spinlock lockup", ("spinlock lockup", C.DEADLOCK, 1)),
    (r"\bwatchdog: BUG: soft lockup|\bBUG: soft lockup|\brcu: INFO:|INFO: rcu_\w+ (?:self-)?"
     r"detected stall|hard LOCKUP|^rcu: {1,16}\d{1,4}-\S{1,8}: \(\d+ (?:ticks this GP|GPs behind)|"
     r"NMI watchdog: Watchdog detected", ("lockup", C.INFINITE_LOOP, 1)),
    (r"\bINFO: task \S{1,64} blocked for more than", ("hung task", C.BLOCKED_ON_IO, 1)),
    (r"\bOut of memory: Kill|Memory cgroup out of memory|\binvoked oom-killer|\boom-kill:",
     ("oom-killer", C.OUT_OF_MEMORY, 1)),
    (r"kernel stack overflow|stack guard page was hit|\bstack overflow detected|"
     r"corrupted stack end detected",
     ("stack overflow", C.STACK_OVERFLOW, 0)),
    (r"stack-protector: Kernel stack is "
     r"corrupted", ("stack protector", C.STACK_BUFFER_OVERFLOW, 0)),
    (r"^(?:Oops: )?divide error: |\bdivide error: 0000", ("divide error", C.DIVIDE_BY_ZERO, 1)),
    (r"^(?:Oops: )?int3: 0000", ("trap", C.TRAP, 1)),
    (r"\bsleeping function called from invalid context|scheduling while atomic", ("atomic sleep",
     C.ASSERTION_FAILURE, 1)),
    (r"^(?:\[ )?(?:WARNING|INFO): (?:suspicious (?:RCU|rcu_dereference_check\(\)) usage|"
     r"\S{1,64} still has locks held|bad unlock balance|[Nn]ested lock was not taken|"
     r"trying to register non-static key)|"
     r"^(?:\[ )?BUG: (?:(?:spin|rw)lock (?:bad magic|wrong)|bad unlock balance|held lock freed|"
     r"lock held when returning|\S{1,64} still has locks held|"
     r"MAX_LOCK|MAX_STACK_TRACE)", ("lock check", C.ASSERTION_FAILURE, 1)),
    (r"\bKernel panic - not syncing: hung_task: blocked tasks", ("hung tasks",
     C.BLOCKED_ON_IO, 1)),
    (r"\bKernel panic - not syncing: (?:Out of memory|System is deadlocked on memory)",
     ("panic", C.OUT_OF_MEMORY, 1)),
    (r"^BUG: (?:using \S{1,40} in preemptible|Bad rss-counter|workqueue leaked|"
     r"Dentry still in use)", ("check", C.ASSERTION_FAILURE, 1)),
    (r"^BUG: memory leak|^unreferenced object 0x[0-9a-f]", ("kmemleak", C.MEMORY_LEAK, 1)),
    # mm/slub.c: what SLUB had written into a free object, and behind one
    (r"^BUG .{1,200}: (?:Slab p|P)oison overwritten", ("poison", C.USE_AFTER_FREE, 0)),
    (r"^BUG .{1,200}: (?:Left |Right )?Redzone overwritten", ("red zone",
     C.HEAP_BUFFER_OVERFLOW, 0)),
    (r"^BUG .{1,200}: Object already free", ("free", C.DOUBLE_FREE, 0)),
    (r"\bBUG: Bad page|slab .* corrupted|^BUG \S{1,64} \((?:Not t|T)ainted.{0,80}\): |"
     r"Freelist corrupt|list_(?:add|del) corruption", ("corruption", C.HEAP_CORRUPTION, 0)),
    (r"^refcount_t: .{1,40}; use-after-free", ("refcount",
     C.USE_AFTER_FREE, 0)),
    (r"^(?:\[.{1,40}\] )?Internal error: |^(?:Oops: )?invalid opcode: ", ("oops", None, 3)),
    (r"\bWARNING: (?:CPU: \d+ PID: -?\d+ )?at \S|"
     r"\bWARNING: (?:\[.{1,300}\] )?[\w./-]{1,300}\.[chS]:\d{1,7} at \S{1,200}\+0x", ("warning",
     C.ASSERTION_FAILURE, 3)),
)  # fmt: skip
_UNDEFINED = {
    "array-index": C.OUT_OF_BOUNDS_READ, " is out of range for type": C.OUT_OF_BOUNDS_READ,
    "shift": C.INTEGER_OVERFLOW,
    "overflow": C.INTEGER_OVERFLOW,
    "division": C.DIVIDE_BY_ZERO, "misaligned": C.MISALIGNED_ACCESS,
    "null": C.NULL_POINTER_DEREFERENCE, "invalid-load": C.UNINITIALIZED_VALUE,
    "object-size": C.BUFFER_OVERFLOW,
}  # fmt: skip


# mm/oom_kill.c: who asked (dump_header), who is killed (dump_oom_victim, __oom_kill_process).
_OOM_ASKED = re.compile(r"\binvoked oom-killer\b|\boom-kill:")
OOM_KILLED = re.compile(
    r"\boom-kill:.{0,900}?\btask=(?P<task>[^,]{1,64}),pid=(?P<pid>\d{1,10})"
    r"|\bKill(?:ed)? process (?P<killed>\d{1,10}) \((?P<name>[^)]{1,64})\)"
)


def begins(line: str) -> bool:
    """True for a line that a report begins with."""
    tried = (SANITIZER, NULL, NON_CANONICAL, _GPF, _BUG_AT, UBSAN, _PANIC, SEGFAULT, TRAP)
    return any(pattern.search(line) for pattern in tried) or first_of(_OTHERS, line) is not None


def goes_on(first: str, line: str) -> bool:
    """True for a line that is part of the report that ``first`` began: the panic that a report ends
    in, the instruction that BUG() is, and the object of a leak."""
    if _LEAKED.match(line):
        return first.startswith("BUG: memory leak")
    if _STALLED.match(line):
        return "stall" in first or _STALLED.match(first) is not None
    if first.startswith("refcount_t: "):
        return "/refcount.c:" in line  # the warning that says it
    if _STOPPED.search(line):
        return bool(_BUG_AT.search(first))
    if line.startswith("Internal error: Oops: "):  # die() behind what the fault's handler said
        return "Unable to handle kernel " in first
    if OOM_KILLED.search(line):
        return _OOM_ASKED.search(first) is not None
    if first.endswith(" [inline]") and SANITIZER.search(line):
        return SANITIZER.search(first) is not None  # one line for each inlined call
    if line.endswith(": kasan: bad access detected"):
        return SANITIZER.search(first) is not None
    return bool(_CONSEQUENCE.search(line)) and not (SEGFAULT.search(first) or TRAP.search(first))


def kind_of(
    block: list[tuple[int, str]], access: str | None
) -> tuple[str, C | None, int, str | None, str | None]:
    """Kind, category, rank, function and place that a report's first line names."""
    line = block[0][1]
    found = SANITIZER.search(line)
    if found is not None:
        return found["kind"], _sanitized(found, block, access), 0, found["function"], None
    undefined = UBSAN.search(line)
    if undefined is not None:
        kind = undefined["kind"]
        place = f"{undefined['file']}:{undefined['line']}"
        text = f"{kind} " + " ".join(t for _, t in block[1:3])
        known = next((c for w, c in _UNDEFINED.items() if w in text), None)
        said = log_kinds.undefined(text)
        return kind, known or (said.category if said else None), 1, None, place
    bug = _BUG_AT.search(line)
    if bug is not None:
        return "BUG", C.ASSERTION_FAILURE, 1, None, f"{bug['file']}:{bug['line']}"
    if (other := first_of(_OTHERS, line)) is not None:
        return *other, None, None
    panic = _PANIC.search(line)
    if panic is not None:
        return "panic", C.PANIC, 3, None, None
    return "fault", None, 2, None, None


def _sanitized(found: re.Match[str], block: list[tuple[int, str]], access: str | None) -> C | None:
    """What a finding of the kernel's sanitizers stands for; None where its address has to tell, or
    where a tag tells only that memory is not the pointer's (KASAN's hardware tags)."""
    kind = found["kind"].replace(" ", "-")
    if found["tool"] == "KCSAN":
        return C.DATA_RACE
    if (found["tool"], kind) == ("KFENCE", "memory-corruption"):
        return C.HEAP_CORRUPTION  # what it keeps around an object, looked at when that is freed
    said = log_kinds.named(kind)
    known = said.category if said is not None else None
    if known is None and "out-of-bounds" in kind:
        if any(text.startswith("The buggy address belongs to the object") for _, text in block):
            return C.HEAP_BUFFER_OVERFLOW
        return C.OUT_OF_BOUNDS_WRITE if access == "write" else C.OUT_OF_BOUNDS_READ
    if known is None and kind.startswith("invalid-access"):
        freed = any(text.startswith("Freed by task") for _, text in block)
        return C.USE_AFTER_FREE if freed else None
    return None if known is C.WILD_POINTER else known


def tells_by_tag(kind: str) -> bool:
    """True for a kind of report whose address is a mapped one: only its tag is wrong."""
    return kind.startswith("invalid-access")
