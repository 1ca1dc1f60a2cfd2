"""The final answer of a conversation as Markdown: what holds, what was said, and the lines."""

from collections.abc import Callable, Iterable, Iterator, Sequence

from workbench.agents.checking import book_of
from workbench.agents.conversation.wording import ABOUT, ASIDE, EXPLANATION, UNCHANGED, replied
from workbench.agents.markdown import block, code, prose, section
from workbench.agents.report.view import shortened
from workbench.model.claims import Claim
from workbench.model.conversation import Turn, TurnKind, approves
from workbench.model.investigation import Investigation

MOST_LINES = 12


def final_answer(state: Investigation, last: Turn, text_of: Callable[[str], str]) -> str:
    """The whole document. ``last`` is what is proposed at the end."""
    claims = [claim for claim in last.claims if claim.holds]
    lines = [f"# {prose(state.options.issue or 'Analysis')}", "", f"**{prose(last.text)}**", ""]
    turns = [turn for turn in state.conversation if turn.kind is not TurnKind.FINAL]
    lines += [_state_line(state, turns), ""]
    says = (f"{prose(one.text)} ({', '.join(map(str, one.citations))})" for one in claims)
    lines += section("What the evidence says", says, numbered=True)
    if last.explanation:
        title = f"## {EXPLANATION.removesuffix(',')}"
        lines += [title, "", prose(last.explanation), ""]
    lines += section("What to do", map(prose, last.advice))
    lines += section("Still missing", map(prose, last.missing))
    notes = dict.fromkeys(note for turn in state.conversation for note in turn.notes)
    lines += section("What this is about, and what it leaves out", map(prose, _lasting(notes)))
    lines += section("Conversation", _conversation(turns))
    return "\n".join([*lines, *_evidence(claims, state, text_of)]).rstrip("\n") + "\n"


def _lasting(notes: Iterable[str]) -> list[str]:
    """The last failure that was in focus, the others, and what was not read."""
    told = [note for note in notes if note != UNCHANGED]
    about = [note for note in told if note.startswith(ABOUT)]
    asides = [note for note in told if note.startswith(ASIDE)]
    shown = {note.removeprefix(ABOUT).partition(" (E")[0] for note in about[-1:]}
    asides = [note for note in asides if note.removeprefix(ASIDE).partition(" (E")[0] not in shown]
    rest = [note for note in told if not note.startswith((ABOUT, ASIDE))]
    return [*about[-1:], *asides, *rest]


def _state_line(state: Investigation, turns: Sequence[Turn]) -> str:
    turn = turns[-1] if turns else None
    approved = turn is not None and approves(turn.answer or "") and turn.kind is TurnKind.SOLUTION
    how = "Approved by the user" if approved else "Ended by the user"
    conclusion, judgement = state.conclusion, state.judgement
    if conclusion is None or judgement is None or judgement.selected is None:
        return f"{how}. Category: unknown."
    return f"{how}. Category: {conclusion.category}, confidence {conclusion.confidence:.2f}."


def _conversation(turns: Iterable[Turn]) -> Iterator[str]:
    for turn in turns:
        yield from (prose(line.removeprefix("- ")) for line in replied(turn))
        what = "Asked" if turn.kind is TurnKind.QUESTION else "Proposed"
        yield f"{what}: {prose(turn.text)}"
        said = (turn.answer or "").split("\n")
        more = f" … {len(said) - 1} more lines" if len(said) > 1 else ""
        if turn.answer is not None:
            yield f"Answered: {prose(said[0])}{more}"


def _evidence(
    claims: Iterable[Claim], state: Investigation, text_of: Callable[[str], str]
) -> list[str]:
    cites = sorted(
        {cite for claim in claims for cite in claim.citations},
        key=lambda cite: (int(cite.evidence[1:]), cite.first, cite.last),
    )
    shown: dict[str, dict[int, str]] = {}
    book = book_of(state, text_of)
    for cite in cites:
        if book.exists(cite):
            shown.setdefault(cite.evidence, {}).update(book.cited(cite, MOST_LINES))
    lines: list[str] = []
    for name, texts in shown.items():
        item = state.evidence[name]
        lines += [f"### {name} {code(item.command)}", "", prose(item.intent), ""]
        lines += block(f"{number:>5}  {shortened(text)}" for number, text in sorted(texts.items()))
    return ["## Evidence", "", *lines] if lines else []
