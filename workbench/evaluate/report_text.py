"""A report as the scoring reads it: a few fields, and all the text that it claims."""

import re
from collections.abc import Iterator
from typing import Any

_BESIDE = {"modules", "assemblies", "threads", "explanation", "evidenceLedger", "hypotheses",
           "judge", "critique", "followUpQuestions", "checkpoints", "notices"}  # fmt: skip
_CITATION = re.compile(r"\bE\d+(:\d+(-\d+)?)?")


class Report:
    """One report; fields that are absent read as None or empty."""

    def __init__(self, raw: dict[str, Any]) -> None:
        self.raw = raw
        self.analysis = _object(raw.get("analysis"))
        self.ai = _object(self.analysis.get("aiAnalysis"))
        self.exception = _object(self.analysis.get("exception"))
        self.summary = _object(self.analysis.get("summary"))
        self.environment = _object(self.analysis.get("environment"))

    def claimed(self) -> str:
        """All text of what is concluded: what was looked at, thought of or asked on the way may
        hold any name and number of the dump."""
        kept = {key: value for key, value in self.analysis.items() if key not in _BESIDE}
        kept["aiAnalysis"] = {key: value for key, value in self.ai.items() if key not in _BESIDE}
        return _CITATION.sub("", "\n".join(strings(kept)))

    def arguments(self, name: str) -> list[object]:
        """What verified statements have for an argument of this name, and the cause's frame."""
        rows = [_object(self.ai.get("frame"))] if self.ai.get("category") != "unknown" else []
        rows += [
            {one["name"]: one["value"] for one in claim["args"]}
            for claim in self.ai.get("claims") or ()
            if claim.get("status") == "verified" and not claim.get("denied")
        ]
        return [row[name] for row in rows if row.get(name) is not None]


def strings(value: object) -> Iterator[str]:
    """Every string and number inside a JSON value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, bool) or value is None:
        return
    elif isinstance(value, int | float):
        yield str(value)
    elif isinstance(value, dict):
        for item in value.values():
            yield from strings(item)
    elif isinstance(value, list):
        for item in value:
            yield from strings(item)


def _object(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}
