"""Linux kernel reports: KASAN and its relatives, oopses, panics, lockups, and segfault lines.

The sentences are those of mm/kasan/report.c, arch/*/mm/fault.c, kernel/panic.c, kernel/hung_task.c,
kernel/watchdog.c, kernel/locking/lockdep.c, lib/ubsan.c and mm/oom_kill.c.
"""

import re

from msgspec.structs import replace

from analyzers.base import Analysis, Document, Settled
from analyzers.log import kinds as log_kinds
from analyzers.log.result import analysis_of
from analyzers.log.stacks import read_roles
from analyzers.log.text import MAX_FINDINGS, hex_value, lines_of, sentence, small
from workbench.model.category import Category as C
from workbench.model.facts import Finding, Frame, Note, Role

_SANITIZER = re.compile(
    r"\bBUG: (?P<tool>KASAN|KMSAN|KCSAN|KFENCE): (?P<kind>.{2,100}?)"
    r"(?: in (?P<function>[\w.$]{1,200})(?:\+0x[0-9a-f]+/0x[0-9a-f]+)?|"
    r" on address (?P<address>[0-9a-f]{8,16})|$)"
)
_ACCESS = re.compile(
    r"^(?P<access>Read|Write|"
    r"Free) of (?:size (?P<size>\d{1,12}) )?(?:at )?(?:addr "
    r")?(?P<address>(?:0x)?[0-9a-f]{8,16})?\s?by task"
)
_KCSAN = re.compile(
    r"^(?P<access>read|write|"
    r"race) (?:\(marked\) )?to 0x(?P<address>[0-9a-f]{8,16}) of "
    r"(?P<size>\d{1,9}) bytes by"
)
_NULL = re.compile(
    r"(?:NULL pointer dereference(?: at)?(?: virtual address)?,?(?: address)?:? {1,16}|"
    r"unable to handle kernel paging request at (?:virtual address )?|"
    r"Unable to handle kernel (?:\w+ )?(?:paging request|"
    r"access to user memory outside uaccess routines|read from unreadable memory|"
    r"write to read-only memory|execute from non-executable memory) at virtual address |"
    r"unable to handle page fault for address: |"
    r"unable to handle kernel access .*at virtual address )"
    r"\(?(?P<address>[0-9a-f]{8,16}|0x[0-9a-f]{1,16}|null)\)?"
)
_WHAT = re.compile(r"#PF: (?:supervisor|user) (?P<access>read|write|instruction fetch|instruction)")
_NON_CANONICAL = re.compile(
    r"general protection fault, (?:probably|"
    r"maybe) for (?:non-canonical )?address (?P<address>0x[0-9a-f]{1,16})"
)
_GPF = re.compile(r"^(?:traps: )?general protection fault")
_NULL_RANGE = re.compile(
    r"^KASAN: (?P<kind>null-ptr-deref|probably user-memory-access|"
    r"maybe wild-memory-access) in range"
)
_BUG_AT = re.compile(r"\bkernel BUG at (?P<file>[^:]{1,300}):(?P<line>\d{1,9})!?")
_UBSAN = re.compile(
    r"\bUBSAN: (?P<kind>.{2,120}?) in "
    r"(?P<file>[^:\s]{1,300}):(?P<line>\d{1,9})(?::\d+)?"
)
_PANIC = re.compile(r"\bKernel panic - not syncing: (?P<message>.{1,300})")
# The words of a panic that only ends what another report began (kernel/panic.c).
_CONSEQUENCE = re.compile(
    r"Kernel panic - not syncing: (?:panic_on_warn|panic_on_oops|kasan\.fault|Fatal exception|"
    r"Machine halted|Oops|hung_task|RCU Stall|softlockup|KASAN|UBSAN|Attempted to kill)"
)
_LEAKED = re.compile(r"unreferenced object 0x[0-9a-f]")
_SEGFAULT = re.compile(
    r"(?P<name>[^\s\[\]]{1,64})\[(?P<pid>\d{1,10})\]: segfault at (?P<address>[0-9a-f]{1,16}) ip "
    r"(?P<ip>[0-9a-f]{1,16}) "
    r"sp (?P<sp>[0-9a-f]{1,16}) error (?P<error>[0-9a-f]{1,4})(?: in "
    r"(?P<module>[^\[\s]{1,200})\[(?P<base>[0-9a-f]{1,16})\+(?P<length>[0-9a-f]{1,16})\])?"
)
_TRAP = re.compile(
    r"(?:traps: )?(?P<name>[^\s\[\]]{1,64})\[(?P<pid>\d{1,10})\] (?:trap )?(?P<trap>divide error|"
    r"invalid opcode|int3|general protection(?: fault)?|stack segment) ip:(?P<ip>[0-9a-f]{1,16}) "
    r"sp:[0-9a-f]{1,16} error:[0-9a-f]{1,8}(?: in (?P<module>[^\[\s]{1,200})\[)?"
)
_TASK = re.compile(r"\bPID: (?P<pid>\d{1,10}) (?:UID: \d+ )?Comm: (?P<name>\S{1,32})")

