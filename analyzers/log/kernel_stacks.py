"""The call traces of a kernel's report, and which frame the report is about."""

import re
from collections.abc import Iterable

from msgspec.structs import replace

from analyzers.log.frames import frame_by
from analyzers.log.stacks import read_roles, trace
from analyzers.owners.kernel import is_kernel_machinery
from workbench.model.facts import Frame, Role

_FRAME = re.compile(
    r"^\s{0,8}(?:<<?/?[A-Z]{3}>>?\s{1,4})?"  # where another stack begins or ends
    r"(?:\[[0-9a-f]{8,16}\] \[(?P<powerpc>[0-9a-f]{8,16})\] \.?)?"
    r"(?:\(?\[<(?P<address>[0-9a-f ]{4,20}|\s*inline\s*|"
    r"\s*none\s*)>\]\s*)?(?:\(\[<[0-9a-f]+>\]\) ?)?(?P<maybe>\? )?"
    r"(?P<name>[\w.$]{1,200})(?:\+0x(?P<offset>[0-9a-f]{1,8})/0x[0-9a-f]{1,8})(?: "
    r"\[(?P<module>[\w-]{1,80})[^\]]{0,80}\])?(?P<rest>.{0,400})$"
)
# ARM: "[<8011344c>] (unwind_backtrace) from [<8010ef84>] (show_stack+0x18/0x1c)"; the first name is
# the frame of the line.
_FROM = re.compile(
    r"^\s{0,8}\[<(?P<address>[0-9a-f]{8,16})>\] \((?P<name>[\w.$]{1,200})(?:\+0x[0-9a-f/x]{1,20})?"
    r"(?: \[(?P<module>[\w-]{1,80})\])?\) from (?P<rest>\[<[0-9a-f]{8,16}>\].{0,400})$"
)
_INLINE = re.compile(
    r"^\s{0,8}\[<\s*inline\s*>\]\s*(?P<function>[\w.$]{1,200}) "
    r"(?P<file>\S{1,300}?):(?P<line>\d{1,9})\b"
)
_PLAIN_INLINE = re.compile(
    r"^\s{1,8}(?P<function>[\w.$]{1,200}) "
    r"(?P<file>[\w./-]{1,300}\.[chS]):(?P<line>\d{1,9}) \[inline\]"
)
_FILE = re.compile(r"^\s*(?P<file>[\w./-]{1,300}\.[chSrs]{1,2}):(?P<line>\d{1,9})\b")
_IP = re.compile(
    r"^(?:[RE]?IP: (?:[0-9a-f]{4}:)?|pc : |PC is at ?|EIP is at |NIP \[[0-9a-f]+\] \.?|epc : |"
    r"Krnl PSW : [0-9a-f ]{25,40} \()(?:\[<[^>]{0,20}>\]\s{1,4}){0,2}"
    r"(?P<name>[A-Za-z_][\w.$]{0,199})\+0x(?P<offset>[0-9a-f]{1,8})/0x[0-9a-f]{1,8}(?: "
    r"\[(?P<module>[\w-]{1,80})\])?(?P<rest>.{0,300})$"
)
# lockdep: "(rtnl_mutex){+.+.}, at: [<ffffffff84a2d0e7>] rtnl_lock+0x17/0x20"
_LOCK = re.compile(
    r"^\s{0,4}(?:[0-9a-f]{8,16} )?\(.{1,200}\)\{.{1,40}\}.{0,40}, at: (?P<at>\S.{0,300})$"
)
_TRYING = re.compile(r"is trying to (?:acquire|release|get) lock\b|\] takes:$")
_REPORTERS = frozenset({"rcu_gp_kthread", "rcu_gp_fqs_loop"})
"""What a stalled grace period's own thread runs: its trace is shown beside that of the stall."""


def kernel_frame(line: str, number: int) -> Frame | None:
    """A line of a kernel's call trace; one marked ``?`` is a guess, of trust ``scan``."""
    inline = _INLINE.match(line) or _PLAIN_INLINE.match(line)
    if inline is not None:
        return frame_by(inline, 0, number, inlined=True)
    match = _FROM.match(line) or (None if _IP.match(line) else _FRAME.match(line))
    return _named(match, number) if match is not None else None


def _named(match: re.Match[str], number: int) -> Frame:
    groups = match.groupdict()
    place = _FILE.match(groups.get("rest") or "")
    address = (groups.get("address") or groups.get("powerpc") or "").strip()
    trust = "scan" if groups.get("maybe") else "symbols"
    said = {"function": match["name"], "module": groups.get("module")}
    if re.fullmatch(r"[0-9a-f]{4,16}", address):
        said["address"] = address
    if place is not None:
        said |= place.groupdict()
    return frame_by(said, 0, number, trust=trust)


