"""The lines that dumps of every format share in ``@health``, ``@notes``, ``@mappings`` and
``@modules``."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import TypeVar

from msgspec import Struct

from workbench.model.evidence import Section
from workbench.model.facts import Region
from workbench.model.text import counted
from workbench.targets.modules import CoreModule
from workbench.targets.plain import one_line
from workbench.targets.siginfo import SigInfo

_MOST = {"modules": 10_000, "threads": 20_000, "mappings": 100_000}
_NAMED = 5
_M = TypeVar("_M", bound=CoreModule)
_STATES = ("found", "mismatched", "missing", "unverified")


class Cap(Struct, frozen=True):
    """A reason not to trust a conclusion further than ``ceiling`` (0..1)."""

    ceiling: float
    reason: str
    remedy: str


def files(modules: Sequence[CoreModule], what: str, missing: float, remedy: str) -> Iterator[Cap]:
    """What it costs that files of modules, called ``what``, are other ones here, or ``missing``."""
    for status, ceiling, words in (
        ("mismatched", 0.7, "here is not the one that was loaded"),
        ("missing", missing, "is not on this machine"),
    ):
        if found := [one for one in modules if one.status == status]:
            names = [one_line(one.name, 200) for one in found[:_NAMED]]
            shown = ", ".join([*names, *(["…"] if len(found) > _NAMED else [])])
            each = "each of " if len(found) > 1 else ""
            yield Cap(ceiling, f"{each}{counted(len(found), what)} {words}: {shown}", remedy)


def text(value: object) -> str:
    """A value on one line, ``unknown`` for none."""
    return one_line(str(value)) if value not in (None, "") else "unknown"


def some(lines: Iterable[str], total: int, what: str, name: str = "") -> list[str]:
    """As many of ``total`` lines as are shown, and how many are not."""
    most = _MOST[what]
    shown = list(islice(lines, most))
    return shown if total <= most else [*shown, f"not shown: {total - most} more{name}"]


def modules(found: Sequence[_M], shown: Callable[[_M], str], prefix: str = "") -> list[str]:
    """The lines of each module, the first one behind ``prefix``."""
    return some((prefix + shown(each) for each in found), len(found), "modules", " modules")


def health(
    *,
    size: int,
    truncated: bool,
    dumped: int,
    missing: int,
    executable: tuple[object, str],
    loaded: Sequence[CoreModule],
    more: Iterable[str] = (),
    caps: Iterable[Cap],
    listed: Iterable[str],
) -> str:
    """How far a dump can be trusted. ``executable`` is its file and whether that matches; ``more``
    lines stand before the caps, the ``listed`` modules behind the lowest of them."""
    states = [module.status for module in loaded]
    counts = ", ".join(f"{states.count(status)} {status}" for status in _STATES)
    lines = [
        f"file: {size} bytes, {'truncated' if truncated else 'complete'}",
        f"memory: {dumped} bytes dumped, {missing} bytes missing",
        f"executable: {text(executable[0])}",
        f"executable match: {executable[1]}",
        f"modules: {len(states)}, of them {counts}",
        *more,
    ]
    return "\n".join([*lines, *limits(caps), *listed])


def limits(caps: Iterable[Cap]) -> list[str]:
    """Why a conclusion is not to be trusted further, and the lowest of the ceilings."""
    found = list(caps)
    lines = [
        line
        for cap in found
        for line in (f"cap: {cap.ceiling:.2f} {cap.reason}", f"remedy: {cap.remedy}")
    ]
    lowest = min((cap.ceiling for cap in found), default=1.0)
    return [*lines, f"confidence ceiling: {lowest:.2f}"]


def sections(found: Sequence[Section]) -> str:
    """How many parts of texts were read, by who printed them."""
    hosts = Counter(section.host for section in found)
    shown = ", ".join(f"{count} of {host}" for host, count in hosts.most_common(20))
    return f"sections: {len(found)}, {shown}"


def module(item: CoreModule, symbols: str | None = None) -> str:
    """One module: span, how its file here relates to the dump, its symbols, build id, path."""
    return (
        f"{item.base:#x}-{item.end:#x} {item.status} {symbols or item.symbols} "
        f"{item.build_id or '-'} {one_line(item.path)}"
    )


def mapping(region: Region, present: int) -> str:
    """One mapping, of which the dump holds ``present`` bytes."""
    held = "dumped" if region.dumped else f"partial:{present}" if present else "absent"
    size = region.end - region.start
    line = f"{region.start:#x}-{region.end:#x} {region.perms} {size} {region.kind} {held}"
    if region.thread is not None:
        line += f" thread {region.thread}"
    if region.path is not None:
        line += f" offset {region.offset:#x} {one_line(region.path)}"
    return line


def core(system: str, arch: str, bits: int, little_endian: bool) -> str:
    """Which system and processor a dump is of."""
    return f"core: {system} {arch}, {bits}-bit, {'little' if little_endian else 'big'}-endian"


def process(pid: int | None, command_line: str | None, executable: str | None) -> list[str]:
    """Which process a dump is of."""
    return [
        f"process: {text(pid)}",
        f"command line: {text(command_line)}",
        f"executable: {text(executable)}",
    ]


def signal(info: SigInfo, pid: int | None, code: str, address: str = "") -> list[str]:
    """What a signal's record says, with si_code in the words of ``code``; ``address``: why it has
    none. ``pid``: the process's own."""
    said = [f"si_code: {code}"]
    if info.address is not None:
        said.append(f"si_addr: {info.address:#x}")
    elif address:
        said.append(f"si_addr: {address}")
    if info.pid is not None:
        who = " (the process itself)" if info.pid == pid else ""
        said.append(f"sender: process {info.pid} of user {info.uid}{who}")
    return said


def thread(tid: int, pc: int | None, sp: int | None, name: str | None = None) -> str:
    """Where one thread stands."""
    line = f"thread {tid}:"
    if pc is not None and sp is not None:
        line += f" pc {pc:#x} sp {sp:#x}"
    return line if name is None else f"{line} name {one_line(name, 200)}"


def registers(tid: int, values: Mapping[str, int]) -> list[str]:
    """The registers of a thread."""
    return [f"registers of thread {tid}:", *(f"  {name} {v:#x}" for name, v in values.items())]