_OTHERS: tuple[tuple[re.Pattern[str], str, C | None, int], ...] = tuple(
    (re.compile(pattern), kind, category, rank)
    for pattern, kind, category, rank in (
        (r"\bWARNING: possible (?:circular|recursive|irq lock inversion)|\binconsistent lock state",
         "lockdep", C.DEADLOCK, 0),
        (r"\bBUG: spinlock (?:recursion|lockup)|\bINFO: possible (?:recursive|circular)", "lock",
         C.DEADLOCK, 0),
        (r"\bwatchdog: BUG: soft lockup|\bBUG: soft lockup|\brcu: INFO:|INFO: rcu_\w+ (?:self-)?"
         r"detected stall|hard LOCKUP|"
         r"NMI watchdog: Watchdog detected", "lockup", C.INFINITE_LOOP, 1),
        (r"\bINFO: task \S{1,64} blocked for more than", "hung task", C.BLOCKED_ON_IO, 1),
        (r"\bOut of memory: Kill|Memory cgroup out of memory|\binvoked oom-killer|\boom-kill:",
         "oom-killer", C.OUT_OF_MEMORY, 1),
        (r"kernel stack overflow|stack guard page was hit|\bstack overflow detected",
         "stack overflow", C.STACK_OVERFLOW, 0),
        (r"stack-protector: Kernel stack is "
         r"corrupted", "stack protector", C.STACK_BUFFER_OVERFLOW, 0),
        (r"^(?:Oops: )?divide error: |\bdivide error: 0000", "divide error", C.DIVIDE_BY_ZERO, 1),
        (r"\bsleeping function called from invalid context|scheduling while atomic", "atomic sleep",
         C.ASSERTION_FAILURE, 1),
        (r"^(?:\[ )?(?:WARNING|INFO): (?:suspicious RCU usage|bad unlock balance|"
         r"trying to register non-static key)", "lock check", C.ASSERTION_FAILURE, 1),
        (r"^BUG: memory leak|^unreferenced object 0x[0-9a-f]", "kmemleak", C.MEMORY_LEAK, 1),
        (r"\bBUG: Bad page|Bad rss-counter|slab .* corrupted|BUG kmalloc-|Redzone overwritten|"
         r"Poison overwritten|Freelist corrupt|list_(?:add|del) corruption", "corruption",
         C.HEAP_CORRUPTION, 0),
        (r"refcount_t: (?:underflow; use-after-free|addition on 0; use-after-free)", "refcount",
         C.USE_AFTER_FREE, 0),
        (r"^(?:\[.{1,40}\] )?Internal error: |^invalid opcode: ", "oops", None, 3),
        (r"\bWARNING: (?:CPU: \d+ PID: \d+ )?at \S", "warning", C.ASSERTION_FAILURE, 3),
    )
)  # fmt: skip
_FRAME = re.compile(
    r"^\s{0,8}(?:\[<(?P<address>[0-9a-f ]{4,20}|\s*inline\s*|"
    r"\s*none\s*)>\]\s*)?(?:\(\[<[0-9a-f]+>\]\) ?)?(?P<maybe>\? )?"
    r"(?P<name>[\w.$]{1,200})(?:\+0x(?P<offset>[0-9a-f]{1,8})/0x[0-9a-f]{1,8})(?: "
    r"\[(?P<module>[\w-]{1,80})[^\]]{0,80}\])?(?P<rest>.{0,400})$"
)
_INLINE = re.compile(
    r"^\s{0,8}\[<\s*inline\s*>\]\s*(?P<name>[\w.$]{1,200}) "
    r"(?P<file>\S{1,300}?):(?P<line>\d{1,9})"
)
_PLAIN_INLINE = re.compile(
    r"^\s{1,8}(?P<name>[\w.$]{1,200}) "
    r"(?P<file>[\w./-]{1,300}\.[chS]):(?P<line>\d{1,9}) \[inline\]"
)
_FILE = re.compile(r"^\s*(?P<file>[\w./-]{1,300}\.[chSrs]{1,2}):(?P<line>\d{1,9})")
_IP = re.compile(
    r"^(?:RIP: [0-9a-f]{4}:|pc : |PC is at ?(?:\[<[^>]*>\] )?|EIP: |IP: |NIP \[[0-9a-f]+\] |"
    r"epc : |RIP: [0-9a-f]{4}:\[<[0-9a-f]+>\]\s+(?:\[<[0-9a-f]+>\] )?)"
    r"(?P<name>[A-Za-z_][\w.$]{0,199})\+0x(?P<offset>[0-9a-f]{1,8})/0x[0-9a-f]{1,8}(?: "
    r"\[(?P<module>[\w-]{1,80})\])?(?P<rest>.{0,300})$"
)
_NOTE = re.compile(
    r"^(?:The buggy address|(?:Read|Write|Free) of size|Allocated by task|Freed by task|KASAN: |"
    r"#PF: |"
    r"Mem abort|Comm: |CPU: \d+ PID|which belongs to|index -?\d|shift exponent|"
    r"\S.{0,80} but task is already holding lock|trying to acquire|Possible unsafe|"
    r"\*\*\* DEADLOCK|value changed:|"
    r"signed integer|division|member access|load of|Address belongs|The variable)"
)
# Functions that a report's trace may begin with and is never about: they print it, look for it,
# or wait. Names such as a program has, too: they count in a kernel's trace only.
_MACHINERY = re.compile(
    r"^(?:(?:_{0,2}warn_slowpath|_{0,2}might_|should_fail|lockdep_|rcu_(?:dump|check|print|is)_|"
    r"tick_|_*hrtimer_|_{0,2}mutex_(?:lock|unlock)|_*raw_\w{0,20}lock|down_(?:read|write)|"
    r"up_(?:read|write)|schedule_timeout|kasan_|kmemleak_|dump_stack|pcpu_|mark_lock|nmi_|"
    r"print_\w{0,30}(?:bug|stall)|check_(?:noncircular|prev|deadlock)|lock_(?:acquire|release))\w*|"
    r"_?sched_show_task|do_invalid_op|error_entry|double_fault|do_double_fault|df_debug|fail_dump|"
    r"___might_sleep|__lock_acquire|__lock_release|lock_downgrade|validate_chain|panic|report_bug|"
    r"fixup_bug|register_lock_class|update_process_times|__warn|_*schedule|io_schedule|"
    r"context_switch|dump_cpu_task|mark_held_locks|wait_for_completion|do_wait_for_common|"
    r"arch_trigger_\w+|trigger_\w+|\w{0,20}apic_timer_interrupt\w*|show_stack|"
    r"(?:exc|asm_exc)_\w+)(?:\.\w+)*$"
)


