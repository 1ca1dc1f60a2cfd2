"""@fault: the instruction at the exception, what it touched, and how that fits the record."""

from workbench.targets.minidump.dump import MinidumpFile
from workbench.targets.probes import fault


def answer(dump: MinidumpFile, words: list[str]) -> str:
    """The report on the thread of the exception, or on thread ``words[0]``."""
    return fault.probe(dump, words)
