"""What a person looks at: threads, one stack, one frame of it with its source and variables.

All of it is read from the state; `commands` and `values` are what is asked of the debugger when a
frame is looked at for the first time.
"""

import re
from functools import lru_cache

from msgspec import Struct
from msgspec.structs import replace

from analyzers.patterns import reports_of
from analyzers.patterns.case import Case
from analyzers.patterns.frames import application_frame, is_application
from workbench.agents.ending import crashed_thread
from workbench.agents.investigator import frame_commands, selecting
from workbench.agents.ports import spelt
from workbench.agents.report.threads import best_stack, equal_stacks, frames_of, threads_info
from workbench.claims.expressions import without_texts
from workbench.debuggers.policy import check
from workbench.model.citation import Citation
from workbench.model.evidence import Command, Evidence, question
from workbench.model.facts import (
    FactBook,
    Finding,
    Frame,
    Locals,
    Memory,
    Process,
    SourceLine,
    Stack,
    Threads,
    Variable,
)
from workbench.model.investigation import Investigation
from workbench.model.listing import is_source
from workbench.model.report_findings import ThreadItem

MOST_VALUES = 6
"""Expressions of one source line that are looked up."""

# A variable with members or indexes behind it, which is no call: `conn->out`, `pool[2].next`.
_PLACE = re.compile(
    r"\b[A-Za-z_]\w*(?:(?:->|\.)[A-Za-z_]\w*|\[\s*\w+\s*\])+(?!\s*(?:[\w(]|\+\+|--))"
)
_PART = re.compile(r"->|\.|\[[^\]]*\]")


class ShownFrame(Struct, frozen=True):
    """A frame of a stack; ``own`` when it runs the program's code, ``said`` the line that shows
    it."""

    frame: Frame
    own: bool
    said: Citation | None


class FrameView(Struct, frozen=True):
    """What is known of one frame: the source around its line (with the items that list it),
    arguments and locals with their lines, the items that hold values of the line's expressions,
    and where there is no source the item with its instructions. ``asked`` is False until the
    frame was looked at."""

    frame: Frame
    source: tuple[SourceLine, ...]
    variables: tuple[tuple[Variable, Citation], ...]
    values: tuple[tuple[str, Evidence], ...]
    code: Evidence | None
    asked: bool


@lru_cache(maxsize=2)
def ended_in(facts: FactBook, count: int) -> Frame | None:  # ``count``: facts so far
    """The program's frame of what a log reports, else of the thread that ended."""
    if facts.first(Finding) is None:
        return facts.once(Case).frame
    reports = reports_of(facts)
    told = reports.primary or next((f for f in reports.all if f.stacks), None)
    found = reports.fault_frame(told)[0] if told is not None else None
    return found or reports.case.frame


def program_frame(state: Investigation) -> Frame | None:
    """The program's frame of the thread that ended: the conclusion's, else the one that the
    evidence so far leads to; None where no stack shows one. Where a run showed the origin, the
    symptom's: the origin's frame is of that run and not of the dump."""
    conclusion = state.conclusion
    if conclusion is not None and conclusion.origin is not None and conclusion.symptom is not None:
        return conclusion.symptom.frame
    if conclusion is not None and conclusion.frame is not None:
        return conclusion.frame
    return ended_in(state.facts, len(state.facts))


def place(state: Investigation) -> tuple[int | None, int]:
    """The thread (TID) and the frame's index that are looked at: those that the person selected,
    else the program's frame that is blamed, which may stand in another thread than the one that
    ended."""
    if state.selected is not None:
        return state.selected.thread, state.selected.index
    first, blamed = first_thread(state), program_frame(state)
    if blamed is not None:
        told = (blamed.index, blamed.function, blamed.line)
        for thread in dict.fromkeys([first, *(s.thread for s in state.facts.all(Stack))]):
            frames = (one.frame for one in shown_frames(state, thread))
            if any((one.index, one.function, one.line) == told for one in frames):
                return thread, blamed.index
    own = next((one for one in shown_frames(state, first) if one.own), None)
    return first, own.frame.index if own else 0


