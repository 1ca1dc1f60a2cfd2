"""What a transcript recorded, as evidence: each section once, in the log's order."""

import hashlib
from collections.abc import Iterator, Sequence

from workbench.debuggers.protocol import Output
from workbench.debuggers.replay import NOT_RECORDED, find
from workbench.model.evidence import RECORDED, Command, Section

__all__ = ["NOT_RECORDED", "Recorded"]


class Recorded:
    """The sections of one log; falsy for a dump, which has none."""

    def __init__(self, sections: Sequence[Section]) -> None:
        self.sections = sections

    def __bool__(self) -> bool:
        return bool(self.sections)

    def items(self) -> Iterator[tuple[Command, str, Output, str]]:
        """Each section as the command, its call hash, its output and who printed it."""
        for place, section in enumerate(self.sections):
            where = section.file or "the log"
            command = Command(section.command, f"{RECORDED}{section.first_line} of {where}")
            size = len(section.text.encode("utf-8", "replace"))
            output = Output(text=section.text, path=None, size=size)
            yield command, self.call_hash(place), output, section.host

    def answering(self, command: Command) -> str | None:
        """The call hash of the section that answers a command; None for what is not recorded."""
        place = find(self.sections, command.text)
        return None if place is None else self.call_hash(place)

    def call_hash(self, place: int) -> str:
        """The same command may stand in a log twice, with other answers."""
        section = self.sections[place]
        if section.file:  # a file may be added in front of it
            text = hashlib.sha256(section.text.encode("utf-8", "replace")).hexdigest()
            place_key = f"{section.file}\n{section.first_line}\n{text}"
        else:
            place_key = str(place)
        key = f"recorded\n{place_key}\n{section.host}\n{section.command}"
        return hashlib.sha256(key.encode("utf-8", "replace")).hexdigest()
