"""The hypothesis tree: candidates with status, confidence, tests and citations; and their gate."""

from collections.abc import Awaitable, Callable
from dataclasses import replace
from functools import partial

from textual import on, work
from textual.app import ComposeResult
from textual.content import Content
from textual.widget import Widget

from workbench.model.citation import Citation
from workbench.model.events import GateOpened, Phase
from workbench.model.hypothesis import Hypothesis, Status
from workbench.model.investigation import Investigation
from workbench.store.errors import StoreError
from workbench.tui.action import Place, Situation, command_gate, key_name
from workbench.tui.action_table import action_of
from workbench.tui.panes.bars import Bar
from workbench.tui.panes.base import Intent, Pane
from workbench.tui.panes.hypothesis_nodes import hypothesis_node, origin_node
from workbench.tui.panes.outline import Outline
from workbench.tui.screens.base import ask
from workbench.tui.screens.editors import Draft, HypothesisEditor, ReasonEditor, VerdictEditor
from workbench.tui.text import plain

TextOf = Callable[[str], Awaitable[str]]

QUOTED_SIZE = 1 << 20
"""Bytes of an item up to which its cited lines are quoted in the tree."""


class HypothesesPane(Pane, place=Place.TREE, title="Hypotheses", number=1):
    """The tree, with the gate above it; posts what the person decides."""

    def __init__(
        self, text_of: TextOf, refusal: Callable[[str], str] = lambda _: "", id: str | None = None
    ) -> None:
        """``refusal`` says why a line can be no test."""
        super().__init__(id=id)
        self._text_of = text_of
        self._refusal = refusal
        self._quotes: dict[Citation, str] = {}
        self._chosen: str | None = None

    def parts(self) -> ComposeResult:
        card = GateCard(id="gate")
        card.display = False
        yield card
        yield Outline(id="tree")

    def entrance(self) -> Widget:
        return self.query_one("#tree", Outline)

    def show(self, state: Investigation) -> None:
        super().show(state)
        asked = [gate for gate in state.gates if gate.kind == "hypothesis"]
        self.query_one(GateCard).show(
            asked[-1] if asked else None, len(state.undecided()), len(state.hypotheses)
        )
        tests_of: dict[str, list[str]] = {}
        for one in state.hypotheses.values():
            for command in dict.fromkeys(test.command for test in one.tests):
                tests_of.setdefault(command, []).append(one.id)
        chosen = state.conclusion.hypothesis if state.conclusion is not None else None
        nodes = [
            hypothesis_node(one, self._quotes, tests_of, state.origin if one.id == chosen else None)
            for one in state.hypotheses.values()
        ]
        if state.origin is not None and chosen not in state.hypotheses:  # it stands on its own
            nodes.insert(0, origin_node(state.origin, ""))
        empty = "The first evidence is being gathered; hypotheses follow."
        if state.phase is Phase.DONE:
            empty = "No hypothesis came of the evidence. n adds one of your own."
        tree = self.query_one("#tree", Outline)
        tree.show(nodes, empty)
        if chosen != self._chosen:
            self._chosen = chosen
            if chosen is not None and tree.cursor in state.hypotheses:  # nobody reads below one
                tree.reveal(chosen)
        approving = state.approve_all and state.phase is not Phase.DONE
        self.caption("approving all" if approving else "")
        if missing := self._unquoted():
            self._quote(missing)

    def _unquoted(self) -> list[Citation]:
        cited: list[Citation] = []
        for hypothesis in self.state.hypotheses.values():
            verdict = hypothesis.verdict
            cited += hypothesis.citations
            cited += (*verdict.supporting, *verdict.contradicting) if verdict else ()
        items = self.state.evidence
        return [
            one
            for one in dict.fromkeys(cited)
            if one not in self._quotes
            and one.first
            and one.evidence in items
            and items[one.evidence].size <= QUOTED_SIZE
        ]

    @work(exclusive=True, group="quotes")
    async def _quote(self, cited: list[Citation]) -> None:
        """Fetch the first line of each citation, then draw again. The first lines of an item say
        whose it is: of a citation from there on, the item's summary is shown."""
        for citation in cited:
            summary = self.state.evidence[citation.evidence].summary
            if citation.first == 1 < citation.last and summary:
                self._quotes[citation] = summary
                continue
            try:
                lines = (await self._text_of(citation.evidence)).split("\n")
            except StoreError as error:
                self._quotes[citation] = f"not readable: {error}"
                continue
            line = lines[citation.first - 1] if citation.first <= len(lines) else ""
            self._quotes[citation] = line[:400]
        self.show(self.state)

    def current(self) -> Hypothesis | None:
        outline = self.query_one("#tree", Outline)
        for node in outline.path_to(outline.cursor):
            if node.key in self.state.hypotheses:
                return self.state.hypotheses[node.key]
        return None

    def situation(self) -> Situation:
        return replace(super().situation(), hypothesis=self.current())

    def action_approve(self) -> None:
        if command_gate(self.state) is not None:
            self.app.call_later(self.screen.run_action, "allow")
        elif (hypothesis := self.current()) is not None:
            id = hypothesis.id
            self.post_message(Intent(f"approve {id}", lambda port: port.gates.approve(id)))
            self._on_to_the_next(id)

    def _on_to_the_next(self, id: str) -> None:
        """The cursor goes where the next decision is due."""
        waiting = [one.id for one in self.state.undecided() if one.id != id]
        after = [one for one in waiting if int(one[1:]) > int(id[1:])] or waiting
        if after:
            self.query_one("#tree", Outline).select(after[0])

    def action_step(self, count: int) -> None:
        ids = list(self.state.hypotheses)
        if (here := self.current()) is not None:
            at = ids.index(here.id) + count
            self.query_one("#tree", Outline).select(ids[max(0, min(len(ids) - 1, at))])

    def action_reject(self) -> None:
        if command_gate(self.state) is not None:
            self.app.call_later(self.screen.run_action, "refuse")
        elif (hypothesis := self.current()) is not None:
            editor = ReasonEditor(f"Reject {hypothesis.id}", hypothesis.statement)
            ask(self.app, editor, partial(self._reject, hypothesis.id))

    def _reject(self, id: str, reason: str) -> None:
        self.post_message(Intent(f"reject {id}", lambda port: port.gates.reject(id, reason)))
        self._on_to_the_next(id)

    def action_edit(self) -> None:
        if (hypothesis := self.current()) is not None:
            self._edit(hypothesis)

    def action_new(self) -> None:
        self._edit(None)

    def _edit(self, hypothesis: Hypothesis | None) -> None:
        def done(draft: Draft) -> None:
            told = draft.statement, draft.category, draft.tests
            if hypothesis is None:
                intent = Intent("propose", lambda port: port.gates.propose(*told))
            else:
                id = hypothesis.id
                intent = Intent(f"edit {id}", lambda port: port.gates.edit(id, *told))
            self.post_message(intent)

        ask(self.app, HypothesisEditor(hypothesis, self._refusal), done)

    def action_test(self) -> None:
        if (hypothesis := self.current()) is not None:
            id = hypothesis.id
            self.post_message(Intent(f"test {id}", lambda port: port.gates.test_now(id)))

    def action_verdict(self) -> None:
        if (hypothesis := self.current()) is None:
            return
        id = hypothesis.id

        def done(given: tuple[Status, str]) -> None:
            title = f"set the verdict on {id}"
            self.post_message(Intent(title, lambda port: port.gates.decide(id, *given)))

        ask(self.app, VerdictEditor(hypothesis), done)

    def action_approve_all(self) -> None:
        self.post_message(Intent("approve all", lambda port: port.gates.approve_all()))

    @on(Outline.Chosen)
    def action_open(self) -> None:
        self.open_or_fold()


