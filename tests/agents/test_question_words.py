"""The words of what is asked for at the end of a report."""

from workbench.agents import questions


def test_an_output_that_a_log_lacks_is_asked_for_without_the_reason() -> None:
    missing = "the output of `info threads`: not in this log"
    assert questions._asked(missing) == "Can you provide the output of `info threads`?"
