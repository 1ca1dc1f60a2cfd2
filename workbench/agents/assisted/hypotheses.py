"""Competing causes from a model, merged with the experts' and put to the same gates and tests."""

from collections.abc import Container, Sequence
from typing import Any

from msgspec.structs import replace

from workbench.agents import experts
from workbench.agents.assisted.answers import Candidate, Candidates, Explained, Predicted
from workbench.agents.assisted.arguments import INTENT
from workbench.agents.assisted.claims import citations_of, claims_of
from workbench.agents.assisted.context import CATEGORIES, WHOLE, stating, summary
from workbench.agents.assisted.helper import Helper
from workbench.agents.hypothesis import MAX_HYPOTHESES
from workbench.agents.investigator import foretell
from workbench.agents.ports import Ports, spelt
from workbench.claims.kinds import KINDS
from workbench.debuggers.authored import authored
from workbench.debuggers.policy import Answer, check
from workbench.model.category import Category
from workbench.model.citation import Citation
from workbench.model.claims import Prediction
from workbench.model.events import HypothesisProposed, Noticed, PredictionsDecided
from workbench.model.evidence import Command
from workbench.model.facts import Stack
from workbench.model.hypothesis import Hypothesis, Status
from workbench.model.investigation import Investigation
from workbench.model.text import printable

MOST_COMMANDS = 3
MOST_PREDICTIONS = 8
"""Of one hypothesis."""


async def propose(helper: Helper) -> None:
    """Ask for two to four causes and propose what is new of them."""
    ports = helper.ports
    async with helper.at_work("hypotheses"):
        answer = await helper.ask(
            "hypotheses", lambda size: _values(ports, size), answer=Candidates
        )
        for candidate in answer.value.hypotheses if answer and answer.value else ():
            await register(ports, candidate)


async def _values(ports: Ports, size: int) -> dict[str, Any]:
    return {
        "summary": await summary(ports, size),
        "categories": CATEGORIES,
        "debugger": ports.state.host,
        "kinds": stating(size) if size >= WHOLE else "",
        "question": ports.state.options.issue or "",
    }


async def register(ports: Ports, candidate: Candidate) -> str:
    """Propose one, unless it is there already or nothing can be made of it; says which."""
    state = ports.state
    category = category_of(candidate.category)
    if category is None:
        return f"refused: {printable(candidate.category)!r} is none of the categories"
    function = known_function(state, candidate.function)
    same = _same(state, category, function)
    if same is not None:
        return f"{same.id} says so already; it stays as it is"
    out = (h for h in state.hypotheses.values() if h.status is Status.REJECTED)
    if any(h.category is category and h.decided_by == "user" for h in out):
        return f"refused: the person ruled {category} out"
    mine = [h for h in state.hypotheses.values() if h.proposed_by == "model"]
    if sum(h.status is not Status.REJECTED for h in mine) >= MAX_HYPOTHESES:
        return f"refused: {MAX_HYPOTHESES} of your hypotheses are open already"
    commands, dropped = allowed(candidate.commands, state.host)
    if dropped:
        await ports.record(Noticed(text=f"{dropped} of the model's tests may not be run."))
    statement, citations = _worded(state.evidence, candidate, category, function)
    foretold = _predictions(candidate.predictions, state)
    deciding = [Command(one.command, INTENT, by_model=True) for one in foretold]
    hypothesis = Hypothesis(
        id=state.next_hypothesis_id(),
        statement=statement,
        category=category,
        proposed_by="model",
        function=function,
        planned=tuple(
            {c.text: c for c in (*_lent(state, category), *commands, *deciding)}.values()
        ),
        citations=citations,
        predictions=foretold,
    )
    await ports.record(HypothesisProposed(hypothesis=hypothesis))
    return f"{hypothesis.id} is proposed"


