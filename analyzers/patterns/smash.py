"""Buffers on the stack that were written past their end."""

import itertools
import re

from analyzers.patterns import commands, messages, signs
from analyzers.patterns.case import Case
from analyzers.patterns.cause import RAN_OUT, Cause, Open, Proof, Rival, at_frame, of_fault
from analyzers.patterns.frames import has_libraries, is_application, located
from analyzers.patterns.heap_overflow import bounds_of, off_the_end
from analyzers.patterns.refused import (
    ADVICE,
    canary_frame,
    checked_call,
    destination,
    fortified,
    on_stack,
)
from analyzers.patterns.stated import accessed, copied, passed, stopped
from analyzers.patterns.words import Cites, in_frame, of
from workbench.claims.say import say
from workbench.model.category import Category
from workbench.model.claims import Claim
from workbench.model.evidence import Command
from workbench.model.facts import Argument, Fault, Frame, Locals, Region, StackShape, Typed
from workbench.model.hypothesis import Rung

_LETTER = re.compile(r"\\[0-7]{3}|\\.|.")
_PART = re.compile(
    r'"((?:\\.|[^"\\])+)"|' + rf"'(?:{_LETTER.pattern})' <repeats (\d{{1,9}}) times>"
)
"""What gdb prints of an array of characters, a comma between them (gdb/valprint.c)."""
_NAME = re.compile(r"[A-Za-z_]\w{0,60}")


def _returning(case: Case) -> Frame | None:
    """The function whose return failed: it still runs at a non-canonical one."""
    fault = signs.bad_return(case)
    return case.frame if fault is not None and fault.mnemonic is not None else None


def _returned_from(case: Case) -> Frame | None:
    """The function whose return went astray; after any other than a non-canonical one its callees'
    return addresses stand below the stack pointer."""
    if (frame := _returning(case)) is not None:
        return frame
    for frame in case.shape.below if case.shape is not None and has_libraries(case.memory) else ():
        if is_application(frame, case.memory, case.process):
            return located(frame, case.memory)
    return None


def _last_named(case: Case) -> Frame | None:
    """The function of the debugger's walk behind which no other is known: it has nowhere to return
    to."""
    named = [*itertools.takewhile(lambda frame: frame.function is not None, case.frames)]
    return named[-1] if 0 < len(named) < len(case.frames) else case.frame


def _filled(case: Case) -> list[Claim]:
    """The filler that covers return addresses."""
    shape = case.shape
    if shape is None or not shape.smashed or shape.smash_word is None:
        return []
    return [say("stack", of(shape), state="smashed", thread=shape.thread, word=shape.smash_word)]


def _walked(case: Case) -> tuple[Fault, Region] | None:
    """The fault, when a write ran off the upper end of a stack, and that stack's mapping."""
    found = off_the_end(case, "stack")
    return found if found is not None and found[0].access == "write" else None


def _smashed(case: Case) -> bool:
    return messages.says(case, messages.STACK_SMASHING) or canary_frame(case) is not None


def _shaped(case: Case) -> StackShape | None:
    return case.shape if case.shape is not None and case.shape.smashed else None


def _likely(case: Case) -> float | None:
    """How likely it is, where the runtime or the stack itself shows an overwritten frame."""
    if _smashed(case) or signs.bad_return(case) or signs.restored_text(case) or _walked(case):
        return 0.9
    return 0.5 if _shaped(case) or fortified(case) else None


def _ask(case: Case) -> tuple[Command, ...]:
    """Where a refused call was to write; else what stands on the stack."""
    if fortified(case):
        return commands.call(case, case.listed)
    asked: tuple[Command, ...] = ()
    if (_smashed(case) or _returning(case)) and (array := _array(case)) is not None:
        text = f"frame apply level {array[0].index} -q whatis {array[1]}"
        asked = (Command(text, "how large the array is"),)
    if signs.bad_return(case) is not None and case.fault is not None:
        asked += commands.words(case, case.fault.stack_pointer, "what was written on the stack", 8)
    return asked


def _guarded(case: Case, _: object) -> Frame | None:
    """The function whose guard word changed."""
    canary = canary_frame(case)
    return case.caller_of(canary) if canary is not None else case.frame


def _array(case: Case) -> tuple[Frame, str, str, Locals] | None:
    """The only array among the variables of the function whose guard word changed, or whose return
    failed, and its text."""
    frame = _guarded(case, None) if _smashed(case) else _returning(case)
    found = [
        (frame, one.name, one.value, listed)
        for listed in case.facts.all(Locals)
        if frame is not None and listed.frame == frame.index
        for one in listed.variables
        if one.value.startswith(("{", '"', "'"))
    ]
    texts = (
        len(found) == 1
        and not _PART.sub("", found[0][2]).strip(", ")
        and _NAME.fullmatch(found[0][1])
    )
    return found[0] if texts else None


