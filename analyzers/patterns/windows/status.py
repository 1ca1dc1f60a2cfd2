"""Exceptions whose code alone says what went wrong (ntstatus.h, delayimp.h)."""

from analyzers.patterns.cause import Cause, Proof, nothing, of_fault
from analyzers.patterns.windows.case import WindowsCase, of_record
from workbench.model.category import Category
from workbench.model.facts import ExceptionRecord

_LOAD, _METHOD = Category.LIBRARY_LOAD_FAILURE, Category.MISSING_METHOD
CODES: dict[int, Category] = {
    0xC0000135: _LOAD,
    0xC0000142: _LOAD,
    0xC000007B: _LOAD,
    0xC06D007E: _LOAD,
    0xC0000139: _METHOD,
    0xC0000138: _METHOD,
    0xC06D007F: _METHOD,
    0xC0000017: Category.OUT_OF_MEMORY,
    0xC000012D: Category.OUT_OF_MEMORY,
    0xE0000008: Category.OUT_OF_MEMORY,
    0xC0000006: Category.TRUNCATED_MAPPING,
    0xC0000417: Category.EXPLICIT_ABORT,
    0x40000015: Category.EXPLICIT_ABORT,
    0xC000001D: Category.ILLEGAL_INSTRUCTION,
    0xC0000096: Category.ILLEGAL_INSTRUCTION,
    0xC0000025: Category.UNCAUGHT_EXCEPTION,
    0xC0000264: Category.MISSED_WAKEUP,
    0xC0000194: Category.DEADLOCK,
}


def _named(category: Category) -> Cause[ExceptionRecord]:
    """The cause that an exception's code may state."""

    def stated(case: WindowsCase) -> ExceptionRecord | None:
        record = case.record
        return record if record is not None and CODES.get(record.code) is category else None

    def alone(case: WindowsCase) -> ExceptionRecord | None:
        told = category is Category.ILLEGAL_INSTRUCTION and case.fault is not None
        return None if told else stated(case)  # the instruction says more

    return Cause(
        category,
        "An exception's code that states this cause.",
        statement="The exception's code says what went wrong.",
        sign=alone,
        prior=0.88,
        tests=nothing,
        view=WindowsCase,
        findings=(
            Proof(
                stated,
                "The exception's code says so.",
                0.8,
                how=lambda _, record: f"{record.code:#010x}",
                told=lambda case, _: case.raised(),
                support=of_fault,
                advice="Find in the frame's arguments what was asked for there.",
                signal=False,
            ),
        ),
        absent="The exception is another.",
        unseen=of_record,
    )


STATUSES = tuple(_named(category) for category in dict.fromkeys(CODES.values()))
