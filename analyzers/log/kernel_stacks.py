"""The call traces of a kernel's report, and which frame the report is about."""

import re
from collections.abc import Iterable

from msgspec.structs import replace

from analyzers.log.stacks import read_roles
from analyzers.log.text import hex_value, small
from workbench.model.facts import Frame, Role

_FRAME = re.compile(
    r"^\s{0,8}(?:\[<(?P<address>[0-9a-f ]{4,20}|\s*inline\s*|"
    r"\s*none\s*)>\]\s*)?(?:\(\[<[0-9a-f]+>\]\) ?)?(?P<maybe>\? )?"
    r"(?P<name>[\w.$]{1,200})(?:\+0x(?P<offset>[0-9a-f]{1,8})/0x[0-9a-f]{1,8})(?: "
    r"\[(?P<module>[\w-]{1,80})[^\]]{0,80}\])?(?P<rest>.{0,400})$"
)
# ARM: "[<8011344c>] (unwind_backtrace) from [<8010ef84>] (show_stack+0x18/0x1c)"; the first name is
# the frame of the line.
_FROM = re.compile(
    r"^\s{0,8}\[<(?P<address>[0-9a-f]{8,16})>\] \((?P<name>[\w.$]{1,200})(?:\+0x[0-9a-f/x]{1,20})?"
    r"(?: \[(?P<module>[\w-]{1,80})\])?\) from (?P<rest>\[<[0-9a-f]{8,16}>\].{0,400})$"
)
_INLINE = re.compile(
    r"^\s{0,8}\[<\s*inline\s*>\]\s*(?P<name>[\w.$]{1,200}) "
    r"(?P<file>\S{1,300}?):(?P<line>\d{1,9})\b"
)
_PLAIN_INLINE = re.compile(
    r"^\s{1,8}(?P<name>[\w.$]{1,200}) "
    r"(?P<file>[\w./-]{1,300}\.[chS]):(?P<line>\d{1,9}) \[inline\]"
)
_FILE = re.compile(r"^\s*(?P<file>[\w./-]{1,300}\.[chSrs]{1,2}):(?P<line>\d{1,9})\b")
_IP = re.compile(
    r"^(?:RIP: [0-9a-f]{4}:|pc : |PC is at ?(?:\[<[^>]*>\] )?|EIP: |IP: |NIP \[[0-9a-f]+\] |"
    r"epc : |RIP: [0-9a-f]{4}:\[<[0-9a-f]+>\]\s+(?:\[<[0-9a-f]+>\] )?)"
    r"(?P<name>[A-Za-z_][\w.$]{0,199})\+0x(?P<offset>[0-9a-f]{1,8})/0x[0-9a-f]{1,8}(?: "
    r"\[(?P<module>[\w-]{1,80})\])?(?P<rest>.{0,300})$"
)
# lockdep: "(rtnl_mutex){+.+.}, at: [<ffffffff84a2d0e7>] rtnl_lock+0x17/0x20"
_LOCK = re.compile(
    r"^\s{0,4}(?:[0-9a-f]{8,16} )?\(.{1,200}\)\{.{1,40}\}.{0,40}, at: (?P<at>\S.{0,300})$"
)
_TRYING = re.compile(r"is trying to (?:acquire|release|get) lock\b")
# Functions that a report's trace may begin with and is never about: they print it, look for it,
# wait, allocate, or are helpers that do what they are told. Names such as a program has, too: they
# count in a kernel's trace only.
_PRINTS = r"""
    _*dump_\w+|show_stack\w*|print_\w+|_*warn\w*|report_\w+|end_report\w*|fail_dump|panic|panic_\w+|
    check_panic_on_\w+|do_invalid_op|do_double_fault|double_fault|df_debug|do_trap\w*|die\w*|
    __die\w*|no_context|(?:exc|asm_exc)_\w+|do_tag_\w+|do_mem_abort|do_translation_fault|do_page_fault|
    do_alignment_fault|el[01]\w*|__do_kernel_fault|fixup_bug|error_entry|unwind_backtrace|
    vprintk\w*|printk\w*|_printk|console_unlock|call_console_drivers|wake_up_klogd|
    trigger_\w+|arch_trigger_\w+|nmi_\w+|update_process_times|tick_\w+|_*hrtimer_\w+|
    watchdog_\w+|\w{0,20}apic_timer_interrupt\w*|_?sched_show_task|dump_cpu_task|rcu_check_\w+|
    rcu_sched_clock_irq|rcu_dump_\w+|rcu_print_\w+|stack_trace_\w+|save_(?:stack|trace)\w*|set_track\w*|
    handle_bug|bug_handler\w*|brk_handler|do_debug_exception|irqentry_\w+|spin_dump|spin_bug|
    __stack_chk_fail|skb_(?:panic|over_panic|under_panic)|
    _[es]text|fortify_panic|__fortify_\w+|__switch_to\w*
"""
_LOOKS_FOR = r"""
    kasan_\w+|_*kasan\w*|__asan_\w+|check_memory_region\w*|kmsan_\w+|__msan_\w+|kcsan_\w+|__tsan_\w+|
    kfence_\w+|kmemleak_\w+|ubsan_\w+|__ubsan_\w+|handle_overflow|__sanitizer_\w+|should_fail\w*|
    lockdep_\w+|debug_lockdep_\w+|lock_(?:acquire|release|downgrade)\w*|__lock_(?:acquire|release)|
    validate_chain|mark_lock\w*|mark_held_locks|check_(?:noncircular|prev|deadlock|usage)\w*|
    register_lock_class|find_held_lock|trace_hardirqs_\w+|trace_softirqs_\w+|__trace_\w+|perf_trace_lock\w*|
    _*might_\w+|check_preemption_disabled|__this_cpu_preempt_check|debug_smp_\w+|
    debug_print_object|debug_check_no_\w+|debug_object_\w+|__debug_object_\w+|debug_deactivate|
    __check_(?:object_size|heap_object)|check_heap_object|usercopy_\w+|refcount_\w+|__refcount_\w+|
    __list_\w+_valid\w*|list_\w+_corruption|rcu_read_(?:un)?lock\w*|do_raw_\w+lock\w*
"""
_WAITS = r"""
    _*schedule(?!_tail)\w*|preempt_schedule\w*|io_schedule\w*|context_switch|_?cond_resched|_*mutex_(?:lock|unlock)\w*|
    _*raw_\w{0,20}(?:un)?lock\w*|queued_\w+lock\w*|native_queued_\w+|rtnl_lock\w*|lock_sock\w*|_*down_\w+|
    up_(?:read|write)|__wake_up\w*|rwsem_\w+|percpu_\w+_lock|wait_for_\w+|do_wait_for_common|__wait_rcu_gp|
    wait_rcu_gp|synchronize_\w+|__synchronize_\w+|rcu_barrier\w*|_*flush_\w*work\w*|cancel_\w*work\w*|
    __cancel_\w*work\w*|drain_workqueue|wait_on_\w+|smp_call_function\w*|on_each_cpu\w*|_*del_timer\w*|
    _*mod_timer|init_timer\w*|add_timer\w*|timer_delete\w*|kernel_fpu_begin\w*|__srcu_read_(?:un)?lock
"""
_HELPS = r"""
    (?:__)?mem(?:cpy|move|set|cmp|chr|cmp_sse)\w*|(?:__)?str(?:n?len|n?cpy|n?cmp|n?cat|l?cpy|scpy|r?chr|str)\w*|
    hex_string|number|pointer|string(?:_nocheck)?|v?s\w{0,2}printf|copy_(?:to|from)_user\w*|
    _copy_(?:to|from)_\w+|_*k?v?[mz]alloc\w*|k?v?[mzc]alloc(?:_\w+)?|kv?realloc\w*|kmem_cache_\w+|kv?free\w*|
    __kmalloc\w*|kmalloc_\w+|slab_\w+|__slab_\w+|do_slab_free|___cache_free|___slab_alloc|qlist_free\w*|
    vmalloc\w*|__vmalloc\w*|alloc_(?:pages|frozen_pages)\w*|_*alloc_\w*pages?\w*|__get_free_pages|
    get_free_pages\w*|pcpu_\w+|percpu_\w+|_*alloc_percpu\w*|warn_alloc|kobject_\w+|add_uevent_var|devres_release_all|
    rb_(?:insert|erase|next|first)\w*|__rb_\w+|list_(?:add|del)\w*|hlist_\w+|__sanitizer_cov_\w+|
    skb_(?:put|push|pull)\w*|__skb_(?:put|push|pull)\w*|ida_(?:free|alloc\w*|simple_\w+)|idr_\w+|crc_?(?:t10dif|itu_t|ccitt|16|32\w*)\w*|
    __kobject_\w+|lock_timer_base|_*try_to_del_timer\w*
"""
_MACHINERY = re.compile(
    "^(?:"
    + "".join((_PRINTS, "|", _LOOKS_FOR, "|", _WAITS, "|", _HELPS)).translate(
        {ord(" "): None, ord("\n"): None}
    )
    + r")(?:\.\w+)*$"
)
_REPORTERS = frozenset({"rcu_gp_kthread", "rcu_gp_fqs_loop"})
"""What a stalled grace period's own thread runs: its trace is shown beside that of the stall."""


