"""C++ exceptions that nobody caught, with what to do by type and message, and std::terminate()
without one."""

import re

from analyzers.patterns import commands, own_end
from analyzers.patterns.case import Case
from analyzers.patterns.cause import Cause, Open, Proof, Rival
from analyzers.patterns.ending import Kind
from analyzers.patterns.exhausted import filled
from analyzers.patterns.stated import on_stack
from analyzers.patterns.words import Cites, of
from workbench.claims.say import say
from workbench.model.category import Category
from workbench.model.claims import Claim
from workbench.model.evidence import Command
from workbench.model.facts import CxxException, Frame
from workbench.model.hypothesis import Rung

# What libstdc++, libc++ and the library of Visual C++ say where their own checks throw.
_MESSAGES = (
    (
        re.compile(r"from null|not valid.*null"),
        "Check the pointer before a string is made of it: it was null.",
    ),
    (
        re.compile(r"\bsto(?:i|l|ll|ul|ull|f|d|ld)\b"),
        "Check the text before the conversion, or use std::from_chars and handle its error: the "
        "text was empty, no number, or a number that the type cannot hold.",
    ),
    (
        re.compile(r"\bmap::at|key not found|unordered_map|invalid (?:unordered_)?map"),
        "Look the key up with find() or contains() and handle that it is missing, or find out why "
        "it was not put in.",
    ),
    (
        re.compile(r"^basic_string|^string|string position"),
        "Hold the position that is given to the string's substr(), at(), erase() or the like "
        "against its length: it may be the npos of a find() that found nothing.",
    ),
    (
        re.compile(r"_M_range_check|^(?:vector|deque|array|span)\b|subscript"),
        "Hold the index against size() where it is computed: at() refuses one past the end. Where "
        "the message gives both, compare them: a size of zero means that the container was empty.",
    ),
)
_CIRCLE = "__gnu_cxx::recursive_init_error"
_TYPES = {
    "std::bad_alloc": "Look at how much was asked for at the throwing line: a size computed from "
    "bad input asks for too much; otherwise the process had run into its limit.",
    "std::bad_array_new_length": "Look at how the length of the new array is computed: it is "
    "negative or too large.",
    "std::bad_optional_access": "Ask has_value() before value(), or take value_or(): the optional "
    "was empty. Find out why nothing had been put in.",
    "std::bad_variant_access": "Ask std::holds_alternative or take std::get_if or std::visit: the "
    "variant held another type than the one asked for.",
    "std::bad_any_cast": "Ask type() first, or use the any_cast that takes a pointer and returns "
    "null: the std::any held another type.",
    "std::bad_cast": "Use the dynamic_cast of a pointer and handle null: the object is not of the "
    "class that the reference was cast to.",
    "std::bad_typeid": "Check the pointer before typeid is taken of what it points to: it was "
    "null.",
    "std::bad_function_call": "Set the std::function before it is called, or ask whether it is "
    "set: it was empty.",
    "std::bad_weak_ptr": "Call shared_from_this() only once a shared_ptr owns the object, and "
    "take lock() where a weak_ptr may have expired.",
    "std::future_error": "Look at how the promise or future is used: a promise that was destroyed "
    "without a value, a value set twice, or a future that has no state any more.",
    _CIRCLE: "Break the circle: what initialises this static variable "
    "calls the function that it stands in again.",
    "std::regex_error": "Check the expression that the std::regex was made of; where it comes "
    "from input, catch the error there.",
    "std::system_error": "Handle the error that the message names: of a thread, a lock or a file "
    "that the system refused.",
    "std::filesystem::filesystem_error": "Check the path that the message names, or call the "
    "overload that takes an error_code and handle it.",
    "std::length_error": "Look at how the new size is computed: it is larger than the container "
    "can be, as a negative number is once it is unsigned.",
    "std::out_of_range": "Hold the index or key against what the container has before at() is "
    "called.",
    "std::invalid_argument": "Check the value that was given to the call that threw, and handle "
    "bad input where it is read.",
    "std::domain_error": "Check the value that was given to the call that threw, and handle bad "
    "input where it is read.",
}
_FROM_LIBRARY = ("std::out_of_range", "std::invalid_argument", "std::logic_error")
_INLINE = re.compile(r"::(?:__\w+|_V2)(?=::)|\[abi:\w+\]")
CATCH = (
    "Catch this exception where the program can still do something about it, or keep the throwing "
    "line from being reached with this input."
)


