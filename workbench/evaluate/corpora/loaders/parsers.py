"""Logs that the tests of other crash parsers come with, and what those tests expect of them.

A checkout of clusterfuzz (``stack_analyzer_test.py`` beside ``stack_analyzer_data``) or of
FuzzManager (``test_CrashInfo.py`` beside ``fixtures``) is read as data: its code is parsed, never
run, and no part of it is copied here.
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from workbench.evaluate.schema import Case, Expected, Manifest

_CHOSEN = "assertion-failure explicit-abort panic trap std-terminate uncaught-exception"
_POINTER = ("wild-pointer corrupted-pointer uninitialized-pointer write-to-read-only-memory "
            "out-of-bounds-read out-of-bounds-write invalid-vtable misaligned-access")  # fmt: skip
_NULL = "null-pointer-dereference null-function-pointer-call"
_BOUNDS = ("heap-buffer-overflow stack-buffer-overflow buffer-overflow out-of-bounds-read "
           "out-of-bounds-write")  # fmt: skip
_NEAR_NULL = 0x10000
_INSTRUCTIONS = {"int3": "breakpoint", "(bad)": "ill", "ud2": "ill"}
# A parser's name for what happened: the categories that say the same. The first that is found.
_TYPES: tuple[tuple[str, str], ...] = (
    (r"use-after-free|use-after-return|use-after-poison|dtor", "use-after-free"),
    (r"double-free", "double-free"),
    (r"(?:invalid|bad)-free|attempting free on address", "invalid-free"),
    (r"dealloc-mismatch", "mismatched-deallocation"),
    (r"stack-overflow|stack overflow|has overflowed its stack", "stack-overflow"),
    (r"param-overlap|negative-size-param", f"{_BOUNDS} integer-overflow"),
    (r"buffer-overflow|out-of-bounds|container-overflow|tail-overwritten|object-size|"
     r"index out of|slice bounds", f"{_BOUNDS} panic"),
    (r"heap-corruption", "heap-corruption double-free invalid-free heap-buffer-overflow"),
    (r"tag-mismatch", f"use-after-free {_BOUNDS}"),
    (r"use-of-uninit", "uninitialized-value"),
    (r"data race", "data-race"),
    (r"lock-order", "deadlock"),
    (r"fishy", f"integer-overflow {_BOUNDS}"),
    (r"source and destination overlap", _BOUNDS),
    (r"invalid (?:read|write) of", f"{_BOUNDS} {_POINTER} {_NULL} use-after-free"),
    (r"invalid free\(\)", "invalid-free double-free mismatched-deallocation"),
    (r"conditional jump|uninitialised", "uninitialized-value"),
    (r"jump to the invalid", f"{_NULL} {_POINTER}"),
    (r"makeslice|allocation size|failed to allocate",
     "integer-overflow out-of-memory unchecked-allocation panic"),
    (r"memory limit|out-of-memory|out of memory|rss limit|\boom\b",
     "out-of-memory unchecked-allocation"),
    (r"leak|lost", "memory-leak"),
    (r"timeout", "infinite-loop high-cpu deadlock"),
    (r"divide|floating-point", "divide-by-zero panic"),
    (r"integer-overflow|pointer-overflow|implicit-conv|vla-bound|undefined-shift|shift",
     "integer-overflow"),
    (r"upcast-of-null|null-deref|null pointer|invalid memory address", _NULL),
    (r"bad-cast|function-pointer-type|vptr", "type-confusion invalid-vtable"),
    (r"misaligned", "misaligned-access"),
    (r"bool-value|enum-value", "uninitialized-value"),
    (r"missing-library", "library-load-failure"),
    (r"overwrites-const", "write-to-read-only-memory"),
    (r"sandbox violation", f"{_BOUNDS} {_POINTER} {_NULL}"),
    (r"unexpected-exit", _CHOSEN),  # a failed check may exit
    (r"translation fault|general-protection|user-memory", f"{_POINTER} {_NULL}"),
    (r"^bus$", "bus-error misaligned-access truncated-mapping"),
    (r"^ill$|trap|breakpoint|unreachable|assumption", f"illegal-instruction {_CHOSEN}"),
    (r"fatal-signal|process terminating", f"{_CHOSEN} {_POINTER} {_NULL}"),
    (r"check|assert|abrt|fatal error|exception|panick|api error|correctness|moz_crash|fail",
     f"{_CHOSEN} {_NULL} pure-virtual-call heap-corruption".replace(_NULL, "")),
    (r"^unknown$", f"{_POINTER} use-after-free stack-overflow {_CHOSEN}"),  # of what kind none saw
    (r"unknown|^read|^write|segv|access", f"{_POINTER} use-after-free stack-overflow"),
)  # fmt: skip


def suite(folder: Path) -> Manifest | None:
    """What a checkout's tests state; None for any other folder."""
    for name, read in (("stack_analyzer_test.py", _clusterfuzz), ("test_CrashInfo.py", _fuzz)):
        for test in sorted(folder.rglob(name)):
            cases = tuple(
                Case(
                    target=str(file.relative_to(folder)),
                    batch=test.parent.name,
                    expected=_expected(truth),
                )
                for file, truth in read(test)
                if file.is_file()
            )
            return Manifest(name=test.stem, source=str(test.relative_to(folder)), cases=cases)
    return None


