"""Linux's own functions: what reports, looks for errors, waits, allocates or helps, by name.

From arch/*/kernel/traps.c and mm/fault.c, kernel/ (printk, locking, sched, rcu, time), lib/ and
mm/ (kasan, kmsan, kfence, slub), as their reports show them. A program may have such names: they
count where the kernel speaks.
"""

import re
from functools import cache

# What stands in any log of a kernel's: it reports, allocates or ends.
_REPORTS = re.compile(
    r"^(?:dump_backtrace|show_stack|dump_stack|dump_stack_lvl|__dump_stack|print_report|"
    r"print_address_description|_*k(?:asan|msan|csan|fence)_\w+|check_memory_region\w*|end_report|report_\w{0,20}access|"
    r"kmem_cache_alloc\w*|kmem_cache_free\w*|__?kmalloc\w*|kfree\w*|krealloc|kzalloc|slab_\w+|"
    r"save_stack\w*|set_track|stack_trace_save|do_slab_free|slab_free\w*|__?warn\w*|report_bug|"
    r"machine_kexec|_*crash_kexec|panic|oops_\w+|die|no_context|__?do_page_fault|page_fault\w*|exc_\w+|asm_\w+|do_trap\w*|"
    r"do_error_trap|do_general_protection|general_protection|invalid_op|el1_\w+|el0_\w+|"
    r"do_mem_abort|do_translation_fault|__do_kernel_fault|die_kernel_fault|entry_SYSCALL\w*|"
    r"do_syscall_64|ret_from_fork\w*|handle_bug|fixup_bug\w*|"
    # file systems, for whoever found an error
    r"_*(?:reiserfs|ext[234]|btrfs|xfs|jfs|gfs2|fat|ocfs2|nilfs|f2fs)_\w*(?:panic|error|abort|assfail)\w*"
    r"(?:\.\w+)?|"
    # XNU (osfmk/kern/debug.c, osfmk/i386/trap.c)
    r"platform_halt|"  # Zircon's
    r"_(?:(?:\w+_)?panic(?:_\w+)?|handle_debugger_trap|kdp_\w+|kernel_trap|return_from_trap|DebuggerTrap\w*|sleh_\w+)|trap_from_kernel|"
    # the BSDs (sys/kern/subr_kdb.c, kern_shutdown.c, ddb)
    r"kdb_\w+|vpanic|kerntrap|lockdebug_\w+|trap_(?:fatal|pfault)|calltrap|alltraps\w*|kern_assert|__assert|db_(?:enter|panic|trace_\w+))$"
)
# What a report's own trace may begin with and is never about: functions that print it, look for it,
# wait, allocate, or are helpers that do what they are told.
_PRINTS = r"""
    _*dump_\w+|show_stack\w*|print_\w+|_*warn\w*|report_\w+|end_report\w*|fail_dump|panic|panic_\w+|
    check_panic_on_\w+|do_invalid_op|do_double_fault|double_fault|df_debug|do_trap\w*|die\w*|
    __die\w*|no_context|(?:exc|asm_exc)_\w+|do_tag_\w+|do_mem_abort|do_translation_fault|do_page_fault|
    do_alignment_fault|el[01]\w*|__do_kernel_fault|fixup_bug|error_entry|unwind_(?:backtrace|next_frame)|
    vprintk\w*|printk\w*|_printk|console_unlock|call_console_drivers|wake_up_klogd|
    trigger_\w+|arch_trigger_\w+|nmi_\w+|update_process_times|tick_\w+|_*hrtimer_\w+|
    watchdog_\w+|\w{0,20}apic_timer_interrupt\w*|_?sched_show_task|dump_cpu_task|rcu_check_\w+|
    walk_stackframe|_*(?:net)?dev_(?:v?printk\w*|emerg|alert|crit|err|warn|notice|info)|
    rcu_\w*sleep_check|common_interrupt\w*|(?:default_)?do_nmi|end_repeat_nmi|perf_event_nmi_handler|_*perf_event_overflow|\w{1,12}_pmu_handle_irq|rcu_sched_clock_irq|rcu_dump_\w+|rcu_print_\w+|stack_trace_\w+|save_(?:stack|trace)\w*|set_track\w*|
    (?:btrfs_)?assertfail\w*|handle_bug|bug_handler\w*|brk_handler|do_debug_exception|irqentry_\w+|spin_dump|spin_bug|
    __stack_chk_fail|skb_(?:panic|over_panic|under_panic)|
    _[es]text|fortify_panic|__fortify_\w+|__switch_to\w*
"""
_LOOKS_FOR = r"""
    kasan_\w+|_*kasan\w*|__asan_\w+|check_memory_region\w*|kmsan_\w+|(?:__)?msan_\w+|kcsan_\w+|__tsan_\w+|
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
    _*schedule(?!_tail)\w*|preempt_schedule\w*|io_schedule\w*|context_switch|_+preempt_schedule\w*|_?cond_resched|_*mutex_(?:lock|unlock)\w*|
    _*raw_\w{0,20}(?:un)?lock\w*|queued_\w+lock\w*|native_queued_\w+|rtnl_lock\w*|lock_sock\w*|_*down_\w+|
    up_(?:read|write)|__wake_up\w*|rwsem_\w+|percpu_\w+_lock|wait_for_\w+|do_wait_for_common|__wait_rcu_gp|
    wait_rcu_gp|(?:__|out_of_line_)?wait_on_\w+|bit_wait\w*|folio_wait_\w+|synchronize_\w+|__synchronize_\w+|rcu_barrier\w*|_*flush_\w*work\w*|cancel_\w*work\w*|
    __cancel_\w*work\w*|drain_workqueue|smp_call_function\w*|on_each_cpu\w*|_*del_timer\w*|
    preempt_count_\w+|_*local_bh_(?:enable|disable)\w*|_*rt_mutex_\w*lock\w*|osq_lock|rcu_dynticks_\w+|
    finish_task_switch\w*|retint_\w+|lock_is_held\w*|_*mod_timer|init_timer\w*|add_timer\w*|timer_delete\w*|kernel_fpu_begin\w*|__srcu_read_(?:un)?lock
"""
_HELPS = r"""
    (?:__)?mem(?:cpy|move|set|cmp|chr|cmp_sse)\w*|(?:__)?str(?:n?len|n?cpy|n?cmp|n?cat|l?cpy|scpy|r?chr|str)\w*|
    strnstr|memdup_user\w*|(?:arch_|raw_)?atomic(?:64|_long)?_\w+|_atomic_dec_and_lock\w*|rhashtable_lookup\w*|
    create_object|setup_object\w*|_*set_page_owner|post_alloc_hook|free_percpu|unlock_page|hex_string|number|pointer|string(?:_nocheck)?|v?s\w{0,2}printf|copy_(?:to|from)_user\w*|
    _copy_(?:to|from)_\w+|_*k?v?[mz]alloc\w*|k?v?[mzc]alloc(?:_\w+)?|kv?realloc\w*|kmem_cache_\w+|kv?free\w*|
    __kmalloc\w*|kmalloc_\w+|kstrn?dup\w*|kv?memdup\w*|kv?asprintf\w*|slab_\w+|__slab_\w+|do_slab_free|___cache_free|___slab_alloc|qlist_free\w*|
    vmalloc\w*|__vmalloc\w*|alloc_(?:pages|frozen_pages)\w*|_*alloc_\w*pages?\w*|__get_free_pages|
    get_free_pages\w*|pcpu_\w+|percpu_\w+|_*alloc_percpu\w*|warn_alloc|kobject_\w+|add_uevent_var|devres_release_all|
    rb_(?:insert|erase|next|first)\w*|__rb_\w+|list_(?:add|del)\w*|hlist_\w+|__sanitizer_cov_\w+|
    skb_(?:put|push|pull)\w*|__skb_(?:put|push|pull)\w*|ida_(?:free|alloc\w*|simple_\w+)|idr_\w+|crc_?(?:t10dif|itu_t|ccitt|16|32\w*)\w*|
    __kobject_\w+|lock_timer_base|_*try_to_del_timer\w*
"""


@cache
def _machinery() -> re.Pattern[str]:
    names = "|".join((_PRINTS, _LOOKS_FOR, _WAITS, _HELPS))
    names = names.translate({ord(" "): None, ord("\n"): None})
    return re.compile(rf"^(?:{names})(?:\.\w+)*$")


def is_kernel_reporting(function: str) -> bool:
    """True for a function of the kernel's that reports, allocates or ends, in a log of any kind."""
    return bool(_REPORTS.match(function))


def is_kernel_machinery(function: str) -> bool:
    """True for a function that no kernel's report is about, in a trace of a kernel's report."""
    return bool(_machinery().match(function))
