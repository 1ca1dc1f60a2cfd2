"""What went wrong in a folder's files: reports and crashes, those together that are one."""

import asyncio
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property, reduce

from msgspec import Struct
from msgspec.structs import replace

from analyzers.patterns.frames import is_application
from workbench.agents.chat.talk import quoting
from workbench.agents.checking import checked
from workbench.agents.conversation.files import Line, file_of, lines_by_file
from workbench.agents.conversation.standing_out import gravity, sort_of
from workbench.agents.ports import Ports, texts_of
from workbench.model.claims import Claim
from workbench.model.facts import (
    AbortMessage,
    BugCheck,
    CxxException,
    ExceptionRecord,
    Fact,
    Finding,
    LockCycle,
    ManagedException,
    Signal,
    Stack,
)
from workbench.model.investigation import Investigation
from workbench.model.target import DEBUGGERS
from workbench.targets.transcript.stamps import Stamp

_HEADS = (
    Finding, LockCycle, CxxException, ManagedException, BugCheck, AbortMessage, ExceptionRecord,
    Signal,
)  # fmt: skip
"""What tells that something failed, the most telling first."""
_APART = 600
"""Seconds after which two reports of one log are two failures."""
_MOST = 40
_GRAVE = 3
_SHARED = 2
"""Own functions that two stacks share where both are of one failure."""
_INNERMOST = 2
"""Own frames of a stack that tell which failure it is: further out all work begins alike."""
_LANGUAGE = re.compile(r"(?:java|javax|jdk|sun|kotlin|scala|System|Microsoft|core|alloc|std)[.:]")


class Failure(Struct, frozen=True):
    """``head`` quotes the line that says what failed. ``evidence`` are the items that tell of it,
    ``places`` the functions and source lines of its stacks, ``lines`` those that say it again,
    each with its time; ``begins`` is the first time in their file. ``reported`` is False for what
    only a program's own log calls an error."""

    head: Claim
    files: tuple[str, ...]
    evidence: frozenset[str]
    lines: tuple[Line, ...]
    sort: str
    begins: Stamp | None
    category: str | None = None
    places: frozenset[str] = frozenset()
    process: int | None = None
    reported: bool = True

    @property
    def stamps(self) -> list[Stamp]:
        """When it was, as far as its lines tell."""
        return [line.stamp for line in self.lines if line.stamp is not None]


class Files:
    """The files of a session: each thing about them is worked out once. ``texts`` are those of all
    evidence."""

    def __init__(self, state: Investigation, texts: Mapping[str, str]) -> None:
        self.state = state
        self.texts = texts

    @cached_property
    def lines(self) -> dict[str, list[Line]]:
        """The lines of each file, in order."""
        return lines_by_file(self.state, self.texts)

    @cached_property
    def failures(self) -> list[Failure]:
        """What went wrong in them, in order; failures that have to do with each other are one. What
        is set aside now is among them."""
        facts = [*self.state.facts, *self.state.set_aside]
        made = (
            _of_items(items, name, facts, self.lines.get(name, []), self.texts)
            for (name, _), items in _reported(self.state, facts).items()
        )
        found = _together([one for one in made if one is not None])
        told = {file for failure in found for file in failure.files}
        plain = (_of_lines(name, rows) for name, rows in self.lines.items() if name not in told)
        return [*found, *(one for one in plain if one is not None)][:_MOST]

    @property
    def live(self) -> list[Failure]:
        """Those that are not set aside."""
        return [one for one in self.failures if not one.evidence <= self.state.left_out]

    def held(self, drafts: Iterable[Claim]) -> tuple[Claim, ...]:
        """The statements that hold."""
        judged = checked(drafts, self.state, lambda name: self.texts[name])
        return tuple(claim for claim in judged if claim.holds)


async def read_files(ports: Ports) -> Files:
    """The files as they are now, with what went wrong in them."""
    files = Files(ports.state, await texts_of(ports))
    await asyncio.to_thread(lambda: files.failures)
    return files


