"""How a statement names a function, counts, and says a place that it does not know."""

import pytest

from workbench.claims.render import sentence, short_name
from workbench.claims.say import cause, say
from workbench.claims.tokens import stands
from workbench.model.claims import Claim

LONG = "Till::Box<Till::Coin, " + "Till::Less<Till::Coin>, " * 6 + "int>"


@pytest.mark.parametrize(
    ("function", "name"),
    [
        ("close_drawer", "close_drawer"),
        ("Till::Box<int>::shut() const", "Till::Box<int>::shut() const"),
        (f"{LONG}::shut() const", "Till::Box::shut"),
        (f"void Till::count<{LONG}>({LONG}&)", "void Till::count<Till::Box>"),
        (f"{LONG}::operator()(int) const", "Till::Box::operator"),
        (f"{LONG}::Lid<{LONG}>::shut()", "Till::Box::Lid<Till::Box>::shut"),
        ("f" * 300, "f" * 100),
        (
            "std::__shared_ptr_access<std::vector<int, std::allocator<int>>, "
            "(__gnu_cxx::_Lock_policy)2, false, false>::operator->",
            "std::__shared_ptr_access<std::vector, (__gnu_cxx::_Lock_policy)2, false, false>"
            "::operator->",
        ),
    ],
)
def test_a_long_templates_name(function: str, name: str) -> None:
    assert short_name(function) == name


@pytest.mark.parametrize(
    ("claim", "said"),
    [
        (
            say("signal", name="SIGABRT", thread=7, pid=7, uid=0),
            "The process was killed by SIGABRT in thread 7, sent by process 7 of user 0.",
        ),
        (say("signal", pid=7), "The signal was sent by process 7."),
        (say("count", what="threads", count=1), "There is 1 thread."),
        (say("count", what="waiting", count=1), "There is 1 thread that waits."),
        (say("count", what="waiting", count=11), "There are 11 threads that wait."),
        (say("count", what="running", count=1), "There is 1 running worker of the thread pool."),
        (say("frame", function="f", index=2, thread=7), "Frame 2 of thread 7 is `f`."),
        (say("frame", function="f", thread=7), "A frame of thread 7 is `f`."),
        (cause("assertion-failure", None, ()), "An assertion failed."),
        (cause("deadlock", None, (), how="tool"), "Threads wait, or can wait, for each other's "
         "locks."),
        (cause("use-after-free", None, ()), "The program uses memory after it was freed."),
        *((say("finding", tool="A", kind="k", message="m 1 bytes", direction="read", size=size),
           f'A reports "m 1 bytes", a read of {words}.')
          for size, words in ((1, "1 byte"), (11, "11 bytes"))),
        (say("value", expression="x", value=f"(std::vector<{'int, ' * 30}> *) 0x0"), "`x` is 0x0."),
        (say("quote", lead="adds", text="it is full"), "The report adds: \"it is full\""),
    ],
    ids=lambda value: value.kind if isinstance(value, Claim) else "",
)  # fmt: skip
def test_the_words_of_a_statement(claim: Claim, said: str) -> None:
    assert sentence(claim) == said


@pytest.mark.parametrize(
    ("name", "line", "there"),
    [
        ("out", "struct outbox {", False),
        ("out", "$5 = (struct outbox *) out->queued", True),
        ("drop", "#1 drop_all (self=0x1) at drop.c:3", True),
        ("drop", "#1 drop_all (self=0x1) at dropping.c:3", False),
        ("operator()", "till::add::operator()(int) const", True),
        ("till.c", "at /srv/still.c:3", False),
        ("till.c", "at /srv/till.c:3", True),
    ],
)
def test_a_name_stands_where_it_is_a_whole_word(name: str, line: str, there: bool) -> None:
    assert stands(name, line) is there


@pytest.mark.parametrize(
    ("number", "line", "there"),
    [
        (31, "drawer.c:031:", True),
        (31, "0x31 31b _31 131", False),
        (0x31, "rax 0x0000000000000031", True),
        (0x31, "thread 31 was here", False),
        (0xDEADBEEF, "rax DEADBEEF", True),
        (0xDEADBEEF, "dead`beef is 32 bits, 0xdeadbeef0 are more", True),
        (0xDEADBEEF, "0xdeadbeef0", False),
        (1234567, "1,234,567 bytes", True),
        (0x4D2, "Id: 4d2.1a", True),
        (0x4D2, "OwningThread = 4d2", True),
        (0x4D2, "grid: 4d2.1a", False),
        (0, "0x0000", True),
        (0, "000", True),
        (0, "10", False),
        (-5, "0xfffffffb", True),
    ],
)
def test_a_number_stands_where_it_is_a_whole_one_in_either_base(
    number: int, line: str, there: bool
) -> None:
    assert stands(number, line) is there


def test_half_a_number_is_another_number() -> None:
    fields = ", ".join(f"field_{n} = {n}{'0' * n}" for n in range(1, 12))
    value = say("value", expression="*till", value="{" + fields + "}").text.partition(" is ")[2]
    assert value == "{" + fields[: fields.index(", field_7")] + " \u2026."
