"""Which functions set a member nowhere: by its name, with all of an object, through an address."""

import re
from collections.abc import Iterator, Sequence

from workbench.claims.source import names, shapes
from workbench.claims.source.macros import macros
from workbench.claims.source.order import function_extent
from workbench.claims.source.owners import Owners
from workbench.claims.source.rows import rows, writers
from workbench.claims.source.text import (
    CPP,
    FILE_SCOPE,
    C,
    Row,
    SourceText,
    is_function,
    last_name,
    normal,
)  # fmt: skip

_WHOLE = frozenset({"this", "*this", "self", "*self", "&self", "&mut self"})
_ROOT = re.compile(r"[*&(]*([A-Za-z_]\w*)")
_EMPTY = re.compile(r"\{(?:0|NULL|nullptr|\.[^{}]*)?\}$")
"""What gives no value but null to what it does not name (C23, 6.7.11)."""
_ZEROES = ("memset", "bzero", "explicit_bzero")
_SUM = re.compile(r"\+|-(?!>)")


def unset(
    source: SourceText, target: str, beside: Sequence[SourceText],
    within: tuple[int, int] | None = None,
) -> Iterator[Row]:  # fmt: skip
    """A row for each function that is listed whole, and for the lines ``within`` one, in which
    nothing writes the member, or all of what it is a part of, or takes its address, and nothing is
    given all of the object. None of a function to which a variable of the target means nothing: it
    is another's."""
    stated, path = rows(source, beside), normal(target)
    everything = [row for text in beside or (source,) for row in rows(text, beside)]
    places = _Places(path, everything, frozenset(macros(tuple(beside or (source,)))))
    by_name = {id(row) for row in writers(places.field, source, beside)}
    written = [
        int(row.values["at"]) for row in stated
        if id(row) in by_name or _WHOLE & {*map(str, row.values.values())}
        or places.may_set(row, source.language in (C, CPP))
    ]  # fmt: skip
    root = _ROOT.match(path)
    seen = set()
    for row in stated:
        whole = function_extent(source, int(row.values["at"]))
        if whole is None or whole in seen:
            continue
        seen.add(whole)
        function = str(row.values["function"])
        if root is not None and places.is_of_another(root[1], function):
            continue
        inside = within if within and whole[0] < within[0] <= within[1] < whole[1] else whole
        for first, last in dict.fromkeys((whole, inside)):
            if not any(first <= at <= last for at in written):
                line = next((at for at, of_file, _ in source.lines if of_file == first), 0)
                told = ("function", function), ("target", target), ("at", first), ("to", last)
                yield Row("never_sets", dict[str, int | str](told), line)


class _Places:
    """What listings declare of a member, of what it is a part of, and of variables."""

    def __init__(self, path: str, stated: Sequence[Row], known: frozenset[str]) -> None:
        self.field, self._known, self._owners = last_name(path), known, Owners(stated)
        self._is_root, field = not shapes.member(path), self.field
        holders = self._owners.holders(field)
        self._whole = {one for holder in holders for one in self._owners.around(holder)}
        self._whole |= {s for s in self._owners.structs if holders & {*self._owners.bases(s)}}
        declared = [row.values for row in stated if row.kind == "declares"]
        self._types = {
            (str(one["of"]), str(one["function"]) if not one["of"] else "", str(one["name"])):
            str(one["type"]) + "*" * bool(one["size"]) for one in declared
        }  # fmt: skip
        self._zeroed = {
            (row.values["at"], str(row.values["name"])) for row in stated
            if row.kind == "calls" and row.values["name"] in _ZEROES
            and re.search(r"^[^,]*,(?:0,|[^,]*$)", str(row.values.get("arguments", "")))
        }  # fmt: skip
        self._taken = re.compile(
            rf"(?<![\w)\]&])&(?!&)(?:mut )?[\w.>()*\[\]-]*(?<!\w){re.escape(field)}(?![\w(\[.]|->)"
        )

    def is_of_another(self, name: str, function: str) -> bool:
        """True for a variable of other functions, and of nothing that this one can name."""
        if self._owners.holders(name):
            return False
        of = {key[1] for key in self._types if key[2] == name and not key[0]}
        return bool(of) and not any(one == FILE_SCOPE or is_function(one, function) for one in of)

    def may_set(self, row: Row, of_c: bool) -> bool:
        """True for a line that sets all of what the member is a part of, or leads to the member."""
        given = str(row.values.get("expression", ""))
        function = str(row.values["function"])
        if row.kind not in ("assigns", "calls") or self._taken.search(given):
            return row.kind in ("assigns", "calls")
        if row.kind == "assigns":
            target = str(row.values["target"])
            root = _ROOT.match(target)
            if self._is_root and root is not None and root[1] == self.field != target:
                return True  # a part of it
            refers = self._type(target, function).endswith("&")
            named = refers and self.field in (given, shapes.member(given))
            return named or (
                not _EMPTY.search(given)
                and self._is_whole(target, function, 0, of_c and target[:1] == "*")
            )
        callee = shapes.plain_callee(str(row.values["callee"]))
        if "index" not in row.values:
            return False
        if callee.isupper() and callee not in self._known:
            asked = self._owners.points_to(given, function)
            return asked in self._whole or shapes.member(given) == self.field
        filled = names.FILLS.get(callee) == row.values["index"]
        filled = filled and (row.values["at"], callee) not in self._zeroed
        return filled and self._is_whole(_SUM.split(given)[0], function, 1, of_c)

    def _is_whole(self, text: str, function: str, level: int, unknown: bool) -> bool:
        """True for what is, or by one ``level`` leads to, an object that the member is a part of;
        where no listing tells as ``unknown`` says."""
        inner = text.lstrip("&*(").rstrip(")")
        type_ = self._type(inner, function)
        if not type_ or "auto" in type_:
            return unknown
        level += (
            text.count("*", 0, len(text) - len(inner)) + inner.endswith("]") - (text[:1] == "&")
        )
        depth = type_.count("*") + ("<" in type_) - level  # an element of a container is behind it
        return depth in (0, -1 if level else 0) and self._owners.bare(type_) in self._whole

    def _type(self, path: str, function: str) -> str:
        """The type that a variable or a member is declared with."""
        of, field = self._owners.cell(path, function)
        if field:
            return self._types.get((str(of), "", field), "")
        name = path.partition("[")[0]
        keys = (key for key in self._types if key[2] == name and not key[0])
        near = sorted(keys, key=lambda key: (not is_function(key[1], function), key[1]))
        found = [one for one in near if is_function(one[1], function) or one[1] == FILE_SCOPE]
        return self._types[found[0]] if found else ""
