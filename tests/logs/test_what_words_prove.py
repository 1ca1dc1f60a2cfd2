"""What a tool's words prove, and what they only resemble: that concludes nothing."""

from pathlib import Path

import pytest

from tests.logs.reading import read_text
from workbench.model.category import Category as C

ASAN = "=================================================================\n==7==ERROR: "
STACK = "    #0 0x5581 in pack /src/pack.c:31:9\n    #1 0x5592 in main /src/main.c:8:3\n\n"
VALGRIND = "==81== Memcheck, a memory error detector\n"
AT = "==81==    at 0x10918E: trim (trim.c:12)\n==81==    by 0x1091C0: main (trim.c:30)\n"


def asan(words: str, access: str = "", tool: str = "AddressSanitizer") -> str:
    return f"{ASAN}{tool}: {words}\n{access}{STACK}SUMMARY: {tool}: x /src/pack.c:31:9 in pack\n"


def ubsan(words: str) -> str:
    return f"src/row.c:40:12: runtime error: {words}\n    #0 0x55 in row_get /src/row.c:40:12\n"


def dumped(function: str) -> str:
    return (
        "Operating system: Linux\nCPU: amd64\nCrash reason:  SIGABRT\nCrash address: 0x3e800001\n\n"
        "Thread 0 (crashed)\n 0  libc.so.6!abort [abort.c : 79 + 0x5]\n"
        " 1  libc.so.6!__fortify_fail [fortify_fail.c : 26 + 0x7]\n"
        f" 2  libc.so.6!{function}\n 3  till!pay [pay.c : 21 + 0xd]\n\n"
    )


def tombstone(words: str) -> str:
    return (
        f"{'*** ' * 16}\nABI: 'arm64'\npid: 8123, tid: 8150, name: worker  >>> com.till <<<\n"
        f"signal 6 (SIGABRT), code -1 (SI_QUEUE), fault addr --------\nAbort message: '{words}'\n"
        "backtrace:\n      #00 pc 0000000000089b0c  /apex/lib64/bionic/libc.so (abort+164)\n"
        "      #01 pc 0000000000012345  /data/app/lib/arm64/libtill.so (Till::pay(int)+20)\n"
    )


def stopped(signal: str, instruction: str, *functions: str) -> str:
    at = instruction.partition(" ")[0]
    frames = "".join(f"#{n}  {at} in {f}\n" for n, f in enumerate(functions))
    return (
        f"Program received signal {signal}.\n(gdb) bt\n{frames}(gdb) x/i $pc\n=> {instruction}\n"
        "(gdb) info registers rdi\nrdi            0x0                 0\n"
    )


MALLOC = "_int_malloc (av=0x7ffff7dd1b20 <main_arena>, bytes=32) at malloc.c:3802"
FREE = "_int_free (av=0x7ffff7dd1b20 <main_arena>, p=0x7ffe90, have_lock=0) at malloc.c:4583"
LOAD = "0x7ffff7a8e2e1 <_int_malloc+753>:\tmov    0x8(%rdi),%rdx"
WAITS = "__lll_lock_wait (futex=0x564bbf59b060 <m>, private=0) at lowlevellock.c:49"


def grind(words: str, note: str) -> str:
    return f"{VALGRIND}==81== {words}\n{AT}==81==  {note}\n{AT.replace('trim', 'take')}==81== \n"