def _filled_up(case: Case) -> list[Claim]:
    """That array, where its last byte was written too: no zero ends its text."""
    if (array := _array(case)) is None:
        return []
    frame, name, text, listed = array
    parts = _PART.findall(text)
    length = sum(int(times or 0) or len(_LETTER.findall(letters)) for letters, times in parts)
    return [
        say("value", (*of(listed), *of(one)), expression=name, value=text)
        for one in case.facts.all(Typed)
        if (one.frame, one.expression) == (frame.index, name) and one.type.endswith(f"[{length}]")
    ]


def _filler(case: Case, fault: Fault) -> float:
    target = fault.operand if fault.operand is not None else fault.pc
    return 0.9 if signs.text_in(target) or _shaped(case) else 0.85


def _on_stack(case: Case) -> Argument | None:
    """Where a refused call was to write, on a stack."""
    return on_stack(case, destination(case)) if fortified(case) else None


def _of_shape(case: Case, _: object) -> Cites:
    return of(case.shape)


STACK_BUFFER_OVERFLOW = Cause(
    Category.STACK_BUFFER_OVERFLOW,
    "A canary that changed, a return address that was overwritten, a write off the stack.",
    statement="A write ran past the end of an array on the stack.",
    sign=_likely,
    tests=lambda case, _: (
        *at_frame(case), *commands.registers(case.listed if fortified(case) else None),
        Command("@stack", "whether return addresses were overwritten")),
    cites=lambda case, _: messages.cites(case) + of(case.fault) + of(case.shape),
    ask=_ask,
    findings=(
        RAN_OUT,
        Proof(_smashed,
              "The guard word between the function's arrays and its return address changed.", 0.95,
              Rung.STRUCTURE,
              told=lambda case, _: [
                  *_filled_up(case),
                  *(stopped(case) if messages.says(case, messages.STACK_SMASHING)
                    else in_frame(case.stack, canary_frame(case))),
              ], support=lambda case, _: case.cite(canary_frame(case)) + of(case.fault),
              frame=_guarded, advice=ADVICE),
        Proof(signs.bad_return,
              "A return took an address from the stack that no call had put there.", _filler,
              how="return",
              told=lambda case, fault: [*_filled_up(case), *accessed(case, fault), *copied(fault),
                                        *_filled(case)], support=_of_shape,
              frame=lambda case, _: _returned_from(case), advice=ADVICE),
        Proof(signs.restored_text,
              "The stack pointer that a function restored from its stack is data.", 0.88,
              how="pointer",
              told=lambda case, fault: [
                  say("told", of(fault), how="text-value", number=fault.stack_pointer),
                  *accessed(case, fault),
              ], support=_of_shape, advice=ADVICE),
        Proof(_walked, "The write ran upwards through every frame to the stack's end.", 0.9,
              how="top",
              told=lambda case, walked: [*accessed(case, walked[0]), *bounds_of(case, walked[1])],
              support=_of_shape, advice=ADVICE),
        Proof(_on_stack, "A fortified function refused to write past an array on the stack.", 0.92,
              Rung.STRUCTURE, "refused",
              lambda case, argument: [*passed(argument, region=True), *stopped(case)],
              lambda case, _: case.cite(checked_call(case)), advice=ADVICE),
        Rival(lambda case: destination(case) if fortified(case) else None,
              "The destination does not lie on a stack."),
        Open(fortified, "A fortified function refused to write past its destination; where that "
             "lies is not known.", 0.45, Rung.TEXT, support=lambda case, _: messages.cites(case),
             missing="the destination's address: the caller's registers at the call"),
        Proof(lambda case: shape if (shape := _shaped(case)) and shape.smash_word else None,
              "Filler stands where return addresses belong.", 0.82, Rung.STRUCTURE, "shape",
              lambda case, _: _filled(case), of_fault,
              frame=lambda case, _: _last_named(case), advice=ADVICE),
        Open(_shaped, "Return addresses on the stack look overwritten.", 0.4, Rung.STRUCTURE,
             support=_of_shape, missing="the write that did it"),
    ),
    absent="No return address on the stack was overwritten.",
    unseen=lambda case: of(case.shape) + of(case.fault),
)  # fmt: skip
