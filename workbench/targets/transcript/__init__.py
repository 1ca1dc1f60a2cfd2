"""Saved logs as targets: what a debugger, a sanitizer or a runtime printed, split into sections."""

from workbench.targets.transcript.reader import TranscriptReader, open_transcript, recognise

__all__ = ["TranscriptReader", "open_transcript", "recognise"]
