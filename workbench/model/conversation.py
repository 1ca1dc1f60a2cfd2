"""Questions to a session and what was answered, each claim held to the evidence; and a conversation
about a folder of texts: one turn asks or proposes, the person answers."""

from enum import StrEnum

from msgspec import Struct

from workbench.model.claims import Claim


class Contradiction(Struct, frozen=True):
    """What the person said that the evidence denies; ``claim`` states what was measured."""

    said: str
    claim: Claim


class Reply(Struct, frozen=True, kw_only=True):
    """The answer to one question.

    ``claims`` has verified and other ones; only verified ones are the answer, and a contradiction
    is kept only where its claim is. ``verdict`` answers a question that wants one: yes | no | open
    (neither is proved). ``unknown`` says in sentences what the evidence cannot tell,
    ``notes`` what the answer could not use (a dump that is gone, a model that failed). ``looked``
    are the ids of the evidence that was collected for it. ``by`` is ``code`` or the name of the
    model whose own words ``explanation`` are, which nobody checked. Where it is not ``understood``,
    words of the question are left of which nothing that is told speaks.
    """

    claims: tuple[Claim, ...] = ()
    contradictions: tuple[Contradiction, ...] = ()
    verdict: str = ""
    unknown: tuple[str, ...] = ()
    advice: tuple[str, ...] = ()
    looked: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    by: str = "code"
    explanation: str = ""
    understood: bool = True

    @property
    def held(self) -> tuple[Claim, ...]:
        """The sentences of the answer."""
        return tuple(claim for claim in self.claims if claim.holds)

    @property
    def answers(self) -> bool:
        """True when it says what was asked for."""
        told = self.understood and (self.held or self.contradictions or self.advice)
        return bool(told or self.explanation)


class Exchange(Struct, frozen=True, kw_only=True):
    """One question, ``Q1``…, with its answer once it is there."""

    id: str
    question: str
    reply: Reply | None = None


class TurnKind(StrEnum):
    """What a turn wants of the person; also the kind of the gate that it opens. The last one wants
    nothing and opens none."""

    QUESTION = "question"
    SOLUTION = "solution"
    FINAL = "final"


class Turn(Struct, frozen=True, kw_only=True):
    """One turn, ``T1``… ``text`` is the question, or what is proposed in one sentence.

    ``claims`` are a solution's sentences, held ones only, or what a question lets choose from;
    ``advice`` what to do about it, ``missing`` what would decide more, ``notes`` what was not read
    and what the turn is not about. ``reply`` answers what the person said before. ``answer`` is
    what the person said to it, None until then; ``heard`` when that was taken into the evidence and
    the experts may look again. ``by`` is ``code`` or the name of the model
    whose own words ``explanation`` are, which nobody checked.
    """

    id: str
    kind: TurnKind
    text: str
    claims: tuple[Claim, ...] = ()
    advice: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    reply: Reply | None = None
    answer: str | None = None
    heard: bool = False
    by: str = "code"
    explanation: str = ""


_APPROVAL = "solution approved"
_ENDS = frozenset({_APPROVAL, "done"})


def ends(answer: str) -> bool:
    """True when an answer, as a whole and in any case, ends the conversation."""
    return " ".join(answer.split()).casefold() in _ENDS


def approves(answer: str) -> bool:
    """True when it says that the solution is right."""
    return " ".join(answer.split()).casefold() == _APPROVAL
