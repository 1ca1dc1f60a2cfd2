"""Lines that a person types ahead, for a command that was not sent yet."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager


class TypedAhead:
    """Keeps them, so that they are never taken for commands of their own. ``changed`` is called
    when `waiting` may have changed."""

    def __init__(self, changed: Callable[[], None]) -> None:
        self._bodies: list[list[bytes]] = []
        self._changed = changed

    @property
    def waiting(self) -> bool:
        """True while a command that was not sent yet takes lines."""
        return bool(self._bodies)

    def add(self, line: bytes) -> None:
        """A line for the command that was typed last."""
        self._bodies[-1].append(line)

    @contextmanager
    def keep(self, opens: bool) -> Iterator[list[bytes]]:
        """From here on lines belong to a command, if it ``opens`` a body, until `take`."""
        body: list[bytes] = []
        if opens:
            self._bodies.append(body)
            self._changed()
        try:
            yield body
        finally:
            self.take(body)
            self._changed()

    def take(self, body: list[bytes]) -> bytes:
        """What was typed so far; further lines go where the command has gone."""
        self._bodies = [one for one in self._bodies if one is not body]
        return b"".join(body)
