"""The hypothesis tree: candidates with status, confidence, tests and citations; and their gate."""

from functools import partial

from textual import on
from textual.app import ComposeResult
from textual.content import Content
from textual.widget import Widget
from textual.widgets import Static

from workbench.model.citation import Citation, parse_citations
from workbench.model.events import GateOpened, Phase
from workbench.model.hypothesis import Hypothesis, Status
from workbench.model.investigation import Investigation
from workbench.tui.actions import Place, Situation, action_of, bindings, key_name
from workbench.tui.panes.base import Intent, OpenCitation, Pane, PaneApp
from workbench.tui.panes.outline import Node, Outline
from workbench.tui.text import one_line, plain

STATUS_LOOK: dict[Status, tuple[str, str]] = {
    Status.PROPOSED: ("○", "$text-primary"),
    Status.APPROVED: ("◔", "$text-accent"),
    Status.TESTING: ("◑", "$text-warning"),
    Status.CONFIRMED: ("●", "$text-success"),
    Status.REJECTED: ("✕", "$foreground 60%"),
    Status.INCONCLUSIVE: ("◌", "$text-warning"),
}


def confidence_bar(value: float, cells: int = 5) -> str:
    """A value of 0..1 as a bar: ``▰▰▰▱▱``."""
    full = max(0, min(cells, round(value * cells)))
    return "▰" * full + "▱" * (cells - full)


def _citation_nodes(key: str, label: str, style: str, cited: tuple[Citation, ...]) -> list[Node]:
    return [
        Node(
            f"{key}/{label}/{citation}",
            Content.assemble((f"{label} ", style), (str(citation), "bold $text-primary")),
            citation=citation,
        )
        for citation in cited
    ]


def _test_nodes(hypothesis: Hypothesis) -> list[Node]:
    ran = {test.command for test in hypothesis.tests}
    nodes = [
        Node(
            f"{hypothesis.id}/ran/{number}",
            Content.assemble(
                ("✓ ", "$text-success"),
                plain(test.command),
                "  ",
                (one_line(test.evidence), "bold $text-primary"),
                "  " if test.verdict else "",
                plain(test.verdict, "$foreground 60%"),
            ),
            citation=next(iter(parse_citations(test.evidence)), None),
            hang=2,
        )
        for number, test in enumerate(hypothesis.tests)
    ]
    over = hypothesis.status in (Status.CONFIRMED, Status.REJECTED, Status.INCONCLUSIVE)
    nodes += [
        Node(
            f"{hypothesis.id}/planned/{number}",
            Content.assemble(
                ("· ", "$foreground 60%"),
                plain(command.text, "$foreground 60%" if over else ""),
                "  ",
                plain("not run" if over else f"planned: {command.intent}", "$foreground 60%"),
            ),
            hang=2,
        )
        for number, command in enumerate(hypothesis.planned)
        if command.text not in ran
    ]
    return nodes


def hypothesis_node(hypothesis: Hypothesis) -> Node:
    """One hypothesis with its reason, tests and citations as children."""
    sign, style = STATUS_LOOK[hypothesis.status]
    by = "" if hypothesis.proposed_by == "expert" else f"  by {one_line(hypothesis.proposed_by)}"
    percent = round(hypothesis.confidence * 100)
    dim = "$foreground 60%" if hypothesis.status is Status.REJECTED else ""
    head = Content.assemble(
        (f"{hypothesis.id} ", "bold"),
        (f"{sign} {hypothesis.status.value}", style),
        (f"  {confidence_bar(hypothesis.confidence)} {percent}%", dim or "$text-secondary"),
        (f"  {hypothesis.category.value}{by}", "$foreground 60%"),
        "\n",
        plain(hypothesis.statement, dim),
    )
    children: list[Node] = []
    if hypothesis.reason:
        decided = "you" if hypothesis.decided_by == "user" else "why"
        children.append(
            Node(
                f"{hypothesis.id}/reason",
                Content.assemble((f"{decided}: ", "$foreground 60%"), plain(hypothesis.reason)),
                hang=5,
                citation=next(iter(parse_citations(hypothesis.reason)), None),
            )
        )
    children += _test_nodes(hypothesis)
    verdict = hypothesis.verdict
    key = hypothesis.id
    if verdict is None:
        children += _citation_nodes(key, "seen in", "$foreground 60%", hypothesis.citations)
    else:
        children += _citation_nodes(key, "for", "$text-success", verdict.supporting)
        children += _citation_nodes(key, "against", "$text-error", verdict.contradicting)
        children += [
            Node(
                f"{key}/missing/{number}",
                Content.assemble(("missing: ", "$text-warning"), plain(text)),
                hang=9,
            )
            for number, text in enumerate(verdict.missing)
        ]
    return Node(key, head, tuple(children), folded=hypothesis.status is Status.REJECTED)


class GateCard(Static):
    """A decision that is asked, with the keys that answer it. Never takes the focus."""

    def show(self, gate: GateOpened | None) -> None:
        """Show the gate, or nothing."""
        self.display = gate is not None
        if gate is None:
            return
        ids = ["tree.approve", "tree.reject"]
        if gate.kind == "hypothesis":
            ids.append("tree.approve_all")
        keys: list[str | tuple[str, str]] = [" "]
        for action in map(action_of, ids):
            keys += [(f" {key_name(action.keys[0])} ", "bold $text-accent"), action.title, " "]
        subject: Content | str = ""
        if gate.kind != "hypothesis":
            subject = Content.assemble("\n", *(plain(text, "bold") for text in gate.subjects))
        self.update(
            Content.assemble(
                ("? ", "bold $text-warning"), plain(gate.question, "bold"), subject, "\n", *keys
            )
        )


