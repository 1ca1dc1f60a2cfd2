"""Where a fault began, as a second run under the debugger observed it."""

from enum import StrEnum

from msgspec import Struct

from workbench.model.citation import Citation
from workbench.model.claims import Claim
from workbench.model.facts import Frame


class OriginKind(StrEnum):
    """What happened at the line: one word for each way in which a later fault begins."""

    FREED = "freed"  # the block was given back while it was still to be used
    RELEASED_EARLY = "released-early"  # given back to a pool, or out of its scope
    WRITTEN = "written"  # foreign bytes were written over the cell
    TRUNCATED = "truncated"  # a value was stored that had lost its upper part
    COMPUTED = "computed"  # the wrong value was worked out and stored here
    CLEARED = "cleared"  # a good value was replaced by null
    TAKEN_OUT = "taken-out"  # out of the container in which it was looked up then
    NEVER_SET = "never-set"  # allocated here, and nothing ever wrote the cell
    ALLOCATED = "allocated"  # the block's birth: a step on the way, seldom an origin
    TOO_SMALL = "allocated-too-small"
    UNMAPPED = "unmapped"  # unmapped, moved, or made inaccessible
    RETURNED = "returned"  # a function gave back the value (null, a failure) that was used
    PASSED = "passed-wrong"  # a caller handed the value over
    UNCHECKED = "unchecked"  # the function found null, and went on to use it
    SHARED = "shared"  # copied an object with the pointer to what it owns: two release that
    READ_EARLY = "read-early"  # copied what the same call had set only afterwards
    LOCKED = "locked"
    LOOPED = "looped"  # the same code in two samples
    RECURSED = "recursed"  # the call that entered an endless recursion
    USED = "used"  # the fault itself: the last step


class Strength(StrEnum):
    """How an origin is known, the strongest first."""

    OBSERVED = "observed"  # a run of the program did it under the debugger
    SHOWN = "shown"  # verified statements of the dump and the source lead to it
    SAID = "said"  # a model names it, and nothing shows it


class OriginStep(Struct, frozen=True, kw_only=True):
    """One observed event of a run. ``function``, ``file`` and ``line`` are of the program's own
    frame nearest to it (None where it has no symbols), ``stack`` all frames, innermost first.

    ``thread`` is the debugger's number of the thread, ``address`` of the cell, block or pages that
    it happened to. ``old`` and ``new`` are what the cell held, as the debugger printed it; empty
    where no cell was watched. ``left`` is true where nothing was given back: the object lay in the
    function's frame, which was left; ``owner`` where it was freed or moved what owned the memory
    that was used later, which another released by the owner's old address. ``evidence`` cites the
    stored output that shows it.
    """

    kind: OriginKind
    function: str | None
    file: str | None
    line: int | None
    evidence: tuple[Citation, ...]
    thread: int | None = None
    address: int | None = None
    stack: tuple[Frame, ...] = ()
    old: str = ""
    new: str = ""
    left: bool = False
    owner: bool = False


class Origin(OriginStep, frozen=True, kw_only=True):
    """The step that caused the fault. ``steps`` are all that the run saw of the same cell or block,
    in the order in which they happened, the use that failed last; ``expression`` is the source's
    name of what was watched (``entry->next``), empty where it has none. ``runs`` counts the runs
    that it took, ``forced`` is true where a thread was held so that others came first.
    ``chain`` are verified statements that lead from the fault
    to the step; empty where the runs' evidence does not connect the two."""

    steps: tuple[OriginStep, ...] = ()
    expression: str = ""
    runs: int = 0
    forced: bool = False
    chain: tuple[Claim, ...] = ()

    @property
    def strength(self) -> Strength:
        """Of an origin that is in a conclusion; what a model alone says is ``SAID``."""
        return Strength.OBSERVED if self.runs else Strength.SHOWN
