"""What to do about a C++ exception that nobody caught, by its type and message."""

import re

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
_CATCH = (
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
    return _TYPES.get(name, _CATCH)
