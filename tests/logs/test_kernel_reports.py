"""Kernel reports: which of a log's reports counts, and which function it is about."""

from pathlib import Path

import pytest

from tests.logs.reading import read_text
from workbench.agents import experts
from workbench.agents.experts import proposals
from workbench.model.category import Category as C
from workbench.model.hypothesis import Status

WARNING = """\
[   54.586790] WARNING: CPU: 1 PID: 6747 at drivers/till.c:81 till_check+0xdb/0x100
[   54.594511] Kernel panic - not syncing: panic_on_warn set ...
[   54.618165] Call Trace:
[   54.620747]  dump_stack+0x194/0x257
[   54.640747]  panic+0x1e4/0x41c
[   54.660263]  report_bug+0x211/0x2d0
[   54.670263]  do_invalid_op+0x1b/0x20
[   54.699305] RIP: 0010:till_check+0xdb/0x100
[   54.700305]  till_ioctl+0x6e/0xd0
"""
NULL = """\
[   61.889077] BUG: unable to handle kernel NULL pointer dereference at           (null)
[   61.891826] Call Trace:
[   61.895826]  [<ffffffff83064aa1>] till_send+0x141/0x2e0
[   61.920336] Kernel panic - not syncing: Fatal exception
"""
UNLOCK = """\
[  163.448095] WARNING: bad unlock balance detected!
[  163.452916] 6.1.0 #217 Not tainted
[  163.461783] till/19522 is trying to release lock (drawer) at:
[  163.506866] stack backtrace:
[  163.528007] Call Trace:
[  163.530573]  dump_stack+0x194/0x257
[  163.543121]  print_unlock_imbalance_bug+0x12f/0x140
[  163.548118]  lock_release+0x5f9/0xda0
[  163.579392]  _raw_read_unlock+0x1a/0x30
[  163.583341]  till_stop+0xe1/0x130
"""
LEAK = """\
BUG: memory leak
unreferenced object 0xffff88005f7ac800 (size 2048):
  comm "till", pid 6839, jiffies 4294947130 (age 39.460s)
  backtrace:
    [<00000000996d44e4>] __kmalloc+0x14f/0x2a0
    [<0000000018bf48ad>] till_create+0x149/0x520
"""
OLD = """\
[110417.280426] WARNING: at drivers/till.c:22 till_pages+0x231/0x8f0()
[110417.280528] Call Trace:
[110417.280535]  [<ffffffff81057adf>] warn_slowpath_common+0x7f/0xc0
[110417.280543]  [<ffffffff81124321>] till_pages+0x231/0x8f0
"""
SLEEP = """\
[   64.549526] BUG: sleeping function called from invalid context at mm/slab.h:420
[   64.609526] Call Trace:
[   64.619526]  dump_stack+0x194/0x257
[   64.629526]  ___might_sleep+0x2b2/0x470
[   64.639526]  till_connect+0x46/0x150
"""
SHADOW = """\
[   41.869549] kasan: GPF could be caused by NULL-ptr deref or user memory access
[   41.876882] general protection fault: 0000 [#1] SMP KASAN
[   41.915475] RIP: 0010:__lock_acquire+0xd55/0x47f0
[   41.925604] RAX: dffffc0000000000 RBX: 0000000000000000 RCX: 0000000000000000
[   41.932837] RDX: {index:016x} RSI: 0000000000000000 RDI: ffffffff85ecb400
[   41.940070] RBP: ffff8801cb547830 R08: 0000000000000001 R09: 0000000000000000
[   41.997514] Call Trace:
[   42.068312]  lock_acquire+0x1d5/0x580
[   42.097362]  _raw_spin_lock_bh+0x31/0x40
[   42.151407]  till_delete+0x8f/0x470
[   42.221131] Code: 48 89 fa 48 c1 ea 03 <80> 3c 02 00 75 4f 48 83 c6 01
"""
STOPPED = """\
[  413.263409][T16632] ------------[ cut here ]------------
[  413.270117][T16632] kernel BUG at drivers/till.h:202!
[  413.276170][T16632] invalid opcode: 0000 [#1] PREEMPT SMP KASAN
[  413.302412][T16632] RIP: 0010:__check_object_size+0x5aa/0x720
[  413.413938][T16632] Call Trace:
[  413.417289][T16632]  till_copy+0x6fd/0x18f0
[  413.539166][T16632]  do_syscall_64+0x2d/0x70
"""
INTERRUPTED = """\
[  136.593749][    C1] BUG: KASAN: use-after-free in register_lock_class+0xeb7/0x1240
[  136.593755][    C1] Write of size 8 at addr ffff8881ceba71f8 by task kworker/1:1/22
[  136.593778][    C1] Call Trace:
[  136.593788][    C1]  dump_stack+0xca/0x13e
[  136.593862][    C1]  kasan_report+0xe/0x20
[  136.593867][    C1]  register_lock_class+0xeb7/0x1240
[  136.593944][    C1]  till_wake+0xbe/0xe0
[  136.594094][    C1]  </IRQ>
[  136.594100][    C1] RIP: 0010:till_print+0x9db/0xbf0
[  136.594200][    C1]  till_unrelated+0x10/0x20
"""
ORDER = """\
[   43.263409] ======================================================
[   43.263410] WARNING: possible circular locking dependency detected
[   43.263412] till/3315 is trying to acquire lock:
[   43.263413]  (till_mutex){+.+.}, at: [<ffffffff84a2d0e7>] till_open+0x17/0x20
[   43.263414] but task is already holding lock:
[   43.263415]  (drawer){+.+.}, at: [<ffffffff84a2d0f0>] till_begin+0x17/0x20
[   43.263416] Call Trace:
[   43.263417]  dump_stack+0x194/0x257
[   43.263418]  mutex_lock_nested+0x16/0x20
"""
REFERENCES = """\
[  116.963070] refcount_t: increment on 0; use-after-free.
[  116.968562] WARNING: CPU: 1 PID: 4353 at lib/refcount.c:153 refcount_inc+0x47/0x50
[  116.999846] Call Trace:
[  117.002449]  dump_stack+0x114/0x1cf
[  117.074091]  do_invalid_op+0x20/0x30
[  117.081277] RIP: 0010:refcount_inc+0x47/0x50
[  117.085949] RAX: 000000000000002b RBX: ffff8881d40fa500 RCX: ffffc9000207d000
[  117.135349]  kobject_get+0x50/0xa0
[  117.144452]  till_register+0x301/0x1620
"""
TAGS = """\
[  312.699657] BUG: KASAN: invalid-access in till_add+0x10/0x90
[  312.701749] Read at addr f6ff00001d527690 by task till/5007
[  312.703585] Pointer tag: [f6], memory tag: [f5]
[  312.708971] Call trace:
[  312.709686]  dump_backtrace+0x0/0x1b0
[  312.709690]  till_add+0x10/0x90
"""
ARM = """\
[   12.000000] Unhandled fault: page domain fault (0x01b) at 0x00000008
[   12.000001] Internal error: : 1b [#1] SMP ARM
[   12.000002] PC is at till_parse+0x44/0x100
[   12.000003] [<8011344c>] (till_parse) from [<8010ef84>] (till_mount+0x18/0x1c)
"""
CUT = """\
[   80.287896] BUG: KASAN: global-out-of-bounds in till_load+0x1a94/0x5cb8
[   80.291697] Write of size 20480 at addr bf000000 by task till/47
[   80.301167] [<c01165ec>] (unwind_backtrace) from [<c01104f8>] (show_stack+0x10/0x14)
[   80.307309] [<c0528c90>] (dump_stack) from [<c0363134>] (print_address_description+0x54/0
"""
PREEMPTIBLE = """\
[  177.880417] BUG: using __this_cpu_read() in preemptible [00000000] code: till/27031
[  177.889042] caller is __this_cpu_preempt_check+0x13/0x20
[  177.935373] Call Trace:
[  177.937937]  [<ffffffff81cc9b4f>] dump_stack+0x8e/0xcf
[  177.949927]  [<ffffffff81d28dc3>] __this_cpu_preempt_check+0x13/0x20
[  177.956394]  [<ffffffff832a4598>] till_init+0x168/0x8e0
"""
STACK_END = """\
[  771.755252] Kernel panic - not syncing: corrupted stack end detected inside scheduler
[  771.755402] Call Trace:
[  771.755450]  dump_stack_lvl+0xd9/0x150
[  771.755460]  panic+0x100/0x200
[  771.755470]  till_walk+0x20/0x30
"""
BADBEEF = """\
[   32.082291] general protection fault for non-canonical address 0xe017577ddf75b7dd: 0000 [#1] PTI
[   32.084238] KASAN: maybe wild-memory-access in range [0x00badbeefbadbee8-0x00badbeefbadbeef]
[   32.088213] RIP: 0010:till_deref+0x33/0x60
[   32.111295] Call Trace:
[   32.111720]  till_ioctl+0x48e/0x1040
"""
USER = """\
[  472.674619][ T5233] Unable to handle kernel access to user memory without uaccess routines at \
virtual address 000000000cc6b0d0
[  472.675587][ T5233] Oops [#1]
[  472.679566][ T5233] epc : schedule_tail+0x72/0xb2
[  472.680826][ T5233]  ra : schedule_tail+0x70/0xb2
[  472.694320][ T5233] Call Trace:
[  472.694520][ T5233] [<ffffffe000005570>] ret_from_exception+0x0/0x14
"""
CANARY = """\
[  254.800034] Kernel panic - not syncing: stack-protector: Kernel stack is corrupted in: till_xmit
[  254.820747] Call Trace:
[  254.830747]  panic+0x1e4/0x41c
[  254.840747]  __stack_chk_fail+0x1d/0x30
[  254.850747]  till_xmit+0x12ec/0x1550
"""
BUFFER = """\
[  254.800034] kernel BUG at net/core/skbuff.c:109!
[  254.810034] RIP: 0010:skb_panic+0x16a/0x16c
[  254.820747] Call Trace:
[  254.840747]  skb_put.cold+0x24/0x24
[  254.850747]  till_acquire+0x12ec/0x1550
"""

