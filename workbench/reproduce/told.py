"""What a run showed, as the text that becomes evidence and as the facts that its lines say."""

from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from workbench.model.citation import Citation
from workbench.model.facts import Frame, Hit
from workbench.model.text import printable
from workbench.reproduce import wire
from workbench.reproduce.owners import is_own

_MOST, _INNERMOST, _MOST_AT_END = 12, 4, 16
_ROLES = {"access": "rewrite", "alloc": "born", "free": "freed", "lock": "locked",
          "unlock": "unlocked"}  # fmt: skip
"""By kind of event, where a fact has another word."""


class Link(Struct, frozen=True):
    """On the way back from ``into``, a cell or an instruction, lies ``address``: a cell whose
    ``value`` was ``read`` by the instruction at ``frame``, or what was ``used`` without a read."""

    into: int
    address: int
    value: int | None = None
    frame: Frame | None = None


class Told(Struct, frozen=True):
    """``facts`` cite an item that has no name yet; ``outcome`` knows its events' lines."""

    text: str
    facts: tuple[Hit, ...]
    outcome: wire.Outcome


def tell(outcome: wire.Outcome, links: Sequence[Link] = (), into: int | None = None) -> Told:
    """The text of a run: what led to its watches, its events, its end. An instruction that was
    watched is on the way to ``into``."""
    lines: list[str] = []
    facts: list[Hit] = []

    def add(head: str, frames: Sequence[Frame], hit: Hit) -> tuple[int, int]:
        first = len(lines) + 1
        lines.append(head)
        shown = []
        for frame in frames:
            lines.append(_frame(frame))
            shown.append(replace(frame, line_no=len(lines)))
        facts.append(replace(hit, frames=tuple(shown), cite=Citation("", first, len(lines))))
        return first, len(lines)

    none = Citation("")
    for link in links:
        role = "used" if link.frame is None else "read"
        value = f": {link.value:#x}" if link.value is not None and role == "read" else ""
        add(f"{role} {link.address:#x} on the way to {link.into:#x}{value}",
            [link.frame] if link.frame is not None else [],
            Hit(cite=none, role=role, cell=link.address, into=link.into,
                new=link.value if value else None))  # fmt: skip
    events = []
    for hit in outcome.events:
        point = hit.kind == "point"
        first, last = add(_head(hit), _shown(hit), Hit(
            cite=none, role=_ROLES.get(hit.kind, hit.kind), cell=hit.address,
            size=hit.size or None, old=hit.old, new=hit.new, into=into if point else None,
        ))  # fmt: skip
        if point and into is not None:
            lines[first - 1] += f" on the way to {into:#x}"
        events.append(replace(hit, first=first, last=last))
    for start, size in _kept(outcome, links):
        add(f"kept the block at {start:#x}, {size} bytes: allocated once, never freed", [],
            Hit(cite=none, role="kept", cell=start, size=size))  # fmt: skip
    how = outcome.ended or f"stopped by {outcome.signal}"
    if outcome.address is not None and outcome.signal in ("SIGSEGV", "SIGBUS"):
        how += f" at address {outcome.address:#x}"
    add(f"the program {how}", outcome.frames[:_MOST_AT_END],
        Hit(cite=none, role="fault", signal=outcome.signal or None))  # fmt: skip
    lines += [f"note: {printable(note)}" for note in outcome.notes]
    text = "\n".join(lines) + "\n"
    return Told(text, tuple(facts), replace(outcome, events=tuple(events)))


def _shown(hit: wire.Hit) -> tuple[Frame, ...]:
    """The innermost frames; of a stack that begins deep in a library, the program's too."""
    own = [frame for frame in hit.frames if is_own(frame) and frame.index not in hit.made]
    first = next((at for at, frame in enumerate(hit.frames) if frame in own[:1]), 0)
    if first < _MOST:
        return hit.frames[:_MOST]
    return hit.frames[:_INNERMOST] + hit.frames[first : first + _MOST - _INNERMOST]


def _kept(outcome: wire.Outcome, links: Sequence[Link]) -> list[tuple[int, int]]:
    """The blocks on the way whose birth was seen, all of whose events are known, and whose death
    was not: start and size."""
    seen = [hit for hit in outcome.events if hit.watch == "block"]
    if len(seen) < outcome.totals.get("block", 0) or outcome.notes:
        return []
    found = []
    for link in links:
        of = [one for one in seen if 0 <= link.address - one.address < one.size]
        found += [(one.address, one.size) for one in of if len(of) == 1 and one.kind == "alloc"]
    return list(dict.fromkeys(found))


def _head(hit: wire.Hit) -> str:
    head = f"{hit.order}. {hit.kind} {hit.watch} at {hit.address:#x}, thread {hit.thread}"
    head += f", {hit.size} bytes" if hit.size else ""
    if hit.kind == "access":
        return f"{head}: {_value(hit.new)}, unchanged"
    return f"{head}: {_value(hit.old)} -> {_value(hit.new)}" if hit.kind == "write" else head


def _value(value: int | None) -> str:
    return "unmapped" if value is None else f"{value:#x}"


def _frame(frame: Frame) -> str:
    """A line of its own, whatever a symbol's name holds."""
    where = f" at {frame.file}:{frame.line}" if frame.file and frame.line else ""
    return printable(f"  #{frame.index} {frame.address or 0:#x} in {frame.function or '??'}{where}")
