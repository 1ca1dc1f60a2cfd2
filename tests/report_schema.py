"""The JSON schema of the report, as ``docs/report.schema.json`` has it:

python -m tests.report_schema > docs/report.schema.json
"""

import json
import re
from typing import Any

import msgspec

from workbench.model.report import Report


def report_schema() -> dict[str, Any]:
    """With the keys that the report has in the words that describe it."""
    schema = msgspec.json.decode(msgspec.json.encode(msgspec.json.schema(Report)))
    for one in schema["$defs"].values():
        told = " ".join(one["description"].split()).replace("None", "null")
        one["description"] = re.sub(r"``[a-z_]+``", _as_key, told)
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}


def _as_key(name: re.Match[str]) -> str:
    return re.sub(r"_([a-z])", lambda letter: letter[1].upper(), name[0])


if __name__ == "__main__":
    print(json.dumps(report_schema(), indent=1))
