"""The lines behind the first one of a sanitizer's report: the access, and what else it tells."""

import re

from analyzers.log.text import hex_value, small

_ACCESS = re.compile(
    r"^\s{0,6}(?:Atomic |\[failed to restore the stack\] )?(?P<access>READ|WRITE|Read|Write|read|"
    r"write|ACCESS)(?: of size (?P<size>\d{1,12}))?(?: tags?: \S{1,20}\s.{0,60})? (?:at|"
    r"of) (?P<where>0x[0-9a-fA-F]{1,16})\b"
)
_SIGNAL_ACCESS = re.compile(r"caused by an? (READ|WRITE|UNKNOWN) memory access")
NOTE = re.compile(
    r"is located \S+ ?(?:bytes )?|is a wild pointer|^\s{0,4}(?:Hint|HINT|hint): |^\s{0,4}Cause: |"
    r"Memory access at offset|This frame has \d|^SUMMARY: |Location is |Cycle in lock order|"
    r"Uninitialized value was|byte\(s\) leaked|caused by an? |Address 0x\S+ is |"
    r"^note: |Mutex M\d+ acquired here|^#\s*MiraclePtr|leak of \d+ byte|object-size|"
    r"terminating|pc points to|executing|exceeds maximum|MiraclePtr Status|^0x[0-9a-fA-F]+: note"
)


def access_of(lines: list[tuple[int, str]]) -> tuple[str | None, int | None, int | None, int]:
    """Kind, size, address and line of the access, as the lines behind the header say it."""
    for number, line in lines[:40]:
        match = _ACCESS.match(line)
        if match is not None:
            access = match["access"].lower()
            return (
                None if access == "access" else access,
                small(match["size"]),
                hex_value(match["where"]),
                number,
            )
        said = _SIGNAL_ACCESS.search(line)
        if said is not None:
            known = said[1].lower()
            return (None if known == "unknown" else known), None, None, number
    return None, None, None, 0
