"""Every thread: the debugger's number, its LWP, its state, and what it waits for."""

from textual import on
from textual.app import ComposeResult
from textual.content import Content
from textual.widget import Widget

from workbench.agents import looking
from workbench.model.investigation import Investigation
from workbench.model.report_findings import ThreadItem
from workbench.tui.action import Place
from workbench.tui.panes.base import EARLY, Intent, Pane
from workbench.tui.panes.outline import Node, Outline
from workbench.tui.text import one_line, plain

MOST_SHOWN = 2000
_STYLES = {"crashed": "bold $text-error", "running": "$text-warning"}


def thread_node(item: ThreadItem, here: bool, widths: tuple[int, int, int]) -> Node:
    """One thread as a line; ``widths`` are those of number, LWP and name."""
    number, lwp, name = widths
    return Node.of(
        str(item.thread_id),
        ("▸" if here else " ", "bold $text-warning"),
        (f"{item.number if item.number is not None else '':>{number}} ", "bold"),
        (f"{item.thread_id:>{lwp}} ", "$text-primary"),
        (f"{one_line(item.name or '')[:name]:<{name}} ", "$foreground 60%"),
        (item.state or "", _STYLES.get(item.state or "", "")),
        ("  " if item.waits_for else "", ""),
        plain(item.waits_for or "", "$foreground 60%"),
        wrap=False,
    )


class ThreadsPane(Pane, place=Place.THREADS, title="Threads", number=6):
    """Enter switches to a thread."""

    def __init__(self, id: str | None = None) -> None:
        super().__init__(id=id)
        self._drawn: tuple[object, ...] = ()

    def parts(self) -> ComposeResult:
        yield Outline(signs=False, id="thread-list")

    def entrance(self) -> Widget:
        return self.query_one("#thread-list", Outline)

    def show(self, state: Investigation) -> None:
        """Draw again what new facts change."""
        super().show(state)
        yet = " yet" if state.phase in EARLY else ""
        drawn = (len(state.facts), state.selected, yet)
        if drawn == self._drawn:
            return
        self._drawn = drawn
        here, _ = looking.place(state)
        items = sorted(
            looking.threads(state),
            key=lambda one: (one.state != "crashed", one.number or 1 << 30, one.thread_id),
        )
        widths = (
            max((len(str(one.number or "")) for one in items), default=1),
            max((len(str(one.thread_id)) for one in items), default=1),
            min(16, max((len(one_line(one.name or "")) for one in items), default=0)),
        )
        nodes = [thread_node(one, one.thread_id == here, widths) for one in items[:MOST_SHOWN]]
        if len(items) > MOST_SHOWN:
            more = f"… {len(items) - MOST_SHOWN} more: `info threads` in the console lists them"
            nodes.append(Node("more", Content.styled(more, "$foreground 60%"), pick=False))
        self.query_one("#thread-list", Outline).show(nodes, f"No thread is in the evidence{yet}.")
        self.caption("number  LWP  state", str(len(items)) if items else "")

    @on(Outline.Chosen)
    def action_switch(self) -> None:
        node = self.query_one("#thread-list", Outline).selected
        if node is not None and node.key.isdecimal():
            thread = int(node.key)
            self.post_message(
                Intent("switch to the thread", lambda port: port.select_frame(thread))
            )
            self.app.call_later(self.screen.run_action, "pane('stack')")
