"""Small programs, one cause each, and what an investigation of each must find."""

from tests.samples.case import Case
from tests.samples.ends import ARITHMETIC, DELIBERATE, OUTSIDE
from tests.samples.hangs import HANGS
from tests.samples.memory import FREED, NO_STACK_LEFT, NULL, OVERWRITTEN, STRAYED
from tests.samples.proofs import BESIDE, FAILED, GIVEN_BACK, OTHER_TYPE, TABLES, UNSET, WAITING
from tests.samples.resources import LIBRARIES, MEMORY, PROCESSORS

__all__ = ["CASES", "Case"]

CASES: tuple[Case, ...] = (
    *NULL,
    *FREED,
    *OVERWRITTEN,
    *STRAYED,
    *NO_STACK_LEFT,
    *ARITHMETIC,
    *DELIBERATE,
    *OUTSIDE,
    *HANGS,
    *UNSET,
    *TABLES,
    *FAILED,
    *GIVEN_BACK,
    *WAITING,
    *BESIDE,
    *OTHER_TYPE,
    *MEMORY,
    *LIBRARIES,
    *PROCESSORS,
)