class LogKernel(Settled):
    """One `Finding` for each report of the kernel."""

    name = "log-kernel"

    def can_analyze(self, document: Document) -> bool:
        """True for what the kernel printed."""
        return document.host == "kernel"

    def analyze(self, document: Document) -> Analysis:
        """The reports in their order; each has the lines up to the next one."""
        lines = list(lines_of(document))
        starts: list[int] = []
        for at, (_, line) in enumerate(lines):
            if _begins(line) and not (starts and _goes_on(lines[starts[-1]][1], line)):
                starts.append(at)
        starts = starts[:MAX_FINDINGS]
        found: list[Finding] = []
        for place, at in enumerate(starts):
            end = starts[place + 1] if place + 1 < len(starts) else len(lines)
            finding = _finding(document, lines[at:end])
            if finding is not None:
                # A later report may be the first one's consequence: it does not go before it.
                sure = [f.rank for f in found if f.category and f.signal is None]
                found.append(replace(finding, rank=max(finding.rank, *sure)) if sure else finding)
        return analysis_of(document, found)


def _begins(line: str) -> bool:
    tried = (_SANITIZER, _NULL, _NON_CANONICAL, _GPF, _BUG_AT, _UBSAN, _PANIC, _SEGFAULT, _TRAP)
    return any(pattern.search(line) for pattern in tried) or any(
        pattern.search(line) for pattern, *_ in _OTHERS
    )


