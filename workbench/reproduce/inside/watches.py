"""Inside gdb: breakpoints, watchpoints and catchpoints, as a request names them."""

# gdb's modules have no types here, and this file is no part of our process.
# mypy: ignore-errors
# ruff: noqa: D102, SIM905

import contextlib
import ctypes
import hashlib
import re
import signal
import struct

import gdb
from inside.hits import Block, Cell, Events, Point
from inside.holds import TGKILL
from inside.stacks import memory, number, quiet

ALLOCATING = "malloc calloc realloc memalign aligned_alloc posix_memalign valloc".split()
LOCKING = {
    "pthread_mutex_lock": "lock", "pthread_mutex_trylock": "lock", "pthread_mutex_unlock": "unlock",
    "pthread_rwlock_rdlock": "lock", "pthread_rwlock_wrlock": "lock",
    "pthread_rwlock_unlock": "unlock", "pthread_spin_lock": "lock", "pthread_spin_unlock": "unlock",
}  # fmt: skip
"""What has an owner, which a semaphore has none (sem_overview(7))."""

FILLING = {
    0: ("rsi", 0), 17: ("rsi", 0), 45: ("rsi", 0), 318: ("rdi", 0), 5: ("rsi", 144),
    262: ("rdx", 144), 19: ("rsi", -1), 295: ("rsi", -1), 47: ("rsi", -2),
}  # fmt: skip
"""System calls that fill memory, of which no watchpoint tells: read, pread64, recvfrom, getrandom,
fstat, newfstatat, readv, preadv, recvmsg (x86-64); where, and how much: 0 what they return, -1
the parts of a vector, -2 those of a message (struct msghdr)."""

RANDOM = 318  # getrandom(2), x86-64
_GETRANDOM = re.compile(
    r"(?:__GI_)?(?:__)?getrandom(?:@\S+)?(?: \+ (\d+))? in section \S+(?: of /|$)"
)
_RETURN = re.compile(r"(0x[0-9a-f]+) <\+\d+>:\s+(?:repz |bnd )*ret")
MOST_RANDOM = 64
"""Calls of getrandom() that are answered in a run: each stops the program."""
MOST_BYTES = 1 << 16
"""Bytes that a seed or a key has at most."""


