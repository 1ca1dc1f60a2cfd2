"""Facts that a language runtime or the C library left behind."""

from msgspec import Struct

from workbench.model.facts.base import Fact
from workbench.model.facts.stacks import Frame


class AbortMessage(Fact, frozen=True, kw_only=True, tag="abort-message"):
    """The message that glibc kept when it aborted (``__abort_msg``, assert/assert.c,
    sysdeps/posix/libc_fatal.c)."""

    text: str


class CxxException(Fact, frozen=True, kw_only=True, tag="cxx-exception"):
    """A C++ exception object in flight (Itanium C++ ABI, level II). ``message`` is what() where it
    can be read; ``uncaught`` when no handler had it; ``handlers`` is handlerCount, not above
    zero while a handler is looked for. ``type`` is readable, ``mangled`` as stored; ``bases`` are
    the classes that it derives from, nearest first. ``others`` is how many more its thread has
    thrown that no handler has begun yet."""

    type: str
    message: str | None
    address: int
    mangled: str | None = None
    uncaught: bool | None = None
    handlers: int | None = None
    bases: tuple[str, ...] = ()
    others: int = 0


class InnerException(Struct, frozen=True, kw_only=True):
    """The exception that another one wraps, with the stack that it recorded itself."""

    type: str
    message: str | None = None
    hresult: int | None = None
    address: int | None = None
    line: int = 0
    frames: tuple[Frame, ...] = ()


class ManagedException(Fact, frozen=True, kw_only=True, tag="managed-exception"):
    """A .NET exception object. ``thread`` is the system's TID, ``inner`` the wrapped ones, the
    outermost first; ``frames`` is the stack that the exception itself recorded."""

    type: str
    message: str | None = None
    hresult: int | None = None
    address: int | None = None
    thread: int | None = None
    uncaught: bool | None = None
    inner: tuple[InnerException, ...] = ()
    frames: tuple[Frame, ...] = ()


class LastError(Fact, frozen=True, kw_only=True, tag="last-error"):
    """errno of the thread that ended the process: why the last call of the C library that failed
    did. A call that succeeds leaves it. ``name`` is ENOMEM and so on. ``asks`` is the function of
    the allocator that the code which led to the end calls, ``asks_at`` where, ``asks_line`` the
    line of that."""

    thread: int
    number: int
    name: str
    asks: str | None = None
    asks_at: int | None = None
    asks_line: int = 0


class LoaderMessage(Fact, frozen=True, kw_only=True, tag="loader-message"):
    """What the dynamic loader last reported (dlerror(3)). ``about`` is the object that it names
    beside the text."""

    text: str
    about: str | None = None


class RustPanic(Fact, frozen=True, kw_only=True, tag="rust-panic"):
    """A panic that ended a Rust program, as its std's own code and the stack tell it. ``file``,
    ``line`` and ``column`` are the place that std would print, ``returns_to`` the address behind
    the call that panicked; ``place_line`` and ``message_line`` are the lines that say them."""

    file: str | None = None
    line: int | None = None
    column: int | None = None
    returns_to: int | None = None
    message: str | None = None
    place_line: int = 0
    message_line: int = 0


RuntimeFact = AbortMessage | CxxException | ManagedException | LastError | LoaderMessage | RustPanic
