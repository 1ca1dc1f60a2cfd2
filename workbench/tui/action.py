"""What an action is: where its keys work and when, and how keys are written."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum

from workbench.model.citation import Citation
from workbench.model.events import GateOpened
from workbench.model.hypothesis import Hypothesis
from workbench.model.investigation import Investigation


class Place(StrEnum):
    """Where an action's keys work; the value is the heading in help."""

    EVERYWHERE = "Everywhere"
    HOME = "Session list"
    WORKBENCH = "Workbench"
    TREE = "Hypotheses"
    EVIDENCE = "Evidence"
    CRITIC = "Critic"
    STACK = "Stack"
    THREADS = "Threads"
    CONSOLE = "Debugger console"
    REPORT = "Report"
    SYMBOLS = "Symbols"
    CHAT = "Questions"
    MODELS = "Models"
    SEARCH = "Search"
    PAYLOADS = "What left the machine"


@dataclass(frozen=True)
class Situation:
    """What decides whether an action works now."""

    state: Investigation = field(default_factory=Investigation)
    hypothesis: Hypothesis | None = None
    citation: Citation | None = None
    speaking: bool = False
    read_only: bool = False


Enabled = Callable[[Situation], bool]


def always(_: Situation) -> bool:
    """Works at any time."""
    return True


def command_gate(state: Investigation) -> GateOpened | None:
    """The latest open question that is not about hypotheses: may this command run."""
    return next((gate for gate in reversed(state.gates) if gate.kind != "hypothesis"), None)


def asks_about_a_command(now: Situation) -> bool:
    """Works while a command is asked about."""
    return command_gate(now.state) is not None


def may_run_again(now: Situation) -> bool:
    """Works on a program's own core, once the investigation is over."""
    target, over = now.state.target, now.state.stopped is not None
    return over and target is not None and target.kind == "elf-core" and not now.state.gates


def cloud_gate(state: Investigation) -> GateOpened | None:
    """The open question whether something may leave the machine."""
    return next((gate for gate in reversed(state.gates) if gate.kind == "cloud"), None)


def asks_about_the_cloud(now: Situation) -> bool:
    """Works while something waits to leave the machine."""
    return cloud_gate(now.state) is not None


def status_in(*statuses: str) -> Enabled:
    """Works on a hypothesis of these statuses."""

    def enabled(now: Situation) -> bool:
        return now.hypothesis is not None and now.hypothesis.status in statuses

    return enabled


def gate_or(*statuses: str) -> Enabled:
    """Works on a hypothesis of these statuses, or while a command is asked about."""

    def enabled(now: Situation) -> bool:
        return asks_about_a_command(now) or status_in(*statuses)(now)

    return enabled


@dataclass(frozen=True)
class Action:
    """One thing that a person can do.

    ``keys`` are Textual key names, the first is the one shown; ``handler`` is the method
    ``action_<handler>`` of the class that owns the place; ``shown`` puts it into the footer;
    ``when`` says in words when ``enabled`` is true; ``moves`` tells that it changes the pane,
    ``writes`` that a session that is only looked at refuses it.
    """

    id: str
    title: str
    keys: tuple[str, ...]
    where: Place
    handler: str
    help: str
    shown: bool = True
    enabled: Enabled = always
    when: str = ""
    moves: bool = False
    writes: bool = False

    def works(self, now: Situation) -> bool:
        """True when its key does something."""
        return self.enabled(now) and not (self.writes and now.read_only)


_NAMES = {
    "slash": "/", "colon": ":", "enter": "Enter", "escape": "Esc", "escape escape": "Esc Esc",
    "tab": "Tab", "pageup": "PgUp", "pagedown": "PgDn", "home": "Home", "end": "End", "up": "↑",
    "down": "↓", "left": "←", "right": "→",
}  # fmt: skip


def _character(key: str) -> str:
    """The character that Textual names ``left_curly_bracket``, after Unicode; empty for other
    keys."""
    try:
        return unicodedata.lookup(key.replace("_", " ").upper()) if "_" in key else ""
    except KeyError:
        return ""


def key_name(key: str) -> str:
    """A key as a person would write it: ``Shift+Tab``, ``?``, ``F6``, ``A``."""
    if key in _NAMES:
        return _NAMES[key]
    *modifiers, last = key.split("+")
    if not modifiers and len(last) == 1:
        return last
    last = (
        _NAMES.get(last)
        or _character(last)
        or (last.upper() if len(last) < 4 else last.capitalize())
    )
    return "+".join([*(modifier.capitalize() for modifier in modifiers), last])


def is_function_key(key: str) -> bool:
    """True for ``f1`` to ``f24``, also with a modifier: the keys that a console lets pass."""
    last = key.rpartition("+")[2]
    return last[:1] == "f" and last[1:].isdigit()
