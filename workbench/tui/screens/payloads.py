"""What left the machine, or is about to: each request's body, whole, and the answer to a cloud
gate."""

import json
from collections.abc import Sequence
from typing import Any

from rich.text import Text
from textual.app import ComposeResult
from textual.content import Content as Styled
from textual.widgets import DataTable, Static

from workbench.model.events import GateOpened
from workbench.model.investigation import Investigation
from workbench.model.models import Content
from workbench.model.text import human_size
from workbench.store.errors import StoreError
from workbench.tui.action import Place, Situation, cloud_gate
from workbench.tui.panes.bars import FooterBar
from workbench.tui.panes.base import Intent
from workbench.tui.panes.lines import LineView
from workbench.tui.port import SessionPort
from workbench.tui.screens.base import PlaceScreen, ask
from workbench.tui.screens.editors import ReasonEditor
from workbench.tui.text import one_line, plain


class PayloadsScreen(PlaceScreen[None], place=Place.PAYLOADS):
    """A list of payloads, the pending one first, with the text of the one that is picked."""

    def __init__(self, port: SessionPort) -> None:
        super().__init__()
        self._port = port
        self._left_out: set[Content] = set()
        self._ids: list[str] = []
        self._exact = False

    @property
    def _state(self) -> Investigation:
        return self._port.state

    def compose(self) -> ComposeResult:
        yield Static(id="payloads-question", markup=False)
        yield DataTable[Text](id="payloads", cursor_type="row", zebra_stripes=True)
        yield LineView(id="payload")
        yield FooterBar(id="footer")

    def on_mount(self) -> None:
        table = self.query_one("#payloads", DataTable)
        table.add_columns("payload", "to", "model", "for", "size", "holds")
        for row in _rows(self._state):
            self._ids.append(row[0])
            table.add_row(*(Text(one_line(cell)) for cell in row))
        table.display = len(self._ids) > 1
        (table if table.display else self.query_one(LineView)).focus()
        self._ask()
        if self._ids:
            self._load(self._ids[0])
        self.set_interval(0.5, self._ask)

    def situation(self) -> Situation:
        return Situation(self._state)

    def _ask(self) -> None:
        """The question with the kinds of content, or what the list is."""
        gate = cloud_gate(self._state)
        line: list[Styled | str | tuple[str, str]] = []
        if gate is None:
            count = len(self._state.models.payloads)
            line.append((f"{count or 'No'} request{'s' * (count != 1)} left this machine", "bold"))
        else:
            _, url, provider, model = (*gate.subjects, "", "", "", "")[:4]
            line += [("? ", "bold $text-warning"), plain(gate.question, "bold"), "\n"]
            line += [plain(f"{provider} {model} at {url}"), "\nLater requests may carry "]
            for number, kind in enumerate(Content, 1):
                out = kind in self._left_out
                mark, style = ("✕", "$text-error") if out else ("✓", "$text-success")
                line += [(f" {number} ", "bold $text-accent"), (f"{mark} {kind.value}  ", style)]
        self.query_one("#payloads-question", Static).update(Styled.assemble(*line))
        self.refresh_bindings()
        self.show_keys()

    def on_data_table_row_highlighted(self, event: DataTable.RowHighlighted) -> None:
        if 0 <= event.cursor_row < len(self._ids):
            self._load(self._ids[event.cursor_row])

    def _load(self, id: str) -> None:
        async def load(port: SessionPort) -> None:
            try:
                text = await port.payload(id)
            except StoreError as error:
                text = str(error)
            self.query_one(LineView).load(text if self._exact else "\n".join(readable(text)))

        self.app.post_message(Intent("read the payload", load))

    def action_leave_out(self, number: int) -> None:
        self._left_out ^= {list(Content)[number - 1]}
        self._ask()

    def action_exact(self) -> None:
        self._exact = not self._exact
        table = self.query_one("#payloads", DataTable)
        if self._ids:
            self._load(self._ids[min(max(table.cursor_row, 0), len(self._ids) - 1)])

    def action_allow(self) -> None:
        if (gate := cloud_gate(self._state)) is not None:
            left_out = tuple(sorted(self._left_out))
            self._answer(gate, "approve", "", left_out)

    def action_refuse(self) -> None:
        if (gate := cloud_gate(self._state)) is not None:
            reason = ReasonEditor("Send nothing", "Work goes on without the cloud")
            ask(self.app, reason, lambda why: self._answer(gate, "reject", why, ()))

    def _answer(
        self, gate: GateOpened, answer: str, reason: str, left_out: tuple[Content, ...]
    ) -> None:
        async def put(port: SessionPort) -> None:
            await port.gates.answer(gate.id, answer, reason, left_out)

        self.app.post_message(Intent("answer", put))
        self.dismiss()


def _rows(state: Investigation) -> list[tuple[str, ...]]:
    rows: list[tuple[str, ...]] = [
        (
            sent.id,
            sent.url,
            sent.model,
            sent.role.value,
            human_size(sent.size),
            ", ".join(kind.value for kind in sent.contents) or "nothing of the dump",
        )
        for sent in reversed(state.models.payloads)
    ]
    gate = cloud_gate(state)
    if gate is not None:
        id, url, _, model = (*gate.subjects, "", "", "", "")[:4]
        rows.insert(0, (id, url, model, "asked about now", "", ""))
    return rows


def readable(body: str) -> Sequence[str]:
    """A request's JSON with its texts laid out in lines; anything else as it stands."""
    try:
        request = json.loads(body)
    except ValueError:
        return body.split("\n")
    return list(_laid_out(request, 0))


def _laid_out(value: Any, depth: int) -> list[str]:
    indent = "  " * depth
    if isinstance(value, dict):
        lines = []
        for key, inner in value.items():
            found = _laid_out(inner, depth + 1)
            if len(found) == 1 and not isinstance(inner, dict | list):
                lines.append(f"{indent}{key}: {found[0].strip()}")
            else:
                lines += [f"{indent}{key}:", *found]
        return lines or [f"{indent}{{}}"]
    if isinstance(value, list):
        lines = []
        for number, inner in enumerate(value, 1):
            lines += [f"{indent}[{number}]", *_laid_out(inner, depth + 1)]
        return lines or [f"{indent}[]"]
    text = value if isinstance(value, str) else json.dumps(value)
    return [f"{indent}{line}" for line in text.split("\n")]
