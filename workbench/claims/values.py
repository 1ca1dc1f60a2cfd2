"""When two values of a type are the same, and what a debugger's printed value holds."""

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

from workbench.claims.render import last_part
from workbench.model.aliases import alike
from workbench.model.claims import Value

_NUMBER = re.compile(r"-?(?:0[xX][0-9a-fA-F]{1,32}|\d{1,40})(?![\w.])")
_CAST = re.compile(r"\((?:[^()'\"]|\([^()]*\))*\)\s*")
_STEP = re.compile(r"->|\.|\[(\d{1,9})\]")
_DEEPEST = 64
_REPEAT = re.compile(r" <repeats (\d{1,9}) times>$")
_TAG = re.compile(r"\[abi:\w+\]")
"""How a demangled name shows that (Itanium C++ ABI, 5.1.4)."""
_EXPRESSION = re.compile(r"\s+")
_NAME = re.compile(r"_vptr\.\w+|[A-Za-z_]\w*")  # the first is gdb's for a table of functions
_MEMBER = re.compile(rf"(?P<name>{_NAME.pattern})(?: = |: (?!:))(?P<value>.*)", re.DOTALL)
_ELEMENT = re.compile(r"\[\d{1,9}\] = ")
_BASE_CLASS = re.compile(r"^((?=[^=]{0,2000}(?:::|<))[A-Za-z_][\w:<>, *&()]{0,2000}) = \{$")
"""What a class begins with that it derives from, as lldb prints it: no member has such a name."""
_ON_ONE_LINE = re.compile(r"((?:[A-Za-z_]\w* = )?(?:0x[0-9a-f]{1,16}: )?)\(([A-Za-z_]\w* = .*)\)")
"""A structure of scalars alone, as lldb prints it (FormatManager::ShouldPrintAsOneLiner)."""
HOLDS = re.compile(r"\._M_(?:(?:impl\._M_start|dataplus\._M_p)(?=\[)|(?:ptr|cur|current)(?=->))")
"""The pointer in an array or a pointer of libstdc++'s, in front of what goes through it."""
_REFERS = re.compile(r"(?:\(.{1,400}\) )?@0x[0-9a-f]{1,16}: (?P<gdb>[^{].*)"
                     r"|0x[0-9a-f]{1,16}: \{&\w+ = (?P<lldb>[^,{]*)\}"
                     r"|(?P<null>nullptr) \{pointer = nullptr\}")  # fmt: skip
"""A reference to a number, as gdb and as lldb print it: where that lies, and what it is; a smart
pointer that is null, as lldb does."""
_SMART = re.compile(
    r"\{_M_t = \{<std::__uniq_ptr_impl<.*<std::_Head_base<0, [^=]{1,2000}, false>>"
    r" = \{_M_head_impl = (?P<unique>0x[0-9a-f]{1,16})\b.*"
    r"|\{<std::__shared_ptr<[^=]{1,2000}> = \{<std::__shared_ptr_access<[^=]{1,2000}> = "
    r"\{<No data fields>\}, _M_ptr = (?P<shared>0x[0-9a-f]{1,16}), .*"
    r"|std::(?:unique|shared)_ptr<[^=]{1,2000} = \{get\(\) = (?P<get>0x[0-9a-f]{1,16})\}"
)
"""A smart pointer of libstdc++'s as gdb prints it, without its printers and with them, and where
that leads."""
_WORDS = {"true": 1, "false": 0, "NULL": 0, "nullptr": 0}
NULL = frozenset([
    "0", "NULL", "nullptr", "None", "null", "nil", "{}", "false", "default", "ptr::null()",
    "ptr::null_mut()", "std::ptr::null()", "std::ptr::null_mut()", "core::ptr::null()",
    "core::ptr::null_mut()",
])  # fmt: skip
"""What null and zero are written as (C23, C++20, Rust's std::ptr, Go, C#)."""
_POINTED_TEXT = re.compile(r'(?:\([^"]*\) )?0x[0-9a-fA-F]+(?: <[^"]*>)? "(?P<text>.*)"')


def number(value: Value) -> int | None:
    """A value as a number: an int, or text that is one in base 10 or 16."""
    if isinstance(value, int):
        return value
    text = value.strip().replace("`", "").rstrip("hH") if value[:2].lower() != "0x" else value
    match = _NUMBER.fullmatch(text.strip().replace("`", ""))
    return int(match[0], 0) if match and not _octal(match[0]) else None


def scalar(printed: str) -> int | None:
    """The number that a debugger printed first, behind casts: ``(int *) 0x10``, ``5 '\\005'``,
    ``0x4006 "text"``, ``0x401156 <main>``; None for a structure or a text alone."""
    text = printed.strip()
    text = text.removeprefix("@").lstrip() if text.startswith("@0x") else text
    while (cast := _CAST.match(text)) is not None:
        text = text[cast.end() :]
    match = _NUMBER.match(text)
    if match is None or _octal(match[0]):
        return _WORDS.get(text.partition(" {")[0])
    rest = text[match.end() :].lstrip().removeprefix("nullptr")  # lldb: what is in what it leads to
    return int(match[0], 0) if not rest or rest[0] in "'\"<:,)}" or rest.startswith("=") else None


def leads_to(printed: str) -> str:
    """Where a printed smart pointer leads; what was printed, where that is none."""
    smart = _SMART.fullmatch(printed)
    return smart[smart.lastgroup or 0] if smart is not None else printed


def referred_to(printed: str) -> str:
    """What a printed reference or null pointer is, where that is no structure; else what was
    printed."""
    found = _REFERS.fullmatch(printed)
    return found[found.lastgroup or 0] if found is not None else printed