@pytest.mark.parametrize(
    ("text", "category"),
    [
        # Within its own block: no block's end was left.
        (asan("container-overflow on address 0x61 at pc 0x5", "WRITE of size 8 at 0x61\n"),
         C.OUT_OF_BOUNDS_WRITE),
        (asan("container-overflow on address 0x61 at pc 0x5", "READ of size 4 at 0x61\n"),
         C.OUT_OF_BOUNDS_READ),
        (asan("intra-object-overflow on address 0x61 at pc 0x5", "WRITE of size 1 at 0x61\n"),
         C.OUT_OF_BOUNDS_WRITE),
        # An argument that is wrong is no access past an end.
        (asan("strcpy-param-overlap: memory ranges [0x50,0x59) and [0x54, 0x5d) overlap"), None),
        (asan("memmove-param-overlap: memory ranges [0x5,0x6) and [0x5, 0x6) overlap"), None),
        (asan("negative-size-param: (size=-3)"), None),
        (grind("Source and destination overlap in strncpy(0x1ffe, 0x1ff8, 9)", ""), None),
        (grind("Argument 'size' of function malloc has a fishy (possibly negative) value: -4", ""),
         None),
        # What the program poisoned itself need not be freed; a slow input need not loop.
        (asan("use-after-poison on address 0x61 at pc 0x5", "READ of size 4 at 0x61\n"), None),
        (asan("double-fetch on address 0x61 at pc 0x5", "READ of size 4 at 0x61\n"), None),
        (asan("timeout after 26 seconds", tool="libFuzzer"), None),
        # An address that none was, or that may be a number; a division may overflow as well.
        (asan("SEGV on unknown address 0x000000000000 (pc 0x5581a0)",
              "==7==The signal is caused by a UNKNOWN memory access.\n"), None),
        (asan("SEGV on unknown address 0x000000000ffc (pc 0x5581a0)"), C.NULL_POINTER_DEREFERENCE),
        (asan("SEGV on unknown address 0x000000001388 (pc 0x5581a0)"), None),
        (asan("SEGV on unknown address 0x6b6b6b6b (pc 0x5581a0)"), C.WILD_POINTER),
        ("[ 12.5] traps: calc[22] trap divide error ip:55d4a3c1f1aa sp:7ffc1f2ad390 error:0 in "
         "calc[55d4a3c1f000+1000]\n", None),
        # malloc(3) that fails by itself had its data damaged; free(3) may have been given anything.
        (stopped("SIGSEGV, Segmentation fault", LOAD, MALLOC, "add (t=0x603010) at rows.c:44"),
         C.HEAP_CORRUPTION),
        (stopped("SIGSEGV, Segmentation fault", LOAD, FREE, "shut (t=0x603010) at rows.c:44"),
         None),
        # raise(3) of another signal, whose handler waited when SIGABRT came.
        (stopped("SIGABRT, Aborted", "0x7ffff7a8e2e1 <__lll_lock_wait+43>:\tcmp    $0x0,%rax",
                 WAITS, "tick (s=10) at till.c:5", "<signal handler called>",
                 "__GI_raise (sig=10) at raise.c:26", "main () at till.c:6"), None),
        # What throws std::bad_alloc for a length that no array has (bits/new_allocator.h).
        (stopped("SIGABRT, Aborted", "0x7ffff7a8e2e1 <raise+43>:\tmov    %eax,%ebp",
                 "raise (sig=6) at raise.c:26", "abort () at abort.c:79", "std::terminate ()",
                 "__cxa_throw ()", "std::__throw_bad_alloc ()", "main () at till.c:6"),
         C.UNCAUGHT_EXCEPTION),
        # Who has an exception in hand: GCC's search, clang's landing pad, libdispatch's handler of
        # all; who need not: a rethrow, the end of a thread that is cancelled, the program.
        *((stopped("SIGABRT, Aborted", "0x7ffff7a8e2e1 <raise+43>:\tmov    %eax,%ebp",
                   "raise (sig=6) at raise.c:26", "abort () at abort.c:79", "std::terminate ()",
                   *callers, "main () at till.c:6"), category)
          for callers, category in (
              (["__gxx_personality_v0 ()", "_Unwind_Resume ()"], C.UNCAUGHT_EXCEPTION),
              (["__clang_call_terminate ()"], C.UNCAUGHT_EXCEPTION),
              (["_dispatch_client_callout ()"], C.UNCAUGHT_EXCEPTION),
              (["std::rethrow_exception ()"], C.UNCAUGHT_EXCEPTION),
              (["__cxa_rethrow ()"], None),
              (["__gxx_personality_v0 ()", "_Unwind_ForcedUnwind ()"], C.STD_TERMINATE),
              ([], C.STD_TERMINATE))),
        # gfortran's words for whatever the processor traps on, as -ffpe-trap has it.
        ("Program received signal SIGFPE: Floating-point exception - erroneous arithmetic "
         "operation.\n\nBacktrace for this error:\n#0  0x7f4d45c6726f in ???\n", None),
        # gdb's own assertion, below what it looked at.
        ("/build/gdb/findvar.c:290: internal-error: value_of_register_lazy: Assertion "
         "`frame_id_p (get_frame_id (frame))' failed.\n", None),
        # Where no code is at the faulting instruction the call failed.
        *((f"Crash reason:  SIGSEGV /SEGV_MAPERR\nCrash address: {at}\n\nThread 0 (crashed)\n"
           f" 0  {at}\n 1  till!count() [till.cc : 7 + 0x5]\n", category)
          for at, category in (("0x0", C.NULL_FUNCTION_POINTER_CALL),
                               ("0x31002010", C.WILD_POINTER))),
        # Code of a program whose address is six letters by chance: the loader chose it.
        (stopped("SIGSEGV, Segmentation fault",
                 "0x564050287139 <same+16>:\tmov    %edx,0x24(%rdi)", "same () at a.c:2"),
         C.NULL_POINTER_DEREFERENCE),
        # raise(3): no instruction divided. libbacktrace names glibc's sources without "./".
        (asan("FPE on unknown address 0x00000000638f (pc 0x7fa173)").replace(
            STACK, "    #0 0x7fa1 in __pthread_kill_implementation nptl/pthread_kill.c:44\n"
            "    #1 0x7fa2 in __GI_raise ../sysdeps/posix/raise.c:26\n" + STACK), None),
        # An object of another class, and one of none.
        (ubsan("member call on address 0x603000000040 which does not point to an object of type "
               "'B'\n0x603000000040: note: object is of type 'C'"), C.TYPE_CONFUSION),
        (ubsan("member call on address 0x603000000040 which does not point to an object of type "
               "'B'\n0x603000000040: note: object has invalid vptr"), None),
        # What allocators fill freed memory with; a letter, as a program may write it.
        (asan("SEGV on unknown address 0xe5e5e5e5e5e5e5ed (pc 0x5581a0)"), C.USE_AFTER_FREE),
        (asan("SEGV on unknown address 0x5a5a5a5a5a5a5a62 (pc 0x5581a0)"), C.WILD_POINTER),
        # A write beside the code that ran; one that ran off the end of what may be written.
        (asan("SEGV on unknown address 0x559eba43c064 (pc 0x559eba43b1a9)",
              "==7==The signal is caused by a WRITE memory access.\n"),
         C.WRITE_TO_READ_ONLY_MEMORY),
        (asan("SEGV on unknown address 0x559eba43f000 (pc 0x559eba43b1a9)",
              "==7==The signal is caused by a WRITE memory access.\n"), None),
        (asan("SEGV on unknown address 0x559eba43effc (pc 0x559eba43b1a9)",
              "==7==The signal is caused by a WRITE memory access.\n"), C.WILD_POINTER),
        ("[ 12.5] till[22]: segfault at 7f5512a4c0f4 ip 000055d4a3c1f1aa sp 00007ffc1f2ad390 error "
         "7 in till[55d4a3c1f000+1000]\n", C.WRITE_TO_READ_ONLY_MEMORY),
        # A call of a number that is no null, and of one.
        (asan("SEGV on unknown address 0x0000000001e2 (pc 0x0000000001e2)"), C.WILD_POINTER),
        (asan("SEGV on unknown address 0x000000000000 (pc 0x000000000000)"),
         C.NULL_FUNCTION_POINTER_CALL),
        # No division of integers.
        (stopped("SIGFPE, Arithmetic exception",
                 "0x55c3fb0fe15c <third+19>:\tdivsd  -0x10(%rbp),%xmm0",
                 "third (a=1, b=3) at a.c:5\n5\treturn a / b;"), None),
        # What _FORTIFY_SOURCE checks is not always a buffer's size.
        (dumped("__chk_fail"), C.BUFFER_OVERFLOW),
        (dumped("__fdelt_warn"), C.BUFFER_OVERFLOW),
        (dumped("____longjmp_chk"), C.EXPLICIT_ABORT),
        (dumped("___vfprintf_chk"), C.EXPLICIT_ABORT),
        *((tombstone(f"FORTIFY: {words}"), category) for words, category in (
            ("memcpy: prevented 10-byte write into 5-byte buffer", C.BUFFER_OVERFLOW),
            ("FD_SET: file descriptor 1024 >= FD_SETSIZE 128", C.BUFFER_OVERFLOW),
            ("strlen: detected read past end of buffer", C.OUT_OF_BOUNDS_READ),
            ("memchr: prevented 9-byte read from 8-byte buffer", C.OUT_OF_BOUNDS_READ),
            ("fclose: null FILE*", C.NULL_POINTER_DEREFERENCE),
            ("ZOOM: called with invalid mask 9", C.ASSERTION_FAILURE),
            ("%n not allowed on Android", C.ASSERTION_FAILURE),
            ("open: called with O_CREAT/O_TMPFILE but no mode", C.ASSERTION_FAILURE))),
        # A size that no array has is no lack of memory; of LLVM's own errors some are one.
        ("forrtl: severe (179): Cannot allocate array - overflow on array size calculation.\n"
         "Image PC Routine Line Source\n", C.INTEGER_OVERFLOW),
        ("LLVM ERROR: out of memory\nAllocation failed\n", C.OUT_OF_MEMORY),
        ("LLVM ERROR: Cannot select: intrinsic\n", C.EXPLICIT_ABORT),
        # A header that fits no checksum may be none: what was freed was no chunk.
        (tombstone("Scudo ERROR: corrupted chunk header at address 0x7a12").replace(
            "      #01",
            f"      #01 pc {1:016x}  /apex/lib64/bionic/libc.so (scudo::die()+8)\\n      #02"),
         None),
        # Limits that are none of memory, and ends that are no exception.
        ("PHP Fatal error:  Maximum execution time of 30 seconds exceeded in /srv/a.php on line "
         "4\n", None),
        ("PHP Fatal error:  Maximum function nesting level of '256' reached, aborting! in "
         "/srv/a.php on line 4\n", C.STACK_OVERFLOW),
        ("=erl_crash_dump:0.5\nSlogan: Runtime terminating during boot ({system_limit,[]})\n",
         C.EXPLICIT_ABORT),
        *((f'Exception in thread "main" java.lang.{words}\n\tat till.Till.main(Till.java:10)\n',
           category)
          for words, category in (
              ("UnsatisfiedLinkError: 'int till.Native.add(int, int)'", C.MISSING_METHOD),
              ("UnsatisfiedLinkError: till.Native.add(II)I", C.MISSING_METHOD),
              ("UnsatisfiedLinkError: no till in java.library.path", C.LIBRARY_LOAD_FAILURE),
              ("UnsatisfiedLinkError: /x/a.so: wrong ELF class: ELFCLASS32 (32 bit)",
               C.LIBRARY_LOAD_FAILURE),
              ("NoClassDefFoundError: Could not initialize class till.Conf", C.UNCAUGHT_EXCEPTION),
              ("NoClassDefFoundError: till/Conf", C.LIBRARY_LOAD_FAILURE))),
        ('Traceback (most recent call last):\n  File "/srv/a.py", line 3, in <module>\n    grow()\n'
         "MemoryError: Unable to allocate 728. TiB for an array with shape (9,)\n", None),
        # A size in front of a pointer that malloc may never have given out.
        ("free(): invalid size\nAborted (core dumped)\n", None),
        ("malloc(): invalid size (unsorted)\nAborted (core dumped)\n", C.HEAP_CORRUPTION),
        ("free(): invalid next size (fast)\nAborted (core dumped)\n", C.HEAP_CORRUPTION),
        # Zephyr's "stack check" is a failed access or a canary.
        ("os: ***** MPU FAULT *****\nos: >>> ZEPHYR FATAL ERROR 2: Stack overflow on CPU 0\n",
         C.STACK_OVERFLOW),
        ("os: >>> ZEPHYR FATAL ERROR 2: Stack overflow on CPU 0\n", None),
        # What a program says is no word of its runtime's.
        ('Exception in thread "main" java.lang.IllegalStateException: no OutOfMemoryError here\n'
         "\tat till.Till.main(Till.java:10)\n", C.UNCAUGHT_EXCEPTION),
        ("Uncaught TypeError: cannot read 'JavaScript heap out of memory'\n"
         "    at load (/srv/app/index.js:10:5)\n\nNode.js v18.0.0\n", C.UNCAUGHT_EXCEPTION),
        ("thread 'main' panicked at src/main.rs:4:9:\nrow 7: attempt to divide by zero\n", C.PANIC),
        ("thread 'main' panicked at src/main.rs:4:9:\nattempt to divide by zero\n",
         C.DIVIDE_BY_ZERO),
        # A size that no memory has.
        (asan("requested allocation size 0xfffffffffffffff0 (0x7f8 after adjustments) exceeds "
              "maximum supported size of 0x10000000000 (thread T0)"), None),
        (asan("requested allocation size 0xc000000000 exceeds maximum supported size of "
              "0x8000000000 (thread T0)"), C.OUT_OF_MEMORY),
        ("memory allocation of 9223372036854775807 bytes failed\n", None),
        ("panic: runtime error: makeslice: len out of range\n\ngoroutine 1 [running]:\n"
         "main.grow(...)\n\t/src/grow.go:14\nmain.main()\n\t/src/grow.go:20 +0x1d\n", C.PANIC),
        (asan("calloc parameters overflow: count * size (4294967296 * 8589934592) cannot be "
              "represented in type size_t (thread T0)"), C.INTEGER_OVERFLOW),
        # What is the tool's own matter.
        ("AddressSanitizer CHECK failed: ../asan_poisoning.cpp:39 \"((AddrIsInMem(addr))) != (0)\" "
         "(0x0, 0x0)\n" + STACK, None),
        ("AddressSanitizer CHECK failed: ../sanitizer_common.cpp:61 \"((0 && \"unable to mmap\")) "
         "!= (0)\" (0x0, 0x0)\n" + STACK, None),
        (asan("failed to allocate 0x200000 (2097152) bytes of SizeClassAllocator64 (error code: 12)"
              ), C.OUT_OF_MEMORY),
        # ThreadSanitizer's other words.
        ("==================\nWARNING: ThreadSanitizer: thread leak (pid=4)\n  Thread T1 'pump' "
         "(tid=5, finished) created by main thread at:\n" + STACK, None),
        # UBSan: arithmetic and arguments are no access, and an index does not say which access.
        (ubsan("applying non-zero offset 24 to null pointer"), None),
        (ubsan("applying zero offset to null pointer"), None),
        (ubsan("null pointer passed as argument 2, which is declared to never be null"), None),
        (ubsan("applying non-zero offset to non-null pointer 0x6 produced null pointer"), None),
        (ubsan("member access within null pointer of type 'struct row'"),
         C.NULL_POINTER_DEREFERENCE),
        (ubsan("store to null pointer of type 'int'"), C.NULL_POINTER_DEREFERENCE),
        (ubsan("index -2 out of bounds for type 'int [9]'"), C.BUFFER_OVERFLOW),
        (ubsan("assumption is violated during execution"), None),
        (ubsan("execution reached an unreachable program point"), None),
        (ubsan("load of value 96, which is not a valid value for type 'bool'"), None),
        # valgrind's note says what stood at the address.
        (grind("Invalid free() / delete / delete[] / realloc()",
               "Address 0x1ffefff is 8 bytes inside a block of size 24 alloc'd"), C.INVALID_FREE),
        (grind("Invalid free() / delete / delete[] / realloc()",
               "Address 0x4a2 is not stack'd, malloc'd or (recently) free'd"), C.INVALID_FREE),
        (grind("Invalid free() / delete / delete[] / realloc()",
               "Address 0x4a2 is 4 bytes inside a block of size 1,024 free'd"), C.INVALID_FREE),
        (grind("Invalid free() / delete / delete[] / realloc()",
               "Address 0x4a2 is 0 bytes inside a block of size 1,024 free'd"), C.DOUBLE_FREE),
        (grind("Invalid write of size 4",
               "Address 0x4a2 is 0 bytes inside a block of size 1,024 free'd"), C.USE_AFTER_FREE),
        (grind("Invalid read of size 4",
               "Address 0x4a2 is 12 bytes after a block of size 8 free'd"), None),
        (grind("Invalid read of size 4",
               "Address 0x4a2 is 1,021 bytes inside a block of size 1,024 alloc'd"),
         C.HEAP_BUFFER_OVERFLOW),
        (grind("Invalid read of size 4",
               "Address 0x4a2 is 1,020 bytes inside a block of size 1,024 alloc'd"), None),
        (grind("Invalid read of size 4", "Block was alloc'd at"), None),
        # As trackers show it, without runs of blanks.
        (grind("Invalid read of size 4",
               "Address 0x4a2 is 0 bytes inside a block of size 16 free'd").replace("  ", ""),
         C.USE_AFTER_FREE),
        (grind("Invalid read of size 4",
               "Address 0x4a2 is 16 bytes before an unallocated block of size 4,096 in arena "
               '"client"'), None),
        (grind("Syscall param write(buf) points to unaddressable byte(s)",
               "Address 0x4a2 is 0 bytes after a block of size 8 alloc'd"),
         C.HEAP_BUFFER_OVERFLOW),
        (grind("Syscall param read(buf) points to unaddressable byte(s)",
               "Address 0x4a2 is 3 bytes inside a block of size 8 free'd"), C.USE_AFTER_FREE),
    ],
)  # fmt: skip
def test_what_words_prove(tmp_path: Path, text: str, category: C | None) -> None:
    assert read_text(tmp_path, text).category is category


