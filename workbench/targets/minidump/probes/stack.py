"""@stack: a thread's stack as memory."""

from workbench.targets.minidump.dump import MinidumpFile
from workbench.targets.probes import stack


def answer(dump: MinidumpFile, words: list[str]) -> str:
    """The report on the stack of the thread of the exception, or of thread ``words[0]``."""
    return stack.probe(dump, words)
