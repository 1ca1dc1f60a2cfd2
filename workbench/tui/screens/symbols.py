"""Each module of the target: what was found of it, and what to do."""

from collections.abc import Sequence

from rich.text import Text
from textual.app import ComposeResult
from textual.widgets import DataTable, Static

from workbench.model.symbols import ModuleState
from workbench.model.text import counted
from workbench.tui.action import Place
from workbench.tui.panes.bars import FooterBar
from workbench.tui.screens.base import PlaceScreen
from workbench.tui.text import one_line

_STYLES = {"missing": "red", "mismatched": "red", "unverified": "yellow", "stripped": "yellow"}


class SymbolsScreen(PlaceScreen[None], place=Place.SYMBOLS):
    """A table of modules, those that need something first."""

    def __init__(self, modules: Sequence[ModuleState]) -> None:
        super().__init__()
        self._modules = sorted(modules, key=lambda module: not module.todo)

    def compose(self) -> ComposeResult:
        wanting = sum(bool(module.todo) for module in self._modules)
        title = f"Symbols  {counted(len(self._modules), 'module')}, {wanting} with something to do"
        yield Static(title, id="symbols-title", markup=False)
        yield DataTable[Text](id="symbols", cursor_type="row", zebra_stripes=True)
        yield Static(id="symbols-todo", markup=False)
        yield FooterBar(id="footer")

    def on_mount(self) -> None:
        table = self.query_one("#symbols", DataTable)
        table.add_columns("file", "symbols", "module", "what to do", "build id")
        for module in self._modules:
            table.add_row(
                Text(module.status, _STYLES.get(module.status, "green")),
                Text(module.symbols, _STYLES.get(module.symbols, "")),
                Text(one_line(module.path)),
                Text(one_line(module.todo)),
                Text(one_line(module.build_id or "-"), "dim"),
            )
        table.focus()
        self.show_keys()

    def on_data_table_row_highlighted(self, event: DataTable.RowHighlighted) -> None:
        """The whole advice for the row: its column may not fit the screen."""
        if 0 <= event.cursor_row < len(self._modules):
            module = self._modules[event.cursor_row]
            said = f"{one_line(module.path)}: {one_line(module.todo) or 'nothing to do'}"
            self.query_one("#symbols-todo", Static).update(Text(said))
