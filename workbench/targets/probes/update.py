"""Does a failed read belong to an update: would the value have been written back to its place?"""

from collections.abc import Mapping

from workbench.targets.dump import Dump
from workbench.targets.probes.effects import StuckError
from workbench.targets.probes.stepping import Stepper

_STEPS = 24


class _WrittenBackError(Exception):
    """The address was written to."""


class _Supposing(Stepper):
    """Goes on as if the read had given zero."""

    def __init__(self, core: Dump, pc: int, registers: Mapping[str, int],
                 segments: Mapping[str, int], missing: int) -> None:  # fmt: skip
        super().__init__(core, pc, registers, segments)
        self._missing = missing

    def load(self, address: int, size: int) -> int:
        """Zero from the address that could not be read."""
        return 0 if address == self._missing else super().load(address, size)

    def put(self, address: int, value: int, size: int) -> None:
        """Raises `_WrittenBackError` for that address."""
        if address == self._missing:
            raise _WrittenBackError
        super().put(address, value, size)


def update_lines(core: Dump, pc: int, registers: Mapping[str, int],
                 segments: Mapping[str, int], address: int) -> list[str]:  # fmt: skip
    """A line that tells of the write to ``address`` which follows on the failed read at ``pc``, in
    the same function and before anything is called."""
    step = _Supposing(core, pc, registers, segments, address)
    for _ in range(_STEPS):
        at = step.pc
        try:
            insn = step.step()
        except _WrittenBackError:
            return [f"update: {at:#x} would go on to write to {address:#x}"]
        except StuckError:
            return []
        if insn.is_call or insn.is_return:
            return []
    return []
