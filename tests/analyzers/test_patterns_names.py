"""Whose function is it: the application's, or the runtime's?"""

import pytest

from analyzers.names import bare
from analyzers.owners.functions import is_runtime_name, is_runtime_source
from analyzers.owners.modules import is_runtime_library
from analyzers.patterns.frames import application_frame, is_garbage, located
from workbench.model.citation import Citation
from workbench.model.facts import Frame, Memory, Region, Stack


@pytest.mark.parametrize(
    ("printed", "expected"),
    [
        ("main", "main"),
        ("foo(int, char*)", "foo"),
        ("T::f(int) const", "T::f"),
        ("void std::__invoke_impl<void, F>(std::__invoke_other, F&&)", "std::__invoke_impl"),
        ("std::vector<int, std::allocator<int> >::at(unsigned long)", "std::vector::at"),
        ("operator new(unsigned long)", "operator new"),
        ("operator delete[](void*)", "operator delete[]"),
        ("std::function<int (int)>::operator()(int) const", "std::function::operator()"),
        ("std::operator<< <std::char_traits<char> >", "std::operator<<"),
        ("(anonymous namespace)::grow(int)", "{anonymous}::grow"),
        ("main::{lambda(int)#1}::operator()(int) const", "main::{lambda#1}::operator()"),
        ("walk.part.0", "walk"),
        ("core[c1f1a4ba060b9bfa]::panicking::panic_fmt", "core::panicking::panic_fmt"),
        ("memcpy@GLIBC_2.2.5", "memcpy"),
        ("__gnu_cxx::__verbose_terminate_handler() [clone .cold]",
         "__gnu_cxx::__verbose_terminate_handler"),
        ("", ""),
    ],
)  # fmt: skip
def test_a_name_is_stripped_to_what_it_is(printed: str, expected: str) -> None:
    assert bare(printed) == expected


MACHINERY = """
abort __GI_raise raise ___pthread_mutex_lock pthread_cond_wait __strlen_avx2 strlen
__memmove_avx_unaligned_erms _int_free malloc_printerr __libc_message __assert_fail free
__strcpy_chk start_thread clone3 _IO_vfprintf std::terminate() __cxa_throw
__pthread_kill_implementation.constprop.0 core::panicking::panic_fmt rust_panic _start
__rustc::__rust_abort __lll_lock_wait futex_wait qsort_r do_system _dlfo_process_initial
_RNvNtCsgEmfK2I1SDS_4core3fmt5write _RNvCsfLfy6EI15iL_7___rustc12___rust_abort
_RNvYNtNtNtNtCsjrHSEGnQ3l9_3std3sys5stdio4unix6StderrNtNtBa_2io5Write9write_fmtBa_
"""


@pytest.mark.parametrize("name", MACHINERY.split())
def test_machinery_is_the_runtimes(name: str) -> None:
    assert is_runtime_name(name)


@pytest.mark.parametrize(
    "name",
    ["main", "free_list", "my_abort", "parse", "Pool::malloc", "stdlike::run", "strlen_fast",
     "foo(std::vector<int>)", "main::{lambda()#1}::operator()() const",
     "(anonymous namespace)::f()", "rust_abort::Loader::load", "panic_room::main",
     "_RNvNtCs9_5store4core3put",
     "_RNvYNtCs9_5store3BoxNtNtCs1_4core3fmt5Write9write_fmtB2_"],
)  # fmt: skip
def test_the_applications_own_names_stay_its_own(name: str) -> None:
    assert not is_runtime_name(name)


def test_libraries_and_sources_of_the_runtime() -> None:
    assert is_runtime_library("/lib/x86_64-linux-gnu/libc.so.6")
    assert is_runtime_library("/usr/lib/libstdc++.so.6.0.30")
    assert is_runtime_library("/lib64/ld-linux-x86-64.so.2")
    assert not is_runtime_library("/opt/app/libcache.so.6")
    assert not is_runtime_library("/opt/app/libcommon.so")