NEWER = """\
[  456.493487][    C1] WARNING: net/till/tx.c:5024 at till_beacon+0x125d/0x1630, CPU#1: till/11907
[  456.529983][    C1] RIP: 0010:till_beacon+0x125d/0x1630
[  457.110000][    C1] Call Trace:
[  457.111000][    C1]  till_tx+0x10/0x20
[  457.126909][    C1] Kernel panic - not syncing: kernel: panic_on_warn set ...
"""
INTERRUPTS = """\
[   26.456163] WARNING: HARDIRQ-safe -> HARDIRQ-unsafe lock order detected
[   26.474882] till/1740 [HC0[0]:SC0[0]:HE0:SE1] is trying to acquire:
[   26.482238] 0000000032662ab5 (till_lock){+.+.}, at: till_take+0xb4/0x1a0
[   26.500000] Call Trace:
[   26.501000]  dump_stack+0x194/0x257
[   26.502000]  till_take+0xb4/0x1a0
"""
INDEX = """\
[  272.038351][T207] UBSAN: Undefined behaviour in drivers/till.c:942:56
[  272.039831][T207] index 6380 is out of range for type 's8 [257]'
[  272.044323][T207] Call Trace:
[  272.044324][T207]  dump_stack+0x194/0x257
[  272.044325][T207]  till_color+0xb4/0x1a0
"""