def member(printed: str, path: str) -> str | None:
    """The part of a printed structure or array that a path such as ``.head->next`` or ``[3]``
    leads to, as far as the text itself shows it; None where it does not."""
    steps = _steps(path)
    if steps is None:
        return None
    text = printed.strip()
    for step in steps:
        parts = _parts(text)
        if isinstance(step, int):
            found = _element(parts, step)
        else:
            found = next((value for name, value in parts if name == step), None)
        if found is None:
            return None
        text = found
    return text


def leaves(printed: str, way: str = "") -> Iterator[tuple[str, str]]:
    """The scalars of a printed structure or array, each behind the way to it: ``.at[2].next``."""
    place = 0
    for name, value in _parts(printed.strip()):
        step = f"{way}.{name}" if name else f"{way}[{place}]"
        repeat = _REPEAT.search(value)
        place += int(repeat[1]) if repeat else 1
        value = referred_to(value)
        if "{" in value.partition('"')[0]:
            yield from leaves(value, step)
        else:
            yield step, value


def in_one_line(lines: Iterable[str]) -> str:
    """What lldb prints over several lines, as gdb prints it."""
    text = ""
    for line in lines:
        part = _ELEMENT.sub("", line.strip(), count=1)
        if (short := _ON_ONE_LINE.fullmatch(part)) is not None:
            part = f"{short[1]}{{{short[2]}}}"
        part = _BASE_CLASS.sub(r"<\1> = {", part)
        text += part if not text or text.endswith("{") or part in ("", "}") else f", {part}"
    return text


def _element(parts: Iterable[tuple[str, str]], wanted: int) -> str | None:
    at = 0
    for _, value in parts:
        repeat = _REPEAT.search(value)
        count = int(repeat[1]) if repeat else 1
        if at <= wanted < at + count:
            return value[: repeat.start()] if repeat else value
        at += count
    return None


def _steps(path: str) -> list[str | int] | None:
    found: list[str | int] = []
    at = 0
    while at < len(path) and len(found) < _DEEPEST:
        match = _STEP.match(path, at)
        if match is None:
            return None
        at = match.end()
        if match[1] is not None:
            found.append(int(match[1]))
            continue
        name = _NAME.match(path, at)
        if name is None:
            return None
        found.append(name[0])
        at = name.end()
    return found


@lru_cache(maxsize=256)  # each cause looks at the same few
def _parts(text: str) -> tuple[tuple[str, str], ...]:
    """The members of a printed ``{…}``, by name ('' for an element)."""
    return tuple(_split(text))


def _split(text: str) -> Iterator[tuple[str, str]]:
    begin = text.find("{")
    if begin < 0:
        return
    depth, start, quote, at = 0, begin + 1, "", begin
    while at < len(text):
        letter = text[at]
        if quote:
            if letter == "\\":
                at += 1
            elif letter == quote:
                quote = ""
        elif letter in "\"'":
            quote = letter
        elif letter in "{([<":
            depth += 1
        elif letter in "})]" or (letter == ">" and text[at - 1] != "-"):
            depth -= 1
            if not depth:
                yield from _named(text[start:at].strip())
                return
        elif letter == "," and depth == 1:
            yield from _named(text[start:at].strip())
            start = at + 1
        at += 1


def _named(text: str) -> Iterator[tuple[str, str]]:
    """A member with its name; of a base class (``<Base> = {…}``) its members, the object's own."""
    found = _MEMBER.fullmatch(text)
    if text.startswith("<") and "> = {" in text:
        yield from _parts(text[text.index("> = {") + 4 :])
        return
    name, value = (found["name"], found["value"]) if found is not None else ("", text)
    if value.strip("{}") != "<No data fields>":
        yield name, value


def same(type_: str, have: Value, want: Value) -> bool:
    """True when what the evidence has and what is stated are one value of that type."""
    match type_:
        case "hex" | "int" | "thread":
            left, right = number(have), number(want)
            if left is None or right is None:
                return str(have).strip() == str(want).strip()
            return left == right or (right < 0 and any(
                left == right % (1 << bits) for bits in (32, 64)))  # fmt: skip
        case "name":
            had, wanted = plain_name(str(have)), plain_name(str(want))
            return wanted == had.rpartition("::")[2] or alike(wanted, had)
        case "code":
            from workbench.claims.source.text import normal

            return normal(str(have)) == normal(str(want))
        case "file" | "module":
            return last_part(str(have)).lower() == last_part(str(want)).lower()
        case _:
            return printed_alike(str(have), want)


def printed_alike(have: str, want: Value) -> bool:
    """Equal as text whatever the spaces, or equal as the number that was printed."""
    wanted = str(want).strip().strip('"')
    pointed = _POINTED_TEXT.fullmatch(have.strip())
    if pointed is not None and pointed["text"] == wanted:
        return True
    if " ".join(have.strip().strip('"').split()) == " ".join(wanted.split()):
        return True
    if (refers := referred_to(have.strip())) != have.strip():
        return printed_alike(refers, want)
    value, printed = number(want), scalar(leads_to(have.strip()))
    if value is None or printed is None:
        return False
    return value == printed or (printed < 0 and any(value == printed % (1 << b) for b in (32, 64)))


@lru_cache(maxsize=16384)
def plain_name(name: str) -> str:
    """A symbol without parameters, offset, spaces and tags of its ABI."""
    bare = _EXPRESSION.sub("", _TAG.sub("", name).strip().strip("`"))
    depth = 0
    for at, letter in enumerate(bare):
        depth += {"<": 1, ">": -1}.get(letter, 0)
        if letter == "(" and at and depth <= 0 and not bare[:at].endswith("operator"):
            return bare[:at]
    return bare.partition("+0x")[0]


def _octal(text: str) -> bool:
    digits = text.lstrip("-")
    return len(digits) > 1 and digits[0] == "0" and digits[1] not in "xX"
