"""What a fault's own facts say is to be watched: a table of rows, the first that fits decides."""

import re
from collections.abc import Callable, Mapping, Sequence

from msgspec.structs import replace

from analyzers.owners.modules import is_runtime_library
from workbench.model.aliases import public
from workbench.reproduce.checks import check
from workbench.reproduce.loops import bound_of, counter_of, met_below_zero, wrapped
from workbench.reproduce.makers import made_of
from workbench.reproduce.recursion import recursion
from workbench.reproduce.slices import (
    FREES,
    Lead,
    Place,
    asks_library,
    callee,
    came_from,
    cells_of,
    comes_back,
    from_steps,
    given_by,
    is_librarys,
    is_product,
    last_step,
    signed_at,
)
from workbench.reproduce.stores import FILLS
from workbench.reproduce.wire import Outcome
from workbench.targets.dump import Dump
from workbench.targets.notes import CoreThread
from workbench.targets.probes import cfi, x86
from workbench.targets.probes.abort import probe as abort_probe
from workbench.targets.probes.callees import target_name
from workbench.targets.probes.code import code_around, insn_at
from workbench.targets.probes.explain import Step
from workbench.targets.probes.fault import faulting_access
from workbench.targets.probes.futex import known_as, waited_for
from workbench.targets.probes.history import (
    Part,
    argument,
    culprit,
    history,
    leaves_block,
    summed,
)
from workbench.targets.probes.instruction import MASK, Instruction
from workbench.targets.probes.locks import call_of
from workbench.targets.probes.loop import look
from workbench.targets.probes.machines.x86 import accesses
from workbench.targets.probes.malloc.heaps import find_heaps, main_arena
from workbench.targets.probes.malloc.lists import free_chunks, heaps_of
from workbench.targets.probes.malloc.memory import run_across
from workbench.targets.probes.operands import Access
from workbench.targets.probes.places import crashing_thread, kind_of
from workbench.targets.probes.transfer import branch_target, calling_branch, cannot_run, machine_of
from workbench.targets.probes.unwind_table import function_bounds

CANARY = 0x28
"""Behind a thread's fs: what a function's frame keeps a copy of (System V ABI, AMD64; glibc's
tcbhead_t), drawn anew in each run."""


def lead_of(core: Dump, outcome: Outcome) -> Lead | None:
    """The first row that fits; None where a run could be told nothing to watch."""
    thread = crashing_thread(core)
    if thread is None or thread.pc is None or core.arch != "x86_64":
        return None
    for _, row in ROWS:
        found = row(core, thread, outcome)
        if found is not None:
            return found
    return None


# --- rows -----------------------------------------------------------------------------------------


def _canary(core: Dump, thread: CoreThread, outcome: Outcome) -> Lead | None:
    """``__stack_chk_fail``: the cell that the epilogue compares with the thread's canary at
    fs:0x28 (gcc, -fstack-protector)."""
    above = iter(cfi.callers_of_thread(core, thread, 12))
    for caller in above:
        name = core.symbolize(caller.call.target or 0)
        plt = caller.call.target is not None and "stack_chk" in callee(core, caller.call)
        if not plt and (name is None or "__stack_chk_fail" not in name[0]):
            continue
        code = code_around(core, caller.call.address)
        if code is None:
            return None
        for index in range(len(code.instructions) - 1, -1, -1):
            insn = code.instructions[index]
            if insn.mnemonic not in ("mov", "sub", "xor", "cmp") or len(insn.operands) != 2:
                continue
            if not any(
                o.mem and o.mem.segment == "fs" and o.mem.disp == CANARY for o in insn.operands
            ):
                continue
            around = (insn, *(code.instructions[i] for i in (index - 1, index + 1) if i >= 0))
            for one in around:
                for operand in one.operands:
                    if operand.mem and operand.mem.base in ("rbp", "rsp"):
                        cell = one.effective(operand.mem, caller.registers)
                        if cell is not None:
                            return Lead(row="canary", cells=(Place(cell, 8, None, 0),),
                                        stack_block=True)  # fmt: skip
        return None
    return None


