"""A deadlock that Driver Verifier found: locks taken in different orders."""

from analyzers.patterns.case import Case
from analyzers.patterns.cause import Cause, Proof, nothing
from analyzers.patterns.windows.case import WindowsCase
from analyzers.patterns.words import of
from workbench.claims.say import say
from workbench.model.category import Category
from workbench.model.claims import Claim
from workbench.model.facts import Bucket
from workbench.model.hypothesis import Rung

_MOST = 8


def _said(case: Case) -> list[Bucket]:
    return [bucket for bucket in case.facts.all(Bucket) if bucket.key == "!deadlock"]


def _orders(_: Case, said: list[Bucket]) -> list[Claim]:
    """What Driver Verifier said first, and in which order each lock was taken."""
    orders = [b for b in said[1:] if ":" in b.text or " = " in b.text][:_MOST]
    return [say("quote", of(one), lead="Driver Verifier", text=one.text)
            for one in (said[0], *orders)]  # fmt: skip


VERIFIER_DEADLOCK = Cause(
    Category.DEADLOCK,
    "``!deadlock``: who took which locks, in which order.",
    statement="Threads take the same locks in different orders.",
    sign=_said,
    prior=0.95,
    tests=nothing,
    cites=lambda _, said: of(said[0]),
    view=WindowsCase,
    findings=(
        Proof(_said, "Driver Verifier recorded the orders in which the locks were taken.", 0.9,
              Rung.STRUCTURE, "verifier", _orders, signal=False,
              advice="Take these locks in the same order everywhere."),
    ),
    absent="Driver Verifier found no deadlock.",
    rung=Rung.STRUCTURE,
)  # fmt: skip