async def settled(ports: Ports, given: Explained) -> str | None:
    """The id of the hypothesis that a final answer is of: the one of its category, or one that is
    proposed now. What the answer foretells is written down there, then tested."""
    state = ports.state
    named = state.hypotheses.get(given.hypothesis)
    category = category_of(given.category) or (named.category if named is not None else None)
    if category is None:
        return None
    if named is None or named.category is not category:
        named = _same(state, category, None)
    foretold = _predictions(given.predictions, state)
    if named is None:
        before = len(state.hypotheses)
        said = Candidate(category=category.value, statement=given.explanation.partition(". ")[0])
        await register(ports, said)
        if len(ports.state.hypotheses) == before:
            return None
        named = list(ports.state.hypotheses.values())[-1]
    asked = {one.command for one in named.predictions}
    more = tuple(one for one in foretold if one.command not in asked)
    if more and len(named.predictions) < MOST_PREDICTIONS:
        both = (*named.predictions, *more)
        await ports.record(PredictionsDecided(id=named.id, predictions=both))
        await foretell(ports, named.id)
    return named.id


def _predictions(given: Sequence[Predicted], state: Investigation) -> tuple[Prediction, ...]:
    """What it says before the test that the test will show; only of commands that may run."""
    found = []
    for one in given[:MOST_COMMANDS]:
        commands, _ = allowed([one.command], state.host)
        claims = claims_of([one.statement])
        if commands and claims and claims[0].kind in KINDS:
            claim = replace(claims[0], args=tuple(replace(a, cites=()) for a in claims[0].args))
            found.append(
                Prediction(claim=claim, command=commands[0].text, known=len(state.evidence))
            )
    return tuple(found)


def category_of(words: str) -> Category | None:
    """A category however a model writes it; None for what is none, and for ``unknown``."""
    name = "-".join(words.lower().replace("_", " ").replace("-", " ").split())
    try:
        category = Category(name)
    except ValueError:
        return None
    return None if category is Category.UNKNOWN else category


def known_function(state: Investigation, name: str) -> str | None:
    """The function of a stack that a model names, or None."""
    bare = name.strip("`").partition("(")[0].strip()
    for stack in state.facts.all(Stack):
        for frame in stack.frames[:1000]:
            if frame.function and frame.function.partition("(")[0] == bare:
                return frame.function
    return None


def allowed(texts: Sequence[str], host: str) -> tuple[tuple[Command, ...], int]:
    """The first commands that may be asked at all, and how many others there were. One that a
    person has to allow passes: its gate comes when it is to run."""
    found = [
        Command(text, INTENT, by_model=True)
        for text in dict.fromkeys(text.strip().strip("`") for text in texts)
        if text
        and authored(text) is None
        and (text.startswith("@") or check(text, host).answer is not Answer.FORBID)
    ]
    kept = tuple(found[:MOST_COMMANDS])
    return kept, len([text for text in texts if text.strip()]) - len(kept)


def _same(state: Investigation, category: Category, function: str | None) -> Hypothesis | None:
    """A hypothesis of the same category and frame; an expert's is that of the verdict which today's
    facts give."""
    for hypothesis in state.hypotheses.values():
        if hypothesis.category is not category:
            continue
        verdict = hypothesis.verdict or experts.verdict(category, state.facts)
        shown = verdict.frame.function if verdict.frame else None
        blamed = hypothesis.function or shown
        if function is None or blamed is None or function == blamed:
            return hypothesis
    return None


def _worded(
    evidence: Container[str], candidate: Candidate, category: Category, function: str | None
) -> tuple[str, tuple[Citation, ...]]:
    """The model's own sentence, which the report marks as such: a hypothesis is there to be
    tested."""
    text = candidate.statement.strip()
    if text:
        return text, tuple(c for c in citations_of(candidate.citations) if c.evidence in evidence)
    where = f" in `{function}`" if function else ""
    return f"{category.words[:1].upper()}{category.words[1:]}{where}.", ()


def _lent(state: Investigation, category: Category) -> tuple[Command, ...]:
    """The tests of the cause's own expert: what they show is read into facts."""
    found, _ = experts.proposals(state.facts, set(Category) - {category})
    return spelt(state, found[0].tests) if found else ()
