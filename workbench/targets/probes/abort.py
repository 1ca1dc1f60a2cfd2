"""``@abort``: the message that glibc, or Rust's std, kept when it ended the process.

``__libc_message`` (sysdeps/posix/libc_fatal.c) and ``__assert_fail_base`` (assert/assert.c) copy
it to pages of their own, ``struct abort_msg_s { unsigned int size; char msg[]; }``
(include/stdlib.h), and store the address in ``__abort_msg``. ``size`` is that of the mapping, a
multiple of the page.
"""

import struct

from workbench.targets.dump import Dump
from workbench.targets.probes.panic import panic_lines
from workbench.targets.probes.places import PAGE, text_of

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
    raw = core.read(address, 4)
    if raw is None:
        return None
    (size,) = struct.unpack("<I" if core.little_endian else ">I", raw)
    if not 0 < size <= _MAX_MESSAGE:
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
