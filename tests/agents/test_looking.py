"""What a person looks at: the expressions of a line, and tests that run in the selected frame."""

import pytest

from workbench.agents import looking
from workbench.model.events import FrameSelected
from workbench.model.evidence import Command
from workbench.tui.sample import gate_events, sample_state


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
