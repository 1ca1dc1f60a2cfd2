"""Outputs that code leaves open, read by a small model: lists of objects, what a person typed and
no analyzer knows, large texts that nobody reads. Its words become remarks, marked as its own."""

import asyncio
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import Any

from analyzers.base import Document
from analyzers.sos.text import sos_command
from workbench.agents.assisted.answers import Overall, Readout, Remark, Sentence
from workbench.agents.assisted.claims import citations_of, noted, remark
from workbench.agents.assisted.context import ending, fenced, remarks
from workbench.agents.assisted.difficulty import declared
from workbench.agents.assisted.helper import Helper
from workbench.agents.assisted.numbered import numbered, numbered_to, short
from workbench.agents.report import assisted as report_assisted
from workbench.llm.contents import contents_in
from workbench.llm.errors import Fault
from workbench.llm.fences import Fenced, as_data
from workbench.llm.port import Answer
from workbench.model.assisted_events import Annotation, OutputsRead, PieceRead
from workbench.model.chunks import in_its_words, pieces_of
from workbench.model.citation import parse_citations
from workbench.model.evidence import Evidence, Source
from workbench.model.hypothesis import HIGH_CONFIDENCE, Status
from workbench.model.investigation import Investigation
from workbench.model.models import Complexity, ModelTier
from workbench.model.text import counted, lines_of

_PIECES = 2
"""Of one large output that analyzers read in part; of those that none reads, all that
`Limits.piece_calls` holds."""
_AT_ONCE = 4
"""Calls about pieces that a cloud has at a time; a model of this machine has one."""
_MOST_REMARKS = 4
_SECONDS = 90.0  # of one call: remarks are worth no longer wait
_LEAST = 200  # characters of an output that are worth a place in a call

_Piece = tuple[int, int]
"""The first and the last line of a chunk, or of what is left of it."""