def _goes_on(first: str, line: str) -> bool:
    """True for a line that is part of the report that ``first`` began: the panic that a report ends
    in, and the object of a leak."""
    if _LEAKED.match(line):
        return first.startswith("BUG: memory leak")
    return bool(_CONSEQUENCE.search(line)) and not (_SEGFAULT.search(first) or _TRAP.search(first))


def kernel_frame(line: str, number: int) -> Frame | None:
    """A line of a kernel's call trace; one marked ``?`` is a guess and left out."""
    inline = _INLINE.match(line) or _PLAIN_INLINE.match(line)
    if inline is not None:
        return Frame(index=0, function=inline["name"], file=inline["file"],
                     line=small(inline["line"]), inlined=True, line_no=number)  # fmt: skip
    match = _FRAME.match(line) or _IP.match(line)
    if match is None:
        return None
    groups = match.groupdict()
    place = _FILE.match(groups.get("rest") or "")
    address = (groups.get("address") or "").strip()
    guessed = bool(groups.get("maybe"))
    return Frame(
        index=0,
        function=match["name"],
        file=place["file"] if place else None,
        line=small(place["line"]) if place else None,
        module=groups.get("module"),
        address=hex_value(address) if re.fullmatch(r"[0-9a-f]{4,16}", address) else None,
        trust="scan" if guessed else "symbols",
        line_no=number,
    )


class _Frames:
    """Counts the frames of each trace."""

    def __init__(self) -> None:
        self.index = -1

    def __call__(self, line: str, number: int) -> Frame | None:
        """The frame of a line, or None."""
        frame = kernel_frame(line, number)
        if frame is None:
            if line.strip() and not line.startswith(" "):
                self.index = -1
            return None
        self.index += 1
        return Frame(index=self.index, function=frame.function, file=frame.file, line=frame.line,
                     module=frame.module, address=frame.address, trust=frame.trust,
                     inlined=frame.inlined, line_no=number)  # fmt: skip


