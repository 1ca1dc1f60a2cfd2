"""The notes of a core as the kernel writes them (include/linux/elfcore.h, fs/binfmt_elf.c)."""

import struct
from collections.abc import Sequence

from workbench.live.process import Identity, Mapping

NT_PRSTATUS, NT_FPREGSET, NT_PRPSINFO, NT_AUXV, NT_FILE = 1, 2, 3, 6, 0x46494C45
_STATES = "RSDTZW"


def note(kind: int, body: bytes, owner: bytes = b"CORE") -> bytes:
    """One note (elf(5)): header, owner and body, both padded to four bytes."""
    name = owner + b"\0"
    return (
        struct.pack("<III", len(name), len(body), kind)
        + name.ljust(len(name) + 3 & ~3, b"\0")
        + body.ljust(len(body) + 3 & ~3, b"\0")
    )


def prstatus(who: Identity, tid: int, masks: tuple[int, int], registers: bytes) -> bytes:
    """elf_prstatus of a thread that no signal stopped."""
    head = struct.pack("<iiihxx", 0, 0, 0, 0)
    head += struct.pack("<QQ", *masks)
    head += struct.pack("<iiii", tid, who.ppid, who.pgrp, who.sid)
    return note(NT_PRSTATUS, head + bytes(64) + registers + struct.pack("<ixxxx", 1))


def prpsinfo(who: Identity, pid: int) -> bytes:
    """elf_prpsinfo: who the process is, with the first 80 bytes of its command line."""
    arguments = who.command_line.rstrip(b"\0").replace(b"\0", b" ")[:79]
    state = max(0, _STATES.find(who.state))
    body = struct.pack("<bcbbxxxxQ", state, who.state.encode()[:1], who.state == "Z", 0, 0)
    body += struct.pack("<IIiiii", who.uid, who.gid, pid, who.ppid, who.pgrp, who.sid)
    body += who.name.encode("utf-8", "surrogateescape")[:15].ljust(16, b"\0")
    return note(NT_PRPSINFO, body + arguments.ljust(80, b"\0"))


def auxv(content: bytes) -> bytes:
    """The auxiliary vector as /proc/PID/auxv has it."""
    return note(NT_AUXV, content)


def files(mapped: Sequence[Mapping], page: int) -> bytes:
    """NT_FILE: every mapping of a file."""
    named = [m for m in mapped if m.inode and m.path.startswith("/")]
    table = struct.pack("<QQ", len(named), page)
    table += b"".join(struct.pack("<QQQ", m.start, m.end, m.offset // page) for m in named)
    names = b"".join(m.path.encode("utf-8", "surrogateescape") + b"\0" for m in named)
    return note(NT_FILE, table + names)