INCONSISTENT = """\
[  447.627237] [ INFO: inconsistent lock state ]
[  447.627253] inconsistent {SOFTIRQ-ON-W} -> {IN-SOFTIRQ-W} usage.
[  447.627260] swapper/0/0 [HC0[0]:SC1[1]:HE1:SE0] takes:
[  447.627264]  (&(&till->lock)->rlock){+.?...}, at: [<f7fdd2d1>] till_tasklet+0x91/0xa7 [till]
[  447.627299] {SOFTIRQ-ON-W} state was registered at:
[  447.627304]   [<c047cdbf>] mark_held_locks+0x59/0x77
[  447.627332]   [<c0439a3d>] till_adjust+0x9e/0xa6
"""
S390 = """\
[16164.389575] WARNING: at /tmp/till.c:11
[16164.389614] Krnl PSW : 0704f00180000000 000003ff8086d03a (till_init+0x3a/0x1000 [till])
[16164.398666] Call Trace:
[16164.398670] ([<000003ff8086d036>] till_init+0x36/0x1000 [till])
[16164.398685]  [<000000000010014e>] do_one_initcall+0xce/0x160
"""
UNLOCKED = """\
[ 1722.511384] [ BUG: bad unlock balance detected! ]
[ 1722.511384] till/21439 is trying to release lock (sk_lock-AF_INET) at:
[ 1722.511384] [<ffffffff83f7ac8b>] till_sendmsg+0x2a3b/0x38a0
"""
HELD = """\
[   40.592858] WARNING: till/6054 still has locks held!
[   40.643559] Call Trace:
[   40.646140]  dump_stack+0x244/0x39d
[   40.658840]  debug_check_no_locks_held+0x10/0x20
[   40.668840]  till_exec+0x10/0x20
"""
STALLED = """\
[  417.725670] rcu: INFO: rcu_sched self-detected stall on CPU
[  417.737083] rcu: RCU grace-period kthread stack dump:
[  417.741712] Call trace:
[  417.744891]  schedule+0x123/0x123
[  417.747210]  rcu_gp_fqs_loop+0x123/0x123
[  417.748498]  rcu_gp_kthread+0x123/0x123
"""
LEAKED = """\
[  90.100000] BUG: memory leak
[  90.100001] unreferenced object 0xffff888113d4b9d0 (size 16):
[  90.100002]   backtrace:
[  90.100003]     [<00000000b1be6cd8>] __kmalloc_track_caller+0x4b/0x170
[  90.100004]     [<00000000b1be6cd9>] kstrdup+0x36/0x70
[  90.100005]     [<00000000b1be6cda>] kvasprintf_const+0x75/0x110
[  90.100006]     [<00000000b1be6cdb>] till_add+0x84/0x1b0
"""
ASKED = """\
[  9.100000] till-db invoked oom-killer: gfp_mask=0x1100cca(GFP_HIGHUSER_MOVABLE), order=0
[  9.100001] CPU: 5 PID: 218 Comm: till-db Not tainted 5.15.0-91-generic #101-Ubuntu
[  9.100002] Call Trace:
[  9.100003]  dump_stack_lvl+0x4a/0x63
[  9.100004]  oom_kill_process.cold+0xb/0x10
[  9.100005]  filemap_fault+0x6a/0x90
[  9.100006] Out of memory: Killed process 302 (indexer) total-vm:18823412kB, anon-rss:14712208kB
"""


