"""A statement as data: what kind it is, its arguments, and the line that says each of them.

No sentence is ever read to find out whether it is true: code compares the arguments with what the
lines say (`workbench.claims.check`) and writes the English (`workbench.claims.render`).
"""

from enum import StrEnum

from msgspec import Struct

from workbench.model.citation import Citation

Value = int | str


class Outcome(StrEnum):
    """What the lines say of a statement; the values are the contract's."""

    VERIFIED = "verified"
    REFUTED = "refuted"
    UNKNOWN = "unknown"


class Arg(Struct, frozen=True):
    """One argument. ``cites`` are the lines that say it; ``shown`` is how the line writes the
    value, where that is not how a value of its type is written."""

    name: str
    value: Value
    cites: tuple[Citation, ...] = ()
    shown: str = ""


class Claim(Struct, frozen=True):
    """One statement. ``kind`` is a row of `workbench.claims.kinds.KINDS`; ``denied`` states that it
    is not so. ``text`` is what code wrote from kind and arguments, ``reason`` why it is refuted or
    not known. ``id`` (C1…) is given where a conclusion takes it; ``also`` are lines that it rests
    on beside those of its arguments."""

    kind: str
    args: tuple[Arg, ...] = ()
    denied: bool = False
    text: str = ""
    status: Outcome = Outcome.UNKNOWN
    reason: str = ""
    by: str = "expert"  # expert | model | user | code, of a link that a model's chain lacked
    id: str = ""
    also: tuple[Citation, ...] = ()

    @property
    def citations(self) -> tuple[Citation, ...]:
        """The lines that it rests on, each once."""
        return tuple(dict.fromkeys((*(c for a in self.args for c in a.cites), *self.also)))

    @property
    def cited(self) -> str:
        """Its English with its citations."""
        return f"{self.text} ({', '.join(map(str, self.citations))})"

    @property
    def holds(self) -> bool:
        """True when the lines say so."""
        return self.status is Outcome.VERIFIED

    def get(self, name: str) -> Value | None:
        """The value of an argument, or None."""
        for arg in self.args:
            if arg.name == name:
                return arg.value
        return None


class Prediction(Struct, frozen=True, kw_only=True):
    """What a test will show if its hypothesis is true: a statement about evidence that does not
    exist yet. ``known`` items of evidence were there when it was written down.
    ``outcome`` is unknown until the command has run, and where what it gave was there before;
    ``evidence`` is what it gave."""

    claim: Claim
    command: str
    known: int = 0
    outcome: Outcome = Outcome.UNKNOWN
    evidence: str = ""