class Watches:
    """All of one run; ``stops`` says by a breakpoint's number what a stop at it is told as."""

    def __init__(self, request):
        self.request = request
        self.events = Events(request["skip"], request["before"], request["lookup"])
        self.notes, self.placed, self.stops = [], [], {}
        self._answered = 0

    def watch(self):
        ask = self.request
        for cell in ask["cells"]:
            self._enter_first(cell) if cell["entry"] else self._place(cell)
        for point in ask["points"]:
            with self._noting():
                self.placed.append(
                    Point(point["name"], point["address"], self.events, ask["most"], point["back"])
                )
        self._end_panics()
        if ask["until"]:
            self._break(f"break *{ask['until']:#x}", self.unwatch)
        watch = "awatch" if ask["reads"] else "watch"  # as the cells: they share its register
        late = [
            self._break(f"{watch} *(unsigned long *){word:#x}", self._begin) for word in ask["late"]
        ]
        if ask["blocks"] and not any(late):
            self._blocks(ask["blocks"])
        if ask["reads"]:
            self._break("catch syscall " + " ".join(map(str, FILLING)), self._filled)
        if ask["pages"]:
            self._break("catch syscall mmap munmap mremap mprotect shmdt", self._mapping)
        for lock in ask["locks"]:
            for function, kind in LOCKING.items():
                if at := self._address(function):
                    self._break(f"break *{at:#x} if $rdi == {lock:#x}", self._lock, kind, lock)

    def _place(self, cell):
        ask = self.request
        with self._noting():
            given = (cell["name"], cell["address"], cell["size"])
            reads = ask["reads"] and not cell["changes"]
            self.placed.append(Cell(*given, self.events, ask["most"], reads, self.placed))

    def _enter_first(self, cell):
        entry, before = cell["entry"], cell["nth"] - 1
        asked = f"*{entry['address']:#x} if *(unsigned long *)$rsp == {entry['back']:#x}"
        if self._break(f"tbreak {asked}", self._place, cell):
            quiet(f"ignore $bpnum {before}")

    @contextlib.contextmanager
    def _noting(self):
        try:
            yield
        except (gdb.error, RuntimeError) as error:
            self.notes.append(f"not watched: {error}")

    def _address(self, name):
        try:
            return number(f"(unsigned long)&{name}")
        except gdb.error:
            return 0

    def _break(self, command, handler, *given):
        try:
            text = quiet(command)
        except gdb.error as error:
            self.notes.append(str(error))
            return False
        if found := re.search(r"(?:point|Catchpoint) (\d+)", text):
            self.stops[int(found[1])] = (handler, given)
        return found is not None

    def _begin(self):
        """Breakpoints at the allocator cost more than all else where a program asks it for much."""
        for stop in [one for one, (handler, _) in self.stops.items() if handler == self._begin]:
            del self.stops[stop]
            quiet(f"delete {stop}")
        self._blocks(self.request["blocks"])

    def _blocks(self, blocks):
        """Of what the allocator gives and takes back; bound to the blocks that hold an address."""
        places = [(self._address(name), name, "rdi") for name in ("free", "realloc")]
        for name in ALLOCATING:
            if self._address(name):
                code = self._code(name)
                ends = re.findall(_RETURN, code)
                places += [(int(at, 16), "alloc", "rax") for at in ends]
        # calloc may leave through memset, whose first argument is then the block.
        own = re.compile(r"<\w*calloc\w*\+")
        for line in self._code("calloc").splitlines():
            jump = re.search(r"(0x[0-9a-f]+) <\+\d+>:\s+(?:bnd |notrack )*jmp\s+(.*)", line)
            if jump and not own.search(jump[2]):
                places.append((int(jump[1], 16), "alloc", "rdi"))
        for at, kind, register in places:
            if at:
                with self._noting():
                    self.placed.append(Block(kind, at, register, self.events, sorted(blocks)))

    def _code(self, name):
        try:
            return quiet(f"disassemble {name}")
        except gdb.error:
            return ""

    def _end_panics(self):
        if self.request["panics"]:
            with_std = self._break("tbreak std::panicking::rust_panic", self._abort)
            with_std or self._break("tbreak rust_panic", self._abort)  # its name without debug data

    def _abort(self):
        """Ends a panic where it begins, as ``-Cpanic=abort`` does: its stack is not unwound yet."""
        process, task, _ = gdb.selected_thread().ptid
        ctypes.CDLL(None).syscall(TGKILL, process, task or process, int(signal.SIGABRT))

    def _fix_random(self):
        """The C library's getrandom() gives the same numbers in every run: what seeds a table of
        keys says where its cells lie (Rust's HashMap). Whether it is there."""
        found = False
        with contextlib.suppress(gdb.error):
            for place in gdb.decode_line("getrandom")[1] or ():
                symbol = _GETRANDOM.match(quiet(f"info symbol {place.pc:#x}"))
                at = place.pc - int(symbol[1] or 0) if symbol else 0
                code = self._code(f"{at:#x}") if at else ""
                ends = re.findall(_RETURN, code)
                if ends and f"${RANDOM:#x}," in code:
                    found |= self._break(f"break *{at:#x}", self._answer, at, int(ends[0], 16))
        return found

    def _answer(self, function, end):
        start, size = number("$rdi"), number("$rsi")
        if size > MOST_BYTES:
            return
        self._answered += 1
        data = hashlib.shake_128(bytes([self._answered])).digest(size)
        gdb.selected_inferior().write_memory(start, data)
        quiet(f"set $rax = {size:#x}")
        quiet(f"set $rip = {end:#x}")
        if self._answered == MOST_RANDOM:
            quiet(f"clear *{function:#x}")

    def _lock(self, kind, lock):
        """A stop names every breakpoint at its address, those too whose condition does not hold."""
        if number("$rdi") == lock:
            self.events.add(f"lock {lock:#x}", kind, False, False, address=lock)

    def _filled(self):
        register, size = FILLING[number("$orig_rax")]
        back, start = number("$rax"), number("$" + register)
        if back >> 63:  # not done yet, or failed
            return
        parts, count = ((start, size or back),), number("$rdx")
        if size < 0:
            if size == -2:
                start, count = struct.unpack("<2Q", memory(start + 16, 16))
            parts = tuple(struct.iter_unpack("<2Q", memory(start, 16 * min(count, 1024))))
        for cell in self.placed:
            name, at, width, *_ = cell.wb
            if isinstance(cell, Cell) and any(0 <= at - low < most for low, most in parts):
                self.events.add(name, "filled", True, False, False, address=at, size=width)

    def _mapping(self):
        frame = gdb.newest_frame()
        read = ("orig_rax", "rdi", "rsi", "rdx", "rax")
        call, start, size, allows, back = (
            int(frame.read_register(name)) & 0xFFFFFFFFFFFFFFFF for name in read
        )
        name = {9: "mmap", 11: "munmap", 25: "mremap", 10: "mprotect", 67: "shmdt"}.get(call)
        # ENOSYS stands there at the entry only (syscall(2), x86-64); what is mapped is known then.
        if (name == "mmap") is (back == -38 & 0xFFFFFFFFFFFFFFFF):
            return
        start = back if name == "mmap" else start
        for page in self.request["pages"]:
            if (name == "shmdt" and start <= page) or start <= page < start + size:
                self.events.add("pages", name or str(call), True, False, address=start, size=size,
                                new=allows if name == "mprotect" else None)  # fmt: skip
                return

    def unwatch(self):
        """From here on nothing but the end is told."""
        self.clear()
        self._end_panics()

    def clear(self):
        quiet("delete")
        for one in self.placed:
            if one.is_valid():
                one.delete()
        self.placed, self.stops = [], {}
