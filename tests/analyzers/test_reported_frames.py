"""Whose code a frame of a log runs: what only looks like a library's is the program's own."""

import pytest

from analyzers.owners.printed import is_own
from analyzers.patterns.reported.frames import own_frame
from workbench.model.facts import Frame

_SOURCE = "/home/ann/till/drawer.c"


@pytest.mark.parametrize(
    "name",
    ["alloc_table", "allocate_row", "core_run", "stdin_reader", "rust_ffi_call", "dispatch_request",
     "wrap_text", "panic_button", "alloc", "core", "test_drawer", "testify", "runtime_check",
     "Kiosk", "__drawer_mod_MOD_count"],

)  # fmt: skip
@pytest.mark.parametrize("file", [None, _SOURCE])
def test_a_name_that_only_begins_like_a_librarys_is_the_programs(name: str, file: str | None):
    assert is_own(Frame(index=0, function=name, file=file, line=3))


@pytest.mark.parametrize("name", ["die", "panic", "exc_handler", "asm_run", "report_bad_access"])
def test_a_kernels_name_in_a_source_with_a_full_path_is_the_programs(name: str):
    assert is_own(Frame(index=0, function=name, file=_SOURCE, line=3))
    assert not is_own(Frame(index=0, function=name, module="drawer"))
    assert not is_own(Frame(index=0, function=name, file="arch/x86/kernel/traps.c", line=3))


@pytest.mark.parametrize(
    "name",
    ["alloc::raw_vec::finish_grow", "core::panicking::panic_fmt", "std::process::abort",
     "rust_begin_unwind", "rust_eh_personality", "__rustc::rust_begin_unwind", "runtime.gopanic",
     "testing.tRunner", "wrap_strlen", "__wrap_malloc", "wrap_dispatch_async_f",
     "__interceptor_memcpy", "__asan_memcpy", "__sanitizer::Die", "_dispatch_client_callout",
     "kasan_report", "kfree", "__kmalloc", "slab_free", "test::run_test"],
)  # fmt: skip
def test_machinery_is_not_the_programs(name: str):
    assert not is_own(Frame(index=0, function=name))


@pytest.mark.parametrize("module", ["libhwasan.so.0", "liblsan.so.0", "libasan.so.8"])
def test_a_sanitizers_library_is_not_the_programs(module: str):
    assert not is_own(Frame(index=0, function="MemcmpInterceptorCommon(void*)", module=module))


@pytest.mark.parametrize("file", ["./nptl/pthread_kill.c", "nptl/pthread_kill.c"])
def test_glibcs_source_is_not_the_programs_with_and_without_its_dot(file: str):
    frame = Frame(index=0, function="__pthread_kill_implementation", file=file, line=44)
    assert not is_own(frame)


def test_the_innermost_own_frame_with_a_name_is_chosen():
    frames = [
        Frame(index=0, function="__interceptor_memcpy"),
        Frame(index=1, module="/opt/till/bin/till"),
        Frame(index=2, function="alloc_table", file=_SOURCE, line=42),
        Frame(index=3, function="main", file=_SOURCE, line=9),
    ]
    assert own_frame(frames) == frames[2]
