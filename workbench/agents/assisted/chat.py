"""A model's part in answering a question: commands where evidence lacks, sentences that hold."""

import re
from collections.abc import Callable, Sequence

from workbench.agents.assisted import context as shown
from workbench.agents.assisted.claims import held, hold
from workbench.agents.assisted.difficulty import of_the_answer, of_the_plan
from workbench.agents.assisted.helper import Helper
from workbench.agents.assisted.reading import Readings
from workbench.agents.assisted.talk_answers import Plan
from workbench.agents.chat.answer import Context
from workbench.agents.chat.lines import fitting
from workbench.llm.fences import Fenced, as_data
from workbench.llm.port import Answer
from workbench.model.chat import Reply
from workbench.model.citation import Citation, parse_citations
from workbench.model.evidence import Command
from workbench.model.hypothesis import Claim
from workbench.model.models import Complexity
from workbench.model.text import printable

MOST_COMMANDS = 3
MOST_CLAIMS = 6
_LINES = 40
_AROUND = 1
_SHARE = 2
_TELLING = 4  # characters of a command that a question may name by the way
_END = re.compile(r"(?<=[.!?\])])\s+(?=[A-Z`\"\u201c(0-9])")
_CITES = re.compile(r"\s*[\[(]((?:E[1-9]\d*(?::\d+(?:-\d+)?)?[,;\s]*)+)[\])]")


async def commands(helper: Helper, context: Context, reply: Reply) -> tuple[Command, ...]:
    """What a model would ask the debugger, where it finds that the evidence does not suffice for
    more than code's ``reply``."""

    async def build(size: int) -> dict[str, object]:
        return {
            "question": context.asked.text,
            "debugger": helper.ports.state.host,
            "most": MOST_COMMANDS,
            "evidence": await evidence(helper, context, (), size),
        }

    level = of_the_plan(context, reply)
    given = await helper.ask("chat_plan", build, answer=Plan, complexity=level)
    if given is None or given.value is None or given.value.sufficient:
        return ()
    wanted = [line.strip() for line in given.value.commands if line.strip()]
    intent = f"to answer: {context.asked.text[:80]}"
    return tuple(Command(text, intent, by_model=True) for text in wanted[:MOST_COMMANDS])


async def sentences(
    helper: Helper, context: Context, reply: Reply, on_text: Callable[[str], None] | None
) -> tuple[tuple[Claim, ...], str]:
    """A model's sentences, held and struck, and the model's name; nothing where none answered."""

    async def build(size: int) -> dict[str, object]:
        denied = "\n".join(f"{one.said}: {one.claim.text}" for one in reply.contradictions)
        return {
            "question": context.asked.text,
            "denied": as_data(denied, "denied") if denied else "",
            "summary": await shown.summary(helper.ports, size // _SHARE),
            "evidence": await evidence(helper, context, reply.held, size // _SHARE),
            "struck": shown.struck(helper.ports.state, struck, size // _SHARE) if struck else "",
        }

    struck: tuple[Claim, ...] = ()
    level = of_the_answer(context, reply)
    if level is not Complexity.SIMPLE:
        # What the question names and is too long to be shown is read first.
        longer = helper.ports.state.options.limits.excerpt
        await Readings(helper).read_now(_named(context), longer)
    given: Answer[Plan] | None = await helper.ask("chat", build, on_text=on_text, complexity=level)
    if given is None:
        return (), ""
    claims = await hold(helper.ports, claims_in(given.text))
    struck = tuple(claim for claim in claims if claim.status == "struck")
    if struck:  # once, and not shown as it comes: the person has read the first attempt
        again: Answer[Plan] | None = await helper.ask("chat", build, complexity=level)
        better = await hold(helper.ports, claims_in(again.text)) if again is not None else ()
        if len(held(better)) > len(held(claims)):
            claims = better
    return claims, given.model


def _named(context: Context) -> set[str]:
    """The outputs that a question names, by their number or their command."""
    text = context.asked.text.lower()
    cited = {cite.evidence for cite in context.asked.citations}
    return cited | {
        item.id
        for item in context.state.evidence.values()
        if len(item.command) >= _TELLING and item.command.lower() in text
    }


async def evidence(helper: Helper, context: Context, claims: Sequence[Claim], size: int) -> Fenced:
    """The lines that fit the question best, and those behind what plain code says."""
    cites = [cite for claim in claims for cite in claim.citations]
    for found in fitting(context.asked, context.lines, _LINES):
        line = found.line
        first = max(1, line.number - _AROUND)
        cites.append(Citation(line.evidence, first, line.number + _AROUND))
    cites += [Citation(one.evidence, one.number, one.number) for one in context.lines[:_LINES]]
    return await shown.cited(helper.ports, list(dict.fromkeys(cites)), size)


def claims_in(text: str) -> tuple[Claim, ...]:
    """The sentences of a text as open claims with the citations that stand in brackets."""
    found = []
    for part in _END.split(printable(" ".join(text[:8000].split()))):
        cites = [c for match in _CITES.finditer(part) for c in parse_citations(match[1])]
        words = _CITES.sub("", part).strip()
        if words:
            found.append(Claim(words, tuple(dict.fromkeys(cites))[:8], by="model"))
    return tuple(dict.fromkeys(found))[:MOST_CLAIMS]
