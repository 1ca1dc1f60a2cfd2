"""What a model gets to read: a bounded summary, and cited lines with their numbers; never whole
outputs."""

from collections.abc import Iterable, Sequence

from workbench.agents.ports import Ports
from workbench.model.category import Category
from workbench.model.citation import Citation
from workbench.model.investigation import Investigation
from workbench.model.report import Report
from workbench.model.text import printable

EXCERPT = 2048
"""Characters of one excerpt of an evidence item (the contract's)."""
_LINE = 300
_MOST_FRAMES = 16
CATEGORIES = ", ".join(category.value for category in Category if category is not Category.UNKNOWN)


def numbered(identifier: str, text: str, first: int = 1, most: int = EXCERPT) -> str:
    """Lines of an item from ``first`` on, each behind its citation, in ``most`` characters."""
    lines = text.split("\n")
    if len(lines) > 1 and not lines[-1]:
        lines.pop()
    return _fit(((n, lines[n - 1]) for n in range(max(1, first), len(lines) + 1)), identifier, most)


def _fit(lines: Iterable[tuple[int, str]], identifier: str, most: int) -> str:
    found: list[str] = []
    left = most
    for number, line in lines:
        shown = printable(line)
        row = f"{identifier}:{number}| {shown if len(shown) <= _LINE else shown[:_LINE] + '…'}"
        left -= len(row) + 1
        if left < 0:
            found.append(f"… {identifier} goes on from line {number}")
            break
        found.append(row)
    return "\n".join(found)


async def cited(ports: Ports, citations: Sequence[Citation], most: int) -> str:
    """The lines that citations name, an item's at most `EXCERPT` characters, ``most`` in all."""
    by_item: dict[str, set[int]] = {}
    for citation in citations:
        item = ports.state.evidence.get(citation.evidence)
        if item is not None:
            last = min(citation.last or citation.first or 6, item.lines)
            first = citation.first or 1
            by_item.setdefault(item.id, set()).update(range(first, min(last, first + 30) + 1))
    parts: list[str] = []
    left = most
    for identifier, numbers in by_item.items():
        if left < 100:
            break
        lines = (await ports.text(identifier)).split("\n")
        rows = ((n, lines[n - 1]) for n in sorted(numbers) if 1 <= n <= len(lines))
        parts.append(_fit(rows, identifier, min(EXCERPT, left)))
        left -= len(parts[-1])
    return "\n".join(parts)


async def summary(ports: Ports, size: int) -> str:
    """The baseline in at most ``size`` characters: the ending, health, the crashed thread's
    stack, hypotheses, what is concluded, the evidence by one line each, and cited lines."""
    state = ports.state
    report = await ports.build_report()
    parts = [_ending(report), _hypotheses(state), _conclusion(state), _index(state)]
    shares = (0.18, 0.22, 0.2, 0.2)
    texts = [cut(text, int(size * share)) for text, share in zip(parts, shares, strict=True)]
    left = size - sum(map(len, texts)) - 40
    if left > 100:
        texts.append("Lines of evidence:\n" + await cited(ports, _telling(state), left))
    return "\n".join(text for text in texts if text)


def cut(text: str, most: int) -> str:
    """Whole lines of a text, at most so many characters."""
    if len(text) <= most:
        return text
    return text[:most].rpartition("\n")[0] + "\n…"


def _ending(report: Report) -> str:
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
        lines.append(f"  #{frame.index} {frame.function}{place} in {frame.module}")
    return "\n".join(_short(line) for line in lines)


def _hypotheses(state: Investigation) -> str:
    lines = [
        f"{h.id} {h.category} ({h.status}, {h.confidence:.2f}): {h.statement} {h.reason}"
        for h in state.hypotheses.values()
    ]
    return "\n".join(["Hypotheses:", *map(_short, lines or ["none yet"])])


def _conclusion(state: Investigation) -> str:
    claims = state.conclusion.claims if state.conclusion is not None else ()
    lines = [
        f"- {claim.text} [{', '.join(map(str, claim.citations))}]"
        for claim in claims
        if claim.status != "struck"
    ]
    return "\n".join(["What is concluded so far:", *map(_short, lines)]) if lines else ""


def _index(state: Investigation) -> str:
    lines = [
        f"{item.id} `{item.command}` ({item.lines} lines): {item.summary}"
        for item in state.evidence.values()
    ]
    return "\n".join(["Evidence:", *(_short(line)[:160] for line in lines)])


def _telling(state: Investigation) -> list[Citation]:
    """The citations that matter most: the conclusion's, then the hypotheses'."""
    claims = state.conclusion.claims if state.conclusion is not None else ()
    found = [citation for claim in claims for citation in claim.citations]
    for hypothesis in state.hypotheses.values():
        found += hypothesis.citations
        if hypothesis.verdict is not None:
            found += (*hypothesis.verdict.supporting, *hypothesis.verdict.contradicting)
    return list(dict.fromkeys(found))


def _short(line: str) -> str:
    shown = printable(line)
    return shown if len(shown) <= _LINE else shown[:_LINE] + "…"
