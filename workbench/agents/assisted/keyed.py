"""Which line took a key out of a map of Rust's that a list beside it still has."""

import re

from analyzers.patterns.case import Case
from workbench.agents.assisted.code import Code
from workbench.agents.assisted.dump import Dump
from workbench.agents.assisted.emptied import fields_of, is_made
from workbench.agents.assisted.lines import Cell, Line
from workbench.agents.assisted.once import once
from workbench.agents.assisted.outside import Proved
from workbench.agents.assisted.returned import unwrapped
from workbench.agents.assisted.rivals import makes_unseen
from workbench.claims.source import precedes
from workbench.claims.source.changed import run_together
from workbench.claims.source.spots import has
from workbench.claims.source.text import RUST, last_name, words

_ASKED = re.compile(r"([\w.]+)\.(?:get|get_mut)\([&*]*(\w+)\)")
_LISTED = re.compile(r"(?:&\s*([\w.]+)|([\w.]+)\.iter\(\)(?:\.(?:copied|cloned|rev)\(\))*)")
_TAKES = words("remove clear retain drain remove_entry pop_first pop_last split_off")
_KEEPS = words("get() get_mut() insert() contains_key() len() is_empty() keys() values() "
               "values_mut() iter() iter_mut() entry() reserve()")  # fmt: skip
"""What takes no key out of a map."""
_LISTS = words("len() is_empty() iter() first() last() front() back() get() contains() remove() "
               "retain() clear() truncate() dedup() reverse()")  # fmt: skip
"""What puts nothing into a list, but for ``push``, ``pop`` and ``sort`` of any name."""
_CLONE = ".clone()"


async def taken_out(dump: Dump, line: Line) -> Proved:
    """The key of which Rust's library found nothing is one that a list of the same object keeps,
    which has none but keys that were in the map, and this line alone takes keys out of that."""
    code, frame = dump.code, dump.ports.state.facts.once(Case).frame
    on, _, method = line.of("callee").rpartition(".")
    kept = code.cell_of(line, on)
    if line.text.language != RUST or method not in _TAKES or frame is None or (
        kept[0] not in code.owners.structs or makes_unseen(code)
        or has(code.texts, "base_field_initializer")  # of another one
    ):  # fmt: skip
        return ()
    asked = [_ASKED.fullmatch(one) for one, _ in unwrapped(dump)]
    found, function = asked[0] if len(asked) == 1 else None, frame.function or ""
    if not found or code.cell_in(function, found[1]) != kept or code.sets(function, found[2]):
        return ()
    each = [one.of("condition") for one in code.of_kind("loops", function)
            if one.of("each").lstrip("&") == found[2] and one.has(frame.line)]  # fmt: skip
    over = _LISTED.fullmatch(each[0]) if len(each) == 1 else None
    listed = (over[1] or over[2]) if over else ""
    keys = code.cell_in(function, listed)
    mine = [one for one in code.of_kind("calls", line.function)
            if code.cell_of(one, one.of("callee").rpartition(".")[0]) == keys]  # fmt: skip
    alone = keys[0] == kept[0] and listed.rpartition(".")[0] == found[1].rpartition(".")[0] and (
        not mine and _takes_alone(code, kept[1], line) and _lists_keys(code, keys, kept)
    )  # fmt: skip
    return tuple(dump.chain[:1]) if alone else ()


@once
def _takes_alone(code: Code, field: str, line: Line) -> bool:
    """True where no line but this takes keys out of a map."""
    uses = fields_of(code, field, line)
    return bool(uses) and all(
        mine or is_made(one, "HashMap", "BTreeMap") or one.begins(*_KEEPS) or one.is_over
        for one, mine in uses
    )


@once
def _lists_keys(code: Code, keys: Cell, kept: Cell) -> bool:
    """True for a list to which each function that adds puts a key that it has put into the map of
    the same object, or found there, just before or behind."""
    added = [one for one in code.of_kind("calls") if one.row.values.get("index") == 1
             and one.of("name").startswith("push")
             and code.cell_of(one, one.of("callee").rpartition(".")[0]) == keys]  # fmt: skip
    uses = [one for one, _ in (fields_of(code, keys[1], added[0]) if added else ())]
    return len(added) == sum(one.calls("push") for one in uses) > 0 and all(
        is_made(one, "Vec", "VecDeque") or one.begins(*_LISTS) or one.is_over
        or one.calls("push", "pop", "sort")
        for one in uses
    ) and all(any(_has(code, one, other, kept) for other in code.of_kind("calls", one.function))
              for one in added)  # fmt: skip


def _has(code: Code, added: Line, other: Line, kept: Cell) -> bool:
    """True for a call by which the key that a line adds to a list is in the map whenever it does:
    it puts it there, or goes on only where it is."""
    on, _, method = other.of("callee").rpartition(".")
    key = added.of("expression").removesuffix(_CLONE)
    base = added.of("callee").rpartition(".")[0].rpartition(".")[0]
    asked = _ASKED.fullmatch(on) if method in ("unwrap", "expect") else None
    puts = method == "insert" and other.row.values.get("index") == 1 and (
        other.of("expression").removesuffix(_CLONE) == key
    )  # fmt: skip
    if not key.isidentifier() or not (puts or (asked and asked[2] == key)):
        return False
    of = on if puts else asked[1] if asked else ""
    first, last = sorted((added.at, other.at))
    return (
        code.cell_of(other, of) == kept and of.rpartition(".")[0] == base
        and len(code.sets(added.function, key)) == (key not in code.parameters(added.function))
        and (
            (other.at <= added.at and precedes(added.text, other.at, added.at) is not None)
            or run_together(added.text, other.at, added.at, "self", code.known, calls=True)
        )
        and not any(last_name(one.of("callee")) in code.functions
                    for one in code.of_kind("calls", added.function) if first <= one.at <= last)
    )  # fmt: skip
