"""Inside gdb: what the watches of one run saw."""

# gdb's modules have no types here, and this file is no part of our process.
# mypy: ignore-errors
# ruff: noqa: D102, T201, BLE001

import re
import struct

import gdb
from inside.lookups import held
from inside.stacks import (
    copying,
    deleting,
    frames,
    memory,
    number,
    of_frame,
    owning,
    passing,
    registers,
    stack_bytes,
    untyped,
)

KEPT, MOST_EVENTS = 48, 400
WALKED = 8_000
"""Frames of a watch's hits that are looked at in a run; the stack is most of what a hit costs."""
FARTHEST = 1 << 30
"""Bytes that an address lies at most behind the start of the block that holds it."""
SMALLEST, LARGE, MOST = 24, 1 << 17, 512
"""Bytes that a block has at least (glibc's MINSIZE without the word of the size), rarely more than,
and of it that are told."""
WIDEST = 64
"""Bytes that one instruction writes (AVX-512)."""


class Events:
    """What was seen, in order; of each watch its first and last ones, and those before what is
    bound (``before``, by its watch the number of its hit)."""

    def __init__(self, skip, before, lookup=None):
        self.lookup = lookup  # what may be held where a count is written
        self.count, self.rows, self.totals, self.walked, self.skip = 0, {}, {}, {}, skip
        self.before, self.kept = before, {}

    def passes(self, watch):
        """True for a hit that is only counted: of what is met very often the last times matter, and
        which those are is known to the next run (``skip``)."""
        total, walked = self.totals.get(watch, 0), self.walked.get(watch, 0)
        if total >= self.skip[watch] if watch in self.skip else walked < WALKED:
            return False
        self.count, self.totals[watch] = self.count + 1, total + 1
        return True

    def add(self, watch, kind, snapshot=False, behind=False, counted=True, **rest):
        """A hit that is not ``counted`` has the number of the one before."""
        self.count += 1
        rows = self.rows.setdefault(watch, [])
        total = self.totals[watch] = self.totals.get(watch, 0) + counted
        row = {"order": self.count, "watch": watch, "kind": kind, "nth": total, **rest}
        row["thread"] = gdb.selected_thread().num if gdb.selected_thread() else 0
        row["frames"] = frames(behind)
        self.walked[watch] = self.walked.get(watch, 0) + len(row["frames"])
        if snapshot:
            row["registers"] = values = registers()
            row["untyped"] = untyped()
            copied = copying(behind, rest.get("new") == 0)
            handed = [*deleting(), *passing(kind == "alloc")] if watch == "block" else ()
            row["made"] = [*handed, *copied]
            row["owned"] = owning() if watch == "block" and kind != "alloc" else []
            row["gives"] = untyped(gives=True) if kind == "alloc" else []
            row["stack"] = stack_bytes(values["rsp"]).hex()
            if self.lookup is not None and watch == "N":
                row["held"] = held(self.lookup)
        rows.append(row)
        if self.before.get(watch) == total:
            self.kept = {name: len(known) for name, known in self.rows.items()}
        low = self.kept.get(watch, 0)
        if len(rows) - low > (KEPT if snapshot else MOST_EVENTS):
            del rows[low + 8 if snapshot else (low + len(rows)) // 2]

    def ordered(self):
        return sorted((row for rows in self.rows.values() for row in rows),
                      key=lambda row: row["order"])  # fmt: skip


def _saves_registers():
    """Whether the instruction that just ran saved registers, or took them back, in a frame as the
    loader's is that binds a name: which of them are written depends on what the processor was
    doing, so that no number counts on such hits. ld.so mostly comes without names."""
    pc = number("$pc")
    if pc not in _SAVES:
        _SAVES[pc] = _SAVING.match(memory(pc - 5, 5)) is not None
    return _SAVES[pc]


_SAVES = {}
"""By where a program stood."""
_SAVING = re.compile(rb"\x0f(?:\xae[\x44\x4c\x64\x6c]|\xc7\x64)\x24", re.DOTALL)
"""FXSAVE, FXRSTOR, XSAVE, XRSTOR and XSAVEC of an area near the stack pointer (Intel SDM 1, 13.2;
glibc, sysdeps/x86_64/dl-trampoline.h)."""


class Cell(gdb.Breakpoint):
    """A hardware watchpoint that never stops. Of those that one instruction writes gdb names one:
    it looks at the others ``beside`` it too."""

    def __init__(self, name, address, size, events, most, access, beside):
        kind = {1: "unsigned char", 2: "unsigned short", 4: "unsigned int"}.get(
            size, "unsigned long"
        )
        super().__init__(f"*({kind} *){address:#x}", gdb.BP_WATCHPOINT,
                         gdb.WP_ACCESS if access else gdb.WP_WRITE, internal=True)  # fmt: skip
        self.wb, self.last = (name, address, size, events, most), memory(address, size)
        self.reads, self.beside = access, beside

    def stop(self):
        over = self.seen()
        for other in self.beside:
            if isinstance(other, Cell) and other is not self and other.is_beside(self.wb[1]):
                over = other.seen(beside=True) or over
        return over

    def is_beside(self, address):
        """Whether one instruction may have written both: what changed farther away was another
        thread's, whose own stop will tell of it."""
        return not self.reads and self.last is not None and abs(self.wb[1] - address) < WIDEST

    def seen(self, beside=False):
        name, address, size, events, most = self.wb
        now = memory(address, size)
        if self.last is not None and not self.reads and now == self.last:
            return False  # told already
        if beside and self.last == b"" and not any(now):
            return False  # its page has come since, which begins as zeros
        saves = _saves_registers()
        if not saves and events.passes(name):
            self.last = None  # not known any more
            return events.totals[name] >= most
        old, self.last = self.last, now
        try:
            # A watch that also tells of reads does not say which it was.
            kind = "access" if self.reads and now == old else "write"
            events.add(name, kind, True, True, not saves, address=address, size=size,
                       old=int.from_bytes(old, "little") if old else None,
                       new=int.from_bytes(now, "little") if now else None)  # fmt: skip
        except Exception as error:
            print(f"a hit on {name} could not be read: {error}")
        return events.totals.get(name, 0) >= most


class Point(gdb.Breakpoint):
    """A breakpoint at an address that never stops; of the calls that come back to ``back`` if it
    is given, with the registers at the hit."""

    def __init__(self, name, address, events, most, back):
        super().__init__(f"*{address:#x}", internal=True)
        self.wb = (name, address, events, most, back)

    def stop(self):
        name, address, events, most, back = self.wb
        if back and int.from_bytes(memory(number("$rsp"), 8), "little") != back:
            return False
        if events.passes(name):
            return events.totals[name] >= most
        try:
            known = of_frame(gdb.newest_frame(), 0, name) if name in "LMU" else []
            events.add(name, "point", True, False, address=address, variables=known)
        except Exception as error:
            print(f"a hit on {name} could not be read: {error}")
        return events.totals.get(name, 0) >= most


class Block(gdb.Breakpoint):
    """A breakpoint at an address that never stops; of the blocks of malloc in ``register`` that
    hold one of the addresses ``held``, in order. (A condition of gdb's own takes several times as
    long, and a program asks malloc for much.)"""

    def __init__(self, kind, address, register, events, held):
        super().__init__(f"*{address:#x}", internal=True)
        self.wb = (kind, register, events, held)

    def stop(self):
        kind, register, events, held = self.wb
        at = int(gdb.newest_frame().read_register(register)) & 0xFFFFFFFFFFFFFFFF
        if not max(held[0] - FARTHEST, 4096) < at <= held[-1]:
            return False
        word = int.from_bytes(memory(at - 8, 8), "little")
        # One that was mapped has both words; a damaged header's block is as large as the smallest.
        size = max((word & ~7) - (16 if word & 2 else 8), SMALLEST)
        size = size if size <= LARGE or memory(at + size - 1, 1) else SMALLEST
        if any(at <= one < at + size for one in held):
            try:
                words = memory(at, min(size, MOST) & ~7)
                words = [one for (one,) in struct.iter_unpack("<Q", words)]
                events.add("block", kind, True, False, address=at, size=size, words=words)
            except Exception as error:
                print(f"a block could not be read: {error}")
        return False
