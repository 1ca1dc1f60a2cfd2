"""Any output of lldb, read by the first reader that knows its command."""

from analyzers.base import Analysis, Analyzer, Document
from analyzers.generic import Generic
from analyzers.lldb.modules import LldbModules, read_modules
from analyzers.lldb.registers import LldbRegisters, read_registers
from analyzers.lldb.source import LldbSource, read_source
from analyzers.lldb.stacks import LldbStacks, read_stacks
from analyzers.lldb.text import WHOLE
from analyzers.lldb.threads import LldbThreads, read_threads
from analyzers.lldb.variables import LldbVariables, read_variables
from workbench.model.facts import AnyFact
from workbench.model.models import Complexity

_READERS: tuple[Analyzer, ...] = (
    LldbStacks(),
    LldbThreads(),
    LldbRegisters(),
    LldbVariables(),
    LldbSource(),
    LldbModules(),
)
_STOPPED = " stop reason = "


class Lldb:
    """Reads what lldb printed into facts."""

    name = "lldb"

    def complexity(self, document: Document) -> Complexity:
        """That of the reader of the command; moderate where none knows it."""
        for reader in _READERS if document.command != WHOLE else ():
            if reader.can_analyze(document):
                return reader.complexity(document)
        return Complexity.MODERATE

    def can_analyze(self, document: Document) -> bool:
        """True for all that lldb printed."""
        return document.host == "lldb"

    def analyze(self, document: Document) -> Analysis:
        """By its command; text recorded without commands by all readers, one after another, and
        so is what a command shows that ends at a stop: ``run``, ``continue``, ``target create``."""
        if document.command == WHOLE:
            return _whole(document)
        for reader in _READERS:
            if reader.can_analyze(document):
                return reader.analyze(document)
        return _whole(document) if _STOPPED in document.text else Generic().analyze(document)


def _whole(document: Document) -> Analysis:
    single = (read_threads(document), read_registers(document), read_variables(document))
    facts: list[AnyFact] = [
        *read_stacks(document).facts,
        *(one for one in single if one is not None),
    ]
    facts += read_source(document)
    facts += read_modules(document)
    return Analysis(Generic().analyze(document).summary, tuple(facts))
