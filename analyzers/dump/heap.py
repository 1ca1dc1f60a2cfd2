"""Reads ``@heap``: walked heaps, broken headers, and the chunks that hold given addresses, or
whose stack had them."""

from typing import Any

from msgspec.structs import replace

from analyzers.base import Analysis, Document
from analyzers.dump.shapes import read
from workbench.model.facts import Chunk, ChunkShare, GivenBack, Heap, ListFault
from workbench.model.text import counted

_SHAPES = {
    "heap": "[main|arena] heap {start:x}-{end:x}: {chunks:n} chunks, {in_use:-n} in use, "
    "{tcache:n} free in tcache, {fastbins:n} in fastbins, {unsorted:n} unsorted, {bins:n} in "
    "bins, {}",
    "address": "address {address:x} ([where {holds:x} is stored|argument 1 of the call at {call:x}"
    "|{}]): chunk {start:x} size {size:x} in heap {heap:x}, state {state:[a-z-]{1,12}}"
    "[ of thread {thread:n}], offset {offset:-x}[ in its memory]",
    "given back": "address {address:x} ({}): in no heap: stack of thread {thread:n} {:w}, "
    "[{below:x} below its stack pointer|in the frame of {function:w}]",
    "poison": "value {:x} ({}) looks like poison {poison}",
    "stale link": "list fault: {name:[a-z]{1,8} .{1,60}}: the link in the freed chunk {chunk:x} "
    "gives {:x}, {}",
    "list fault": "list fault: {text:.*}",
    "broken": "heap {start:x} is broken at {broken_at:x}: {broken:prev_size 0x.*}",
    "before": "chunk before the broken header: {before:x} size {}",
    "overrun": "overrun: {} runs across the header at {broken_at:x}"
    "{overrun:(?:, which begins .*)?}",
    "most": "most of heap {start:x}: {count:n} chunks of size {size:x} in use, {bytes:n} of "
    "{total:n} bytes",
    "begin": "they begin with {:x}, as at {:x}: the table of class {kind}",
    "unreferred": "of {looked:n} of them, spread over the heap, nothing points to {lost:n}",
}
_FREE = ("tcache", "fastbins", "unsorted", "bins")


def heap(document: Document) -> Analysis:
    """A `Heap` for each heap and a `Chunk` for each address that lies in one, a `GivenBack` for
    one that a stack has taken back."""
    heaps: list[dict[str, Any]] = []
    chunks: list[Chunk] = []
    ended: list[GivenBack] = []
    findings: list[str] = []
    faults: list[ListFault] = []
    poison: str | None = None
    for name, number, line, fields in read(document, _SHAPES):
        cite = document.cite(number)
        if name == "heap":
            free = sum(fields.pop(list_) for list_ in _FREE)
            fields["in_use"] = max(0, fields["in_use"])
            heaps.append({**fields, "free": free, "lines": (number, number)})
        elif name == "address":
            chunks.append(Chunk(cite=cite, **fields))
        elif name == "given back":
            ended.append(GivenBack(cite=cite, **fields))
        elif name == "poison":
            poison = poison or fields["poison"]
        elif name in ("list fault", "stale link"):
            text = line.partition(": ")[2]
            faults.append(ListFault(line=number, text=text, chunk=fields.get("chunk")))
        elif heaps and _takes(heaps[-1], name, fields, number):
            heaps[-1]["lines"] = heaps[-1]["lines"][0], number
        else:
            continue
        if name in ("poison", "list fault", "stale link", "broken", "overrun"):
            findings.append(f"{line} [{cite}]")
    findings += [
        f"{chunk.address:#x} is inside the chunk at {chunk.start:#x}, which is {chunk.state} "
        f"[{chunk.cite}]"
        for chunk in chunks
    ]
    walked = [
        Heap(
            cite=document.cite(*fields.pop("lines")),
            poison=poison,
            list_faults=tuple(faults),
            **fields,
        )
        for fields in heaps
    ]
    return Analysis(_summary(walked, chunks), (*walked, *chunks, *ended), tuple(findings))


def _takes(heap: dict[str, Any], name: str, fields: dict[str, Any], number: int) -> bool:
    """Take a line that belongs to this heap into its fields; False for one that does not."""
    most: ChunkShare | None = heap.get("most")
    match name:
        case "broken" if fields["start"] == heap["start"]:
            heap |= fields
        case "most" if fields.pop("start") == heap["start"]:
            heap["most"] = ChunkShare(line=number, **fields)
        case "begin" if most is not None:
            heap["most"] = replace(most, kind=fields["kind"], kind_line=number)
        case "unreferred" if most is not None:
            heap["most"] = replace(most, **fields, lost_line=number)
        case "before" if "broken_at" in heap:
            heap |= fields
        case "overrun" if fields["broken_at"] == heap.get("broken_at"):
            heap["overrun"] = bool(fields["overrun"])
        case _:
            return False
    return True


def _summary(heaps: list[Heap], chunks: list[Chunk]) -> str:
    if not heaps:
        return "no heap of glibc was found"
    broken = sum(1 for heap in heaps if heap.broken_at is not None)
    state = f"{broken} broken" if broken else "consistent"
    freed = [c for c in chunks if c.state in ("tcache", "fastbin", "unsorted", "bin")]
    inside = sum(1 for chunk in freed if chunk.holds is None)
    about = f"; {counted(inside, 'address')} inside freed chunks" if chunks else ""
    if len(freed) > inside:
        about += f", {counted(len(freed) - inside, 'place')} there where one is stored"
    total = counted(sum(heap.chunks for heap in heaps), "chunk")
    return f"{counted(len(heaps), 'heap')}, {total}, {state}{about}"
