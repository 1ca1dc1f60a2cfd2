"""What a person could tell that neither they nor the files have told: the experts' questions."""

import re
from collections.abc import Iterator

from workbench.agents.chat.beside import SYSTEM
from workbench.agents.conversation.failures import Failure, Files
from workbench.agents.questions import follow_up_questions
from workbench.model.claims import Claim
from workbench.model.conversation import TurnKind
from workbench.model.facts import Finding, Module, Process, Stack
from workbench.model.investigation import Investigation
from workbench.targets.transcript.stamps import Stamp

_VERSION = re.compile(
    r"(?i)\b(?:version|release|build|ver\.?|v)\s?[:=]?\s?\d+(?:\.\d+)+\b"
    r"|\b[A-Za-z][\w-]{2,} v?\d+\.\d+\.\d+\b"
)
_SINCE = re.compile(
    r"(?i)\b(?:since|started|began|begins?|for (?:days|weeks|months|a (?:day|week|month))|"
    r"yesterday|last (?:night|week|month|year|release|deploy\w*)|after (?:the|an?|we) \w+|"
    r"(?:days?|weeks?|months?) ago|first (?:time|seen))\b"
)
_AGAIN = re.compile(
    r"(?i)\b(?:every|each|always|sometimes|often|again|nightly|daily|weekly|hourly|whenever|"
    r"intermittent\w*|sporadic\w*|random\w*|reproduc\w+|repeated\w*|once|at night|only when|never "
    r"before|\d+ times)\b"
)
_MOST = 4 << 20
"""Characters of the files that are looked at."""
_QUIET = 3600
"""Seconds of a log without the failure that make the first one in it the first at all."""


def _first(failure: Failure) -> str | None:
    first, begins = next(iter(failure.stamps), None), failure.begins
    if first is None or first.day is None or begins is None:
        return None
    quiet = first.after(begins)
    return shown(first) if quiet is not None and quiet >= _QUIET else None


def shown(stamp: Stamp) -> str:
    """A time as it is read."""
    clock = f"{stamp.second // 3600:02}:{stamp.second // 60 % 60:02}:{stamp.second % 60:02}"
    day = f"{stamp.day:{'%m-%d' if stamp.yearless else '%Y-%m-%d'}} " if stamp.day else ""
    return f"{day}{clock}"


_TOOLS = "gdb, lldb, WinDbg, dotnet-dump, a sanitizer or a runtime"


def questions(files: Files, gravest: Claim | None = None) -> list[str]:
    """What is not asked yet, the most needed first. ``gravest`` quotes the line of plain logs that
    stands out, where there is one. Never raises on any text."""
    state = files.state
    asked = {turn.text for turn in state.conversation if turn.kind is TurnKind.QUESTION}
    basics = list(_basics(state, gravest))
    own = follow_up_questions(state) if not basics else ()
    found = dict.fromkeys((*basics, *own, *_more(files)))
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
    about = " that are about this failure" if state.left_out else ""
    yield (
        f"None of the files{about} holds what {_TOOLS} printed. Can you put such an output into "
        "the folder, or paste it here between lines of ```?"
    )


def _more(files: Files) -> Iterator[str]:
    """What neither the files say themselves nor the person said, the time of a failure where its
    log begins well before it, and whether it happens again."""
    state, live = files.state, files.live
    answers = (turn.answer or "" for turn in state.conversation)
    said = " ".join([state.options.issue or "", *answers])[:_MOST]
    own = (item.id for item in state.evidence.values() if item.source != "user")
    text = "\n".join([*(files.texts.get(id, "")[:_MOST] for id in own)])[:_MOST]
    facts = any(state.facts.first(kind) is not None for kind in (Process, Module))
    system = facts or SYSTEM.search(text) or SYSTEM.search(said)
    version = _VERSION.search(text) or _VERSION.search(said)
    if not system and not version:
        yield "Which operating system did it run on, and which version of the program was it?"
    elif not version:
        yield "Which version of the program was it?"
    elif not system:
        yield "Which operating system did it run on?"
    first = _first(live[0]) if len(live) == 1 else None
    if first is not None:
        yield (
            f"It stands first at {first}. What was changed just before: version, "
            "configuration, load?"
        )
    elif _SINCE.search(said):
        yield "What was changed just before it began: version, configuration, load?"
    else:
        yield "When did it begin, and what was changed just before: version, configuration, load?"
    if _AGAIN.search(said) or any(len({line.place for line in one.lines}) > 1 for one in live):
        yield "What is done each time before it happens?"
    else:
        yield "Does it happen again, and what has to be done for it?"
