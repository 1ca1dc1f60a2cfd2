"""A target in a few words: what it is, what ended it, where."""

import re

from workbench.agents import ending, looking
from workbench.model.facts import Finding, Frame, Handled, ManagedException, Signal, Stack
from workbench.model.hypothesis import Status
from workbench.model.investigation import Investigation
from workbench.model.target import Target, TargetKind
from workbench.tui.text import human_size

_UNKNOWN = frozenset({"", "unknown"})


def ended_by(state: Investigation) -> str:
    """The signal, the exception, or what a tool reported; empty where nothing ended."""
    signal, target = state.facts.first(Signal), state.target
    words = [signal.name if signal else (target.signal or "") if target else ""]
    if (handled := state.facts.first(Handled)) is not None:
        words[:0] = [handled.first.name, "caught,"]
    if (managed := state.facts.first(ManagedException)) is not None:
        words.append(managed.type.rpartition(".")[2])
    elif (record := ending.ended_by(state.facts)) is not None:
        words.append(record.name or f"exception {record.code:#x}")
    elif not words[0] and (findings := state.facts.all(Finding)):
        words.append(min(findings, key=lambda one: one.rank).kind)
    return " ".join(filter(None, words))


def models_used(state: Investigation) -> str:
    """What models took so far: ``local 4 calls 12.3k tokens``, with dollars where any were spent;
    empty without a model."""
    spent = state.models.of()
    if not spent.calls:
        return ""
    tokens = f"{spent.tokens / 1000:.1f}k" if spent.tokens >= 1000 else str(spent.tokens)
    words = [state.models.tier, f"{spent.calls} calls", f"{tokens} tokens"]
    if spent.cost_usd:
        words.append(f"${spent.cost_usd:.4f}" if spent.cost_usd < 1 else f"${spent.cost_usd:.2f}")
    return " ".join(words) + (f" +{spent.unpriced} unpriced" if spent.unpriced else "")


def about(target: Target, state: Investigation) -> list[str]:
    """Processor, system, threads and size, as far as they are known; of a log who wrote it."""
    words = []
    if target.recorded:
        tools = dict.fromkeys(one.tool for one in state.facts.all(Finding))
        words.append(f"log of {', '.join(tools) or _writer(target)}")
    words += [word for word in (target.arch, target.os) if word not in _UNKNOWN]
    if target.runtime is not None:
        words.append(".NET")
    if target.thread_count:
        words.append(f"{target.thread_count} thread{'' if target.thread_count == 1 else 's'}")
    return [*words, human_size(target.size)]


def _writer(target: Target) -> str:
    return target.dialect if target.dialect not in (None, "log") else "a program"


def may_have_executable(target: Target) -> bool:
    """True when a program beside the dump would tell more."""
    return target.kind in (TargetKind.ELF_CORE, TargetKind.MACHO_CORE)


def frame_at_fault(state: Investigation) -> Frame | None:
    """The frame that the state names: the conclusion's, a confirmed verdict's, else the program's
    own as far as the evidence shows it."""
    for hypothesis in state.hypotheses.values() if state.conclusion is None else ():
        verdict = hypothesis.verdict
        if hypothesis.status is Status.CONFIRMED and verdict is not None and verdict.frame:
            return verdict.frame
    if (found := looking.program_frame(state)) is not None:
        return found
    for stack in state.facts.all(Stack):
        if stack.current and stack.frames:
            named = [frame for frame in stack.frames if frame.file and frame.line]
            return (named or list(stack.frames))[0]
    return None


def frame_text(frame: Frame) -> str:
    """``conn_touch server.c:88``, or module and address where nothing better is known."""
    name = frame.function or (f"{frame.address:#x}" if frame.address is not None else "??")
    if frame.file and frame.line:
        return f"{name} {last_part(frame.file)}:{frame.line}"
    return f"{name} {last_part(frame.module)}" if frame.module else name


def last_part(path: str) -> str:
    """A file's name, whichever way the slashes of its system go."""
    return re.split(r"[/\\]", path)[-1]
