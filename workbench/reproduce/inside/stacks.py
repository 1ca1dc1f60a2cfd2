"""Inside gdb: the stack, the registers and the variables of where a program stands."""

# gdb's modules have no types here, and this file is no part of our process.
# mypy: ignore-errors
# ruff: noqa: D103, BLE001, SIM905

import contextlib
import itertools
import json
import linecache
import os
import re
import stat
import struct

import gdb

REFERENCES = (gdb.TYPE_CODE_REF, gdb.TYPE_CODE_RVALUE_REF)  # their address is the referent's
COMPOUND = (gdb.TYPE_CODE_STRUCT, gdb.TYPE_CODE_UNION)
UNION = "<union>"  # of a structure that a variable leads to
UNION_HERE = "<union here>"  # of a variable's own
NUMBERS = (gdb.TYPE_CODE_INT, gdb.TYPE_CODE_CHAR, gdb.TYPE_CODE_BOOL, gdb.TYPE_CODE_FLT)
LARGEST_SOURCE = 1 << 25
FRAMES, STACK, RED_ZONE = 48, 6144, 128
GENERAL = (
    "rax rbx rcx rdx rsi rdi rbp rsp r8 r9 r10 r11 r12 r13 r14 r15 rip fs_base gs_base".split()
)


def quiet(command):
    return gdb.execute(command, to_string=True)


def source_line(file, line):
    """A line of a source, "" where that is none: a program names its sources as it likes."""
    try:
        status = os.stat(file)
    except (OSError, ValueError):
        return ""
    plain = stat.S_ISREG(status.st_mode) and status.st_size <= LARGEST_SOURCE
    return linecache.getline(file, line) if plain else ""


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


def of_line(sal, pc):
    """The function at an address that its line is of: what is inlined may be mixed with what is
    around it. Of those that the line's code is in, it is the last to be declared before it."""
    if sal.symtab is None or not sal.line:
        return next((bare(one.name) for one in functions_at(pc)), None)
    key = (sal.symtab.fullname(), sal.line)
    if key not in _OF_LINE:
        lines = sal.symtab.linetable().line(sal.line) or ()
        _OF_LINE[key] = [one for entry in lines for one in _declared(entry.pc, *key)]
    known = [*_declared(pc, *key), *_OF_LINE[key]]
    return (
        max(known, key=lambda one: one[0])[1]
        if known
        else next((bare(f.name) for f in functions_at(pc)), None)
    )


def own_line(sal):
    """The line that an instruction was made of, by the last of its address's rows (DWARF 5, 6.2):
    those before it tell where a debugger may stop for lines that the optimiser merged with it."""
    if sal.symtab is None or not sal.line:
        return None
    table = sal.symtab.linetable()
    first = next(iter(table), None)
    key = sal.symtab.fullname(), first and first.pc  # where it is loaded by now
    if key not in _ROWS:
        _ROWS[key] = {row.pc: row.line for row in table}
    return _ROWS[key].get(sal.pc) or sal.line


def in_statement(sal, line, inner):
    """A ``line``; where code has that of its function's end, of the statement around, if any."""
    return _statement_around(sal, line) if _is_brace(sal.symtab, line, inner) else line


def _is_brace(table, line, inner):
    """Whether a constructor is called (``inner``) at a closing brace alone: gcc gives what fills a
    braced list the place that it has read up to, its function's end."""
    if not table or not line or not re.search(r"\b(\w+)(?:<.*>)?::\1$", inner or ""):
        return False
    if (table.filename, line) not in _BRACES:
        text = source_line(table.fullname(), line)
        _BRACES[table.filename, line] = text.strip() == "}"
    return _BRACES[table.filename, line]


def _statement_around(sal, brace):
    block = gdb.block_for_pc(sal.pc)
    while block.function is None or block.superblock.function is not None:
        block = block.superblock
    near = [row for row in sal.symtab.linetable() if block.start <= row.pc < block.end]
    before = next((row for row in reversed(near) if row.pc < sal.pc and row.line != brace), None)
    after = next((row for row in near if row.pc > sal.pc and row.line != brace), None)
    if before is None or after is None or brace < max(row.line for row in near):
        return None
    code = gdb.selected_inferior().architecture().disassemble(sal.pc, after.pc - 1)
    leaves = any(re.search(r"^(ret|j|leave)|_Unwind_Resume", one["asm"]) for one in code)
    return None if leaves or before.line != after.line else before.line


