"""A corpus that costs little: logs, and on wish one program."""

import json
from pathlib import Path
from typing import Any

ASAN = """\
==812==ERROR: AddressSanitizer: heap-use-after-free on address 0x602000000010 at pc 0x401136
READ of size 8 at 0x602000000010 thread T0
    #0 0x401136 in drawer_count /src/drawer.c:31
    #1 0x401200 in main /src/main.c:9
0x602000000010 is located 0 bytes inside of 16-byte region [0x602000000010,0x602000000020)
freed by thread T0 here:
    #0 0x7f1c in free
    #1 0x401180 in drawer_close /src/drawer.c:40
SUMMARY: AddressSanitizer: heap-use-after-free /src/drawer.c:31 in drawer_count
"""
PANIC = "thread 'main' panicked at src/main.rs:5:9:\nattempt to divide by zero\n"


def write(folder: Path, *, program: bool = False, **expected: Any) -> Path:
    """A folder with its manifest; ``expected`` goes to the first log's case."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "freed.log").write_text(ASAN)
    (folder / "panic.log").write_text(PANIC)
    known = {"category": "use-after-free", "functions": ["drawer_count"], "severityKnown": False}
    cases: list[dict[str, Any]] = [
        {"target": "freed.log", "expected": known | expected},
        {"target": "panic.log", "expected": {"category": "divide-by-zero", "also": ["panic"],
                                             "severityKnown": False}},
    ]  # fmt: skip
    if program:
        (folder / "null.c").write_text(
            "static void set(int *where) { *where = 1; }\n"
            "int main(void) { int *volatile none = 0; set(none); }\n"
        )
        cases.append({"target": "null.c", "make": {"flags": ["-g", "-O0"]}, "expected": {
            "category": "null-pointer-dereference", "functions": ["set"],
            "severity": "DestAvNearNull"}})  # fmt: skip
    manifest = {"schemaVersion": 1, "name": "till", "licence": "CC0-1.0", "cases": cases}
    (folder / "manifest.json").write_text(json.dumps(manifest))
    return folder