def first_thread(state: Investigation) -> int | None:
    """The thread that ended the process, else the one that the debugger selects."""
    crashed = crashed_thread(state.facts)
    if crashed is not None:
        return crashed
    listed = (item for fact in state.facts.all(Threads) for item in fact.items)
    current = next((item.thread for item in listed if item.current), None)
    stacks = state.facts.all(Stack)
    shown = next((stack.thread for stack in stacks if stack.current), None)
    return current or shown or next((stack.thread for stack in stacks), None)


def threads(state: Investigation) -> tuple[ThreadItem, ...]:
    """Every thread: the debugger's number, its TID, its state, what it waits for."""
    return threads_info(state).items


def stack_of(state: Investigation, thread: int | None) -> Stack | None:
    """A thread's own stack, or that of a thread with an equal one under this thread's number."""
    if thread is None:
        return next(iter(state.facts.all(Stack)), None)
    if (own := best_stack(state, thread)) is not None:
        return own
    equal = equal_stacks(state.facts).get(thread)
    return replace(equal, thread=thread, number=number_of(state, thread)) if equal else None


def number_of(state: Investigation, thread: int | None) -> int | None:
    """The debugger's number of a thread."""
    for fact in state.facts.all(Threads):
        for item in fact.items:
            if item.thread == thread:
                return item.number
    return next((s.number for s in state.facts.all(Stack) if s.thread == thread and s.number), None)


def tid(state: Investigation, number: int) -> int:
    """The TID of a thread that is named by the debugger's number, or by itself."""
    items = (item for fact in state.facts.all(Threads) for item in fact.items)
    return next((item.thread for item in items if item.number == number), number)


def shown_frames(state: Investigation, thread: int | None) -> list[ShownFrame]:
    """The frames of a thread, innermost first."""
    stack = stack_of(state, thread)
    memory, process = state.facts.first(Memory), state.facts.first(Process)
    return [
        ShownFrame(
            frame,
            is_application(frame, memory, process),
            Citation(stack.cite.evidence, frame.line_no, frame.line_no)
            if stack is not None and frame.line_no
            else None,
        )
        for frame in frames_of(state.facts, stack, thread)
    ]


def own_frame(state: Investigation, thread: int | None) -> int:
    """The index of the program's innermost frame of a thread; 0 where none is the program's."""
    memory, process = state.facts.first(Memory), state.facts.first(Process)
    found = application_frame(stack_of(state, thread), memory, process)
    return found.index if found is not None else 0


def frame_at(state: Investigation, thread: int | None, index: int) -> Frame | None:
    """A frame by its index."""
    return next((s.frame for s in shown_frames(state, thread) if s.frame.index == index), None)


# --- what is asked -------------------------------------------------------------------------------


def commands(state: Investigation, thread: int | None, index: int) -> tuple[Command, ...]:
    """What shows the source and the variables of a frame, in the debugger's words."""
    frame = frame_at(state, thread, index)
    if frame is None or frame.trust == "scan" or state.recorded:
        return ()
    return spelt(state, frame_commands(state, frame, stack_of(state, thread)))


def values(state: Investigation, thread: int | None, index: int) -> tuple[Command, ...]:
    """What looks up the expressions of a frame's source line, once the line is known."""
    shown = view(state, thread, index)
    if shown is None:
        return ()
    line = next((one.text for one in shown.source if one.line == shown.frame.line), "")
    found = (value_of(state, thread, index, text) for text in places_in(line))
    asked = spelt(state, found)
    return tuple(one for one in asked if check(one.text, state.host).accepted)


def value_of(
    state: Investigation, thread: int | None, index: int, text: str, how: str = "print"
) -> Command:
    """What prints an expression in a frame, or its type (``how`` is ``whatis``)."""
    level, in_lldb, _ = _selecting(state, thread, index)
    in_lldb += f"; frame variable {text}"
    return question(f"{level} {how} {text}", f"the value of {text}", lldb=in_lldb)


