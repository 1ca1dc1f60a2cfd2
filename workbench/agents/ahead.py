"""What the last steps of an investigation need, made while a debugger works and nobody else."""

from analyzers.owners.passing import compile_lists
from workbench.agents.relations import RELATIONS


def prepare() -> None:
    """The critic's words and the signature's lists, which take some 10 ms to read; for a thread."""
    compile_lists()
    for statement, _ in RELATIONS:
        if not statement.needs:  # and so is looked for in every sentence
            statement.pattern  # noqa: B018 - compiled and kept
