"""Inside gdb: what a statement looked up in a container, and whether that holds it.

Containers are libstdc++'s map, set, unordered_map and unordered_set (its ABI: stl_tree.h,
hashtable.h), and Rust's HashMap and HashSet, whose members debug information names (hashbrown,
raw.rs).
"""

# gdb's modules have no types here, and this file is no part of our process.
# mypy: ignore-errors

import contextlib
import re

import gdb
from inside.stacks import PLACES, REFERENCES, memory, source_line

MOST = 2000
"""Elements of a container that are looked at, at each hit."""
LONGEST = 1 << 12
"""Bytes of a text that is looked for."""
_ABOVE = 4
"""Lines that a statement may begin before the one that failed."""
_PATH = r"[A-Za-z_]\w*(?:(?:\.|->)[A-Za-z_]\w*)*"
_ASKED = re.compile(rf"({_PATH}?)(?:(?:\.|->)\w+\(|\[)[&*]*({_PATH}|\d+|\"[^\"\\]*\")(?:\)|\])")
_SYSTEM = re.compile(r"/usr/(?:include|lib)/|/rustc/|/rust/deps/|library/")
_TREE = re.compile(r"std::(?:map|set)<")
_CHAIN = re.compile(r"std::unordered_(?:map|set)<")


def looked_up(stack):
    """The containers in which the statement of the program's innermost frame, of a ``stack`` as it
    is told, asks for a key that they do not hold, by its source or by what the library's frames
    below it were given: where each keeps its count, how its elements lie, and the key (hex)."""
    of_program = [one for one in stack if one["line"] and not gdb.solib_name(one["address"])]
    told = next((one for one in of_program if not _SYSTEM.match(one["file"])), None)
    if told is None or told["file"].endswith(".c"):
        return []
    inner, frame = [], gdb.newest_frame()
    while PLACES[len(inner)] < told["index"] and frame.older() is not None:
        inner.append(frame)
        frame = frame.older()
    asked = [_given(one) for one in inner]
    pairs = _pairs(frame, told["file"], told["line"])
    asked += [(_value(frame, of), _value(frame, key)) for of, key in pairs]
    found = {}
    for of, key in asked:
        with contextlib.suppress(Exception):
            one = {**_laid_out(of), "key": "", "frame": told["index"]}
            one["key"] = _key(key, one).hex()
            if held(one) == 0:
                found[one["address"], one["key"]] = one
    return [*found.values()]


def held(one):
    """Whether a container holds the key: 1 or 0; -1 where it has not as many elements as it
    says, as while it is changed."""
    count = _number(one["address"])
    if count == 0:
        return 0
    walk = {"tree": _of_tree, "chain": _of_chain, "table": _of_table}[one["kind"]]
    elements = [*walk(one)] if count <= MOST else []
    if len(elements) != count:
        return -1
    return int(any(_stored(at, one) == bytes.fromhex(one["key"]) for at in elements))


def _number(at, size=8):
    return int.from_bytes(memory(at, size), "little")


def _of_tree(one):
    left = [_number(one["start"])]
    for _ in range(2 * MOST + 1):
        if not left:
            return
        if node := left.pop():
            yield node + one["offset"]
            left += [_number(node + 16), _number(node + 24)]


def _of_chain(one):
    node = _number(one["start"])
    for _ in range(MOST + 1):
        if not node:
            return
        yield node + one["offset"]
        node = _number(node)


def _of_table(one):
    """Elements lie in front of a byte for each that says whether it is there, the last first."""
    marks, mask = _number(one["start"]), _number(one["mask"])
    for index, mark in enumerate(memory(marks, min(mask + 1, 4 * MOST))):
        if mark < 0x80:
            yield marks - (index + 1) * one["stride"] + one["offset"]


def _stored(at, one):
    if not one["text"]:
        return memory(at, one["size"])
    start, length = (_number(at + distance) for distance in one["text"])
    return memory(start, length) if 0 < length < LONGEST else b""


# --- what is asked --------------------------------------------------------------------------------


def _pairs(frame, file, line):
    """What the failing statement's text asks for in what: ``of.f(key)``, ``of->f(&key)`` and
    ``of[key]``; else, of a variable in it, the text that set it last before."""
    text = source_line(file, line)
    for above in range(1, _ABOVE):
        before = source_line(file, line - above).split("//")[0].rstrip()
        if not before or before.endswith((";", "{", "}", ",")) or not re.match(r"\s*[.?]", text):
            break
        text = before + text.strip()
    if found := _in_text(text):
        yield from found
        return
    # gdb gives what was inlined the line of its call.
    lines = (frame.function().line, *(one.line for one in _arguments(frame)))
    first = min(one for one in (*lines, line) if one)
    for name in {*re.findall(r"[A-Za-z_]\w*", text)}:
        sets = re.compile(rf"\b{name}\b\s*(?::[^=]*)?=[^=](.*)")
        for number in range(line - 1, max(first, line - 200), -1):
            if found := sets.search(source_line(file, number)):
                yield from _in_text(found[1])
                break


