"""The console's stream to a front end; a resumed session begins with what was shown last."""

from collections.abc import Awaitable, Callable, Sequence

from workbench.debuggers.protocol import Debugger
from workbench.model.evidence import Section, Source
from workbench.model.investigation import Investigation
from workbench.model.prompts import prompt_of
from workbench.model.text import printable
from workbench.store.errors import StoreError

REPLAYED_COMMANDS = 5
REPLAYED_LINES = 40
RECORDED_SECTIONS = 60
_DIM, _PLAIN = "\x1b[2m", "\x1b[0m"


async def last_shown(state: Investigation, text_of: Callable[[str], Awaitable[str]]) -> list[str]:
    """The last commands of a state with what they printed, as the console shows them."""
    lines = []
    shown = [item for item in state.evidence.values() if item.source is not Source.FILE]
    prompt = prompt_of(state.chosen_debugger)
    for item in shown[-REPLAYED_COMMANDS:]:
        asker = prompt if item.source is Source.USER else f"{_DIM}engine ▸ "
        lines.append(f"{asker}{printable(item.command)}{_PLAIN}")
        try:
            lines += _cut(await text_of(item.id), item.id)
        except StoreError as error:
            lines.append(printable(str(error)))
    return lines


def _cut(text: str, source: str) -> list[str]:
    lines = text.split("\n")
    shown = [printable(line, keep="\t") for line in lines[:REPLAYED_LINES]]
    more = len(lines) - REPLAYED_LINES
    return [*shown, *([f"… {more} more lines in {source}"] if more > 0 else [])]


class Console:
    """Hands the debugger's coloured bytes to one listener. Display only: nothing is kept."""

    def __init__(self, debugger: Debugger | None, recorded: Sequence[Section] = ()) -> None:
        self._debugger = debugger
        self._recorded = recorded
        self._listener: Callable[[bytes], None] | None = None

    def listen(self, listener: Callable[[bytes], None]) -> Callable[[], None]:
        """Send what comes from now on to ``listener``; returns what ends that."""
        self._listener = listener
        if self._debugger is not None:
            self._debugger.display = listener
        return self._end

    def _end(self) -> None:
        self._listener = None
        if self._debugger is not None:
            self._debugger.display = None

    async def replay(self, state: Investigation, text_of: Callable[[str], Awaitable[str]]) -> None:
        """Show what a transcript recorded; the last commands of the session as they were, then
        what a resume has lost."""
        for section in self._recorded[-RECORDED_SECTIONS:]:
            self._say(
                f"{_DIM}log, line {section.first_line} ▸{_PLAIN} {printable(section.command)}"
            )
            for line in _cut(section.text, "the log"):
                self._say(line)
        shown = await last_shown(state, text_of)
        for line in shown:
            self._say(line)
        if shown and not self._recorded:
            self._say(
                f"{_DIM}— resumed: a new debugger with the same recipe; convenience variables and "
                f"settings made before are gone —{_PLAIN}"
            )

    def show_answer(self, probe: str, text: str, source: str) -> None:
        """What our own reader says to a question that was typed here."""
        for line in (f"{_DIM}file ▸{_PLAIN} {printable(probe)}", *_cut(text.rstrip("\n"), source)):
            self._say(line)

    def _say(self, line: str) -> None:
        if self._listener is not None:
            self._listener(f"{line}\r\n".encode("utf-8", "replace"))
