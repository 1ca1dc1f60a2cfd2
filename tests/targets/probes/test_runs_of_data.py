"""What is told from memory to be a run of data."""

import struct

import pytest

from workbench.targets.probes.malloc.memory import Span, run_over


class _Memory:
    little_endian = True

    def __init__(self, data: bytes) -> None:
        self.data = data

    def read(self, address: int, size: int) -> bytes:
        return self.data[address : address + size]


@pytest.mark.parametrize(("copies", "is_run"), [(2, False), (3, False), (4, True), (9, True)])
def test_a_pointer_that_is_kept_twice_is_no_run(copies: int, is_run: bool) -> None:
    data = struct.pack("<4Q", 1 << 40, 3 << 41, 5 << 42, 7 << 40)
    data += struct.pack("<Q", 0x7F94D2227FD0) * copies + struct.pack("<2Q", 9 << 40, 11 << 41)
    run = run_over(Span(_Memory(data), 0, len(data)), 32 + 8)  # type: ignore[arg-type]
    assert (run is not None) is is_run