def _allocator(core: Dump, thread: CoreThread, outcome: Outcome) -> Lead | None:
    """glibc's malloc ended the process (malloc_printerr): by the message's words, which are its
    own (malloc/malloc.c)."""
    said = abort_probe(core, [])
    rule = next((kind for words, kind in _MALLOC if words in said), None)
    if rule is None:
        return None
    given, steps = given_to_allocator(core)
    broken = _broken(core)
    if given is None and steps and broken is None and rule != "header":  # seen when it is loaded
        return Lead(row=FREES[rule != "twice"], end=last_step(steps), freed_twice=rule == "twice")
    chunk = given is not None and any(given - 16 in heap.walk.starts for heap in find_heaps(core))
    rule = "pointer" if given is not None and kind_of(core, given) == "stack" else rule
    if (
        "(!prev)" in said
        and broken is not None
        and given is not None
        and (broken & ~15 == given - 16 + ((core.read_word(given - 8) or 0) & ~7))
    ):  # malloc.c asks a bit of the next chunk's header, which is no header any more
        rule = "header"
    if rule == "twice" and given is not None:
        cells, _ = cells_of(core, steps)
        return Lead(row=FREES[0], pointer=given, freed_twice=True, cells=cells,
                    given=0 if cells else comes_back(core, steps, given))  # fmt: skip
    if (
        rule == "pointer"
        and given is not None
        and not chunk
        and (broken is None or not broken - 8 <= given - 16 <= broken)
    ):
        cells, derived = cells_of(core, steps)
        end = steps[-1] if steps and not cells else None
        return Lead(row=FREES[1], cells=cells, end=end, derived=derived, pointer=given)
    free = heaps_of(core)[1] if broken is None and rule == "header" else None
    cell, held = broken, None
    if free is not None and (given is not None or free.stale):
        cell = free.stale[0] + 16 if free.stale else (given or 0) - 8
    elif free is not None and free.lost:
        cell, held = free.lost[0], core.read_word(free.lost[0])
    elif cell is None and given is not None:
        cell = given - 8
    if cell is None:
        return None
    return Lead(row="damaged header", cells=(Place(cell, 8, held, 0),), outside=True)


_MALLOC = (
    ("double free or corruption (out)", "header"),  # its size leads out of the heap
    ("double free", "twice"),
    ("free(): invalid pointer", "pointer"),
    ("munmap_chunk(): invalid pointer", "pointer"),
    ("realloc(): invalid pointer", "pointer"),
    ("free(): invalid size", "header"),
    ("free(): invalid next size", "header"),
    ("free(): corrupted unsorted", "header"),
    ("corrupted size vs. prev_size", "header"),
    ("corrupted double-linked list", "header"),
    ("realloc(): invalid", "header"),
    ("malloc(): ", "header"),
    ("malloc assertion failure", "header"),
    ("malloc_consolidate()", "header"),
    ("corrupted top size", "header"),
)


def _transfer(core: Dump, thread: CoreThread, outcome: Outcome) -> Lead | None:
    """Control went where no code is: the cell of the code pointer or the return address."""
    if outcome.signal not in ("SIGSEGV", "SIGBUS", "SIGILL") or thread.pc is None:
        return None
    insn: Instruction | None
    if not cannot_run(core, thread.pc):
        insn = insn_at(core, thread.pc)
        if insn is None or thread.sp is None:
            return None
        if insn.is_return:
            return Lead(row="return address", cells=(Place(thread.sp, 8, None, thread.pc),),
                        stack_block=True)  # fmt: skip
        # A target that is no address at all fails in the call itself, unless its cell did.
        goal = branch_target(core, insn, thread.registers)
        if not (insn.is_call or insn.is_jump) or insn.target is not None or goal is None:
            return None
        registers, goal = dict(thread.registers), goal
    else:
        branch = calling_branch(core, thread)
        if branch is None:
            below = ((thread.sp or 0) - 8) & MASK
            if core.read_word(below) != thread.pc:
                return None
            return Lead(row="return address", cells=(Place(below, 8, None, 0),), stack_block=True)
        insn, registers, goal = branch.jump or branch.call, branch.registers, thread.pc
    operand = insn.operands[0] if insn.operands else None
    if operand is None:
        return None
    if operand.reg is not None:
        register = x86.FAMILY.get(operand.reg, operand.reg)
        steps = history(core, insn.address, register, registers)
        unsure = Lead(row="code pointer", end=Step("defined", insn.address, register, ""))
        lead = from_steps(core, "code pointer", steps) or unsure
        return replace(lead, page=_was_mapped(core, goal)) if lead is not None else None
    cell = insn.effective(operand.mem, registers) if operand.mem else None
    if operand.mem is not None and cell is None:  # a run shows what it read
        return Lead(row="code pointer", end=Step("load", insn.address, "", insn.text))
    if cell is None or operand.mem is None:
        return None
    steps = (
        history(core, insn.address, operand.mem.base, registers)
        if operand.mem.base and operand.mem.base != "rip"
        else []
    )
    more, _ = cells_of(core, steps)
    based = operand.mem.base not in (None, "rip") and operand.mem.index is None
    first = Place(cell, 8, goal, insn.address, cell - operand.mem.disp if based else None)
    page = _was_mapped(core, goal)
    given = given_by(core, (first, *more), steps)
    return Lead(row="code pointer", cells=(first, *more), pointer=cell, page=page, given=given)