_BRACES = {}
"""By file and line: whether it is a closing brace alone."""
_COPIES = re.compile(
    r"(?P<of>.+)::(?:\w+|operator=)\((?P=of)(?: const&|&&)\)"
    r"|(?P<new>(?:.*::)?(?P<name>\w+))::(?P=name)\(\)"
)
_ROWS = {}
"""By file and place: the last line of each address that a row is of."""


def _declared(pc, file, line):
    """The functions at an address, each with its line, that a line may be of: not of one that was
    inlined there, whose symbol has the line that it was called from (DW_AT_call_line), where it is
    a line of the function around; a closure's may be both."""
    chain = functions_at(pc)
    inside = chain and chain[-1].symtab and chain[-1].symtab.fullname() == file and (
        chain[-1].line <= line <= _last_line(pc, chain[-1])
    )  # fmt: skip
    return [(f.line, bare(f.name)) for f in chain
            if f.symtab and f.symtab.fullname() == file
            and (f.line <= line if f is chain[-1] else
                 f.line < line and not (inside and "{" not in f.name))]  # fmt: skip


def _last_line(pc, function):
    """The last line of a function's own code, which nothing is inlined into."""
    if function.name not in _LAST:
        block = gdb.block_for_pc(pc)
        while block.function is None or block.superblock.function is not None:
            block = block.superblock
        rows = [row for row in function.symtab.linetable() if block.start <= row.pc < block.end]
        own = [row.line for row in rows if len(functions_at(row.pc)) == 1]
        _LAST[function.name] = max(own, default=0)
    return _LAST[function.name]


_LAST = {}
"""By function: its last line."""
_OF_LINE = {}
"""By file and line: what functions its code is of."""


def functions_at(pc):
    """The functions that an address is in, innermost first: inlined ones, and the one that has
    the code."""
    block, found = gdb.block_for_pc(pc), []
    while block is not None and not block.is_static and not block.is_global:
        found += [block.function] if block.function is not None else []
        block = block.superblock
    return found


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
    """Frames that the compiler made for ``delete`` (Itanium C++ ABI, 5.1.4.3: D0; gcc calls an
    inlined one D4), and destructors while that of a part of the object runs in them: that a member
    or base goes too is the doing of whoever ends the object. One that deletes another object does
    so itself."""
    found, frame, level, inner = [], gdb.newest_frame(), 0, None
    with contextlib.suppress(gdb.error):
        while frame is not None and level < len(PLACES):
            function = frame.function()
            made = re.search(r"D([0-4])Ev$", (function and function.linkage_name) or "")
            if made and made[1] in "04" and _is_given(frame):
                found = list(PLACES[: level + 1])  # it did not end a member in one inlined there
            elif made and (made[1] == "0" or _ends_part(frame, inner)):
                found.append(PLACES[level])
            frame, level, inner = frame.older(), level + 1, frame
    return found


def copying(behind, empties):
    """Frames of constructors and assignments that the compiler wrote, which copy or move an object,
    or make one where they are seen to leave a part of it null (`empties`): they stand on the line
    on which their class begins. ``behind``: the instruction before the pc is meant."""
    found, frame, level = [], gdb.newest_frame(), 0
    with contextlib.suppress(gdb.error):
        if behind:
            calls = [gdb.find_pc_line(frame.pc() - 1), *_CHAIN]
            found += [at for at, one in enumerate(_CHAIN)
                      if _begins_at(_class_of(one, empties), calls[at])]  # fmt: skip
            frame, level = frame.older(), 1
        while frame is not None and level < len(PLACES):
            of = _class_of(frame.function(), empties)
            if of and _begins_at(of, frame.find_sal()):
                found.append(PLACES[level])
            frame, level = frame.older(), level + 1
    return found


def _class_of(function, empties):
    """The class that a function copies, moves or makes an object of, by its name; None for any
    other function."""
    copies = function is not None and _COPIES.fullmatch(function.name or "")
    name = copies and (copies["of"] or (empties and copies["new"]))
    return gdb.lookup_symbol(name, domain=gdb.SYMBOL_STRUCT_DOMAIN)[0] if name else None


