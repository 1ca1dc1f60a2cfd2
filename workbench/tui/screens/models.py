"""The models that answer: pick the one that helps from here on, or have Ollama fetch one."""

import asyncio
from typing import TYPE_CHECKING

from rich.text import Text
from textual import on, work
from textual.app import ComposeResult
from textual.content import Content
from textual.widgets import DataTable, Input, Static

from workbench.engine.gates import IntentError
from workbench.llm.choosing import TierMissing
from workbench.llm.errors import ModelFailed
from workbench.model.models import Effort
from workbench.model.text import human_size
from workbench.tui.action import Place
from workbench.tui.panes.bars import FooterBar
from workbench.tui.port import SessionPort
from workbench.tui.screens.base import PlaceScreen
from workbench.tui.text import one_line, plain

if TYPE_CHECKING:
    from workbench.llm.discover import FoundServer
    from workbench.llm.providers.base import ModelInfo
    from workbench.llm.providers.ollama import Pulling

_HOW = (
    "No model of this machine answers. Start Ollama, llama.cpp, vLLM or LM Studio, or set "
    "OPENAI_BASE_URL or OLLAMA_HOST to where one is, or WORKBENCH_GGUF to a file; `workbench "
    "doctor` says more. The expert works without."
)


class ModelsScreen(PlaceScreen[None], place=Place.MODELS):
    """A table of servers and their models; what does not answer says why."""

    def __init__(self, port: SessionPort) -> None:
        super().__init__()
        self._port = port
        self._rows: list[tuple[FoundServer, ModelInfo | None]] = []
        self._effort = Effort.MEDIUM
        self._pulling: asyncio.Task[None] | None = None

    def compose(self) -> ComposeResult:
        yield Static(id="models-title", markup=False)
        yield DataTable[Text](id="models", cursor_type="row", zebra_stripes=True)
        yield Static(id="models-note", markup=False)
        name = Input(placeholder="a model's name, as Ollama has it", id="pull", compact=True)
        name.display = False
        yield name
        yield FooterBar(id="footer")

    def on_mount(self) -> None:
        table = self.query_one("#models", DataTable)
        table.add_columns("server", "model", "where", "context", "size", "state")
        table.focus()
        self.show_keys()
        self._say_title()
        self.action_reload()

    def _say_title(self) -> None:
        chosen = self._port.state.models.chosen
        names = [name for name in (chosen.local, chosen.cloud) if name] if chosen else []
        now = ", ".join(map(one_line, names)) or "none yet"
        title = f"Models  asked now: {now}  effort: {self._effort.value}"
        self.query_one("#models-title", Static).update(plain(title))

    def _say(self, text: str, style: str = "") -> None:
        self.query_one("#models-note", Static).update(plain(text, style))

    @work(group="look", exclusive=True, exit_on_error=False)
    async def action_reload(self) -> None:
        self._say("Asking what answers …")
        try:
            servers = await self._port.speaking.picking().servers()
        except IntentError as error:
            self._say(str(error), "$text-warning")
            return
        self._rows = []
        for server in servers:
            models: list[ModelInfo | None] = [*server.models] or [None]
            self._rows += [(server, model) for model in models]
        table = self.query_one("#models", DataTable)
        table.clear()
        for server, model in self._rows:
            table.add_row(*(Text(one_line(cell)) for cell in _cells(server, model)))
        here = any(server.answers and server.tier.value == "local" for server in servers)
        self._say("" if here else _HOW, "$text-warning")

    def action_effort(self) -> None:
        order = list(Effort)
        self._effort = order[(order.index(self._effort) + 1) % len(order)]
        self._say_title()

    @on(DataTable.RowSelected)
    def action_pick(self) -> None:
        at = self.query_one("#models", DataTable).cursor_row
        if 0 <= at < len(self._rows):
            self._use(*self._rows[at])

    @work(group="use", exclusive=True, exit_on_error=False)
    async def _use(self, server: "FoundServer", model: "ModelInfo | None") -> None:
        self._say("Asking it …")
        try:
            await self._port.speaking.use(server, model.name if model else None, self._effort)
        except (IntentError, TierMissing) as error:
            self._say(one_line(str(error)), "$text-error")
            return
        name = one_line(model.name if model else server.name)
        self.app.notify(f"{name} is asked from the next call on.", markup=False)
        self.dismiss()

    def action_pull(self) -> None:
        if self._ollama() is None:
            self._say("No Ollama answers that could fetch a model.", "$text-warning")
            return
        name = self.query_one("#pull", Input)
        name.display = True
        name.focus()

    def _ollama(self) -> "FoundServer | None":
        return next((s for s, _ in self._rows if s.kind == "ollama" and s.answers), None)

    @on(Input.Submitted, "#pull")
    def _named(self, event: Input.Submitted) -> None:
        event.input.display = False
        self.query_one("#models").focus()
        server = self._ollama()
        if event.value.strip() and server is not None and self._pulling is None:
            self._pull(server, event.value.strip())

    @work(group="pull", exit_on_error=False)
    async def _pull(self, server: "FoundServer", name: str) -> None:
        def progress(step: "Pulling") -> None:
            self.query_one("#models-note", Static).update(_bar(name, step))

        pull = self._port.speaking.picking().pull(server, name, progress)
        self._pulling = asyncio.ensure_future(pull)
        try:
            await self._pulling
        except asyncio.CancelledError:
            self._say(f"The pull of {one_line(name)} was ended.")
        except ModelFailed as failure:
            self._say(one_line(failure.why), "$text-error")
        else:
            self.action_reload()
        finally:
            self._pulling = None

    def action_close(self) -> None:
        name = self.query_one("#pull", Input)
        if name.display:
            name.display = False
            self.query_one("#models").focus()
        elif self._pulling is not None:
            self._pulling.cancel()
        else:
            self.dismiss()


def _cells(server: "FoundServer", model: "ModelInfo | None") -> tuple[str, ...]:
    state = "answers" if server.answers else server.why
    if server.key != "not needed":
        state += f", key {server.key}"
    if model is None:
        where = ", ".join(filter(None, (server.address, server.setting)))
        return (server.name, "", server.tier.value, "", "", f"{state} ({where})")
    context = f"{model.context // 1024}k" if model.context else ""
    size = human_size(model.size) if model.size else ""
    return (server.name, model.name, model.tier.value, context, size, state)


def _bar(name: str, step: "Pulling", cells: int = 30) -> Content:
    said = f"{one_line(name)}: {one_line(step.status)}"
    if not step.total or step.done is None:
        return Content(said)
    full = max(0, min(cells, cells * step.done // step.total))
    drawn = "▰" * full + "▱" * (cells - full)
    sizes = f"{human_size(step.done)} of {human_size(step.total)}"
    return Content.assemble((drawn, "$text-accent"), f"  {sizes}  {said}")