def _finding(document: Document, block: list[tuple[int, str]]) -> Finding | None:
    number, line = block[0]
    user = _SEGFAULT.search(line) or _TRAP.search(line)
    if user is not None:
        return _user(document, number, line, user)
    roles = _roles(block)
    notes = tuple(Note(text=sentence(t), line=n) for n, t in block[1:] if _NOTE.match(t.strip()))
    access, size, address, access_line = _access(block)
    kind, category, rank, function, place = _kind(block)
    found = _SANITIZER.search(line)
    tool = found["tool"] if found else "UBSAN" if _UBSAN.search(line) else "the kernel"
    if address is None:
        address = _address(line)
    if category is None and (kind == "fault" or tool == "KASAN"):
        category = _by_address(block, address, access)
    task = next((m for _, t in block[:12] if (m := _TASK.search(t))), None)
    return Finding(
        cite=document.cite(number, block[-1][0]), tool=tool, kind=kind, message=sentence(line),
        line=number, category=category.value if category else None, rank=rank, access=access,
        access_line=access_line, address=address, size=size,
        process=small(task["pid"]) if task else None, place=place, function=function,
        stacks=roles, notes=notes[:12],
    )  # fmt: skip


def _without_machinery(frames: tuple[Frame, ...]) -> tuple[Frame, ...]:
    """The frames from the first one that the report may be about; all where there is none."""
    for at, frame in enumerate(frames):
        if not _MACHINERY.match(frame.function or ""):
            return frames[at:]
    return frames


def _roles(block: list[tuple[int, str]]) -> tuple[Role, ...]:
    """The traces; guesses left out where a trace has anything else, and the instruction first."""
    roles = []
    ips = [(n, f) for n, t in block if _IP.match(t.strip()) and (f := kernel_frame(t.strip(), n))]
    for at, role in enumerate(read_roles(block, _Frames())):
        sure = tuple(frame for frame in role.frames if frame.trust != "scan")
        frames = _without_machinery(sure or role.frames)
        name = "access" if at == 0 and role.role in ("other", "create") else role.role
        roles.append(
            Role(role=name, title=role.title, line=role.line, last=role.last, frames=frames)
        )
    if ips and not any(role.role == "access" and len(role.frames) > 1 for role in roles):
        number, frame = ips[0]
        first = Role(role="access", title=frame.function or "", line=number, last=number,
                     frames=(frame,))  # fmt: skip
        roles.insert(0, first)
    elif ips and roles:
        first = roles[0]
        # What stands above the instruction is the machinery that printed the report.
        names = [frame.function for frame in first.frames[:24]]
        if ips[0][1].function in names:
            below = first.frames[names.index(ips[0][1].function) :]
            roles[0] = Role(role="access", title=first.title, line=first.line, last=first.last,
                            frames=below)  # fmt: skip
        else:
            roles[0] = Role(role="access", title=first.title, line=first.line, last=first.last,
                            frames=_without_machinery((ips[0][1], *first.frames)))  # fmt: skip
    return tuple(roles)


def _kind(
    block: list[tuple[int, str]],
) -> tuple[str, C | None, int, str | None, str | None]:
    """Kind, category, rank, function and place that a report's first line names."""
    line = block[0][1]
    found = _SANITIZER.search(line)
    if found is not None:
        kind = found["kind"]
        known = log_kinds.named(kind.replace(" ", "-"))
        if found["tool"] == "KCSAN":
            known = C.DATA_RACE
        if known is None and "out-of-bounds" in kind.replace(" ", "-"):
            known = C.HEAP_BUFFER_OVERFLOW
        if known is C.WILD_POINTER:
            known = None
        return kind, known, 0, found["function"], None
    undefined = _UBSAN.search(line)
    if undefined is not None:
        kind = undefined["kind"]
        place = f"{undefined['file']}:{undefined['line']}"
        words = {"array-index": C.OUT_OF_BOUNDS_READ, "shift": C.INTEGER_OVERFLOW,
                 "overflow": C.INTEGER_OVERFLOW, "division": C.DIVIDE_BY_ZERO,
                 "misaligned": C.MISALIGNED_ACCESS, "null": C.NULL_POINTER_DEREFERENCE,
                 "invalid-load": C.UNINITIALIZED_VALUE,
                 "object-size": C.BUFFER_OVERFLOW}  # fmt: skip
        text = f"{kind} " + " ".join(t for _, t in block[1:3])
        known = next((c for w, c in words.items() if w in text), None)
        return kind, known or log_kinds.undefined(text), 1, None, place
    bug = _BUG_AT.search(line)
    if bug is not None:
        return "BUG", C.ASSERTION_FAILURE, 1, None, f"{bug['file']}:{bug['line']}"
    for pattern, kind, category, rank in _OTHERS:
        if pattern.search(line):
            return kind, category, rank, None, None
    panic = _PANIC.search(line)
    if panic is not None:
        return "panic", C.PANIC, 3, None, None
    return "fault", None, 2, None, None


