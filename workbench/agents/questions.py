"""What a person could answer that the dump does not: three to five questions in plain words."""

import re
from collections.abc import Iterator
from pathlib import PurePosixPath

from analyzers.patterns.case import Case
from workbench.model.chunks import in_its_words
from workbench.model.critique import Judgement
from workbench.model.facts import CoreHealth, Frame, Module, Process, Signal, Stack, Wait
from workbench.model.hypothesis import Hypothesis, Status
from workbench.model.investigation import Investigation

_MOST = 5
_LEAST = 3
_FROM_THE_CAUSES = 3
_INDIRECT = re.compile(r"(?:who|what|which|where|when|why|how|whether)\b", re.IGNORECASE)


def follow_up_questions(
    state: Investigation, judgement: Judgement | None = None
) -> tuple[str, ...]:
    """Questions about what is left open after the last round; none when the case is settled, by
    the choice that is being made or the last one, unless an objection of a model's stands."""
    last = state.rounds[-1] if state.rounds else None
    asked = [in_its_words(question) for question in last.questions] if last is not None else []
    if _settled(state, judgement or state.judgement):
        objected = last is not None and any(check.objects for check in last.checks)
        return tuple(asked[:_MOST]) if objected else ()
    found = list(dict.fromkeys(_of_the_causes(state)))[:_FROM_THE_CAUSES]
    found += [*list(_of_what_was_struck(state))[:1], *asked[:1]]
    found += _of_the_dump(state)
    for question in (*_of_the_case(state), *_general(state)):
        if len(found) >= _LEAST:
            break
        found.append(question)
    return tuple(dict.fromkeys(found))[:_MOST]


def _settled(state: Investigation, judgement: Judgement | None) -> bool:
    if state.conclusion is not None and state.conclusion.origin is not None:
        return True  # a run has shown why
    chosen = state.conclusion.hypothesis if state.conclusion is not None else None
    selected = judgement.selected if judgement is not None else chosen
    hypothesis = state.hypotheses.get(selected or "")
    confirmed = hypothesis is not None and hypothesis.status is Status.CONFIRMED
    last = state.rounds[-1] if state.rounds else None
    left = [c for c in last.checks if not c.passed and not c.by_model] if last is not None else []
    # A confidence that was too high is answered by lowering it: nobody need be asked.
    return confirmed and all(check.kind == "overconfident" for check in left)


def _of_the_causes(state: Investigation) -> Iterator[str]:
    """What would decide the causes that are still open, and what the conclusion lacks."""
    seen: set[str] = set()
    for hypothesis in open_hypotheses(state):
        for missing in hypothesis.verdict.missing if hypothesis.verdict else ():
            if missing not in seen:
                seen.add(missing)
                cause = hypothesis.category.words
                yield f"{_asked(missing)} It would decide {hypothesis.id}, {cause}."
    for missing in state.conclusion.missing if state.conclusion is not None else ():
        if missing not in seen:
            yield _asked(missing)


def _of_what_was_struck(state: Investigation) -> Iterator[str]:
    for check in state.rounds[-1].checks if state.rounds else ():
        if check.passed or check.by_model:
            continue
        if check.kind in ("ungrounded", "contradiction"):
            words = check.subject.rstrip(".")
            words = words if len(words) <= 120 else words[:119] + "…"
            shown = f" ({check.detail.rstrip('.')})" if check.evidence and check.detail else ""
            yield (
                f"The dump does not show this: {words}{shown}. "
                "Is it known from a log or the source?"
            )


def open_hypotheses(state: Investigation) -> list[Hypothesis]:
    """Those that may still turn out to be it, the likeliest first."""
    closed = (Status.CONFIRMED, Status.REJECTED)
    found = [h for h in state.hypotheses.values() if h.status not in closed]
    return sorted(found, key=lambda h: -h.confidence)


def _asked(missing: str) -> str:
    """ "who freed it" and "a second dump" as questions."""
    words = _inner(missing).removesuffix(": not in this log")
    return f"Do you know {words}?" if _INDIRECT.match(words) else f"Can you provide {words}?"


def _of_the_dump(state: Investigation) -> Iterator[str]:
    """What the file itself lacks, and a person may still have."""
    health = state.facts.last(CoreHealth)
    if health is not None and health.truncated:
        yield (
            "Is the whole dump still on the machine that wrote it, or was it cut there already "
            "(a full disk, a size limit such as ulimit -c)? The end of this file is missing."
        )
    lost = [m for m in state.facts.all(Module) if m.status in ("missing", "mismatched")]
    if lost:
        names = list(dict.fromkeys(PurePosixPath(module.name).name for module in lost))
        shown = ", ".join(names[:3])
        more = f" and {len(names) - 3} more" if len(names) > 3 else ""
        yield (
            f"Can you provide {shown}{more} as installed on the machine that crashed? The files "
            "here are missing or of another build."
        )
    elif health is not None and health.executable is None and health.executable_matches is None:
        yield "Where is the program itself (the executable that crashed), and of which build is it?"


def _of_the_case(state: Investigation) -> Iterator[str]:
    """What happened around this crash or hang."""
    facts = state.facts
    process, signal = facts.first(Process), facts.first(Signal)
    if process is not None and process.snapshot:
        yield "Why was the dump taken: was the program slow, stuck, or using much memory?"
        for wait in facts.all(Wait):
            if wait.kind == "io":
                yield (
                    f"What is at the other end of what thread {wait.thread} waits for"
                    f"{f' in {wait.syscall}' if wait.syscall else ''}, and was it alive?"
                )
                break
    own = process.pid if process is not None else None
    if signal is not None and signal.sender_pid and signal.sender_pid != own:
        yield (
            f"Which program is process {signal.sender_pid}, and why would it send {signal.name}?"
        )
    frame = _frame(state)
    if frame is None or frame.function is None:
        return
    name = frame.function if len(frame.function) <= 60 else frame.function[:59] + "…"
    if frame.file and frame.line:
        place = f"{name} ({PurePosixPath(frame.file).name}:{frame.line})"
        yield f"What changed in {place}, or in who calls it, since it last worked?"
    yield f"Does it always end in {name}, or elsewhere each time?"


def _frame(state: Investigation) -> Frame | None:
    """The frame at fault: the conclusion's, else the program's innermost."""
    if state.conclusion is not None and state.conclusion.frame is not None:
        return state.conclusion.frame
    case = state.facts.once(Case)
    shown = (case.stack, *(stack for stack in state.facts.all(Stack) if stack.current))
    return next(filter(None, map(case.frame_of, shown)), None)


def _general(state: Investigation) -> tuple[str, ...]:
    process = state.facts.first(Process)
    command = process.command_line if process is not None else None
    program = PurePosixPath(command.split()[0]).name if command and command.split() else "program"
    the = program if len(program) <= 40 and program.isprintable() else "the program"
    if the == "program":
        the = "the program"
    return (
        f"What was {the} doing, and with which input, just before this happened?",
        "Does it happen again with the same input, and does it happen every time?",
        "Which change (a version, a configuration, a library) came just before the first time?",
        f"Can {the} be run under valgrind or AddressSanitizer, or can a second dump be taken?",
    )


def _inner(text: str) -> str:
    """A phrase as it stands inside a sentence."""
    words = text.strip().rstrip(".")
    return words[:1].lower() + words[1:] if words[1:2].islower() else words
