"""Facts that a language runtime or the C library left behind."""

from workbench.model.facts.base import Fact


class AbortMessage(Fact, frozen=True, kw_only=True, tag="abort-message"):
    """The message that glibc kept when it aborted (``__abort_msg``, assert/assert.c,
    sysdeps/posix/libc_fatal.c)."""

    text: str


class CxxException(Fact, frozen=True, kw_only=True, tag="cxx-exception"):
    """A C++ exception object in flight (Itanium C++ ABI, level II). ``message`` is what() where it
    can be read; ``uncaught`` when no handler had it. ``type`` is readable, ``mangled`` as stored;
    ``bases`` are the classes that it derives from, nearest first."""

    type: str
    message: str | None
    address: int
    mangled: str | None = None
    uncaught: bool | None = None
    bases: tuple[str, ...] = ()
