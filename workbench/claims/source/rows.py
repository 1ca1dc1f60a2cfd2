"""The rows of a listing, and those that tell who writes a member."""

from functools import lru_cache

from workbench.claims.source import calls, control, names, shapes, stores
from workbench.claims.source.locks import add_locked
from workbench.claims.source.parse import parsed
from workbench.claims.source.reader import Reader
from workbench.claims.source.stores import add_dropped
from workbench.claims.source.text import RUST, Row, SourceText, normal
from workbench.claims.source.widths import add_narrowings

_LOCKS = (b"ock", b"Enter", b"WaitOne", b"Acquire", b".read()", b".write()", b"Guard")
"""Without one of these no block takes a lock."""
_HANDLERS = stores.HANDLERS | control.HANDLERS | calls.HANDLERS


def rows(source: SourceText) -> list[Row]:
    """All statements of a listing, in the order of its lines; none of what no parser knows."""
    return list(_rows(source))


@lru_cache(maxsize=16)
def _rows(source: SourceText) -> tuple[Row, ...]:
    tree = parsed(source)
    if tree is None:
        return ()
    reader = Reader(tree, _HANDLERS)
    reader.read()
    add_narrowings(reader)
    if source.language == RUST:
        add_dropped(reader)
    if any(word in tree.data for word in _LOCKS):
        for block, scope in reader.blocks:
            add_locked(reader, block, scope)
    return tuple(sorted(reader.rows, key=lambda row: row.line))


def writers(field: str, source: SourceText) -> list[Row]:
    """The rows that assign, free, fill or empty a member, by any path to it; of a bare name where
    no function declares it for itself."""
    found = []
    for row in rows(source):
        if row.kind == "calls" and "index" not in row.values:
            path, _, method = str(row.values["callee"]).rpartition(".")
            written = path if method in names.CLEARS else ""
        elif row.kind == "calls":
            callee = shapes.plain_callee(str(row.values["callee"]))
            filled = names.FILLS.get(callee) == row.values["index"]
            written = str(row.values["expression"]).lstrip("&") if filled else ""
            written = written.removeprefix("mut ").removeprefix("ref ")
        else:
            column = {"assigns": "target", "frees": "expression"}.get(row.kind, "")
            written = str(row.values[column]) if column else ""
        if written and _is_member(field, normal(written), row, source):
            found.append(row)
    return found


def _is_member(field: str, path: str, row: Row, source: SourceText) -> bool:
    path = path.removeprefix("*")
    while path.endswith("]"):  # an element of it
        path = path[: path.rfind("[")]
    if path != field:
        return shapes.member(path) == field
    function = row.values["function"]
    return not any(
        other.kind == "declares" and other.values["name"] == field and not other.values["of"]
        and other.values["function"] in (function, "")
        for other in rows(source)
    )  # fmt: skip
