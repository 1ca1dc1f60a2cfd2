"""What is told of a large output that no analyzer reads, or not to its end."""

from typing import TYPE_CHECKING

from analyzers.base import Analysis, Document
from analyzers.chunks import read_chunks
from workbench.model.target import Options

if TYPE_CHECKING:
    from analyzers.chunks import Read


def is_left_to_read(document: Document, analysis: Analysis, options: Options) -> bool:
    """False where it is short, or an analyzer read all of it."""
    if document.whole is not None and not analysis.whole:
        return True
    return not analysis.facts and len(document.text) > options.storage_threshold


def read_in_pieces(document: Document, analysis: Analysis, options: Options) -> "Read":
    """The pieces of what is left to read. Raises `OSError` when a huge output cannot be read
    back."""
    first = document.text.count("\n") + 1 if analysis.facts else 1
    return read_chunks(document.id, document.blocks(), options.chunk_size, first)