def kernel_frame(line: str, number: int) -> Frame | None:
    """A line of a kernel's call trace; one marked ``?`` is a guess, of trust ``scan``."""
    inline = _INLINE.match(line) or _PLAIN_INLINE.match(line)
    if inline is not None:
        return Frame(index=0, function=inline["name"], file=inline["file"],
                     line=small(inline["line"]), inlined=True, line_no=number)  # fmt: skip
    match = _FROM.match(line) or (None if _IP.match(line) else _FRAME.match(line))
    return _named(match, number) if match is not None else None


def _named(match: re.Match[str], number: int) -> Frame:
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
        return replace(frame, index=self.index)


def is_machinery(function: str) -> bool:
    """True for a function of the kernel that no report is about."""
    return bool(_MACHINERY.match(function))


def subject(frames: Iterable[Frame]) -> tuple[Frame, ...]:
    """The frames from the first one that the report may be about; all where there is none."""
    known = tuple(frames)
    for at, frame in enumerate(known):
        if not is_machinery(frame.function or ""):
            return known[at:]
    return known


def roles_of(block: list[tuple[int, str]], *, stopped: bool) -> tuple[Role, ...]:
    """The traces; guesses left out where a trace has anything else. ``stopped`` where the processor
    stopped at an instruction: its frame comes first then."""
    roles: list[Role] = []
    for role in read_roles(block, _Frames()):
        sure = tuple(frame for frame in role.frames if frame.trust != "scan")
        frames = sure or role.frames
        if any(frame.function in _REPORTERS for frame in frames) and len(roles) > 0:
            continue
        name = "access" if not roles and role.role in ("other", "create") else role.role
        roles.append(replace(role, role=name, frames=frames))
    if stopped:
        roles = _with_pointer(roles, _pointer(block))
    while len(roles) > 1 and all(is_machinery(f.function or "") for f in roles[0].frames):
        roles = [replace(roles[1], role="access"), *roles[2:]]
    asked = _asked_for(block)
    if asked is not None and not is_machinery(asked.function or ""):
        roles = [_alone(asked), *(replace(role, role="other") for role in roles)]
    return tuple(replace(role, frames=subject(role.frames)) for role in roles)


