"""The facts of an investigation, and what is made of them once."""

from workbench.model.citation import Citation
from workbench.model.facts import FactBook, Quoted


def test_a_reading_is_made_once_until_more_facts_come() -> None:
    made = []

    def reading(facts: FactBook) -> int:
        made.append(len(facts))
        return len(facts)

    facts = FactBook()
    assert [facts.read(reading), facts.read(reading)] == [0, 0]
    facts.add([Quoted(cite=Citation("E1", 1, 1), category="deadlock")])
    assert [facts.read(reading), facts.read(reading)] == [1, 1]
    assert made == [0, 1]
