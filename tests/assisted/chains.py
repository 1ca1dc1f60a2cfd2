"""Every chain of true statements of a crash, to every line of its source, told as every origin that
the line may be: what is told then is what a model could have told.

A program's first comment says how it is made, ``attack: flags=-O2; args=3; values=run:p->at``; the
lines that are marked ``/*!*/`` are true origins.
"""

import itertools
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from msgspec.structs import replace

from tests.assisted.script import statement
from workbench.agents.assisted.against import against
from workbench.agents.assisted.answers import Statement
from workbench.agents.assisted.claims import claims_of, hold
from workbench.agents.assisted.code import Code
from workbench.agents.assisted.dump import LEAST, Dump, Place
from workbench.agents.assisted.gathering import code_of
from workbench.agents.assisted.proof import proved
from workbench.agents.assisted.released import met
from workbench.agents.model_choice import lacking
from workbench.claims.chain import SHOWN_BY, breaks, linked, same_function, shows, words
from workbench.claims.chain import _fails as fails
from workbench.claims.kinds import KINDS
from workbench.claims.rows import rows
from workbench.claims.say import say
from workbench.claims.source import function_extent
from workbench.engine.session import Session
from workbench.model.assisted_events import Explanation
from workbench.model.category import Category
from workbench.model.claims import Claim
from workbench.model.evidence import Command
from workbench.model.facts import Fault, Frame
from workbench.model.origin import Origin, OriginKind

TRUE = "/*!*/"
_PATH = re.compile(r"(?<![\w.>:&\"'])[A-Za-z_]\w*(?:(?:->|\.)[A-Za-z_]\w*|\[\w+\])*(?![\w(\"'])")
_NAMED = re.compile(r"(?<!:):(?!:)")
_LAST = re.compile(r"(?:->|\.|\[)[^.>\[]*$")
_FACTS = words(
    "signal raised access fault_address transfer message exception waits cycle repeats stack loop "
    "loaded returned_by unset data chunk headers argument virtual_call outside member owns symbol"
)
_NOT_ASKED = ("prediction", "hypothesis: there is none")
"""What an answer may lack that no chain brings."""
_FRAMES, _VALUES, _ADDRESSES, _PREFIXES = 7, 220, 40, 900
_LONGEST, _CHAINS, _TRIED = 10, 14, 10


class Told(NamedTuple):
    """A line that is told as an origin of a kind, and by what chain."""

    kind: str
    line: int
    chain: tuple[str, ...]


async def told(session: Session, source: Path, values: Sequence[str]) -> list[Told]:
    """All that is told of a session that has run, each line once a kind."""
    code = await code_of(session, None)
    facts = await _facts(session, code, source, values)
    stated = await _stated(session, code)
    starts = _prefixes(facts)
    before = {
        id(one): [two for two in stated if two is not one and linked(two, one)] for one in stated
    }
    after = {id(one[-1]): [two for two in stated if linked(one[-1], two)] for one in starts}
    found = []
    for goal in stated:
        kinds = [kind for kind in SHOWN_BY if shows(kind, goal)]
        named = [one for one in starts if kinds and one[-1].kind in ("value", "chunk", "message")]
        ready = []  # that it was this object, or cell, may be proved by other means
        for ways in _chains(goal, starts, before, after), [(*one, goal) for one in named[:25]]:
            held = [one for one in [await _linked(session, one, code) for one in ways] if one]
            ready += list(dict.fromkeys(held))[:_TRIED]
        by = {kind: await _first(session, kind, goal, ready, code) for kind in kinds}
        at = int(goal.get("at") or 0)
        found += [Told(kind, at, tuple(one.text for one in way)) for kind, way in by.items() if way]
    return found


async def _linked(session: Session, chain: tuple[Claim, ...], code: Code) -> tuple[Claim, ...]:
    if not breaks(chain):
        return chain
    category = Category.HEAP_BUFFER_OVERFLOW
    if chain[-1].kind == "frees":
        ended = chain[0].kind == "message"
        category = Category.DOUBLE_FREE if ended else Category.USE_AFTER_FREE
    return await met(session, chain, code, category)


async def _first(
    session: Session, kind: str, goal: Claim, chains: Sequence[tuple[Claim, ...]], code: Code
) -> tuple[Claim, ...]:
    """The first chain by which a line is told as an origin of any category of the kind."""
    origin = Origin(
        kind=OriginKind(kind), function=str(goal.get("function")), file=code.file_of(goal),
        line=int(goal.get("at") or 0) or None, evidence=(),
    )  # fmt: skip
    for chain in chains:
        if await against(session, origin, chain, code):
            continue
        for category in map(Category, sorted(SHOWN_BY[kind].categories)):
            causes = session.state.hypotheses.values()
            cause = next((one.id for one in causes if one.category is category), None)
            answer = Explanation(
                hypothesis=cause, category=category, confidence=1.0, claims=chain, origin=origin,
                chain=tuple(range(1, len(chain) + 1)), text="", unseen=(), against=(),
                proof=chain[:1], model="m",
            )  # fmt: skip
            if _lacks(answer, session):
                continue
            proof = tuple(await proved(session, origin, category, chain, code))
            if not _lacks(replace(answer, proof=proof), session):
                return chain
    return ()


def _lacks(answer: Explanation, session: Session) -> list[str]:
    return [one for one in lacking(answer, session.state) if not one.startswith(_NOT_ASKED)]