FLOWED = """\
[   55.223456] BUG: kernel NULL pointer dereference, address: 0000000000000010 [   55.223460] #PF: x
[   55.223470] Oops: 0000 [#1] [   55.223480] RIP: 0010:till_stop+0x22/0x60 [   55.223490] CR2: 10
"""


@pytest.mark.parametrize(
    "text",
    [
        "out-of-bounds in till_add+0xc/0xfa8 at addr ffff8803f1814460\nWrite of size 8 by task a/1",
        "out-of-bounds in till_add+0xc/0xfa8\nWrite at addr ffff8803f1814460 by task till/1\n",
    ],
)
def test_where_kasan_of_any_age_says_that_the_access_went(tmp_path: Path, text: str) -> None:
    [finding] = read_text(tmp_path, f"BUG: KASAN: {text}").findings
    assert (finding.address, finding.access) == (0xFFFF8803F1814460, "write")


@pytest.mark.parametrize(
    ("text", "category", "function"),
    [
        (ASKED, C.OUT_OF_MEMORY, None),
        (SHADOW.format(index=4), C.NULL_POINTER_DEREFERENCE, "till_delete"),
        (STOPPED, C.ASSERTION_FAILURE, "till_copy"),
        (INTERRUPTED, C.USE_AFTER_FREE, "till_wake"),
        (ORDER, C.DEADLOCK, "till_open"),
        (REFERENCES, C.USE_AFTER_FREE, "till_register"),
        (ARM, C.NULL_POINTER_DEREFERENCE, "till_parse"),
        (
            ARM.replace("page domain fault (0x01b)", "external abort on non-linefetch (0x1008)"),
            C.BUS_ERROR,
            "till_parse",
        ),
        (CUT, C.BUFFER_OVERFLOW, "till_load"),
        (PREEMPTIBLE, C.ASSERTION_FAILURE, "till_init"),
        (STACK_END, C.STACK_OVERFLOW, "till_walk"),
        (BADBEEF, C.WILD_POINTER, "till_deref"),
        (USER, C.WILD_POINTER, "schedule_tail"),
        (CANARY, C.STACK_BUFFER_OVERFLOW, "till_xmit"),
        (BUFFER, C.ASSERTION_FAILURE, "till_acquire"),
        (NEWER, C.ASSERTION_FAILURE, "till_beacon"),
        (INTERRUPTS, C.DEADLOCK, "till_take"),
        (INDEX, C.OUT_OF_BOUNDS_READ, "till_color"),
        (INCONSISTENT, C.DEADLOCK, "till_tasklet"),
        (UNLOCKED, C.ASSERTION_FAILURE, "till_sendmsg"),
        (HELD, C.ASSERTION_FAILURE, "till_exec"),
        (STALLED, C.INFINITE_LOOP, None),
        (LEAKED, C.MEMORY_LEAK, "till_add"),
        (S390, C.ASSERTION_FAILURE, "till_init"),
        (FLOWED, C.NULL_POINTER_DEREFERENCE, "till_stop"),
    ],
)
def test_the_function_that_a_report_is_about(
    tmp_path: Path, text: str, category: C, function: str | None
) -> None:
    read = read_text(tmp_path, text)
    assert (read.category, read.function) == (category, function)


