"""``@abort``: the message that glibc, or Rust's std, kept when it ended the process.

``__libc_message`` (sysdeps/posix/libc_fatal.c) and ``__assert_fail_base`` (assert/assert.c) copy
it to pages of their own, ``struct abort_msg_s { unsigned int size; char msg[]; }``
(include/stdlib.h), and store the address in ``__abort_msg``. ``size`` is that of the mapping, a
multiple of the page.
"""

from itertools import pairwise
from typing import NamedTuple

from workbench.targets.dump import Dump
from workbench.targets.notes import CoreThread
from workbench.targets.probes.cfi import Caller, callers_of_thread
from workbench.targets.probes.code import Code, code_around, named_by, names_text
from workbench.targets.probes.places import PAGE, crashing_thread, place, text_of
from workbench.targets.probes.stack_scan import words_at

_MAX_MESSAGE = 16 * PAGE
_MAX_SCANNED = 512 << 20
_BLOCK = 1 << 20


def probe(core: Dump, args: list[str]) -> str:
    """The message, one line of the report for each of its lines; or that there is none."""
    kept = _of_glibc(core)
    if kept.startswith("no "):
        return kept + "".join(f"{line}\n" for line in panic_lines(core))
    return kept


def _of_glibc(core: Dump) -> str:
    pointer = _pointer(core)
    if pointer is not None:
        variable, address = pointer
        if not address:
            return f"no abort message: __abort_msg at {variable:#x} is 0x0\n"
        text = _message(core, address)
        if text is not None:
            return _report(address, text, f"named by __abort_msg at {variable:#x}")
    found = _scan(core)
    if found is not None:
        return _report(*found, "found by its layout, a page of its own")
    return "no abort message in the dump\n"


def _report(address: int, text: bytes, how: str) -> str:
    lines = [line for line in text.split(b"\n") if line.strip()]
    shown = [f"abort message at {address:#x}: {text_of(line)}" for line in lines[:1]]
    shown += [f"abort message continues: {text_of(line)}" for line in lines[1:32]]
    return "\n".join([*shown, f"message {how}", ""])


def _pointer(core: Dump) -> tuple[int, int] | None:
    """Address and value of ``__abort_msg``, when its symbol is known."""
    for module in ("libc.so", "libc-", ""):
        variable = core.symbol(module, "__abort_msg")
        value = core.read_word(variable) if variable is not None else None
        if variable is not None and value is not None:
            return variable, value
    return None


def _message(core: Dump, address: int) -> bytes | None:
    size = core.number(address, 4)
    if size is None or not 0 < size <= _MAX_MESSAGE:
        return None
    return core.read_cstring(address + 4, size - 4) or None


def _scan(core: Dump) -> tuple[int, bytes] | None:
    """A page that begins like the structure: a size of whole pages, text, then only zeros."""
    left = _MAX_SCANNED
    for region in core.regions:
        if region.kind != "anonymous" or "w" not in region.perms or left <= 0:
            continue
        end = min(region.end, region.start + left)
        left -= end - region.start
        for block in range(region.start, end, _BLOCK):
            raw = core.read(block, min(_BLOCK, end - block)) or b""
            for offset in range(0, len(raw) - PAGE + 1, PAGE):
                if raw[offset + 4 : offset + 6].isascii() and _looks_right(raw, offset, core):
                    text = _message(core, block + offset)
                    if text is not None and text.endswith(b"\n"):
                        return block + offset, text
    return None


def _looks_right(raw: bytes, offset: int, core: Dump) -> bool:
    size = int.from_bytes(raw[offset : offset + 4], "little" if core.little_endian else "big")
    if size == 0 or size % PAGE or size > _MAX_MESSAGE:
        return False
    end = raw.find(b"\0", offset + 4, offset + PAGE)
    text = raw[offset + 4 : end] if end >= 0 else raw[offset + 4 : offset + PAGE]
    if len(text) < 4 or not text.replace(b"\n", b"").decode("utf-8", "replace").isprintable():
        return False
    return end < 0 or not raw[end : offset + PAGE].strip(b"\0")


# The functions through which a Rust panic ends a process hold texts of their own
# (library/std/src/panicking.rs, rtabort!). Outside of them, the call that panicked passes its
# core::panic::Location: a file's name as address and length, a line and a column of 32 bits each
# (library/core/src/panic/location.rs). What std formatted stays in the payload, between the copies
# of that location's address on the stack.
_ENDS = (b"thread caused non-unwinding panic", b"thread panicked while processing panic",
         b"fatal runtime error: failed to initiate panic", b"failed to initiate panic")  # fmt: skip
_CALLERS = 32
_BEFORE = 8
"""A call's arguments are set by the few instructions in front of it."""
_LONGEST_PATH, _MOST_LINES, _MOST_COLUMNS = 1024, 1 << 24, 1 << 16
_LOCATION = 24
_LONGEST_MESSAGE = 4096
_REACH = 0x2000
_SHORTEST_PIECE, _LONGEST_PIECE = 8, 128
_C_RUNTIME = ("libc.so", "libc-", "libstdc++", "ld-linux", "libpthread")


