"""What all readers of SOS output share: a command's one name, bounds, small parsers.

SOS answers in lldb (``sos DumpHeap``, ``dumpheap``), in dotnet-dump (``dumpheap``) and in WinDbg
(``!dumpheap``, ``!sos.dumpheap``). Its words are those of dotnet/diagnostics, src/SOS/Strike and
src/Microsoft.Diagnostics.ExtensionCommands; older versions, in the runtime's own repository.
"""

import re

from analyzers.base import Document
from workbench.model.models import Complexity

MAX_LINE = 8192
"""Longer lines are cut before any pattern looks at them."""

_ALIASES = {
    "threads": "clrthreads", "printexception": "pe", "dumpstackobjects": "dso", "do": "dumpobj",
    "da": "dumparray", "fq": "finalizequeue",
}  # fmt: skip
_NAME_LIST = """
    clrthreads clrstack pe dso dumpobj dumparray dumpheap eeheap syncblk threadpool finalizequeue
    dumpasync gcroot dumpmd dumpmt dumpil dumpvc dumpclass dumpmodule dumpassembly dumpdomain
    name2ee ip2md token2ee clru gchandles gcheapstat gcwhere objsize verifyheap verifyobj
    threadstate eeversion sosstatus runtimes parallelstacks pstacks timerinfo ti eestack dumpstack
    listnearobj dumpsig dumpsigelem dumpruntimetypes ehinfo gcinfo analyzeoom dumpexceptions
    dumpdelegate threadpoolqueue taskstate tks dumpgen dumpgcdata uniquestacks crashinfo clrmodules
"""
_NAMES = frozenset(_NAME_LIST.split())
_PREFIX = re.compile(r"^(?:~[*\d.#]*\s*(?:e\s*)?)?(?:!(?:\w+\.)?|sos\s+|ext\s+)?", re.IGNORECASE)


def sos_command(document: Document) -> str | None:
    """The one name of the SOS command that a document answers, or None when it is none of SOS's.

    A bare ``threads`` is dotnet-dump's own list of native threads, not ``!threads``.
    """
    text = document.command[:MAX_LINE].strip()
    prefix = _PREFIX.match(text)
    cut = prefix.end() if prefix is not None else 0
    word = re.match(r"\w+", text[cut:])
    if word is None:
        return None
    name = word[0].lower()
    if name == "threads" and not text[:cut].strip():
        return None
    name = _ALIASES.get(name, name)
    return name if name in _NAMES else None


def lines_of(document: Document) -> list[tuple[int, str]]:
    """Line numbers from 1 with their lines, each cut at `MAX_LINE` characters, without CR."""
    return [(number, line[:MAX_LINE].rstrip()) for number, line in document.numbered()]


# Tables and records whose every row is read into facts.
_SETTLED_LIST = """
    clrstack clrthreads eeheap eeversion finalizequeue ip2md pe syncblk threadpool threadstate
"""
_SETTLED = frozenset(_SETTLED_LIST.split())
# What every thread does, at once.
_MANY = frozenset({"eestack", "parallelstacks", "pstacks", "uniquestacks"})
_ALL = re.compile(r"^~\*|\s-all\b", re.IGNORECASE)


def complexity_of(document: Document) -> Complexity:
    """Objects, heaps by type and what no reader knows are moderate; all threads' stacks complex."""
    name = sos_command(document)
    if name in _MANY or (name == "clrstack" and _ALL.search(document.command[:200])):
        return Complexity.COMPLEX
    return Complexity.SIMPLE if name in _SETTLED else Complexity.MODERATE
