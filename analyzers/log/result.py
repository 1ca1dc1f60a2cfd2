"""From findings to an analysis: the facts that every reader of logs gives."""

from msgspec.structs import replace

from analyzers.base import Analysis, Document
from analyzers.log.kinds import is_absurd
from analyzers.log.text import MAX_FINDINGS
from workbench.model.category import Category
from workbench.model.facts import AnyFact, Finding, Role, Stack


def _lines(role: Role) -> tuple[int, int]:
    """The first and the last line of a stack, whatever order they are in."""
    lines = [frame.line_no for frame in role.frames]
    for frame in role.frames:
        lines += frame.file_lines or ()
    return min(lines), max(lines)


def _sized(finding: Finding) -> Finding:
    """Memory does not run out for a size that no memory has: what computed it went wrong."""
    out = finding.category == Category.OUT_OF_MEMORY.value
    if not out or not is_absurd(finding.message, finding.size):
        return finding
    return replace(finding, category=Category.INTEGER_OVERFLOW.value, sure=False)


def analysis_of(document: Document, findings: list[Finding]) -> Analysis:
    """The findings, and the stack of the first one that has any as the current stack, unless the
    process outlived it."""
    findings = [_sized(finding) for finding in findings[:MAX_FINDINGS]]
    facts: list[AnyFact] = list(findings)
    for finding in findings:
        if finding.ends is False:
            continue
        role = next((r for r in finding.stacks if r.role in ("access", "leak") and r.frames), None)
        if role is not None:
            facts.append(
                Stack(cite=document.cite(*_lines(role)), name=role.name, frames=role.frames,
                      current=True))  # fmt: skip
            break
    if not findings:
        return Analysis("Nothing readable")
    first = findings[0]
    more = f", and {len(findings) - 1} more" if len(findings) > 1 else ""
    said = tuple(f"{f.tool}: {f.message[:160]} [{document.cite(f.line)}]" for f in findings[:20])
    return Analysis(f"{first.tool}: {first.message[:120]}{more}", tuple(facts), said)
