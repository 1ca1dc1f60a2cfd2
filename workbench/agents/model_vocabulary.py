"""Are a model's words those of the evidence? What it says of the dump must be said in words that
the cited lines, or an expert's sentences about this dump, have used before it.

A sentence can name a true address and say anything of it. The experts' sentences are made from
facts; a model's are not, so that a word which nobody else has used is its own invention.
"""

import re
from collections.abc import Iterable

from workbench.agents.operations import is_operation, is_source, shown
from workbench.agents.tokens import extract
from workbench.model.hypothesis import Status
from workbench.model.investigation import Investigation

_WORD = re.compile(r"[A-Za-z]+(?:'[a-z]+)?")
_CODE = re.compile(r"`[^`]*`|\"[^\"]*\"|“[^”]*”|\bE[1-9]\d*(?::\d+(?:-\d+)?)?")
_ENDING = re.compile(r"(?:'s|ations?|ions?|ings?|ed|es|s|ly)$")
_FAULTS = tuple(
    """
    attack bad bug corrupt crash damag dangl deadlock error exhaust exploit fail forg initial
    invalid kill leak leav left lost miss never overfl overr overw race stale uninit writ wrong wrot
    """.split()  # noqa: SIM905
)
"""How words begin that find fault."""
_DOUBLED = re.compile(r"([bdglmnprt])\1$")  # labelled, mapped
_NEUTRAL = frozenset(
    """
    a about above address addresses after all already also an and another any are argument
    arguments array as asked at back be became because been before began begin beginning begins
    behind being below between bit bits both bottom but by byte bytes call called caller calls
    came can cannot cite cited code come comes command contains crash crashed data did different
    do does during each early either else end ended ends entered entry equal equals every evidence
    exactly execution fault faulted faulting field fields file first for frame frames from
    function functions further got had half has have held here hold holding holds how if in index
    inside instead instruction instructions int into ints is it item items its itself just kind
    last least length less library line lines listed located location log logs long lower main
    member members memory method module more most named names neither next no none nor not now
    number numbers object of off offset on once one only onto or other others out output over own
    part per place plus pointer pointers print printed printing process program record recorded
    register registers report reported run running runs same say says second see seen several show
    showed shown shows signal since size slot so some source stack stacks stand standing stands
    start starts stated statement still stop stopped string struct structure such tell tells than
    that the their them then there therefore these they third this those thread threads three
    through thus to together top two type types under until up upon upper used uses value values
    variable variables was went were what whatever when where whether which while who whose why
    will with within word words yet
    """.split()  # noqa: SIM905  # as a list it is three times as long
)
"""Words that relate what is cited, and the nouns of the field: they assert no state or event."""


def unheard(text: str, state: Investigation, lines: Iterable[str]) -> str | None:
    """The first word of a model's sentence that neither its cited lines nor an expert has used of
    this dump; None when there is none. What names an operation is no mere word of a source line:
    the line has to do it (`workbench.agents.operations`)."""
    lines = list(lines)
    known: set[str] | None = None
    done: set[str] = set()
    found_fault: set[str] = set()
    prose = _prose(text)
    for match in _WORD.finditer(prose):
        word = match[0].lower().removesuffix("'s")
        if word in _NEUTRAL or len(word) < 3:
            continue
        if known is None:
            experts = _all_stems(_said_by_experts(state))
            shows = any(map(is_source, lines))
            done = _all_stems(line for line in lines if not is_source(line))
            known = done | experts | _all_stems(lines)
            done |= set() if shows else experts  # of code that is shown only the code tells
            found_fault = done | experts
        heard = done if is_operation(word) else found_fault if judges(word) else known
        if heard.isdisjoint(_stems(word)) and not shown(word, match.start(), text, lines):
            return match[0]
    return None


def _prose(text: str) -> str:
    """A sentence with blanks for all that is looked up elsewhere."""
    prose = _CODE.sub(_blank, text)
    for token in extract(text):
        end = token.start + len(token.text)
        if text[token.start : end] == token.text:
            prose = prose[: token.start] + " " * len(token.text) + prose[end:]
    return prose


def judges(word: str) -> bool:
    """True for a word that finds fault: a program may have it in a name, which says nothing."""
    return word == "null" or word.startswith(_FAULTS)


def names(word: str, line: str) -> bool:
    """True where a line holds a word, in any of its forms, as a name or as part of one."""
    stems = _stems(word.lower().removesuffix("'s"))
    return any(not stems.isdisjoint(_stems(one)) for one in _words(line))


def _blank(match: re.Match[str]) -> str:
    return " " * len(match[0])


def _words(text: str) -> Iterable[str]:
    return (match[0].lower().removesuffix("'s") for match in _WORD.finditer(text))


def _stems(word: str) -> frozenset[str]:
    stem = _ENDING.sub("", word)
    if len(stem) <= 2:
        stem = word
    return frozenset((stem.rstrip("e"), _DOUBLED.sub(r"\1", stem)))


def _all_stems(lines: Iterable[str]) -> set[str]:
    return {stem for line in lines for word in _words(line) for stem in _stems(word)}


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
