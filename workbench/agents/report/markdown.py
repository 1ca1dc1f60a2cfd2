"""The report as Markdown that one would attach to a ticket: cause first, proof after it."""

from collections.abc import Mapping, Sequence

from workbench.agents.markdown import block, code, prose, section, table
from workbench.agents.report import excerpts, view
from workbench.agents.report.models import models_table
from workbench.model.report import Report
from workbench.model.report_conclusion import ClaimInfo, HypothesisInfo, LedgerRow
from workbench.model.report_findings import ThreadGroup
from workbench.model.text import counted


def render_markdown(report: Report, texts: Mapping[str, str]) -> str:
    """The whole report; ``texts`` holds the stored text of each evidence item by id."""
    lines = [
        *_cause(report),
        *_proof(report),
        *_stack(report),
        *_hypotheses(report),
        *_explanation(report),
        *_rejected(report),
        *section("What to do next", map(prose, view.next_steps(report)), numbered=True),
        *section("Open questions", map(prose, report.analysis.ai_analysis.follow_up_questions)),
        *_evidence(report, texts),
        *_threads(report),
        *_narrative(report),
        *_models(report),
        *_health(report),
        *_facts(report),
    ]
    return "\n".join(lines).rstrip("\n") + "\n"


def _cause(report: Report) -> list[str]:
    ai = report.analysis.ai_analysis
    lines = [f"# {prose(view.sentence(view.headline(report)))}", ""]
    if (strange := view.strange(report.metadata)) is not None:
        lines += [f"**{prose(strange)}**", ""]
    if ai.root_cause is not None:
        lines += [f"**{prose(ai.root_cause)}** {_cites(ai.root_cause_citations)}", ""]
    ended = view.ended(report)
    if ended is not None:
        lines += [prose(ended), ""]
    source = view.source_lines(ai)
    if source:
        lines += block(source)
    if report.metadata.issue:
        lines.append(f"- Question: {prose(report.metadata.issue)}")
    where = view.place(ai.frame, short=ai.origin is not None)
    if where is not None:
        lines.append(f"- Where: {code(where)}")
    if ai.origin is not None:
        lines.append(f"- Origin: {view.strength(ai.origin)}")
    cwe = f" (CWE-{ai.cwe})" if ai.cwe is not None else ""
    lines.append(f"- Category: {ai.category}{cwe}")
    reasons = "; ".join(prose(reason) for reason in view.confidence_reasons(report))
    because = f". Not higher because: {reasons}" if reasons else ""
    lines.append(f"- Confidence: {view.confidence_words(ai.confidence)}{because}")
    exception = report.analysis.exception
    what = exception.signal or (exception.type if exception.code is not None else None)
    if what is not None and report.analysis.summary.crash_type != "snapshot":
        address = f", fault address {exception.fault_address}" if exception.fault_address else ""
        thread = f" on thread {exception.thread_id}" if exception.thread_id is not None else ""
        by = f"{what}{thread}{address}"
        lines.append(f"- {'Killed' if exception.signal else 'Ended'} by: {prose(by)}")
    lines += [f"- Note: {prose(notice)}" for notice in ai.notices]
    return [*lines, ""]


def _cites(citations: Sequence[str]) -> str:
    return f"({', '.join(citations)})" if citations else ""


def _proof(report: Report) -> list[str]:
    ai = report.analysis.ai_analysis
    title = "Evidence chain" if ai.root_cause is not None else "What is known"
    held = (
        f"{_cited(claim)}{' — stated by the model' if claim.by == 'model' else ''}"
        for claim in ai.claims
        if claim.status == "verified"
    )
    return section(title, held, numbered=True)


def _cited(claim: ClaimInfo) -> str:
    return f"{prose(claim.text)} {_cites(claim.citations)}"


def _narrative(report: Report) -> list[str]:
    told = report.analysis.ai_analysis.thread_narrative
    if told.description is None:
        return []
    return ["## What the process was doing", "", prose(told.description), ""]


def _stack(report: Report) -> list[str]:
    exception = report.analysis.exception
    lines: list[str] = []
    if exception.stack_trace:
        whose = f" of thread {exception.thread_id}" if exception.thread_id is not None else ""
        folded = view.folded_stack(exception.stack_trace, cut=exception.stack_cut)
        lines += [f"## Stack{whose}", "", *block(folded)]
    waiting = view.ring_groups(report)
    if waiting:
        lines += ["## Stacks of the deadlocked threads", ""]
    for group in waiting:
        lines += _group(group, most=24)
    return lines


def _hypotheses(report: Report) -> list[str]:
    ai = report.analysis.ai_analysis
    if not ai.hypotheses:
        return []
    rows = [
        (
            hypothesis.id,
            prose(hypothesis.statement),
            hypothesis.status + (" by the user" if hypothesis.decided_by == "user" else ""),
            f"{hypothesis.confidence:.2f}",
            _decided_by(hypothesis),
        )
        for hypothesis in ai.hypotheses
    ]
    lines = ["## Hypotheses", ""]
    lines += table(("", "hypothesis", "status", "confidence", "what decided it"), rows)
    if ai.judge.rationale:
        lines += [prose(ai.judge.rationale), ""]
    return lines


