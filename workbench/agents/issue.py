"""What the person came with, where they came with anything: what reads their words is a fifth of
the start of a triage, and not loaded for one without."""

from collections.abc import Callable
from typing import Any

from workbench.model.category import Category
from workbench.model.critique import Check
from workbench.model.investigation import Investigation


def spoken_of(issue: str | None) -> frozenset[Category]:
    """The causes that a person's words name or describe; none where they name none or deny it."""
    if not issue:
        return frozenset()
    found: frozenset[Category] = _words().spoken_of(issue)
    return found


def asked_about(state: Investigation) -> frozenset[Category]:
    """The causes that the issue speaks of; all of them where it speaks of none."""
    return spoken_of(state.options.issue) or frozenset(Category)


def checks_of_the_issue(state: Investigation, text_of: Callable[[str], str]) -> list[Check]:
    """One failed check for each thing that the issue states and the evidence shows otherwise."""
    issue = state.options.issue
    if not issue:
        return []
    found: list[Check] = _words().checks_of(issue, state, text_of)
    return found


def _words() -> Any:
    from workbench.agents import issue_words

    return issue_words
