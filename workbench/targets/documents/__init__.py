"""A folder of texts as a target: logs among them are split, all other text is evidence as lines."""

from workbench.targets.documents.reader import DocumentsReader, open_documents, recognise

__all__ = ["DocumentsReader", "open_documents", "recognise"]
