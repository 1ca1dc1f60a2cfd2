"""What may follow what in a chain: the same value, on its way back, and not its neighbour."""

import pytest

from workbench.claims.chain import linked
from workbench.claims.say import say
from workbench.model.claims import Claim

PASSES = say("calls", function="work", callee="queue_take", index=1, expression="queue", at=96)
TAKES = say("assigns", function="work", target="event", expression="queue_take(queue)", at=96)
ALIAS = say("assigns", function="work", target="queue", expression="service->queue", at=93)
STORES = say("assigns", function="fill", target="to->cells[at]", expression="first + at", at=9)
SETS = say("assigns", function="open", target="to->cells", expression="take(count)", at=5)
FAULT = say("access", thread=7, access="read", address=0x34)
FRAME = say("frame", thread=7, index=0, function="find", line=82)
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
    ("an alias, freed", ALIAS, say("frees", function="work", expression="queue"), True),
    ("an element, and who set its array", STORES, SETS, True),
    ("a fault and its frame", FAULT, FRAME, True),
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
    ("one block", say("chunk", address=0x5010, start=0x5000), say("chunk", address=0x5020,
                                                                 start=0x5000), True),
    ("locals of one name", say("local", function="f", name="at", value="5"),
     say("assigns", function="g", target="at", expression="0"), False),
]  # fmt: skip


@pytest.mark.parametrize(("left", "right", "holds"), [row[1:] for row in ROWS],
                         ids=[row[0] for row in ROWS])  # fmt: skip
def test_links(left: Claim, right: Claim, holds: bool) -> None:
    assert linked(left, right) is holds
