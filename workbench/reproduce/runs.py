"""The runs of one program for one fault: which try, which watch, and what is kept of each."""

import asyncio
import contextlib
import hashlib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from workbench.model.facts import Frame
from workbench.model.origin import Origin, OriginStep
from workbench.model.text import counted
from workbench.reproduce.leads import lead_of
from workbench.reproduce.observing import Complete, Observed
from workbench.reproduce.orders import holds_of, other_order
from workbench.reproduce.owners import own
from workbench.reproduce.runner import Runner, Seen
from workbench.reproduce.search import Keep, Search
from workbench.reproduce.slices import Lead
from workbench.reproduce.told import Link, tell
from workbench.reproduce.wire import Hold, Outcome
from workbench.targets.identify import open_core

_LAST = 40
"""Hits of a watch that are looked at where the run before only counted the last ones."""
_SECONDS, _TIMES = 4.0, 5
"""Processor time that a watched run may take: so many seconds, or so many times the first run's."""
_ALL, _LIMITS = 2.5, 6
"""All of one search together: so many times that, or that part of the seconds that a run may last,
which a person can set."""

_PAGE = 1 << 12
_PANICKED = "exited with 101"
"""How a Rust program ends whose main thread panicked (std::rt)."""


class Wanted(Struct, frozen=True):
    """How the first crash ended, which the run has to end like: ``signal`` and the program's own
    frame. None for either: any. ``address`` is that frame's, which lies as far behind a page's
    start in each run; ``core`` is the dump. ``holds`` are where its thread may be held for it to
    fail again."""

    signal: str | None = None
    function: str | None = None
    address: int | None = None
    core: Path | None = None
    holds: tuple[Hold, ...] = ()


