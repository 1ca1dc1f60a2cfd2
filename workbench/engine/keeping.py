"""An output becomes evidence: its text is kept, read into facts, and told in one event."""

import asyncio
import hashlib
from collections.abc import Iterator, Sequence
from functools import partial

from msgspec.structs import replace

from analyzers.base import Analysis, Document
from analyzers.chunks import Read, read_chunks
from analyzers.registry import analyze
from workbench.debuggers.protocol import INTERRUPTED, Output
from workbench.debuggers.replay import find
from workbench.engine.journal import Journal
from workbench.model.events import AnyEvent, EvidenceRecorded, Noticed
from workbench.model.evidence import RECORDED, Command, Evidence, Section, Source
from workbench.model.facts import Hit, Stack
from workbench.model.target import Options
from workbench.model.text import counted
from workbench.store.large_text import Kept
from workbench.store.texts import READ_WHOLE


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
            yield command, self.call_hash(place), Output.of(section.text), section.host

    def answering(self, command: Command) -> str | None:
        """The call hash of the section that answers a command; None for what is not recorded."""
        place = find(self.sections, command.text)
        return None if place is None else self.call_hash(place)

    def call_hash(self, place: int) -> str:
        """The same command may stand in a log twice, with other answers."""
        section = self.sections[place]
        if section.file:  # a file may be added in front of it
            place_key = f"{section.file}\n{section.first_line}\n{hash_of(section.text)}"
        else:
            place_key = str(place)
        return hash_of(f"recorded\n{place_key}\n{section.host}\n{section.command}")


def hash_of(text: str) -> str:
    """The sha256 of a text, in hex."""
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()


def read_in_pieces(document: Document, analysis: Analysis, options: Options) -> Read | None:
    """The pieces of what is left to read; None where it is short, or an analyzer read all of it.
    Raises `OSError` when a huge output cannot be read back."""
    cut = document.whole is not None and not analysis.whole
    if not cut and (analysis.facts or len(document.text) <= options.storage_threshold):
        return None
    first = document.text.count("\n") + 1 if analysis.facts else 1
    return read_chunks(document.id, document.blocks(), options.chunk_size, first)


class EvidenceKeeper:
    """Makes evidence of outputs, one at a time: ids are handed out in the order of the journal."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._storing = asyncio.Lock()

    async def keep(
        self, command: Command, source: Source, call_hash: str, output: Output, host: str,
        recorded: bool = False, facts: Sequence[Hit] = (),
    ) -> Evidence:  # fmt: skip
        """The evidence of an output that ``host`` printed, once it is committed; ``recorded``: a
        person pasted what a tool printed elsewhere. ``facts`` are known beside those that are read,
        and cite its lines. Raises `StoreError`."""
        text = output.text
        if text is None:
            text = await asyncio.to_thread(output.start, READ_WHOLE)
        async with self._storing:
            number = self._journal.state.next_evidence_id()
            kept, texts = await self._text(number, output, text)
            huge = output.path is not None and kept.size > READ_WHOLE
            whole = partial(self._journal.blocks, number) if huge else None
            document = Document(number, command.text, host, text, whole)
            # Of a run the facts are known, and no reader or piece would say what it was made for.
            analysis = Analysis(_of_run(command, facts)) if facts else await self._analyze(document)
            pieces = None if facts else await self._in_pieces(document, analysis)
            reason = output.reason or kept.trouble
            threshold = self._journal.state.options.storage_threshold
            evidence = Evidence(
                id=number, command=command.text, source=source, intent=command.intent,
                at=self._journal.now().isoformat(), sha256=kept.sha256, size=kept.size,
                lines=kept.lines, call_hash=call_hash,
                storage="external" if kept.size > threshold or not texts else "inline",
                partial=bool(reason) or output.partial, seconds=round(output.seconds, 4),
                summary=_summary(analysis, pieces, text, kept, reason),
                findings=analysis.findings or (pieces.findings if pieces else ()),
                overall_findings=pieces.overall if pieces else None, host=host,
                by_model=command.by_model)  # fmt: skip
            # A person's command may show another selection than the one its text suggests, and a
            # model's whatever it likes.
            unread = (source is Source.USER and not recorded) or command.by_model
            read = () if unread else analysis.facts
            target = self._journal.state.target
            if recorded and target is not None and not target.recorded:  # no stack of the dump
                read = tuple(replace(f, current=False) if isinstance(f, Stack) else f for f in read)
            known = [replace(f, cite=replace(f.cite, evidence=number)) for f in facts]
            chunks = pieces.chunks if pieces else ()
            events: list[AnyEvent] = [
                EvidenceRecorded(evidence=evidence, facts=(*read, *known), chunks=chunks)
            ]
            if reason not in {"", INTERRUPTED}:
                told = f"{number} is not the whole output: {reason}."
                events.append(Noticed(text=told, severity="warning"))
            events += [Noticed(text=said, severity="warning") for said in analysis.troubles]
            await self._journal.record(*events, texts=texts)
        return evidence

    async def _text(self, number: str, output: Output, text: str) -> tuple[Kept, dict[str, bytes]]:
        """What is kept of an output, and its text unless that lies in a file, which the session
        takes. Raises `StoreError`."""
        if output.path is None:
            data = text.encode("utf-8", "replace")
            lines = text.count("\n") + (bool(text) and not text.endswith("\n"))
            return Kept(len(data), lines, hashlib.sha256(data).hexdigest()), {number: data}
        known = Kept(output.size, output.lines, output.sha256) if output.sha256 else None
        return await self._journal.adopt(number, output.path, known), {}

    async def _analyze(self, document: Document) -> Analysis:
        try:
            return await asyncio.to_thread(analyze, document)
        except Exception as error:  # noqa: BLE001 - the output is worth more than its reader
            await self._journal.record(
                Noticed(
                    text=f"{document.id} could not be read into facts: {error!r}", severity="error"
                )
            )
            return Analysis(summary="kept, but not read: its reader failed")

    async def _in_pieces(self, document: Document, analysis: Analysis) -> Read | None:
        options = self._journal.state.options
        try:
            return await asyncio.to_thread(read_in_pieces, document, analysis, options)
        except OSError as error:
            text = f"{document.id} could not be read in pieces: {error}"
            await self._journal.record(Noticed(text=text, severity="error"))
            return None


_AROUND = frozenset({"read", "used", "kept", "fault"})
"""Roles of what is no hit: what led to the watches, what follows from all hits, and the end."""


def _of_run(command: Command, facts: Sequence[Hit]) -> str:
    """What a run was made for, and what came of it."""
    hits, signal = sum(one.role not in _AROUND for one in facts), facts[-1].signal
    ended = f"stopped by {signal}" if signal else "no signal stopped it"
    return f"{command.intent}: {counted(hits, 'hit') if hits else ended}"


def _summary(analysis: Analysis, pieces: Read | None, text: str, kept: Kept, reason: str) -> str:
    """The reader's words, or of what was read in pieces what they say together, with what was not
    read."""
    notes = []
    if (pieces is None or analysis.facts) and kept.size > READ_WHOLE and not analysis.whole:
        read = text.count("\n")
        notes.append(f"read in its first {read:,} of {kept.lines:,} lines")
    if reason:
        notes.append(reason)
    return summed_up(analysis, pieces) + (f" ({'; '.join(notes)})" if notes else "")


def summed_up(analysis: Analysis, pieces: Read | None) -> str:
    """What was read of an output, in one line."""
    said = [analysis.summary] if pieces is None or analysis.facts else []
    return "; ".join([*said, *([pieces.overall.summary] if pieces is not None else [])])