def _pointer(block: list[tuple[int, str]]) -> Frame | None:
    """The frame of the instruction at which the processor stopped, the first that is shown."""
    for number, text in block:
        found = _IP.match(text.strip())
        if found is not None:
            return _named(found, number)
    return None


def _alone(frame: Frame) -> Role:
    return Role(role="access", title=frame.function or "", line=frame.line_no, last=frame.line_no,
                frames=(frame,))  # fmt: skip


def _with_pointer(roles: list[Role], pointer: Frame | None) -> list[Role]:
    """The instruction's frame at the head of its own trace: the one that has its function, where
    what stands above it printed the report, else the one below the registers."""
    if pointer is None:
        return roles
    for at, trace in enumerate(roles):
        names = [frame.function for frame in trace.frames[:24]]
        has, below = pointer.function in names, trace.frames
        if has:
            below = trace.frames[names.index(pointer.function) + 1 :]
        elif trace.frames[0].line_no < pointer.line_no:
            continue
        joined = (pointer, *below)
        frames = tuple(replace(frame, index=n) for n, frame in enumerate(joined))
        mine = replace(trace, role="access", frames=frames)
        return [mine, *(replace(role, role="other") for role in (*roles[:at], *roles[at + 1 :]))]
    return [_alone(pointer), *(replace(role, role="other") for role in roles)]


def _asked_for(block: list[tuple[int, str]]) -> Frame | None:
    """Where the lock was asked for that lockdep warns of."""
    for at, (_, line) in enumerate(block[:16]):
        if not _TRYING.search(line):
            continue
        for number, below in block[at + 1 : at + 4]:
            lock = _LOCK.match(below.strip())
            if lock is not None:
                return kernel_frame(f" {lock['at']}", number)
    return None
