"""WinDbg, cdb and kd: what their outputs say, whatever commands stand in one text.

The commands of a saved log are not always known (no prompts were kept, several commands were given
at once), so an output is read by its content.
"""

import re
from collections.abc import Sequence
from typing import Any

from msgspec.structs import replace

from analyzers.base import Analysis, Document, Reader
from analyzers.generic import read_first
from analyzers.sos.reader import facts_of, findings_of, said_of
from analyzers.sos.text import complexity_of as managed
from analyzers.sos.text import sos_command
from analyzers.windbg import analysis, lists
from analyzers.windbg.bugcheck import read_bugchecks
from analyzers.windbg.fault import Found
from analyzers.windbg.heap import read_heap
from analyzers.windbg.registers import Instruction, read_blocks, read_instructions
from analyzers.windbg.rpc import read_rpc
from analyzers.windbg.stacks import Listed, read_stacks, with_thread
from analyzers.windbg.text import lines_of
from analyzers.windbg.usage import read_times
from workbench.model.facts import AnyFact, Frame, Stack
from workbench.model.models import Complexity
from workbench.model.text import counted

# What every thread or process does, at once.
_MANY = re.compile(r"(?i)^~\*\s*(?:e\s*)?k|^!(?:uniqstack|stacks|findstack|process\s+0\s)")
# One stack, registers, the event, lists whose rows are read into facts.
_SETTLED = re.compile(
    r"(?i)^(?:~\d+\s*s?\s*)?(?:k[bcdflnpv]*\b|r\b|~$|lm\w*|\.(?:exr|ecxr|lastevent|bugcheck)\b"
    r"|!(?:locks|cs|critsec|deadlock|runaway|heap\s+-s)\b)"
)


def complexity_of(document: Document) -> Complexity:
    """Of a command of SOS as SOS declares it; what no reader knows is moderate."""
    command = document.command[:200].strip()
    if _MANY.match(command):
        return Complexity.COMPLEX
    if sos_command(document) is not None:
        return managed(document)
    return Complexity.SIMPLE if _SETTLED.match(command) else Complexity.MODERATE


def read(document: Document) -> Analysis:
    """All facts of the output, each with its lines."""
    lines = list(lines_of(document))
    instructions = read_instructions(lines)
    blocks = read_blocks(lines, instructions)
    listed = read_stacks(document, lines)
    fault = Found(document, lines, blocks, instructions, [one.stack for one in listed])
    source, place = analysis.read_source(document, lines)
    stacks = [_completed(one, fault, place) for one in listed]
    facts: list[AnyFact] = [
        *fault.facts,
        *stacks,
        *_alone(document, fault, stacks),
        *source,
        *lists.read_process(document, lines, _wide(fault, instructions)),
        *lists.read_managed(document, lines),
        *(managed := facts_of(document)),
        *read_bugchecks(document, lines),
        *read_heap(document, lines),
        *lists.read_locks(document, lines),
        *read_times(document, lines),
        *read_rpc(document, lines),
        *analysis.read_messages(document, lines),
        *lists.read_threads(document, lines),
        *lists.read_modules(document, lines),
        *analysis.read_buckets(document, lines),
    ]
    if managed and not (fault.facts or stacks):
        return Analysis(said_of(managed), tuple(facts), findings_of(managed))
    return Analysis(_summary(document, fault, stacks), tuple(facts))


def _completed(listed: Listed, fault: Found, place: analysis.Place) -> Stack:
    """The exception's stack with its thread and, for its innermost frame, the source line that the
    debugger names apart from the stack. A stack that begins elsewhere is not the exception's."""
    stack = listed.stack
    if not stack.current or fault.record is None or not stack.frames:
        return stack
    if not listed.analyzed and not _begins_at(stack.frames[0], fault):
        known = fault.symbol is not None and fault.symbol.function is not None
        return replace(stack, current=stack.current and not known)
    stack = with_thread(stack, fault.thread, fault.pc)
    first = stack.frames[0]
    if first.function is None and first.module is None and fault.symbol is not None:
        # !analyze could not walk the stack, but FAULTING_IP has the name.
        first = replace(first, **_named(fault))
        stack = replace(stack, frames=(first, *stack.frames[1:]))
    if place.file and place.line and first.file is None and first.index == 0 and first.function:
        lines = (place.first, place.last)
        first = replace(first, file=place.file, line=place.line, file_lines=lines)
        stack = replace(stack, frames=(first, *stack.frames[1:]))
    return stack


def _named(fault: Found) -> dict[str, Any]:
    symbol = fault.symbol
    if symbol is None or symbol.function is None or not fault.symbol_line:
        return {}
    said = {
        name: getattr(symbol, name) for name in ("function", "module", "offset", "file", "line")
    }
    return {**said, "trust": "symbols", "line_no": fault.symbol_line}


def _alone(document: Document, fault: Found, stacks: Sequence[Stack]) -> list[Stack]:
    """The one frame that the debugger names where the output shows no stack of the exception."""
    named = _named(fault)
    if not named or fault.record is None or any(stack.current for stack in stacks):
        return []
    frame = Frame(index=0, address=fault.pc, **named)
    return [
        Stack(
            cite=document.cite(fault.symbol_line),
            thread=fault.thread,
            frames=(frame,),
            current=True,
            complete=False,
        )
    ]


def _begins_at(frame: Frame, fault: Found) -> bool:
    """True when a frame is where the exception was raised."""
    symbol = fault.symbol
    if frame.address is not None and frame.address == fault.pc:
        return True
    return (
        symbol is not None
        and symbol.function is not None
        and ((frame.function, frame.offset or 0) == (symbol.function, symbol.offset or 0))
    )


def _wide(fault: Found, instructions: Sequence[Instruction]) -> bool | None:
    """True for 64-bit code, by the registers or else by where code lies."""
    for registers in fault.registers:
        return not any(register.name == "eip" for register in registers.values)
    return True if any(one.address >> 32 for one in instructions) else None


def _summary(document: Document, fault: Found, stacks: Sequence[Stack]) -> str:
    record = fault.record
    if record is not None:
        name = record.name or "exception"
        top = next((s.frames[0].function for s in stacks if s.current and s.frames), None)
        return f"{name} ({record.code:08x})" + (f" in {top[:80]}" if top else "")
    if len(stacks) > 1:
        return f"Stacks of {counted(len(stacks), 'thread')}"
    if stacks:
        count = len(stacks[0].frames)
        top = stacks[0].frames[0].function or "??"
        return f"{count} frame{'' if count == 1 else 's'} from {top[:80]}"
    return read_first(document).summary


READER = Reader(read, level=complexity_of)
