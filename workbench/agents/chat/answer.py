"""The answer of plain code: contradictions first, then what conclusion, facts and lines say."""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Protocol

from workbench.agents.chat import (
    addresses,
    beside,
    calls,
    counts,
    looks,
    meant,
    members,
    reports,
    topics,
    unknown,
)
from workbench.agents.chat.asked import ASKED, Asked, read
from workbench.agents.chat.causes import categories_in
from workbench.agents.chat.clauses import clauses, conjuncts, is_open, wants_yes_or_no
from workbench.agents.chat.expressions import expressions
from workbench.agents.chat.lines import MOST_LINES, Found, Numbered
from workbench.agents.chat.measured import Measure, is_unmeasured, measures
from workbench.agents.chat.observed import is_of_the_run, shown_by_run
from workbench.agents.chat.stated import stated
from workbench.agents.chat.stated_values import amounts
from workbench.agents.chat.talk import Talk, Told, against, agreed, quoting
from workbench.agents.chat.values import Shown, each_frame, framed, shown, told
from workbench.agents.chat.words import content_words, search_words
from workbench.agents.checking import checked
from workbench.agents.observed import advised
from workbench.agents.ports import Ports, texts_of
from workbench.model.citation import Citation
from workbench.model.claims import Claim
from workbench.model.conversation import Contradiction, Reply
from workbench.model.evidence import Source
from workbench.model.facts import Lock
from workbench.model.hypothesis import Status
from workbench.model.investigation import Investigation

if TYPE_CHECKING:
    from workbench.store.search import Passage

MOST_CLAIMS = 8
MOST_CITED = 40
_APART = frozenset({"value", "waits", "count"})
"""Kinds of which one line says several."""
_OF_A_VALUE = re.compile(r"['`]")
_HYPOTHESIS = re.compile(r"\bH\d+\b")
_WHO = re.compile(r"(?i)^\W*(?:and\s+)?(?:who|(?:which|what)\s+thread)\b")
_SOURCE = re.compile(r"\d+:?\t")
_DUMPED = frozenset(
    {"dump", "dumped", "core", "missing", "truncated", "health", "trust", "reliable", "confidence"}
)


class ChatPorts(Ports, Protocol):
    """What answering a question may reach."""

    async def search(self, words: Iterable[str], question: str = "") -> "Sequence[Passage]":
        """The passages of the evidence that speak of any of the words, or of the question by its
        meaning, the best first."""


async def gather(ports: ChatPorts, question: str) -> Talk:
    """The lines that may answer a question: the best passages of the search."""
    state = ports.state
    asked = meant.threads_meant(read(question, meant.known_names(state)), state)
    wanted = [*_spellings(asked), *search_words(asked.words)]
    passages = await ports.search(wanted, question)
    texts = await texts_of(ports)
    talk = Talk(state, asked, lambda evidence: texts.get(evidence, ""))

    def lines(places: "Iterable[Passage | Citation]", most: int) -> Iterator[Numbered]:
        for one in places:
            item = state.evidence.get(one.evidence)
            if item is not None and not (item.source is Source.USER and item.host == "text"):
                for number in range(max(1, one.first), min(one.last, one.first + most) + 1):
                    text = talk.line_of(item.id, number)
                    yield Numbered(item.id, item.command, number, text)

    talk.lines += (one for one in lines(passages, MOST_LINES) if not _of_the_dump(one, asked))
    # Whatever the words of a question, the lines of the conclusion may be what it is about.
    claims = state.conclusion.claims if state.conclusion is not None else ()
    concluded = dict.fromkeys(lines((c for claim in claims for c in claim.citations), MOST_CITED))
    seen = set(talk.lines)
    talk.lines += [one for one in list(concluded)[:MOST_CITED] if one not in seen]
    return talk


def _of_the_dump(line: Numbered, asked: Asked) -> bool:
    """True for how much memory the dump holds, where it is not the dump that is asked about, and
    for source: its words, and whatever a comment says, tell nothing of what happened."""
    counted = line.command == "@health" and line.text.lstrip().startswith("memory:")
    return _SOURCE.match(line.text) is not None or (counted and not asked.words & _DUMPED)


