"""What may follow what in a chain: the same value, on its way back, and not its neighbour."""

import pytest
from msgspec.structs import replace

from workbench.claims.chain import breaks, linked, shows
from workbench.claims.say import say
from workbench.model.claims import Claim, Outcome

PASSES = say("calls", function="work", callee="queue_take", index=1, expression="queue", at=96)
TAKES = say("assigns", function="work", target="event", expression="queue_take(queue)", at=96)
ALIAS = say("assigns", function="work", target="queue", expression="service->queue", at=93)
STORES = say("assigns", function="fill", target="to->cells[at]", expression="first + at", at=9)
SETS = say("assigns", function="open", target="to->cells", expression="take(count)", at=5)
FAULT = say("access", thread=7, access="read", address=0x34)
FRAME = say("frame", thread=7, index=0, function="find", line=82)
NULL = say("value", function="find", expression="r->at", value="(struct at *) 0x0")
MEMBER = say("declares", of="Wheel", name="slots_", type="int")
CLEARS = say("assigns", function="Wheel::reset", target="slots_[at]", expression="0", at=47)
MAP = say("calls", function="Ranking::digest", callee="self.words.iter().map", index=1,
          expression="checksum", at=66)  # fmt: skip
ROWS: list[tuple[str, Claim, Claim, bool]] = [
    ("a variable and who set it", PASSES, ALIAS, True),
    ("a field and who passed it", ALIAS,
     say("calls", function="stop", callee="queue_free", index=1, expression="service->queue"),
     True),
    ("what was made of it", PASSES, TAKES, False),
    ("what was made of it, freed", TAKES, say("frees", function="work", expression="event"), False),
    ("a wait and a frame of no thread in particular", say("waits", thread=7, lock=0x5010),
     say("frame", index=2, function="work", line=96), True),
    ("a wait and a frame of another thread", say("waits", thread=7, lock=0x5010),
     say("frame", thread=8, index=2, function="work", line=96), False),
    ("an alias, freed", ALIAS, say("frees", function="work", expression="queue"), True),
    ("an element, and who set its array", STORES, SETS, True),
    ("a fault and its frame", FAULT, FRAME, True),
    ("a fault at 0 and null", say("access", thread=7, access="read", address=0), NULL, True),
    ("a call of 0 and null", say("transfer", pc=0, transfer="call"), NULL, True),
    ("a call of data and null", say("transfer", pc=0x4141414141, transfer="call"), NULL, False),
    ("a fault near 0 and null", FAULT, NULL, True),
    ("a fault far from 0 and null", say("access", thread=7, access="read", address=0x7f0000000000),
     NULL, False),
    ("a frame and a value of it", FRAME, NULL, True),
    ("a frame and a value of another", FRAME, replace(NULL, args=NULL.args[1:]), False),
    ("a member in two methods",
     say("assigns", function="Cache::put", target="p", expression="kept_"),
     say("frees", function="Cache::drop", expression="kept_"), True),
    ("a fault and another thread's frame", FAULT,
     say("frame", thread=8, index=0, function="find", line=82), False),
    ("a fault and a caller", FAULT, say("frame", thread=7, index=1, function="run", line=9), False),
    ("a frame and its line", FRAME,
     say("compares", function="find", left="route->mask", operator="==", right="x", at=82), True),
    ("a frame and another line", FRAME,
     say("compares", function="find", left="route->mask", operator="==", right="x", at=83), False),
    ("two statements of one line", PASSES,
     say("calls", function="work", callee="log", arguments="level", at=96), False),
    ("a member by its bare name", MEMBER, CLEARS, True),
    ("a member of another class", say("declares", of="Other", name="slots_", type="int"), CLEARS,
     False),
    ("a callback", say("frame_argument", function="index::checksum", name="word", value="0x1"), MAP,
     True),
    ("what a method is called on", MAP, say("frees", function="Table::compact",
                                            expression="self.words"), True),
    ("a string at its page's end, read from its block on",
     say("access", thread=7, access="read", address=0xC8205ED7FDD98FE0),
     say("loaded", thread=7, register="rax", value=0xC8205ED7FDD98FEA, source=0x5010), True),
    ("a pointer to the same block elsewhere in its page",
     say("access", thread=7, access="read", address=0xC8205ED7FDD98AE0),
     say("loaded", thread=7, register="rax", value=0xC8205ED7FDD98AEA, source=0x5010), False),
    ("one block", say("chunk", address=0x5010, start=0x5000), say("chunk", address=0x5020,
                                                                 start=0x5000), True),
    ("locals of one name", say("local", function="f", name="at", value="5"),
     say("assigns", function="g", target="at", expression="0"), False),
    ("a comparison, which is none of its sides", ALIAS,
     say("value", function="work", expression="service->queue == queue", value="1"), False),
    ("a comparison, and what it is made of",
     say("value", function="work", expression="service->queue == queue", value="1"), ALIAS, True),
    ("what was freed, and who set it before", say("frees", function="work", expression="queue"),
     ALIAS, False),
    ("a value, and a line that returns it later",
     say("value", function="work", expression="queue", value="0x0"),
     say("returns", function="work", expression="queue"), False),
    ("what a call gave, and a line that returns it",
     say("assigns", function="serve", target="one", expression="table_find(table, key)"),
     say("returns", function="table_find", expression="NULL"), True),
    ("what a call gave, and a line of another function",
     say("assigns", function="serve", target="one", expression="table_find(table, key)"),
     say("returns", function="table_open", expression="NULL"), False),
    ("what a function hands on, and where that is returned",
     say("returns", function="resolve", expression="table_find(table, key)"),
     say("returns", function="table_find", expression="NULL"), True),
    ("the word of a cell, and its address", say("memory", address=0x5010, value=0x34000),
     say("value", function="work", expression="&queue->head", value="0x5010"), True),
    ("equal numbers", say("loaded", register="rax", source=0x5010),
     say("relation", left=0x5010, relation="equal", right=0x5010), True),
    ("numbers that differ", say("loaded", register="rax", source=0x5010),
     say("relation", left=0x5010, relation="differs", right=0x5018), False),
]  # fmt: skip