UNDEFINED = "src/row.c:9:2: runtime error: signed integer overflow: 2147483647 + 1 cannot be "
UNDEFINED += "represented in type 'int'\n    #0 0x55 in tally /src/row.c:9:2\n"
DIED = "==7==ERROR: AddressSanitizer: SEGV on unknown address 0x000000000010 (pc 0x5581a0)"
DIED += "\n==7==The signal is caused by a READ memory access.\n    #0 0x55 in {} /src/row.c:9:2\n"
INLINED = "".join(
    f"    #{at} 0x55 in std::string::{name}() /usr/include/c++/12/bits/basic_string.h:{at}\n"
    for at, name in enumerate(("size", "append", "operator+="))
)
INLINED += "    #3"


ASSERTED = "row.c:77: row_free: Assertion `row->n' failed.\n"
RACE = "==================\nWARNING: ThreadSanitizer: data race (pid=100)\n"
RACE += "  Write of size 8 at 0x7b04 by thread T1:\n    #0 tally /src/row.c:9:5\n"
RACE += "  Previous write of size 8 at 0x7b04 by main thread:\n    #0 tally /src/row.c:9:5\n"
RACE += "SUMMARY: ThreadSanitizer: data race /src/row.c:9:5 in tally\n==================\n"
FREED = grind("Invalid read of size 4", "Address 0x4a2 is 0 bytes inside a block of size 16 free'd")
KILLED = "==81== Process terminating with default action of signal 11 (SIGSEGV)\n"
KILLED += "==81==  Access not within mapped region at address 0x10\n==81==    at 0x401410: "
SERVED = "http: panic serving 10.0.0.7:51122: runtime error: invalid memory address or nil pointer "
SERVED += "dereference\ngoroutine 41 [running]:\nmain.handle(0xc0)\n\t/src/h.go:21 +0x1d\n"
NO_ROOM = (
    "fatal error: out of memory\n\ngoroutine 7 [running]:\nmain.load()\n\t/src/load.go:12 +0x1\n"
)
WORKER = (
    "thread 'pool-3' panicked at src/h.rs:41:22:\ncalled `Option::unwrap()` on a `None` value\n"
)
THROWN = "terminate called after throwing an instance of 'std::bad_alloc'\n"
ABORTED = "Aborted (core dumped)\n"
WARNED = "skipping record 17: no customer id at bin/import.pl line 214.\n"


