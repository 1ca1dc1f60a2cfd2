"""lldb's ``memory region --all`` and ``image list``."""

import re

from analyzers.base import Analysis, Document, Reader
from analyzers.lldb.text import answers
from analyzers.maps import MOST_ROWS, Row, facts_of, said_of
from workbench.model.facts import AnyFact, Module

_COMMAND = re.compile(
    r"^(?:(?:image|im\w*|target mod\w*) li?s?t?|mem\w* reg\w* (?:--all|-a))(?:\s|$)"
)
_ALL = re.compile(r"\s(?:--all|-a)\b")
_REGION = re.compile(
    r"^\[0x([0-9a-f]{1,16})-0x([0-9a-f]{1,16})\) ([r-][w-][x-])(?: (?!PT_)(\S.*?))??"
    r"(?: PT_[A-Z]+\[\d{1,4}\])?\s*$"
)
_IMAGE = re.compile(
    r"^\[\s{0,4}\d{1,6}\] ([0-9A-F]{8}(?:-[0-9A-F]{4,12}){0,5}) 0x([0-9a-f]{1,16}) (\S.*?)"
    r"(?: \(0x[0-9a-f]{1,16}\))?\s*$"
)


def read(document: Document) -> Analysis:
    """`Module` for each image or file with code, `Memory` where every mapping is listed."""
    facts = _modules(document)
    return Analysis(said_of(facts), tuple(facts))


def _modules(document: Document) -> list[AnyFact]:
    """The facts of every line of the two kinds. lldb lists where an image begins, not its size."""
    rows: list[Row] = []
    images: list[AnyFact] = []
    for number, line in document.lines():
        region = _REGION.match(line)
        if region is not None:
            start, end, path = int(region[1], 16), int(region[2], 16), region[4] or ""
            if region[3] != "---" or path:
                rows.append(Row(number, start, end, region[3], path))
            continue
        image = _IMAGE.match(line)
        if image is not None and len(images) < MOST_ROWS:
            base = int(image[2], 16)
            images.append(
                Module(
                    cite=document.cite(number),
                    name=image[3].replace("\\", "/").rpartition("/")[2] or image[3],
                    path=image[3],
                    base=base,
                    end=base,
                    build_id=image[1],
                )
            )
    return [*images, *facts_of(document, rows, whole=bool(_ALL.search(document.command[:200])))]


READER = Reader(read, answers(_COMMAND))
