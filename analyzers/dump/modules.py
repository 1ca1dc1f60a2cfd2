"""@modules: mapped executables and libraries."""

import re

from msgspec.structs import replace

from analyzers.base import Analysis, Document, Settled
from analyzers.dump import text as dump_text
from workbench.model.facts import Module
from workbench.model.text import counted

_LINE = re.compile(
    r"0x(?P<base>[0-9a-f]{1,16})-0x(?P<end>[0-9a-f]{1,16}) "
    r"(?P<status>found|mismatched|missing|unverified) "
    r"(?P<symbols>debug-info|symbols|stripped|unknown) "
    r"(?P<build>-|[0-9a-f]{2,128}) (?P<path>.+)"
)


_SEPARATORS = re.compile(r"[/\\]")
_MORE = {"version": "  version: ", "debug_file": "  debug file: "}


def modules(document: Document, prefix: str = "") -> tuple[Module, ...]:
    """A fact for each module line behind ``prefix``, with what the lines below it add."""
    found: list[Module] = []
    last = 0
    for number, line in dump_text.lines(document):
        for field, key in _MORE.items():
            if found and line.startswith(key) and number <= last + 3:
                first = found[-1].cite.first
                more = {field: line.removeprefix(key), "cite": document.cite(first, number)}
                found[-1] = replace(found[-1], **more)
        if line.startswith(prefix):
            read = module(document, number, line.removeprefix(prefix))
            if read is not None:
                found.append(read)
                last = number
    return tuple(found)


def module(document: Document, number: int, text: str) -> Module | None:
    """The module that a line describes, or None."""
    match = _LINE.fullmatch(text)
    if match is None:
        return None
    path = match["path"]
    return Module(
        cite=document.cite(number),
        name=_SEPARATORS.split(path)[-1] or path,
        path=path,
        base=int(match["base"], 16),
        end=int(match["end"], 16),
        build_id=None if match["build"] == "-" else match["build"],
        status=match["status"],
        symbols=match["symbols"],
    )


class DumpModules(Settled):
    """Reads the answer to @modules."""

    name = "dump-modules"

    def can_analyze(self, document: Document) -> bool:
        """True for @modules."""
        return dump_text.is_probe(document, "@modules")

    def analyze(self, document: Document) -> Analysis:
        """One fact for each module line."""
        found = modules(document)
        bad = [item for item in found if item.status in ("mismatched", "missing")]
        return Analysis(
            f"{counted(len(found), 'module')}, {len(bad)} not as they were",
            found,
            tuple(f"{item.name} is {item.status} here [{item.cite}]" for item in bad[:20]),
        )