def _access(block: list[tuple[int, str]]) -> tuple[str | None, int | None, int | None, int]:
    for number, line in block[:12]:
        match = _ACCESS.match(line.strip()) or _KCSAN.match(line.strip())
        if match is not None:
            access = match["access"].lower()
            address = match["address"]
            return (
                access if access in ("read", "write") else None,
                small(match["size"]),
                hex_value(address) if address else None,
                number,
            )
        what = _WHAT.search(line)
        if what is not None:
            access = what["access"]
            return (access if access in ("read", "write") else "execute"), None, None, number
    return None, None, None, 0


def _address(line: str) -> int | None:
    for pattern in (_SANITIZER, _NULL, _NON_CANONICAL):
        match = pattern.search(line)
        if match is not None and match.groupdict().get("address"):
            text = match["address"]
            return 0 if text == "null" else hex_value(text)
    return None


def _by_address(block: list[tuple[int, str]], address: int | None, access: str | None) -> C | None:
    """A bad access of the kernel by where it went; KASAN says what a protection fault was."""
    for _, line in block[:6]:
        known = _NULL_RANGE.match(line)
        if known is not None:
            null = known["kind"] == "null-ptr-deref"
            return C.NULL_POINTER_DEREFERENCE if null else C.WILD_POINTER
    text = block[0][1]
    if "write to read-only memory" in text:
        return C.WRITE_TO_READ_ONLY_MEMORY
    if address is None and "NULL pointer" not in text:
        return C.WILD_POINTER
    if access == "execute" and (address or 0) < log_kinds.NEAR_NULL:
        return C.NULL_FUNCTION_POINTER_CALL
    if "NULL pointer" in text or (address is not None and address < log_kinds.NEAR_NULL):
        return C.NULL_POINTER_DEREFERENCE
    return C.WILD_POINTER


def _user(document: Document, number: int, line: str, match: re.Match[str]) -> Finding:
    """A line that the kernel writes for a user program (arch/x86/mm/fault.c, traps.c)."""
    groups = match.groupdict()
    pc = hex_value(match["ip"])
    trap = groups.get("trap")
    access = None
    address = None
    if trap is None:
        address, error = hex_value(match["address"]), hex_value(match["error"])
        access = "execute" if error & 16 else "write" if error & 2 else "read"
        signal = "SIGSEGV"
        category = log_kinds.of_access(signal, address, access, pc)
    else:
        signal, category = {
            "divide error": ("SIGFPE", C.DIVIDE_BY_ZERO),
            "invalid opcode": ("SIGILL", C.ILLEGAL_INSTRUCTION),
            "int3": ("SIGTRAP", C.TRAP),
        }.get(trap, ("SIGSEGV", C.WILD_POINTER))
    base = groups.get("base")
    frame = Frame(index=0, module=groups.get("module"), address=pc, trust="unwound",
                  offset=pc - hex_value(base) if base else None, line_no=number)  # fmt: skip
    role = Role(role="access", title=sentence(line), line=number, last=number, frames=(frame,))
    return Finding(
        cite=document.cite(number), tool="the kernel", kind=trap or "segfault",
        message=sentence(line), line=number, category=category.value if category else None, rank=2,
        access=access, address=address, pc=pc, signal=signal, process=small(match["pid"]),
        stacks=(role,),
    )  # fmt: skip
