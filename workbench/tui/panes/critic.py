"""The critic panel: each round's checks, rejected claims, the judgement, what is left open."""

from textual import on
from textual.app import ComposeResult
from textual.content import Content
from textual.widget import Widget

from workbench.model.citation import Citation
from workbench.model.claims import Claim, Outcome
from workbench.model.critique import Check, Conclusion, Judgement, Round
from workbench.model.hypothesis import Status
from workbench.model.investigation import Investigation
from workbench.tui.action import Place
from workbench.tui.panes.base import Pane
from workbench.tui.panes.outline import Node, Outline, labelled
from workbench.tui.text import one_line, plain

_WHAT = {
    "ungrounded": "grounding", "contradiction": "consistency",
    "architectural-error": "architecture", "alternative": "alternatives",
    "overconfident": "confidence", "evidence-gap": "evidence",
}  # fmt: skip
"""What a check of each kind looks at: a kind is named after its failure, which a pass is not."""

_SEVERITY = {"info": "$foreground 60%", "warning": "$text-warning", "error": "$text-error"}


def _cites(key: str, citations: tuple[Citation, ...]) -> tuple[Node, ...]:
    return tuple(
        Node(
            f"{key}/{citation}",
            Content.styled(str(citation), "bold $text-primary"),
            citation=citation,
        )
        for citation in citations
    )


def _check_node(key: str, check: Check) -> Node:
    sign, style = ("✓ passed", "$text-success") if check.passed else ("✕ failed", "$text-error")
    detail = [Node(f"{key}/detail", plain(check.detail, "$foreground 60%"))] if check.detail else []
    children = [
        Node.of(
            f"{key}/asks/{number}",
            ("asks for: ", "$text-warning"),
            plain(command.text),
            "  ",
            plain(command.intent, "$foreground 60%"),
            hang=10,
        )
        for number, command in enumerate(check.asks)
    ]
    return Node.of(
        key,
        (sign, style),
        "  ",
        plain(
            _WHAT.get(check.kind, check.kind) if check.passed else check.kind,
            "$foreground 60%" if check.passed else _SEVERITY.get(check.severity, ""),
        ),
        "  ",
        plain(check.subject),
        children=(*detail, *children, *_cites(key, check.evidence)),
        wrap=not check.passed,
        hang=2,
        folded=check.passed,
    )


def round_node(round: Round, latest: bool = True) -> Node:
    """One round with its checks; one that another followed is folded."""
    failed = sum(not check.passed for check in round.checks)
    word = "resolved" if round.resolved else "open"
    head = Content.assemble(
        (f"Round {round.number} ", "bold"),
        (f"{len(round.checks) - failed} passed", "$text-success"),
        " · ",
        (f"{failed} failed", "$text-error" if failed else "$foreground 60%"),
        (f" · {word}", "$foreground 60%"),
    )
    key = f"round/{round.number}"
    checks = tuple(_check_node(f"{key}/{n}", check) for n, check in enumerate(round.checks))
    return Node(key, head, checks, folded=not latest)


def claim_node(key: str, claim: Claim) -> Node:
    """One claim with its status, its citations, and why it was rejected."""
    rejected = not claim.holds
    sign, style = {
        Outcome.VERIFIED: ("✓ verified", "$text-success"),
        Outcome.REFUTED: ("✕ refuted", "$text-error"),
        Outcome.UNKNOWN: ("· unknown", "$foreground 60%"),
    }[claim.status]
    cited = " ".join(map(str, claim.citations))
    reason = plain(f"rejected: {claim.reason}", "$text-error")
    return Node.of(
        key,
        (sign, style),
        "  ",
        plain(claim.text, "strike $foreground 60%" if rejected else ""),
        (f"  {cited}" if cited else "", "bold $text-primary"),
        "\n" if rejected and claim.reason else "",
        reason if rejected and claim.reason else "",
        children=_cites(key, claim.citations) if len(claim.citations) > 1 else (),
        citation=claim.citations[0] if claim.citations else None,
        hang=2,
        folded=True,
    )


def conclusion_node(conclusion: Conclusion, state: Investigation) -> Node:
    """The reasoner's claims, as they stand after the critic."""
    head = Content.assemble(
        ("Conclusion ", "bold"),
        (f"{state.category}  {round(conclusion.confidence * 100)}%", "$foreground 60%"),
    )
    claims = tuple(claim_node(f"claim/{n}", claim) for n, claim in enumerate(conclusion.claims))
    missing = labelled("missing", "missing:", "$text-warning", conclusion.missing, 9)
    return Node("conclusion", head, (*claims, *missing))


def judgement_node(judgement: Judgement, state: Investigation) -> Node:
    """The judge's choice, why the others lost, and the questions that are left."""
    chosen = judgement.selected or "inconclusive"
    style = "bold $text-success" if judgement.selected else "bold $text-warning"
    lost = tuple(
        Node.of(
            f"lost/{rejected.id}",
            (f"{one_line(rejected.id)} {_became(rejected.id, state)}: ", "$foreground 60%"),
            plain(rejected.reason),
            children=_cites(f"lost/{rejected.id}", rejected.evidence),
            citation=rejected.evidence[0] if rejected.evidence else None,
            hang=2,
            folded=True,
        )
        for rejected in judgement.rejected
    )
    questions = labelled("question", "?", "$text-accent", judgement.questions, 2)
    return Node.of(
        "judgement",
        ("Judgement ", "bold"),
        (one_line(chosen), style),
        "\n",
        plain(judgement.rationale),
        children=(*lost, *questions),
    )


def _became(id: str, state: Investigation) -> str:
    """What a hypothesis that was not chosen is."""
    hypothesis = state.hypotheses.get(id)
    words = {Status.REJECTED: "ruled out because", Status.CONFIRMED: "proved"}
    return words.get(hypothesis.status, "stays open") if hypothesis is not None else "stays open"


class CriticPane(Pane, place=Place.CRITIC, title="Critic", number=3):
    """Newest first: the judgement, the conclusion's claims, then the rounds."""

    def parts(self) -> ComposeResult:
        yield Outline(id="checks")

    def entrance(self) -> Widget:
        return self.query_one("#checks", Outline)

    def show(self, state: Investigation) -> None:
        super().show(state)
        nodes: list[Node] = []
        if state.judgement is not None:
            nodes.append(judgement_node(state.judgement, state))
        if state.conclusion is not None:
            nodes.append(conclusion_node(state.conclusion, state))
        last = state.rounds[-1] if state.rounds else None
        nodes += [round_node(round, round is last) for round in reversed(state.rounds)]
        empty = "Checks appear here once there is a conclusion to check."
        self.query_one("#checks", Outline).show(nodes, empty)
        checks = [check for round in state.rounds for check in round.checks]
        failed = sum(not check.passed for check in checks)
        self.caption(f"{len(checks) - failed} passed · {failed} failed" if checks else "")

    @on(Outline.Chosen)
    def action_open(self) -> None:
        self.open_or_fold()