def _in_text(text):
    text = re.sub(r"\s*(\.|->)\s*", r"\1", text.split("//")[0])
    return [one.groups() for one in _ASKED.finditer(text)]


def _given(frame):
    """Of a library's function the object that it was called for, and what it was asked."""
    values = []
    with contextlib.suppress(Exception):
        values = [_plain(one.value(frame)) for one in _arguments(frame)]
    return (values[0], values[1]) if len(values) == 2 else (None, None)


def _arguments(frame):
    block = frame.block()
    while block.function is None:
        block = block.superblock
    return [one for one in block if one.is_argument]


def _value(frame, text):
    """The value of a path of members, a number or a text."""
    with contextlib.suppress(Exception):
        if text[0] == '"':
            return text[1:-1].encode()
        if text.isdecimal():
            return gdb.Value(int(text))
        value = None
        for name in re.split(r"\.|->", text):
            if value is not None:
                value = _plain(value)[name]
                continue
            try:
                value = frame.read_var(name)
            except ValueError:
                value = _plain(frame.read_var("this"))[name]
        return _plain(value)
    return None


def _plain(value):
    """What a value leads to, if it is a reference or points to an object."""
    for _ in range(3):
        kind = value.type.strip_typedefs()
        if kind.code not in (gdb.TYPE_CODE_PTR, *REFERENCES):
            break
        to = kind.target().strip_typedefs()
        if kind.code == gdb.TYPE_CODE_PTR and to.sizeof == 1:
            break  # a text of C's
        value = value.referenced_value()
    return value


def _key(value, told):
    """The bytes by which an element's key is the one that is asked for."""
    if isinstance(value, bytes):
        data = value if told["text"] else None
    elif not told["text"]:
        data = (int(value) & ((1 << 8 * told["size"]) - 1)).to_bytes(told["size"], "little")
    elif value.type.strip_typedefs().code in (gdb.TYPE_CODE_PTR, gdb.TYPE_CODE_ARRAY):
        data = value.string().encode()
    else:
        data = _stored(int(value.address), {"text": _text(value.type)})
    if not data:
        raise ValueError
    return data


def _laid_out(value):
    """How a container's elements are found, and their keys in them. Raises for anything else."""
    kind = value.type.strip_typedefs()
    at, name = int(value.address), kind.name or ""
    if _TREE.match(name):
        where = {"kind": "tree", "address": at + 40, "start": at + 16, "offset": 32}
        return {**where, **_of_key(kind.template_argument(0))}
    if _CHAIN.match(name):
        where = {"kind": "chain", "address": at + 24, "start": at + 16, "offset": 8}
        return {**where, **_of_key(kind.template_argument(0))}
    while not (value.type.name or "").startswith("hashbrown::raw::RawTable<"):
        names = {one.name for one in value.type.fields()}
        value = value[next(one for one in ("base", "map", "table") if one in names)]
    pair = value.type.template_argument(0)
    first, inner = pair.fields()[0], value["table"]
    return {
        "kind": "table", "address": int(inner["items"].address),
        "start": int(inner["ctrl"].address), "mask": int(inner["bucket_mask"].address),
        "stride": pair.sizeof, "offset": first.bitpos // 8, **_of_key(first.type),
    }  # fmt: skip


def _of_key(kind):
    kind = kind.strip_typedefs()
    text = _text(kind)
    if not text and kind.code not in (gdb.TYPE_CODE_INT, gdb.TYPE_CODE_CHAR, gdb.TYPE_CODE_ENUM,
                         gdb.TYPE_CODE_PTR):  # fmt: skip
        raise ValueError
    return {"text": text, "size": kind.sizeof}


def _text(kind):
    """Where in a text of a library's type its bytes' address lies, and their number."""
    kind = kind.strip_typedefs()
    name = kind.name or ""
    if name.startswith("std::__cxx11::basic_string<char,"):
        return [0, 8]
    if name.startswith("std::basic_string_view<char,"):
        return [8, 0]
    if name == "&str":
        return [_offset(kind, "data_ptr"), _offset(kind, "length")]
    if name == "alloc::string::String":
        inner = _offset(kind, "vec", "buf", "inner", "ptr", "pointer", "pointer")
        return [inner, _offset(kind, "vec", "len")]
    return []


def _offset(kind, *names):
    distance = 0
    for name in names:
        field = next(one for one in kind.fields() if one.name == name)
        distance, kind = distance + field.bitpos // 8, field.type
    return distance
