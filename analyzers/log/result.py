"""From findings to an analysis: the facts that every reader of logs gives."""

from analyzers.base import Analysis, Document
from analyzers.log.text import MAX_FINDINGS
from workbench.model.facts import AnyFact, Finding, Stack


def analysis_of(document: Document, findings: list[Finding]) -> Analysis:
    """The findings, and the stack of the first one that has any as the current stack."""
    facts: list[AnyFact] = list(findings[:MAX_FINDINGS])
    for finding in findings:
        role = next((r for r in finding.stacks if r.role in ("access", "leak") and r.frames), None)
        if role is not None:
            facts.append(
                Stack(
                    cite=document.cite(role.frames[0].line_no, role.last),
                    number=None,
                    thread=None,
                    name=role.name,
                    frames=role.frames,
                    current=True,
                )
            )
            break
    if not findings:
        return Analysis("Nothing readable")
    first = findings[0]
    more = f", and {len(findings) - 1} more" if len(findings) > 1 else ""
    said = tuple(f"{f.tool}: {f.message[:160]} [{document.cite(f.line)}]" for f in findings[:20])
    return Analysis(f"{first.tool}: {first.message[:120]}{more}", tuple(facts), said)
