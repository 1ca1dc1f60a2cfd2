"""The environment that a process was started with, from its stack: what a person may not want to
show to others, since passwords and names stand in it."""

import re
from typing import Literal

from workbench.targets.dump import Dump
from workbench.targets.probing import ProbingReader
from workbench.targets.reader import Reader
from workbench.targets.regions import AT_EXECFN, AT_RANDOM

_MOST = 1 << 21  # bytes: the usual limit of arguments and environment
_ASSIGNMENT = re.compile(rb"(?<=\x00)([A-Za-z_][A-Za-z0-9_]{0,127})=([^\x00]{1,32768})(?=\x00)")


def environment(reader: Reader) -> list[tuple[str, str]]:
    """Names and values as the process was given them; empty where the dump does not hold them."""
    if not isinstance(reader, ProbingReader):
        return []
    dump = reader.dump
    # From below: argc, argv, envp and auxv, the random bytes, the strings of argv and those of
    # envp, the program's path (Linux: fs/binfmt_elf.c, create_elf_tables; fs/exec.c).
    random, end = dump.auxv.get(AT_RANDOM, 0), dump.auxv.get(AT_EXECFN, 0)
    region = dump.region(random)
    strings = dump.read(random, end - random) if 0 < end - random <= _MOST else None
    if region is None or strings is None:
        return []
    table = dump.read(start := max(region.start, random - _MOST) & ~7, (random & ~7) - start)
    own = strings[_first(dump, table or b"", random, strings) - random :]
    return [
        (name.decode(), value.decode("utf-8", "replace"))
        for name, value in _ASSIGNMENT.findall(b"\0" + own)
    ]


def _first(dump: Dump, table: bytes, begin: int, strings: bytes) -> int:
    """Where the first string of envp lies, by the pointers; where those are not there, ``begin``,
    which has arguments as well."""
    size = dump.bits // 8
    order: Literal["little", "big"] = "little" if dump.little_endian else "big"
    last = begin + strings.rfind(b"\0", 0, -1) + 1
    at = table.rfind(last.to_bytes(size, order) + bytes(size))
    if at < 0 or at % size:
        return begin
    if not any(table[at + 2 * size : at + 3 * size]):
        return begin + len(strings)  # the last argument: envp is empty, and auxv's types are none
    pointers = (
        int.from_bytes(table[one - size : one], order) for one in range(at + size, 0, -size)
    )
    first = last
    for pointer in pointers:
        if not begin < pointer <= last:
            break
        first = pointer
    return first
