"""What /proc says of a running process (proc(5))."""

from pathlib import Path

from msgspec import Struct


class Mapping(Struct, frozen=True, kw_only=True):
    """One line of /proc/PID/smaps. ``touched`` is True when the process has pages of its own in
    it, ``excluded`` when madvise(2) asked to leave it out of cores."""

    start: int
    end: int
    perms: str
    offset: int
    inode: int
    path: str
    touched: bool
    excluded: bool

    @property
    def wanted(self) -> bool:
        """True for what a core should hold: the process's own memory, as the kernel's default
        filter has it (core(5): private and shared anonymous memory)."""
        if self.excluded or self.path in ("[vvar]", "[vvar_vclock]", "[vsyscall]"):
            return False
        if "r" not in self.perms and "w" not in self.perms:
            return self.touched
        return self.inode == 0 or self.touched or self.path.endswith(" (deleted)")


class Identity(Struct, frozen=True, kw_only=True):
    """Who a process is; fields as in elf_prpsinfo."""

    state: str
    ppid: int
    pgrp: int
    sid: int
    uid: int
    gid: int
    name: str
    command_line: bytes


def mappings(pid: int) -> list[Mapping]:
    """The memory map in address order. Raises `OSError`."""
    found: list[Mapping] = []
    heading: list[str] = []
    own = flags = ""
    for line in Path(f"/proc/{pid}/smaps").read_text("utf-8", "surrogateescape").splitlines():
        key = line.split(None, 1)[0] if line else ""
        if key.endswith(":"):
            if key == "Anonymous:":
                own = line.split()[1]
            elif key == "VmFlags:":
                flags = line
        elif "-" in key:
            if heading:
                found.append(_mapping(heading, own, flags))
            heading, own, flags = line.split(None, 5), "", ""
    if heading:
        found.append(_mapping(heading, own, flags))
    return found


def _mapping(heading: list[str], own: str, flags: str) -> Mapping:
    start, end = heading[0].split("-")
    return Mapping(
        start=int(start, 16), end=int(end, 16), perms=heading[1], offset=int(heading[2], 16),
        inode=int(heading[4]), path=heading[5] if len(heading) > 5 else "",
        touched=own not in ("", "0"), excluded="dd" in flags.split())  # fmt: skip


def threads(pid: int) -> list[int]:
    """The TIDs of a process, its first thread first. Raises `OSError`."""
    found = sorted(int(task.name) for task in Path(f"/proc/{pid}/task").iterdir())
    return sorted(found, key=lambda tid: tid != pid)


def identity(pid: int) -> Identity:
    """Raises `OSError` when there is no such process."""
    folder = Path(f"/proc/{pid}")
    name, rest = (folder / "stat").read_text("utf-8", "replace").split("(", 1)[1].rsplit(")", 1)
    fields = rest.split()
    status = dict(
        line.split(":", 1) for line in (folder / "status").read_text().splitlines() if ":" in line
    )
    return Identity(
        state=fields[0], ppid=int(fields[1]), pgrp=int(fields[2]), sid=int(fields[3]),
        uid=int(status["Uid"].split()[0]), gid=int(status["Gid"].split()[0]), name=name,
        command_line=(folder / "cmdline").read_bytes())  # fmt: skip


def signal_masks(pid: int, tid: int) -> tuple[int, int]:
    """A thread's pending and blocked signals as bit masks. Raises `OSError`."""
    text = Path(f"/proc/{pid}/task/{tid}/status").read_text()
    fields = dict(line.split(":", 1) for line in text.splitlines() if ":" in line)
    return int(fields["SigPnd"], 16), int(fields["SigBlk"], 16)
