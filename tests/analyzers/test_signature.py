"""Signatures: equal for equal crashes, different for different causes."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analyzers.owners.passing import is_irrelevant, is_prefix
from analyzers.signature import LONGEST, joined, signature
from analyzers.signature.normal import normal
from tests.crashes import build, crash
from tests.forking import workbench
from workbench.model.facts import Frame


def stack(*functions: str) -> list[Frame]:
    return [Frame(index=n, function=f, line_no=n + 1) for n, f in enumerate(functions)]


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("total", "total"),
        ("main.(*Till).Close", "main.Till.Close"),
        ("void std::sort<int*, cmp>(int*, int*)", "std::sort"),
        ("ns::(anonymous namespace)::f(int) const", "ns::{anonymous}::f"),
        ("ns::`anonymous namespace'::f", "ns::{anonymous}::f"),
        ("parse.part.0", "parse"),
        ("parse(char*) [clone .cold]", "parse"),
        ("__memmove_avx_unaligned_erms", "memmove"),
        ("__strlen_avx2", "strlen"),
        ("__GI___libc_free", "free"),
        ("__GI___libc_fatal", "libc_fatal"),  # says nothing; a program's own fatal() stays
        ("___pthread_mutex_lock", "pthread_mutex_lock"),
        ("operator new(unsigned long)", "operator new"),
        ("Row::operator()(int)", "Row::operator()"),
        ("core::panicking::panic_fmt::h0123456789abcdef", "core::panicking::panic_fmt"),
        ("<Vec<T> as Drop>::drop", "<Vec as Drop>::drop"),
        ("app::main::{{closure}}", "app::main::{lambda}"),
        ("core::slice::{impl#0}::copy_from_slice<u8>", "core::slice::_::copy_from_slice"),
        ("Program+<Work>d__4.MoveNext()", "Program.Work"),
        ("MyApp!MyFunction+0x1d", "MyFunction"),
        ("foo@@GLIBC_2.2.5", "foo"),
        ("core::option::Option$LT$T$GT$::unwrap", "core::option::Option::unwrap"),
    ],
)
def test_one_name_whatever_the_build(written: str, name: str) -> None:
    assert normal(Frame(index=0, function=written)) == name


def test_a_frame_without_a_name_is_its_place() -> None:
    frame = Frame(index=0, module="/srv/app", offset=0x1234, address=0x55550001234)
    assert normal(frame) == "app@0x1234"
    assert normal(Frame(index=0, module="/lib/libc.so.6", offset=0x1234)) == ""
    assert normal(Frame(index=0, signal_handler=True)) == ""


def test_the_machinery_is_left_out_and_the_passer_on_stands_first() -> None:
    frames = stack(
        "__pthread_kill_implementation", "__GI_raise", "__GI_abort", "malloc_printerr",
        "_int_free", "__GI___libc_free", "release", "main", "__libc_start_call_main", "_start",
    )  # fmt: skip
    found = signature(frames)
    assert found is not None
    assert found.text == "free | release"
    assert found.lines == (6, 7)


def test_depth_of_a_recursion_is_chance() -> None:
    short = signature(stack("walk", "walk", "walk", "main"), "stackoverflow")
    long = signature(stack(*["walk"] * 30, "main"), "stackoverflow")
    assert short is not None
    assert long is not None
    assert short.text == long.text == "stackoverflow | walk"
    assert short.stack_hash == long.stack_hash


def test_different_callers_of_one_function_differ() -> None:
    one, two = signature(stack("strlen", "first")), signature(stack("strlen", "second"))
    assert one is not None
    assert two is not None
    assert one.text != two.text
    assert one.stack_hash != two.stack_hash


def test_a_ring_is_its_threads_in_any_order() -> None:
    one, two = signature(stack("pthread_mutex_lock", "pay")), signature(stack("lock", "refund"))
    assert one is not None
    assert two is not None
    ring = joined([one, two], "hang")
    assert ring == joined([two, one], "hang")
    assert ring is not None
    assert ring.text == "hang | lock | pthread_mutex_lock | pay"
    assert joined([], "hang") is None


def test_the_plumbing_of_a_panic_is_left_out() -> None:
    for abort in ("panic_abort::__rust_start_panic", "rustc::__rust_abort"):
        found = signature(stack("abort", abort, "std::panicking::rust_panic", "shop::price"))
        assert found is not None
        assert found.text == "shop::price"


def test_nothing_said_is_no_signature() -> None:
    assert signature([]) is None
    assert signature(stack("raise", "abort", "_start")) is None


@given(st.lists(st.text(max_size=60), max_size=8))
def test_any_names_at_all(names: list[str]) -> None:
    found = signature([Frame(index=n, function=name) for n, name in enumerate(names)])
    assert found is None or 0 < len(found.text) <= LONGEST


@pytest.mark.timeout(60)
def test_long_names_take_no_time() -> None:
    for text in ("<" * 50_000, "(" * 50_000, "a::" * 20_000, "void " * 20_000, "$1" * 20_000):
        name = normal(Frame(index=0, function=text))
        is_irrelevant(name)
        is_prefix(name)


RELEASE = """
#include <stdlib.h>
static void release(char *p) { free(p); }
int main(int argc, char **argv) { char *p = malloc(64); free(p); release(p); return 0; }
"""


def test_gdb_lldb_and_two_runs_agree(tmp_path: Path) -> None:
    program = build(RELEASE, "-g", "-O0")
    seen = set()
    for core, debugger in (
        (crash(program), "gdb"),
        (crash(program), "lldb"),
        (crash(program, "another run"), "gdb"),
    ):
        options = ("--exe", program, "--format", "json", "--debugger", debugger)
        done = workbench("triage", core, *options, cwd=tmp_path)
        summary = json.loads(done.stdout)["analysis"]["summary"]
        seen.add((summary["signature"], summary["stackHash"]))
    assert [text for text, _ in seen] == ["free | release"]