def _begins_at(of, call):
    """Whether a class begins on a line, of its function or of the call that was inlined there: a
    member's initialiser has another."""
    return of is not None and (of.line, str(of.symtab)) == (call.line, str(call.symtab))


def owning():
    """Frames of Rust's functions that destroy an argument that holds the block of the release that
    is about to run: it was moved to them, and who gave it may use it no more."""
    found, inner, level = [], gdb.newest_frame(), 1
    with contextlib.suppress(gdb.error, RuntimeError):
        block = struct.pack("<Q", int(inner.read_register("rdi")) & 0xFFFFFFFFFFFFFFFF)
        while (frame := inner.older()) is not None and level < len(PLACES):
            glue = re.fullmatch(r"core::ptr::drop_in_place<(.*)>", inner.name() or "")
            scope = frame.block() if glue else None
            while scope is not None and scope.function is None:
                scope = scope.superblock
            kept = [one for one in scope or () if one.is_argument and one.type.name == glue[1]]
            values = [frame.read_var(one) for one in kept]
            if any(block in memory(int(one.address), one.type.sizeof) for one in values):
                found.append(PLACES[level])
            inner, level = frame, level + 1
    return found


def _is_given(frame):
    """Whether a destructor's object is what the release that is about to run was given."""
    try:
        return int(frame.read_var("this")) == int(gdb.newest_frame().read_register("rdi"))
    except (gdb.error, ValueError):
        return False


def _ends_part(frame, inner):
    """Whether a destructor's inner frame is that of a member or base; so, too, if not known. One of
    a library's that left by a jump has no frame, but what it gives back stands in its object."""
    name = (inner and inner.name()) or ""
    left = inner is not None and re.search(r"D[012]Ev$", _called(inner) or "")
    if "~" not in name and not left:
        return False
    try:
        whole = frame.read_var("this")
        if "~" not in name:
            held = memory(int(whole), whole.type.target().sizeof)
            return struct.pack("<Q", number("$rdi")) in held
        part = inner.read_var("this")
        if part.is_optimized_out or whole.is_optimized_out:
            return _has_part(whole.type.target(), str(part.type.target().unqualified()))
        return 0 <= int(part) - int(whole) < whole.type.target().sizeof
    except (gdb.error, ValueError):
        return "~" in name


def _has_part(kind, name, deep=4):
    """Whether a structure has a member or base of a type, or an array of such."""
    kind = kind.strip_typedefs()
    while kind.code == gdb.TYPE_CODE_ARRAY:
        kind = kind.target().strip_typedefs()
    inner = [one.type for one in kind.fields() if one.type] if kind.code in COMPOUND else []
    return deep > 0 and any(
        str(one.strip_typedefs().unqualified()) == name or _has_part(one, name, deep - 1)
        for one in inner
    )


def untyped(gives=False):
    """Frames of functions that take or give memory of no type, ``void *``, or that of numbers alone
    to fill it; else of those alone that give such."""
    found, frame, level = [], gdb.newest_frame(), 0
    with contextlib.suppress(gdb.error):
        while frame is not None and level < len(PLACES):
            function = frame.function()
            if function is not None and _is_untyped(function.type, gives):
                found.append(PLACES[level])
            frame, level = frame.older(), level + 1
    return found


def passing(made):
    """The innermost frames of such functions that were inlined and only handed on to the next one
    what is about to be released, or was ``made``: they have no variables, and read or write nothing
    by a register in front of that, or behind it, but what they hand on."""
    found, known = [], untyped(made)
    with contextlib.suppress(gdb.error, RuntimeError):
        block = number("$rdi")
        frame = gdb.newest_frame().older()
        while frame is not None and frame.type() == gdb.INLINE_FRAME and len(found) + 1 in known:
            scope = frame.block()
            while scope.function is None:
                scope = scope.superblock
            start, end = (frame.pc(), scope.end) if made else (scope.start, frame.pc())
            if any(one.is_variable for one in scope) or not 0 <= end - start < _SHORT:
                break
            code = frame.architecture().disassemble(start, end - 1) if end > start else ()
            used = [one["asm"] for one in code if _BY_POINTER.search(one["asm"])]
            given = [frame.read_var(one) for one in scope if one.is_argument]
            other = any(not one.is_optimized_out and int(one) != block for one in given)
            if len(used) > 1 or (used and (made or other or not _HANDS_ON.match(used[0]))):
                break
            found.append(len(found) + 1)
            frame = frame.older()
    return [PLACES[level] for level in found]


