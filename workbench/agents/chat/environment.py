"""The system and the program that a question is about, in the lines that tell of them."""

import re
from collections.abc import Iterator

from workbench.agents.chat.quoting import quoting
from workbench.agents.chat.talk import Talk
from workbench.agents.chat.values import variables_named
from workbench.agents.chat.words import stem
from workbench.model.claims import Claim
from workbench.model.facts import Process

SYSTEM = re.compile(
    r"(?i)\b(?:linux|ubuntu|debian|red ?hat|rhel|centos|fedora|suse|alpine|windows|macos|mac os x|"
    r"os x|ios|android|freebsd|openbsd|darwin|solaris|x86_64-linux-gnu|aarch64-linux-gnu)\b"
    r"|/lib(?:64)?/(?:x86_64|aarch64|ld-linux)|\b[A-Z]:\\(?:Windows|Users|Program)"
    r"|\b\d+\.\d+\.\d+-\d+-(?:amd64|generic|arm64|cloud)|\bkernel:? (?:BUG|version)"
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


def of_the_environment(talk: Talk) -> Iterator[Claim]:
    """What the dump's notes say of it; for a log the first line that names a system."""
    process = talk.state.facts.first(Process)
    own = {stem(name) for name in variables_named(talk.asked, talk.state)}
    for words, starts in _ASKED:
        if not talk.asked.words & words - own:
            continue
        if process is not None:
            yield from _notes(process, starts, talk)
        elif "system:" in starts:
            yield from _named(talk)


def _notes(process: Process, starts: tuple[str, ...], talk: Talk) -> Iterator[Claim]:
    cite = process.cite
    for number in range(cite.first or 1, (cite.first or 1) + _LINES):
        text = talk.line_of(cite.evidence, number)
        if text.startswith(starts):
            yield from quoting("The dump's notes", cite.evidence, number, text)


def _named(talk: Talk) -> Iterator[Claim]:
    left = _MOST_LINES
    for name, item in talk.state.evidence.items():
        if item.command.startswith("@") or item.source == "user":
            continue
        for number, line in enumerate(talk.text_of(name).split("\n")[:left], 1):
            claims = SYSTEM.search(line[:1000]) and quoting(_OF_SYSTEM, name, number, line)
            if claims:
                yield from claims
                return
        left -= item.lines
        if left <= 0:
            return
