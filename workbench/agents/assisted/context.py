"""What a model gets to read: a bounded summary, and cited lines with their numbers; never whole
outputs.

Everything stands in fences that say what kinds of the dump's content they hold, so that a person
can leave a kind out of what goes to the cloud.
"""

import re
from collections.abc import Iterable, Sequence

from workbench.agents.assisted import sight
from workbench.agents.assisted.numbered import fit, short
from workbench.agents.ports import Ports
from workbench.agents.report import assisted as report_assisted
from workbench.claims.chain import SHOWN_BY
from workbench.claims.kinds import KINDS, told
from workbench.claims.render import needed
from workbench.llm.contents import contents_in
from workbench.llm.fences import Fenced, as_data
from workbench.model.assisted_events import Annotation
from workbench.model.category import Category
from workbench.model.citation import Citation
from workbench.model.claims import Claim
from workbench.model.evidence import Evidence
from workbench.model.hypothesis import Hypothesis
from workbench.model.investigation import Investigation
from workbench.model.models import Content
from workbench.model.report import Report
from workbench.model.report_findings import StackFrame
from workbench.model.text import lines_of

_SHOWS_FRAME = re.compile(
    r"^(?:thread apply \d+ -q )?frame apply level \d+ -q (?:info args|info locals)$"
    r"|^list \*0x|frame variable|source list --address|\bdv /t"
)
"""How the arguments, the variables and the source of the crashed frame are asked for."""
_STACKS = re.compile(r"(?:bt|thread (?:apply all|backtrace)|~\*?k|k[bpnv]?|!?clrstack)\b")
_MOST_SHOWN = 12
_TEMPLATE = re.compile(r"(?<!operator)(?<!operator<)<[^<>]*>")
_DEEPEST = 8
_INDEX_LINE = 110
_SHARE = 1200
"""Characters that each item may take, however many there are."""
_MOST_FRAMES = 16
_AHEAD = 30
CATEGORIES = Fenced(
    ", ".join(category.value for category in Category if category is not Category.UNKNOWN)
)
"""All of them, in one line that no value's bound cuts."""
_COMMON_KINDS = """
access loaded register chunk argument frame caller value memory signal message waits owns assigns
calls frees quote
"""
_COMMON = frozenset(_COMMON_KINDS.split())
WHOLE = 6000
"""Characters of the case from which on all kinds are listed beside it."""


def stating(size: int) -> Fenced:
    """The kinds of statements with their arguments, one line each; the common ones alone for a
    model with little room."""
    lines = []
    for kind in KINDS.values():
        if kind.decided not in ("told", "cause") and (size >= WHOLE or kind.name in _COMMON):
            shown = {name: f"{name}{told(kind, name)}" for name in kind.columns}
            forms = [needed(each) for each in kind.text.split(" | ")]
            must = [", ".join(shown[name] for name in shown if name in each) for each in forms]
            may = [shown[name] for name in shown if not any(name in each for each in forms)]
            lines.append(f"{kind.name}({' | '.join(must)}{'; ' * bool(may)}{', '.join(may)})")
    return Fenced("\n".join(lines))


ORIGIN_KINDS = Fenced(", ".join(SHOWN_BY))
ENDING = frozenset({Content.STACKS, Content.STRINGS})

Row = tuple[str, frozenset[Content]]
"""One line, and what kinds of content it holds."""


def fenced(label: str, rows: Iterable[Row], most: int) -> Fenced:
    """Lines in as few fences as their kinds allow, in about ``most`` characters."""
    by_kinds: dict[frozenset[Content], list[str]] = {}
    left = most
    for number, (text, kinds) in enumerate(rows := list(rows)):
        left -= len(text) + 1
        if left < 0:
            by_kinds.setdefault(frozenset(), []).append(f"… and {len(rows) - number} more")
            break
        by_kinds.setdefault(kinds, []).append(text)
    blocks = (as_data("\n".join(text), label, kinds) for kinds, text in by_kinds.items())
    return Fenced("\n".join(blocks))