class _Frames:
    """Counts the frames of each trace."""

    def __init__(self) -> None:
        self.index = -1

    def __call__(self, line: str, number: int) -> Frame | None:
        """The frame of a line, or None."""
        frame = kernel_frame(line, number)
        if frame is None:
            if line.strip() and not line.startswith(" "):
                self.index = -1
            return None
        self.index += 1
        return replace(frame, index=self.index)


def is_machinery(frame: Frame) -> bool:
    """True for the kernel's own machinery; a loaded module's functions may be called alike."""
    return not frame.module and is_kernel_machinery(frame.function or "")


def subject(frames: Iterable[Frame]) -> tuple[Frame, ...]:
    """The frames from the first one that the report may be about; all where there is none."""
    known = tuple(frames)
    for at, frame in enumerate(known):
        if not is_machinery(frame):
            return known[at:]
    return known


def roles_of(block: list[tuple[int, str]], *, stopped: bool) -> tuple[Role, ...]:
    """The traces; guesses left out where a trace has anything else. ``stopped`` where the processor
    stopped at an instruction: its frame comes first then."""
    roles: list[Role] = []
    for role in read_roles(block, _Frames()):
        sure = tuple(frame for frame in role.frames if frame.trust != "scan")
        frames = sure or role.frames
        if any(frame.function in _REPORTERS for frame in frames):
            continue
        name = "access" if not roles and role.role in ("other", "create") else role.role
        roles.append(replace(role, role=name, frames=frames))
    if stopped:
        roles = _with_pointer(roles, _pointer(block))
    while len(roles) > 1 and all(map(is_machinery, roles[0].frames)):
        roles = [replace(roles[1], role="access"), *roles[2:]]
    asked = _asked_for(block)
    if asked is not None and not is_machinery(asked):
        roles = [_alone(asked), *(replace(role, role="other") for role in roles)]
    return tuple(replace(role, frames=subject(role.frames)) for role in roles)


_ACCESS = re.compile(r"\bto 0x[0-9a-f]{4,16} of \d{1,9} bytes by ")


def race_of(block: list[tuple[int, str]]) -> tuple[Role, ...]:
    """The stacks of a race's accesses (kernel/kcsan/report.c), each from what its first line names
    on; what another message of the kernel cut off from one is none of them."""
    named = set(re.findall(r"[\w.$]+(?=\+0x| /|$)", block[0][1].partition(" data-race in ")[2]))
    roles = [role for role in read_roles(block, _Frames()) if _ACCESS.search(role.title)]
    return tuple(
        replace(role, role="other" if at else "access", frames=_of_access(role.frames, named))
        for at, role in enumerate(roles)
    )


def _of_access(frames: tuple[Frame, ...], named: set[str]) -> tuple[Frame, ...]:
    told = (at for at, f in enumerate(frames) if f.function in named or not is_machinery(f))
    return frames[next(told, 0) :]


def _pointer(block: list[tuple[int, str]]) -> Frame | None:
    """The frame of the instruction at which the processor stopped, the first that is shown."""
    for number, text in block:
        found = _IP.match(text.strip())
        if found is not None:
            return _named(found, number)
    return None


def _alone(frame: Frame) -> Role:
    return trace("access", frame.function or "", frame.line_no, (frame,))


def _with_pointer(roles: list[Role], pointer: Frame | None) -> list[Role]:
    """The instruction's frame at the head of its own trace: the one that has its function, where
    what stands above it printed the report, else the one below the registers."""
    if pointer is None:
        return roles
    for at, shown in enumerate(roles):
        names = [frame.function for frame in shown.frames[:24]]
        has, below = pointer.function in names, shown.frames
        if has:
            below = shown.frames[names.index(pointer.function) + 1 :]
        elif shown.frames[0].line_no < pointer.line_no:
            continue
        joined = (pointer, *below)
        frames = tuple(replace(frame, index=n) for n, frame in enumerate(joined))
        mine = replace(shown, role="access", frames=frames)
        return [mine, *(replace(role, role="other") for role in (*roles[:at], *roles[at + 1 :]))]
    return [_alone(pointer), *(replace(role, role="other") for role in roles)]


def _asked_for(block: list[tuple[int, str]]) -> Frame | None:
    """Where the lock was asked for that lockdep warns of."""
    for at, (_, line) in enumerate(block[:16]):
        if not _TRYING.search(line):
            continue
        for number, below in block[at + 1 : at + 4]:
            lock = _LOCK.match(below.strip())
            if lock is not None:
                return kernel_frame(f" {lock['at']}", number)
    return None
