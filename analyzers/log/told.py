"""The reader of `told_table`: what died, why the log says so, the frame and the address."""

import re
from functools import cache, partial

from analyzers.base import Analysis, Document
from analyzers.log.format import Format, address_of, findings_of
from analyzers.log.frames import NO_NAMES, Loose
from analyzers.log.result import analysis_of
from analyzers.log.text import small
from analyzers.log.told_table import FRAMES, ROWS
from workbench.model.facts import Frame


def read(document: Document) -> Analysis:
    """The sentences in their order, each with the lines up to the next one."""
    return analysis_of(document, findings_of(document, _format(document.host)))


@cache
def _format(host: str) -> Format:
    rows = tuple(row for row in ROWS if row.host == host)
    return Format(rows, partial(_Frames, host), handled=True, reverse=host == "backward")


class _Frames:
    """Frames as a host writes them, else as others do."""

    def __init__(self, host: str) -> None:
        self.patterns = tuple(map(re.compile, FRAMES.get(host, ())))
        self.others = Loose()

    def __call__(self, line: str, number: int) -> Frame | None:
        """The frame of a line, or None."""
        for pattern in self.patterns:
            match = pattern.search(line[:2000])
            if match is not None:
                return self._frame({k: v for k, v in match.groupdict().items() if v}, number)
        return self.others(line, number)

    def _frame(self, said: dict[str, str], number: int) -> Frame:
        self.others.index = int(said["index"][:6]) if "index" in said else self.others.index + 1
        name = said.get("function", "").strip()
        known = name not in NO_NAMES
        address = address_of(said.get("address"))
        return Frame(index=self.others.index, function=name if known else None,
                     file=said.get("file"), line=small(said.get("line")), module=said.get("module"),
                     offset=None, address=address, trust="symbols" if known else "unwound",
                     line_no=number)  # fmt: skip
