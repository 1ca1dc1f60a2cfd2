"""Runs inside gdb's own Python (`source`): one run of the program, watched as a request says.

It imports nothing but the standard library. The request and the result are JSON files whose shapes
stand in `wire.py`; what is printed is the text that becomes evidence, and the result names its
lines. Watchpoints report behind the instruction that wrote (Intel SDM 3B, 17.2.4), so a line is
looked up one byte before.
"""

# gdb's modules have no types here, and this file is no part of our process.
# mypy: ignore-errors
# ruff: noqa: D101, D102, D103, T201, BLE001, SIM905

import contextlib
import json
import re
import sys

import gdb

FRAMES, KEPT, MOST_EVENTS, STACK, RED_ZONE = 24, 48, 400, 6144, 128
HOT = 400  # `runs.HOT`
FATAL = "SIGSEGV SIGBUS SIGFPE SIGILL SIGABRT SIGTRAP SIGSYS SIGSTOP"
GENERAL = "rax rbx rcx rdx rsi rdi rbp rsp r8 r9 r10 r11 r12 r13 r14 r15 rip".split()
ALLOCATING = "malloc calloc realloc memalign aligned_alloc posix_memalign valloc".split()
LOCKING = {
    "pthread_mutex_lock": "lock", "pthread_mutex_trylock": "lock", "pthread_mutex_unlock": "unlock",
    "pthread_rwlock_rdlock": "lock", "pthread_rwlock_wrlock": "lock",
    "pthread_rwlock_unlock": "unlock", "pthread_spin_lock": "lock", "pthread_spin_unlock": "unlock",
    "sem_wait": "lock", "sem_post": "unlock",
}  # fmt: skip


def quiet(command):
    return gdb.execute(command, to_string=True)


def number(expression):
    return int(gdb.parse_and_eval(expression)) & 0xFFFFFFFFFFFFFFFF


def memory(address, size):
    try:
        return bytes(gdb.selected_inferior().read_memory(address, size))
    except Exception:
        return b""


def stack_bytes(pointer):
    """The red zone (System V ABI, AMD64, 3.2.2) and what lies above the stack pointer, as far as
    it is mapped."""
    pointer -= RED_ZONE
    for size in (STACK, 2048, 512, 128):
        if data := memory(pointer, size):
            return data
    return b""


def registers():
    frame = gdb.newest_frame()
    return {name: int(frame.read_register(name)) & 0xFFFFFFFFFFFFFFFF for name in GENERAL}


def name_of(pc):
    """The innermost function at an address, inlined ones included."""
    block = gdb.block_for_pc(pc)
    while block is not None and block.function is None:
        block = block.superblock
    return bare(block.function.name) if block is not None and block.function else None


def bare(name):
    """A C++ function's name without its parameters, as gdb's frames have it."""
    end = name.rfind(")")
    if end < 0 or (name.endswith(")") is False and "const" not in name[end:]):
        return name
    depth = 0
    for at in range(end, -1, -1):
        depth += (name[at] == ")") - (name[at] == "(")
        if depth == 0:
            return name[:at] if at and not name[:at].endswith("operator") else name
    return name


def deleting():
    """Frames that the compiler made for ``delete`` (Itanium C++ ABI, 5.1.4.3: D0): the line is the
    caller's."""
    found, frame, level = [], gdb.newest_frame(), 0
    with contextlib.suppress(gdb.error):
        while frame is not None and level < FRAMES:
            function = frame.function()
            if function is not None and re.search(r"D0Ev$", function.linkage_name or ""):
                found.append(level)
            frame, level = frame.older(), level + 1
    return found


def pointer(frame):
    """A frame's stack pointer, of one that is inlined its caller's."""
    try:
        return int(frame.read_register("rsp")) & 0xFFFFFFFFFFFFFFFF
    except Exception:
        return None


def frames(behind, limit=FRAMES):
    """The stack, innermost first; ``behind``: the instruction before the pc is meant."""
    found, frame = [], gdb.newest_frame()
    with contextlib.suppress(gdb.error, gdb.MemoryError):
        while frame is not None and len(found) < limit:
            pc, name = frame.pc(), frame.name()
            if not found and behind:
                sal, name = gdb.find_pc_line(pc - 1), name_of(pc - 1) or name
            else:
                sal = frame.find_sal()
            table = sal.symtab
            module = gdb.solib_name(pc)
            if module is None and name is not None:
                module = gdb.current_progspace().filename
            found.append(
                {
                    "index": len(found),
                    "function": name,
                    "file": table.fullname() if table else None,
                    "line": sal.line if table and sal.line else None,
                    "module": module,
                    "address": pc,
                    "stack_pointer": pointer(frame),
                    "inlined": frame.type() == gdb.INLINE_FRAME,
                    "signal_handler": frame.type() == gdb.SIGTRAMP_FRAME,
                }
            )
            frame = frame.older()
    return found


