"""What a conclusion says of a cause, and the constant words of what experts state beside the kinds:
``texts.json``, one place each. Slots are arguments of the statement."""

from pathlib import Path

import msgspec


class _Texts(msgspec.Struct):
    """The file: a row is what a text is found by, and the text, whole on its line."""

    causes: list[tuple[str, str, str]]
    words: list[tuple[str, str, str]]
    steps: list[tuple[str, str]]
    told: list[tuple[str, str]]


FILE = Path(__file__).with_suffix(".json")
ROWS = msgspec.json.decode(FILE.read_bytes(), type=_Texts)

CAUSES = {(category, how): text for category, how, text in ROWS.causes}
"""By category ("": any) and how it is seen: the clause of the headline. ``{place}`` is a frame."""
WORDS = {(column, word): text for column, word, text in ROWS.words}
"""How a constant word of a column is written."""
STEPS = dict(ROWS.steps)
"""By kind of origin: what its line did."""
TOLD = dict(ROWS.told)
"""What only an expert states: each argument has to stand in the line that it carries."""
