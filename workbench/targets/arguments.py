"""The whole command line, from where the kernel put it: the bottom of the first stack.

NT_PRPSINFO keeps 80 bytes of it. At exec the kernel writes argc, the pointers of argv, NULL, those
of envp, NULL and the auxiliary vector (create_elf_tables in fs/binfmt_elf.c); the vector is also a
note, so that its bytes are found in the stack, and the pointers lie right before it.
"""

import struct

from workbench.targets.image import Read

_REACH = 8 << 20  # a stack's usual limit; arguments may take a quarter of it (execve(2))
_MOST = 4096
_MAX_LENGTH = 4096


def command_line(
    read: Read, word: struct.Struct, stack: tuple[int, int], auxv: dict[int, int]
) -> str | None:
    """Arguments joined by spaces, at most 4096 characters; None when they are not found.

    ``stack`` is the span of the first thread's stack.
    """
    start, end = max(stack[0], stack[1] - _REACH), stack[1]
    raw = read(start, end - start)
    if raw is None or not auxv:
        return None
    vector = b"".join(word.pack(key) + word.pack(value) for key, value in auxv.items())
    at = raw.rfind(vector)
    pointers = _pointers_before(raw, at, word, end) if at > 0 else None
    if not pointers:
        return None
    parts: list[str] = []
    length = 0
    for pointer in pointers:
        stop = raw.find(b"\0", pointer - start)
        if pointer < start or stop < 0:
            return None
        part = raw[pointer - start : stop].decode("utf-8", "surrogateescape")
        length += len(part) + 1
        parts.append(part)
        if length > _MAX_LENGTH:
            break
    return " ".join(parts)[:_MAX_LENGTH]


def _pointers_before(raw: bytes, at: int, word: struct.Struct, end: int) -> list[int] | None:
    """argv's pointers: before the vector stand NULL, envp, NULL, argv, argc."""
    runs: list[list[int]] = [[], []]
    position = at - 2 * word.size
    for run in runs:
        while position >= 0 and len(run) <= _MOST:
            (value,) = word.unpack_from(raw, position)
            position -= word.size
            if not value:
                break
            # The run of argv ends at argc, which says how many there were.
            if run is runs[1] and value == len(run):
                return run[::-1]
            if value >= end:
                return None
            run.append(value)
    return None