def _reported(state: Investigation, facts: Iterable[Fact]) -> dict[tuple[str, str], list[str]]:
    """The items that tell of a failure, by file; what a debugger printed in one file is one."""
    telling = {fact.cite.evidence for fact in facts if isinstance(fact, _HEADS)}
    found: dict[tuple[str, str], list[str]] = {}
    for item in state.evidence.values():
        name = file_of(item)
        talk = item.host in DEBUGGERS or item.command.startswith("@stop ")
        if name and (item.id in telling or talk):
            found.setdefault((name, "" if talk else item.id), []).append(item.id)
    return {key: items for key, items in found.items() if telling & set(items)}


def _of_items(
    items: list[str], name: str, facts: list[Fact], lines: list[Line], texts: Mapping[str, str]
) -> Failure | None:
    own = [fact for fact in facts if fact.cite.evidence in items]
    for head in (fact for kind in _HEADS for fact in own if isinstance(fact, kind)):
        number = head.line if isinstance(head, Finding) else head.cite.first or 1
        text = "".join(texts.get(head.cite.evidence, "").split("\n")[number - 1 : number])
        if not (told := quoting(name, head.cite.evidence, number, text, by="log")):
            continue
        sort = sort_of(text)
        said = [
            line
            for line in lines
            if (line.evidence == head.cite.evidence and line.number == number)
            or (sort_of(line.text) == sort and sort.strip("# "))
        ]
        return Failure(
            told[0],
            (name,),
            frozenset(items),
            tuple(said[:200]),
            sort,
            _begins(lines),
            category=head.category if isinstance(head, Finding) else None,
            places=frozenset(place for fact in own for place in _places(fact)),
            process=next((f.process for f in own if isinstance(f, Finding) and f.process), None),
        )
    return None


def _begins(lines: list[Line]) -> Stamp | None:
    return next((line.stamp for line in lines if line.own), None)


def _places(fact: Fact) -> Iterator[str]:
    """The functions and source lines of the application's own in a fact's stacks."""
    of_roles = [role.frames for role in fact.stacks[:20]] if isinstance(fact, Finding) else []
    for frames in [fact.frames] if isinstance(fact, Stack) else of_roles:
        own = [
            frame
            for frame in frames[:64]
            if frame.function not in (None, "main")
            and not _LANGUAGE.match(str(frame.function))
            and is_application(frame, None)
        ]
        for frame in own[:_INNERMOST]:
            yield str(frame.function)
            if frame.file and frame.line:
                yield f"{frame.file.rpartition('/')[2]}:{frame.line}"


def _together(found: list[Failure]) -> list[Failure]:
    """Those that have to do with each other as one, the first of them speaking for all."""
    groups: list[Failure] = []
    for failure in found:
        same = [group for group in groups if _related(group, failure)]
        groups = [group for group in groups if group not in same]
        groups.append(reduce(_merged, [*same, failure]))
    return groups


def _merged(first: Failure, second: Failure) -> Failure:
    return replace(
        first,
        files=tuple(dict.fromkeys((*first.files, *second.files))),
        evidence=first.evidence | second.evidence,
        places=first.places | second.places,
        process=first.process or second.process,
        lines=(*first.lines, *second.lines),
    )


def _related(one: Failure, other: Failure) -> bool:
    if one.sort == other.sort and one.category == other.category:
        return True
    shared = one.places & other.places
    if len(shared) >= _SHARED or any(re.search(r":\d+$", place) for place in shared):
        return True
    if not set(one.files) & set(other.files):
        return False
    if one.process and other.process and one.process != other.process:
        return False
    gaps = [
        abs(gap)
        for first in one.stamps
        for second in other.stamps
        if (gap := second.after(first)) is not None
    ]
    return not gaps or min(gaps) <= _APART


def _of_lines(name: str, lines: list[Line]) -> Failure | None:
    """What a program's own log calls an error, where no report is in the file."""
    grave = [(gravity(line.text), line) for line in lines]
    worst = max((number for number, _ in grave), default=0)
    if worst < _GRAVE:
        return None
    chosen = [line for number, line in grave if number >= _GRAVE]
    head = next(line for number, line in grave if number == worst)
    if not (told := quoting(name, head.evidence, head.number, head.text, by="log")):
        return None
    evidence = frozenset(line.evidence for line in lines)
    return Failure(
        told[0],
        (name,),
        evidence,
        tuple(chosen[:200]),
        sort_of(head.text),
        _begins(lines),
        reported=False,
    )