def _expressions(
    code: Code, frames: Sequence[Frame], more: Sequence[str]
) -> Iterator[tuple[Frame, str]]:
    """What the functions on the stack name, what leads there, and its addresses."""
    named = [_NAMED.split(one, maxsplit=1) for one in more if one]
    for frame in frames:
        yield from ((frame, text) for of, text in named if same_function(frame.function or "", of))
        for line in code.lines:
            if not same_function(line.function, frame.function or ""):
                continue
            columns = ("target", "expression", "name", "left", "right", "callee")
            for path in (path for name in columns for path in _PATH.findall(line.of(name))):
                while path:
                    yield frame, path
                    if "->" in path or "." in path:
                        yield frame, f"&{path}"
                    path = _LAST.sub("", path).rstrip("-") if _LAST.search(path) else ""


async def _facts(session: Session, code: Code, source: Path, more: Sequence[str]) -> list[Claim]:
    """The statements of what failed and of values that hold."""
    facts, dump = session.state.facts, Dump(session, [], code, None)
    fault = next(iter(facts.all(Fault)), None)
    frames = [one for one in dump.frames if (one.file or "").endswith(source.name)][:_FRAMES]
    addresses, said = set[int](), list[Claim]()
    if fault is not None:
        loads = [at for load in fault.origin for at in (load.source, load.value)]
        addresses |= {at for at in (fault.operand, fault.base_value, *loads) if at and at > LEAST}
    for frame, text in itertools.islice(dict.fromkeys(_expressions(code, frames, more)), _VALUES):
        if found := await dump.value(Place(frame), text):
            values = {"expression": text, "function": frame.function, "value": found.value}
            said.append(say("value", **values))
            addresses |= {found.value} if found.value > LEAST else set()
    for at in sorted(addresses)[:_ADDRESSES]:
        await session.ask(Command(f"@heap {at:#x}", "what a value leads to"))
    for kind in (KINDS[name] for name in sorted(_FACTS)):
        for row in list(rows(kind, facts))[:_ADDRESSES]:
            values = {name: it for name, it in row.values.items() if name in kind.columns}
            said.append(say(kind.name, (row.line,), **values))
            short = ("thread", "access", "address", "register", "value")
            if kind.name == "access":
                values = {name: it for name, it in values.items() if name in short}
                said.append(say(kind.name, (row.line,), **values))
    thread = {"thread": fault.thread} if fault is not None else {}
    said += [say("frame", (), index=one.index, function=one.function, line=one.line, **thread)
             for one in frames]  # fmt: skip
    once = {one.text: replace(one, by="model") for one in said}
    return [one for one in await hold(session, list(once.values())) if one.holds]


async def _stated(session: Session, code: Code) -> list[Claim]:
    """The statements of the listed source, each once, with what makers of objects never set."""
    said = []
    for line in code.lines:
        if line.function and line.row.kind in KINDS:
            columns = KINDS[line.row.kind].columns
            values = {
                name: it for name, it in line.row.values.items() if it != "" and name in columns
            }
            said.append(statement(line.row.kind, **values))
    for line in code.of_kind("allocates"):
        extent = function_extent(line.text, line.at)
        for name in sorted({name for _, name in code.owners.members}) if extent else ():
            first, last = extent or (0, 0)
            said.append(statement("never_sets", function=line.function, at=str(first), to=str(last),
                                  target=f"{line.of('target')}->{name}"))  # fmt: skip
    said += [statement("never_sets", function=line.function, at=str(line.at), to=str(line.at),
                       target=line.of("name"))
             for line in code.of_kind("declares") if line.function and not line.of("of")
             and "parameter" not in line.row.values]  # fmt: skip
    claims = claims_of([Statement.model_validate(one) for one in said], len(said))
    placed = [code.placed(one) for one in await hold(session, claims)]
    return list({one.text: one for one in placed if one.holds}.values())


def _prefixes(facts: Sequence[Claim]) -> list[tuple[Claim, ...]]:
    """What failed, and what of the dump leads on from there."""
    found: list[tuple[Claim, ...]] = [
        (one,) for one in facts if fails(one) and one.kind != "register"
    ]
    rest = [one for one in facts if not fails(one) or one.kind in ("chunk", "headers")]
    seen = set[tuple[object, ...]]()
    for chain in found:
        for one in rest if len(chain) < 5 and len(found) <= _PREFIXES else ():
            key = (chain[0].kind, one.text, chain[-1].kind, len(chain) > 2)
            if one not in chain and key not in seen and linked(chain[-1], one):
                seen.add(key)
                found.append((*chain, one))
    return found


def _chains(
    goal: Claim, starts: Sequence[tuple[Claim, ...]], before: dict[int, list[Claim]],
    after: dict[int, list[Claim]],
) -> list[tuple[Claim, ...]]:  # fmt: skip
    """Chains to a statement of the source: of each way in the shortest, those with values first and
    others in turn."""
    ways, waiting = dict[int, tuple[Claim, ...]]({id(goal): (goal,)}), [goal]
    for one in waiting:
        for two in before[id(one)] if len(ways[id(one)]) <= 7 else ():
            if id(two) not in ways:
                ways[id(two)] = (two, *ways[id(one)])
                waiting.append(two)
    whole = [
        (*one, *ways[id(two)]) for one in starts for two in after[id(one[-1])] if id(two) in ways
    ]
    first: dict[object, tuple[Claim, ...]] = {}
    for way in sorted(whole, key=len):
        if len(way) <= _LONGEST and len({link.text for link in way}) == len(way):
            first.setdefault((tuple(link.kind for link in way[:3]), way[-2].text), way)
    found = list(first.values())
    valued = [way for way in found if any(it.kind in ("value", "chunk", "loaded") for it in way)]
    mixed = [way for pair in zip(found, valued + found, strict=False) for way in pair]
    return list(dict.fromkeys(mixed))[:_CHAINS]