def _decided_by(hypothesis: HypothesisInfo) -> str:
    parts = [prose(hypothesis.reason.rstrip("."))] if hypothesis.reason else []
    if hypothesis.supporting:
        parts.append(f"for: {', '.join(hypothesis.supporting)}")
    if hypothesis.contradicting:
        parts.append(f"against: {', '.join(hypothesis.contradicting)}")
    parts += [
        f"predicted, and {one.outcome} ({one.evidence}): {prose(one.text)}"
        for one in hypothesis.predictions
        if one.evidence
    ]
    return "; ".join(parts) or "not tested"


def _rejected(report: Report) -> list[str]:
    rejected = (
        f"~~{_cited(claim).strip()}~~ {claim.status}: {prose(claim.reason)}"
        for claim in report.analysis.ai_analysis.claims
        if claim.status != "verified"
    )
    return section("Rejected by the critic", rejected)


def _explanation(report: Report) -> list[str]:
    """A model's own words, after what is established."""
    said = report.analysis.ai_analysis.explanation
    if said is None:
        return []
    lines = ["## The model's explanation (not checked)", "", prose(said.text), ""]
    if said.origin is not None:
        where = code(f"{said.origin.file or '?'}:{said.origin.line or '?'}")
        lines += [
            f"It takes {code(said.origin.function or '?')} at {where} for the origin "
            f"({said.origin.kind}, {said.confidence}), which is not shown:",
            *(f"- {prose(reason)}" for reason in said.not_shown),
            "",
        ]
    if said.unseen:
        lines += [f"Not found in the evidence: {', '.join(map(code, said.unseen))}.", ""]
    return lines


def _evidence(report: Report, texts: Mapping[str, str]) -> list[str]:
    shown, others = excerpts.excerpts(report, texts), excerpts.uncited(report)
    if not shown and not others:
        return []
    lines = ["## Evidence", "", "Cited lines are marked with `>`.", ""] if shown else []
    for excerpt in shown:
        row = excerpt.row
        cut = ", cut short" if row.partial else ""
        lines += [f"### {row.id} {code(row.command)}", ""]
        summary = f": {prose(row.summary)}" if row.summary else ""
        lines += [f"{row.source}, {counted(row.lines, 'line')}{cut}{summary}", ""]
        lines += _found(row)
        for note in row.annotations:
            lines += [f"Why it matters, in the model's words: {prose(note.why_it_matters)}", ""]
        width = len(str(row.lines))
        lines += block(
            f"{'>' if line.cited else ' '} {line.number:>{width}}  {line.text}"
            if line.number
            else f"  {'':>{width}}  {line.text}"
            for line in excerpt.lines
        )
    if others:
        lines += ["## Other commands run", ""]
        rows = [
            (row.id, code(row.command), row.source, str(row.lines), prose(row.summary))
            for row in others
        ]
        lines += table(("", "command", "source", "lines", "summary"), rows)
        for row in others:
            lines += _found(row)
    return lines


def _found(row: LedgerRow) -> list[str]:
    found = [f"- {prose(text)}" for text in view.findings(row)]
    return [f"Found in {row.id}:", "", *found, ""] if found else []


def _threads(report: Report) -> list[str]:
    threads = report.analysis.threads
    if not view.tells_of_threads(report):
        return []
    lines = ["## Threads", ""]
    if threads.summary.description:
        lines += [prose(threads.summary.description), ""]
    for lock in report.analysis.synchronization.locks:
        waiting = ", ".join(map(str, lock.waiters))
        lines.append(f"- {lock.kind} {lock.address}: {view.held(lock)}waited for by {waiting}")
    lines += [
        f"- deadlock: threads {' → '.join(map(str, (*ring, ring[0])))}"
        for ring in report.analysis.synchronization.deadlocks
        if ring
    ]
    if lines[-1]:
        lines.append("")
    for group in threads.groups:
        lines += _group(group, most=12)
    return lines


def _group(group: ThreadGroup, most: int) -> list[str]:
    lines = [f"**{view.whose(group)}**: {prose(view.doing(group))}", ""]
    if group.stack_trace:
        lines += block(view.folded_stack(group.stack_trace, most=most))
    return lines


def _models(report: Report) -> list[str]:
    rows = [(prose(name), prose(value)) for name, value in models_table(report)]
    return ["## Models", "", *table(("", ""), rows)] if rows else []


def _health(report: Report) -> list[str]:
    rows = [(name, prose(value)) for name, value in view.health_table(report)]
    return ["## Health of the dump", "", *table(("", ""), rows)]


def _facts(report: Report) -> list[str]:
    rows = [(name, prose(value)) for name, value in view.facts_table(report)]
    return [
        "## Environment",
        "",
        *table(("", ""), rows),
        f"Workbench {report.metadata.workbench_version}, {report.metadata.created_at or ''}",
    ]
