"""The reader of `told_table`: what died, why the log says so, the frame and the address."""

import re
from functools import cache, partial

from analyzers.base import Analysis, Document
from analyzers.log.format import Format, findings_of
from analyzers.log.frames import Loose, frame_by
from analyzers.log.text import analysis_of
from analyzers.log.told_table import FRAMES, ROWS
from workbench.model.facts import Frame


def read(document: Document) -> Analysis:
    """The sentences in their order, each with the lines up to the next one."""
    return analysis_of(document, findings_of(document, _format(document.host)))


@cache
def _format(host: str) -> Format:
    rows = tuple(row for row in ROWS if row.host == host)
    return Format(
        rows,
        partial(_Frames, host),
        handled=True,
        reverse=host in ("backward", "nim", "paddle"),
        above=host in ("nim", "paddle"),
        either=host == "mono",  # until 5.18
    )


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
                frame = frame_by(match, self.others.index + 1, number, offset=None)
                self.others.index = frame.index
                return frame
        return self.others(line, number)
