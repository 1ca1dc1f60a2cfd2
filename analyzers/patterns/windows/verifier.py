"""A deadlock that Driver Verifier found: locks taken in different orders."""

from analyzers.patterns.base import OneRound
from analyzers.patterns.windows.case import WindowsCase
from analyzers.patterns.words import confirmed, in_place, of, rejected
from workbench.claims.say import say
from workbench.model.category import Category
from workbench.model.facts import Bucket, FactBook
from workbench.model.hypothesis import Proposal, Rung, Verdict

_MOST = 8


def _said(facts: FactBook) -> list[Bucket]:
    return [bucket for bucket in facts.all(Bucket) if bucket.key == "!deadlock"]


class VerifierDeadlock(OneRound):
    """``!deadlock``: who took which locks, in which order."""

    category = Category.DEADLOCK

    def propose(self, facts: FactBook) -> Proposal | None:
        """When Driver Verifier says so."""
        said = _said(facts)
        if not said:
            return None
        return Proposal(
            category=self.category,
            statement="Threads take the same locks in different orders.",
            confidence=0.95,
            tests=(),
            citations=of(said[0]),
        )

    def evaluate(self, facts: FactBook) -> Verdict:
        """Confirmed by Driver Verifier's own finding."""
        said = _said(facts)
        if not said:
            return rejected("Driver Verifier found no deadlock.", (), rung=Rung.STRUCTURE)
        case = WindowsCase(facts)
        orders = [b for b in said[1:] if ":" in b.text or " = " in b.text][:_MOST]
        frame = case.application(case.stack)
        claims = [
            in_place(case, self.category, frame, how="verifier", cites=of(said[0])),
            *(say("quote", of(one), lead="Driver Verifier", text=one.text)
              for one in (said[0], *orders)),
        ]  # fmt: skip
        return confirmed(
            case,
            Rung.STRUCTURE,
            0.9,
            claims,
            reason="Driver Verifier recorded the orders in which the locks were taken.",
            frame=frame,
            recommendations=("Take these locks in the same order everywhere.",),
        )
