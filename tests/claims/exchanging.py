"""Verified statements with one argument exchanged for another value of the same evidence."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping

from msgspec.structs import replace

from workbench.claims.book import Book
from workbench.claims.kinds import KINDS
from workbench.claims.rows import Row
from workbench.claims.values import number
from workbench.model.claims import Arg, Claim, Value

_MOST_OF_A_KIND = 4
_MOST_VALUES = 3


def of_rows(book: Book) -> list[Claim]:
    """Some statements of each kind that say just what a fact or a text says."""
    found = []
    for kind in KINDS:
        some = []
        for row in book.rows(Claim(kind)):
            args = tuple(Arg(name, value, (row.line,)) for name, value in row.values.items())
            some.append(Claim(kind, args))
            if len(some) >= 16 * _MOST_OF_A_KIND:
                break
        step = max(1, len(some) // _MOST_OF_A_KIND)
        found += some[::step][:_MOST_OF_A_KIND]
    return found


def exchanged(claims: Iterable[Claim], book: Book) -> Iterator[tuple[Claim, Claim]]:
    """Each statement with what one exchange makes of it; none that a row says as well."""
    rows: dict[str, list[Row]] = {}
    by_type: dict[str, list[Value]] = defaultdict(list)
    for kind in KINDS.values():
        rows[kind.name] = list(book.rows(Claim(kind.name)))[:200]
        for row in rows[kind.name]:
            for name, value in row.values.items():
                by_type[kind.columns[name].type].append(value)
    values = {type_: list(dict.fromkeys(found)) for type_, found in by_type.items()}
    for claim in claims:
        kind = KINDS[claim.kind]
        for arg in claim.args:
            if not arg.cites:  # constant words of an expert: no line says them
                continue
            own = [row.values[arg.name] for row in rows[claim.kind] if arg.name in row.values]
            others = [*dict.fromkeys(own), *values.get(kind.columns[arg.name].type, ())]
            for other in [v for v in dict.fromkeys(others) if not alike(v, arg.value)][
                :_MOST_VALUES
            ]:
                args = tuple(
                    replace(a, value=other, shown="") if a is arg else a for a in claim.args
                )
                made = replace(claim, args=args)
                told = {a.name: a.value for a in args}
                if not any(_says(row.values, told) for row in rows[claim.kind]):
                    yield claim, made


def alike(one: Value, other: Value) -> bool:
    """One value, or one name with and without its scope."""
    if number(one) is not None and number(one) == number(other):
        return True
    left, right = str(one), str(other)
    return left == right or left.endswith(f"::{right}") or right.endswith(f"::{left}")


def _says(values: Mapping[str, Value], told: Mapping[str, Value]) -> bool:
    return all(name in values and alike(values[name], value) for name, value in told.items())
