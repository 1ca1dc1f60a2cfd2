"""A recorded session in the place of a debugger: it answers what was asked when it was recorded.

It splits nothing and knows nothing of meanings: the sections come from the log's reader.
"""

import re
from collections.abc import Callable, Sequence

from workbench.debuggers.protocol import Asker, CommandRefused, Output, Recipe, Selection
from workbench.model.evidence import Section
from workbench.model.text import printable

NOT_RECORDED = "not in this log"
SHOWN_LINES = 200
"""Lines of one answer that the console shows; the rest is in the evidence."""

# gdb's usual abbreviations, first word by first word.
_WORDS = {
    "backtrace": "bt", "where": "bt", "i": "info", "inf": "info", "thr": "thread", "f": "frame",
    "print": "p", "inspect": "p", "call": "p", "disas": "disassemble", "l": "list", "li": "list",
    "taas": "thread apply all -s",
}  # fmt: skip
_INFO = {"r": "registers", "reg": "registers", "thr": "threads", "thread": "threads",
         "lo": "locals", "loc": "locals", "ar": "args", "arg": "args", "s": "stack", "f": "frame",
         "sh": "sharedlibrary", "shared": "sharedlibrary", "sig": "signals"}  # fmt: skip
_OPTIONS = re.compile(
    r"\s-(?:q|s|c|full|past-main(?: on| off)?|frame-arguments \w+|raw-\S+)(?=\s|$)"
)
_COUNT = re.compile(r"\s-?\d{1,9}$")


def normalised(command: str) -> str:
    """A command with its words spelt in full and its spaces folded."""
    words = command.split()
    if not words:
        return ""
    first = _WORDS.get(words[0], words[0])
    if first == "info" and len(words) > 1:
        words[1] = _INFO.get(words[1], words[1])
    if words[:3] == ["t", "a", "a"]:
        return normalised(" ".join(["thread", "apply", "all", *words[3:]]))
    text = " ".join([first, *words[1:]])
    if text.startswith("thread apply "):
        head, inner = text.split(None, 3)[:3], text.split(None, 3)[3:]
        return " ".join([*head, normalised(" ".join(inner))]) if inner else text
    return text


def find(sections: Sequence[Section], command: str) -> int | None:
    """The section that answers a command: the same one, or for a stack a listing that holds at
    least as much. None when it was not recorded."""
    wanted = normalised(command)
    known = [normalised(section.command) for section in sections]
    if wanted in known:
        return known.index(wanted)
    plain = _OPTIONS.sub("", f" {wanted}").strip()
    for place, recorded in enumerate(known):
        if _OPTIONS.sub("", f" {recorded}").strip() == plain:
            return place
    stack = re.fullmatch(r"(?:thread apply all )?bt(?: full| -?\d{1,9}| -full)*", plain)
    if stack is None or "full" in plain.split():
        return None
    bare = _COUNT.sub("", plain)
    for place, recorded in enumerate(known):
        listing = _OPTIONS.sub("", f" {recorded}").strip().removesuffix(" full")
        if listing == bare:
            return place
    return None


class ReplayDebugger:
    """Satisfies `workbench.debuggers.protocol.Debugger` without a process."""

    name = "replay"
    version = "1"
    restarts = 0
    awaiting_input = False

    def __init__(self, recipe: Recipe) -> None:
        self.path = str(recipe.core or "")
        self.display: Callable[[bytes], None] | None = None
        self.on_restart: Callable[[str], None] | None = None
        self.on_awaiting: Callable[[bool], None] | None = None
        self._sections: Sequence[Section] = ()

    def load(self, sections: Sequence[Section]) -> None:
        """Take what was recorded."""
        self._sections = sections

    @property
    def opening(self) -> Output:
        """Nothing: what the log begins with is a section of its own."""
        return Output(text="", path=None, size=0)

    async def start(self) -> None:
        """Nothing has to be started."""

    async def under_way(self) -> None:
        """Nothing is."""

    async def execute(self, command: str, *, by: Asker, timeout: float) -> Output:  # noqa: ASYNC109
        """The recorded answer. Raises `CommandRefused` for what was not recorded."""
        place = find(self._sections, command)
        self._show(command, None if place is None else self._sections[place].text)
        if place is None:
            raise CommandRefused(f"{printable(command[:200])}: {NOT_RECORDED}")
        return Output.of(self._sections[place].text)

    def _show(self, command: str, text: str | None) -> None:
        if self.display is None:
            return
        lines = [f"\x1b[2m(log)\x1b[0m {printable(command)}"]
        if text is None:
            lines.append(f"\x1b[2m{NOT_RECORDED}\x1b[0m")
        else:
            answer = text.split("\n")
            lines += [printable(line, keep="\t") for line in answer[:SHOWN_LINES]]
            if len(answer) > SHOWN_LINES:
                lines.append(f"… {len(answer) - SHOWN_LINES} more lines")
        self.display("".join(f"{line}\r\n" for line in lines).encode("utf-8", "replace"))

    async def interrupt(self) -> None:
        """Nothing runs."""

    def answer(self, line: str) -> None:
        """Nothing waits for a line."""

    async def complete(self, prefix: str) -> list[str]:
        """The recorded commands that begin with ``prefix``."""
        found = (section.command for section in self._sections)
        return list(dict.fromkeys(text for text in found if text.startswith(prefix)))

    def leaves_debugger(self, command: str) -> bool:
        """Never: there is none to leave."""
        return False

    def moves_selection(self, command: str) -> bool:
        """Never: there is nothing to select."""
        return False

    async def selection(self) -> Selection:
        """None."""
        return 0, None

    def resize(self, rows: int, cols: int) -> None:
        """No terminal stands behind it."""

    async def close(self) -> None:
        """Nothing to end."""
