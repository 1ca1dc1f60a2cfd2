"""Rust's panics and its runtime's last words (library/std/src/panicking.rs, alloc.rs)."""

import re
from collections.abc import Mapping

from msgspec.structs import replace

from analyzers.base import Analysis, Document
from analyzers.blocks import first_of
from analyzers.log.format import Format, Row, findings_of
from analyzers.log.frames import frame_by, numbered_frame
from analyzers.log.text import analysis_of
from workbench.model.category import Category as C
from workbench.model.facts import Finding, Frame

_FRAME = re.compile(
    r"^\s{0,8}(?P<index>\d{1,5}):\s{1,8}(?:(?P<address>0x[0-9a-fA-F]{1,16}) - "
    r")?(?P<function>\S.{0,3000}?)(?:::h[0-9a-f]{16})?\s*$"
)
_AT = re.compile(r"^\s{4,60}at (?P<file>\S.{0,400}?):(?P<line>\d{1,9})(?::\d{1,9})?$")
_BEHIND = re.compile(r"^.{0,1500}?['\"], (?P<file>\S{1,400}?):(?P<line>\d{1,9})(?::\d{1,9})?$")

# library/std/src/panicking.rs: above it stands the hook that it called, the program's own or not.
_HOOKED = re.compile(r"(?:std::panicking::|_?)(?:rust_panic_with_hook|rust_begin_unwind)\b")
_TEST = r"^(?:test \S{1,300}(?: - should panic)? \.\.\. )?"  # libtest has shown on the line
_THREADS = _TEST + r"thread '[^'\n]{0,120}'(?: \(\d{1,12}\))?"
_THREAD = re.compile(_TEST + r"thread '([^'\n]{1,400})'")
_TESTED = re.compile(
    r"^test (\S{1,400})(?: - should panic)? +\.\.\. (?:(ok|FAILED)\b)?|^(ok|FAILED)$"
)

# What the compiler and core themselves say (core/src/panicking.rs); the same words further on are
# the program's own.
_MESSAGES: tuple[tuple[str, C], ...] = (
    (r"^attempt to (?:divide by|calculate the remainder with a divisor of) zero", C.DIVIDE_BY_ZERO),
    (r"^attempt to [\w ]{1,40} with overflow", C.INTEGER_OVERFLOW),
    (r"^null pointer dereference occurred", C.NULL_POINTER_DEREFERENCE),
    (r"^misaligned pointer dereference", C.MISALIGNED_ACCESS),
    (r"^(?:assertion (?:`|'|failed)|unsafe precondition)", C.ASSERTION_FAILURE),
    (r"^memory allocation of \d+ bytes failed", C.OUT_OF_MEMORY),
)


def _category(groups: Mapping[str, str], message: str) -> C:
    return first_of(_MESSAGES, message.lstrip("'\"")) or C.PANIC


_ROWS = (
    Row("rust", "Rust", "panic", rf"{_THREADS} panicked at "
        r"['\"](?P<message>.{0,4000}?)['\"], "
        r"(?P<file>[^\n]{1,400}?):(?P<line>\d{1,9})(?::\d{1,9})?$", _category, ends=None),
    Row("rust", "Rust", "panic",
        rf"{_THREADS}"
        r" panicked at (?P<file>[^'\"\s]\S{0,400}?):"
        r"(?P<line>\d{1,9})(?::\d{1,9})?:$", _category, (r"+^(?P<message>\S.{0,2000})$",),
        ends=None),
    Row("rust", "Rust", "panic",
        rf"{_THREADS}"
        r" panicked at (?:(?P<file>[^'\"\s]\S{0,400}?):(?P<line>\d{1,9})(?::\d{1,9})?:\s+)?"
        r"(?P<message>.{1,4000})$",
        _category, ends=None),
    Row("rust", "Rust", "stack overflow",
        rf"{_THREADS} has overflowed its stack", C.STACK_OVERFLOW,
        rank=0),
    Row("rust", "Rust", "allocation failed",
        r"^(?P<message>memory allocation of \d{1,20} bytes) failed", C.OUT_OF_MEMORY),
    Row("rust", "Rust", "stack overflow", r"^fatal runtime error: stack overflow",
        C.STACK_OVERFLOW),
    Row("rust", "Rust", "aborting", r"^(?P<message>thread (?:caused non-unwinding panic|panicked "
        r"while (?:processing panic|panicking)))\. aborting\.", C.PANIC),
    Row("rust", "Rust", "aborting", r"^(?:error:)?\s{0,9}(?P<message>process didn't exit "
        r"successfully: .{0,400}\(signal: 6, SIGABRT: .*)$", C.PANIC),
    Row("rust", "Rust", "aborting",
        r"^(?P<message>fatal runtime error: failed to initiate panic.{0,80})$", C.EXPLICIT_ABORT),
    Row("rust", "Rust", "fatal runtime error", r"^fatal runtime error: ", C.PANIC),
    Row("rust", "Rust", "panic", r"^The application panicked \(crashed\)", _category,
        (r"+^Message: {1,4}(?P<message>\S.{0,1000})$",)),
)  # fmt: skip


