"""Folders whose ``manifest.json`` states facts and a cause in words: a list of objects with
``file``, ``kind`` and ``truth`` (``os cpu exception address threads modules crashing_thread_id
cause numbers``; null means unknown)."""

import json
from pathlib import Path
from typing import Any

from workbench.evaluate.corpora.loaders.words import expected_of, stated
from workbench.evaluate.schema import Case, Expected, Manifest


def suite(folder: Path) -> Manifest | None:
    """None unless the manifest is of this kind."""
    try:
        raw = json.loads((folder / "manifest.json").read_bytes())
    except (OSError, ValueError):
        return None
    if isinstance(raw, dict):
        if "cases" in raw:
            return None
        raw = next((value for value in raw.values() if isinstance(value, list)), [])
    if not isinstance(raw, list):
        return None
    cases = tuple(_case(row) for row in raw if isinstance(row, dict) and _file(row))
    return Manifest(name=folder.name, cases=cases)


def _file(row: dict[str, Any]) -> str:
    file = row.get("file", row.get("path"))
    return file if isinstance(file, str) else ""


def _case(row: dict[str, Any]) -> Case:
    truth = dict(row.get("truth") or {})
    cause = stated(truth.pop("cause", None))
    known: dict[str, Any] = expected_of(cause) if cause is not None else {}
    facts = {name: value for name, value in truth.items() if value is not None}
    facts["numbers"] = [*(facts.get("numbers") or ()), *known.get("facts", {}).get("numbers", ())]
    known["facts"] = {k: v for k, v in (known.get("facts", {}) | facts).items() if v != []}
    expected = Expected(**known, severity_known=False)
    return Case(target=_file(row), batch=str(row.get("kind") or "other"), expected=expected)