def _length(core: Dump, thread: CoreThread, outcome: Outcome) -> Lead | None:
    """A copy, or a fill, of the library's that was told more bytes than an address space of 47 bits
    has (Intel SDM 1, 3.3.7.1): who made that number, which is one below zero."""
    failed = core.module_at(thread.pc or 0) if outcome.signal in ("SIGSEGV", "SIGBUS") else None
    if failed is None or not is_runtime_library(failed.name):
        return None
    for caller in cfi.callers_of_thread(core, thread, 4):
        module = core.module_at(caller.call.address)
        if module is not None and is_runtime_library(module.name):
            continue
        given, steps = argument(core, caller, "rdx")
        fills = FILLS.match(public(callee(core, caller.call)))
        if not fills or module is None or given is None or not given >> 47:
            return None
        return below_zero(steps) or from_steps(core, "index", steps)
    return None


def below_zero(steps: Sequence[Step]) -> Lead | None:
    """The step that made an index, or a length, a number below zero."""
    if (met := met_below_zero(steps)) is not None:
        return Lead(row="index", end=met)
    signed = signed_at(steps)
    return Lead(row="index", end=replace(signed, kind="computed")) if signed is not None else None


def _access(core: Dump, thread: CoreThread, outcome: Outcome) -> Lead | None:
    """An access that memory forbids: the pointer, or the index, whichever is out of range."""
    if outcome.signal not in ("SIGSEGV", "SIGBUS", "SIGFPE") or thread.pc is None:
        return None
    insn = insn_at(core, thread.pc)
    code = code_around(core, thread.pc)
    machine = machine_of(core)
    if insn is None or code is None or machine is None:
        return None
    registers, framed = thread.registers, ("rip", *code.frame)
    if outcome.signal == "SIGFPE":
        register = x86.divisor_register(insn)
        if register is not None:
            if registers.get(register, 0) & (1 << 8 * insn.operands[0].size) - 1:
                return None  # the quotient does not fit: either number alone is right
            steps = history(core, thread.pc, register, registers)
            end = Step("defined", thread.pc, register, "", value=registers.get(register))
            return from_steps(core, "divisor", steps) or Lead(row="divisor", end=end)
        for access in accesses(insn, registers):
            if access.address is not None and not core.number(access.address, access.size):
                steps = (
                    history(core, thread.pc, access.base, registers)
                    if access.base is not None and access.base not in framed
                    else []
                )
                more, _ = cells_of(core, steps)
                first = Place(access.address, access.size, 0, thread.pc)
                return Lead(row="divisor", cells=(first, *more))
        return None
    found = faulting_access(core, thread, machine, insn)
    if found is None:
        return None
    base, index = registers.get(found.base or ""), registers.get(found.index or "")
    if found.base in (None, *framed) and found.index is None:
        return None
    by_index = index is not None and _index_is_bad(core, base, index * found.scale, found.address)
    register = found.index if by_index else found.base
    if register is None:
        return None
    given = _given_to_library(core, thread, register, registers.get(register))
    steps = given[1] if given is not None else came_from(core, thread.pc, register, registers)
    part = None if by_index else culprit(core, thread.pc, register, registers)
    if not by_index and part is None and given is not None:
        part = given[0]
    if not by_index and part is None:
        part = _given_sum(core, thread, steps, registers.get(register))
    if part is not None:
        by_index, steps = part.kind in ("index", "element"), part.steps
    if by_index and (below := below_zero(steps)) is not None:
        return below
    row, value = "index" if by_index else "pointer", registers.get(register) or 0
    last = core.region((found.address or 0) - 1 & ~0xFFF)
    behind = last is not None and "w" in last.perms
    array = part.array if part is not None else base or 0
    element = part.at if part is not None and part.at else thread.pc
    room = (
        Lead(row="index", page=found.address if behind else None, array=array, element=element)
        if by_index and (behind or kind_of(core, array) == "heap") else None
    )  # fmt: skip
    lead = from_steps(core, row, steps)
    counter = counter_of(core, thread, register, steps)
    if counter is not None:
        now = steps[0].value if by_index and steps else value
        lead = bound_of(core, thread, counter, now or 0)
        if lead is not None:
            return lead
        if by_index:
            return room  # the bound or the object: where it began to count is no cause
        steps = []
    if not steps:  # more ways lead here than one: which of them was taken is seen in a run
        end = Step("defined", thread.pc, register, "", value=value)
        lead = Lead(row=row, end=end)
    if lead is None:
        return None
    if by_index:
        total, held = (steps[0].value or 0 if steps else 0), (lead.cells or (lead.end,))[0]
        other = part is not None and part.kind == "element"
        if wrapped(total):
            number = lead.cells[0].value if lead.cells else None
            other = number is not None and not wrapped(number) and not _counts(number, total)
        elif held is not None and held.value is not None:
            other = other or held.value * _ELEMENT < total
        if is_product(steps) or _is_beyond_by_one(core, found, registers, steps):
            return room
        if other and any(_adds_another(core, step) for step in steps):
            return room
        return replace(lead, array=array, element=element)
    page = found.address if value > 1 << 20 else None
    if kind_of(core, value) != "unmapped":
        page = _was_mapped(core, page, "none", "file", "anonymous")
    pointer = value if value > 1 << 16 and part is None else None
    freed = _set_out_from(core, steps) if kind_of(core, value) == "unmapped" else []
    if freed:
        cells, _ = cells_of(core, freed)
        unseen = None if cells or freed[-1].kind == "call" else last_step(freed)
        return Lead(row=row, cells=cells, pointer=freed[0].value, end=unseen,
                    given=comes_back(core, steps, freed[0].value))  # fmt: skip
    return replace(lead, pointer=pointer, page=page)


