"""Outputs of debuggers and of our own reader, shortened, for the commands that they answer."""
# ruff: noqa: E501  (lines stand here as they are printed)

GDB = {
    "bt full": """\
#0  0x000000000040113a in second (r=0x7ffd5c3a1e90) at /src/row.c:4
No locals.
#1  0x0000000000401165 in first () at /src/row.c:5
        r = {id = 1, next = 0x0}
        depth = 17
#2  <signal handler called>
No symbol table info available.
#3  std::function<int (int)>::operator()(int) const (this=0x7ffd5c3a1f00, __args#0=3) at /usr/include/c++/12/bits/std_function.h:591
#4  0x00007f3a9c2456ca in ?? () from /lib/x86_64-linux-gnu/libc.so.6
#5  0x0000000000401040 in <alloc::vec::Vec<T,A> as core::ops::index::Index<I>>::index (self=0x1, index=9)
(More stack frames follow...)
""",
    "info threads": """\
  Id   Target Id                                   Frame
* 1    Thread 0x7f3a9c1fe740 (LWP 6109) "till"     0x00007f3a9c2fb3f4 in futex_wait (private=0, expected=2, futex_word=0x404060 <ledger>) at ../sysdeps/nptl/futex-internal.h:146
  2    Thread 0x7f3a9bdfd6c0 (LWP 6110) "pool (1)" __lll_lock_wait (futex=futex@entry=0x4040a0 <drawer>, private=0) at ./nptl/lowlevellock.c:49
  3    LWP 6111                                    0x00007f3a9c31a5a9 in poll () from /lib/x86_64-linux-gnu/libc.so.6
""",
    "info registers": """\
rax            0x0                 0
rbx            0x7ffd5c3a2018      140726155190296
rip            0x40113a            0x40113a <second+12>
eflags         0x10246             [ PF ZF IF RF ]
k0             0x0                 0
""",
    "thread apply all -q info registers rip": """\

Thread 2 (Thread 0x7f3a9bdfd6c0 (LWP 6110)):
rip            0x7f3a9c2fb3f4      0x7f3a9c2fb3f4 <futex_wait+196>

Thread 1 (Thread 0x7f3a9c1fe740 (LWP 6109)):
rip            0x40113a            0x40113a <second+12>
""",
    "frame apply level 0 maint info blocks": """\
#0  find (list=<optimized out>) at /src/list.c:30
Blocks at 0x401080:
  from objfile: [(objfile *) 0x555569d337d0] /src/list

[(block *) 0x55556a05cf20] 0x401080..0x401379
  entry pc: 0x401320
  is static block
  symbol count: 15
  address ranges:
    0x401320..0x401379
    0x401080..0x401089
[(block *) 0x55556a05ce40] 0x401080..0x401379
  entry pc: 0x401320
  function: count(list const*)
  symbol count: 3
  address ranges:
    0x401320..0x401379
    0x401080..0x401089
[(block *) 0x55556a05cd50] 0x401080..0x401379
  entry pc: 0x40132e
  inline function: find
  symbol count: 3
  address ranges:
    0x40132e..0x401364
    0x401080..0x401081
""",
    "frame apply level 1 -q whatis c->peer": """\
type = struct peer *
""",
    "frame apply level 1 -q ptype /o *((struct conn *) 0)": """\
/* offset      |    size */  type = struct conn {
/*      0      |       8 */    struct peer *peer;
/*      8      |       4 */    int fd;
/*     12      |       8 */    struct {
/*     12      |       4 */        int a;
/*     16      |       4 */        int b;

                                   /* total size (bytes):    8 */
                               } pair;
/* XXX  4-byte hole      */
/*     24      |       8 */    void (*on)(int);
/*     32      |       3 */    char tail[3];
/* XXX  5-byte padding   */

                               /* total size (bytes):   40 */
                             }
""",
    "frame apply level 0 -q ptype /o *at": """\
/* offset      |    size */  type = struct list::Node {
/*      0      |       8 */    next: *mut list::Node,
/*      8      |       4 */    value: u32,
/* XXX  4-byte padding   */

                               /* total size (bytes):   16 */
                             }
""",
    "frame apply level 1 -q info locals": """\
r = {id = 1, next = 0x0}
names = {"ann", "bob"}
depth = 17
""",
    "list *0x40113a": """\
0x40113a is in second (/src/row.c:4).
2\tstruct row { int id; struct row *next; };
3\t
4\tint second(struct row *r) { return r->next->id; }
""",
    "frame function first": """\
#1  0x0000000000401165 in first () at /src/row.c:5
5\tint first(void) { struct row r = {1, NULL}; return second(&r); }
""",
    "p *(pthread_mutex_t *) 0x404060": """\
$1 = {
  __data = {
    __lock = 2,
    __count = 0,
    __owner = 6110,
    __nusers = 1,
    __kind = 0
  },
  __size = "\\002\\000\\000\\000\\000\\000\\000\\000\\336\\027"
}
""",
    "p ledger": """\
$2 = {<std::__mutex_base> = {_M_mutex = {Type = Normal, Status = Acquired, possibly with waiters, Owner ID = 6110, Robust = No, Shared = No, Protocol = None}}, <No data fields>}
""",
    "info locals": """\
mine = {
  a = 0,
  d = {
    b = 2,
    c = "abc"
  }
}
rows = {{
    a = 1
  }, {
    a = 2
  }}
ret = 0\t<pthread_kill.c:43>
""",
    "p gate": """\
$1 = {
  __data = {
    __readers = 11,
    __writers = 0,
    __wrphase_futex = 3,
    __writers_futex = 1,
    __cur_writer = 13540,
    __shared = 0
  },
  __align = 11
}
""",
    "info proc mappings": """\
process 16016
Mapped address spaces:

          Start Addr           End Addr       Size     Offset  Perms  objfile
      0x555555554000     0x555555555000     0x1000        0x0  r--p   /srv/till/till
      0x555555555000     0x555555556000     0x1000     0x1000  r-xp   /srv/till/till
      0x555555556000     0x555555577000    0x21000        0x0  rw-p   [heap]
      0x7ffff7dd1000     0x7ffff7dd4000     0x3000        0x0  rw-p
      0x7ffff7dd4000     0x7ffff7dfa000    0x26000        0x0  r--p   /usr/lib/libc.so.6
      0x7ffff7dfa000     0x7ffff7f50000   0x156000    0x26000  r-xp   /usr/lib/libc.so.6
      0x7ffff7f50000     0x7ffff7f51000     0x1000        0x0  r--s   /srv/till/prices.dat
      0x7ffff7fc8000     0x7ffff7fca000     0x2000        0x0  r-xp   [vdso]
      0x7ffffffde000     0x7ffffffff000    0x21000        0x0  rw-p   [stack]
""",
    "info sharedlibrary": """\
From                To                  Syms Read   Shared Object Library
0x00007f311cdbf000  0x00007f311cfa1000  Yes         /lib/x86_64-linux-gnu/libc.so.6
0x00007f311cfb5000  0x00007f311cfea000  Yes (*)     /lib64/ld-linux-x86-64.so.2
0x00007f311d000000  0x00007f311d002000  No          /srv/till/libcoin.so
0x00007f311cde5380  0x00007f311cf3922d  Yes         /lib/libm.so.6
                                        No          linux-vdso.so.1
(*): Shared library is missing debugging information.
""",
}
LLDB = {
    "thread list": """\
Process 2883 stopped
* thread #1: tid = 2883, 0x0000558e755e8150 prog`inner(count=1, node=0x0000000000000000) at prog.c:7:84, name = 'main', stop reason = signal SIGSEGV
  thread #2: tid = 0x0b44, 0x00007efdd68a25a9 libc.so.6`__poll + 9, name = 'pool (1)'
""",
    "register read": """\
General Purpose Registers:
       rax = 0x0000000000000000
       rip = 0x0000558e755e8150  prog`inner + 23 at prog.c:7:84
       rsp = 0x00007ffc86f0d9a0
20 registers were unavailable.
""",
    "frame variable": """\
(int) count = 1
(node_t *) node = 0x0000000000000000
(char[4]) name = "abc"
(std::vector<int, std::allocator<int> >) rows = size=2 {
  [0] = 4
}
""",
    "frame select 0": """\
frame #0: 0x0000558e755e8150 prog`inner(count=1, node=0x0000000000000000) at prog.c:7:84
   5   \t
   6   \tint inner(int count, node_t *node) {
-> 7   \t  return count + node->value;
   8   \t}
""",
    "memory region --all": """\
[0x0000000000000000-0x0000555555554000) ---
[0x0000555555554000-0x0000555555555000) r-- /srv/till/till PT_LOAD[0]
[0x0000555555555000-0x0000555555556000) r-x /srv/till/till PT_LOAD[1]
[0x0000555555556000-0x00007ffff7dd1000) ---
[0x00007ffff7dd1000-0x00007ffff7dd4000) rw-
[0x00007ffff7fc8000-0x00007ffff7fca000) r-x [vdso] PT_LOAD[0]
[0x00007ffffffde000-0x00007ffffffff000) rw- [stack]
[0x00007ffffffff000-0xffffffffffffffff) ---
""",
    "thread backtrace unique": """\
1 thread(s) #1
       frame #0: 0x00007f4481245eec libc.so.6`__pthread_kill_implementation at pthread_kill.c:44:76
4 thread(s) #2 #3 #4 #5
       frame #0: 0x00007f448128a545 libc.so.6`__clock_nanosleep at clock_nanosleep.c:48:7
       frame #1: 0x00005581e11bf16f till`pool_run at pool.c:4:19
""",
    "image list": """\
[  0] E72FF5E4-0255-C3C5-7183-B3435FA1D119-6B7A0C7C 0x0000563201e87000 /srv/till/till
[  1] E95BAAEA-EC85-34ED-C5DF-3654182DDF12-B19D9B23 0x00007f311cfb3000 [vdso] (0x00007f311cfb3000)
[  2] D5960AE7 0x00007f311cfb3000 linux-vdso.so.1 (0x00007f311cfb3000)
[  3] 93AC61EC-5A8E-B139-6F9F-BD350E3169A5-58528A40 0x00007f311cdbf000 /lib/libc.so.6
      /usr/lib/debug/.build-id/93/ac61ec.debug
""",
    "thread backtrace": """\
* thread #1, name = 'prog', stop reason = signal SIGSEGV: address not mapped to object (fault address: 0x0)
  * frame #0: 0x0000558e755e8150 prog`inner(count=1, node=0x0000000000000000) at prog.c:7:84 [opt] [inlined]
    frame #1: 0x0000558e755e8150 prog`std::function<int (int)>::operator()(this=0x00007ffc, __args#0=3) const at std_function.h:591:9
    frame #2: 0x00007efdd682224a libc.so.6`___lldb_unnamed_symbol_271d0 + 122
    frame #3: 0x00007efdd6822305 libc.so.6`__libc_start_main + 133
    frame #4: 0x0000000000000000
""",
}
PROBES = {
    "@loop 41": """\
thread 41: goes round without an end from 0x40117a (file find r-x, find+0x18): registers and memory are the same again after 16 instructions between 0x401160 and 0x4011de
thread 41: the round reads 0x404050 (file find rw-), the variable ready
thread 41: the round reads 0x4052a8 (heap rw-), no variable with a name
""",
    "@loop 42": """\
thread 42: no way leads out from 0x40117a (file find r-x, sum+0x21): the 6 instructions that can follow lie from 0x401146 to 0x40115e; none of them returns, and none enters the kernel
""",
    "@loop 43": """\
thread 43: followed for 12 instructions from 0x40117a, not past syscall
""",
    "@threads": """\
thread 6544 name main
frame 0: 0x7ff8854cd0f4: NtWaitForSingleObject in ntdll.dll at offset 0x9d0f4
frame 1: 0x7ff8854a1b33 at 0xc1f2d6f8a8: RtlpWaitOnCriticalSection in ntdll.dll at offset 0x71b33
frame 2: 0x7ff6a1b2113c at 0xc1f2d6f8e0: a place in no symbol
thread 6800
frame 0: 0x7ff8854cd5f4: NtDelayExecution in ntdll.dll at offset 0x9d5f4
""",
    "@monitors": """\
sync table 0x7f2b70001000: 3 entries
monitor 2: object 0x7f2b64012340, held by thread 9175 (0x23d7), the runtime's thread 0x55d0c0a1b2c0, recursion 1, 2 waiters, lock word 0x80000005
monitor 3: object 0x7f2b64012380, not held, recursion 0, 0 waiters, lock word 0x80000001
""",
    "@stop": """\
signal: SIGSEGV, address not mapped to object (line 12 of the log)
fault address: 0x10 (line 12 of the log)
pc: 0x55555555513e (line 14 of the log)
instruction: mov eax, dword ptr [rax + 0x10] (line 20 of the log)
access: read at 0x10 through [rax + 0x10]
register: rax = 0x0 (line 31 of the log)
""",
    "@reported": """\
thread 9179: errno at 0x7fcd31caa670 is 2 (ENOENT): No such file or directory
loader message at 0x7fcd31caa700: undefined symbol: till_open about /srv/app/libtill.so
""",
}
VALGRIND = """\
==4711== Memcheck, a memory error detector
==4711== Command: ./till
==4711==
==4711== Invalid read of size 4
==4711==    at 0x109188: take (till.c:9)
==4711==    by 0x1091C3: main (till.c:21)
==4711==  Address 0x4a47048 is 8 bytes inside a block of size 16 free'd
==4711==    at 0x484317B: free (in /usr/libexec/valgrind/vgpreload_memcheck-amd64-linux.so)
==4711==    by 0x1091B7: main (till.c:20)
==4711==  Block was alloc'd at
==4711==    at 0x4840808: malloc (in /usr/libexec/valgrind/vgpreload_memcheck-amd64-linux.so)
==4711==    by 0x109197: main (till.c:18)
==4711==
==4711== ERROR SUMMARY: 1 errors from 1 contexts (suppressed: 0 from 0)
"""