def places_in(line: str) -> list[str]:
    """The members and elements that a line of source names, each after what leads to it:
    ``c->next->deadline`` gives ``c->next`` and itself."""
    found: dict[str, None] = {}
    for match in _PLACE.finditer(without_texts(line)):
        text = match[0]
        for part in list(_PART.finditer(text))[1:]:
            found.setdefault(text[: part.start()])
        found.setdefault(text)
    return list(found)[:MOST_VALUES]


def _selecting(state: Investigation, thread: int | None, index: int) -> tuple[str, str, str]:
    return selecting(number_of(state, thread) if thread != first_thread(state) else None, index)


_OF_FRAME = {
    "gdb": re.compile(
        r"(?:p|print|inspect|output|x|ptype|whatis|display|disassemble|explore"
        r"|(?:info|i) (?:locals?|lo|args?|ar|frame|f|registers|r))\b"
    ),
    "lldb": re.compile(r"(?:p|po|v|x|frame variable|register read|memory read|disassemble)\b"),
    "cdb": re.compile(r"(?:dv|dt|dx|r|\?\?)(?:\s|$)"),
}


def in_frame(state: Investigation, command: Command) -> Command:
    """A person's test as it is run: in the frame that they look at, where it depends on one."""
    asks = _OF_FRAME.get(state.host)
    thread, index = place(state)
    if (
        asks is None
        or asks.match(command.text) is None
        or (thread, index) == (first_thread(state), 0)
    ):
        return command
    level, in_lldb, in_cdb = _selecting(state, thread, index)
    before = {"gdb": f"{level} ", "lldb": f"{in_lldb}; ", "cdb": f"{in_cdb}; "}
    return Command(before[state.host] + command.text, command.intent)


def console_commands(state: Investigation, thread: int | None, index: int) -> tuple[str, ...]:
    """What a person would type to select that frame."""
    number = number_of(state, thread)
    words = {
        "gdb": ("thread {}", "frame {}"),
        "lldb": ("thread select {}", "frame select {}"),
        "cdb": ("~{}s", ".frame 0n{}"),
    }.get(state.host)
    if words is None:
        return ()
    return (*((words[0].format(number),) if number is not None else ()), words[1].format(index))


# --- what is shown -------------------------------------------------------------------------------


def view(state: Investigation, thread: int | None, index: int) -> FrameView | None:
    """What is known of a frame; None where there is no such frame."""
    frame = frame_at(state, thread, index)
    if frame is None:
        return None
    wanted = commands(state, thread, index)
    items = _answers(state, wanted)
    ids = {item.id for item in items}
    lines = {
        fact.line: fact
        for fact in state.facts.all(SourceLine)
        if fact.cite.evidence in ids or (frame.file is not None and fact.file == frame.file)
    }
    source = tuple(lines[number] for number in sorted(lines)) if is_source(frame.file) else ()
    variables = {
        variable.name: (variable, Citation(fact.cite.evidence, variable.line, variable.line))
        for fact in state.facts.all(Locals)
        if fact.cite.evidence in ids
        for variable in fact.variables
    }
    line = next((one.text for one in source if one.line == frame.line), "")
    asked = {text: spelt(state, [value_of(state, thread, index, text)]) for text in places_in(line)}
    found = {text: _answers(state, one) for text, one in asked.items()}
    instructions = [] if is_source(frame.file) else items
    return FrameView(
        frame=frame, source=_around(source, frame.line), variables=tuple(variables.values()),
        values=tuple((text, answers[0]) for text, answers in found.items() if answers),
        code=instructions[-1] if instructions else None, asked=len(items) == len(wanted),
    )  # fmt: skip


def _answers(state: Investigation, asked: tuple[Command, ...]) -> list[Evidence]:
    """The items that hold the answers; a command without one was refused or failed."""
    texts = {command.text for command in asked}
    return [one for one in state.evidence.values() if one.command in texts and one.source != "user"]


_SHOWN = 24


def _around(source: tuple[SourceLine, ...], line: int | None) -> tuple[SourceLine, ...]:
    """The listing that holds the line, without what was listed elsewhere in the file; empty where
    the line is in none yet."""
    if line is None or all(one.line != line for one in source):
        return ()
    return tuple(one for one in source if abs(one.line - line) <= _SHOWN)