_BY_POINTER = re.compile(r"^(?!lea|nop).*[(,]%(?!r[is]p)r\w+[,)]")
_HANDS_ON = re.compile(r"mov +\S+,%rdi$")
_SHORT = 256
"""Bytes of an inlined function's code that are looked at."""


def _is_untyped(function, gives):
    fields = () if gives else function.fields()
    types = [function.target(), *(field.type for field in fields)]
    plain = [one.strip_typedefs() for one in types]
    targets = [one.target().strip_typedefs() for one in plain if one.code == gdb.TYPE_CODE_PTR]
    filled = [one for one in targets if one.code in NUMBERS and one != one.unqualified().const()]
    return any(one.code == gdb.TYPE_CODE_VOID for one in targets) or (
        not gives and bool(filled) and all(one.code in NUMBERS for one in targets)
    )


def pointer(frame):
    """A frame's stack pointer, of one that is inlined its caller's."""
    try:
        return int(frame.read_register("rsp")) & 0xFFFFFFFFFFFFFFFF
    except Exception:
        return None


def frames(behind, limit=FRAMES):
    """The stack, innermost first; ``behind``: the instruction before the pc is meant."""
    found, frame = [], gdb.newest_frame()
    PLACES.clear()
    _CHAIN.clear()
    with contextlib.suppress(gdb.error, gdb.MemoryError):
        while frame is not None and len(found) < limit:
            PLACES.append(len(found))
            pc, name = frame.pc(), frame.name() or _called(frame)
            if "[abi:" in (name or ""):  # gdb leaves the parameters there: of what returns a text
                name = bare(name)
            chain = () if found else functions_at(pc - behind)
            skipped = chain and name != bare(chain[0].name) and _is_among(frame, chain)
            if not found and (behind or skipped):
                sal = gdb.find_pc_line(pc - behind)
                name = of_line(sal, pc - 1) or name if behind else bare(chain[0].name)
            else:
                sal = frame.find_sal()
            inner = found[-1]["function"] if found else None
            line = in_statement(sal, sal.line if found else own_line(sal), inner)
            table = sal.symtab
            module = gdb.solib_name(pc)
            if module is None and name is not None:
                module = gdb.current_progspace().filename
            found.append(
                {
                    "index": len(found),
                    "function": name,
                    "file": table.fullname() if table else None,
                    "line": line if table and line else None,
                    "module": module,
                    "address": pc,
                    "stack_pointer": pointer(frame),
                    "inlined": bool(skipped) or frame.type() == gdb.INLINE_FRAME,
                    "signal_handler": frame.type() == gdb.SIGTRAMP_FRAME,
                }
            )
            left = frame.type() == gdb.TAILCALL_FRAME  # gdb looks for nothing inlined there
            if left or (len(found) == 1 and (behind or skipped)):
                frame, chain = _inlined(frame, name, pc - (left or behind))
                if not left:
                    _CHAIN[:] = chain
                whole = frame.type() != gdb.INLINE_FRAME
                found += [{**one, "index": len(found) + at}
                          for at, one in enumerate(_left(found[-1], chain, whole))]  # fmt: skip
            frame = frame.older()
    return found


PLACES = []
"""Where the last stack has each of gdb's frames: what was inlined behind a jump is one more."""
_CHAIN = []
"""The functions that the instruction of its first frame is in, where gdb's frame is none of it."""


def _called(frame):
    """The name that a library's function was called by: what is picked for the processor (IFUNC) is
    named by debug information alone, which few machines have."""
    caller = frame.older()
    kinds = gdb.NORMAL_FRAME, gdb.INLINE_FRAME
    if not gdb.solib_name(frame.pc()) or not caller or caller.type() not in kinds:
        return None
    for size in (5, 6):  # to the table of what is linked (PLT), or by its cell (-fno-plt)
        with contextlib.suppress(gdb.error, gdb.MemoryError, OverflowError):
            [call, *more] = caller.architecture().disassemble(caller.pc() - size, caller.pc() - 1)
            named = re.search(r"^call .*<(\w+)@(?:plt|got)", call["asm"])
            if named and not more and call["length"] == size:
                return named[1]
    return None


