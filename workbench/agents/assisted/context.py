"""What a model gets to read: a bounded summary, and cited lines with their numbers; never whole
outputs.

Everything stands in fences that say what kinds of the dump's content they hold, so that a person
can leave a kind out of what goes to the cloud.
"""

from collections.abc import Iterable, Sequence

from workbench.agents import report_assisted
from workbench.agents.ports import Ports
from workbench.llm.contents import contents_of
from workbench.llm.fences import Fenced, as_data
from workbench.model.assisted import Annotation
from workbench.model.category import Category
from workbench.model.citation import Citation
from workbench.model.hypothesis import Hypothesis
from workbench.model.investigation import Investigation
from workbench.model.models import Content
from workbench.model.report import Report
from workbench.model.text import printable

_LINE = 300
_INDEX_LINE = 140
_MOST_FRAMES = 16
_AHEAD = 30
CATEGORIES = ", ".join(category.value for category in Category if category is not Category.UNKNOWN)
ENDING = frozenset({Content.STACKS, Content.STRINGS})

Row = tuple[str, frozenset[Content]]
"""One line, and what kinds of content it holds."""


def numbered(identifier: str, text: str, first: int = 1, most: int = 2048) -> str:
    """Lines of an item from ``first`` on, each behind its citation, in ``most`` characters."""
    lines = text.split("\n")
    if len(lines) > 1 and not lines[-1]:
        lines.pop()
    return _fit(((n, lines[n - 1]) for n in range(max(1, first), len(lines) + 1)), identifier, most)


def _fit(lines: Iterable[tuple[int, str]], identifier: str, most: int) -> str:
    found: list[str] = []
    left = most
    for number, line in lines:
        row = f"{identifier}:{number}| {short(line)}"
        left -= len(row) + 1
        if left < 0:
            found.append(f"… {identifier} goes on from line {number}")
            break
        found.append(row)
    return "\n".join(found)


def fenced(label: str, rows: Iterable[Row], most: int) -> str:
    """Lines in as few fences as their kinds allow, in about ``most`` characters."""
    by_kinds: dict[frozenset[Content], list[str]] = {}
    left = most
    for text, kinds in rows:
        left -= len(text) + 1
        if left < 0:
            break
        by_kinds.setdefault(kinds, []).append(text)
    return "\n".join(as_data("\n".join(text), label, kinds) for kinds, text in by_kinds.items())


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
    for identifier, numbers in by_item.items():
        if left < 100:
            break
        lines = (await ports.text(identifier)).split("\n")
        rows = ((n, lines[n - 1]) for n in sorted(numbers) if 1 <= n <= len(lines))
        text = _fit(rows, identifier, min(ports.state.options.limits.excerpt, left))
        command = ports.state.evidence[identifier].command
        parts.append(as_data(text, f"{identifier} {command}"[:80], contents_of(command)))
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
        ("concluded so far", _conclusion(state), 0.2),
        ("remarks on evidence", remarks(state, state.assisted.annotations), 0.12),
        ("evidence", _index(state), 0.2),
    )
    texts = [fenced(label, rows, int(size * share)) for label, rows, share in parts]
    left = size - sum(map(len, texts)) - 40
    if left > 100:
        texts.append(await cited(ports, _telling(state), left))
    return Fenced("\n".join(text for text in texts if text))


def ending(report: Report) -> list[Row]:
    """How the program ended, the dump's health, and the stack of that thread."""
    analysis = report.analysis
    exception, environment, health = analysis.exception, analysis.environment, analysis.core_health
    program = environment.command_line or report.metadata.executable
    lines = [
        f"Program: {program}, {environment.os} {environment.arch}, "
        f"{analysis.summary.thread_count} threads",
        f"Ended by: {exception.type} {exception.signal_code or ''} {exception.message or ''}, "
        f"fault address {exception.fault_address}, thread {exception.thread_id}",
        *(f"The dump's health: {cap}" for cap in health.caps),
        "Stack of that thread, innermost first:",
    ]
    for frame in exception.stack_trace[:_MOST_FRAMES]:
        place = f" at {frame.file}:{frame.line}" if frame.file else ""
        lines.append(f"#{frame.index} {frame.function}{place} in {frame.module}")
    return [(short(line), ENDING) for line in lines]


def _hypotheses(state: Investigation) -> list[Row]:
    return [
        (
            short(
                f"{h.id} {h.category} ({h.status}, {h.confidence:.2f}): {h.statement} {h.reason}"
            ),
            kinds_of(state, _cites(h)),
        )
        for h in state.hypotheses.values()
    ] or [("none yet", frozenset())]


def _conclusion(state: Investigation) -> list[Row]:
    return [
        (
            short(f"- {report_assisted.cited(claim)}"),
            kinds_of(state, claim.citations),
        )
        for claim in (state.conclusion.claims if state.conclusion is not None else ())
        if claim.status != "struck"
    ]


def _index(state: Investigation) -> list[Row]:
    return [
        (
            short(f"{item.id} `{item.command}` ({item.lines} lines): {item.summary}")[:_INDEX_LINE],
            contents_of(item.command),
        )
        for item in state.evidence.values()
    ]


def remarks(state: Investigation, noted: Iterable[Annotation]) -> list[Row]:
    """What a model remarked on evidence: held sentences with their citations."""
    return [
        (short(f"- {report_assisted.cited(one.why)}"), kinds_of(state, one.why.citations))
        for one in noted
    ]


def _cites(hypothesis: Hypothesis) -> tuple[Citation, ...]:
    verdict = hypothesis.verdict
    if verdict is None:
        return hypothesis.citations
    return (*hypothesis.citations, *verdict.supporting, *verdict.contradicting)


def kinds_of(state: Investigation, citations: Iterable[Citation]) -> frozenset[Content]:
    """What a sentence holds that was taken from the lines that it cites."""
    commands = (
        state.evidence[c.evidence].command for c in citations if c.evidence in state.evidence
    )
    return frozenset().union(*map(contents_of, commands)) or ENDING


def _telling(state: Investigation) -> list[Citation]:
    """The citations that matter most: the conclusion's, then the hypotheses'."""
    claims = state.conclusion.claims if state.conclusion is not None else ()
    found = [citation for claim in claims for citation in claim.citations]
    for hypothesis in state.hypotheses.values():
        found += _cites(hypothesis)
    return list(dict.fromkeys(found))


def short(line: str) -> str:
    """One line, bounded."""
    shown = printable(line)
    return shown if len(shown) <= _LINE else shown[:_LINE] + "…"
