"""What the files and the person have told already, and what a person could tell that they do not:
the questions that the experts need answered."""

import re
from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from workbench.agents.chat.beside import SYSTEM
from workbench.agents.conversation.failures import Failure
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


class Known(Struct, frozen=True):
    """``system`` and ``version`` by the files or the person, ``since`` and ``again`` by the person
    or by a failure that stands there several times; ``first`` is the time of the first one, where
    the log begins well before it."""

    system: bool = False
    version: bool = False
    since: bool = False
    again: bool = False
    first: str | None = None


def known(state: Investigation, texts: Mapping[str, str], found: Sequence[Failure]) -> Known:
    """What need not be asked. Never raises on any text."""
    answers = (turn.answer or "" for turn in state.conversation)
    said = " ".join([state.options.issue or "", *answers])[:_MOST]
    own = (texts.get(item.id, "") for item in state.evidence.values() if item.source != "user")
    files = "\n".join(text[:_MOST] for text in own)[:_MOST]
    live = [one for one in found if not one.evidence <= state.left_out]
    times = max((len({line.place for line in one.lines}) for one in live), default=0)
    return Known(
        system=bool(SYSTEM.search(files) or SYSTEM.search(said)),
        version=bool(_VERSION.search(files) or _VERSION.search(said)),
        since=bool(_SINCE.search(said)),
        again=bool(_AGAIN.search(said)) or times > 1,
        first=_first(live[0]) if len(live) == 1 else None,
    )


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
    about = " that are about this failure" if state.left_out else ""
    yield (
        f"None of the files{about} holds what {_TOOLS} printed. Can you put such an output into "
        "the folder, or paste it here between lines of ```?"
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
