"""``inspect``: a managed object with its fields, else words of memory; and what they point to."""

import re
from collections.abc import Iterator
from dataclasses import replace

from workbench.agents.assisted.arguments import ERROR, NEW, REPEATED, Inspect, Result
from workbench.agents.assisted.numbered import whole_lines
from workbench.agents.assisted.tools_dump import ask
from workbench.agents.ports import Ports
from workbench.agents.report.managed import runtime_of

_WORDS = 8
_READS = 4
# For each debugger: words of memory, what stands in front of a line's words, and a pointer.
_MEMORY = {
    "gdb": ("x/{words}ga {address:#x}", r"^0x[0-9a-f]+(?: <[^>]*>)?:", r"\b0x[0-9a-f]{5,16}\b"),
    "lldb": (
        "memory read --format A --size 8 --count {words} {address:#x}",
        r"^0x[0-9a-f]+:",
        r"\b0x[0-9a-f]{5,16}\b",
    ),
    "cdb": ("dps {address:#x} L{words}", r"^[0-9a-f`]{8,17}\b", r"\b[0-9a-f]{8}`[0-9a-f]{8}\b"),
}
_OBJECT = {"lldb": "dumpobj {address:x}", "dotnet-dump": "dumpobj {address:x}",
           "cdb": "!dumpobj {address:x}"}  # fmt: skip
_ARRAY = {"lldb": "sos DumpArray -length {words} {more}{address:x}",
          "dotnet-dump": "dumparray -length {words} {more}{address:x}",
          "cdb": "!dumparray -length {words} {more}{address:x}"}  # fmt: skip
# By their CorElementType: those that refer to objects, and structures, whose fields stand below.
_ELEMENTS = {**dict.fromkeys(("CLASS", "STRING", "OBJECT", "SZARRAY", "ARRAY"), ""),
             "VALUETYPE": "-details "}  # fmt: skip
# SOS/Strike/strike.cpp, PrintObj, DumpArray and DisplayFields: VT 0 is a reference, whose value is
# an address. What a static of several domains, or of each thread, holds stands in the next line.
_TOLD = re.compile(r"^(?:Name|String|Array):\s", re.I)
_ARRAY_OF = re.compile(r"^Array:\s+Rank 1, .*\bType (\w+)", re.M)
_ELEMENT = re.compile(r"^(?P<name>\[\d+\])\s+(?P<value>\S+)\s*$")
_IS_OBJECT = re.compile(r"^\s*MethodTable:\s+[0-9a-f`]{8,17}\s*$", re.M | re.I)
_FIELD = re.compile(
    r"(?i)^\s*[0-9a-f`]{8,17}\s+[0-9a-f]+\s+[0-9a-f]+\s+(?P<type>\S.*?)\s+(?P<vt>[01])"
    r"\s+(?:(?:instance|static)\s+(?P<value>[^\s<]\S*)|(?:shared|[TC]Lstatic)(?:\s+static)?)"
    r"\s+(?P<name>\S+)\s*$"
)
_HELD = re.compile(r"^\s*>> (?:Domain|Thread):Value\s+(\S.*?)\s*<<")
_ADDRESS = re.compile("[0-9a-f`]{8,17}", re.I)


async def inspect(ports: Ports, asked: Inspect) -> Result:
    """What lies at an address, and, ``depth`` levels deep, at what it points to."""
    waiting, outcome = [int(asked.address, 16)], ERROR
    parts: list[str] = []
    items: list[str] = []
    seen = set[int]()
    for _ in range(asked.depth):
        level, waiting = waiting[:_READS], []
        for address in level:
            if address in seen:
                continue
            seen.add(address)
            result, next_ones = await _look(ports, address)
            parts.append(result.text)
            items += result.evidence
            if result.outcome in (NEW, REPEATED) and outcome != NEW:
                outcome = result.outcome
            waiting += next_ones
    shown = whole_lines("\n".join(parts), ports.state.shown.excerpt)
    return Result(shown, outcome, tuple(items))


async def _look(ports: Ports, address: int) -> tuple[Result, list[int]]:
    """One address: what was shown, and where it leads."""
    host = ports.state.host
    if host in _OBJECT and (host == "dotnet-dump" or runtime_of(ports.state) is not None):
        command = _OBJECT[host].format(address=address)
        result = await ask(ports, command, f"the object at {address:#x}", share=_READS)
        text = await _text(ports, result)
        if _IS_OBJECT.search(text):
            of = _ARRAY_OF.search(text)
            if of is not None and (more := _ELEMENTS.get(of[1])) is not None:
                command = _ARRAY[host].format(words=_WORDS, more=more, address=address)
                result = await ask(ports, command, f"the array at {address:#x}", share=_READS)
                text = await _text(ports, result)
            return _object(result, text)
        if host not in _MEMORY:
            return result, []
    if host not in _MEMORY:
        return Result("this debugger's commands for memory are not known: use exec", ERROR), []
    command = _MEMORY[host][0].format(words=_WORDS, address=address)
    result = await ask(ports, command, f"memory at {address:#x}", share=_READS)
    return result, list(_pointers(await _text(ports, result), host))


def _object(result: Result, text: str) -> tuple[Result, list[int]]:
    """Its type and its fields, without the columns that fill an excerpt before the first field."""
    lines, values = list[str](), list[str]()
    structures = (of := _ARRAY_OF.search(text)) is not None and of[1] == "VALUETYPE"
    for number, line in enumerate(text.split("\n"), 1):
        told = " ".join(line.split()) if _TOLD.match(line) else ""
        if (field := _FIELD.match(line)) is not None:
            told = f"{field['name']} = {field['value'] or 'static'} ({field['type']})"
            values += [field["value"] or ""] if field["vt"] == "0" else []
        elif (held := _HELD.match(line)) is not None:
            told = held[1]
        elif (element := _ELEMENT.match(line)) is not None:
            told = element["name"] if structures else f"{element['name']} = {element['value']}"
            values += [] if structures else [element["value"]]
        if told:
            lines.append(f"{result.evidence[0]}:{number}| {told}")
    references = (_number(one) for one in values if _ADDRESS.fullmatch(one))
    return replace(result, text="\n".join(lines)), [one for one in references if one]


async def _text(ports: Ports, result: Result) -> str:
    return await ports.text(result.evidence[0]) if result.evidence else ""


def _pointers(text: str, host: str) -> Iterator[int]:
    """The words that may be addresses, without those that say where a line lies."""
    _, label, pointer = _MEMORY[host]
    for line in text.split("\n"):
        yield from map(_number, re.findall(pointer, re.sub(label, "", line.strip(), count=1)))


def _number(digits: str) -> int:
    return int(digits.replace("`", ""), 16)
