"""Small modal editors: a reason, and a hypothesis with its category and tests."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Input, Select, Static, TextArea

from workbench.model.category import Category
from workbench.model.evidence import Command
from workbench.model.hypothesis import Hypothesis, Status
from workbench.tui.text import one_line

T = TypeVar("T")
_VERDICTS = (Status.CONFIRMED, Status.REJECTED)
_VERDICT_KEYS = (("up", "Confirmed"), ("down", "Rejected"))


@dataclass(frozen=True)
class Draft:
    """What the hypothesis editor returns."""

    statement: str
    category: Category
    tests: tuple[Command, ...]


class _Editor(ModalScreen[T | None]):
    """Asks for something; Esc gives None and changes nothing."""

    CSS_PATH = "editors.tcss"
    BINDINGS = [Binding("escape", "cancel", "Cancel")]

    def action_cancel(self) -> None:
        self.dismiss(None)


class LineEditor(_Editor[str]):
    """Asks for one line, about ``subject`` where there is one."""

    ends = "Enter does it · Esc leaves it"

    def __init__(self, title: str, hint: str, value: str = "", subject: str = "") -> None:
        super().__init__()
        self._said = title, hint, value, subject

    def compose(self) -> ComposeResult:
        title, hint, value, subject = map(one_line, self._said)
        with Vertical(classes="editor") as box:
            box.border_title = Content(title)
            box.border_subtitle = Content(self.ends)
            if subject:
                yield Static(Content(subject), classes="subject")
            yield Input(value, placeholder=hint, compact=True)

    @on(Input.Submitted)
    def _done(self, event: Input.Submitted) -> None:
        self.dismiss(event.value.strip())


class ReasonEditor(LineEditor):
    """Asks for an optional reason."""

    ends = "Enter reject · Esc keep it"

    def __init__(self, title: str, subject: str) -> None:
        super().__init__(title, "why (may stay empty)", subject=subject)


class RunEditor(_Editor[tuple[str, str]]):
    """Shows what would be run on this machine and in which folder, both to be changed; Enter runs
    it once all of it has been on the screen. The dead process's settings are offered, each behind
    a ``#``: those without one are put in front of the command."""

    BINDINGS = [Binding("enter", "run", "Run", priority=True)]

    def __init__(self, command: str, cwd: str, settings: Sequence[str] = ()) -> None:
        super().__init__()
        self._said, self._settings = (command, cwd), settings

    def compose(self) -> ComposeResult:
        command, cwd = self._said
        told = (
            "Runs this program on this machine, with your rights: up to 10 times until it fails as "
            "the dump did, then a few times more under gdb's watch, 60 s a run at most."
        )
        with Vertical(classes="editor") as box:
            box.border_title = Content("Run the program again")
            box.border_subtitle = Content("Enter run it · Tab folder · Esc do not")
            yield Static(Content(told), classes="subject")
            yield TextArea(command, id="command", compact=True, tab_behavior="focus")
            yield Static(Content("in the folder"), classes="label")
            yield Input(cwd, id="folder", compact=True)
            if self._settings:
                told = "The dead process also had these settings. To use one, delete its #:"
                yield Static(Content(told), classes="label")
                offered = "\n".join(f"# {setting}" for setting in self._settings)
                yield TextArea(offered, id="settings", compact=True, tab_behavior="focus")
            yield Static("", id="complaint")

    def action_run(self) -> None:
        area = self.query_one("#command", TextArea)
        if area.scroll_offset.y < area.max_scroll_y:
            area.scroll_page_down(animate=False)
            self.query_one("#complaint", Static).update(
                "More of the command line is shown now: Enter goes on"
            )
            return
        command, cwd = area.text.strip(), self.query_one("#folder", Input).value.strip()
        offered = "\n".join(one.text for one in self.query("#settings").results(TextArea))
        taken = [line for line in map(str.strip, offered.split("\n")) if line[:1] not in ("", "#")]
        self.dismiss((" ".join([*taken, command]), cwd) if command and cwd else None)


