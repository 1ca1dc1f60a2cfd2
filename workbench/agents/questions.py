"""What a person could answer that the dump does not: three to five questions in plain words."""

from workbench.model.facts import CoreHealth, Module, Process, Signal
from workbench.model.hypothesis import Hypothesis, Status
from workbench.model.investigation import Investigation

_MOST = 5
_LEAST = 3


def follow_up_questions(state: Investigation) -> tuple[str, ...]:
    """Questions about what is left open after the last round; none when the case is settled."""
    if _settled(state):
        return ()
    found: list[str] = []
    for hypothesis in _open_hypotheses(state):
        missing = hypothesis.verdict.missing if hypothesis.verdict else ()
        found += [f"Can you provide {_inner(m)}? It would decide {hypothesis.id}." for m in missing]
    if state.conclusion is not None:
        found += [f"Can you provide {_inner(m)}?" for m in state.conclusion.missing]
    found += _left_by_the_critic(state)
    unique = list(dict.fromkeys(found))[:_MOST]
    for question in _general(state):
        if len(unique) >= _LEAST:
            break
        unique.append(question)
    return tuple(unique)


def _settled(state: Investigation) -> bool:
    selected = state.judgement.selected if state.judgement is not None else None
    if selected is None and state.conclusion is not None and state.judgement is None:
        selected = state.conclusion.hypothesis
    hypothesis = state.hypotheses.get(selected or "")
    confirmed = hypothesis is not None and hypothesis.status is Status.CONFIRMED
    last = state.rounds[-1] if state.rounds else None
    left = [c for c in last.checks if not c.passed] if last is not None else []
    # A confidence that was too high is answered by lowering it: nobody need be asked.
    return confirmed and all(check.kind == "overconfident" for check in left)


def _open_hypotheses(state: Investigation) -> list[Hypothesis]:
    still = (Status.INCONCLUSIVE, Status.PROPOSED, Status.APPROVED, Status.TESTING)
    found = [h for h in state.hypotheses.values() if h.status in still]
    return sorted(found, key=lambda h: -h.confidence)


def _left_by_the_critic(state: Investigation) -> list[str]:
    found = []
    for check in state.rounds[-1].checks if state.rounds else ():
        subject = _short(check.subject.rstrip("."))
        if check.passed or check.kind == "overconfident":
            continue
        if check.kind == "alternative":
            found.append(f"What speaks for or against this: {subject}? ({_short(check.detail)})")
        elif check.kind == "evidence-gap":
            found.append(f"What is the {subject}? ({_short(check.detail)})")
        else:
            found.append(f"What shows that: {subject}? ({_short(check.detail)})")
    return found


def _general(state: Investigation) -> list[str]:
    """Questions that any open case leaves, the ones that fit this dump first."""
    found: list[str] = []
    facts = state.facts
    health, process, signal = facts.last(CoreHealth), facts.first(Process), facts.first(Signal)
    if health is not None:
        found += [f"Is this possible: {_inner(remedy)}?" for remedy in health.remedies]
    if any(module.status in ("missing", "mismatched") for module in facts.all(Module)):
        found.append("Can you provide the executable and libraries of the machine that crashed?")
    if process is not None and process.snapshot:
        found.append("Why was the dump taken: was the program slow, stuck, or using much memory?")
    if signal is not None and signal.sender_pid:
        found.append(f"Which program is process {signal.sender_pid}, and why did it send a signal?")
    return [
        *found,
        "What was the program doing, and with which input, just before this happened?",
        "Does it happen again with the same input, and does it happen every time?",
        "Which change (a version, a configuration, a library) came just before the first time?",
        "Can it be run under valgrind or AddressSanitizer, or can a second dump be taken?",
    ]


def _inner(text: str) -> str:
    """A phrase as it stands inside a sentence."""
    words = text.strip().rstrip(".")
    return words[:1].lower() + words[1:] if words[1:2].islower() else words


def _short(text: str) -> str:
    return text if len(text) <= 120 else text[:119] + "…"
