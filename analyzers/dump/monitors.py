"""Reads ``@monitors``: which thread holds which .NET monitor."""

import re

from analyzers.base import Analysis, Document, Settled
from analyzers.dump.text import is_probe, lines
from workbench.model.facts import Monitor, Monitors

_ROW = re.compile(
    r"monitor (?P<index>\d{1,9}): object (?P<object>0x[0-9a-f]{1,16}), "
    r"(?:held by (?:thread (?P<tid>\d{1,10}) \(0x[0-9a-f]{1,8}\), )?"
    r"the runtime's thread (?P<holder>0x[0-9a-f]{1,16})|not held), "
    r"recursion (?P<recursion>\d{1,10}), (?P<waiters>\d{1,10}) waiters, lock word 0x[0-9a-f]{1,16}"
)


class DumpMonitors(Settled):
    """The analyzer of ``@monitors``."""

    name = "dump-monitors"

    def can_analyze(self, document: Document) -> bool:
        """True for our reader's answer to ``@monitors``."""
        return is_probe(document, "@monitors")

    def analyze(self, document: Document) -> Analysis:
        """One `Monitors` with every held monitor; an empty one when none is held."""
        items: list[Monitor] = []
        for number, line in lines(document):
            row = _ROW.fullmatch(line)
            if row is None:
                continue
            waiters = int(row["waiters"])
            holder = int(row["holder"], 16) if row["holder"] else None
            items.append(
                Monitor(
                    index=int(row["index"]),
                    object=int(row["object"], 16),
                    held=2 * waiters + (holder is not None),
                    counted=waiters,
                    recursion=int(row["recursion"]),
                    owner=int(row["tid"]) if row["tid"] else None,
                    owner_object=holder,
                    line=number,
                )
            )
        if not document.text.startswith("sync table "):
            return Analysis("No table of sync blocks")
        fact = Monitors(cite=document.cite(1, max(1, items[-1].line if items else 1)),
                        items=tuple(items))  # fmt: skip
        waited = sum(item.waiters > 0 for item in items)
        return Analysis(f"{len(items)} held monitors, {waited} of them waited for", (fact,))