def _given_sum(
    core: Dump, thread: CoreThread, steps: Sequence[Step], value: int | None
) -> Part | None:
    """See `culprit`, of a ``value`` that a function was given as a sum by its caller."""
    calls = {one.call.address: one for one in cfi.callers_of_thread(core, thread, 24)}
    for step in steps:
        caller = calls.get(step.source or 0) if step.kind == "argument" else None
        if caller is not None and step.value == value:
            part = culprit(core, caller.call.address, step.register, caller.registers)
            if part is not None:
                return part
    return None


def _given_to_library(
    core: Dump, thread: CoreThread, register: str, value: int | None
) -> tuple[Part | None, list[Step]] | None:
    """See `culprit`, and the steps, behind a ``value`` that the program gave to the system's
    library that failed with it, in one register, whatever way it went in there (printf hands its
    arguments on in memory); of null in the ``register`` in which it is still, where that is not
    what a compiler knew it to be."""
    failed = core.module_at(thread.pc or 0)
    if failed is None or not is_runtime_library(failed.name):
        return None  # what its caller's registers hold as well was not given to it
    for caller in cfi.callers_of_thread(core, thread, 24):
        module = core.module_at(caller.call.address)
        if module is None or is_runtime_library(module.name):
            continue
        given = [argument(core, caller, name) for name in x86.ARGUMENTS]
        found = [
            (name, steps) for name, (one, steps) in zip(x86.ARGUMENTS, given, strict=True)
            if one == value and (
                (one or 0) > _SMALL
                or (one == 0 and name == register and "constant" not in {at.kind for at in steps})
            )
        ]  # fmt: skip
        if len(found) != 1:
            break
        return culprit(core, caller.call.address, found[0][0], caller.registers), found[0][1]
    return None


