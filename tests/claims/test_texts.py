"""The file of texts is whole: a text is found by one row, of a cause or a column that there is."""

import msgspec

from workbench.claims import texts
from workbench.claims.kinds import KINDS
from workbench.model.category import Category


def test_no_two_rows_are_found_by_the_same_words() -> None:
    assert len(texts.CAUSES) == len(texts.ROWS.causes)
    assert len(texts.WORDS) == len(texts.ROWS.words)
    assert len(texts.STEPS) == len(texts.ROWS.steps)
    assert len(texts.TOLD) == len(texts.ROWS.told)
    assert not texts.STEPS.keys() & texts.TOLD.keys()


def test_each_row_is_of_a_cause_or_a_column_that_there_is() -> None:
    assert {category for category, _ in texts.CAUSES} <= {"", *map(str, Category)}
    columns = {name for kind in KINDS.values() for name in kind.columns}
    assert {column for column, _ in texts.WORDS} <= columns


def test_the_file_has_no_part_that_nothing_reads() -> None:
    parts = msgspec.json.decode(texts.FILE.read_bytes())
    assert parts.keys() == {field.name for field in msgspec.structs.fields(texts.ROWS)}
