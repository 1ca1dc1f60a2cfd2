"""Names as linkers hold them, and whose they are."""

import pytest

from analyzers.names import bare, common, declared, unreturned
from analyzers.owners.printed import is_own
from workbench.model.aliases import undollared, unmangled
from workbench.model.facts import Frame


@pytest.mark.parametrize(
    ("printed", "source"),
    [
        (
            "_$LT$alloc..vec..Vec$LT$T$C$A$GT$$u20$as$u20$core..ops..drop..Drop$GT$::drop",
            "<alloc::vec::Vec<T,A> as core::ops::drop::Drop>::drop",
        ),
        ("core::ptr::drop_in_place$LT$till..Drawer$GT$", "core::ptr::drop_in_place<till::Drawer>"),
        ("_$LT$$RF$T$u20$as$u20$till..Count$GT$::count", "<&T as till::Count>::count"),
        ("till::_$LT$impl$u20$u8$GT$::get", "till::<impl u8>::get"),
        ("till::_count$u7b$$u7b$closure$u7d$$u7d$", "till::_count{{closure}}"),
        ("a..b", "a..b"),
        ("$LT", "$LT"),
        ("std::count", "std::count"),
    ],
)
def test_rusts_legacy_mangling_is_undone(printed: str, source: str) -> None:
    assert undollared(printed) == source


@pytest.mark.parametrize(
    ("symbol", "source"),
    [
        ("_ZN4core9panicking5panic17h0123456789abcdefE", "core::panicking::panic"),
        (
            "_ZN44_$LT$till..Drawer$u20$as$u20$till..Count$GT$5count17h0123456789abcdefE.llvm.81",
            "<till::Drawer as till::Count>::count",
        ),
        ("_ZN4till5countEi", "_ZN4till5countEi"),
        ("_ZN4till9count17h0123456789abcdefE", "_ZN4till9count17h0123456789abcdefE"),
        ("till::count", "till::count"),
    ],
)
def test_rusts_symbols_are_read_as_its_source_spells_them(symbol: str, source: str) -> None:
    assert unmangled(symbol) == source


@pytest.mark.parametrize(
    ("printed", "name"),
    [
        ("<alloc::vec::Vec<T>>::push", "alloc::vec::Vec::push"),
        ("<T as till::Count>::count", "::count"),
        ("till::pick<int>(int)", "till::pick"),
    ],
)
def test_a_types_own_method_keeps_the_type(printed: str, name: str) -> None:
    assert bare(printed).rstrip(":") == name


@pytest.mark.parametrize(
    ("pretty", "name"),
    [
        ("void till::Drawer::count(int) const", "till::Drawer::count(int) const"),
        ("std::vector<int> till::walk(const Box&) [with T = int]", "till::walk(const Box&)"),
        ("T* till::get() [with T = Coin; size_t N = 3]", "till::get()"),
        ("static bool (anonymous namespace)::Lid::open(void (*)(int))",
         "(anonymous namespace)::Lid::open(void (*)(int))"),
        ("bool till::operator<(const Box&, const Box&)", "till::operator<(const Box&, const Box&)"),
        ("virtual int till::Box::operator()(int)", "till::Box::operator()(int)"),
        ("till::Box::operator bool() const", "till::Box::operator bool() const"),
        ("enable_if_t<(N > 3), F<void(int)> > till::pick(int)", "till::pick(int)"),
        ("till::Drawer::Drawer(int)", "till::Drawer::Drawer(int)"),
        ("void (*till::get(int))(char)", "void (*till::get(int))(char)"),
        ("block (3 levels) in count", "block (3 levels) in count"),
        ("-[Drawer(Coins) count:]", "-[Drawer(Coins) count:]"),
        ("count", "count"),
    ],
)  # fmt: skip
def test_a_pretty_function_loses_what_it_returns(pretty: str, name: str) -> None:
    assert unreturned(pretty) == name


@pytest.mark.parametrize(
    ("signature", "name"),
    [
        ("T Stack<T>::pop() [with T = int]", "Stack<T>::pop"),
        ("int main(int, char**)", "main"),
        (
            "static int (anonymous namespace)::Lid::open(int) const",
            "(anonymous namespace)::Lid::open",
        ),
        ("till::Box::operator bool() const", "till::Box::operator bool"),
    ],
)
def test_the_name_that_a_failed_assertion_declares(signature: str, name: str) -> None:
    assert declared(signature) == name


@pytest.mark.parametrize(
    ("name", "own"),
    [
        ("_$LT$alloc..vec..Vec$LT$T$GT$$u20$as$u20$core..ops..drop..Drop$GT$::drop", False),
        ("<alloc::vec::Vec<T,A> as core::ops::index::Index<I>>::index", False),
        ("<F as core::ops::function::FnOnce<A>>::call_once", False),
        ("<[T] as core::fmt::Debug>::fmt", True),
        ("<&mut alloc::string::String as core::fmt::Write>::write_str", False),
        ("_$LT$till..Drawer$u20$as$u20$core..ops..drop..Drop$GT$::drop", True),
        ("<till::Drawer as core::fmt::Display>::fmt", True),
        ("core[c1f1a4ba060b9bfa]::slice::copy_from_slice_impl::<u8>", False),
        ("till[c1f1a4ba060b9bfa]::count", True),
    ],
)
def test_what_rusts_libraries_implement_is_theirs(name: str, own: bool) -> None:
    assert is_own(Frame(index=0, function=name)) is own


@pytest.mark.parametrize(
    ("symbol", "written"),
    [
        ("__strchr_evex", "strchr"),
        ("__memmove_avx_unaligned_erms", "memmove"),
        ("__strlen_sse2_no_bsf", "strlen"),
        ("find_generic", "find_generic"),
        ("__strcat_chk", "strcat"),
        ("__stack_chk_fail", "__stack_chk_fail"),
        ("_ZdlPvm", "operator delete"),
        ("_ZnamSt11align_val_t", "operator new[]"),
        ("_ZN4PooldlEPv", "_ZN4PooldlEPv"),  # a class's own
        ("std::find`_avx2", "std::find`_avx2"),  # no library's, and no text to tell as it is
    ],
)
def test_a_variant_for_a_processor_is_called_as_in_the_source(symbol: str, written: str) -> None:
    assert common(symbol) == written
