"""A turn in plain lines, for a terminal and for a screen."""

from collections.abc import Sequence

from workbench.model.conversation import Reply, Turn, TurnKind

EXPLANATION = "The model's explanation (not checked),"
ABOUT = "About "
ASIDE = "Set aside, another failure: "
NOT_READ = "Not read: "
UNCHANGED = "Nothing that was said or added since changes this."
HOW_TO_END = "Answer SOLUTION APPROVED or DONE to accept it, or say what is wrong or missing."
HOW_TO_ANSWER = "Answer in a line, paste an output between lines of ```, or end with DONE."


def contradictions(reply: Reply | None) -> list[str]:
    """What the evidence denies of what the person said."""
    found = reply.contradictions if reply is not None else ()
    lines: list[str] = []
    for said in dict.fromkeys(one.said for one in found):
        lines.append(f'The evidence contradicts "{said}":')
        lines += [f"- {one.claim.cited}" for one in found if one.said == said]
    return lines


def replied(turn: Turn) -> list[str]:
    """What the evidence says to the person's last words: what it denies, and the answer where they
    asked something."""
    lines = contradictions(turn.reply)
    reply = turn.reply
    if reply is not None and (reply.held or reply.unknown or reply.advice):
        lines += ["What the evidence says to your question:"]
        lines += [f"- {claim.cited}" for claim in reply.held]
        lines += [f"- {text}" for text in (*reply.unknown, *reply.advice)]
    return lines


def turn_lines(turn: Turn) -> list[str]:
    """All that a turn says, without how to answer it."""
    lines = replied(turn)
    lines += turn.notes
    if lines:
        lines.append("")
    if turn.kind is TurnKind.QUESTION:
        choices = [f"{number}. {claim.cited}" for number, claim in enumerate(turn.claims, 1)]
        return [*lines, f"Question: {turn.text}", *choices]
    lines.append(f"Proposed solution: {turn.text}")
    lines += [f"- {claim.cited}" for claim in turn.claims]
    if turn.explanation:
        lines += ["", f"{EXPLANATION} by {turn.by}:", turn.explanation]
    lines += _list("What to do:", turn.advice)
    return lines + _list("Still missing:", turn.missing)


def _list(title: str, texts: Sequence[str]) -> list[str]:
    return ["", title, *(f"- {text}" for text in texts)] if texts else []


def how_to_answer(turn: Turn) -> str:
    """What the person can do now."""
    return HOW_TO_END if turn.kind is TurnKind.SOLUTION else HOW_TO_ANSWER
