"""@mappings: the memory map."""

import re

from analyzers.base import Analysis, Document, Settled
from analyzers.dump import text as dump_text
from workbench.model.facts import Memory, Region
from workbench.model.text import counted

_LINE = re.compile(
    r"0x(?P<start>[0-9a-f]{1,16})-0x(?P<end>[0-9a-f]{1,17}) (?P<perms>[r?-][w?-][x?-]) "
    r"[0-9]{1,20} (?P<kind>file|stack|heap|anonymous|vdso|none|unknown) "
    r"(?P<held>dumped|absent|partial:[0-9]{1,20})"
    r"(?: thread (?P<thread>[0-9]{1,10}))?"
    r"(?: offset 0x(?P<offset>[0-9a-f]{1,16}) (?P<path>.+))?"
)


class DumpMappings(Settled):
    """Reads the answer to @mappings."""

    name = "dump-mappings"

    def can_analyze(self, document: Document) -> bool:
        """True for @mappings."""
        return dump_text.is_probe(document, "@mappings")

    def analyze(self, document: Document) -> Analysis:
        """One fact that holds every mapping, in address order."""
        regions = []
        for number, line in dump_text.lines(document):
            match = _LINE.fullmatch(line)
            if match:
                region = _region(match, number)
                if region.start < region.end <= 1 << 64:
                    regions.append(region)
        if not regions:
            return Analysis("no mappings")
        regions.sort(key=lambda region: region.start)
        numbers = [region.line for region in regions]
        memory = Memory(cite=document.cite(min(numbers), max(numbers)), regions=tuple(regions))
        stacks = sum(region.kind == "stack" for region in regions)
        return Analysis(f"{counted(len(regions), 'mapping')}, {stacks} of them stacks", (memory,))


def _region(match: re.Match[str], number: int) -> Region:
    return Region(
        start=int(match["start"], 16),
        end=int(match["end"], 16),
        perms=match["perms"],
        path=match["path"],
        offset=int(match["offset"] or "0", 16),
        kind=match["kind"],
        thread=int(match["thread"]) if match["thread"] else None,
        dumped=match["held"] == "dumped",
        line=number,
    )
