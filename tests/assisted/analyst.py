"""Plays a strong model: what a good analyst answers to what the product shows, kept as data.

`analysts.toml` has a table for each crash of ``tests/samples/away``: ``looks`` (calls of tools,
``tool: argument``), ``steps`` (statements, ``kind; name=value; …; @line``, the chain in this order;
one that begins with ``+`` stands beside it), ``predict`` (``command => statement``), ``category``,
``origin`` (kind, function) and ``names``: what differs from run to run, as a pattern of what the
model was told; ``line: TEXT`` is the number of the listed line that holds the text. ``open``: no
chain leads to its origin yet, or no value of the dump shows it.
"""

import re
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from tests.assisted.script import Scripted, statement
from workbench.llm.port import Question

ANSWERS: dict[str, dict[str, Any]] = tomllib.loads(
    Path(__file__).with_name("analysts.toml").read_text()
)
_ARGUMENT = {"exec": "command", "source": "function", "heap": "address", "calc": "expression",
             "writers": "field", "callers": "function", "find_value": "value"}  # fmt: skip
WINDOW = 128_000

Spoil = Callable[[dict[str, Any]], None]
"""Changes a final answer into a lie."""


class Analyst:
    """The model of one crash; ``spoil`` makes its final answer a lie."""

    def __init__(self, answer: Mapping[str, Any], spoil: Spoil | None = None) -> None:
        self._answer = answer
        self._spoil = spoil
        self._names: dict[str, str] = {}

    def model(self) -> Scripted:
        """It looks, then concludes, and gives the same answer whenever it is asked again."""
        looks = [self._looks(row) for row in self._answer.get("looks", ())]
        return Scripted({"investigate": [*looks, self._conclude]}, window=WINDOW)

    def _looks(self, row: list[str]) -> Callable[[Question[Any]], Any]:
        def calls(asked: Question[Any]) -> Any:
            self._learn(asked)
            found = []
            for text in row:
                tool, _, given = text.partition(": ")
                found.append((tool, {_ARGUMENT[tool]: self._filled(given)}))
            return found

        return calls

    def _conclude(self, asked: Question[Any]) -> Any:
        self._learn(asked)
        kind, function = self._answer["origin"].split()
        rows = [row for row in self._answer["steps"].strip().splitlines() if row.strip()]
        command, _, foretold = self._answer["predict"].partition(" => ")
        said = {
            "category": self._answer["category"],
            "confidence": 0.95,
            "statements": [self._stated(row.removeprefix("+ ")) for row in rows],
            "chain": [at for at, row in enumerate(rows, 1) if not row.startswith("+")],
            "origin": {"kind": kind, "function": function, "file": self._answer["file"],
                       "line": int(self._names["line"])},
            "predictions": [
                {"command": self._filled(command), "statement": self._stated(foretold)}
            ],
            "explanation": self._answer.get("explanation", "It began there."),
        }  # fmt: skip
        if self._spoil is not None:
            self._spoil(said)
        return [("analysis_complete", said)]

    def _stated(self, row: str) -> dict[str, Any]:
        kind, *args = self._filled(row).split("; ")
        cites = [arg[1:] for arg in args if arg.startswith("@")]
        return statement(kind, *cites, **dict(a.split("=", 1) for a in args if a[0] != "@"))

    def _learn(self, asked: Question[Any]) -> None:
        told = "\n".join(message.content for message in asked.messages)
        for name, pattern in self._answer["names"].items():
            if pattern.startswith("line: "):
                pattern = rf"E\d+:\d+\| (\d+)\s.*{re.escape(pattern.removeprefix('line: '))}"
            found = re.search(self._filled(pattern), told)
            if found is not None and name not in self._names:
                self._names[name] = found[1]

    def _filled(self, text: str) -> str:
        for name, value in self._names.items():
            text = text.replace(f"{{{name}}}", value)
        return text