def _expected(truth: dict[str, Any]) -> Expected:
    found = categories(truth)
    frames = [name for state in truth["frames"] if (name := _frame(state))]
    stack = [name for name in truth.get("stack", ()) if re.match(r"[\w:~]+$", name)]
    facts = {"frames": frames, "stack": stack, "address": truth["address"]}
    return Expected(
        category=found[0] if found else None,
        also=tuple(found[1:]),
        facts={name: value for name, value in facts.items() if value not in ([], None)},
    )


def _frame(state: str) -> str:
    """The function that a state names, without its type and arguments, or the file where it names
    one in place of a fuzzer's entry or behind a message; empty for another message, the name of
    what was fuzzed, and ``NULL``, which is no state."""
    place = re.search(r"(?:^|\bin )([\w.-]+\.(?:c|cc|cpp|h|rs|go))$", state)
    if place is not None:
        return place[1]
    while (name := re.sub(r"(?<=\w)<[^<>]*>", "", state)) != state:
        state = name
    name = re.sub(r"(?<=\w)(?:<|\((?!\*)).*", "", state)  # (*T) is a receiver of Go's
    *returns, name = name.split() or [""]
    known = re.fullmatch(r"[\w:~$.*()]+(?:(?<=operator)\W{1,3})?", name) and name != "NULL"
    return name if known and (not returns or ("::" in name and not returns[1:])) else ""


def categories(truth: dict[str, Any]) -> list[str]:
    """The categories that a parser's name for what happened stands for; none for an unknown one.
    What is near null may be called so."""
    text = str(truth.get("said")).replace("_", "-").strip().lower()
    found = next((kinds.split() for sign, kinds in _TYPES if re.search(sign, text)), [])
    near = truth.get("address") is not None and truth["address"] < _NEAR_NULL
    return found + (_NULL.split() if near and "wild-pointer" in found else [])


def _tests(path: Path) -> Iterator[ast.FunctionDef]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
            yield node


def _value(node: ast.expr) -> Any:
    try:
        return ast.literal_eval(node)
    except ValueError:
        return None


def _clusterfuzz(path: Path) -> Iterator[tuple[Path, dict[str, Any]]]:
    told: dict[str, dict[str, Any]] = {}
    for test in _tests(path):
        read = [
            _value(call.args[0])
            for call in ast.walk(test)
            if isinstance(call, ast.Call) and getattr(call.func, "attr", "") == "_read_test_data"
        ]
        said: dict[str, Any] = {
            node.targets[0].id: _value(node.value)
            for node in ast.walk(test)
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
        }
        if len(read) == 1 and read[0] and said.get("expected_type"):
            states = [s for s in str(said.get("expected_state") or "").split("\n") if s]
            if len(states) == 1 and re.match("Out-of-memory|Timeout", str(said["expected_type"])):
                states = []  # what was fuzzed
            truth = {"said": said["expected_type"], "frames": states}
            address = str(said.get("expected_address") or "")
            truth["address"] = int(address, 16) if re.fullmatch(r"0x[0-9a-f]+", address) else None
            told.setdefault(str(read[0]), truth)
    for name, truth in told.items():
        yield path.parent / "stack_analyzer_data" / name, truth


def _joined(test: ast.FunctionDef, call: ast.expr) -> bool:
    """True where a call reads more than the file: lines that the test itself holds."""
    lists = {
        node.targets[0].id
        for node in ast.walk(test)
        if isinstance(node, ast.Assign)
        and isinstance(node.targets[0], ast.Name)
        and isinstance(node.value, ast.List)
        and node.value.elts
    }
    return any(isinstance(node, ast.Name) and node.id in lists for node in ast.walk(call))


def _fuzz(path: Path) -> Iterator[tuple[Path, dict[str, Any]]]:
    told: dict[str, dict[str, Any]] = {}
    for test in _tests(path):
        files: dict[str, str] = {}
        for node in ast.walk(test):
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                names = re.findall(r"['\"]([\w.-]+\.txt)['\"]", ast.unparse(node.value))
                if names and not _joined(test, node.value):
                    files[node.targets[0].id] = names[0]
        for node in ast.walk(test):
            if not (isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.Eq)):
                continue
            what, value = ast.unparse(node.left), _value(node.comparators[0])
            file = files.get(what.partition(".")[0])
            if file is None or value is None:
                continue
            truth = told.setdefault(file, {"said": "", "frames": [], "stack": [], "address": None})
            if "createShortSignature" in what and not str(value).startswith("[@"):
                truth["said"] = str(value).partition(" [@")[0]
            elif (
                ".backtrace[" in what
                and isinstance(value, str)
                and value not in ("??", "<missing>")
            ):
                truth["stack"].append(value)
            elif what.endswith(".crashAddress"):
                truth["address"] = value
            elif what.endswith(".crashInstruction") and not truth["said"]:
                truth["said"] = _INSTRUCTIONS.get(str(value).replace(" ", ""), "access")
    for name, truth in told.items():
        yield path.parent / "fixtures" / name, truth
