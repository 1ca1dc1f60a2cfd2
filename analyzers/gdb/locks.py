"""Mutexes and rwlocks that gdb printed: who holds each.

glibc keeps the owner's TID in ``__data.__owner`` (sysdeps/nptl/bits/struct_mutex.h), a writer's in
``__data.__cur_writer`` (struct_rwlock.h); its printers for gdb show them as ``Owner ID`` and
``Writer ID`` (nptl/nptl-printers.py). Who reads is nowhere kept.
"""

import re

from analyzers.base import Analysis, Document, Reader, answers, hexadecimal
from workbench.model.facts import Lock
from workbench.model.gdb_commands import bare_command

_COMMAND = re.compile(r"^(?:p|pr\w*|inspect|call|output)(?:/\w{1,4})?(?=[\s*&(])\s*(?P<what>.+)$")
_OWNER = re.compile(r"(?:\b__(?:owner|cur_writer) = |\b(?:Owner|Writer) ID = )(\d{1,9})\b")
_ALONE = re.compile(r"^\$\d{1,9} = (\d{1,9})$")
_VALUE = re.compile(r"^(?:\$\d{1,9} = |\s{0,16}(?P<name>[A-Za-z_][\w:]{0,200}) = )")
_ADDRESS = re.compile(r"\b0x([0-9a-fA-F]{1,16})\b")
_NAME = re.compile(
    r"^(?P<name>[A-Za-z_][\w:]{0,200}(?:(?:\.|->)\w{1,200}|\[\d{1,9}\]){0,16}?)(?P<rest>\.(?:_M_mutex|__data|__owner|__cur_writer))*$"
)
_MOST = 256
_WORDS = ("__owner", "Owner ID = ", "__cur_writer", "Writer ID = ")


def read_owners(document: Document, printed: str | None = None) -> tuple[Lock, ...]:
    """One fact for each mutex and rwlock that has an owner, `_MOST` at most. ``printed`` is the
    expression that another debugger than gdb was asked for."""
    command = _COMMAND.match(bare_command(document.command))
    what = command["what"].strip() if command is not None else ""
    asked = _NAME.match(what)
    address = _ADDRESS.search(what)
    found: list[Lock] = []
    name: str | None = None
    for number, line in document.lines():
        value = _VALUE.match(line)
        if value is not None and not line.startswith((" ", "\t")):
            name = value["name"]
        alone = _ALONE.match(line) if what.endswith(("__owner", "__cur_writer")) else None
        held = alone or _OWNER.search(line)
        if held is None or len(found) >= _MOST or not int(held[1]):
            continue
        found.append(
            Lock(
                cite=document.cite(number),
                owner=int(held[1]),
                name=name or printed or (asked["name"] if asked is not None else None),
                address=hexadecimal(address[1]) if address is not None else None,
            )
        )
    return tuple(found)


def read(document: Document) -> Analysis:
    """One `Lock` for each lock."""
    found = read_owners(document)
    first = f"held by {found[0].owner}" if found else "no owner"
    more = f", and {len(found) - 1} more" if len(found) > 1 else ""
    return Analysis(f"a lock {first}{more}", found)


_PRINTED = answers("gdb", _COMMAND)
READER = Reader(read, lambda d: _PRINTED(d) and any(word in d.text for word in _WORDS))