class Location(NamedTuple):
    """A ``core::panic::Location``."""

    file: bytes
    line: int
    column: int


def panic_lines(core: Dump) -> list[str]:
    """Lines on the panic that a thread ended in; none where it ended in another way."""
    thread = crashing_thread(core)
    if thread is None or thread.signal != 6 or core.arch != "x86_64":
        return []
    lines: list[str] = []
    called: Code | None = None
    for caller in callers_of_thread(core, thread, _CALLERS):
        module = core.module_at(caller.call.address)
        if module is None or module.name.startswith(_C_RUNTIME):
            continue
        function = code_around(core, caller.call.address)
        if function is None:
            continue
        said = names_text(core, function, _ENDS)
        if said is not None:
            lines = lines or [
                f"rust panic: the function at {function.start:#x} ({place(core, function.start)}) "
                f"names the text: {text_of(said)}"
            ]
        elif lines:
            passed = _passed(core, function, caller)
            if passed is not None:
                return lines + _told(core, thread, caller, passed, _pieces(core, called))
        called = function
    return lines


def _passed(core: Dump, function: Code, caller: Caller) -> int | None:
    """The location that stands nearest in front of a call, with no other call in between."""
    call = function.at.get(caller.call.address)
    if call is None:
        return None
    found = None
    for index, target in named_by(function):
        if not call - _BEFORE <= index < call or _location(core, target) is None:
            continue
        if not any("call" in item.mnemonic
                   for item in function.instructions.outlines[index:call]):  # fmt: skip
            found = target
    return found


def _location(core: Dump, address: int) -> Location | None:
    raw = core.read(address, _LOCATION)
    if raw is None:
        return None
    path, size, line, column = (
        int.from_bytes(raw[begin:end], "little") for begin, end in pairwise((0, 8, 16, 20, 24))
    )
    if not (3 < size <= _LONGEST_PATH and 0 < line < _MOST_LINES and 0 < column < _MOST_COLUMNS):
        return None
    file = core.read(path, size)
    return Location(file, line, column) if file is not None and file.endswith(b".rs") else None


def _pieces(core: Dump, called: Code | None) -> list[bytes]:
    """The fixed parts of the message of a function of core's that panics by itself, such as
    ``slice_index_fail``, as far as it names them: since Rust 1.93 they stand behind their length
    (library/core/src/fmt/mod.rs, ``Arguments``)."""
    targets = {target for _, target in named_by(called)} if called is not None else set()
    found = (part_of(core.read(target, _LONGEST_PIECE) or b"") for target in targets)
    return [piece for piece in found if piece]


def part_of(raw: bytes) -> bytes:
    """The part of a message that stands behind its length, with the end or an argument behind it,
    whose first byte is no length; empty for any other bytes, such as a plain text."""
    piece, rest = raw[1 : 1 + raw[0]] if raw else b"", raw[1 + raw[0] :] if raw else b""
    ends = rest[:1] == b"\0" or rest > b"\x7f"
    return piece if ends and len(piece) >= _SHORTEST_PIECE and _is_text(piece) else b""


def _told(
    core: Dump, thread: CoreThread, caller: Caller, at: int, pieces: list[bytes]
) -> list[str]:
    location = _location(core, at)
    if location is None:
        return []
    call = caller.call
    lines = [
        f"rust panic at {text_of(location.file)}:{location.line}:{location.column}: the call at "
        f"{call.address:#x} ({place(core, call.address)}) passes this location, {at:#x}, and "
        f"returns to {call.end:#x}"
    ]
    message = _panic_message(core, thread, at, pieces)
    if message is not None:
        begin, text = message
        shown = [text_of(line) for line in text.split(b"\n") if line.strip()][:16]
        lines.append(f"rust panic message at {begin:#x}: {shown[0]}")
        lines += [f"rust panic message continues: {line}" for line in shown[1:]]
    return lines


def _panic_message(
    core: Dump, thread: CoreThread, at: int, pieces: list[bytes]
) -> tuple[int, bytes] | None:
    """The first text, as address and length, between the copies of the location's address, that
    has a part of what the function prints: there are the program's own texts as well."""
    if thread.sp is None:
        return None
    start = thread.sp & ~7
    words = words_at(core, start, start + _REACH)
    copies = [index for index, (_, word) in enumerate(words) if word == at]
    if len(copies) < 2:
        return None
    for (_, address), (_, size) in pairwise(words[copies[0] : copies[-1]]):
        if not 0 < size <= _LONGEST_MESSAGE or address < size:
            continue
        text = core.read(address, size)
        if text is None or not text.strip() or not _is_text(text):
            continue
        if not pieces or any(piece in text for piece in pieces):
            return address, text
    return None


def _is_text(raw: bytes) -> bool:
    try:
        text = raw.decode()
    except UnicodeDecodeError:
        return False
    return len(text) > 1 and all(c.isprintable() or c in "\n\t" for c in text)
