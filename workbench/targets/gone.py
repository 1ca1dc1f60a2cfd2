"""The reader of a target that is no longer there."""

from collections.abc import Sequence

from workbench.model.evidence import Section
from workbench.targets.errors import ProbeError


class GoneReader:
    """Answers nothing; what was read before is evidence."""

    size = 0

    def answer(self, probe: str) -> str:
        """Raises `ProbeError`."""
        raise ProbeError("the target is gone")

    def sections(self) -> Sequence[Section]:
        """None."""
        return ()

    def close(self) -> None:
        """Nothing is open."""
