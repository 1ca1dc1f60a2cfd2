"""``@abort``: the message that glibc, or Rust's std, kept when it ended the process.

``__libc_message`` (sysdeps/posix/libc_fatal.c) and ``__assert_fail_base`` (assert/assert.c) copy
it to pages of their own, ``struct abort_msg_s { unsigned int size; char msg[]; }``
(include/stdlib.h), and store the address in ``__abort_msg``. ``size`` is that of the mapping, a
multiple of the page.
"""

from itertools import pairwise
from typing import NamedTuple

from workbench.targets.dump import Dump
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
# (library/core/src/panic/location.rs). In between is the call that is given the payload, as the two
# words of a `&mut dyn`: its data, on the stack, and a type's table (library/std/src/panicking.rs).
_ENDS = (b"thread caused non-unwinding panic", b"thread panicked while processing panic",
         b"fatal runtime error: failed to initiate panic", b"failed to initiate panic")  # fmt: skip
_CALLERS = 32
_BEFORE = 8
"""A call's arguments are set by the few instructions in front of it."""
_LONGEST_PATH, _MOST_LINES, _MOST_COLUMNS = 1024, 1 << 24, 1 << 16
_LOCATION = 24
_LONGEST_MESSAGE = 4096
_STR, _LARGEST = 16, 64
"""Bytes of a ``&str``, and of the largest payload: a String with what it is made from."""
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
    message: tuple[int, bytes] | None = None
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
            message = message or _payload(core, function, caller)
            passed = _passed(core, function, caller)
            if passed is not None:
                return lines + _told(core, caller, passed, message)
    return lines


def _payload(core: Dump, function: Code, caller: Caller) -> tuple[int, bytes] | None:
    """The text of the payload that a call is given: a ``&str``, or a String with its capacity."""
    call = function.at.get(caller.call.address)
    given: dict[str, int | None] = {}
    for item in function.instructions[max((call or 0) - _BEFORE, 0) : call or 0]:
        if item.is_call:
            given.clear()
        elif item.mnemonic in ("lea", "mov") and item.operands[0].reg in ("rdi", "rsi"):
            mem, reg = item.operands[1].mem, item.operands[1].reg
            known = (
                item.effective(mem, caller.registers) if mem and item.mnemonic == "lea" else None
            )
            given[item.operands[0].reg] = known if reg is None else caller.registers.get(reg)
    data, table = given.get("rdi"), given.get("rsi")
    size = core.read_word(table + 8) if table else None
    if data is None or size is None or not _STR <= size <= _LARGEST:
        return None
    words = [word for _, word in words_at(core, data, data + size)]
    if size == _STR:
        return _text(core, *words) if len(words) == 2 else None
    for one, other, length in zip(words, words[1:], words[2:], strict=False):
        for room, address in ((one, other), (other, one)):  # in either order
            if length <= room < 1 << 40 and (found := _text(core, address, length)) is not None:
                return found
    return None


def _text(core: Dump, address: int, size: int) -> tuple[int, bytes] | None:
    text = core.read(address, size) if 0 < size <= _LONGEST_MESSAGE else None
    return (address, text) if text and text.strip() and _is_text(text) else None


def _passed(core: Dump, function: Code, caller: Caller) -> int | None:
    """The location that stands nearest in front of a call, with no other call in between."""
    call = function.at.get(caller.call.address)
    if call is None:
        return None
    found = None
    for index, target in named_by(function):
        if not call - _BEFORE <= index < call or _location(core, target) is None:
            continue
        if not any("call" in item.mnemonic for item in function.instructions.outlines[index:call]):
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


def _told(core: Dump, caller: Caller, at: int, message: tuple[int, bytes] | None) -> list[str]:
    location = _location(core, at)
    if location is None:
        return []
    call = caller.call
    lines = [
        f"rust panic at {text_of(location.file)}:{location.line}:{location.column}: the call at "
        f"{call.address:#x} ({place(core, call.address)}) passes this location, {at:#x}, and "
        f"returns to {call.end:#x}"
    ]
    if message is not None:
        begin, text = message
        shown = [text_of(line) for line in text.split(b"\n") if line.strip()][:16]
        lines.append(f"rust panic message at {begin:#x}: {shown[0]}")
        lines += [f"rust panic message continues: {line}" for line in shown[1:]]
    return lines


def _is_text(raw: bytes) -> bool:
    try:
        text = raw.decode()
    except UnicodeDecodeError:
        return False
    return len(text) > 1 and all(c.isprintable() or c in "\n\t" for c in text)
