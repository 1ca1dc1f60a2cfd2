"""A model's part in answering a question: commands where evidence lacks, and its own words."""

from collections.abc import Sequence

from workbench.agents.assisted import context as shown
from workbench.agents.assisted.answers import Plan
from workbench.agents.assisted.difficulty import of_the_answer, of_the_plan
from workbench.agents.assisted.helper import Helper
from workbench.agents.assisted.reading import Readings
from workbench.agents.chat.lines import fitting
from workbench.agents.chat.talk import Talk
from workbench.llm.fences import Fenced, as_data
from workbench.llm.port import Answer
from workbench.model.citation import Citation
from workbench.model.claims import Claim
from workbench.model.conversation import Reply
from workbench.model.evidence import Command
from workbench.model.models import Complexity
from workbench.model.text import printable

MOST_COMMANDS = 3
_LINES = 40
_AROUND = 1
_SHARE = 2
_TELLING = 4  # characters of a command that a question may name by the way
_LONGEST = 8000
"""Characters of an answer."""


async def commands(helper: Helper, talk: Talk, reply: Reply) -> tuple[Command, ...]:
    """What a model would ask the debugger, where it finds that the evidence does not suffice for
    more than code's ``reply``."""

    async def build(size: int) -> dict[str, object]:
        return {
            "question": talk.asked.text,
            "debugger": helper.ports.state.host,
            "most": MOST_COMMANDS,
            "evidence": await evidence(helper, talk, (), size),
        }

    level = of_the_plan(talk, reply)
    given = await helper.ask("chat_plan", build, answer=Plan, complexity=level)
    if given is None or given.value is None or given.value.sufficient:
        return ()
    wanted = [line.strip() for line in given.value.commands if line.strip()]
    intent = f"to answer: {talk.asked.text[:80]}"
    return tuple(Command(text, intent, by_model=True) for text in wanted[:MOST_COMMANDS])


async def in_words(helper: Helper, talk: Talk, reply: Reply) -> tuple[str, str]:
    """A model's own words, which nobody checks, and its name; nothing where none answered."""

    async def build(size: int) -> dict[str, object]:
        return {
            "question": talk.asked.text,
            "denied": denied(reply),
            "summary": await shown.summary(helper.ports, size // _SHARE),
            "evidence": await evidence(helper, talk, reply.held, size // _SHARE),
        }

    level = of_the_answer(talk, reply)
    if level is not Complexity.SIMPLE:
        # What the question names and is too long to be shown is read first.
        longer = helper.ports.state.shown.excerpt
        await Readings(helper).read_now(_named(talk), longer)
    given: Answer[Plan] | None = await helper.ask("chat", build, complexity=level)
    if given is None:
        return "", ""
    return printable(given.text.strip()[:_LONGEST]), given.model


def denied(reply: Reply | None) -> Fenced | str:
    """What the evidence denies of what the person said; empty for nothing."""
    found = reply.contradictions if reply is not None else ()
    text = "\n".join(f"{one.said}: {one.claim.text}" for one in found)
    return as_data(text, "denied", "strings") if text else ""


def _named(talk: Talk) -> set[str]:
    """The outputs that a question names, by their number or their command."""
    text = talk.asked.text.lower()
    cited = {cite.evidence for cite in talk.asked.citations}
    return cited | {
        item.id
        for item in talk.state.evidence.values()
        if len(item.command) >= _TELLING and item.command.lower() in text
    }


async def evidence(helper: Helper, talk: Talk, claims: Sequence[Claim], size: int) -> Fenced:
    """The lines that fit the question best, and those behind what plain code says."""
    cites = [cite for claim in claims for cite in claim.citations]
    for found in fitting(talk.asked, talk.lines, _LINES):
        line = found.line
        first = max(1, line.number - _AROUND)
        cites.append(Citation(line.evidence, first, line.number + _AROUND))
    cites += [Citation(one.evidence, one.number, one.number) for one in talk.lines[:_LINES]]
    return await shown.cited(helper.ports, list(dict.fromkeys(cites)), size)