def _spellings(asked: Asked) -> list[str]:
    """What is named, as debuggers spell it."""
    found = [*asked.names, *asked.registers]
    for address in asked.addresses:
        found += [f"{address:#x}", f"{address:#018x}", f"{address:016x}", f"{address:x}"]
        found += [f"{address & 0xFFFFFFFF:08x}", str(address)]
    for thread in asked.threads:
        found += [str(thread), f"{thread:x}", f"{thread:#x}"]
    return found


def answer(talk: Talk) -> Reply:
    """What the evidence says, each sentence held to it; what it cannot tell. Never raises."""
    parts = conjuncts(talk.asked.text)
    if not parts:
        return _answered(talk)
    names = meant.known_names(talk.state)
    each = [
        (part, _answered(talk.about(meant.threads_meant(read(part, names), talk.state))))
        for part in parts
    ]
    return _together(each)


def _together(each: Sequence[tuple[str, Reply]]) -> Reply:
    """One answer to statements that are asked together: yes where all are so, no where one is
    not."""
    verdicts = [reply.verdict for _, reply in each]
    yes, no = all(one == "yes" for one in verdicts), "no" in verdicts
    left = [text for _, reply in each for text in reply.unknown]
    if not (yes or no):
        left = [f'Not decided: "{part}"' for part, one in each if one.verdict != "yes"] + left
    said = {text: one for _, reply in each for one in reply.claims if (text := one.text)}
    against = {one.claim.text: one for _, reply in each for one in reply.contradictions}
    return Reply(
        claims=tuple(said.values()),
        contradictions=tuple(against.values()),
        verdict="yes" if yes else "no" if no else "open" if said else "",
        unknown=tuple(dict.fromkeys(left)) if not (yes or no) else (),
        advice=tuple(dict.fromkeys(text for _, reply in each for text in reply.advice)),
        understood=yes or no or all(reply.understood for _, reply in each),
    )


