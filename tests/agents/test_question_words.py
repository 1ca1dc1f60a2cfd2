"""The words of what is asked for at the end of a report."""

from workbench.agents import questions
from workbench.model.citation import Citation
from workbench.model.facts import Frame, Stack
from workbench.model.investigation import Investigation


def test_an_output_that_a_log_lacks_is_asked_for_without_the_reason() -> None:
    missing = "the output of `info threads`: not in this log"
    assert questions._asked(missing) == "Can you provide the output of `info threads`?"


def test_what_changed_is_asked_of_the_program() -> None:
    state = Investigation()
    inner = Frame(index=0, function="__GI_kill", file="../sysdeps/posix/kill.c", line=1)
    own = Frame(index=1, function="main", file="/src/a.c", line=9)
    stack = Stack(cite=Citation("E1", 1, 2), number=1, thread=7, name=None, frames=(inner, own),
                  current=True)  # fmt: skip
    state.facts.add((stack,))
    asked = questions.follow_up_questions(state)
    assert asked[0] == "What changed in main (a.c:9), or in who calls it, since it last worked?"