class Runs:
    """Runs a program for a fault; what `Search` asks of."""

    def __init__(
        self, runner: Runner, keep: Keep, say: Callable[[str], None], wanted: Wanted | None = None
    ) -> None:
        self.runner = runner
        self.differed: list[str] = []
        self._keep = keep
        self._say = say
        runner.say = lambda text: say(f"run {runner.runs}: {text}")
        self._wanted = wanted or Wanted()
        self._aslr = False
        self._needed = 0  # the number of the first try that failed as wanted
        self._hold: Hold | None = None  # with which it failed last
        self._forced = False
        self._holds = self._wanted.holds
        self._way: tuple[int, ...] = ()
        self._execs = 0
        self._panics = False  # a panic that unwound its stack ended the program
        self._first: Outcome | None = None
        self._most, self._used = _SECONDS, 0.0
        self._shown = dict[str, Observed]()  # by what was asked: it need not be run again
        self.too_often = False  # what the last run watched happened so often that it was cut
        self.hits = 0  # of what the last run watched; of blocks, those that were asked for
        self.aside: OriginStep | None = None  # what was seen, and is no origin by itself
        self.kept_in: Path | None = None  # where what a run showed is found again by the next call

    async def first(self) -> Seen | None:
        """The first run that ends as it should: without address randomisation first, and in a
        child where the program itself does not fail. None after all tries."""
        for number in range(self.runner.program.tries):
            hold = self._holds[number - 2] if 2 <= number < 2 + len(self._holds) else None
            plain = hold is None and not self.runner.records
            aslr, scouting = number % 4 >= 2 and plain, number % 2 == 1 and plain
            how = f"ASLR {'on' if aslr else 'off'}{', with its children' if scouting else ''}"
            how += ", in forced order" if hold is not None else ""
            how = "recorded by rr" if self.runner.records else how
            self._say(f"run {self.runner.runs + 1}: until it fails, {how}")
            core = self.runner.folder / "core"
            seen = await self.runner.run(
                aslr=aslr, scouting=scouting, core=str(core), hold=hold, panics=self._panics
            )
            way = seen.outcome.way
            self._panics = self._panics or seen.outcome.ended == _PANICKED
            if scouting and self._as_wanted(seen.outcome):  # again, with the others let go
                seen = await self.runner.run(
                    aslr=aslr, way=way, core=str(core), panics=self._panics
                )
            if self._as_wanted(seen.outcome):
                self._aslr, self._way, self._first = aslr, seen.outcome.way, seen.outcome
                self._execs = seen.outcome.execs
                self._needed, self._hold, self._forced = number, hold, seen.outcome.forced
                self._most = max(_SECONDS, _TIMES * seen.spent)
                return seen
            self.differed.append(ending(seen))
        return None

    @property
    def unlike(self) -> str:
        """What a run had to end like, in words; empty where any crash would do."""
        wanted = self._wanted
        if wanted.function is None and wanted.signal is None:
            return ""
        where = f" in {wanted.function}" if wanted.function is not None else ""
        return f"; the core's is {wanted.signal or 'a crash'}{where}"

    @property
    def rest(self) -> float:
        """Seconds of processor time that are left for the watched runs."""
        return max(_ALL * self._most, self.runner.program.timeout / _LIMITS) - self._used

    async def find(self, seen: Seen, core_path: Path) -> Origin | None:
        """The origin of the fault that the first run ended with, whose core lies at a path."""
        told = tell(seen.outcome)
        id = await self._keep("the run that failed", told.text, told.facts)
        core = await asyncio.to_thread(open_core, core_path, self._program())
        self._say("what to watch is worked out from the core")
        try:
            lead = await asyncio.to_thread(lead_of, core, seen.outcome)
            if seen.outcome.crashed:
                self._holds = await asyncio.to_thread(holds_of, core, seen.outcome)
            search = Search(core, Observed(id, seen.outcome), self)
            origin = (
                await search.found_missing() or await search.found_null()
                or await search.found_narrowed(lead)
            )  # fmt: skip
            if origin is None and lead is not None:
                origin = await search.find(lead)
                if origin and await self._is_another(search, origin, lead, seen.outcome):
                    origin = None
        finally:
            core.close()
        if origin is None:
            self.aside = search.aside
            return None
        if self._forced:
            await self._other_order(origin)
        return replace(origin, runs=self.runner.runs, forced=self._forced)

    async def _is_another(
        self, search: Search, origin: Origin, lead: Lead, outcome: Outcome
    ) -> bool:
        """See `Search.went_another_way`; of the dump that is to be reproduced."""
        if self._wanted.core is None:
            return False
        dump = await asyncio.to_thread(open_core, self._wanted.core, self._program())
        try:
            then = await asyncio.to_thread(lead_of, dump, outcome)
            if then is None or not await search.went_another_way(origin, lead, dump, then):
                return False
        finally:
            dump.close()
        self._say("the dump holds other values than that line's call stored: it went another way")
        return True

    async def _other_order(self, origin: Origin) -> None:
        """What the program does where the fault's thread comes first: evidence, whatever it is."""
        hold = other_order(origin)
        if hold is None:
            return
        self._say(f"run {self.runner.runs + 1}: the other order")
        seen = await self.runner.run(aslr=False, way=self._way, execs=self._execs, hold=hold)
        told = tell(seen.outcome)
        await self._keep("the other order", told.text, told.facts)
        held = "" if seen.outcome.forced else "; no thread could be held"
        self._say(f"run {self.runner.runs}: {ending(seen)}{held}")

    def _program(self) -> Path | None:
        """The file of the process that failed; None for one that its dump has to tell."""
        return None if self._execs else self.runner.program.path

    def _as_wanted(self, outcome: Outcome) -> bool:
        if not (outcome.crashed or outcome.hung):
            return False
        if outcome.hung and self._wanted.signal is not None:
            return self._wanted.signal == "hang"
        frame = own(outcome.frames)
        function, address = (frame.function, frame.address) if frame else (None, None)
        same = self._wanted.function in (None, function)
        # Where an inlined function begins, gdb tells the outer one of a process, not of a core.
        if self._wanted.address is not None and address is not None:
            same = same or (self._wanted.address - address) % _PAGE == 0
        return same and self._wanted.signal in (None, outcome.signal)

    async def observe(
        self, why: str, links: Sequence[Link], into: int | None, complete: Complete,
        skip: Mapping[str, int], **watches: object,
    ) -> Observed | None:  # fmt: skip
        """One more run that ends as the first did, made ``complete`` and kept with the ``links``
        that led to its watches; watched instructions are on the way to ``into``. The first hits of
        a watch, as many as ``skip`` says, are only counted. None when none ends so."""
        self.too_often = False
        moved = {"anchors": self._first.anchors} if self._aslr and self._first else {}
        watches = {**watches, **moved, "skip": skip, "aslr": self._aslr, "way": self._way}
        watches |= {"panics": self._panics, "execs": self._execs}
        asked = self._asked(watches)
        kept = self.kept_in / f"{asked}.json" if self.kept_in is not None else None
        known = self._shown.get(asked) if not links else None  # whose text says how they led there
        if known is None and kept is not None:
            known = await asyncio.to_thread(_known, kept)
        if known is not None:
            self._say(f"known from a run before: {why}")
            self._forced = self._forced or known.outcome.forced
            return known
        for hold in self._tries():
            held = " (forced order)" if hold is not None else ""
            self._say(f"run {self.runner.runs + 1}: {why}{held}")
            watches["hold"] = hold
            seen = await self._watched(watches)
            last = {hit.watch: hit.nth for hit in seen.outcome.events}
            totals = seen.outcome.totals.items()
            hot = {name: hits - _LAST for name, hits in totals if hits > last.get(name, hits)}
            if hot and not seen.cut:
                self._say(
                    f"run {self.runner.runs + 1}: the last of {counted(max(hot.values()), 'hit')}"
                )
                again = {**watches, "skip": {**skip, **hot}}
                seen = await self._watched(again)
            self.hits = hits = sum(seen.outcome.totals.values())
            self._say(f"run {self.runner.runs}: {counted(hits, 'hit')} in {seen.seconds:.1f} s")
            alike = self._first is not None and _alike(seen.outcome, self._first)
            told = tell(await complete(seen.outcome) if alike else seen.outcome, links, into)
            id = await self._keep(why, told.text, told.facts)
            slow = seen.outcome.hung and self._first is not None and not self._first.hung
            if seen.cut or (slow and self._needed == 0 and hold is None):  # no chance made it late
                self._say("it is done too often to be watched")
                self.too_often = True
                return None
            if alike:
                self._hold, self._forced = hold, self._forced or seen.outcome.forced
                observed = Observed(id, told.outcome)
                self._shown[asked] = observed
                if kept is not None:
                    await asyncio.to_thread(_keep, kept, observed)
                return observed
            self.differed.append(ending(seen))
        return None

    async def _watched(self, watches: Mapping[str, object]) -> Seen:
        seen = await self.runner.run(most=min(self._most, max(self.rest, 0)), **watches)
        self._used += seen.spent
        return seen

    def _tries(self) -> list[Hold | None]:
        """How the next runs are held: as the one that failed; where that took more than one try, or
        these do not fail, in each way that the core shows."""
        tries = self.runner.program.tries if self._aslr or self._needed > 1 or self._holds else 3
        if self._aslr:
            return [None] * tries
        plain = [self._hold] * (3 if self._hold is not None or self._needed <= 1 else 1)
        held = [one for one in self._holds if one != self._hold]
        return [*plain, *held, *[None] * tries][:tries]

    def _asked(self, watches: Mapping[str, object]) -> str:
        """What such a run of this very program is known by; where addresses move, in this search
        alone."""
        program, file = self.runner.program, self.runner.program.path.stat()
        told = {name: value for name, value in watches.items() if value}
        asked = (program, file.st_mtime_ns, file.st_size, told)
        return hashlib.sha256(msgspec.json.encode(asked, enc_hook=str)).hexdigest()[:32]

    async def places(self, addresses: Sequence[int]) -> list[Frame]:
        """Function and line of each address of code."""
        return [chain[0] for chain in await self.runner.places(addresses)]

    async def own_places(self, addresses: Sequence[int]) -> list[Frame]:
        """Of what was inlined there the program's own function and line."""
        return [own(chain) or chain[0] for chain in await self.runner.places(addresses)]


