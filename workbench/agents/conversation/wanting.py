"""What a person could tell that the files do not: the questions that the experts need answered."""

from collections.abc import Iterator

from workbench.agents.conversation.known import Known
from workbench.agents.questions import follow_up_questions
from workbench.model.claims import Claim
from workbench.model.conversation import TurnKind
from workbench.model.facts import Finding, Module, Process, Stack
from workbench.model.investigation import Investigation

_TOOLS = "gdb, lldb, WinDbg, dotnet-dump, a sanitizer or a runtime"


def questions(
    state: Investigation, said: Known | None = None, gravest: Claim | None = None
) -> list[str]:
    """What is not asked yet, the most needed first. ``said`` is what the inputs tell already,
    ``gravest`` quotes the line of plain logs that stands out, where there is one."""
    asked = {turn.text for turn in state.conversation if turn.kind is TurnKind.QUESTION}
    basics = list(_basics(state, gravest))
    own = follow_up_questions(state) if not basics else ()
    found = dict.fromkeys((*basics, *own, *_more(state, said or Known())))
    return [question for question in found if question not in asked]


def no_facts(state: Investigation) -> bool:
    """True where nothing was read of a failure."""
    return all(state.facts.first(kind) is None for kind in (Finding, Stack, Process))


def _basics(state: Investigation, gravest: Claim | None) -> Iterator[str]:
    """Without any facts the experts know nothing: who, where, what."""
    if not no_facts(state):
        return
    if gravest is not None:
        line = gravest.text.partition(": ")[2]
        cite = gravest.citations[0]
        yield f"Is it about this line: {line} ({cite})? What was the program doing then?"
    yield (
        "Which program is this about, and what did it do when it went wrong: crash, hang, or give "
        "a wrong result?"
    )
    files = "None of the files"
    if state.focus is not None and state.focus.left_out:
        files = "None of the files that are about this failure"
    yield (
        f"{files} holds what {_TOOLS} printed. Can you put such an output into the "
        "folder, or paste it here between lines of ```?"
    )


def _more(state: Investigation, said: Known) -> Iterator[str]:
    """What the inputs do not say themselves."""
    system = said.system or any(state.facts.first(kind) is not None for kind in (Process, Module))
    if not system and not said.version:
        yield "Which operating system did it run on, and which version of the program was it?"
    elif not said.version:
        yield "Which version of the program was it?"
    elif not system:
        yield "Which operating system did it run on?"
    if said.first is not None:
        yield (
            f"It stands first at {said.first}. What was changed just before: version, "
            "configuration, load?"
        )
    elif said.since:
        yield "What was changed just before it began: version, configuration, load?"
    else:
        yield "When did it begin, and what was changed just before: version, configuration, load?"
    if said.again:
        yield "What is done each time before it happens?"
    else:
        yield "Does it happen again, and what has to be done for it?"
