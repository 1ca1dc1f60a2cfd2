"""The system and the program that a question is about, in the lines that tell of them."""

import re
from collections.abc import Callable, Iterator

from workbench.agents.chat.asked import Asked
from workbench.agents.chat.presumed.told import LineOf
from workbench.agents.chat.quoting import quoting
from workbench.agents.chat.values import variables_named
from workbench.agents.chat.words import stem
from workbench.model.claims import Claim
from workbench.model.facts import Process
from workbench.model.investigation import Investigation

SYSTEM = re.compile(
    r"\b(?:linux|ubuntu|debian|red ?hat|rhel|centos|fedora|suse|alpine|windows|macos|mac os x|os x|"
    r"ios|android|freebsd|openbsd|darwin|solaris|x86_64-linux-gnu|aarch64-linux-gnu)\b"
    r"|/lib(?:64)?/(?:x86_64|aarch64|ld-linux)|\b[A-Z]:\\(?:Windows|Users|Program)"
    r"|\b\d+\.\d+\.\d+-\d+-(?:amd64|generic|arm64|cloud)|\bkernel:? (?:BUG|version)",
    re.IGNORECASE,
)
"""What names an operating system, or can stand on one only."""
_ASKED = (
    (
        frozenset(
            {"os", "system", "operating", "window", "linux", "maco", "android", "platform",
             "distribution", "distro", "kernel"}
        ),
        ("system:", "core:"),
    ),
    (frozenset({"architecture", "arch", "bitness", "processor"}), ("core:", "processor:")),
    (frozenset({"pid"}), ("process:",)),
    (frozenset({"commandline", "executable"}), ("command line:", "executable:")),
)  # fmt: skip
_OF_SYSTEM = "This tells of the system"
_LINES = 12
_MOST_LINES = 20_000


def of_the_environment(
    asked: Asked, state: Investigation, line_of: LineOf, text_of: Callable[[str], str]
) -> Iterator[Claim]:
    """What the dump's notes say of it; for a log the first line that names a system."""
    process = state.facts.first(Process)
    own = {stem(name) for name in variables_named(asked, state)}
    for words, starts in _ASKED:
        if not asked.words & words - own:
            continue
        if process is not None:
            yield from _notes(process, starts, line_of)
        elif "system:" in starts:
            yield from _named(state, text_of)


def _notes(process: Process, starts: tuple[str, ...], line_of: LineOf) -> Iterator[Claim]:
    cite = process.cite
    for number in range(cite.first or 1, (cite.first or 1) + _LINES):
        text = line_of(cite.evidence, number)
        if text.startswith(starts):
            yield from quoting("The dump's notes", cite.evidence, number, text)


def _named(state: Investigation, text_of: Callable[[str], str]) -> Iterator[Claim]:
    left = _MOST_LINES
    for name, item in state.evidence.items():
        if item.command.startswith("@") or item.source == "user":
            continue
        for number, line in enumerate(text_of(name).split("\n")[:left], 1):
            claims = SYSTEM.search(line[:1000]) and quoting(_OF_SYSTEM, name, number, line)
            if claims:
                yield from claims
                return
        left -= item.lines
        if left <= 0:
            return