@pytest.mark.parametrize(
    ("function", "file", "ours"),
    [
        ("__GI_raise", "../sysdeps/posix/raise.c", False),
        ("__pthread_kill_implementation", "./nptl/pthread_kill.c", False),
        ("semtimedop_syscall", "../sysdeps/unix/sysv/linux/semtimedop.c", False),
        ("read_load", "../sysdeps/linux/loadavg.c", True),  # libgtop's folder
        ("lookup", "./io/table.c", True),
        ("rotate", "../math/matrix.c", True),
        ("fill", "src/malloc/pool.c", True),
        ("core::panicking::panic", "library/core/src/panicking.rs", False),
        ("ring::Ring::rotate", "/rustc/59807616/library/core/src/iter/range.rs", True),
        ("<ring::Ring as core::ops::Drop>::drop", "/rustc/5980/library/core/src/ptr/mod.rs", True),
        ("__rustc::rust_begin_unwind", "/rustc/59807616/library/std/src/panicking.rs", False),
        ("hashbrown::map::make_hash", "/rustc/59807616/library/core/src/hash/mod.rs", False),
    ],
)
def test_a_folder_is_not_glibcs_by_its_name_alone(function: str, file: str, ours: bool) -> None:
    frame = Frame(index=0, function=function, file=file, line=3)
    assert is_runtime_source(frame) is not ours
    assert (application_frame(stack(frame), None) is not None) is ours


CITE = Citation("E3", 1, 9)
EXE, LIBC = "/opt/app/run", "/lib/libc.so.6"


def region(start: int, end: int, perms: str, path: str | None, offset: int = 0) -> Region:
    return Region(start=start, end=end, perms=perms, path=path, offset=offset,
                  kind="file" if path else "stack", thread=None, dumped=True)  # fmt: skip


MEMORY = Memory(
    cite=CITE,
    regions=(
        region(0x1000, 0x2000, "r--", EXE),
        region(0x2000, 0x3000, "r-x", EXE, 0x1000),
        region(0x7000, 0x8000, "r-x", LIBC),
        region(0x9000, 0xA000, "rw-", None),
    ),
)


def stack(*frames: Frame) -> Stack:
    return Stack(cite=CITE, number=1, thread=5, name=None, frames=frames)


def test_the_first_frame_outside_of_the_runtime_is_the_applications() -> None:
    found = application_frame(
        stack(
            Frame(index=0, function="__GI_raise", file="../sysdeps/posix/raise.c", line=26),
            Frame(index=1, signal_handler=True),
            Frame(index=2, address=0x7010, trust="unwound"),
            Frame(index=3, function="std::vector<int>::at(unsigned long)", address=0x2010),
            Frame(index=4, function="work", address=0x2020),
        ),
        MEMORY,
    )
    assert found is not None
    assert (found.function, found.module, found.offset) == ("work", EXE, 0x1020)


def test_a_stripped_program_is_known_by_its_mapping() -> None:
    garbage = Frame(index=0, address=0x9010, trust="unwound")
    own = Frame(index=1, address=0x2345, trust="unwound")
    found = application_frame(stack(garbage, own), MEMORY)
    assert found is not None
    assert (found.index, found.module, found.offset) == (1, EXE, 0x1345)
    assert is_garbage(garbage, MEMORY)
    assert is_garbage(Frame(index=0, address=0x0), None)


def test_headers_inlined_into_the_program_do_not_take_the_blame() -> None:
    inlined = Frame(index=0, function="_mm_store_si128", file="/usr/lib/gcc/x/include/e.h",
                    line=7, address=0x2010, inlined=True)  # fmt: skip
    ours = Frame(index=1, function="fill", file="a.c", line=3)
    found = application_frame(stack(inlined, ours), MEMORY)
    assert found is not None
    assert found.function == "fill"
    # gdb may give a line of a header to a function of the program that it was inlined into.
    mixed = Frame(index=0, function="load", file="/usr/include/c++/12/bits/a.h", line=9)
    assert application_frame(stack(mixed), MEMORY) == mixed


def test_without_mappings_names_decide() -> None:
    named = Frame(index=0, function="poll_loop", address=0x55)
    assert application_frame(stack(named), None) == named
    assert application_frame(None, None) is None
    assert located(named, None) == named