@pytest.mark.parametrize(
    ("text", "category"),
    [
        (UNDEFINED + DIED.format("row_free"), C.NULL_POINTER_DEREFERENCE),
        (UNDEFINED + ASSERTED, C.ASSERTION_FAILURE),
        (UNDEFINED + DIED.format("tally"), C.INTEGER_OVERFLOW),
        (UNDEFINED + DIED.format("tally").replace("    #0", INLINED), C.INTEGER_OVERFLOW),
        (UNDEFINED, C.INTEGER_OVERFLOW),
        (RACE, C.DATA_RACE),
        (RACE + ASSERTED + ABORTED, C.ASSERTION_FAILURE),
        (FREED, C.USE_AFTER_FREE),
        (FREED + KILLED + "sum (sum.c:71)\n", C.NULL_POINTER_DEREFERENCE),
        (FREED + KILLED + "trim (trim.c:12)\n", C.USE_AFTER_FREE),
        (SERVED, None),
        (SERVED + "2026/11/20 10:05:00 served 12\n" + NO_ROOM, C.OUT_OF_MEMORY),
        (NO_ROOM, C.OUT_OF_MEMORY),
        (WORKER + ABORTED, C.PANIC),
        (WORKER + "served 12\n" + THROWN + ABORTED, C.UNCAUGHT_EXCEPTION),
        (WARNED, C.UNCAUGHT_EXCEPTION),
        (WARNED + "make: *** [import] Error 255\n", C.UNCAUGHT_EXCEPTION),
        (WARNED + "2199 records imported\n", None),
    ],
)  # fmt: skip
def test_a_report_after_which_the_program_went_on(tmp_path: Path, text: str, category: C) -> None:
    text = text.replace("row_free /src/row.c:9:2", "row_free /src/row.c:80:1")
    assert read_text(tmp_path, text).category is category