def frame_of(line: str, number: int) -> Frame | None:
    """A numbered line of a Rust backtrace, or a sanitizer's."""
    match = _FRAME.match(line)
    return numbered_frame(line, number) if match is None else frame_by(match, 0, number)


_FORMAT = Format(_ROWS, lambda: frame_of)


def read(document: Document) -> Analysis:
    """The panics in their order, each with its backtrace."""
    found = _outlived(document, findings_of(document, _FORMAT))
    places = _places(document)
    placed = [_placed(finding, places) for finding in found]
    return analysis_of(document, [_named(document, finding) for finding in placed])


def _outlived(document: Document, found: list[Finding]) -> list[Finding]:
    """The findings; what a test panicked with that ended well ended nothing. libtest calls the
    thread by its test (library/test/src/lib.rs), and tests of two programs may have one name."""
    lines = dict(document.numbered())
    told, test = set(), None
    for line in lines.values():
        match = _TESTED.match(line[:1000])
        if match is not None:  # of one test at a time the output stands between its name and how
            told.add((match[1] or test, match[2] or match[3]))
            test = match[1]
    well = {name for name, how in told if how == "ok" and (name, "FAILED") not in told}
    threads = ((one, _THREAD.match(lines[one.cite.first][:1000])) for one in found)
    return [replace(f, ends=False) if t is not None and t[1] in well else f for f, t in threads]


def _named(document: Document, finding: Finding) -> Finding:
    """The place of a message of several lines: it stands behind the last of them."""
    if finding.place is not None:
        return finding
    for number, line in document.numbered()[finding.line : finding.line + 12]:
        found = _BEHIND.match(line[:2000])
        if found is not None:
            place = f"{found['file']}:{found['line']}"
            return replace(finding, place=place, place_line=number)
    return finding


def _places(document: Document) -> dict[int, tuple[str, int, int]]:
    """For the line of a frame, the source place that the line below gives, and that line."""
    found: dict[int, tuple[str, int, int]] = {}
    frame = 0
    for number, line in document.numbered():
        if _FRAME.match(line[:4000]):
            frame = number
            continue
        at = _AT.match(line[:1000])
        if at is not None and frame and frame not in found:
            found[frame] = (at["file"], int(at["line"]), number)
    return found


def _at(frame: Frame, file: str, line: int, number: int) -> Frame:
    return replace(frame, file=file, line=line, file_lines=(number, number))


def _placed(finding: Finding, places: dict[int, tuple[str, int, int]]) -> Finding:
    stacks = []
    for role in finding.stacks:
        runs = next((at for at, f in enumerate(role.frames) if _HOOKED.match(f.function or "")), 0)
        frames = tuple(
            _at(f, *places[f.line_no]) if f.line_no in places and f.file is None else f
            for f in role.frames[runs:]
        )
        stacks.append(replace(role, frames=frames))
    return replace(finding, stacks=tuple(stacks))