class Readings:
    """Of one run. Where no tier takes such questions, or what does gives nothing that can be read,
    none is asked again."""

    def __init__(self, helper: Helper) -> None:
        self._helper = helper
        self._ports = helper.ports
        self._closed = False

    def begin_again(self) -> None:
        """Other models are there."""
        self._closed = False

    async def read(self, longer_than: int = 0) -> None:
        """Read what is there and was not read before, as far as the budget goes: what a person
        asked for, and of the rest what is so many bytes long. Where an expert has proved the cause,
        only what a hypothesis asked for, and what a person asked or recorded."""
        waiting = [i for i in self._waiting() if i.size > longer_than or i.source is Source.USER]
        if (state := self._ports.state).one_loop:  # who asked for it has read it
            waiting = [i for i in waiting if not i.by_model or i.size > state.shown.excerpt]
        if _is_proved(self._ports.state):
            asked = self._ports.state.hypotheses.values()
            tests = {test.evidence for one in asked for test in one.tests}
            waiting = [i for i in waiting if i.source is not Source.DEBUGGER or i.id in tests]
        if waiting:
            async with self._helper.at_work("reading"):
                await self._work_off(waiting)

    async def read_now(self, identifiers: Collection[str], longer_than: int) -> list[Annotation]:
        """Read those of these outputs that are larger than whoever asked for them gets to see; the
        remarks that came of it."""
        before = len(self._ports.state.assisted.annotations)
        await self._work_off(
            [i for i in self._waiting() if i.id in identifiers and i.size > longer_than]
        )
        return self._ports.state.assisted.annotations[before:]

    def _left(self) -> int:
        limits, assisted = self._ports.state.options.limits, self._ports.state.assisted
        closed = self._closed or self._helper.gone
        return 0 if closed else max(0, limits.reading_calls - assisted.readings)

    def _left_of_pieces(self) -> int:
        limits, assisted = self._ports.state.options.limits, self._ports.state.assisted
        read = sum(map(len, assisted.pieces.values()))
        closed = self._closed or self._helper.gone
        return 0 if closed else max(0, limits.piece_calls * self._a_call() - read)

    def _told(self) -> int:
        return self._ports.state.options.limits.told * 3 // 4

    def _a_call(self) -> int:
        """How many chunks a call holds; where none, a chunk is told in parts."""
        return max(1, self._told() // self._ports.state.options.chunk_size)

    def _waiting(self) -> list[Evidence]:
        """What to read, the most telling first."""
        state = self._ports.state
        if not self._left() and not self._left_of_pieces():
            return []
        known = {fact.cite.evidence for fact in state.facts}
        found = [
            item
            for item in state.evidence.values()
            if item.id not in state.assisted.read and item.size and is_open(item)
        ]
        return sorted(
            found,
            key=lambda i: (i.overall_findings is None, i.source is not Source.USER, i.id in known),
        )

    async def _work_off(self, items: Sequence[Evidence]) -> None:
        """Small ones together, then each large one in pieces."""
        told = self._told()
        for together in _together([item for item in items if item.size <= told], told):
            if self._left():
                await self._read_together(together)
        for item in items:
            if item.size > told and self._left_of_pieces():
                await self._read_large(item)

    async def _read_together(self, items: tuple[Evidence, ...]) -> None:
        ids = tuple(item.id for item in items)
        answer = await self._ask(items, await self._shown(items))
        if self._helper.unfit or self._helper.gone:
            return
        said = answer.value if answer is not None else None
        for one in said.remarks[:_MOST_REMARKS] if said is not None else ():
            await self._remark(one, ids)
        await self._ports.record(OutputsRead(evidence=ids))

    async def _read_large(self, item: Evidence) -> None:
        """Its chunks, those first in which code saw most, each with what was found before; then
        what they say together. A run that was cut goes on at the line that it had come to."""
        total, waiting = await self._pieces(item)
        each, at_once = self._a_call(), 1
        while waiting and (left := self._left_of_pieces()):
            taken = min(len(waiting), left, each * at_once)
            now = [waiting[at : min(at + each, taken)] for at in range(0, taken, each)]
            text = await self._ports.text(item.id)
            calls = [_Call(item, text, pieces) for pieces in now]
            said = await asyncio.gather(*(self._ask((item,), call.show) for call in calls))
            if self._helper.unfit or self._helper.gone:
                return
            for call, answer in zip(calls, said, strict=True):
                if answer is not None:
                    for piece in call.shown:
                        await self._keep(item, piece, total, answer)
            waiting = [piece for call in calls for piece in call.rest] + waiting[taken:]
            cloud = all(one is not None and one.tier is ModelTier.CLOUD for one in said)
            at_once = _AT_ONCE if cloud else 1
        unread = len(waiting)
        read = f"a model read {total - unread:,} of its {counted(total, 'piece')}"
        await self._sum_up(item, read if unread else "")

    async def _pieces(self, item: Evidence) -> tuple[int, list[_Piece]]:
        """How many chunks are to be read, and what is left of them: where code found an end or an
        exception, then where it found calls that wait, then from both ends."""
        cited = [cite for text in item.findings for cite in parse_citations(text)]
        text = await self._ports.text(item.id)
        blocks = (line + "\n" for line in lines_of(text))
        chunk_size = self._ports.state.options.chunk_size
        pieces = await asyncio.to_thread(
            lambda: [(at, at + len(lines) - 1) for at, lines in pieces_of(blocks, chunk_size)]
        )

        def seen(piece: _Piece) -> tuple[int, int]:
            here = [c for c in cited if piece[0] <= c.first <= piece[1]]
            return sum(c.first == c.last for c in here), len(here)

        ends = {piece: min(at, len(pieces) - 1 - at) for at, piece in enumerate(pieces)}
        ranked = sorted(pieces, key=lambda p: (*(-n for n in seen(p)), ends[p], p))
        if item.overall_findings is None:
            ranked = ranked[:_PIECES]
        done = self._ports.state.assisted.pieces.get(item.id, ())
        left = []
        for first, last in ranked:
            read = max((one.last for one in done if first <= one.first <= last), default=first - 1)
            left += [(read + 1, last)] if read < last else []
        return len(ranked), left

    async def _keep(
        self, item: Evidence, piece: _Piece, total: int, answer: Answer[Readout]
    ) -> None:
        """What a model said of a chunk: of its lines alone."""
        first, last = piece

        def within(one: Sentence) -> bool:
            cites = citations_of(one.citations)
            return bool(cites) and all(
                c.evidence == item.id and first <= c.first <= c.last <= last for c in cites
            )

        said, unread = answer.value or Readout(), item.overall_findings is not None
        here = [one for one in said.remarks if within(one)][:_MOST_REMARKS]
        found = [_cited(one) for one in here if await self._remark(one, (item.id,))]
        caused = unread and said.root_cause.text and within(said.root_cause)
        await self._ports.record(
            PieceRead(evidence=item.id, first=first, last=last, total=total,
                      findings=tuple(found) if unread else (),
                      root_cause=_cited(said.root_cause) if caused else None)
        )  # fmt: skip

    async def _sum_up(self, item: Evidence, bounds: str) -> None:
        """What the pieces say together: of one that said anything, its own words. ``bounds`` says
        how much was read where that is not all."""
        pieces = self._ports.state.assisted.pieces.get(item.id, [])
        causes = list(dict.fromkeys(p.root_cause for p in pieces if p.root_cause))
        findings = [
            text for piece in pieces for text in (*piece.findings, piece.root_cause) if text
        ]
        overall, cause, summary = item.overall_findings, causes[0] if causes else None, None
        if overall is not None and sum(bool(p.findings or p.root_cause) for p in pieces) > 1:

            async def values(size: int) -> dict[str, Any]:
                kinds = contents_in(item)
                told = [item.command, f"code found: {overall.summary}", *findings]
                named = [f"{at}. {cause}" for at, cause in enumerate(causes, 1)] or ["none"]
                return {
                    "findings": fenced("findings", [(short(x), kinds) for x in told], size),
                    "causes": fenced("causes", [(short(x), kinds) for x in named], size // 3),
                }

            answer = await self._helper.ask("synthesis", values, answer=Overall, seconds=_SECONDS)
            said = answer.value if answer is not None else None
            if said is not None:
                chosen = [causes[at - 1] for at in said.root_cause[:1] if 0 < at <= len(causes)]
                cause = chosen[0] if chosen else None
                summary = in_its_words(said.summary) if said.summary else None
        if overall is not None:
            parts = (overall.summary if summary or bounds else None, bounds, summary)
            summary = "; ".join(filter(None, parts)) or None
        await self._ports.record(
            OutputsRead(evidence=(item.id,), root_cause=cause, summary=summary)
        )

    async def _ask(
        self, items: Sequence[Evidence], show: Callable[[int], Fenced]
    ) -> Answer[Readout] | None:
        async def values(size: int) -> dict[str, Any]:
            report = await self._ports.build_report()
            state = self._ports.state
            noted = [a for a in state.assisted.annotations if a.evidence in {i.id for i in items}]
            said = remarks(state, noted)
            return {
                "ending": fenced("how it ended", ending(report), size // 5),
                "before": fenced("before", said, size // 10) if said else "",
                "outputs": show(size * 3 // 4),
            }

        complexity = Complexity.COMPLEX if declared(items[0]) is Complexity.COMPLEX else None
        answer = await self._helper.ask(
            "reading", values, answer=Readout, seconds=_SECONDS, complexity=complexity
        )
        self._closed = answer is None and self._helper.fault is not Fault.STOPPED
        return answer

    async def _shown(self, items: Sequence[Evidence]) -> Callable[[int], Fenced]:
        texts = [await self._ports.text(item.id) for item in items]

        def show(size: int) -> Fenced:
            share = max(_LEAST, size // len(items))
            parts = [
                as_data(numbered(item.id, text, 1, share), _label(item), contents_in(item))
                for item, text in zip(items, texts, strict=True)
            ]
            return Fenced("\n".join(parts))

        return show

    async def _remark(self, one: Remark, ids: Collection[str]) -> bool:
        """Note what a model says of one of these outputs; False where it says nothing of them."""
        cites = citations_of(one.citations)
        about = next((cite.evidence for cite in cites if cite.evidence in ids), None)
        if about is None or not one.text:
            return False
        await remark(self._ports, about, one.tags, one.text, cites)
        return True


class _Call:
    """What one call is shown of chunks, as much as has room: ``shown`` of it, and the ``rest``."""

    def __init__(self, item: Evidence, text: str, pieces: Sequence[_Piece]) -> None:
        self._item, self._text, self._pieces = item, text, pieces
        self.shown: list[_Piece] = []
        self.rest = list(pieces)

    def show(self, size: int) -> Fenced:
        """In so many characters; at least one line of the first chunk."""
        self.shown, self.rest = [], list(self._pieces)
        parts = list[str]()
        while self.rest and (size >= _LEAST or not parts):
            first, last = self.rest[0]
            part, to = numbered_to(self._item.id, self._text, first, max(size, _LEAST), last)
            size -= len(part)
            parts.append(part)
            to = max(to, first + 1)
            self.shown.append((first, to - 1))
            self.rest = ([(to, last)] if to <= last else []) + self.rest[1:]
            if to <= last:
                break
        return Fenced(as_data("\n".join(parts), _label(self._item), contents_in(self._item)))


def _label(item: Evidence) -> str:
    return f"{item.id} {item.command}"[:80]


def _cited(said: Sentence) -> str:
    return report_assisted.cited(noted(said.text, citations_of(said.citations)))


def is_open(item: Evidence) -> bool:
    """True for an output that code does not settle and that takes no more than a small model: what
    is declared moderate, and what is left of a large one that no analyzer reads."""
    if item.overall_findings is not None:
        return True
    # What the experts themselves asked of a native debugger, to read it, is settled: memory words,
    # instructions, what it says when it opens the dump. Lists of objects say more than their facts.
    own = item.source is Source.DEBUGGER and not item.by_model
    settled = own and sos_command(Document("", item.command, item.host, "")) is None
    return declared(item) is Complexity.MODERATE and not settled


def _is_proved(state: Investigation) -> bool:
    """True once an expert's hypothesis is confirmed with high confidence."""
    return any(
        one.status is Status.CONFIRMED
        and one.proposed_by == "expert"
        and one.verdict is not None
        and one.verdict.confidence >= HIGH_CONFIDENCE
        for one in state.hypotheses.values()
    )


def _together(items: Iterable[Evidence], told: int) -> Iterator[tuple[Evidence, ...]]:
    held_: list[Evidence] = []
    size = 0
    for item in items:
        # Each line is shown behind its citation.
        length = item.size + 10 * item.lines
        if held_ and size + length > told:
            yield tuple(held_)
            held_, size = [], 0
        held_.append(item)
        size += length
    if held_:
        yield tuple(held_)
