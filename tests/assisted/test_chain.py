"""A strong analyst's part in a whole run: its chain brings the origin into the headline, and no lie
does."""

import re
from pathlib import Path
from typing import Any

import pytest

from tests.assisted.conftest import Investigate
from tests.assisted.script import Scripted, statement
from tests.samples.away import AWAY, Away
from tests.samples.case import make
from workbench.llm.port import Question
from workbench.model.limits import Limits
from workbench.model.report import Report

Asked = Question[Any]
_LISTING = "list telemetry.c:1,160"
_CELL = "frame apply level 2 -q print &channels[0].samples[14]"
_VALUE = "frame apply level 2 -q print channels[0].samples[14]"
_COUNT = "frame apply level 2 -q print channels[0].count"


def told(asked: Asked) -> str:
    return "\n".join(message.content for message in asked.messages)


def address(asked: Asked, pattern: str) -> str:
    found = re.search(pattern, told(asked))
    assert found is not None, pattern
    return found[1]


class Analyst:
    """Plays the model on telemetry.c: a count of elements is passed where bytes are wanted."""

    def __init__(self, line: int, **wrong: Any) -> None:
        self.line = line
        self.wrong = wrong

    def model(self) -> Scripted:
        return Scripted({"hypotheses": self.hypotheses, "investigate": [self.look, self.conclude]})

    def hypotheses(self, asked: Asked) -> dict[str, Any]:
        foretold = statement("value", expression="channels[0].samples[14]", value=1098)
        return {
            "hypotheses": [
                {
                    "category": "heap-buffer-overflow",
                    "statement": "The arena gives a channel fewer bytes than its samples take.",
                    "function": "compatible",
                    "commands": [_COUNT],
                    "predictions": [
                        {
                            "command": self.wrong.get("asks", _VALUE),
                            "statement": self.wrong.get("foretold", foretold),
                        }
                    ],
                }
            ]
        }

    def look(self, asked: Asked) -> Any:
        return [("exec", {"command": c}) for c in (_LISTING, _CELL)]

    def conclude(self, asked: Asked) -> Any:
        source = address(asked, r"rax was loaded with 0x[0-9a-f]+ from (0x[0-9a-f]+)")
        value = address(asked, r"rax was loaded with (0x[0-9a-f]+) from")
        stated = [
            statement("access", access="read", address=value, register="rax"),
            statement("loaded", register="rax", value=value, source=source),
            statement("value", expression="&channels[0].samples[14]", value=source),
            statement("assigns", function="channel_record", target="channel->samples[at]",
                      expression="first + (int32_t)at * step"),
            statement("assigns", function="channel_open", target="channel->samples",
                      expression="arena_take(&recorder->arena, count)"),
            statement("passes", function="channel_open", callee="arena_take", index=2,
                      expression="count", at=self.line),
        ]  # fmt: skip
        answer = {
            "hypothesis": self.wrong.get("hypothesis", "H5"),
            "category": self.wrong.get("category", "heap-buffer-overflow"),
            "confidence": 0.95,
            "statements": self.wrong.get("statements", lambda s: s)(stated),
            "chain": self.wrong.get("chain", [1, 2, 3, 4, 5, 6]),
            "origin": {
                "kind": self.wrong.get("kind", "passed-wrong"),
                "function": self.wrong.get("function", "channel_open"),
                "file": "telemetry.c",
                "line": self.line,
            },
            "explanation": "The arena takes bytes; it is given a count of 32-bit samples.",
        }
        return [("analysis_complete", answer)]


@pytest.fixture(scope="module")
def telemetry() -> tuple[Away, Path, Path]:
    away = next(one for one in AWAY if one.name == "telemetry.c")
    executable, core = make(away.case)
    return away, executable, core


async def run(investigate: Investigate, telemetry: tuple[Away, Path, Path], **wrong: Any) -> Report:
    away, executable, core = telemetry
    analyst = Analyst(away.lines()[0], **wrong)
    session = await investigate(
        analyst.model(), Limits(iterations=6, told=60_000, excerpt=16_384), core=(executable, core)
    )
    return await session.build_report()


async def test_the_origin_is_in_the_headline(
    investigate: Investigate, telemetry: tuple[Away, Path, Path]
) -> None:
    report = await run(investigate, telemetry)
    ai = report.analysis.ai_analysis
    assert ai.origin is not None, [(c.text, c.status, c.reason) for c in ai.claims]
    assert (ai.origin.kind, ai.origin.function) == ("passed-wrong", "channel_open")
    assert ai.origin.line == telemetry[0].lines()[0]
    assert ai.root_cause is not None
    assert ai.root_cause.startswith("`channel_open` at `telemetry.c:")
    assert ai.category == "heap-buffer-overflow"
    assert ai.confidence is not None
    assert 0.5 < ai.confidence <= 0.8
    assert len(ai.chain) == 6
    assert ai.symptom is not None
    assert ai.symptom.category != ai.category
    chosen = next(h for h in ai.hypotheses if h.by == "model")
    assert [one.outcome for one in chosen.predictions] == ["true"]
    assert chosen.status == "confirmed"


FALSE_VALUE = statement("value", expression="channels[0].samples[14]", value=1099)


@pytest.mark.parametrize(
    "wrong",
    [
        {"kind": "freed"},
        {"function": "sink_open"},
        {"chain": [1, 2, 4, 6]},
        {"chain": [2, 3, 4, 5, 6]},
        {"chain": []},
        {"foretold": FALSE_VALUE},
        {"foretold": statement("value", expression="sizeof(int)", value=4),
         "asks": "p sizeof(int)"},
        {"foretold": statement("register", register="rax", frame=0), "asks": "info registers rax"},
        {"category": "deadlock"},
        {"category": "use-after-free"},
        {"kind": "locked"},
        {"hypothesis": "H4"},
        {"statements": lambda s: [*s[:5], {**s[5], "args": [*s[5]["args"][:2],
                                  {"name": "index", "value": "1"}, *s[5]["args"][3:]]}]},
        {"statements": lambda s: [s[0], {**s[1], "args": [{"name": "register", "value": "rbx"},
                                  *s[1]["args"][1:]]}, *s[2:]]},
    ],
    ids=["kind", "function", "broken", "no fault", "no chain", "foretold wrongly", "trivia",
         "known before",
         "category", "another's category", "lock", "rejected", "argument",
         "register"],
)  # fmt: skip
async def test_what_does_not_hold_names_no_origin(
    investigate: Investigate, telemetry: tuple[Away, Path, Path], wrong: dict[str, Any]
) -> None:
    ai = (await run(investigate, telemetry, **wrong)).analysis.ai_analysis
    assert ai.origin is None
    assert ai.chain == ()
    assert "channel_open" not in str(ai.root_cause)