def _set_out_from(core: Dump, steps: list[Step]) -> list[Step]:
    """How the pointer to a freed object came there that another was added up from, by what that
    object holds now."""
    computed = any(step.kind == "computed" for step in steps)
    free = heaps_of(core)[1].by_start if computed else {}
    at = next((at for at, step in enumerate(steps) if (step.value or 0) - 16 in free), len(steps))
    return steps[at:]


def _adds_another(core: Dump, step: Step) -> bool:
    """Whether a step made a number of two, of which a slice follows one: the other made what it
    gives. Of a number and itself compilers make a product."""
    code, insn = code_around(core, step.at), insn_at(core, step.at)
    if code is None or insn is None or not _SUM.match(step.text):
        return False
    ways = [(code.at[step.at], name) for name in summed(insn, step.register) or ()]
    made = [made_of(core, code, [way]) for way in ways]
    read = [({one.address for one in parts if one.is_call or any(o.mem for o in one.operands[1:])},
             set(given)) for parts, given in made]  # fmt: skip
    return len(read) != 2 or read[0] != read[1]


_SUM = re.compile(r"(?:add|imul) \w+, [a-z]|lea \w+, \[\w+ \+ [a-z]")
_SMALL = 1 << 16
"""Up to here two numbers are alike by chance."""
_ELEMENT = 1 << 12
"""By which a number is multiplied at most for the size of what it counts."""


