"""Questions to a session and what was answered: claims, each held to the evidence."""

from msgspec import Struct

from workbench.model.claims import Claim


class Contradiction(Struct, frozen=True):
    """What the person said that the evidence denies; ``claim`` states what was measured."""

    said: str
    claim: Claim


class Reply(Struct, frozen=True, kw_only=True):
    """The answer to one question.

    ``claims`` has verified and other ones; only verified ones are the answer, and a contradiction
    is kept only where its claim is. ``unknown`` says in sentences what the evidence cannot tell,
    ``notes`` what the answer could not use (a dump that is gone, a model that failed). ``looked``
    are the ids of the evidence that was collected for it. ``by`` is ``code`` or the name of the
    model whose own words ``explanation`` are, which nobody checked.
    """

    claims: tuple[Claim, ...] = ()
    contradictions: tuple[Contradiction, ...] = ()
    unknown: tuple[str, ...] = ()
    advice: tuple[str, ...] = ()
    looked: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    by: str = "code"
    explanation: str = ""

    @property
    def held(self) -> tuple[Claim, ...]:
        """The sentences of the answer."""
        return tuple(claim for claim in self.claims if claim.holds)

    @property
    def answers(self) -> bool:
        """True when it says anything."""
        return bool(self.held or self.contradictions or self.advice or self.explanation)


class Exchange(Struct, frozen=True, kw_only=True):
    """One question, ``Q1``…, with its answer once it is there."""

    id: str
    question: str
    reply: Reply | None = None