def _answered(talk: Talk) -> Reply:
    state, asked = talk.state, talk.asked
    known = list(_measures(talk))
    values = [
        one
        for frame in each_frame(asked)
        for name in expressions(asked)
        if (one := shown(name, talk, frame)) is not None
    ]
    more = [
        *members.stated(talk),
        *looks.told_of_freed(talk),
        *looks.told_of_blocks(talk),
        *looks.told_of_regions(talk),
        *looks.told_of_sources(talk),
        *counts.counted(talk),
        *addresses.told_of_addresses(talk),
        *topics.of_null(talk),
        *topics.of_headers(talk),
        *topics.of_registers(talk),
        *topics.of_returns(talk),
        *topics.of_owned(talk),
        *reports.of_accesses(talk),
        *reports.of_deeds(talk),
        *calls.callers(talk),
    ]
    found = [*amounts(talk, known, bool(more)), *stated(talk), *more]
    denied, same = against(found), agreed(found)
    printed = [one for one in values if one.is_brief] if agreed(more) else values
    called = list(calls.called_with(talk))
    exact = [*agreed(more), *called, *_told(talk, printed), *topics.of_none_thrown(talk)]
    yes_or_no = bool(wants_yes_or_no(asked.text) and (same or denied))
    pointers = looks.pointers(talk, asked.text) if exact and is_open(asked.text) else []
    of_run = not exact or is_of_the_run(pointers, state)
    ran = shown_by_run(asked, state) if of_run else None
    freed = list(looks.freed_now(talk))
    drafts = [*same, *([ran] if ran is not None else []), *exact, *freed]
    if not exact or "cause" in asked.words:
        named = _of_named_causes(talk)
        drafts += (
            topics.of_the_cause(asked, state)
            if not (named and _HYPOTHESIS.search(asked.text))
            else ()
        )
        drafts += named
    if not (drafts or denied) and wants_yes_or_no(asked.text):
        drafts += [claim for claim in state.held if not unknown.missed(asked, claim.text)][:1]
    severe, told_severity = beside.of_the_severity(talk)
    told_of = [*agreed(more), *called, *([ran] if ran is not None else [])]
    if not (denied or exact or values or yes_or_no):
        # Where addresses are asked about, only what is told of them.
        wanted = [f"{address:x}" for address in asked.addresses]
        drafts += [
            claim
            for claim in topics.of_the_facts(talk)
            if not wanted or any(text in claim.text for text in wanted)
        ]
        told_of += [*severe, *reports.of_the_reports(talk), *beside.moments(talk),
                    *beside.of_the_environment(talk)]  # fmt: skip
        drafts += told_of
    lacking = unknown.missed(asked, _said(drafts, state)) or not (drafts or denied)
    undamaged = topics.undamaged(talk)
    past = [] if undamaged else list(unknown.of_the_moment(asked, state))
    none = past and not state.recorded  # no line of a dump tells of another moment
    none = none or any(amount.relation == ASKED for amount in asked.amounts)
    if lacking and not (exact or values or yes_or_no or none):
        found_lines = [f.line for f in talk.fitting if _adds(f, asked, drafts)]
        for line in found_lines:
            drafts += quoting(f"In {line.evidence}", line.evidence, line.number, line.text)
    claims = checked(
        _once(drafts, [one.claim for one in denied])[: 2 * MOST_CLAIMS], state, talk.text_of
    )
    held = [claim for claim in claims if claim.holds][:MOST_CLAIMS]
    contradictions = _held(denied, state, talk.text_of)
    yes = {claim.text for claim in same} & {one.text for one in held}
    unheld = list(unknown.unheld(asked, state))
    left_out = unknown.missed(asked, " ".join([_said(held, state), *unheld]))
    if told_of or denied or same or contradictions or undamaged or categories_in(asked.text):
        left_out = []
    history = [] if told_of or denied or yes_or_no else past
    history = history if left_out or freed or not (exact or values) else []
    spoken = _said(held, state).lower()
    unnamed = [one for one in talk.unnamed if not denied and one.lower() not in spoken]
    unmeasured = [one for one in asked.amounts if not denied and is_unmeasured(one, known)]
    left = [
        *unknown.unknown(asked, state, unnamed=unnamed, unmeasured=unmeasured, values=values),
        *unheld,
        *undamaged,
        *history,
        *told_severity,
        *unknown.undecided(asked, state),
    ]
    advice = tuple(advised(state)) if "advice" in asked.words and not exact else ()
    if left_out and not history:
        left.append(unknown.not_understood(left_out))
    half = _unanswered(asked, more, values) if exact and not left_out else []
    left += [f'Not answered: "{part}". Ask it by itself.' for part in half]
    if not (held or contradictions or advice or left):
        left = [unknown.NOTHING_SAID]
    return Reply(
        claims=(*held, *(claim for claim in claims if not claim.holds)),
        contradictions=contradictions,
        verdict=_verdict(asked, yes, contradictions, held),
        unknown=tuple(left),
        advice=advice,
        understood=not (left_out or half or unheld),
    )


def _unanswered(asked: Asked, told: Sequence[Told], values: Sequence[Shown]) -> list[str]:
    """The parts of several questions in one that nothing speaks of which was told exactly."""
    parts = [part.rstrip("?!. ") for part in clauses(asked.text) if is_open(part)]
    said = {one.said.rstrip("?!. ") for one in told}
    left = (part for part in parts if not any(one.expression in part for one in values))
    return [part for part in left if part not in said] if len(parts) > 1 else []


def _told(talk: Talk, values: Sequence[Shown]) -> list[Claim]:
    """What the debugger printed of the expressions that are named; of a lock that is asked for, who
    holds it."""
    asked, state = talk.asked, talk.state
    if counts.locks_wanted(asked):
        return []
    owner = "hold" in asked.words or ("lock" in asked.words and _WHO.match(asked.text))
    locks = [one for one in state.facts.all(Lock) if one.owner and owner]
    several = len(asked.frames) > 1
    return [
        claim for one in values for claim in (framed(one, state) if several else told(one, locks))
    ]


