"""What is told of a large output that no analyzer reads, or not to its end."""

from typing import TYPE_CHECKING

from analyzers.base import Analysis, Document
from workbench.model.target import Options

if TYPE_CHECKING:
    from analyzers.chunks import Read


def read_in_pieces(document: Document, analysis: Analysis, options: Options) -> "Read | None":
    """The pieces of what is left to read; None where an analyzer makes that needless. Raises
    `OSError` when a huge output cannot be read back."""
    left = document.whole is not None and not analysis.whole
    if analysis.facts and not left:
        return None
    if not left and len(document.text) <= options.storage_threshold:
        return None
    from analyzers.chunks import read_chunks

    first = document.text.count("\n") + 1 if analysis.facts else 1
    return read_chunks(document.id, document.blocks(), options.chunk_size, first)