async def cited(ports: Ports, citations: Sequence[Citation], most: int) -> Fenced:
    """The lines that citations name, an item's as many as an excerpt has, ``most`` in all."""
    by_item: dict[str, set[int]] = {}
    for citation in citations:
        item = ports.state.evidence.get(citation.evidence)
        if item is not None:
            first = citation.first or 1
            last = min(citation.last or citation.first or 6, item.lines, first + _AHEAD)
            by_item.setdefault(item.id, set()).update(range(first, last + 1))
    parts: list[str] = []
    left = most
    for place, (identifier, numbers) in enumerate(by_item.items()):
        if left < 100:
            break
        share = max(_SHARE, left // (len(by_item) - place))
        lines = lines_of(await ports.text(identifier))
        rows = [(n, lines[n - 1]) for n in sorted(numbers) if 1 <= n <= len(lines)]
        text, _ = fit(rows, identifier, min(ports.state.shown.excerpt, share, left))
        item = ports.state.evidence[identifier]
        parts.append(as_data(text, f"{identifier} {item.command}"[:80], contents_in(item)))
        left -= len(text)
    return Fenced("\n".join(parts))


async def summary(ports: Ports, size: int) -> Fenced:
    """The baseline in about ``size`` characters: the ending, health, the crashed thread's stack,
    hypotheses, what is concluded, the evidence by one line each, and cited lines."""
    state = ports.state
    report = await ports.build_report()
    parts = (
        ("how it ended", ending(report), 0.18),
        ("hypotheses", _hypotheses(state), 0.2),
        ("concluded so far", rows_of_claims(state, state.held), 0.2),
        ("remarks on evidence", remarks(state, state.assisted.annotations), 0.12),
        ("evidence", _index(state), 0.25),
    )
    texts = [fenced(label, rows, int(size * share)) for label, rows, share in parts]
    if state.has_room:
        texts.append(await sight.shown(ports, (size - sum(map(len, texts))) * 3 // 4))
    left = size - sum(map(len, texts)) - 40
    if left > 100:
        texts.append(await cited(ports, _telling(state), left))
    return Fenced("\n".join(text for text in texts if text))


def ending(report: Report) -> list[Row]:
    """How the program ended, the dump's health, and the stack of that thread."""
    analysis = report.analysis
    exception, environment, health = analysis.exception, analysis.environment, analysis.core_health
    program = (environment.command_line or report.metadata.executable or "").replace('"', "'")
    if environment.os is None and not exception.stack_trace and exception.type is None:
        return [(short(f"The health of what there is: {cap}"), ENDING) for cap in health.caps]
    said = (exception.message or "").replace('"', "'")
    ended = [exception.type, exception.signal_code, f'"{said}"' if said else ""]
    at = f"fault address {exception.fault_address}" if exception.fault_address else ""
    lines = [
        f'Program: "{program}", {environment.os} {environment.arch}, '
        f"{analysis.summary.thread_count} threads",
        f"Ended by: {' '.join(filter(None, ended)) or 'nothing that was recorded'}"
        + "".join(f", {one}" for one in (at, f"thread {exception.thread_id}") if one),
        *(f"The dump's health: {cap}" for cap in health.caps),
        "Stack of that thread, innermost first:",
        *map(_frame, exception.stack_trace[:_MOST_FRAMES]),
    ]
    return [(short(line), ENDING) for line in lines]


def _frame(frame: StackFrame) -> str:
    name = _without_arguments(frame.function or "") or frame.address or "?"
    place = f" at {frame.file}:{frame.line}" if frame.file else ""
    return f"#{frame.index} {name}{place}{f' in {frame.module}' if frame.module else ''}"


def _without_arguments(name: str) -> str:
    """A function without what its templates were given, which may be longer than all else."""
    for _ in range(_DEEPEST):
        name, changed = _TEMPLATE.subn("\0", name)
        if not changed:
            break
    return name.replace("\0", "<…>")


def rows_of(
    state: Investigation, told: Iterable[tuple[str, Iterable[Citation]]], none: str = ""
) -> list[Row]:
    """Sentences as lines, each with what it holds of the lines that it cites; ``none`` where there
    are none."""
    found = [(short(text), kinds_of(state, cites)) for text, cites in told]
    return found or [(none, frozenset())] * bool(none)


def rows_of_claims(
    state: Investigation, claims: Iterable[Claim], lead: str = "- ", none: str = ""
) -> list[Row]:
    """Statements with their citations, as lines."""
    told = ((f"{lead}{report_assisted.cited(claim)}", claim.citations) for claim in claims)
    return rows_of(state, told, none)


def _hypotheses(state: Investigation) -> list[Row]:
    told = (
        (f"{h.id} {h.category} ({h.status}, {h.confidence:.2f}): {h.statement} {h.reason}", h)
        for h in state.hypotheses.values()
    )
    return rows_of(state, ((text, _cites(h)) for text, h in told), "none yet")


def _index(state: Investigation) -> list[Row]:
    told = ((f"{item.id} `{item.command}` ({item.lines} lines): {item.summary}", item)
            for item in state.evidence.values())  # fmt: skip
    return [(short(text)[:_INDEX_LINE], contents_in(item)) for text, item in told]


def remarks(state: Investigation, noted: Iterable[Annotation]) -> list[Row]:
    """What a model remarked on evidence: held sentences with their citations."""
    return rows_of_claims(state, (one.why for one in noted))


def _cites(hypothesis: Hypothesis) -> tuple[Citation, ...]:
    verdict = hypothesis.verdict
    if verdict is None:
        return hypothesis.citations
    return (*hypothesis.citations, *verdict.supporting, *verdict.contradicting)


def kinds_of(state: Investigation, citations: Iterable[Citation]) -> frozenset[Content]:
    """What a sentence holds that was taken from the lines that it cites."""
    items = (state.evidence[c.evidence] for c in citations if c.evidence in state.evidence)
    return frozenset().union(*map(contents_in, items)) or ENDING


def _telling(state: Investigation) -> list[Citation]:
    """The citations that matter most: what shows the crashed frame, the conclusion's, what a model
    noted itself, the hypotheses', and then what a model asked for and the stacks."""
    found = [_beginning(i) for i in state.evidence.values() if _SHOWS_FRAME.search(i.command)]
    claims = state.conclusion.claims if state.conclusion is not None else ()
    found += [citation for claim in claims for citation in claim.citations]
    noted = [one.why for one in state.assisted.annotations]
    noted += [one.why for one in state.assisted.scores.values()]
    explained = state.assisted.explanation
    noted += [claim for claim in (explained.claims if explained else ()) if claim.holds]
    found += [citation for claim in noted for citation in claim.citations]
    for hypothesis in state.hypotheses.values():
        found += _cites(hypothesis)
    items = state.evidence.values()
    found += [_beginning(item) for item in items if item.by_model]
    found += [_beginning(item) for item in items if _STACKS.match(item.command)]
    return list(dict.fromkeys(found))


def _beginning(item: Evidence) -> Citation:
    return Citation(item.id, 1, max(1, min(item.lines, _MOST_SHOWN)))
