"""Answers probes about one open dump, of whatever format: which module answers which is a table."""

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Generic, TypeVar

from workbench.model.evidence import Section
from workbench.targets.dump import Dump
from workbench.targets.errors import ProbeError

Probes = Mapping[str, tuple[str, str]]
"""A probe's name: the module and the function that answer it, imported when it is first asked,
since the disassembler alone costs 50 ms."""

_ALONE = frozenset({"@health", "@notes", "@mappings", "@modules", "@threads"})
"""Probes that take no argument."""


_D = TypeVar("_D", bound=Dump)


class ProbingReader(Generic[_D]):
    """A `Reader` on one open dump; ``kind`` names its format for a person."""

    def __init__(self, dump: _D, probes: Probes, kind: str) -> None:
        self.dump = dump
        self._probes = probes
        self._kind = kind

    @property
    def size(self) -> int:
        """Bytes of the file."""
        return self.dump.size

    def answer(self, probe: str) -> str:
        """See `Reader.answer`."""
        words = probe.split()
        if not words:
            raise ProbeError("an empty probe")
        if words[0] not in self._probes:
            raise ProbeError(f"{words[0]}: {self._kind} cannot answer that")
        module, function = self._probes[words[0]]
        ask: Callable[..., str] = getattr(import_module(module), function)
        if words[0] not in _ALONE:
            return ask(self.dump, words[1:])
        if words[1:]:
            raise ProbeError(f"{words[0]} takes no argument")
        return ask(self.dump)

    def sections(self) -> Sequence[Section]:
        """A dump records no commands."""
        return ()

    def close(self) -> None:
        """Let go of the file."""
        self.dump.close()
