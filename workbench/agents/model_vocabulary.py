"""Are a model's words those of the evidence? What it says of the dump must be said in words that
the cited lines, or an expert's sentences about this dump, have used before it.

A sentence can name a true address and say anything of it. The experts' sentences are made from
facts; a model's are not, so that a word which nobody else has used is its own invention.
"""

import re
from collections.abc import Iterable

from workbench.agents.tokens import extract
from workbench.model.hypothesis import Status
from workbench.model.investigation import Investigation

_WORD = re.compile(r"[A-Za-z]+(?:'[a-z]+)?")
_CODE = re.compile(r"`[^`]*`|\"[^\"]*\"|“[^”]*”|\bE[1-9]\d*(?::\d+(?:-\d+)?)?")
_ENDING = re.compile(r"(?:'s|ations?|ions?|ings?|ed|es|s|ly)$")
_NEUTRAL = frozenset(
    """
    a about above address addresses after all already also an and another any are argument
    arguments as at be been before being below between both bottom but by call called caller
    calls can cannot cite cited code command contains crash crashed did do does each either else
    end ended ends entered every evidence execution fault faulted faulting field file first for
    frame frames from function functions further got had has have held here hold holding holds
    how if in inside instruction instructions into is it item its itself just last least less
    library line lines listed located location log logs main memory method module more most
    named names neither next no none nor not now number object of off offset on once one only
    onto or other others out output over own per place pointer pointers print printed printing
    process program record recorded register registers report reported run running runs same say
    says second see seen set several show showed shown shows signal so some source stack stacks
    stand standing stands stated statement still stop stopped string structure such tell tells
    than that the their them then there these they third this those thread threads three through
    to top two under until up upon used uses value values variable variables was were what when
    where whether which while who whose why will with within word words yet
    """.split()  # noqa: SIM905  # as a list it is three times as long
)
"""Words that relate what is cited, and the nouns of the field: they assert no state or event."""


def unheard(text: str, state: Investigation, lines: Iterable[str]) -> str | None:
    """The first word of a model's sentence that neither its cited lines nor an expert has used of
    this dump; None when there is none."""
    known: set[str] | None = None
    prose = _CODE.sub(" ", text)
    for token in extract(text):
        prose = prose.replace(token.text, " ")
    for match in _WORD.finditer(prose):
        word = match[0].lower()
        if word in _NEUTRAL or len(word) < 3:
            continue
        if known is None:
            known = {_stem(w) for said in (*lines, *_said_by_experts(state)) for w in _words(said)}
        if _stem(word) not in known:
            return match[0]
    return None


def _words(text: str) -> Iterable[str]:
    return (match[0].lower() for match in _WORD.finditer(text))


def _stem(word: str) -> str:
    stem = _ENDING.sub("", word)
    return (stem if len(stem) > 2 else word).rstrip("e")


def _said_by_experts(state: Investigation) -> Iterable[str]:
    """Sentences that code made from facts: claims that hold, and reasons of verdicts."""
    if state.conclusion is not None:
        yield from (claim.text for claim in state.conclusion.claims if claim.by != "model")
    for hypothesis in state.hypotheses.values():
        if hypothesis.verdict is None or hypothesis.verdict.status is not Status.CONFIRMED:
            continue
        yield hypothesis.verdict.reason
        yield from (claim.text for claim in hypothesis.verdict.claims)
        if hypothesis.proposed_by == "expert" and not hypothesis.edited:
            yield hypothesis.statement
            yield hypothesis.category.value.replace("-", " ")
