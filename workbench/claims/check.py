"""Decides statements: verified, refuted with the value that the line has, or not known.

The rows at the cited lines decide, where there are any of that kind; else the rows of all evidence
do, and the statement is given their line. Citations are narrowed to the lines that hold the values.
"""

from collections.abc import Callable, Sequence

from msgspec.structs import replace

from workbench.claims.book import Book
from workbench.claims.kinds import KINDS, Kind
from workbench.claims.render import FRAME, clause, form, last_part, needed, resting, sentence, slots
from workbench.claims.rows import Row, overlaps
from workbench.claims.several import TALLIES
from workbench.claims.tokens import holds
from workbench.claims.values import number, same
from workbench.model.citation import Citation
from workbench.model.claims import Arg, Claim, Outcome, Value

_VERIFIED, _REFUTED, _UNKNOWN = Outcome.VERIFIED, Outcome.REFUTED, Outcome.UNKNOWN
MOST_ROWS = 20_000
_OF_ALL_LINES = frozenset({"waiting", *TALLIES})
"""What counts lines cites them all."""
_NUMERIC = ("hex", "int", "thread")
_OF = ("function", "of", "to", "taken")
_LINES = ("at", "to")
_NOT_PRINTED = frozenset({"<optimized out>", "<not saved>", "<unavailable>"})
"""What gdb prints where a value is not known (its manual, "Optimized Code", "Registers")."""


def check(claims: Sequence[Claim], book: Book) -> tuple[Claim, ...]:
    """Each statement with its outcome, its reason and its English, in order. Derived ones may use
    values of the others. Never raises on any argument."""
    done: dict[int, Claim] = {}
    later: list[int] = []
    for at, claim in enumerate(claims):
        kind = KINDS.get(claim.kind)
        if kind is not None and kind.decided == "derived":
            later.append(at)
        else:
            done[at] = decide(claim, book)
    pool = {value for claim in done.values() for value in values_of(claim, book)}
    for _ in range(len(later)):
        for at in later:
            if at not in done or done[at].status is _UNKNOWN:
                outcome, reason = derive(claims[at], pool)
                done[at] = _told(claims[at], outcome, reason)
                if outcome is _VERIFIED:
                    pool |= values_of(done[at], book)
        if all(done[at].status is not _UNKNOWN for at in later):
            break
    told = [done[at] for at in range(len(claims))]
    return tuple(_resting(claim, told[at + 1 :]) for at, claim in enumerate(told))


def _resting(claim: Claim, behind: Sequence[Claim]) -> Claim:
    """A cause cites, beside its frame, what decides it: the lines of the statement that it rests on
    first."""
    if claim.kind != "cause" or not claim.holds:
        return claim
    first = resting([claim, *(one for one in behind if one.holds)])[:1]
    lines = dict.fromkeys(c for one in first for c in one.citations)
    return replace(claim, also=tuple(dict.fromkeys((*claim.also, *lines))))


def values_of(claim: Claim, book: Book) -> set[int]:
    """The numbers that a verified statement is about; of a value that a debugger printed, the
    number in it."""
    if claim.status is not _VERIFIED:
        return set()
    found = (number(arg.value) for arg in claim.args if arg.name not in ("thread", "at", "bits"))
    return {value for value in found if value is not None}


def decide(claim: Claim, book: Book) -> Claim:
    """One statement that is not derived from others."""
    kind = KINDS.get(claim.kind)
    problem = _unfit(claim, kind)
    if problem and claim.by == "model" and claim.kind == "never_sets" and claim.get("target"):
        whole = as_it_is(replace(claim, by="expert"), book, _LINES)  # of all of the function
        if whole is not None and whole[1]:
            return replace(whole[0], by="model")
    if kind is None or problem:
        return _told(claim, _UNKNOWN, problem)
    lost = next((c for c in claim.citations if not book.exists(c)), None)
    if lost is not None:
        return _told(claim, _UNKNOWN, f"{lost} leads to no line")
    if kind.decided == "told":
        return _stated(claim, book)
    if kind.decided == "cause":
        if claim.by == "model":
            return _told(claim, _UNKNOWN, "what the cause is follows from the chain")
        return _cause(claim, book)
    near = claim.citations
    found = _decisive(claim, kind, book)
    if found is None:
        return _told(claim, _UNKNOWN, "nothing in the evidence says so or otherwise")
    if claim.denied and near and found[1]:  # what another line says is so all the same
        said = _best(claim, kind, book, ())
        found = said if said is not None and not said[1] and not said[2] else found
    row, wrong, untold = found
    if claim.denied:
        return _denied(claim, kind, row, wrong, untold, book)
    if wrong:
        name = wrong[0]
        value = write_value(kind, name, row)
        return _told(claim, _REFUTED, f"{name.replace('_', ' ')} is {value} in {row.line}")
    if untold:
        has = f": it has {row.values[untold[0]]}" if untold[0] in row.values else ""
        name = untold[0].replace("_", " ")
        return _told(claim, _UNKNOWN, f"{row.line} does not tell the {name}{has}")
    if claim.by == "model":  # what it is of is what chains go by
        more = [Arg(n, row.values[n]) for n in _OF if n in row.values and claim.get(n) is None
                and n in kind.columns]  # fmt: skip
        claim = replace(claim, args=(*claim.args, *more))
    return _narrowed(replace(claim, status=_VERIFIED, reason=""), kind, row, book)