def _is_beyond_by_one(
    core: Dump, access: Access, registers: Mapping[str, int], steps: Sequence[Step]
) -> bool:
    """Whether what a number was multiplied by is more than its array has room for: 1 would lead out
    of it as well."""
    base, total = registers.get(access.base or ""), steps[0].value or 0 if steps else 0
    if base is None or wrapped(total):
        return False
    by, start = (access.scale, base) if access.index is not None else (1, base - total)
    now = total
    for one in steps:
        now = now if one.value is None else one.value
        number = now // _times(core, one) if one.kind == "computed" else 0
        if 0 < number < total and leaves_block(core, start, start + total * by // number):
            return True
    return False


def _times(core: Dump, step: Step) -> int:
    """By which constant a step multiplies; 1 for any other."""
    insn = insn_at(core, step.at)
    by = insn.operands[-1].imm or 0 if insn is not None and insn.operands else 0
    if insn is None or by <= 0:
        return 1
    return (
        1 << (by & 63) if insn.mnemonic in ("shl", "sal") else by if insn.mnemonic == "imul" else 1
    )


def _counts(number: int, total: int) -> bool:
    """Whether a distance is what a number of elements of one size take, and where a member lies."""
    size, member = divmod(total, number) if number else (0, 0)
    return 0 < size <= _ELEMENT and member < _ELEMENT


def _index_is_bad(core: Dump, base: int | None, distance: int, address: int | None) -> bool:
    """The base lies in memory and the distance leads out of it."""
    if base is None:
        return True
    region = core.region(base)
    return region is not None and address is not None and core.region(address) is not region


def _recursion(core: Dump, thread: CoreThread, outcome: Outcome) -> Lead | None:
    bus = outcome.signal in ("SIGSEGV", "SIGBUS")
    return recursion(core, thread, outcome.frames) if bus else None


def _locks(core: Dump, thread: CoreThread, outcome: Outcome) -> Lead | None:
    """Our clock stopped it: the locks that its threads wait for, the argument of the lock call;
    else a second look at where it is, if the dump shows that it computes without an end."""
    if not outcome.hung:
        return None
    wanted: list[int] = []
    words: list[Place] = []
    for one in core.threads:
        inner = one.pc or 0
        for caller in cfi.callers_of_thread(core, one, 8):
            name = callee(core, caller.call)
            if _SHARED.search(name):
                return None  # it waits for one that is not followed
            if re.search(_LOCKS, name):
                lock = argument(core, caller, "rdi")[0] or _mutex(core, one)
                if lock and lock not in wanted:
                    wanted.append(lock)
                    waits = function_bounds(core, inner) if _WORDS.search(name) else None
                    words += [Place(lock, 4, None, waits[0])] if waits else []
                break
            inner = caller.call.address
    if wanted:
        return Lead(row="lock", locks=tuple(wanted[:4]), cells=tuple(words[:4]))
    found = look(core, thread) if thread.pc is not None else None
    if found is None or not found.code or (outcome.threads > 1 and found.reads):
        return None  # another thread may let it go on
    ring = tuple(Place(at, 8, core.read_word(at), 0) for at in found.links)
    return Lead(row="hang", loops=found.at, loop=tuple(sorted(found.code)), cells=ring)


def _mutex(core: Dump, thread: CoreThread) -> int | None:
    """The C library's mutex in whose word a thread sleeps: the lock call's argument may be lost."""
    call = call_of(core, thread)
    if call is None or call.kind != "futex":
        return None
    waited = waited_for(core, thread, call.arguments, known_as(core))
    return waited.address if waited.kind == "mutex" else None


_WORDS = re.compile(r"futex\w*5Mutex14lock_contended")
"""Where a mutex of Rust's waits, mangled: its word is no lock of the C library's."""
_SHARED = re.compile(r"futex\w*6RwLock\d+(?:read|write)_contended")
"""Where a lock of Rust's for many readers waits, mangled."""
_LOCKS = (
    rf"(?:pthread_(?:mutex|rwlock|spin)_(?:\w*lock)|sem_(?:timed)?wait|^lock$|{_WORDS.pattern})"
)


def _chunk(core: Dump, address: int) -> int | None:
    """Where the heap's chunk that holds an address begins."""
    for heap in find_heaps(core):
        index = heap.walk.holder(address)
        if index is not None:
            return heap.walk.starts[index]
    return None


def _thrown(core: Dump, thread: CoreThread, outcome: Outcome) -> Lead | None:
    """The only object in the heap that the program gave to the standard library which then threw:
    it may be gone, and what was read there no length."""
    threw = False
    for caller in cfi.callers_of_thread(core, thread, 24):
        name, module = callee(core, caller.call), core.module_at(caller.call.address)
        threw = threw or "__cxa_throw" in name
        if module is None or is_runtime_library(module.name) or (
            is_librarys(core, caller.call.address)
        ):  # fmt: skip
            continue
        if not threw or not asks_library(core, caller.call.address):
            return None
        given = [argument(core, caller, one) for one in x86.ARGUMENTS[:3]]
        objects = {at: steps for at, steps in given[::-1] if at and kind_of(core, at) == "heap"}
        owners = {_chunk(core, at) or at for at in objects}  # members of one object are of one
        if len(owners) != 1:
            return None
        start, steps = [*objects.items()][-1]
        read = Place(start, 8, core.read_word(start), caller.call.address, start)
        return Lead(row=THROWN, cells=(read, *cells_of(core, steps)[0]))
    return None


THROWN = "object of what threw"
"""The row whose first cell is of an object that may be gone; else nothing is said of it."""


def overrun(core: Dump) -> Lead | None:
    """The header of glibc's heap that data runs across, from the chunk in front of it, or by which
    free() went astray: who wrote over it wrote past that, whatever failed in the end."""
    for heap in find_heaps(core) if main_arena(core) is not None else ():
        broken = heap.walk.broken
        if broken is not None and broken.before is not None:
            run = run_across(heap.span, broken.at)
            if run is not None and run.start >= broken.before + 16:
                place = Place(broken.at + 8, 8, None, 0)
                return Lead(row="damaged header", cells=(place,), outside=True)
    given, cell = given_to_allocator(core)[0], _broken(core)
    if given is not None and cell is not None and cell - 8 <= given - 16 <= cell:
        return Lead(row="damaged header", cells=(Place(cell, 8, None, 0),), outside=True)
    return None


ROWS: tuple[tuple[str, Callable[[Dump, CoreThread, Outcome], Lead | None]], ...] = (
    ("still runs", _locks),
    ("canary", _canary),
    ("allocator's message", _allocator),
    ("check that failed", check),
    ("exception", _thrown),
    ("control transfer", _transfer),
    ("length of a copy", _length),
    ("calls without an end", _recursion),
    ("forbidden access", _access),
)
"""A fault's facts and what they have the next run watch; the first that answers is taken."""


# --- helpers --------------------------------------------------------------------------------------


def _was_mapped(core: Dump, address: int | None, *kinds: str) -> int | None:
    """An address that memory may have been taken from since: what was stored was good then."""
    kind = kind_of(core, address) if address is not None and address > 1 << 20 else None
    return address if kind in ("unmapped", *kinds) else None


def given_to_allocator(core: Dump) -> tuple[int | None, list[Step]]:
    """What the program gave to the allocator in the call that failed, by itself or by what left for
    it by jumps."""
    thread, inside = crashing_thread(core), 0
    for caller in cfi.callers_of_thread(core, thread, 12) if thread is not None else ():
        name = public(callee(core, caller.call) or _called_through(core, caller))
        within = core.symbolize(inside)
        if _RELEASES.fullmatch(name):
            return argument(core, caller, "rdi")
        if within is not None and public(within[0]) == "free":
            value, steps = given_to_free(core, caller)
            if value not in (kept := _kept_by_free(core)) and len(kept) == 1:
                return kept.pop(), []
            chunks = (value - 16 in heap.walk.starts for heap in find_heaps(core) if value)
            return (value, steps) if steps[:1] and not steps[0].text and any(chunks) else (None, [])
        inside = caller.call.address
    return None, []


def _called_through(core: Dump, caller: cfi.Caller) -> str:
    """The function whose address a call had in a register, as far as the code shows what it
    held."""
    register = caller.call.operands[0].reg if caller.call.operands else None
    if register is None:
        return ""
    goal, _ = argument(core, caller, x86.FAMILY.get(register, register))
    return (target_name(core, goal) if goal is not None else None) or ""


def _kept_by_free(core: Dump) -> set[int]:
    """The memory of the chunks, free already, that free() has in registers where it found a double
    free: what it was given is among it, also where who was called left for it by jumps with another
    pointer than it got."""
    if "double free" not in abort_probe(core, []):
        return set()
    thread, free = crashing_thread(core), heaps_of(core)[1].by_start
    for caller in cfi.callers_of_thread(core, thread, 12) if thread is not None else ():
        within = core.symbolize(caller.call.address)
        if within is not None and within[0] == "_int_free":
            return {value + 16 for value in caller.registers.values() if value in free}
    return set()


_RELEASES = re.compile(
    r"free|realloc|operator delete.*|_Zd[la]Pv\w*|\w*__(?:rust|rdl|rg)_(?:dealloc|realloc)"
)
"""Functions that release what they are given first: C's, C++'s, and Rust's (alloc's, mangled)."""


def given_to_free(core: Dump, caller: cfi.Caller) -> tuple[int | None, list[Step]]:
    """What a call gave that came to free(): the destructor of a text, which leaves for it by jumps,
    what its first word leads to (libstdc++'s ABI, basic_string's _M_dataplus), as a load."""
    given, steps = argument(core, caller, "rdi")
    if given is None or not _TEXT_ENDS.match(callee(core, caller.call)):
        return given, steps
    word = core.read_word(given)
    return word, [Step("load", caller.call.address, "rdi", "", given, word), *steps]


_TEXT_ENDS = re.compile(
    r"_ZNSt7__cxx1112basic_string\w*D[12]Ev$|std::.*basic_string.*::~basic_string"
)


def _broken(core: Dump) -> int | None:
    """The word that makes no sense of the first chunk with one: its size, or what is kept in front
    of it of a chunk that is free, by the lists."""
    for heap in find_heaps(core):
        broken = heap.walk.broken
        if broken is not None:
            footer = broken.size_fits and broken.before in free_chunks(core, [heap]).by_start
            return broken.at + 8 * (not footer)
    return None
