"""Outputs that code leaves open, read by a small model: lists of objects, what a person typed and
no analyzer knows, large texts that nobody reads. Its words become remarks, marked as its own."""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from analyzers.base import Document
from analyzers.sos.text import sos_command
from workbench.agents import report_assisted
from workbench.agents.assisted.answers import Readout
from workbench.agents.assisted.claims import citations_of, noted
from workbench.agents.assisted.context import ending, fenced, numbered, remarks
from workbench.agents.assisted.difficulty import declared
from workbench.agents.assisted.helper import Helper
from workbench.agents.assisted.remarks import remark
from workbench.llm.contents import contents_in
from workbench.llm.errors import Fault
from workbench.llm.fences import Fenced, as_data
from workbench.model.assisted import Annotation
from workbench.model.assisted_events import OutputsRead
from workbench.model.chunks import pieces_of
from workbench.model.citation import parse_citations
from workbench.model.evidence import Evidence, Source
from workbench.model.hypothesis import HIGH_CONFIDENCE, Status
from workbench.model.investigation import Investigation
from workbench.model.models import Complexity

_PIECES = 2
"""Of one large output."""
_MOST_REMARKS = 4
_SECONDS = 90.0  # of one call: remarks are worth no longer wait
_LEAST = 200  # characters of an output that are worth a place in a call


@dataclass(frozen=True)
class _Job:
    """One call: several small outputs, or a large one from a line on."""

    items: tuple[Evidence, ...]
    first: int = 1


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

    def _waiting(self) -> list[Evidence]:
        """What to read, the most telling first."""
        state = self._ports.state
        if not self._left():
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

    async def _work_off(self, items: Iterable[Evidence]) -> None:
        for job in await self._jobs(list(items)):
            if not self._left():
                return
            await self._ask(job)

    async def _jobs(self, items: list[Evidence]) -> list[_Job]:
        """Large ones in pieces, of which those that say most are read; small ones together, after
        the first large one, so that they are not left out."""
        told = self._ports.state.options.limits.told * 3 // 4
        large = [item for item in items if item.size > told]
        jobs = [job for item in large for job in await self._in_pieces(item, told)]
        small = list(_together([item for item in items if item.size <= told], told))
        return [*jobs[:_PIECES], *small, *jobs[_PIECES:]]

    async def _in_pieces(self, item: Evidence, told: int) -> list[_Job]:
        text = await self._ports.text(item.id)
        pieces = [(first, len(lines)) for first, lines in pieces_of([text], told)]
        cited = [cite.first for text in item.findings for cite in parse_citations(text)]
        telling = {
            first: sum(first <= line < first + count for line in cited) for first, count in pieces
        }
        # Where code found nothing: how it begins and ends.
        ranked = sorted(telling, key=lambda first: (-telling[first], first))
        if pieces and not any(telling.values()):
            ranked = list(dict.fromkeys((pieces[0][0], pieces[-1][0])))
        return [_Job((item,), first) for first in sorted(ranked[:_PIECES])]

    async def _ask(self, job: _Job) -> None:
        ports = self._ports
        ids = tuple(item.id for item in job.items)

        async def values(size: int) -> dict[str, Any]:
            report = await ports.build_report()
            noted = [a for a in ports.state.assisted.annotations if a.evidence in ids]
            said = remarks(ports.state, noted)
            return {
                "ending": fenced("how it ended", ending(report), size // 5),
                "before": fenced("before", said, size // 10) if said else "",
                "outputs": await self._shown(job, size * 3 // 4),
            }

        answer = await self._helper.ask("reading", values, answer=Readout, seconds=_SECONDS)
        self._closed = answer is None and self._helper.fault is not Fault.STOPPED
        if self._helper.unfit or self._helper.gone:
            return
        cause = None
        if answer is not None and answer.value is not None:
            await self._note(answer.value, ids)
            cause = await self._cause(answer.value, job)
        await ports.record(OutputsRead(evidence=ids, root_cause=cause))

    async def _shown(self, job: _Job, size: int) -> Fenced:
        parts = []
        share = max(_LEAST, size // len(job.items))
        for item in job.items:
            text = numbered(item.id, await self._ports.text(item.id), job.first, share)
            label = f"{item.id} {item.command}"[:80]
            parts.append(as_data(text, label, contents_in(item)))
        return Fenced("\n".join(parts))

    async def _note(self, said: Readout, ids: Collection[str]) -> None:
        for one in said.remarks[:_MOST_REMARKS]:
            cites = citations_of(one.citations)
            about = next((cite.evidence for cite in cites if cite.evidence in ids), None)
            if about is not None and one.text:
                await remark(self._ports, about, one.tags, one.text, cites)

    async def _cause(self, said: Readout, job: _Job) -> str | None:
        """Its words on the cause, where the output is one that nobody reads."""
        if job.items[0].overall_findings is None or not said.root_cause.text:
            return None
        cites = citations_of(said.root_cause.citations)
        if {cite.evidence for cite in cites} != {job.items[0].id}:
            return None
        return report_assisted.cited(noted(said.root_cause.text, cites))


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


def _together(items: Iterable[Evidence], told: int) -> Iterator[_Job]:
    held_: list[Evidence] = []
    size = 0
    for item in items:
        # Each line is shown behind its citation.
        length = item.size + 10 * item.lines
        if held_ and size + length > told:
            yield _Job(tuple(held_))
            held_, size = [], 0
        held_.append(item)
        size += length
    if held_:
        yield _Job(tuple(held_))