def as_it_is(claim: Claim, book: Book, asked: Sequence[str] = ()) -> tuple[Claim, bool] | None:
    """A statement with the values of the row that decides it, and with those of the columns that
    are ``asked`` for, verified; and whether it was so stated. None where nothing decides it."""
    kind = KINDS[claim.kind]
    found = _decisive(claim, kind, book)
    if found is None or found[2]:
        return None
    row, wrong, _ = found
    args = {arg.name: arg for arg in claim.args} | {n: Arg(n, "") for n in asked}
    args = {n: arg if n not in (*wrong, *asked) else Arg(n, row.values[n])
            for n, arg in args.items() if n in row.values}  # fmt: skip
    cited = tuple(replace(arg, cites=(row.line,)) for arg in args.values())
    told = decide(replace(claim, args=cited), book)
    return (told, not wrong) if told.holds else None


def _decisive(claim: Claim, kind: Kind, book: Book) -> "Match | None":
    """The row at the cited lines that agrees best, else that of all evidence."""
    near = claim.citations
    return (_best(claim, kind, book, near) if near else None) or _best(claim, kind, book, ())


def _told(claim: Claim, outcome: Outcome, reason: str) -> Claim:
    return replace(claim, status=outcome, reason=reason, text=sentence(claim))


def _unfit(claim: Claim, kind: Kind | None) -> str:
    """Why a statement is none at all."""
    if kind is None:
        return f"there is no kind of statement called {claim.kind[:40]}"
    if not claim.args:
        return "it has no arguments"
    names = [arg.name for arg in claim.args]
    if len(set(names)) < len(names):
        return "an argument stands twice"
    if claim.denied and not kind.denial:
        return "this kind of statement cannot be denied"
    lacking = needed(form(kind.denial if claim.denied else kind.text, names)) - set(names)
    if lacking:
        return f"it lacks {', '.join(sorted(lacking))}"
    for arg in claim.args:
        column = kind.columns.get(arg.name)
        if column is None:
            return f"{claim.kind} has no argument {arg.name[:40]}"
        if column.type == "own" and claim.by != "expert":
            return f"{arg.name} is a word of the experts alone"
        if column.type in _NUMERIC and number(arg.value) is None:
            return f"{arg.name} is no number"
    return "" if not kind.text or clause(claim) else "its arguments alone say nothing"


Match = tuple[Row, list[str], list[str]]
"""A row, the columns in which it differs from the statement, and those that it does not tell."""


def _best(claim: Claim, kind: Kind, book: Book, near: tuple[Citation, ...]) -> Match | None:
    """The row that agrees best: first in what the statement is about. At the cited lines a row
    about something else refutes as well; elsewhere it says nothing."""
    best: Match | None = None
    best_score = (-1, -1, -1)
    for count, row in enumerate(book.rows(claim, near)):
        if count >= MOST_ROWS:
            break
        if near and not any(overlaps(row.line, c) for c in near):
            continue
        wrong: list[str] = []
        untold: list[str] = []
        keys = 0
        for arg in claim.args:
            column = kind.columns[arg.name]
            if column.type == "own":
                continue
            have = row.values.get(arg.name)
            if have is None:
                untold.append(arg.name)
            elif not same(column.type, have, arg.value):
                named = arg.name == "value" and _is_enumerator(have, arg.value)
                told = have not in _NOT_PRINTED and not named
                (wrong if told else untold).append(arg.name)
            elif column.key:
                keys += 1
        if not near and any(kind.columns[name].key for name in wrong):
            continue
        if not near and wrong and not keys:
            continue
        score = (keys, -len(wrong), -len(untold))
        if best is None or score > best_score or (not wrong and not untold):
            best, best_score = (row, wrong, untold), score
        if not wrong and not untold:
            break
    return best