def test_no_frame_of_what_was_outlived(tmp_path: Path) -> None:
    text = SERVED + NO_ROOM.replace("\n\ngoroutine 7 [running]:\nmain.load()", "")
    assert read_text(tmp_path, text).function is None
    assert read_text(tmp_path, SERVED + NO_ROOM).function == "main.load"


@pytest.mark.parametrize(
    "words",
    ["pq: deadlock detected", "cannot allocate memory", "x: stack overflow", "integer overflow"],
)
def test_what_a_program_gave_to_panic_is_no_word_of_the_runtime(tmp_path: Path, words: str) -> None:
    text = f"panic: {words}\n\ngoroutine 7 [running]:\nmain.must()\n\t/src/main.go:14 +0x1\n"
    assert read_text(tmp_path, text).category is C.PANIC


def test_a_maximum_is_no_address(tmp_path: Path) -> None:
    words = "requested allocation size 0x9000000000 exceeds maximum supported size of 0x8000000000"
    assert read_text(tmp_path, asan(words)).findings[0].address is None


ENDS = "\n#\n# Fatal error in src/row.cc, line 77\n# Debug check failed: n == 1.\n#\n"
NULL = "==7==ERROR: AddressSanitizer: SEGV on unknown address 0x000000000000 (pc 0x5581a0)\n"


@pytest.mark.parametrize(
    ("text", "category"),
    [
        (ENDS + NULL + STACK, C.ASSERTION_FAILURE),
        (ENDS, C.ASSERTION_FAILURE),
        (ASAN + "AddressSanitizer: ABRT on unknown address 0x0539 (pc 0x7ce3)\n"
         "    #0 0x7ce in abort abort.c:79\n    #1 0x55 in fuzztest::internal::CheckStackLimit(int)"
         " r.cc:9\n    #2 0x56 in row_walk r.cc:20\n", C.STACK_OVERFLOW),
    ],
)  # fmt: skip
def test_a_message_and_the_end_that_followed(tmp_path: Path, text: str, category: C) -> None:
    assert read_text(tmp_path, text).category is category


def test_a_panic_whose_lines_were_joined_has_its_place(tmp_path: Path) -> None:
    text = "thread 'main' panicked at src/till.rs:18:40:    called `Option::unwrap()` on `None`\n"
    [found] = read_text(tmp_path, text).findings
    assert (found.category, found.place) == (C.PANIC, "src/till.rs:18")
