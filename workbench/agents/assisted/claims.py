"""What a model states, as statements that code checks; its own words, as such."""

import re
from collections.abc import Iterable, Sequence

from workbench.agents.assisted.answers import Statement
from workbench.agents.assisted.arguments import ERROR, REFUSED, Result
from workbench.agents.checking import checked
from workbench.agents.ports import Ports
from workbench.claims.kinds import KINDS
from workbench.claims.render import sentence
from workbench.claims.values import HOLDS, number
from workbench.model.assisted_events import Annotated, Annotation
from workbench.model.citation import Citation, parse_citations
from workbench.model.claims import Arg, Claim, Outcome

MOST = 6
"""Remarks on one item."""
_TAG = re.compile(r"[a-z0-9][a-z0-9-]{0,31}")


async def remark(
    ports: Ports, identifier: str, tags: Sequence[str], text: str, citations: tuple[Citation, ...]
) -> Result:
    """Note it at an item that is there, or say why not."""
    mine = [one for one in ports.state.assisted.annotations if one.evidence == identifier]
    if len(mine) >= MOST:
        return Result(f"{identifier} has {MOST} remarks already", REFUSED)
    why = noted(text, citations)
    if not why.text:
        return Result("not taken: it says nothing", REFUSED)
    if any(one.why.text == why.text for one in mine):
        return Result(f"{identifier} says so already", ERROR)
    words = tuple(dict.fromkeys(tag for tag in tags if _TAG.fullmatch(tag)))
    await ports.record(Annotated(annotation=Annotation(evidence=identifier, tags=words, why=why)))
    return Result(f"noted at {identifier}")


MOST_CLAIMS = 40
_MOST_CITATIONS = 8
_LONGEST_CITATION = 40
_COMMENT = re.compile(r"(\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*')|/\*.*?(?:\*/|$)|//.*", re.DOTALL)
"""A comment, or (as a group) a text, within which none begins."""
_LARGEST = 4_000_000
"""Bytes of an item that a statement without a citation is looked for in."""
_NUMBER = re.compile(r"E[1-9][0-9]{0,5}(?::[1-9][0-9]{0,8}(?:-[1-9][0-9]{0,8})?)?")


def citations_of(written: Iterable[str]) -> tuple[Citation, ...]:
    """The citations in what a model gave as such; anything else is dropped."""
    found = [
        citation
        for text in written
        for match in _NUMBER.finditer(str(text)[:_LONGEST_CITATION])
        for citation in parse_citations(match[0])
    ]
    return tuple(dict.fromkeys(found))[:_MOST_CITATIONS]


def claims_of(stated: Sequence[Statement], most: int = MOST_CLAIMS) -> tuple[Claim, ...]:
    """Statements as a model gave them, none checked yet; each keeps its place."""
    return tuple(_claim(one) for one in stated[:most])


def _claim(stated: Statement) -> Claim:
    name = "_".join(stated.kind.lower().replace("-", " ").split())
    kind = KINDS.get(name)
    cites = citations_of(stated.citations)
    args = []
    for given in stated.args:
        column = kind.columns.get(given.name) if kind is not None else None
        value: int | str = HOLDS.sub("", given.value.strip().strip("`"))  # as evidence is read
        if column is not None and column.type in ("name", "code"):
            value = _COMMENT.sub(r"\1", str(value)).strip()  # what no code is nobody has checked
        elif column is not None and column.type in ("hex", "int", "thread"):
            figure = number(value)
            value = figure if figure is not None else value
        if value != "":
            args.append(Arg(given.name, value, cites))
    made = Claim(name, tuple(args), denied=stated.denied, by="model", also=() if args else cites)
    return Claim(
        name, made.args, denied=made.denied, by="model", also=made.also, text=sentence(made)
    )


def noted(text: str, citations: Sequence[Citation] = ()) -> Claim:
    """A model's own words: no statement, and nothing is made of them."""
    words = " ".join(text.split())
    return Claim(
        "note", (Arg("text", words, tuple(citations)),), text=words, by="model",
        reason="the model's own words, not checked",
    )  # fmt: skip


async def hold(ports: Ports, claims: Sequence[Claim]) -> tuple[Claim, ...]:
    """The statements, each with its outcome."""
    state = ports.state
    texts = {
        name: await ports.text(name)
        for name, item in state.evidence.items()
        if item.size <= _LARGEST or any(name == c.evidence for k in claims for c in k.citations)
    }
    typed = [claim for claim in claims if claim.kind != "note"]
    done = iter(checked(typed, state, lambda name: texts.get(name, "")))
    return tuple(claim if claim.kind == "note" else next(done) for claim in claims)


def held(claims: Iterable[Claim]) -> tuple[Claim, ...]:
    """Those that are verified."""
    return tuple(claim for claim in claims if claim.status is Outcome.VERIFIED)


def faults(claims: Sequence[Claim]) -> list[str]:
    """What is wrong with an answer's statements, each by its place."""
    return [
        f"statement {at} ({claim.kind}) is {claim.status.value}: {claim.reason}"
        for at, claim in enumerate(claims, 1)
        if not claim.holds
    ]