def _known(kept: Path) -> Observed | None:
    """What an earlier call kept of a run; None where that is not whole."""
    with contextlib.suppress(OSError, msgspec.DecodeError):
        return msgspec.json.decode(kept.read_bytes(), type=Observed)
    return None


def _keep(kept: Path, observed: Observed) -> None:
    """Whole or not at all: a full disk costs the next call a run."""
    scratch = kept.with_suffix(".part")
    with contextlib.suppress(OSError):
        kept.parent.mkdir(mode=0o700, exist_ok=True)
        scratch.write_bytes(msgspec.json.encode(observed))
        scratch.replace(kept)


def _alike(one: Outcome, other: Outcome) -> bool:
    """The same signal in the same function of the program's; or both still ran."""
    if one.hung and other.hung:
        return True
    mine, theirs = own(one.frames), own(other.frames)
    names = [frame.function if frame else None for frame in (mine, theirs)]
    return one.signal == other.signal and names[0] == names[1]


def ending(seen: Seen) -> str:
    """How a run ended, in words."""
    outcome = seen.outcome
    if not outcome.signal:
        return outcome.ended or "ended"
    frame = own(outcome.frames)
    where = f" in {frame.function}" if frame and frame.function else ""
    return f"{'still ran' if outcome.hung else outcome.signal}{where}"
