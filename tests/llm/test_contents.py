"""What an output holds: its command tells where the workbench itself asked, and nowhere else."""

import pytest
from msgspec.structs import replace

from tests.agents.cases import TEXTS, drafted
from workbench.agents.assisted.context import ending
from workbench.agents.report.writer import build_report
from workbench.engine.keeping import Recorded
from workbench.llm.contents import ALL, contents_in, contents_of
from workbench.llm.fences import as_data, without
from workbench.model.evidence import Evidence, Section, Source
from workbench.model.models import Content

STACKS, MEMORY, STRINGS = Content.STACKS, Content.MEMORY, Content.STRINGS


def item(
    command: str, source: Source = Source.DEBUGGER, intent: str = "", by_model: bool = False
) -> Evidence:
    return Evidence(
        id="E7", command=command, source=source, intent=intent, at="", sha256="", size=1, lines=1,
        call_hash="", host="gdb", by_model=by_model,
    )  # fmt: skip


def recorded(command: str) -> Evidence:
    """As the engine keeps a log's section."""
    section = Section(command=command, host="cdb", text="rosebud", first_line=9)
    ((asked, _, _, _),) = Recorded([section]).items()
    return item(asked.text, Source.FILE, asked.intent)


@pytest.mark.parametrize(
    "command", ["lm", "lmvm app", "@health", "@threads", "version", "(the text)", "p frame",
                "zzz bt", "~*k; da 0x10"]
)  # fmt: skip
def test_what_a_log_says_was_asked_hides_nothing(command: str) -> None:
    assert contents_in(recorded(command)) == ALL
    assert contents_in(item(command, Source.USER)) == ALL
    assert contents_in(item(command, by_model=True)) == ALL


def test_nothing_of_such_a_log_goes_where_all_is_left_out() -> None:
    for command in ("lm", "@health"):
        block = as_data("rosebud", f"E7 {command} rosebud", contents_in(recorded(command)))
        left = without(block, ALL)
        assert "rosebud" not in left
        assert "data E7 [" in left


@pytest.mark.parametrize("command", ["bt", "thread apply all bt", "thread apply 3 -q where", "kb"])
def test_a_logs_stack_stays_a_stack(command: str) -> None:
    assert contents_in(recorded(command)) == {STACKS, STRINGS}


def test_a_logs_registers_may_show_strings() -> None:
    assert contents_in(recorded("info registers")) == {MEMORY, STRINGS}


def test_what_we_asked_is_told_by_the_command() -> None:
    assert contents_in(item("lm")) == frozenset()
    assert (
        contents_in(item("@health", Source.FILE, "what of the folder is read now")) == frozenset()
    )
    assert contents_in(item("bt")) == contents_of("bt") == {STACKS, STRINGS}
    assert contents_of("print frame->name") == ALL


def test_the_message_of_an_exception_is_a_string() -> None:
    report = build_report(drafted(), TEXTS)
    said = replace(report.analysis.exception, type="E", message='rosebud "fell" down')
    shown = replace(report, analysis=replace(report.analysis, exception=said))
    text = "\n".join(line for line, _ in ending(shown))
    assert "Ended by: E \"rosebud 'fell' down\"" in text.replace(f" {said.signal_code}", "")
    left = without(as_data(text, "how it ended", "stacks strings"), frozenset({STRINGS}))
    assert "rosebud" not in left
    assert "Ended by: E" in left
