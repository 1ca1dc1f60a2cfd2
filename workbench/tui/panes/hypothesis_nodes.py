"""A hypothesis as nodes of an outline: status, confidence, reason, tests, citations, what lacks."""

from collections.abc import Mapping, Sequence

from textual.content import Content

from workbench.claims.render import told_step
from workbench.model.citation import Citation
from workbench.model.claims import Outcome
from workbench.model.hypothesis import Hypothesis, Status, TestResult
from workbench.model.origin import Origin, OriginStep
from workbench.tui.panes.outline import Node, first_cited, labelled
from workbench.tui.text import one_line, plain

Quotes = Mapping[Citation, str]

STATUS_LOOK: dict[Status, tuple[str, str]] = {
    Status.PROPOSED: ("○", "$text-primary"), Status.APPROVED: ("◔", "$text-accent"),
    Status.TESTING: ("◑", "$text-warning"), Status.CONFIRMED: ("●", "$text-success"),
    Status.REJECTED: ("✕", "$foreground 60%"), Status.INCONCLUSIVE: ("◌", "$text-warning"),
}  # fmt: skip


def confidence_bar(value: float) -> str:
    """A value of 0..1 as a bar: ``▰▰▰▱▱``."""
    full = max(0, min(5, round(value * 5)))
    return "▰" * full + "▱" * (5 - full)


def _citation_nodes(
    key: str, label: str, style: str, cited: tuple[Citation, ...], quotes: Quotes
) -> list[Node]:
    return [
        Node.of(
            f"{key}/{label}/{citation}",
            (f"{label} ", style),
            (str(citation), "bold $text-primary"),
            "  ",
            plain(quotes.get(citation, ""), "$foreground 60%"),
            citation=citation,
            wrap=False,
        )
        for citation in cited
    ]


def _showed(hypothesis: Hypothesis, test: TestResult) -> tuple[str, str]:
    """The sign of a test: what its output did for the verdict. One that nothing rests on may have
    been an error of the debugger's."""
    verdict = hypothesis.verdict
    if verdict is not None:
        if any(one.evidence == test.evidence for one in verdict.supporting):
            return "✓ ", "$text-success"
        if any(one.evidence == test.evidence for one in verdict.contradicting):
            return "✕ ", "$text-error"
    return "• ", "$foreground 60%"


def _test_nodes(hypothesis: Hypothesis, tests_of: Mapping[str, Sequence[str]]) -> list[Node]:
    def also(command: str) -> str:
        others = [id for id in tests_of.get(command, ()) if id != hypothesis.id]
        return f"  also tests {', '.join(others)}" if others else ""

    ran = {test.command for test in hypothesis.tests}
    nodes = [
        Node.of(
            f"{hypothesis.id}/ran/{number}",
            _showed(hypothesis, test),
            plain(test.command),
            "  ",
            (one_line(test.evidence), "bold $text-primary"),
            "  " if test.verdict else "",
            plain(test.verdict, "$foreground 60%"),
            (also(test.command), "$foreground 60%"),
            citation=first_cited(test.evidence),
            hang=2,
        )
        for number, test in enumerate(hypothesis.tests)
    ]
    over = hypothesis.status in (Status.CONFIRMED, Status.REJECTED, Status.INCONCLUSIVE)
    nodes += [
        Node.of(
            f"{hypothesis.id}/planned/{number}",
            ("· ", "$foreground 60%"),
            plain(command.text, "$foreground 60%" if over else ""),
            "  ",
            plain("not run" if over else f"planned: {command.intent}", "$foreground 60%"),
            hang=2,
        )
        for number, command in enumerate(hypothesis.planned)
        if command.text not in ran
    ]
    return nodes


_CAME = {
    Outcome.VERIFIED: ("came true", "$text-success"),
    Outcome.REFUTED: ("came false", "$text-error"),
    Outcome.UNKNOWN: ("not shown", "$foreground 60%"),
}


def _foretold_nodes(hypothesis: Hypothesis) -> list[Node]:
    """What was to be seen if it is so, said before the test, and what came of it."""
    return [
        Node.of(
            f"{hypothesis.id}/foretold/{number}",
            ("predicted: ", "$foreground 60%"),
            plain(one.claim.text),
            "  ",
            _CAME[one.outcome]
            if hypothesis.verdict is not None or one.outcome is not Outcome.UNKNOWN
            else ("not tested yet", "$foreground 60%"),
            "  ",
            (one_line(one.evidence), "bold $text-primary"),
            citation=first_cited(one.evidence),
            hang=10,
        )
        for number, one in enumerate(hypothesis.predictions)
    ]


def origin_node(origin: OriginStep, key: str) -> Node:
    """Where the fault began, as runs of the program showed it."""
    cited = " ".join(map(str, origin.evidence[:2]))
    forced = ", forced order" if isinstance(origin, Origin) and origin.forced else ""
    return Node.of(
        f"{key}/origin",
        (f"began (observed{forced}): ", "bold $text-success"),
        plain(told_step(origin)),
        (f"  {cited}", "bold $text-primary"),
        hang=7,
        citation=origin.evidence[0] if origin.evidence else None,
    )


def hypothesis_node(
    hypothesis: Hypothesis,
    quotes: Quotes,
    tests_of: Mapping[str, Sequence[str]] | None = None,
    origin: OriginStep | None = None,
) -> Node:
    """One hypothesis with its reason, tests and citations as children; ``quotes`` are the cited
    first lines as far as they are at hand, ``tests_of`` the hypotheses that each test is of."""
    sign, style = STATUS_LOOK[hypothesis.status]
    by = "" if hypothesis.proposed_by == "expert" else f"  by {one_line(hypothesis.proposed_by)}"
    edited = "  edited by you" if hypothesis.edited else ""
    # A person's own words carry no number before a test or a verdict gives them one.
    told = hypothesis.confidence or hypothesis.proposed_by != "user"
    sure = f"  {confidence_bar(hypothesis.confidence)} {round(hypothesis.confidence * 100)}%"
    decided = "  by you" if hypothesis.is_settled_by_user else ""
    dim = "$foreground 60%" if hypothesis.status is Status.REJECTED else ""
    head = Content.assemble(
        (f"{hypothesis.id} ", "bold"),
        (f"{sign} {hypothesis.status.value}{decided}", style),
        (sure if told else "", dim or "$text-secondary"),
        (f"  {hypothesis.category.value}{by}{edited}", "$foreground 60%"),
        "\n",
        plain(hypothesis.statement, dim),
    )
    children: list[Node] = []
    if hypothesis.reason:
        decided = "you" if hypothesis.decided_by == "user" else "why"
        children.append(
            Node.of(
                f"{hypothesis.id}/reason",
                (f"{decided}: ", "$foreground 60%"),
                plain(hypothesis.reason),
                hang=5,
                citation=first_cited(hypothesis.reason),
            )
        )
    if origin is not None:
        children.append(origin_node(origin, hypothesis.id))
    children += _foretold_nodes(hypothesis)
    children += _test_nodes(hypothesis, tests_of or {})
    verdict = hypothesis.verdict
    key = hypothesis.id
    if verdict is None:
        children += _citation_nodes(key, "seen in", "$foreground 60%", hypothesis.citations, quotes)
    else:
        children += _citation_nodes(key, "for", "$text-success", verdict.supporting, quotes)
        children += _citation_nodes(key, "against", "$text-error", verdict.contradicting, quotes)
        children += labelled(f"{key}/missing", "missing:", "$text-warning", verdict.missing, 9)
    return Node(key, head, tuple(children), folded=hypothesis.status is Status.REJECTED)
