"""Words on a stack that look like return addresses. The code in front of most of them is not in a
minidump, so that few can be proved; what can be looked at has to end a call."""

from workbench.targets.minidump.dump import MinidumpFile
from workbench.targets.minidump.walk import is_code
from workbench.targets.probes.stack_scan import CodeMap

_PROBED = 16
_LONGEST_CALL = 8
_FRAME = 1 << 20


class MinidumpCode(CodeMap):
    """Code as far as a minidump tells."""

    def __init__(self, dump: MinidumpFile) -> None:
        super().__init__(dump)
        self._dump = dump

    def _is_returned_to(self, address: int) -> bool:
        """True for an address of code that is not known to follow anything but a call."""
        if not is_code(self._dump, address) or not address:
            return False
        module = self._dump.module_at(address)
        if module is not None and address - module.base < 0x1000:
            return False  # a module's headers
        return self._after_call(address) is not False

    def proved(self, address: int) -> bool:
        """True where the call in front of a return address is in the dump."""
        return self._after_call(address) is True

    def repeats(self, address: int, places: list[int]) -> bool:
        """Pointers to a module's data repeat as well: only those count that follow a saved frame
        pointer or a call, or that lie in memory known to be executable."""
        region = self._dump.region(address)
        if (region is not None and region.perms[2] == "x") or self.proved(address):
            return True
        size = self._dump.bits // 8
        saved = ((at, self._dump.read_word(at - size) or 0) for at in places[:_PROBED])
        return all(at < pointer <= at + _FRAME for at, pointer in saved)

    def _after_call(self, address: int) -> bool | None:
        """Whether a call ends right before an address; None where the bytes are not in the dump."""
        if self._dump.arch in ("x86_64", "i386"):
            raw = self._dump.read(address - _LONGEST_CALL, _LONGEST_CALL)
            if raw is None:
                return None
            # E8 rel32, FF /2 with register, memory, displacements (Intel SDM volume 2, CALL).
            if raw[3] == 0xE8:
                return True
            calls = (raw[n] == 0xFF and raw[n + 1] >> 3 & 7 == 2 for n in range(_LONGEST_CALL - 1))
            return any(calls)
        if self._dump.arch == "aarch64":
            raw = self._dump.read(address - 4, 4)
            if raw is None:
                return None
            insn = int.from_bytes(raw, "little")
            return insn >> 26 == 0b100101 or insn & 0xFEFFF000 == 0xD63F0000
        return None