class HypothesesPane(Pane):
    """The tree, with the gate above it; posts what the person decides."""

    place = Place.TREE
    title = "Hypotheses"
    number = 1
    BINDINGS = bindings(Place.TREE)

    def parts(self) -> ComposeResult:
        """The gate's card above the tree."""
        card = GateCard(id="gate")
        card.display = False
        yield card
        yield Outline(id="tree")

    def entrance(self) -> Widget:
        """The tree."""
        return self.query_one("#tree", Outline)

    def show(self, state: Investigation) -> None:
        """Rebuild gate and tree."""
        super().show(state)
        self.query_one(GateCard).show(state.gate)
        nodes = [hypothesis_node(hypothesis) for hypothesis in state.hypotheses.values()]
        if not nodes:
            text = (
                "No hypothesis came of the evidence. n adds one of your own."
                if state.phase is Phase.DONE
                else "The first evidence is being gathered; hypotheses follow."
            )
            nodes = [Node("empty", Content.styled(text, "$foreground 60%"))]
        self.query_one("#tree", Outline).show(nodes)
        self.caption("approving all" if state.approve_all else "")

    def current(self) -> Hypothesis | None:
        """The hypothesis that holds the cursor."""
        outline = self.query_one("#tree", Outline)
        for node in outline.path_to(outline.cursor):
            if node.key in self.state.hypotheses:
                return self.state.hypotheses[node.key]
        return None

    def situation(self) -> Situation:
        """With the hypothesis and the citation under the cursor."""
        node = self.query_one("#tree", Outline).selected
        return Situation(self.state, self.current(), node.citation if node else None)

    def _policy_gate(self) -> GateOpened | None:
        gate = self.state.gate
        return gate if gate is not None and gate.kind != "hypothesis" else None

    def action_approve(self) -> None:
        """Approve the hypothesis, or allow what a gate asks about."""
        if (gate := self._policy_gate()) is not None:
            id = gate.id
            self.post_message(Intent("allow", lambda port: port.answer_gate(id, "approve")))
        elif (hypothesis := self.current()) is not None:
            id = hypothesis.id
            self.post_message(Intent(f"approve {id}", lambda port: port.approve(id)))

    def action_reject(self) -> None:
        """Ask for an optional reason, then reject."""
        from workbench.tui.screens.editors import ReasonEditor

        gate, hypothesis = self._policy_gate(), self.current()
        if gate is not None:
            self.app.push_screen(
                ReasonEditor("Refuse the command", one_line(" ".join(gate.subjects))),
                partial(self._refuse_gate, gate.id),
            )
        elif hypothesis is not None:
            self.app.push_screen(
                ReasonEditor(f"Reject {hypothesis.id}", hypothesis.statement),
                partial(self._reject, hypothesis.id),
            )

    def _refuse_gate(self, id: str, reason: str | None) -> None:
        if reason is not None:
            self.post_message(Intent("refuse", lambda port: port.answer_gate(id, "reject", reason)))

    def _reject(self, id: str, reason: str | None) -> None:
        if reason is not None:
            self.post_message(Intent(f"reject {id}", lambda port: port.reject(id, reason)))

    def action_edit(self) -> None:
        """Edit words, category and tests."""
        from workbench.tui.screens.editors import Draft, HypothesisEditor

        hypothesis = self.current()
        if hypothesis is None:
            return
        id = hypothesis.id

        def done(draft: Draft | None) -> None:
            if draft is not None:
                self.post_message(
                    Intent(
                        f"edit {id}",
                        lambda port: port.edit(id, draft.statement, draft.category, draft.tests),
                    )
                )

        self.app.push_screen(HypothesisEditor(hypothesis), done)

    def action_new(self) -> None:
        """Write a hypothesis of one's own."""
        from workbench.tui.screens.editors import Draft, HypothesisEditor

        def done(draft: Draft | None) -> None:
            if draft is not None:
                self.post_message(
                    Intent("propose", lambda port: port.propose(draft.statement, draft.category))
                )

        self.app.push_screen(HypothesisEditor(None), done)

    def action_test(self) -> None:
        """Test the hypothesis before the others."""
        if (hypothesis := self.current()) is not None:
            id = hypothesis.id
            self.post_message(Intent(f"test {id}", lambda port: port.test_now(id)))

    def action_approve_all(self) -> None:
        """Approve everything from here on."""
        self.post_message(Intent("approve all", lambda port: port.approve_all()))

    @on(Outline.Chosen)
    def action_open(self) -> None:
        """Open the citation under the cursor, or fold."""
        outline = self.query_one("#tree", Outline)
        node = outline.selected
        if node is not None and node.citation is not None:
            self.post_message(OpenCitation(node.citation))
        else:
            outline.action_toggle_fold()


if __name__ == "__main__":
    from workbench.tui.sample import sample_state

    PaneApp(HypothesesPane(), sample_state()).run()
