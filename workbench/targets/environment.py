"""The environment that a process was started with, from its stack: what a person may not want to
show to others, since passwords and names stand in it."""

import re

from workbench.targets.probing import ProbingReader
from workbench.targets.reader import Reader
from workbench.targets.regions import AT_EXECFN

_MOST = 1 << 20  # bytes: more than a usual limit of arguments and environment (2 MiB together)
_ASSIGNMENT = re.compile(rb"(?<=\x00)([A-Za-z_][A-Za-z0-9_]{0,127})=([^\x00]{1,32768})(?=\x00)")


def environment(reader: Reader) -> list[tuple[str, str]]:
    """Names and values as the process was given them; empty where the dump does not hold them."""
    if not isinstance(reader, ProbingReader):
        return []
    dump = reader.dump
    # The kernel puts the program's path above the environment.
    end = dump.auxv.get(AT_EXECFN, 0)
    region = dump.region(end) if end else None
    if region is None:
        return []
    size = min(end - region.start, _MOST)
    while size >= 64:
        data = dump.read(end - size, size)
        if data is not None:
            return [
                (name.decode(), value.decode("utf-8", "replace"))
                for name, value in _ASSIGNMENT.findall(b"\0" + data)
            ]
        size //= 2
    return []
