"""`inspect` follows what an object's fields or words of memory hold, not where they lie."""

from typing import Any

import pytest

from tests.store.test_session_store import NOW
from workbench.agents.assisted.arguments import Inspect
from workbench.agents.assisted.inspecting import inspect
from workbench.model.events import SessionOpened
from workbench.model.evidence import Command, Evidence, Source
from workbench.model.investigation import Investigation
from workbench.model.session_events import Labelled
from workbench.model.target import Options, Target, TargetKind

NODE = """\
Name:        Shop.Order
MethodTable: 00007f0012345678
EEClass:     00007f0012340000
Size:        32(0x20) bytes
Fields:
              MT    Field   Offset                 Type VT     Attr            Value Name
00007f0012300000  4000001        8        System.String  0 instance 00007f00a0000100 _name
00007f0012300000  4000002       10         System.Int32  1 instance               42 _count
00007f0012300000  4000003       18           Shop.Order  0 instance 0000000000000000 _next
"""
NAME = """\
Name:        System.String
MethodTable: 00007f0012300000
String:      Ada
Fields:
              MT    Field   Offset                 Type VT     Attr            Value Name
00007f0012300000  4000c9b        8         System.Int32  1 instance                3 _stringLength
"""
NO_OBJECT = "<Note: this object has an invalid CLASS field>\nInvalid object\n"


class Dump:
    """A debugger that knows some answers."""

    models = None

    def __init__(self, host: str, answers: dict[str, str], runtime: str | None) -> None:
        target = Target(
            path="/c", kind=TargetKind.ELF_CORE, size=1, arch="x86_64", os="linux", runtime=runtime
        )
        self.state = Investigation()
        opened = SessionOpened(
            session_id="s", target=target, options=Options(), version="0", debugger=host
        )
        self.state.apply(opened, NOW)
        self.state.apply(Labelled(), NOW)
        self.answers, self.asked = answers, list[str]()

    async def ask(self, command: Command, hypothesis: str | None = None) -> Evidence:
        self.asked.append(command.text)
        item = Evidence(
            id=f"E{len(self.asked)}", command=command.text, source=Source.DEBUGGER, intent="",
            at="", sha256="", size=1, lines=9, call_hash=command.text,
        )  # fmt: skip
        self.state.evidence[item.id] = item
        return item

    async def text(self, id: str) -> str:
        return self.answers.get(self.asked[int(id[1:]) - 1], NO_OBJECT)


@pytest.mark.parametrize(
    ("host", "spelt"),
    [("dotnet-dump", "dumpobj {}"), ("lldb", "dumpobj {}"), ("cdb", "!dumpobj {}")],
)
async def test_a_managed_object_is_read_by_its_fields(host: str, spelt: str) -> None:
    first, second = "7f00a0000000", "7f00a0000100"
    answers = {spelt.format(first): NODE, spelt.format(second): NAME}
    dump: Any = Dump(host, answers, "coreclr")
    result = await inspect(dump, Inspect(address=first, depth=3))
    assert dump.asked == [spelt.format(first), spelt.format(second)]
    assert "_count" in result.text
    assert "Ada" in result.text


@pytest.mark.parametrize(
    ("host", "runtime", "memory", "asked"),
    [
        (
            "gdb",
            None,
            "0x7ffe00000010 <f+8>:\t0x00007f00a0000100\t0x12\n",
            ["x/8ga 0x7ffe00000010", "x/8ga 0x7f00a0000100"],
        ),
        (
            "lldb",
            "coreclr",
            "0x7ffe00000010: 0x00007f00a0000100 name + 4\n",
            [
                "dumpobj 7ffe00000010",
                "memory read --format A --size 8 --count 8 0x7ffe00000010",
                "dumpobj 7f00a0000100",
                "memory read --format A --size 8 --count 8 0x7f00a0000100",
            ],
        ),
        (
            "cdb",
            None,
            "00007ffe`00000010  00007f00`a0000100 mod!name\n",
            ["dps 0x7ffe00000010 L8", "dps 0x7f00a0000100 L8"],
        ),
    ],
)
async def test_words_of_memory_are_followed_and_their_places_are_not(
    host: str, runtime: str | None, memory: str, asked: list[str]
) -> None:
    first = next(one for one in asked if "dumpobj" not in one)
    dump: Any = Dump(host, {first: memory}, runtime)
    await inspect(dump, Inspect(address="0x7ffe00000010", depth=2))
    assert dump.asked == asked