@pytest.mark.parametrize(("left", "right", "holds"), [row[1:] for row in ROWS],
                         ids=[row[0] for row in ROWS])  # fmt: skip
def test_links(left: Claim, right: Claim, holds: bool) -> None:
    assert linked(left, right) is holds


@pytest.mark.parametrize(
    ("last", "holds"),
    [
        (say("frees", function="tick", expression="received"), True),
        (say("assigns", function="main", target="received", expression="channel()"), True),
        (say("assigns", function="main", target="done", expression="channel()"), False),
    ],
)
def test_a_call_is_not_left_by_another_argument(last: Claim, holds: bool) -> None:
    chain = [
        say("access", thread=7, access="read", address=0x34000),
        say("value", function="main", expression="received", value="0x34000"),
        say("calls", function="main", callee="tick", arguments="received,done"),
        last,
    ]
    found = breaks([replace(claim, status=Outcome.VERIFIED) for claim in chain])
    assert (not found) is holds


@pytest.mark.parametrize(("callee", "holds"), [("memcpy", True), ("compare", False)])
def test_what_a_copy_writes_is_made_of_how_much_it_copies(callee: str, holds: bool) -> None:
    chain = [
        say("access", thread=7, access="write", address=0x34000),
        say("value", function="keep", expression="to", value="0x34000"),
        say("calls", function="keep", callee=callee, arguments="to,from,size"),
        say("assigns", function="keep", target="size", expression="length - 12"),
    ]
    found = breaks([replace(claim, status=Outcome.VERIFIED) for claim in chain])
    assert (not found) is holds


@pytest.mark.parametrize("kind", ["calls", "assigns", "returns"])
def test_a_function_is_not_entered_where_the_chain_came_out_of_it(kind: str) -> None:
    chain = [
        say("access", thread=7, access="read", address=0x34000),
        say("value", function="find", expression="found", value="0x34000"),
        say(kind, function="serve", expression="find(table)"),
        say("returns", function="find", expression="NULL"),
    ]
    found = breaks([replace(claim, status=Outcome.VERIFIED) for claim in chain])
    assert [one.reason for one in found if "came out of" in one.reason]


@pytest.mark.parametrize(
    ("expression", "holds"),
    [
        ("(int32_t)((high << 24) | low)", True),
        ("(unsigned int)(high + low)", True),
        ("(int32_t)read_word(input)", False),
        ("(int32_t)(input->word)", False),
        ("total(high + low)", False),
    ],
)
def test_a_cast_is_no_call(expression: str, holds: bool) -> None:
    assert shows("computed", say("returns", function="symbol", expression=expression)) is holds


@pytest.mark.parametrize(
    ("condition", "holds"),
    [
        ("at<limit", True),
        ("at<list->count", False),
        ("list->count>at", False),
        ("at<(list->count)", False),
        ("list->count>at&&at<limit", False),
        ("list->used<limit", True),
        ("list->next", True),
    ],
)
def test_a_bound_that_a_member_holds_was_computed_elsewhere(condition: str, holds: bool) -> None:
    assert shows("computed", say("loops", function="walk", condition=condition, at=7)) is holds
