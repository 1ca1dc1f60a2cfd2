"""What a person looks at: the expressions of a line, and tests that run in the selected frame."""

import pytest
from msgspec.structs import replace

from tests.agents.cases import conclusion
from tests.tui.sample import gate_events, sample_state
from workbench.agents import looking
from workbench.agents.investigator import frame_commands
from workbench.model.citation import Citation
from workbench.model.events import FrameSelected
from workbench.model.evidence import Command
from workbench.model.facts import FactBook, Frame, Stack


@pytest.mark.parametrize(
    ("line", "places"),
    [
        ("size_t room = out->limit - out->queued;", ["out->limit", "out->queued"]),
        ("if (c->next->deadline < now)", ["c->next", "c->next->deadline"]),
        (
            "total += pool[2].size * grid[i][j];",
            ["pool[2]", "pool[2].size", "grid[i]", "grid[i][j]"],
        ),
        ("list.push_back(self.head.value());", ["self.head"]),
        ('say("a->b is %s", x); // see c->d', []),
        ("free(job);", []),
        ("p->count++;", []),
        ("ratio = 1.5 * x;", []),
    ],
)
def test_places_in_a_line(line: str, places: list[str]) -> None:
    assert looking.places_in(line) == places


@pytest.mark.parametrize(
    ("thread", "index", "test", "run"),
    [
        (4711, 0, "print c", "print c"),
        (4711, 1, "print c", "frame apply level 1 -q print c"),
        (4711, 1, "p/x c", "frame apply level 1 -q p/x c"),
        (4711, 1, "info locals", "frame apply level 1 -q info locals"),
        (4711, 1, "info threads", "info threads"),
        (4711, 1, "bt 3", "bt 3"),
        (4711, 1, "@heap 0x4c7310", "@heap 0x4c7310"),
        (4713, 2, "print arg", "thread apply 3 -q frame apply level 2 -q print arg"),
    ],
)
def test_a_persons_test_runs_in_the_frame_that_they_look_at(
    thread: int, index: int, test: str, run: str
) -> None:
    state = sample_state([*gate_events(), FrameSelected(thread=thread, index=index)])
    assert looking.in_frame(state, Command(test, "mine")) == Command(run, "mine")


def test_without_a_selection_the_programs_frame_is_looked_at() -> None:
    state = sample_state(gate_events())
    assert looking.place(state) == (4711, 0)
    assert [one.own for one in looking.shown_frames(state, 4711)] == [True, True, False, False]
    view = looking.view(state, 4711, 0)
    assert view is not None
    assert [line.line for line in view.source] == list(range(207, 217))
    assert [variable.name for variable, _ in view.variables] == ["c", "expired", "name"]
    assert looking.own_frame(state, 4713) == 2


def test_a_blamed_frame_of_another_thread_is_looked_at() -> None:
    """As of a thread that loops while the first one waits for it."""
    state = sample_state(gate_events())
    blamed = Frame(index=0, function="find", file="spin.c", line=15)
    state.facts.add((Stack(cite=Citation("E9"), thread=4799, number=9, frames=(blamed,)),))
    state.conclusion = replace(conclusion(), frame=blamed)
    assert looking.place(state) == (4799, 0)


def test_source_of_elsewhere_in_the_file_is_not_shown_for_a_line() -> None:
    state = sample_state(gate_events())
    stack = next(one for one in state.facts.all(Stack) if one.thread == 4711)
    elsewhere = replace(stack.frames[0], line=stack.frames[0].line + 9)
    moved = replace(stack, frames=(elsewhere, *stack.frames[1:]), cite=Citation("E99"))
    state.facts = FactBook([*(one for one in state.facts if not isinstance(one, Stack)), moved])
    view = looking.view(state, 4711, 0)
    assert view is not None
    assert view.source == ()


@pytest.mark.parametrize("number", [2, None])
def test_a_conclusions_frame_is_asked_for_in_the_thread_that_is_in_it(number: int | None) -> None:
    """gdb prints no address where a frame's line begins; a cause's frame has it from our reader,
    whose own stacks have no number of the debugger."""
    state = sample_state(gate_events())
    shown = Frame(index=7, function="transfer", file="bank.cpp", line=10, args="n=10", line_no=9)
    known = replace(shown, address=0x401234, module="bank")
    ours = (Stack(cite=Citation("E9"), thread=12, frames=(known,)),) if number is None else ()
    listed = Stack(cite=Citation("E8"), thread=12, number=2, frames=(shown,))
    state.facts.add((*ours, listed))
    asked = [command.text for command in frame_commands(state, known)]
    assert asked
    assert all(text.startswith("thread apply 2 -q frame apply level 7") for text in asked[:3])
