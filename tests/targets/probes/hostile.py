"""Cores that lie: a real one with damaged memory and registers, and one of random bytes."""

import random

from msgspec.structs import replace

from workbench.model.facts import Region
from workbench.targets.core import CoreFile, CoreThread
from workbench.targets.probes.x86 import FAMILY

FAMILY_NAMES = sorted(set(FAMILY.values()) - {"rip", "rsp"})
_WORDS = (0, 1, 0x41, 0x21, 0x291, 0x4141414141414141, (1 << 64) - 1, 1 << 47, 0x7FFFFFFFFFFF, 0x10)


class DamagedCore:
    """A core whose writable memory and registers were changed here and there."""

    def __init__(self, core: CoreFile, seed: int, rate: float) -> None:
        self._core = core
        self._random = random.Random(seed)
        self._damage: dict[int, bytes] = {}
        self.threads = tuple(self._thread(thread) for thread in core.threads)
        for region in core.regions:
            if "w" in region.perms and region.kind != "file":
                self._spoil(region, rate)

    def __getattr__(self, name: str) -> object:
        return getattr(self._core, name)

    def _thread(self, thread: CoreThread) -> CoreThread:
        registers = dict(thread.registers)
        for name in self._random.sample(sorted(registers), 3):
            registers[name] = self._word()
        pc, sp = thread.pc, thread.sp
        if self._random.random() < 0.3:
            pc = self._word()
        if self._random.random() < 0.3:
            sp = self._word()
        return replace(thread, registers=registers, pc=pc, sp=sp)

    def _word(self) -> int:
        choice = self._random.random()
        if choice < 0.4:
            return self._random.choice(_WORDS)
        if choice < 0.8:
            region = self._random.choice(self._core.regions)
            return self._random.randrange(region.start, region.end) & ~7
        return self._random.getrandbits(64)

    def _spoil(self, region: Region, rate: float) -> None:
        size = min(region.end - region.start, 1 << 18)
        low = region.start if self._random.random() < 0.5 else max(region.start, region.end - size)
        for _ in range(max(1, int(size // 8 * rate))):
            at = low + self._random.randrange(0, size) // 8 * 8
            self._damage[at] = self._word().to_bytes(8, "little")

    def read(self, address: int, size: int) -> bytes | None:
        raw = self._core.read(address, size)
        if not raw:
            return raw
        first = address & ~7
        if size > 1 << 16:
            hits = [at for at in self._damage if first <= at < address + size]
        else:
            hits = [at for at in range(first, address + size, 8) if at in self._damage]
        if not hits:
            return raw
        patched = bytearray(raw)
        for at in hits:
            for offset, byte in enumerate(self._damage[at]):
                if 0 <= at + offset - address < size:
                    patched[at + offset - address] = byte
        return bytes(patched)

    def read_word(self, address: int) -> int | None:
        raw = self.read(address, 8)
        return None if raw is None else int.from_bytes(raw, "little")

    def read_cstring(self, address: int, limit: int = 4096) -> bytes | None:
        for size in (limit, 256, 16, 1):
            raw = self.read(address, size)
            if raw is not None:
                return raw.split(b"\0", 1)[0]
        return None


class RandomCore:
    """A core of one module-less process: code, heap and stack of random bytes."""

    path = None
    size = 0
    arch = "x86_64"
    bits = 64
    little_endian = True
    siginfo = None
    modules: tuple[object, ...] = ()
    program = None
    auxv: dict[int, int] = {}

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self._blocks = {
            start: self._bytes(size)
            for start, size in ((0x400000, 0x2000), (0x800000, 0x8000), (0x7FFF00000000, 0x8000))
        }
        kinds = (("r-x", "file"), ("rw-", "heap"), ("rw-", "stack"))
        self.regions = tuple(
            Region(
                start=start,
                end=start + len(data),
                perms=perms,
                path="/x" if kind == "file" else None,
                offset=0,
                kind=kind,
                thread=1 if kind == "stack" else None,
                dumped=True,
            )
            for (start, data), (perms, kind) in zip(self._blocks.items(), kinds, strict=True)
        )
        names = [*FAMILY_NAMES, "orig_rax"]
        self.threads = tuple(
            CoreThread(
                tid=tid,
                registers={name: self._word() for name in names},
                signal=self._random.choice((0, 6, 11)) if tid == 1 else 0,
                fs_base=self._word(),
                pc=self._word(),
                sp=self._word(),
            )
            for tid in (1, 2, 3)
        )
        for thread in self.threads:
            thread.registers["rsp"] = thread.sp or 0
            if self._random.random() < 0.5:
                thread.registers["orig_rax"] = 202
                thread.registers["rsi"] = self._random.choice((0, 0x80, 0x189))

    def _bytes(self, size: int) -> bytes:
        style = self._random.random()
        if style < 0.3:
            return self._random.randbytes(size)
        if style < 0.5:
            return bytes([self._random.randrange(256)]) * size
        words = [self._word(cold=True).to_bytes(8, "little") for _ in range(64)]
        return b"".join(self._random.choice(words) for _ in range(size // 8))

    def _word(self, cold: bool = False) -> int:
        if not cold and self._random.random() < 0.7:
            start, data = self._random.choice(list(self._blocks.items()))
            return start + self._random.randrange(len(data)) // 8 * 8
        if self._random.random() < 0.6:
            return self._random.choice((*_WORDS, 0x20, 0x31, 0x800010, 0x800000, 0x400100))
        return self._random.getrandbits(64)

    def region(self, address: int) -> Region | None:
        return next((r for r in self.regions if r.start <= address < r.end), None)

    def read(self, address: int, size: int) -> bytes | None:
        region = self.region(address)
        if region is None or size < 0 or address + size > region.end:
            return None
        at = address - region.start
        return self._blocks[region.start][at : at + size]

    def number(self, address: int, size: int) -> int | None:
        raw = self.read(address, size)
        return None if raw is None else int.from_bytes(raw, "little")

    def read_word(self, address: int) -> int | None:
        return self.number(address, 8)

    def read_cstring(self, address: int, limit: int = 4096) -> bytes | None:
        raw = self.read(address, 16)
        return None if raw is None else raw.split(b"\0", 1)[0]

    def module_at(self, address: int) -> None:
        return None

    def symbol(self, module: str, name: str) -> None:
        return None

    def symbolize(self, address: int) -> None:
        return None