def _is_enumerator(have: Value, stated: Value) -> bool:
    """True for a name that is printed where a number is stated: it may be the number's."""
    name = str(have).rpartition("::")[2]
    return name.isidentifier() and name not in ("true", "false") and number(stated) is not None


def _denied(
    claim: Claim, kind: Kind, row: Row, wrong: list[str], untold: list[str], book: Book
) -> Claim:
    """A denial holds where the line has another value for the same thing, of what its words are
    about: what they leave out may be otherwise and the rest be so."""
    if untold and not wrong:
        return _told(claim, _UNKNOWN, f"{row.line} does not tell the {untold[0]}")
    if not wrong:
        return _told(claim, _REFUTED, f"{row.line} says just that")
    if any(kind.columns[name].key for name in wrong):
        return _told(claim, _UNKNOWN, f"{row.line} is about something else")
    line = "at" in kind.columns and "to" not in kind.columns and kind.decided == "source"
    if line and ("at" in wrong or claim.get("at") is None):
        return _told(claim, _UNKNOWN, "another line may say so: a denial is of one line")
    said = slots(form(kind.denial, [arg.name for arg in claim.args]))
    if not said.intersection(wrong):
        return _told(claim, _UNKNOWN, f"{row.line} has another {wrong[0]}, and the rest may be so")
    kept = [arg for arg in claim.args if arg.name not in wrong]
    checked = _narrowed(replace(claim, args=tuple(kept), status=_VERIFIED), kind, row, book)
    cited = {arg.name: arg for arg in checked.args}
    args = tuple(cited.get(a.name, replace(a, cites=(row.line,))) for a in claim.args)
    return replace(checked, args=args, text=sentence(claim), reason="")


def write_value(kind: Kind, name: str, row: Row) -> str:
    """What a row has in a column, for a reader."""
    value = row.values.get(name)
    if isinstance(value, int):
        return f"{value:#x}" if kind.columns[name].type == "hex" else str(value)
    text = last_part(str(value)) if kind.columns[name].type in ("file", "module") else str(value)
    return text if len(text) <= 80 else f"{text[:79]}…"


def _narrowed(claim: Claim, kind: Kind, row: Row, book: Book) -> Claim:
    """The statement with the line of each argument: the row's own where it holds the value, else
    the first of the fact's lines that does."""
    args = []
    wide = row.line.last > row.line.first or not row.line.first
    lines = list(book.cited(row.span)) if wide or row.span != row.line else []
    own = list(book.cited(row.line)) if not wide else []
    for arg in claim.args:
        if kind.columns[arg.name].type == "own":
            args.append(replace(arg, cites=()))
            continue
        holder = row.line if any(holds(arg, text) for _, text in own) else None
        if holder is None and (wide or kind.columns[arg.name].type != "is"):
            at = next((n for n, text in lines if holds(arg, text)), None)
            if at is not None:
                holder = Citation(row.line.evidence, at, at)
        if holder is None and claim.by == "expert":
            holder = _line_with(arg, book)
        args.append(replace(arg, cites=(holder,) if holder is not None else ()))
    told = tuple(args)
    if not any(arg.cites for arg in told):
        absent = row.values.get("kind") == "unmapped"  # which no line shows, but all of them
        line = row.line if not wide or absent else _first_line(row)
        told = tuple(replace(arg, cites=(line,)) for arg in told)
    counted = row.values.get("what") in _OF_ALL_LINES
    done = replace(claim, args=told, also=(row.line,) if counted else ())
    return replace(done, text=sentence(done))


def _first_line(row: Row) -> Citation:
    first = max(row.line.first, 1)
    return Citation(row.line.evidence, first, first)


def _stated(claim: Claim, book: Book) -> Claim:
    """What only an expert states: each value stands in a line that its argument carries."""
    if claim.by != "expert":
        return _told(claim, _UNKNOWN, "this kind of statement is the experts' own")
    args, how = [], claim.also[:1]
    for arg in claim.args:
        if arg.name == "how":
            how = arg.cites[:1]
            args.append(replace(arg, cites=()))
            continue
        if not arg.cites:
            return _told(claim, _UNKNOWN, f"{arg.name} has no line")
        where = _line_with(arg, book)
        if where is None:
            value = arg.shown or str(arg.value)
            return _told(claim, _REFUTED, f"{value[:80]} is not in {arg.cites[0]}")
        args.append(replace(arg, cites=(where,)))
    if any(arg.cites for arg in args):
        how = ()
    elif not how:
        return _told(claim, _UNKNOWN, "it cites nothing")
    return _told(replace(claim, args=tuple(args), also=how), _VERIFIED, "")


