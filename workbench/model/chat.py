"""Questions to a session and what was answered: claims, each held to the evidence."""

from msgspec import Struct

from workbench.model.hypothesis import Claim


class Contradiction(Struct, frozen=True):
    """What the person said that the evidence denies; ``claim`` states what was measured."""

    said: str
    claim: Claim


class Reply(Struct, frozen=True, kw_only=True):
    """The answer to one question.

    ``claims`` has held and struck ones; only held ones are the answer, and a contradiction is
    kept only where its claim held. ``unknown`` says in sentences what the evidence cannot tell,
    ``notes`` what the answer could not use (a dump that is gone, a model that failed). ``looked``
    are the ids of the evidence that was collected for it. ``by`` is ``code`` or the model's name.
    """

    claims: tuple[Claim, ...] = ()
    contradictions: tuple[Contradiction, ...] = ()
    unknown: tuple[str, ...] = ()
    advice: tuple[str, ...] = ()
    looked: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    by: str = "code"

    @property
    def held(self) -> tuple[Claim, ...]:
        """The sentences of the answer."""
        return tuple(claim for claim in self.claims if claim.status == "held")

    @property
    def answers(self) -> bool:
        """True when it says anything."""
        return bool(self.held or self.contradictions or self.advice)


class Exchange(Struct, frozen=True, kw_only=True):
    """One question, ``Q1``…, with its answer once it is there."""

    id: str
    question: str
    reply: Reply | None = None
