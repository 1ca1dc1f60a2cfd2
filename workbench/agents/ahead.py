"""What the last steps of an investigation need, made while a debugger works and nobody else."""

from analyzers.owners.passing import compile_lists
from analyzers.owners.printed import is_report


def prepare() -> None:
    """The signature's lists, which take some 10 ms to read; for a thread."""
    compile_lists()
    is_report("main")
