"""What a tool answers."""

from dataclasses import dataclass

NEW, REPEATED, REFUSED, ERROR = "new", "repeated", "refused", "error"


@dataclass(frozen=True)
class Result:
    """``outcome`` is one of `NEW` (something was learned), `REPEATED`, `REFUSED`, `ERROR`;
    ``evidence`` are the items that it led to. ``done`` ends the loop."""

    text: str
    outcome: str = NEW
    evidence: tuple[str, ...] = ()
    done: bool = False