# The card of a gate: what is asked, and the keys that answer it. A hypothesis gate's stands above
# the tree, a command's above all panes.
class GateCard(Bar):
    """A decision that is asked, with the keys that answer it. Never takes the focus."""

    lays_out = True

    def show(self, gate: GateOpened | None, left: int = 0, of: int = 0) -> None:
        """Show the gate, or nothing. ``left`` of ``of`` hypotheses are still undecided."""
        self.display = gate is not None
        if gate is None:
            return
        ids = ["workbench.allow", "workbench.refuse"]
        if gate.kind == "cloud":
            ids = ["workbench.payloads", *ids]
        if gate.kind == "hypothesis":
            ids = ["tree.approve", "tree.reject", "tree.approve_all"]
        keys: list[str | tuple[str, str]] = [" "]
        for action in map(action_of, ids):
            names = " ".join(map(key_name, action.keys))
            keys += [(f" {names} ", "bold $text-accent"), action.title, " "]
        subject: Content | str = ""
        if gate.kind != "hypothesis":
            about = gate.subjects if gate.kind != "cloud" else (" ".join(gate.subjects[1:]),)
            subject = Content.assemble("\n", *(plain(text, "bold") for text in about))
        self.say(
            Content.assemble(
                ("? ", "bold $text-warning"),
                plain(gate.question, "bold"),
                f"  {left} of {of} left to decide" if left < of else "",
                subject,
                "\n",
                *keys,
            )
        )