def _line_with(arg: Arg, book: Book) -> Citation | None:
    for citation in arg.cites:
        for at, text in book.cited(citation):
            if holds(arg, text):
                return Citation(citation.evidence, at, at)
    return None


def _cause(claim: Claim, book: Book) -> Claim:
    """The place of a cause is that of a frame; whether the cause is the conclusion's is the
    critic's to say."""
    place = tuple(arg for arg in claim.args if arg.name in FRAME)
    if not place:
        if not claim.also:
            return _told(claim, _UNKNOWN, "it cites nothing")
        lines = tuple(replace(c, first=max(c.first, 1), last=max(c.first, 1)) for c in claim.also)
        return _told(replace(claim, also=lines), _VERIFIED, "")
    frame = replace(claim, kind="frame", args=place)
    checked = decide(frame, book)
    if checked.status is not _VERIFIED:
        return _told(claim, checked.status, checked.reason)
    cited = {arg.name: arg for arg in checked.args}
    args = tuple(cited.get(arg.name, arg) for arg in claim.args)
    return _told(replace(claim, args=args), _VERIFIED, "")


_TRUNCATES = "truncated-to-bits"
_WIDTHS = (8, 16, 24, 31, 32, 48, 63, 64)
RELATIONS: dict[str, Callable[[int, int], bool]] = {
    "equal": lambda a, b: a == b,
    "differs": lambda a, b: a != b,
    "less": lambda a, b: a < b,
}
OPERATORS: dict[str, Callable[[int, int], int | None]] = {
    "sum": lambda a, b: a + b,
    "difference": lambda a, b: a - b,
    "product": lambda a, b: a * b,
    "quotient": lambda a, b: a // b if b else None,
    "shifted-right-by": lambda a, b: a >> b if 0 < b < 64 else None,
    "truncated-to-bits": lambda a, b: a % (1 << b) if b in _WIDTHS else None,
}


def derive(claim: Claim, pool: set[int]) -> tuple[Outcome, str]:
    """Whether a derivation is right, and each operand a value of ``pool``: those of the verified
    statements beside it. A result may be a new value; a product or a sum may have one operand that
    is small and constant (a size, a count of bytes, a step) beside one that is known."""
    operands = (claim.get("left"), claim.get("right"), claim.get("result"))
    left, right, result = (None if value is None else number(value) for value in operands)
    if left is None or right is None:
        return Outcome.UNKNOWN, "an operand is missing"
    relation = RELATIONS.get(str(claim.get("relation")))
    if relation is not None:
        if not relation(left, right):
            return Outcome.REFUTED, f"{left:#x} and {right:#x} are not so"
        return _known([v for v in (left, right) if v not in pool])
    operator = str(claim.get("operator"))
    compute = OPERATORS.get(operator)
    if compute is None or result is None:
        return Outcome.UNKNOWN, "there is no such derivation"
    real = compute(left, right)
    if real is None:
        return Outcome.REFUTED, f"nothing is computed with {right}"
    if operator == _TRUNCATES:
        if result % (1 << 64) not in (real, (real - (1 << right)) % (1 << 64)):
            return Outcome.REFUTED, f"it is {real:#x}"
        if left == result:
            return Outcome.REFUTED, "nothing is lost by it"
        return _known([v for v in (left, result) if v not in pool])
    if real != result and all(real % (1 << bits) != result % (1 << bits) for bits in (32, 64)):
        return Outcome.REFUTED, f"it is {real:#x}"
    loose = [v for v in (left, right) if v not in pool]
    if len(loose) == 1 and 0 < loose[0] <= _SMALL and result in pool:
        loose = []
    return _known(loose)


_SMALL = 4096
"""A size, a stride or an offset that the source gives as a constant; the result has to be seen."""


def _known(unknown: list[int]) -> tuple[Outcome, str]:
    if unknown:
        return Outcome.UNKNOWN, f"no verified statement has the value {unknown[0]:#x}"
    return Outcome.VERIFIED, ""
