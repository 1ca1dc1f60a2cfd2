"""The reader of `told_table`: what died, why the log says so, the frame and the address."""

import re
from functools import cache, partial

from analyzers.base import Analysis, Document
from analyzers.log.format import Format, findings_of
from analyzers.log.frames import Loose, any_frame, frame_by
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
        partial(_frames, host),
        handled=True,
        reverse=host in ("backward", "nim", "paddle"),
        above=host in ("nim", "paddle"),
        either=host == "mono",  # until 5.18
    )


def _frames(host: str) -> Loose:
    """Frames as a host writes them, else as others do."""
    patterns = tuple(map(re.compile, FRAMES.get(host, ())))

    def read(line: str, index: int, number: int) -> Frame | None:
        match = next((m for pattern in patterns if (m := pattern.search(line[:2000]))), None)
        if match is not None:
            return frame_by(match, index, number, offset=None)
        return any_frame(line, index, number)

    return Loose(read)
