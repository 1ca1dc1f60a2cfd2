"""Lists that are files beside the module that gives them: what people add to a line at a time."""

from collections.abc import Iterator


def parts_of(text: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The parts of such a file: the name behind ``## `` and the lines below it, each whole as it
    stands there, without empty ones and remarks (``#``)."""
    for part in f"\n{text}".split("\n## ")[1:]:
        name, *lines = part.split("\n")
        yield name, tuple(line for line in lines if line and line[0] != "#")
