"""Any output of lldb, read by the first reader that knows its command."""

from analyzers.base import Analysis, Document, Reader
from analyzers.generic import GENERIC, read_first
from analyzers.lldb import modules, registers, source, stacks, threads, variables
from analyzers.lldb.text import WHOLE
from workbench.model.facts import AnyFact
from workbench.model.models import Complexity

_READERS = tuple(
    module.READER for module in (stacks, threads, registers, variables, source, modules)
)
_STOPPED = " stop reason = "


def _reader(document: Document) -> Reader:
    return next((reader for reader in _READERS if reader.knows(document)), GENERIC)


def _level(document: Document) -> Complexity:
    reader = _reader(document) if document.command != WHOLE else GENERIC
    return reader.level(document)


def read(document: Document) -> Analysis:
    """By its command; text recorded without commands by all readers, one after another, and
    so is what a command shows that ends at a stop: ``run``, ``continue``, ``target create``."""
    reader = _reader(document)
    if document.command == WHOLE or (reader is GENERIC and _STOPPED in document.text):
        return _whole(document)
    return reader.analyze(document)


def _whole(document: Document) -> Analysis:
    single = (threads, registers, variables)
    facts: list[AnyFact] = [*stacks.read(document).facts]
    facts += [fact for module in single for fact in module.read(document).facts]
    facts += source.read(document).facts
    facts += modules.read(document).facts
    return Analysis(read_first(document).summary, tuple(facts))


READER = Reader(read, lambda document: document.host == "lldb", _level)