def _is_among(frame, chain):
    return bare(frame.name() or "") in [bare(one.name) for one in chain]


def _inlined(frame, name, pc):
    """The functions from ``name`` on that an instruction is in, and gdb's frame of the last of
    them. gdb has none of those that begin there; what the next one is in alone is no caller."""
    chain = functions_at(pc)
    names = [bare(one.name) for one in chain]
    while frame.type() == gdb.INLINE_FRAME and not _is_among(frame, chain):
        frame = frame.older()
        PLACES.append(0)
    whole = frame.type() != gdb.INLINE_FRAME
    end = len(chain) if whole else names.index(bare(frame.name() or "")) + 1
    return frame, chain[names.index(name) if name in names else 0 : end]


def _left(first, chain, whole):
    """The callers of a chain's first function, where the pc stands behind what was inlined: of an
    inlined function's symbol gdb has the line that it was called from (DW_AT_call_line). The last
    one has the code where the chain is ``whole``."""
    made = []
    for place, (inner, one) in enumerate(itertools.pairwise(chain), 1):
        made.append(
            {
                **first,
                "index": place,
                "function": bare(one.name),
                "file": inner.symtab.fullname() if inner.symtab else None,
                "line": None
                if _is_brace(inner.symtab, inner.line, bare(inner.name))
                else inner.line or None,
                "inlined": not whole or place + 1 < len(chain),
            }
        )
    return made


def variables(limit=16):
    """Locals and arguments with an address, of the frames that have debug information."""
    found, frame, level = [], gdb.newest_frame(), 0
    with contextlib.suppress(gdb.error, gdb.MemoryError):
        while frame is not None and level < len(PLACES) and limit:
            found += of_frame(frame, PLACES[level])
            limit -= frame.find_sal().symtab is not None
            frame, level = frame.older(), level + 1
    return found


def pointed(value):
    """The structure that a pointer or a reference is to, if to one: its address and type."""
    kind = value.type.strip_typedefs()
    to = kind.code == gdb.TYPE_CODE_PTR or kind.code in REFERENCES
    target = kind.target().strip_typedefs() if to else kind
    if not to or target.code not in COMPOUND:
        return None
    at = value if kind.code == gdb.TYPE_CODE_PTR else value.referenced_value().address
    return int(at) & 0xFFFFFFFFFFFFFFFF, target


