"""What gdb printed without a command: ``set logging`` output, a pasted backtrace, a run."""

import re
from itertools import takewhile

from msgspec.structs import replace

from analyzers.base import Analysis, Document, Reader
from analyzers.gdb.frames import parse_frame
from analyzers.gdb.locks import read_owners
from analyzers.gdb.modules import read_modules
from analyzers.gdb.registers import read as read_registers
from analyzers.gdb.stacks import read as read_stacks
from analyzers.gdb.threads import read as read_threads
from workbench.model.facts import AnyFact, Stack, StackGroups

_RUNS = frozenset(
    {"(log)", "(no", "run", "r", "c", "continue", "start", "core", "core-file", "attach"}
)


_STOPPED = re.compile(
    r"^[ \t]{0,8}(?:Program|Thread \S.{0,80}) (?:received|terminated with) signal "
)
# gdb/infrun.c, print_stop_event: what stands between the signal and the frame.
_BETWEEN = re.compile(r"^\s*$|^\[|^Reason: |^warning: ")
# As "#0" would show it, without the number: gdb leaves the address out at a line's beginning.
_AT_STOP = re.compile(
    r"^(?:0x[0-9a-fA-F]{4,16} in \S|[A-Za-z_~][^()\n]{0,400} \([^\n]{0,2000}\) at \S)"
)

_BROKEN = re.compile(r"^ {4}\S")
# gdb/corelow.c, core_target_open: the thread that the core's first note is of.
_CURRENT = re.compile(r"^\[Current thread is (\d{1,9}) \(", re.MULTILINE)


def _read(document: Document) -> Analysis:
    """The longest stack without a thread's header is the one that gdb stopped in; the outer end
    of one (``bt -12``) is kept beside it. Where all have one: the stack with a signal's handler."""
    read = read_stacks(document)
    stacks = [fact for fact in read.facts if isinstance(fact, Stack)]
    bare = [stack for stack in stacks if stack.number is None]
    longest = max(bare, key=lambda s: (s.frames[0].index == 0, len(s.frames)), default=None)
    kept = [
        s if s.number is not None or s is longest else replace(s, current=False)
        for s in stacks
        if s.number is not None or s is longest or s.frames[0].index > 0
    ]
    among = longest and _among(document, longest, kept)
    if longest and among:
        kept.remove(longest)
        longest = among
    if longest is None and kept:
        ended = (at for at, s in enumerate(kept) if any(f.signal_handler for f in s.frames))
        at = next(ended, 0)
        kept[at] = replace(kept[at], current=True)
    if not kept:
        kept = _stopped_in(document)
    facts: list[AnyFact] = [
        replace(stack, current=True) if stack is longest else stack for stack in kept
    ]
    facts += [fact for fact in read.facts if isinstance(fact, StackGroups)]
    facts += read_registers(document).facts
    facts += read_threads(document).facts
    facts += read_owners(document)
    facts += read_modules(document)
    first = next((line.strip() for line in document.text.split("\n") if line.strip()), "")
    return Analysis(first[:160] or "No output", tuple(facts), read.findings)


def _among(document: Document, shown: Stack, stacks: list[Stack]) -> Stack | None:
    """The thread whose stack begins as the one that gdb showed where it opened the core."""
    top = [replace(frame, line_no=0, inlined=False, file_lines=None) for frame in shown.frames]
    alike = [
        stack
        for stack in stacks
        if stack.number is not None
        and top
        == [
            replace(frame, line_no=0, inlined=False, file_lines=None)
            for frame in stack.frames[: len(top)]
        ]
    ]
    if len(alike) > 1:
        named = {int(number) for number in _CURRENT.findall(document.text)}
        alike = [stack for stack in alike if {stack.number} == named]
    return alike[0] if len(alike) == 1 else None


def _stopped_in(document: Document) -> list[Stack]:
    """The one frame that gdb shows when the program stops, where no backtrace was asked for: of
    several stops the last."""
    lines = document.numbered()
    last: list[Stack] = []
    for at, (_, line) in enumerate(lines[:50_000]):
        if not _STOPPED.match(line[:400]):
            continue
        for below, (number, text) in enumerate(lines[at + 1 : at + 8], at + 2):
            rest = (line for _, line in lines[below : below + 4])  # a long line is broken
            text = " ".join((text, *map(str.strip, takewhile(_BROKEN.match, rest))))
            if _AT_STOP.match(text[:4096]):
                frame = parse_frame(f"#0  {text}", number)
                found = () if frame is None else (frame,)
                last = [Stack(cite=document.cite(number), frames=found, current=True)]
                break
            if not _BETWEEN.match(text[:400]):
                break
    return last


READER = Reader(_read, lambda document: document.command.partition(" ")[0] in _RUNS)