def _verdict(
    asked: Asked, yes: Collection[str], no: Collection[Contradiction], held: Collection[Claim]
) -> str:
    """Where a question wants yes or no and facts decide it, which; nothing where they do both."""
    if not wants_yes_or_no(asked.text) or (yes and no):
        return ""
    return "yes" if yes else "no" if no else "open" if held else ""


def _once(drafts: Sequence[Claim], shown: Collection[Claim]) -> list[Claim]:
    """Each line once, though two items hold it; nothing that contradicts is said again."""
    kept: dict[str, Claim] = {}
    places = {(one.citations, text) for one in shown for text in ("", one.text)}
    said = {one.text for one in shown}
    for draft in drafts:
        place = (draft.citations, draft.text if draft.kind in _APART else "")
        if place not in places and draft.text not in said:
            places.add(place)
            kept.setdefault(draft.text, draft)
    return list(kept.values())


def _measures(talk: Talk) -> Iterator[Measure]:
    by_item: dict[tuple[str, str], list[tuple[int, str]]] = {}
    for line in talk.lines:
        by_item.setdefault((line.evidence, line.command), []).append((line.number, line.text))
    for (evidence, command), lines in by_item.items():
        yield from measures(evidence, command, lines)


def _held(
    denied: list[Contradiction], state: Investigation, text_of: Callable[[str], str]
) -> tuple[Contradiction, ...]:
    judged = checked((one.claim for one in denied), state, text_of)
    pairs = zip(denied, judged, strict=True)
    kept = [Contradiction(one.said, claim) for one, claim in pairs if claim.holds]
    return tuple({(one.claim.citations, one.claim.text): one for one in kept}.values())


def _said(claims: Iterable[Claim], state: Investigation) -> str:
    """What sentences say, and what was asked for it; of a value only whose it is."""
    words = [one.text for one in claims if one.kind != "value" and not _OF_A_VALUE.match(one.text)]
    cited = (cite.evidence for claim in claims for cite in claim.citations[:1])
    return " ".join([*words, *(state.evidence[id].command for id in cited)])


def _adds(found: Found, asked: Asked, drafts: Sequence[Claim]) -> bool:
    """True for a line that speaks of all that is asked about, and names what no draft does."""
    told = " ".join(draft.text for draft in drafts)
    known = found.names and all(name.rpartition(" ")[2] in told for name in found.names)
    whole = found.names.issuperset(asked.names)
    return (
        whole and not known and not unknown.missed(asked, f"{found.line.command} {found.line.text}")
    )


def _telling(cite: Citation, words: frozenset[str], talk: Talk) -> int:
    """The line of what is cited that shares most words with the reason, else its first: outputs
    often begin with whose they are."""
    first = max(cite.first, 1)
    lines = range(first, min(cite.last, first + MOST_LINES) + 1) or [first]
    return max(
        lines, key=lambda line: len(words & content_words(talk.line_of(cite.evidence, line)))
    )


def _of_named_causes(talk: Talk) -> list[Claim]:
    """What became of the hypotheses that the question names, by their cause or their ids, and a
    line that decided it."""
    asked, state, found = talk.asked, talk.state, list[Claim]()
    named: set[str] = {*categories_in(asked.text), *_HYPOTHESIS.findall(asked.text)}
    for hypothesis in state.hypotheses.values():
        verdict = hypothesis.verdict
        if not named & {hypothesis.category, hypothesis.id} or verdict is None:
            continue
        if hypothesis.status is Status.CONFIRMED:
            found += verdict.claims[:2]
        else:
            lead = f"{hypothesis.category} is {hypothesis.status}: {verdict.reason.rstrip('.')}"
            for cite in (verdict.contradicting or verdict.supporting)[:1]:
                line = _telling(cite, content_words(verdict.reason), talk)
                found += quoting(lead, cite.evidence, line, talk.line_of(cite.evidence, line))
    return found or (state.held[:1] if categories_in(asked.text) else [])