def unions(at, kind, deep=3):
    """Where the unions of a structure lie, with their sizes."""
    if kind.code == gdb.TYPE_CODE_UNION:
        return [(at, kind.sizeof)]
    if kind.code not in COMPOUND:
        return []
    inner = [f for f in kind.fields() if hasattr(f, "bitpos") and f.type is not None]
    types = [(at + f.bitpos // 8, f.type.strip_typedefs()) for f in inner if not f.bitsize]
    return [one for start, type in types if deep and type.code in COMPOUND
            for one in unions(start, type, deep - 1)]  # fmt: skip


def of_frame(frame, level, watch=""):
    """A frame's variables, or what is behind its pointers (M), in front of it its unions (U), with
    those of the variables themselves."""
    found, behind = [], watch in ("M", "U")
    try:
        block = frame.block()
    except Exception:
        return found
    while block is not None and not block.is_global and not block.is_static:
        for symbol in block:
            if symbol.is_variable or symbol.is_argument:
                with contextlib.suppress(Exception):
                    value = symbol.value(frame)
                    to = pointed(value) if behind else None
                    own = to is None and watch == "U" and value.address is not None
                    structure = (int(value.address), value.type.strip_typedefs()) if own else to
                    for at, size in unions(*structure) if structure and watch == "U" else ():
                        found.append({"frame": level, "name": UNION_HERE if own else UNION,
                                      "address": at, "size": size, "line": 0})  # fmt: skip
                    place = (to[0], to[1].sizeof) if to is not None else None
                    if not behind and value.address is not None and (
                        value.type.code not in REFERENCES
                    ):  # fmt: skip
                        place = int(value.address) & 0xFFFFFFFFFFFFFFFF, value.type.sizeof
                    if place is not None:
                        at, size = place
                        found.append({"frame": level, "name": symbol.name, "address": at,
                                      "size": size, "line": symbol.line})  # fmt: skip
        if block.function is not None:
            break
        block = block.superblock
    return found


def place(told, function=None):
    """An address of the first run, as the last one has it; without ``function`` the innermost."""
    pc = _there(told)
    sal = gdb.find_pc_line(pc)
    table = sal.symtab
    return {"index": 0, "function": function or of_line(sal, pc), "address": told,
            "module": gdb.solib_name(pc) or gdb.current_progspace().filename,
            "file": table.fullname() if table else None,
            "line": own_line(sal)}  # fmt: skip


def _there(told):
    from inside.anchors import LAST

    return LAST.there(told)


def places(addresses):
    """Function and line of addresses of code, each with the functions that it was inlined in, as
    JSON in one line."""
    chains = [(place(told), functions_at(_there(told))) for told in addresses]
    return json.dumps([[first, *_left(first, chain, True)] for first, chain in chains])


def declares(addresses):
    """Of addresses of code whether the innermost function there declares a variable of its own on
    that line, or begins on it and was not inlined, as JSON in one line: what an object begins with
    has no line of its own where it is kept in registers."""
    return json.dumps([_is_declared(_there(told)) for told in addresses])


def begins_row(addresses):
    """Of addresses of code whether a row of the line table begins there, as JSON in one line."""
    places = [_there(told) for told in addresses]
    return json.dumps([gdb.find_pc_line(pc).pc == pc for pc in places])


def widths(addresses):
    """Of addresses of code the sizes of the variables that the innermost function there declares on
    that line, as JSON in one line."""
    places = [_there(told) for told in addresses]
    found = [_of_line(gdb.block_for_pc(pc), own_line(gdb.find_pc_line(pc))) for pc in places]
    return json.dumps([[one.type.sizeof for one in each] for each in found])


def _of_line(block, line):
    return [one for one in block or () if one.is_variable and one.line == line]


def _is_declared(pc):
    block, line = gdb.block_for_pc(pc), own_line(gdb.find_pc_line(pc))
    while block is not None and not (block.is_global or block.is_static):
        if _of_line(block, line):
            return True
        if block.function is not None:
            begun = own_line(gdb.find_pc_line(block.start))
            return bool(block.superblock.is_static) and begun == line != block.function.line
        block = block.superblock
    return False


def answers(addresses):
    """Of the functions at these addresses what they are known to give back, a number (n) or what
    may be or hold an address (p), empty where nothing is known, as JSON in one line."""
    blocks = [_function_of(gdb.block_for_pc(_there(told))) for told in addresses]
    codes = [one and one.function.type.target().strip_typedefs().code for one in blocks]
    numbers = (*NUMBERS, gdb.TYPE_CODE_ENUM)
    return json.dumps(["" if code in (None, gdb.TYPE_CODE_VOID) else "n" if code in numbers else "p"
                       for code in codes])  # fmt: skip


def _function_of(block):
    while block is not None and block.function is None:
        block = block.superblock
    return block


def takes(addresses):
    """Of the functions at these addresses what each register of their arguments holds, in order: an
    address (p) or a number (n), up to one that is neither, as JSON in one line."""
    return json.dumps([_registers_of(gdb.block_for_pc(_there(told))) for told in addresses])


def _registers_of(block):
    found = ""
    for symbol in _function_of(block) or ():
        code = symbol.type.strip_typedefs().code
        if not symbol.is_argument or code == gdb.TYPE_CODE_FLT:
            continue
        if code not in (gdb.TYPE_CODE_PTR, *REFERENCES, gdb.TYPE_CODE_ENUM, *NUMBERS):
            break
        found += "p" if code in (gdb.TYPE_CODE_PTR, *REFERENCES) else "n"
    return found


def functions(told):
    """The functions that an instruction is of, outermost first, then what was inlined."""
    found, block = [], gdb.block_for_pc(_there(told))
    while block is not None:
        if block.function is not None:
            found.insert(0, bare(block.function.name))
        block = block.superblock
    return found


def common(addresses):
    """The innermost function that all of these instructions are of, and of its own instructions
    the first line."""
    chains = {told: functions(told) for told in addresses}
    alike = itertools.takewhile(lambda at: len(set(at)) == 1, zip(*chains.values(), strict=False))
    shared = [names[0] for names in alike]
    own = [place(told, shared[-1]) for told, chain in chains.items() if chain == shared != []]
    return json.dumps(sorted(own, key=lambda one: one["line"] or 1 << 30)[:1])
