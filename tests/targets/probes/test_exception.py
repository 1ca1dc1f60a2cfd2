"""C++ exceptions and abort messages out of real cores."""

import pytest

from tests.targets.probes.ask import ask, crashed
from workbench.model.facts import AbortMessage, CxxException

HEADERS = {"std::": "stdexcept", "std::string": "string", "std::thread": "thread",
           "abort()": "cstdlib"}  # fmt: skip
"""By a word that needs it: most of a build is reading them."""
FLAGS = (("-O0",), ("-O2", "-static", "-s"))


def thrown(body: str, *flags: str) -> list[CxxException]:
    head = "".join(f"#include <{name}>\n" for word, name in HEADERS.items() if word in body)
    core = crashed(head + body, "-pthread", *flags, lang="cpp")
    return ask(core, "@exception").all(CxxException)


@pytest.mark.parametrize("flags", FLAGS)
@pytest.mark.parametrize(
    ("body", "name", "message"),
    [
        (
            "namespace foo { struct bar : std::runtime_error"
            " { using std::runtime_error::runtime_error; }; }\n"
            'int main(int c, char **) { throw foo::bar("disk " + std::to_string(c) + " gone"); }',
            "foo::bar",
            "disk 1 gone",
        ),
        ("int main() { throw 42; }", "int", "42"),
        ('int main() { throw "literal"; }', "char const*", "literal"),
        (
            "struct E : std::exception { std::string s; E(std::string x) : s(x) {}\n"
            "const char *what() const noexcept override { return s.c_str(); } };\n"
            'int main() { throw E("a text of its own, long enough"); }',
            "E",
            "a text of its own, long enough",
        ),
        (
            'void f(int n) noexcept { if (n) throw std::logic_error("in noexcept"); }\n'
            "int main(int c, char **) { f(c); }",
            "std::logic_error",
            "in noexcept",
        ),
        (
            'int main() { try { throw std::runtime_error("again"); }\n'
            "catch (std::exception &) { throw; } }",
            "std::runtime_error",
            "again",
        ),
        ("int main() { std::thread t([] { throw 7; }); t.join(); }", "int", "7"),
    ],
)
def test_uncaught(flags: tuple[str, ...], body: str, name: str, message: str) -> None:
    (found,) = thrown(body, *flags)
    assert (found.type, found.message, found.uncaught) == (name, message, True)


def test_an_address_whose_bytes_are_letters_is_no_message() -> None:
    """What a vtable holds is letters by chance of the layout; here it always is."""
    (found,) = thrown(
        "#include <sys/mman.h>\nstruct E { void **table; std::string s; };\n"
        "int main() { static void *slots[4]; mmap((void *)0x414141414000, 4096, PROT_READ,"
        " MAP_FIXED | MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); slots[0] = (void *)0x414141414141;\n"
        'throw E{slots, "a text of its own, long enough"}; }'
    )
    assert found.message == "a text of its own, long enough"


@pytest.mark.parametrize("flags", FLAGS)
def test_caught(flags: tuple[str, ...]) -> None:
    (found,) = thrown(
        'void f(int n) { if (n) throw std::runtime_error("in f"); }\n'
        "int main(int c, char **) { try { f(c); } catch (std::exception &) { abort(); } }",
        *flags,
    )
    assert (found.type, found.uncaught) == ("std::runtime_error", False)


def test_those_that_are_over_are_not_told() -> None:
    assert (
        thrown(
            "int main() { for (int i = 0; i < 3; i++)\n"
            'try { throw std::runtime_error("first"); } catch (std::exception &) {}\n'
            "abort(); }"
        )
        == []
    )


def test_bases() -> None:
    (found,) = thrown("int main() { std::string s; return s.at(5); }")
    assert found.type == "std::out_of_range"
    assert found.mangled == "St12out_of_range"
    assert found.bases == ("std::logic_error", "std::exception")


def test_virtual_bases() -> None:
    (found,) = thrown(
        "struct A { int n; }; struct B : std::exception, virtual A {}; struct C : B {};\n"
        "int main() { throw C(); }"
    )
    assert found.bases == ("B", "std::exception", "A")


@pytest.mark.parametrize("flags", FLAGS)
@pytest.mark.parametrize(
    ("program", "message"),
    [
        (
            "#include <stdlib.h>\nint main(void) { char *p = malloc(30); free(p); free(p); }",
            "free(): double free detected in tcache 2",
        ),
        (
            "#include <assert.h>\n"
            'int main(int c, char **v) { assert(c > 3 && "too small"); return 0; }',
            'Assertion `c > 3 && "too small"\' failed.',
        ),
        (
            "#include <string.h>\nint main(int c, char **v) { char b[8]; memset(b, 'A', c * 60);"
            '__asm__ volatile("" :: "r"(b) : "memory"); return 0; }',
            "*** stack smashing detected ***: terminated",
        ),
    ],
)
def test_abort_message(flags: tuple[str, ...], program: str, message: str) -> None:
    core = crashed(program, "-fstack-protector-all", "-fno-builtin", *flags)
    assert message in ask(core, "@abort").one(AbortMessage).text


@pytest.mark.parametrize("flags", FLAGS)
def test_no_abort_message(flags: tuple[str, ...]) -> None:
    core = crashed("#include <stdlib.h>\nint main(void) { abort(); }", *flags)
    assert ask(core, "@abort").facts == ()
