"""The card of a gate: what is asked, and the keys that answer it. A hypothesis gate's stands above
the tree, a command's above all panes."""

from textual.content import Content
from textual.widgets import Static

from workbench.model.events import GateOpened
from workbench.tui.action import key_name
from workbench.tui.actions import action_of
from workbench.tui.text import plain


class GateCard(Static):
    """A decision that is asked, with the keys that answer it. Never takes the focus."""

    _said: Content | None = None

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
        said = Content.assemble(
            ("? ", "bold $text-warning"),
            plain(gate.question, "bold"),
            f"  {left} of {of} left to decide" if left < of else "",
            subject,
            "\n",
            *keys,
        )
        if self._said is None or not said.is_same(self._said):  # an update lays the screen out
            self._said = said
            self.update(said)