def variables(limit=6):
    """Locals and arguments with an address, of the frames that have debug information."""
    found, frame, level = [], gdb.newest_frame(), 0
    with contextlib.suppress(gdb.error, gdb.MemoryError):
        while frame is not None and level < 40 and limit:
            found += _of_frame(frame, level)
            limit -= frame.find_sal().symtab is not None
            frame, level = frame.older(), level + 1
    return found


def _of_frame(frame, level):
    found = []
    try:
        block = frame.block()
    except Exception:
        return found
    while block is not None and not block.is_global and not block.is_static:
        for symbol in block:
            if symbol.is_variable or symbol.is_argument:
                with contextlib.suppress(Exception):
                    value = symbol.value(frame)
                    if value.address is not None:
                        at, size = int(value.address) & 0xFFFFFFFFFFFFFFFF, value.type.sizeof
                        found.append({"frame": level, "name": symbol.name, "address": at,
                                      "size": size, "line": symbol.line})  # fmt: skip
        if block.function is not None:
            break
        block = block.superblock
    return found


class Events:
    """What was seen, in order; of each watch its first and last ones."""

    def __init__(self, skip):
        self.count, self.rows, self.totals, self.skip = 0, {}, {}, skip

    def passes(self, watch):
        """True for a hit that is only counted: of a cell that is written very often the last ones
        matter, and which those are is known to the next run (``skip``)."""
        total = self.totals.get(watch, 0)
        if total >= self.skip[watch] if watch in self.skip else total < HOT:
            return False
        self.count, self.totals[watch] = self.count + 1, total + 1
        return True

    def add(self, watch, kind, snapshot=False, behind=False, **rest):
        self.count += 1
        rows = self.rows.setdefault(watch, [])
        total = self.totals[watch] = self.totals.get(watch, 0) + 1
        row = {"order": self.count, "watch": watch, "kind": kind, "nth": total, **rest}
        row["thread"] = gdb.selected_thread().num if gdb.selected_thread() else 0
        row["frames"] = frames(behind)
        if snapshot:
            row["registers"] = values = registers()
            row["stack"] = stack_bytes(values["rsp"]).hex()
        rows.append(row)
        if len(rows) > (KEPT if snapshot else MOST_EVENTS):
            del rows[len(rows) // 2 if not snapshot else 8]

    def ordered(self):
        return sorted((row for rows in self.rows.values() for row in rows),
                      key=lambda row: row["order"])  # fmt: skip


class Cell(gdb.Breakpoint):
    """A hardware watchpoint that never stops."""

    def __init__(self, name, address, size, events, most, access):
        kind = {1: "unsigned char", 2: "unsigned short", 4: "unsigned int"}.get(
            size, "unsigned long"
        )
        super().__init__(f"*({kind} *){address:#x}", gdb.BP_WATCHPOINT,
                         gdb.WP_ACCESS if access else gdb.WP_WRITE, internal=True)  # fmt: skip
        self.wb, self.last = (name, address, size, events, most), memory(address, size)

    def stop(self):
        name, address, size, events, most = self.wb
        now = memory(address, size)
        old, self.last = self.last, now
        if events.passes(name):
            return events.totals[name] >= most
        try:
            events.add(name, "write", True, True, address=address, size=size,
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
        try:
            events.add(name, "point", True, False, address=address)
        except Exception as error:
            print(f"a hit on {name} could not be read: {error}")
        return events.totals.get(name, 0) >= most


class Run:
    def __init__(self, request):
        self.request, self.events, self.stops = request, Events(request["skip"]), {}
        self.notes, self.ended, self.signal = [], None, None
        self.placed = []
        self.hit = []
        gdb.events.stop.connect(self._stopped)
        gdb.events.exited.connect(self._exited)

    def _stopped(self, event):
        self.signal = getattr(event, "stop_signal", None)
        self.hit = [b.number for b in getattr(event, "breakpoints", [])]

    def _exited(self, event):
        """Of the process that is followed; a parent that was let go has no status."""
        code = getattr(event, "exit_code", None)
        if code is not None:
            self.ended = f"exited with {code}"

    # --- starting -------------------------------------------------------------------------------

    def start(self):
        ask = self.request
        with contextlib.suppress(gdb.error):
            quiet("kill")
        quiet("delete")
        for setting in ("language c", "confirm off", "pagination off", "can-use-hw-watchpoints 1",
                        "startup-with-shell on", "print thread-events off",
                        "print inferior-events off",
                        "follow-fork-mode " + ask["follow"], "detach-on-fork on",
                        "disable-randomization " + ("off" if ask["aslr"] else "on")):  # fmt: skip
            with contextlib.suppress(gdb.error):
                quiet("set " + setting)
        quiet("set inferior-tty " + ask["tty"])
        quiet("set cwd " + ask["cwd"])
        for name, value in ask["environment"]:
            quiet(f"set environment {name} {value}")
        # The terminal's size is the pty's; gdb would set its own.
        for name in ("LINES", "COLUMNS"):
            quiet("unset environment " + name)
        quiet("set exec-wrapper " + ask["wrapper"] if ask["wrapper"] else "unset exec-wrapper")
        quiet("handle all nostop noprint pass")
        quiet(f"handle {FATAL} stop print")
        quiet("handle SIGSTOP nopass")
        quiet("starti " + ask["arguments"])
        self._tell(gdb.selected_inferior().pid)
        entry = re.search(r"AT_ENTRY\s.*?(0x[0-9a-f]+)", quiet("info auxv"))
        if entry and number("$pc") != int(entry[1], 16):  # a static program stands there already
            gdb.Breakpoint("*" + entry[1], internal=True, temporary=True)
            quiet("continue")

    def _tell(self, pid):
        """The host stops it after its time, even where gdb waits for it."""
        with open(self.request["pid_file"], "w") as file:
            file.write(str(pid))

    def watch(self):
        ask = self.request
        for cell in ask["cells"]:
            with self._noting():
                given = (cell["name"], cell["address"], cell["size"])
                self.placed.append(Cell(*given, self.events, ask["most"], ask["reads"]))
        for point in ask["points"]:
            with self._noting():
                self.placed.append(
                    Point(point["name"], point["address"], self.events, ask["most"], point["back"])
                )
        if ask["until"]:
            self._break(f"break *{ask['until']:#x}", self.clear)
        if ask["blocks"]:
            self._blocks(ask["blocks"])
        if ask["pages"]:
            self._break("catch syscall munmap mremap mprotect madvise shmdt", self._mapping)
        for lock in ask["locks"]:
            for function, kind in LOCKING.items():
                if at := self._address(function):
                    self._break(f"break *{at:#x} if $rdi == {lock:#x}", self._lock, kind, lock)

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
            return
        if found := re.search(r"(?:point|Catchpoint) (\d+)", text):
            self.stops[int(found[1])] = (handler, given)

    def _blocks(self, blocks):
        """Bound to the blocks that hold an address: malloc's header says how far one reaches."""
        held = " || ".join(
            f"({{0}} <= {at:#x} && {at:#x} < {{0}} + (*(unsigned long *)({{0}} - 8) & ~7) - 8)"
            for at in blocks
        )
        low = min(blocks) - (1 << 30)
        near = f"{{0}} > {max(low, 4096):#x} && {{0}} <= {max(blocks):#x}"
        condition = f"{near} && ({held})"
        for name, kind in (("free", "free"), ("realloc", "realloc")):
            if at := self._address(name):
                self._break(
                    f"break *{at:#x} if " + condition.format("$rdi"), self._block, kind, "$rdi"
                )
        for name in ALLOCATING:
            if not self._address(name):
                continue
            for at in re.findall(r"(0x[0-9a-f]+) <\+\d+>:\s+(?:repz |bnd )*ret", self._code(name)):
                self._break(
                    f"break *{at} if " + condition.format("$rax"), self._block, "alloc", "$rax"
                )
        # calloc may leave through memset, whose first argument is then the block.
        own = re.compile(r"<\w*calloc\w*\+")
        for line in self._code("calloc").splitlines():
            jump = re.search(r"(0x[0-9a-f]+) <\+\d+>:\s+(?:bnd |notrack )*jmp\s+(.*)", line)
            if jump and not own.search(jump[2]):
                self._break(f"break *{jump[1]} if " + condition.format("$rdi"), self._block,
                            "alloc", "$rdi")  # fmt: skip

    def _code(self, name):
        try:
            return quiet(f"disassemble {name}")
        except gdb.error:
            return ""

    def _block(self, kind, register):
        at = number(register)
        size = (int.from_bytes(memory(at - 8, 8), "little") & ~7) - 8
        self.events.add("block", kind, True, False, address=at, size=size, made=deleting())

    def _lock(self, kind, lock):
        self.events.add(f"lock {lock:#x}", kind, False, False, address=lock)

    def _mapping(self):
        frame = gdb.newest_frame()
        call, start, size = (int(frame.read_register(r)) & 0xFFFFFFFFFFFFFFFF
                             for r in ("orig_rax", "rdi", "rsi"))  # fmt: skip
        if int(frame.read_register("rax")) != -38:
            return  # ENOSYS stands there at the entry only (syscall(2), x86-64)
        name = {11: "munmap", 25: "mremap", 10: "mprotect", 28: "madvise", 67: "shmdt"}.get(call)
        for page in self.request["pages"]:
            if (name == "shmdt" and start <= page) or start <= page < start + size:
                self.events.add("pages", name or str(call), False, False, address=start, size=size)
                return

    # --- going on -------------------------------------------------------------------------------

    def go(self):
        """Until it ends, or a fatal signal stops it."""
        for _ in range(100_000):
            self.signal, self.hit = None, []
            try:
                quiet("continue")
            except gdb.error as error:
                self.notes.append(str(error))
                if not gdb.selected_inferior().pid:
                    return
                if "Cannot" in str(error):
                    return
            if self.ended is not None or not gdb.selected_inferior().pid:
                return
            if self.signal is not None:
                return
            for one in self.hit:
                if one in self.stops:
                    handler, given = self.stops[one]
                    try:
                        handler(*given)
                    except Exception as error:
                        self.notes.append(f"a hit could not be read: {error}")
            if any(total >= self.request["most"] for total in self.events.totals.values()):
                self.notes.append("a watch was hit too often: the run goes on without any")
                self.clear()
                self.request["most"] = 1 << 60
                for name in list(self.events.totals):
                    self.events.totals[name] = 0

    def clear(self):
        quiet("delete")
        for one in self.placed:
            if one.is_valid():
                one.delete()
        self.placed, self.stops = [], {}

    def result(self):
        ask = self.request
        alive = gdb.selected_inferior().pid and self.ended is None
        if not alive and self.ended is None:
            self.ended = "ended by a signal that is no fault"
        made = {"ended": self.ended or "", "signal": "", "frames": [], "variables": [],
                "registers": {}, "threads": 0, "code": None, "address": None, "core": "",
                "notes": self.notes, "totals": self.events.totals}  # fmt: skip
        if alive:
            made["signal"] = self.signal or "stopped"
            made["frames"], made["variables"] = frames(False, 64), variables()
            made["registers"] = registers()
            made["threads"] = len(gdb.selected_inferior().threads())
            with contextlib.suppress(Exception):
                made["code"] = int(gdb.parse_and_eval("$_siginfo.si_code"))
                made["address"] = number("(unsigned long)$_siginfo._sifields._sigfault.si_addr")
            if ask["core"]:
                with contextlib.suppress(gdb.error):
                    quiet("generate-core-file " + ask["core"])
                    made["core"] = ask["core"]
        made["events"] = self.events.ordered()
        return made

    def show(self, made):
        """The text, which is evidence; each event learns the lines on which it stands."""
        lines = []
        how = made["ended"] or f"stopped by {made['signal']}"
        if made["address"] is not None and made["signal"] in ("SIGSEGV", "SIGBUS"):
            how += f" at address {made['address']:#x}"
        for event in made["events"]:
            event["first"] = len(lines) + 1
            head = f"{event['order']}. {event['kind']} {event['watch']}"
            head += f" at {event.get('address') or 0:#x}, thread {event['thread']}"
            if event.get("size"):
                head += f", {event['size']} bytes"
            if event["kind"] == "write":
                old, new = event.get("old"), event.get("new")
                head += f": {shown(old)} -> {shown(new)}"
            lines.append(head)
            lines += [spelled(frame) for frame in event["frames"][:12]]
            event["last"] = len(lines)
        lines.append(f"the program {how}")
        lines += [spelled(frame) for frame in made["frames"][:16]]
        lines += [f"note: {note}" for note in made["notes"]]
        made["text"] = "\n".join(lines) + "\n"


def shown(value):
    return "unmapped" if value is None else f"{value:#x}"


def spelled(frame):
    where = f" at {frame['file']}:{frame['line']}" if frame["file"] and frame["line"] else ""
    return f"  #{frame['index']} {frame['address']:#x} in {frame['function'] or '??'}{where}"


def places(addresses):
    """Function and line of addresses of code, as JSON in one line."""
    found = []
    for pc in addresses:
        sal = gdb.find_pc_line(pc)
        table = sal.symtab
        module = gdb.solib_name(pc) or gdb.current_progspace().filename
        found.append({"index": 0, "function": name_of(pc), "address": pc, "module": module,
                      "file": table.fullname() if table else None,
                      "line": sal.line if table and sal.line else None})  # fmt: skip
    return json.dumps(found)


def main():
    with open(WORKBENCH_REQUEST) as file:  # noqa: F821 - set by the line before the script
        request = json.load(file)
    run = Run(request)
    try:
        run.start()
        if run.ended is None and run.signal in (None, "SIGTRAP", "0"):
            run.watch()
            run.go()
        made = run.result()
        run.show(made)
        with open(request["result"], "w") as file:
            json.dump(made, file)
        with contextlib.suppress(gdb.error):
            quiet("kill")
    finally:
        gdb.events.stop.disconnect(run._stopped)
        gdb.events.exited.disconnect(run._exited)
        run.clear()


sys.setrecursionlimit(10_000)
main()
