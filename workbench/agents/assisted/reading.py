"""Outputs that code leaves open, read by a small model: lists of objects, what a person typed and
no analyzer knows, large texts that nobody reads. Its words become remarks, marked as its own."""

import asyncio
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

from analyzers.base import Document
from analyzers.sos.text import sos_command
from workbench.agents import report_assisted
from workbench.agents.assisted.answers import Overall, Readout, Remark, Sentence
from workbench.agents.assisted.claims import citations_of, noted
from workbench.agents.assisted.context import ending, fenced, numbered, remarks, short
from workbench.agents.assisted.difficulty import declared
from workbench.agents.assisted.helper import Helper
from workbench.agents.assisted.remarks import remark
from workbench.llm.contents import contents_in
from workbench.llm.errors import Fault
from workbench.llm.fences import Fenced, as_data
from workbench.model.assisted import Annotation
from workbench.model.assisted_events import OutputsRead, PieceRead
from workbench.model.chunks import SAID, pieces_of
from workbench.model.citation import parse_citations
from workbench.model.evidence import Evidence, Source
from workbench.model.hypothesis import HIGH_CONFIDENCE, Status
from workbench.model.investigation import Investigation
from workbench.model.models import Complexity
from workbench.model.text import lines_of

_PIECES = 2
"""Of one large output that analyzers read in part; of those that none reads, all that
`Limits.piece_calls` holds."""
_AT_ONCE = 4
"""Pieces that a cloud is asked about at a time; a model of this machine has one at a time."""
_MOST_REMARKS = 4
_SECONDS = 90.0  # of one call: remarks are worth no longer wait
_LEAST = 200  # characters of an output that are worth a place in a call


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
            tests = _of_tests(self._ports.state)
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
        state = self._ports.state
        if self._closed or self._helper.gone:
            return 0
        return max(0, state.options.limits.reading_calls - state.assisted.readings)

    def _left_of_pieces(self) -> int:
        state = self._ports.state
        if self._closed or self._helper.gone:
            return 0
        read = sum(map(len, state.assisted.pieces.values()))
        return max(0, state.options.limits.piece_calls - read)

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
        told = self._ports.state.options.limits.told * 3 // 4
        for together in _together([item for item in items if item.size <= told], told):
            if self._left():
                await self._read_together(together)
        for item in items:
            if item.size > told and self._left_of_pieces():
                await self._read_large(item, told)

    async def _read_together(self, items: tuple[Evidence, ...]) -> None:
        ids = tuple(item.id for item in items)
        said = await self._ask(items)
        if self._helper.unfit or self._helper.gone:
            return
        for one in said.remarks[:_MOST_REMARKS] if said is not None else ():
            await self._remark(one, ids)
        await self._ports.record(OutputsRead(evidence=ids))

    async def _read_large(self, item: Evidence, told: int) -> None:
        """Its pieces, those first in which code saw most, each with what was found before; then
        what they say together. A run that was cut goes on at the piece that it had come to."""
        state = self._ports.state
        chosen = await self._pieces(item, told)
        done = {piece.first for piece in state.assisted.pieces.get(item.id, ())}
        waiting = [piece for piece in chosen if piece[0] not in done][: self._left_of_pieces()]
        chose = state.models.chosen
        cloud = declared(item) is Complexity.COMPLEX and chose is not None and chose.cloud
        at_once = _AT_ONCE if cloud else 1
        for at in range(0, len(waiting), at_once):
            now = waiting[at : at + at_once]
            said = await asyncio.gather(*(self._ask((item,), first) for first, _ in now))
            if self._helper.unfit or self._helper.gone:
                return
            for (first, count), one in zip(now, said, strict=True):
                await self._keep(item, first, first + count - 1, len(chosen), one)
            if self._closed:
                break
        await self._sum_up(item)

    async def _pieces(self, item: Evidence, told: int) -> list[tuple[int, int]]:
        """The first line and the number of lines of what is to be read: where code found an end or
        an exception, then where it found calls that wait, then from both ends."""
        cited = [cite for text in item.findings for cite in parse_citations(text)]
        text = await self._ports.text(item.id)
        # Of a huge one as far as code saw anything in it.
        far = max((text.count("\n") + 1, *(cite.last for cite in cited)))
        blocks = (line + "\n" for line in islice(lines_of(text), far))
        pieces = await asyncio.to_thread(
            lambda: [(first, len(lines)) for first, lines in pieces_of(blocks, told)]
        )

        def seen(piece: tuple[int, int]) -> tuple[int, int]:
            here = [c for c in cited if piece[0] <= c.first < sum(piece)]
            return sum(c.first == c.last for c in here), len(here)

        ends = {piece: min(at, len(pieces) - 1 - at) for at, piece in enumerate(pieces)}
        ranked = sorted(pieces, key=lambda p: (*(-n for n in seen(p)), ends[p], p))
        unread = item.overall_findings is not None
        return ranked if unread else ranked[:_PIECES]

    async def _keep(
        self, item: Evidence, first: int, last: int, total: int, said: Readout | None
    ) -> None:
        """What a model said of a piece: of its lines alone."""
        stated = said.remarks[:_MOST_REMARKS] if said is not None else ()
        found = [_cited(one) for one in stated if await self._remark(one, (item.id,))]
        cause = said.root_cause if said is not None else None
        cites = citations_of(cause.citations) if cause is not None else ()
        within = bool(cites) and all(
            c.evidence == item.id and first <= c.first <= c.last <= last for c in cites
        )
        held = within and cause is not None and cause.text and item.overall_findings is not None
        await self._ports.record(
            PieceRead(evidence=item.id, first=first, last=last, total=total,
                      findings=tuple(found) if item.overall_findings is not None else (),
                      root_cause=_cited(cause) if held and cause is not None else None)
        )  # fmt: skip

    async def _sum_up(self, item: Evidence) -> None:
        """What the pieces say together: of one that said anything, its own words."""
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
                summary = f"{overall.summary}; {SAID}{said.summary}" if said.summary else None
        await self._ports.record(
            OutputsRead(evidence=(item.id,), root_cause=cause, summary=summary)
        )

    async def _ask(self, items: tuple[Evidence, ...], first: int = 1) -> Readout | None:
        ports = self._ports

        async def values(size: int) -> dict[str, Any]:
            report = await ports.build_report()
            state = ports.state
            noted = [a for a in state.assisted.annotations if a.evidence in {i.id for i in items}]
            said = remarks(state, noted)
            return {
                "ending": fenced("how it ended", ending(report), size // 5),
                "before": fenced("before", said, size // 10) if said else "",
                "outputs": await self._shown(items, first, size * 3 // 4),
            }

        complexity = Complexity.COMPLEX if declared(items[0]) is Complexity.COMPLEX else None
        answer = await self._helper.ask(
            "reading", values, answer=Readout, seconds=_SECONDS, complexity=complexity
        )
        self._closed = answer is None and self._helper.fault is not Fault.STOPPED
        return answer.value if answer is not None else None

    async def _shown(self, items: Sequence[Evidence], first: int, size: int) -> Fenced:
        parts = []
        share = max(_LEAST, size // len(items))
        for item in items:
            text = numbered(item.id, await self._ports.text(item.id), first, share)
            label = f"{item.id} {item.command}"[:80]
            parts.append(as_data(text, label, contents_in(item)))
        return Fenced("\n".join(parts))

    async def _remark(self, one: Remark, ids: Collection[str]) -> bool:
        """Note what a model says of one of these outputs; False where it says nothing of them."""
        cites = citations_of(one.citations)
        about = next((cite.evidence for cite in cites if cite.evidence in ids), None)
        if about is None or not one.text:
            return False
        await remark(self._ports, about, one.tags, one.text, cites)
        return True


def _cited(said: Sentence) -> str:
    return report_assisted.cited(noted(said.text, citations_of(said.citations)))


def is_open(item: Evidence) -> bool:
    """True for an output that code does not settle and that takes no more than a small model: what
    is declared moderate, and what is left of a large one that no analyzer reads."""
    if item.overall_findings is not None:
        return True
    return declared(item) is Complexity.MODERATE and not _is_settled(item)


def _is_settled(item: Evidence) -> bool:
    """True for what the experts themselves asked of a native debugger, to read it: memory words,
    instructions, what it says when it opens the dump. Lists of objects say more than the facts
    that are made of them."""
    own = item.source is Source.DEBUGGER and not item.by_model
    return own and sos_command(Document("", item.command, item.host, "")) is None


def _is_proved(state: Investigation) -> bool:
    """True once an expert's hypothesis is confirmed with high confidence."""
    return any(
        one.status is Status.CONFIRMED
        and one.proposed_by == "expert"
        and one.verdict is not None
        and one.verdict.confidence >= HIGH_CONFIDENCE
        for one in state.hypotheses.values()
    )


def _of_tests(state: Investigation) -> set[str]:
    """What hypotheses asked for."""
    return {test.evidence for one in state.hypotheses.values() for test in one.tests}


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