def thrown_advice(kind: str, message: str | None) -> str:
    """What to do about an exception of type ``kind``; the message tells more where the type is one
    that the standard library's own checks throw."""
    name = _INLINE.sub("", kind).removeprefix("class ").split("<", 1)[0].strip()
    if name in _FROM_LIBRARY:
        told = next((mend for said, mend in _MESSAGES if said.search(message or "")), None)
        if told is not None:
            return told
    return _TYPES.get(name, CATCH)


_THROW = ("__cxa_throw", "__cxa_rethrow", "std::rethrow_exception")


# Who begins a handler before it calls std::terminate(): the search for one that found none
# (libsupc++/eh_throw.cc), its second phase, and the landing pads of clang and of GCC since 14.
_SEARCHES = (*_THROW, "_Unwind_RaiseException", "_Unwind_Resume", "_Unwind_Resume_or_Rethrow",
             "__cxa_call_terminate", "__clang_call_terminate")  # fmt: skip
# Who calls std::terminate() of a thread that can still be joined (thread.thread.destr,
# thread.thread.assign), and libstdc++'s name for its own direct calls (bits/c++config.h).
_BY_ITSELF = ("std::thread::~thread", "std::thread::operator=", "std::__1::thread::~thread",
              "std::__1::thread::operator=", "std::__terminate")  # fmt: skip


def _by_itself(case: Case) -> bool:
    """True where the library's own header called std::terminate(), by name or, from a debugger that
    does not show what was inlined, by the file that has such a call (bits/c++config.h)."""
    end = own_end.terminated(case)
    caller = next((f for f in case.frames if end is not None and f.index == end.index + 1), None)
    header = caller is not None and (caller.file or "").endswith("c++config.h")
    return header or case.calls(*_BY_ITSELF) is not None


def _straight(case: Case) -> bool:
    """True where a function of the program called std::terminate(), and no search for a handler."""
    end = own_end.terminated(case)
    if end is None or case.calls(*_SEARCHES) is not None:
        return False
    caller = next((f for f in case.frames if f.index == end.index + 1), None)
    return caller is not None and caller.function is not None


def _in_the_way(case: Case) -> list[CxxException]:
    """The exceptions that may have ended the process: where the program called std::terminate()
    straight, those that no handler has begun yet, which a function that is noexcept stopped."""
    found = case.facts.all(CxxException)
    if not _straight(case):
        return [case.exception] if case.exception is not None else []
    if _by_itself(case):
        return []
    return [one for one in found if one.handlers is None or one.handlers <= 0]


def _handled(case: Case) -> CxxException | None:
    """The exception of whose handler the program called std::terminate()."""
    return None if _by_itself(case) else case.exception


def _called_for(case: Case) -> str:
    """Why std::terminate() was called: an exception on its way through ~thread() is not why."""
    if case.calls(*_BY_ITSELF[:-1]) is not None:
        return "joinable"
    if _handled(case) is not None:
        return "handled"
    return "" if case.calls("__cxa_rethrow") is None else "rethrow"


_CALLED_FOR = {
    "": "std::terminate() was called without an exception.",
    "joinable": "A std::thread that could still be joined was destroyed or assigned to.",
    "rethrow": "A throw without an operand found no exception that was being handled.",
    "handled": "std::terminate() was called; what was thrown has its handler.",
}
_MENDS = {
    "joinable": "Join or detach each std::thread before it is destroyed or assigned to, on every "
    "way out, that of an exception too; std::jthread joins by itself.",
    "rethrow": "Say `throw;` only in a handler, or in what handlers alone call.",
}
_ENDED = {
    "": "The C++ runtime ended the program without an exception.",
    "joinable": "The C++ runtime ended the program over a std::thread.",
    "rethrow": "The C++ runtime ended the program without an exception.",
    "handled": "The program ended itself while it handled an exception.",
}


def _several(case: Case) -> list[CxxException]:
    found = _in_the_way(case) if case.ended(Kind.ABORT, Kind.THROWN) else []
    return found if len(found) > 1 else []


def uncaught(case: Case) -> CxxException | None:
    """The exception that ended the process: one that the runtime counts as uncaught, or one in
    flight while std::terminate() is on the stack."""
    ways = _in_the_way(case)
    if len(ways) != 1 or not case.ended(Kind.ABORT, Kind.THROWN):
        return None
    found = ways[0]
    if found.uncaught is False:
        return None
    if found.uncaught or own_end.terminated(case) is not None or case.calls(*_THROW) is not None:
        return found
    return None


