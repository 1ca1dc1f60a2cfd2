"""A model's turns in a conversation: one question, or a solution in its own words with the
statements of it that are verified."""

from msgspec.structs import replace

from workbench.agents.assisted import context as shown
from workbench.agents.assisted.answers import NextTurn, Telling
from workbench.agents.assisted.chat import denied, evidence
from workbench.agents.assisted.claims import claims_of, held, hold
from workbench.agents.assisted.helper import Helper
from workbench.agents.chat.answer import ChatPorts, gather
from workbench.agents.conversation.turns import concluded, may_ask, solution
from workbench.agents.tokens import Kind, extract, stands_in
from workbench.llm.fences import Fenced, as_data
from workbench.model.conversation import Turn, TurnKind
from workbench.model.investigation import Investigation

MOST_CLAIMS = 8
_SAID = 600
_SHARE = 3
_SMALL = 1000


async def next_turn(helper: Helper, ports: ChatPorts, turn: Turn) -> Turn:
    """The model's turn where it gave one that can be used; else ``turn``, the experts' own."""
    state = ports.state
    prompt = "followup" if state.conversation else "initial"
    last = (state.conversation[-1].answer or "")[:_SAID] if state.conversation else ""
    about = f"{state.options.issue or ''} {last}"
    context = await gather(ports, about)

    async def build(size: int) -> dict[str, object]:
        values: dict[str, object] = {
            "question": state.options.issue or "",
            "expert": await _expert(ports, turn),
            "summary": await shown.summary(ports, size // _SHARE),
            "evidence": await evidence(helper, context, turn.claims, size // _SHARE),
            "kinds": shown.stating(size),
        }
        if state.conversation:
            values |= {
                "conversation": _conversation(state, size // _SHARE),
                "denied": denied(turn.reply),
            }
        return values

    given = await helper.ask(prompt, build, answer=NextTurn)
    if given is None or given.value is None:
        return turn
    said = given.value
    if said.question and not said.text and may_ask(state):
        question = said.question.strip()
        if await _is_new(question, state) and await _is_grounded(question, ports):
            return replace(
                turn, kind=TurnKind.QUESTION, text=question, claims=(), advice=(), missing=(),
                by=given.model,
            )  # fmt: skip
        return turn
    claims = held(await hold(ports, claims_of(said.statements)))
    if not claims and not said.text:
        return turn
    own = await solution(ports)
    # A cause that is proved stays first; else the model's words go before what stands out.
    both = (*own.claims, *claims) if concluded(state) else (*claims, *own.claims)
    kept = tuple({claim.text: claim for claim in both}.values())[:MOST_CLAIMS]
    return replace(
        own, claims=kept, reply=turn.reply, notes=turn.notes, by=given.model, explanation=said.text
    )


async def final(helper: Helper, ports: ChatPorts, turn: Turn) -> Turn:
    """The last turn with what holds of the model's own words for it."""
    state = ports.state
    context = await gather(ports, state.options.issue or "")

    async def build(size: int) -> dict[str, object]:
        return {
            "question": state.options.issue or "",
            "proposed": _told(turn),
            "conversation": _conversation(state, size // _SHARE),
            "evidence": await evidence(helper, context, turn.claims, size // _SHARE),
        }

    given = await helper.ask("final", build, answer=Telling)
    if given is None or given.value is None or not given.value.text:
        return turn
    return replace(turn, explanation=given.value.text, by=given.model)


async def _expert(ports: ChatPorts, turn: Turn) -> Fenced:
    return _told(turn if turn.kind is TurnKind.SOLUTION else await solution(ports))


def _told(turn: Turn) -> Fenced:
    lines = [turn.text]
    lines += [f"- {claim.text} [{', '.join(map(str, claim.citations))}]" for claim in turn.claims]
    return as_data("\n".join(lines), "the experts", "stacks strings")


def _conversation(state: Investigation, size: int) -> Fenced:
    lines = []
    for turn in state.conversation:
        lines.append(
            f"You {'asked' if turn.kind is TurnKind.QUESTION else 'proposed'}: {turn.text}"
        )
        if turn.answer is not None:
            lines.append(f"The person: {' '.join(turn.answer[:_SAID].split())}")
    return as_data("\n".join(lines)[-size:], "conversation", "strings")


async def _is_new(question: str, state: Investigation) -> bool:
    words = " ".join(question.casefold().split())
    return all(" ".join(turn.text.casefold().split()) != words for turn in state.conversation)


async def _is_grounded(question: str, ports: ChatPorts) -> bool:
    """False for a question that takes something for granted which stands nowhere: a model's
    invention must not reach the person as a fact."""
    tokens = [
        token
        for token in extract(question)
        if token.value is None or abs(token.value) >= _SMALL or token.text[:2].lower() == "0x"
    ]
    tokens = [token for token in tokens if token.kind is not Kind.WORD]
    if not tokens:
        return True
    texts = [await ports.text(name) for name in ports.state.evidence]
    texts.append(ports.state.options.issue or "")
    return all(any(stands_in(token, text) for text in texts) for token in tokens)
