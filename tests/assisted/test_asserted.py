"""Which line made false what a check of the program compares, by the values that a dump has."""

from types import SimpleNamespace
from typing import Any

import pytest

from workbench.agents.assisted.asserted import asserted
from workbench.agents.assisted.code import Code
from workbench.agents.assisted.dump import Dump, Found, Place
from workbench.claims.say import say
from workbench.claims.source import SourceText
from workbench.model.facts import Frame
from workbench.model.investigation import Investigation

_TEXT = """\
struct part { int size; int head; int body; int most; };
static struct part *part_new(int most)
{
    struct part *p = calloc(1, sizeof *p);
    p->most = most;
    return p;
}
static void extend(struct part *p, int by) { p->head += by; }
BODY
static void check(struct part *p, int n)
{
    CHECK;
}
"""


class _Dump(Dump):
    """A dump that has these values, in each frame and of each object."""

    values: dict[str, int]

    async def value(self, place: Place, expression: str | None) -> Found | None:
        text = (expression or "").replace(place.base, "").strip("()")
        held = int(text) if text.isdigit() else self.values.get(text)
        return None if held is None else Found(place.frame, expression or "", held)

    async def said(self, *found: Found) -> tuple[Any, ...]:
        return found


@pytest.mark.parametrize(
    ("body", "check", "values", "told"),
    [
        ("p->body = 9;", "p->body <= 5", {}, True), ("p->body = FULL;", "p->body <= 5", {}, True),
        ("p->body = p->most;", "p->body <= 5", {}, True),
        ("p->body = p->size - p->head;", "p->body <= 5", {}, False),
        ("p->body = given;", "p->body <= 5", {}, False),
        ("p->body += 9;", "p->body <= 5", {}, True),
        ("p->body += 9;", "p->body <= FULL", {"FULL": 5}, True),
        ("p->body += 9;", "p->body <= optind", {"optind": 5, "&optind": 4096}, False),
    ],
)  # fmt: skip
async def test_the_line_that_made_a_check_false(
    body: str, check: str, values: dict[str, int], told: bool
) -> None:
    sets = f"static void set(struct part *p, int given)\n{{\n    {body}\n}}"
    assert await _told(_TEXT.replace("BODY", sets), check, "set", values) is told


@pytest.mark.parametrize(
    ("body", "told"), [("if (p->size)\n        n += 9;", False), ("n += 9;", True)]
)
async def test_what_a_call_gave_may_have_been_wrong(body: str, told: bool) -> None:
    text = _TEXT.replace("BODY\n", "").replace("    CHECK", f"    {body}\n    CHECK")
    assert await _told(text, "n <= 5", "check", {"n": 9}) is told


async def _told(text: str, check: str, function: str, values: dict[str, int]) -> bool:
    listed = text.replace("CHECK", f"assert({check})").split("\n")
    at = next(at for at, line in enumerate(listed, 1) if "assert(" in line)
    lines = tuple((at, at, line) for at, line in enumerate(listed, 1))
    code = Code(Investigation(), [SourceText("c", "a.c", lines)])
    frame = Frame(index=0, address=0, function="check", line=at, args="p=0x10, n=9")
    code.frames = [frame]
    left, sign, right = check.split()
    compares = say("compares", function="check", left=left, operator=sign, right=right, at=at)
    (line,) = (
        one for one in code.of_kind("assigns", function) if one.of("target") in ("p->body", "n")
    )
    last = say("assigns", function=function, target=line.of("target"), at=line.at)
    message = say("message", text=f"a.c:{at}: Assertion `{check}' failed.")
    ports: Any = SimpleNamespace(state=Investigation())
    dump = _Dump(ports, [message, compares, last], code, None)
    dump.frames = [frame]
    made = {"p->size": 12, "p->head": 3, "p->body": 9, "p->most": 9, "FULL": 9, "given": 9, "n": 9}
    short = {name.removeprefix("p->"): value for name, value in made.items()}
    dump.values = made | short | {"p->size-p->head": 9, "size-head": 9} | values
    return bool(await asserted(dump, line))