@pytest.mark.parametrize("more", ["", "[  9.100005] oom-kill:constraint=CONSTRAINT_MEMCG,nodemask="
                                  "(null),task=indexer,pid=302,uid=1000\n"])  # fmt: skip
def test_who_was_killed_is_told_and_not_who_asked(tmp_path: Path, more: str) -> None:
    read = read_text(tmp_path, ASKED.replace("[  9.100006]", f"{more}[  9.100006]"))
    assert "Killed process 302 (indexer)" in read.cause
    assert "till-db" not in read.cause
    assert [finding.process for finding in read.findings] == [302]
    leak = experts.verdict(C.MEMORY_LEAK, read.facts)
    assert leak.status is Status.INCONCLUSIVE


@pytest.mark.parametrize(
    ("words", "told"), [("Out of memory", "to get memory back"),
                        ("Memory cgroup out of memory", "of a control group that had reached")],
)  # fmt: skip
def test_a_groups_limit_is_told_from_the_machines_memory(
    tmp_path: Path, words: str, told: str
) -> None:
    assert told in read_text(tmp_path, ASKED.replace("Out of memory", words)).cause


@pytest.mark.parametrize(
    "helper",
    ["strnstr", "memdup_user_nul", "atomic_read", "__local_bh_enable_ip", "osq_lock",
     "create_object", "__rt_mutex_slowlock", "___preempt_schedule", "assertfail.constprop.0",
     "unwind_next_frame.part.7", "msan_get_shadow_origin_ptr"],
)  # fmt: skip
def test_what_helps_others_is_not_what_a_report_is_about(tmp_path: Path, helper: str) -> None:
    text = CANARY.replace("__stack_chk_fail+0x1d/0x30", f"{helper}+0x1d/0x30")
    assert read_text(tmp_path, text).function == "till_xmit"


@pytest.mark.parametrize(
    "words",
    ["[ BUG: lock held when returning to user space! ]", "BUG: rwlock bad magic on CPU#0, till/7",
     "[ BUG: till/7 still has locks held! ]", "[ BUG: held lock freed! ]"],
)  # fmt: skip
def test_what_lockdep_found_is_a_failed_check(tmp_path: Path, words: str) -> None:
    text = HELD.replace("WARNING: till/6054 still has locks held!", words)
    read = read_text(tmp_path, text)
    assert (read.category, read.function) == (C.ASSERTION_FAILURE, "till_exec")


