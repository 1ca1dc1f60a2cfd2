"""May the engine, or a model, send this command? Read-only commands pass; the rest is asked."""

from collections.abc import Callable, Iterable
from enum import StrEnum
from importlib import import_module

from msgspec import Struct


class Answer(StrEnum):
    """``ACCEPT`` only prints; ``ASK`` needs a person; ``FORBID`` is never sent for the engine."""

    ACCEPT = "accept"
    ASK = "ask"
    FORBID = "forbid"


class Decision(Struct, frozen=True):
    """The answer, and for a person why."""

    answer: Answer
    reason: str

    @property
    def accepted(self) -> bool:
        """True when the command may be sent as it is."""
        return self.answer is Answer.ACCEPT


def accept(reason: str = "reads only") -> Decision:
    """It only prints."""
    return Decision(Answer.ACCEPT, reason)


def ask(reason: str) -> Decision:
    """Nobody can tell from its text that it only prints."""
    return Decision(Answer.ASK, reason)


def forbid(reason: str) -> Decision:
    """It runs, writes or calls something, or changes how the dump is read."""
    return Decision(Answer.FORBID, reason)


_ORDER = {Answer.ACCEPT: 0, Answer.ASK: 1, Answer.FORBID: 2}


def strictest(decisions: Iterable[Decision]) -> Decision:
    """The one that allows least; `accept` of nothing."""
    return max(decisions, key=lambda one: _ORDER[one.answer], default=accept())


_LONGEST = 4095
# The module and the function that judge a debugger's lines: loaded for the one that runs.
_GRAMMARS = {
    "gdb": ("gdb.policy", "check_gdb"),
    "lldb": ("lldb.policy", "check_lldb"),
    "dotnet-dump": ("dotnet.policy", "check_dotnet_dump"),
    "cdb": ("cdb.policy", "check_cdb"),
}


def check(command: str, debugger: str = "gdb") -> Decision:
    """Judge one command line by the grammar of ``debugger``. Never raises on any text.

    A debugger whose grammar is not known here is asked about for every command.
    """
    if debugger not in _GRAMMARS:
        return ask(f"the commands of {debugger} are not known")
    if len(command) > _LONGEST:
        return forbid("too long to be read")
    if any((ord(one) < 0x20 and one != "\t") or ord(one) == 0x7F for one in command):
        return forbid("a command is one line without control characters")
    module, function = _GRAMMARS[debugger]
    judge: Callable[[str], Decision] = getattr(
        import_module(f"workbench.debuggers.{module}"), function
    )
    return judge(command)