def _outside(case: Case, end: Frame) -> Frame | None:
    """The runtime's outermost frame between the program and std::terminate()."""
    if case.frame is None:
        return None
    between = [f for f in case.frames if end.index < f.index < case.frame.index and f.function]
    return between[-1] if between else None


def _thrown(case: Case) -> Frame | None:
    return case.calls(*_THROW)


_LETS_NONE_OUT = (
    "Let nothing throw in a destructor or another function that is noexcept, or catch there what "
    "it throws."
)


def _stopped(case: Case) -> Frame | None:
    """What calls std::terminate() for a frame that lets nothing out (libsupc++/eh_personality.cc,
    found_terminate; eh_call.cc): where nobody catches, __cxa_throw itself does. GCC takes the
    guard of a static variable for what throws nothing, whatever its function lets out."""
    if case.exception is not None and case.exception.type == _CIRCLE:
        return None
    return case.calls(
        "__gxx_personality_v0",
        "__cxa_call_unexpected",
        "__cxa_call_terminate",
        "__clang_call_terminate",
    )


def _kept(case: Case) -> str:
    """How an exception is thrown that was there before: the one that is being handled, or what an
    exception_ptr holds, as a future does; else empty."""
    ways = {"__cxa_rethrow": "again", "std::rethrow_exception": "stored"}
    return next((how for function, how in ways.items() if case.calls(function)), "")


def _how(case: Case, found: object) -> str:
    """The frame threw it only where the throw is on the stack. One that meets another on its way
    has left a destructor, which need not be noexcept ([except.terminate])."""
    if isinstance(found, CxxException) and found.others:
        return "second"
    thrown, stopped = _thrown(case) is not None, _stopped(case) is not None
    if stopped:
        return "stopped" if thrown else "met"
    return _kept(case) or ("thrown" if thrown else "ended")


def _first(case: Case, found: CxxException) -> list[Claim]:
    """The exception that was on its way already, where there is one alone that may be it."""
    rest = [one for one in case.facts.all(CxxException) if one is not found and one.handlers == 0]
    return [_told(rest[0])] if found.others and len(rest) == 1 else []


def _in_flight(case: Case) -> Cites:
    """The lines of an exception in flight, or of a throw that ended in std::terminate()."""
    ended = _unfinished(case) or (_thrown(case) if own_end.terminated(case) is not None else None)
    one = uncaught(case)
    found = [one] if one is not None else _several(case)
    return (*(cite for each in found for cite in of(each)), *case.cite(ended))


def _thrower(case: Case, _: object = None) -> Frame | None:
    """Whose code led to std::terminate(): what that calls may be the program's own handler."""
    frame = _listed(case)
    return case.unlisted or frame if frame == case.listed else frame


def _listed(case: Case) -> Frame | None:
    end = _thrown(case) or own_end.terminated(case)
    return case.caller_of(end) if end is not None else case.frame


def _look(case: Case, _: object) -> tuple[Command, ...]:
    frame = _listed(case)
    return (*commands.source(frame), *commands.variables(frame))


def _told(found: CxxException) -> Claim:
    return say("exception", of(found), type=found.type, message=found.message or None)


def _object(case: Case, found: CxxException) -> list[Claim]:
    fate = [say("exception", of(found), type=found.type, fate="uncaught")] if found.uncaught else []
    first = _first(case, found)
    return [_told(found), *first, *filled(case), *fate, *on_stack(case, _thrown(case))]


# Who has an exception in hand: _SEARCHES without a rethrow of none, the personality routine, and
# Apple's handlers of all (objc4, objc-exception.mm; libdispatch, src/object.m).
_IN_HAND = ("__cxa_throw", "std::rethrow_exception", *_SEARCHES[len(_THROW):],
            "__gxx_personality_v0", "objc_terminate")  # fmt: skip
_CALLOUT = re.compile(r"^_dispatch_client_callout\d?$")


def _unfinished(case: Case) -> Frame | None:
    """What shows that an exception was on its way as std::terminate() was called; the end of a
    thread that is cancelled goes through the same functions (_Unwind_ForcedUnwind)."""
    end = own_end.terminated(case)
    if end is None or case.calls("_Unwind_ForcedUnwind") is not None:
        return None
    caller = next((f for f in case.frames if f.index == end.index + 1), None)
    if caller is not None and _CALLOUT.search(caller.function or ""):
        return caller
    return case.calls(*_IN_HAND)