def test_what_the_registers_do_not_say_stays_open(tmp_path: Path) -> None:
    wild = read_text(tmp_path, SHADOW.format(index=0x123456789))
    assert wild.category is None
    assert read_text(tmp_path, TAGS).category is None
    freed = f"{TAGS}[  312.719686] Freed by task 4:\n[  312.729686]  till_drop+0x10/0x90\n"
    assert read_text(tmp_path, freed).category is C.USE_AFTER_FREE


CONDITION = (
    "[ 9.100] WARNING: [late(now, end)] till/drawer.c:33 at till_put+0x44c/0xbc0\n"
    "[ 9.100] Call Trace:\n[ 9.100]  till_put+0x1/0x2\n"
)
SLUB = (
    "[ 9.100] BUG till_coins (Not tainted): {}\n"
    "[ 9.100] INFO: Allocated in till_new+0x28/0x40 age=79 cpu=0 pid=1329\n"
    "[ 9.100]  till_open+0x49/0x53\n"
    "[ 9.100] INFO: Freed in till_drop+0x50/0xb0 age=14 cpu=1 pid=1333\n"
    "[ 9.100]  till_shut+0x9/0x53\n"
)


@pytest.mark.parametrize(
    ("said", "category"),
    [
        ("Poison overwritten", C.USE_AFTER_FREE), ("Redzone overwritten", C.HEAP_BUFFER_OVERFLOW),
        ("Right Redzone overwritten", C.HEAP_BUFFER_OVERFLOW),
        ("Object already free", C.DOUBLE_FREE), ("Freepointer corrupt", C.HEAP_CORRUPTION),
    ],
)  # fmt: skip
def test_what_slub_finds(tmp_path: Path, said: str, category: C) -> None:
    read = read_text(tmp_path, SLUB.format(said))
    assert (read.category, read.function) == (category, None), (
        "neither of its stacks is the writer's"
    )
    assert [role.role for role in read.findings[0].stacks] == ["alloc", "free"]


@pytest.mark.parametrize(
    "said",
    ["BUG: spinlock lockup suspected on CPU#2, till/12636",
     "Kernel panic - not syncing: hung_task: blocked tasks"],
)  # fmt: skip
def test_what_a_watchdog_suspects_is_not_concluded(tmp_path: Path, said: str) -> None:
    read = read_text(
        tmp_path, f"[ 72.159680] {said}\n[ 72.2] Call Trace:\n[ 72.2]  till_open+0x1/2\n"
    )
    assert (len(read.findings), read.category) == (1, None)


@pytest.mark.parametrize(
    ("text", "category", "function"),
    [
        (CONDITION, C.ASSERTION_FAILURE, "till_put"),
        (WARNING, C.ASSERTION_FAILURE, "till_check"),
        (NULL, C.NULL_POINTER_DEREFERENCE, "till_send"),
        (UNLOCK, C.ASSERTION_FAILURE, "till_stop"),
        (LEAK, C.MEMORY_LEAK, "till_create"),
        (OLD, C.ASSERTION_FAILURE, "till_pages"),
        (SLEEP, C.ASSERTION_FAILURE, "till_connect"),
        (SLEEP + WARNING, C.ASSERTION_FAILURE, "till_connect"),
    ],
)
def test_the_first_report_and_its_function(
    tmp_path: Path, text: str, category: C, function: str
) -> None:
    read = read_text(tmp_path, text)
    assert (read.category, read.function) == (category, function)


def test_a_tombstone_as_android_studio_shows_it(tmp_path: Path) -> None:
    lines = (
        "*** *** *** *** *** *** *** *** *** *** *** *** *** *** *** ***",
        "pid: 2201, tid: 2219, name: RenderThread  >>> org.shop.till <<<",
        "signal 11 (SIGSEGV), code 1 (SEGV_MAPERR), fault addr 0x10",
        "backtrace:",
        "  #00 pc 0000000000023d00  /data/app/till/lib/libtill.so (till_count+16)",
    )
    text = "".join(f"2021-05-04 10:11:12.131 812-830/? A/DEBUG: {line}\n" for line in lines)
    read = read_text(tmp_path, text)
    assert read.hosts == ["android"]
    assert (read.category, read.function) == (C.NULL_POINTER_DEREFERENCE, "till_count")


