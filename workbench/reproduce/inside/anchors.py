"""Inside gdb: one run's addresses as those of another, where address randomisation moves them.

Linux moves four things, each as a whole (fs/binfmt_elf.c, mm/util.c): the image, the heap behind
the break, what mmap gives, and the stack. A program that does the same in two runs has the same
thing at the same distance from its anchor in both.
"""

# gdb's modules have no types here, and this file is no part of our process.
# mypy: ignore-errors

import re
from pathlib import Path

import gdb
from inside.stacks import number, quiet

_IMAGE, _HEAP, _MAPPED, _STACK = 1 << 30, 1 << 36, 1 << 42, 1 << 27


def auxiliary(name):
    """A value of the auxiliary vector (getauxval(3)) by its name; 0 where it is not told."""
    found = re.search(rf"{name}\s.*?(0x[0-9a-f]+)", quiet("info auxv"))
    return int(found[1], 16) if found else 0


def of_process():
    """Where the image's entry, the break, the loader and the stack are, at the program's entry."""
    fields = Path(f"/proc/{gdb.selected_inferior().pid}/stat").read_text().rpartition(")")[2]
    start_brk = int(fields.split()[44])  # field 47 of proc_pid_stat(5), counted behind the name
    return [auxiliary("AT_ENTRY"), start_brk, auxiliary("AT_BASE"), number("$rsp")]


class Anchors:
    """Between the run whose anchors are ``then`` (none: this one) and the one that has ``now``."""

    def __init__(self, now, then):
        self.now, self.then = now, then or now
        self.moved = self.now != self.then

    def there(self, address):
        """The address in this run."""
        return _shifted(address, self.then, self.now) if self.moved else address

    def back(self, address):
        """The address in the run before."""
        return _shifted(address, self.now, self.then) if self.moved else address

    def asked(self, request):
        """A request's addresses, as this run has them."""
        entries = (one["entry"] for one in request["cells"] if one["entry"])
        for one in (*request["cells"], *request["points"], *entries):
            for name in ("address", "back"):
                if one.get(name):
                    one[name] = self.there(one[name])
        for name in ("blocks", "late", "pages", "locks"):
            request[name] = [self.there(one) for one in request[name]]
        for name in ("address", "start", "mask") if request["lookup"] else ():
            request["lookup"][name] = self.there(request["lookup"][name])
        request["until"] = self.there(request["until"])

    def told(self, value):
        """What a run showed, in the addresses of the run before: of any shape."""
        if isinstance(value, dict):
            return {
                key: self._stack(one) if key == "stack" else self.told(one)
                for key, one in value.items()
            }
        if isinstance(value, list):
            return [self.told(one) for one in value]
        return self.back(value) if isinstance(value, int) and value > 1 << 16 else value

    def _stack(self, text):
        raw = bytes.fromhex(text)
        words = (raw[at : at + 8] for at in range(0, len(raw), 8))
        return b"".join(
            self.back(int.from_bytes(word, "little")).to_bytes(len(word), "little")
            for word in words
        ).hex()


def _shifted(address, source, target):
    entry, heap, loader, stack = source
    for at, low, high in (
        (1, heap, heap + _HEAP), (0, max(entry - _IMAGE, 1), heap),
        (3, stack - _STACK, 1 << 47), (2, loader - _MAPPED, stack - _STACK),
    ):  # fmt: skip
        if source[at] and target[at] and low <= address < high:
            return address - source[at] + target[at]
    return address


NONE = [0] * 4
"""Of a replay: whatever it shows is where it was."""
LAST = Anchors(NONE, None)
"""Those of the run that is on, or was last."""