def _rethrown(case: Case) -> Frame | None:
    """A rethrow, where no memory tells whether there was anything to throw again."""
    return case.calls("__cxa_rethrow") if case.memory is None else None


UNCAUGHT_EXCEPTION = Cause(
    Category.UNCAUGHT_EXCEPTION,
    "An exception in flight when the runtime gave up.",
    statement="An exception was thrown that nobody caught.",
    sign=_in_flight,
    prior=0.92,
    tests=_look,
    cites=lambda _, cites: cites,
    findings=(
        Proof(uncaught,
              lambda case, found: (
                  "An exception object is in flight, and so is another one." if found.others
                  else "An exception object is in flight and nobody caught it."
                  if _stopped(case) is None
                  else "An exception object is in flight, and a function lets none out."
              ), 0.95, Rung.STRUCTURE, _how, _object,
              lambda case, _: case.cite(_thrown(case)) + case.cite(own_end.terminated(case)),
              frame=_thrower,
              missing=lambda case, _: "where it was made" if _kept(case) else (),
              advice=lambda case, found: (
                  thrown_advice(found.type, found.message)
                  if _stopped(case) is None
                  else _LETS_NONE_OUT
              )),
        Proof(_several, "Several exceptions are in flight, and one of them met a function that "
              "lets none out.", 0.75, Rung.STRUCTURE, "ended",
              lambda case, found: [*on_stack(case, own_end.terminated(case)), *map(_told, found)],
              frame=_thrower, missing="which of the exceptions in flight was thrown last",
              advice=_LETS_NONE_OUT),
        Proof(_unfinished, "A throw ended in std::terminate().", 0.75, Rung.STACK, _how,
              lambda case, first: on_stack(case, first, own_end.terminated(case)),
              frame=_thrower, missing="the exception object, for its type and message",
              advice=lambda case, _: _LETS_NONE_OUT if _stopped(case) is not None
              else "Catch this exception where the program can act on it."),
    ),
    absent="No exception is in flight.",
    unseen=lambda case: of(case.stack),
    rung=Rung.STACK,
)  # fmt: skip


def _unclear(case: Case) -> bool:
    known = _thrown(case) is not None or bool(_in_the_way(case))
    return known or case.calls("__cxa_pure_virtual") is not None


STD_TERMINATE = Cause(
    Category.STD_TERMINATE,
    "std::terminate() that no exception led to.",
    statement=lambda case, _: _ENDED[_called_for(case)],
    sign=own_end.terminated,
    prior=lambda case, _: 0.2 if _unclear(case) else 0.85,
    tests=_look,
    cites=lambda case, end: case.cite(end),
    findings=(
        Rival(lambda case: case.calls("__cxa_pure_virtual"), "A pure virtual call led there.",
              lambda case, pure: case.cite(pure), Rung.STACK),
        Rival(uncaught, "An exception is in flight.", rung=Rung.STRUCTURE),
        Rival(_several, "Exceptions are in flight.", lambda _, found: of(found[0]),
              rung=Rung.STRUCTURE),
        Rival(_unfinished, "An exception was being thrown.",
              lambda case, thrown: case.cite(thrown), Rung.STACK),
        Open(_rethrown, "A rethrow ended in std::terminate(): of an exception, or of none.",
             missing="whether an exception was being handled", support=Case.cite),
        Open(lambda case: own_end.terminated(case) if case.frame is None else None,
             "What called std::terminate() is not known.", missing="symbols for the caller",
             support=lambda case, end: case.cite(end)),
        Proof(
            own_end.terminated,
            lambda case, _: _CALLED_FOR[_called_for(case)],
            0.8,
            Rung.STACK,
            lambda case, _: _called_for(case),
            lambda case, end: [
                *([_told(held)] if (held := _handled(case)) is not None else []),
                *on_stack(case, end, case.calls(*_BY_ITSELF[:-1]) or _outside(case, end)),
            ],
            frame=_thrower,
            advice=lambda case, _: _MENDS.get(
                _called_for(case),
                "Look at the calling line: a std::thread destroyed while it could still be joined, "
                "a rethrow without an exception, or a direct call.",
            ),
        ),
    ),
    absent="std::terminate() is not on the stack.",
    unseen=lambda case: of(case.stack),
)  # fmt: skip