@pytest.mark.parametrize(
    ("address", "error", "category"),
    [
        ("7ffd1c2a8ff8", 6, None),  # a call at sp - 8
        ("7f3a1c2a8ff8", 6, None),  # of a thread, whose stack lies among the mappings
        ("7f3a1c2a8ff8", 4, C.WILD_POINTER),  # a read
        ("7f3a1c2a8ff8", 7, C.WRITE_TO_READ_ONLY_MEMORY),  # a page that is there refuses it
        ("7f3a1c0000f8", 6, C.WILD_POINTER),  # far from sp
    ],
)
def test_a_write_at_the_stack_pointer_may_be_a_stack_that_ran_out(
    tmp_path: Path, address: str, error: int, category: C | None
) -> None:
    pointer = f"{address[:4]}1c2a9000"
    said = f"segfault at {address} ip 000055f0c0de1159 sp {pointer:>016} error {error} in till"
    read = read_text(tmp_path, f"[   12.000001] till[812]: {said}[55f0c0de1000+1000]\n")
    assert read.category is category
    first = proposals(read.facts, set())[0][0]
    assert first.category is (category or C.STACK_OVERFLOW)
    assert category is not None or first.confidence <= 0.5


HUNG = """\
[ 1208.311] INFO: task till:2311 blocked for more than 120 seconds.
[ 1208.314] task:till     state:D stack:0     pid:2311  ppid:1      flags:0x00000002
"""


@pytest.mark.parametrize(
    ("waits", "category", "function"),
    [
        ((), None, None),
        (("schedule", "io_schedule", "bit_wait_io", "__wait_on_bit", "till_flush"),
         C.BLOCKED_ON_IO, "till_flush"),
        (("schedule", "__mutex_lock", "till_flush"), None, None),
        (("schedule", "schedule_timeout", "till_flush"), None, None),
    ],
)  # fmt: skip
def test_a_hung_task_waits_for_what_its_trace_shows(
    tmp_path: Path, waits: tuple[str, ...], category: C | None, function: str | None
) -> None:
    trace = "".join(f"[ 1208.317]  {name}+0x34d/0x9e0\n" for name in waits)
    read = read_text(tmp_path, HUNG + (f"[ 1208.315] Call Trace:\n{trace}" if waits else ""))
    assert read.category is category
    assert category is None or read.function == function


def test_what_a_watchdog_told_is_not_what_ended_the_kernel(tmp_path: Path) -> None:
    text = f"{HUNG}[ 1208.317]  io_schedule+0x34d/0x9e0\n[ 4411.2] divide error: 0000 [#1] SMP\n"
    assert read_text(tmp_path, text).category is C.DIVIDE_BY_ZERO


REPORTED = "[ 9.100]  [<ffffffff81d94b69>] dump_stack+0xc1/0x128\n"
REPORTED += "[ 9.100]  [<ffffffff8153e49e>] kasan_report+0x15e/0x360\n"
COUNTED = (
    "[ 9.100] ------------[ cut here ]------------\n[ 9.100] refcount_t: {}; use-after-free.\n"
    "[ 9.100] WARNING: CPU: 0 PID: 6540 at lib/refcount.c:25 refcount_warn_saturate+0x169/0x1e0\n"
    "[ 9.100] Call Trace:\n[ 9.100]  till_put+0x12/0x40\n[ 9.100]  do_syscall_64+0x35/0xb0\n"
)


@pytest.mark.parametrize(
    ("text", "category"),
    [
        ("[ 9.100] BUG: KASAN: wild-memory-access in till_put+0xe5c/0x1440\n[ 9.100] Read of size "
         f"8 at addr ffe70873f7f2b000 by task till/13133\n[ 9.100] Call Trace:\n{REPORTED}",
         C.WILD_POINTER),
        (COUNTED.format("addition on 0"), C.USE_AFTER_FREE),
        (COUNTED.format("underflow"), C.USE_AFTER_FREE),
    ],
)  # fmt: skip
def test_no_frame_of_what_reports_or_of_a_systems_call(
    tmp_path: Path, text: str, category: C
) -> None:
    read = read_text(tmp_path, text)
    assert (read.category, read.function) == (category, "till_put")