class VerdictEditor(_Editor[tuple[Status, str]]):
    """Asks for a verdict and its reason."""

    BINDINGS = [Binding(key, f"verdict({n})", word) for n, (key, word) in enumerate(_VERDICT_KEYS)]

    def __init__(self, hypothesis: Hypothesis) -> None:
        super().__init__()
        self._hypothesis = hypothesis
        self._chosen: Status | None = None

    def compose(self) -> ComposeResult:
        with Vertical(classes="editor") as box:
            box.border_title = Content(f"Verdict on {self._hypothesis.id}")
            box.border_subtitle = Content("↑ ↓ verdict · Enter set it · Esc leave it open")
            yield Static(Content(one_line(self._hypothesis.statement)), classes="subject")
            yield Static(id="verdict")
            yield Input(placeholder="why: becomes part of the report", id="reason", compact=True)
            yield Static("", id="complaint")

    def on_mount(self) -> None:
        self._draw()

    def _draw(self) -> None:
        words: list[str | tuple[str, str]] = []
        for status in _VERDICTS:
            here = status is self._chosen
            words.append(
                (f" {'●' if here else '○'} {status.value} ", "bold reverse" if here else "")
            )
            words.append("  ")
        self.query_one("#verdict", Static).update(Content.assemble(*words))

    def action_verdict(self, number: int) -> None:
        self._chosen = _VERDICTS[number]
        self._draw()

    @on(Input.Submitted)
    def _done(self, event: Input.Submitted) -> None:
        if self._chosen is None:
            self.query_one("#complaint", Static).update("↑ confirmed or ↓ rejected?")
        else:
            self.dismiss((self._chosen, event.value.strip()))


class HypothesisEditor(_Editor[Draft]):
    """Edits a hypothesis, or writes a new one. Ctrl+S saves, Esc changes nothing."""

    BINDINGS = [Binding("ctrl+s,f10", "save", "Save")]

    def __init__(self, hypothesis: Hypothesis | None, refusal: Callable[[str], str]) -> None:
        """``refusal`` says why a line can be no test; empty where it can."""
        super().__init__()
        self._hypothesis = hypothesis
        self._refusal = refusal

    def compose(self) -> ComposeResult:
        hypothesis = self._hypothesis
        with Vertical(classes="editor tall") as box:
            box.border_title = Content(f"Edit {hypothesis.id}" if hypothesis else "New hypothesis")
            box.border_subtitle = Content("Ctrl+S save · Tab next field · Esc discard")
            yield Static("Category", classes="label")
            yield Select(
                [(category.value, category) for category in Category],
                value=hypothesis.category if hypothesis else Category.UNKNOWN,
                allow_blank=False,
                id="category",
                compact=True,
            )
            yield Static("Statement", classes="label")
            area = TextArea(
                hypothesis.statement if hypothesis else "",
                id="statement",
                compact=True,
                tab_behavior="focus",
            )
            yield area
            tests = "Tests, one command a line"
            yield Static(tests if hypothesis else f"{tests} (may stay empty)", classes="label")
            yield TextArea(
                "\n".join(test.text for test in hypothesis.planned) if hypothesis else "",
                id="tests",
                compact=True,
                tab_behavior="focus",
            )
            yield Static("", id="complaint")

    def on_mount(self) -> None:
        for area in self.query(TextArea):
            area.move_cursor(area.document.end)
        self.query_one("#statement", TextArea).focus()

    def action_save(self) -> None:
        statement = " ".join(self.query_one("#statement", TextArea).text.split())
        lines = [*filter(None, map(str.strip, self.query_one("#tests", TextArea).text.split("\n")))]
        refused = (
            f"`{line}` cannot be a test: {why}" for line in lines if (why := self._refusal(line))
        )
        if complaint := next(refused, "") if statement else "A hypothesis needs a statement.":
            self.query_one("#complaint", Static).update(Content(one_line(complaint)))
            return
        category = self.query_one("#category", Select).value
        planned = self._hypothesis.planned if self._hypothesis else ()
        intents = {test.text: test.intent for test in planned}
        tests = tuple(Command(line, intents.get(line, "asked by you")) for line in lines)
        assert isinstance(category, Category)
        self.dismiss(Draft(statement, category, tests))
