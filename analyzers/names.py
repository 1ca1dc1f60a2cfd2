"""Function names as debuggers print them, and their bare form."""

import re
from functools import lru_cache

from workbench.model.aliases import uncrated

_OPERATOR = re.compile(r"operator(<<=?|>>=?|<=>|<=?|>=?|->\*?|\(\))")
# Brackets of an operator's name, while those of arguments are taken out.
_KEPT, _BACK = str.maketrans("<>()", "\x01\x02\x03\x04"), str.maketrans("\x01\x02\x03\x04", "<>()")
_QUALIFIERS = re.compile(r"(?:\s*(?:const|volatile|&|&&|\[clone [^\]]*\]))+$")
_VERSION = re.compile(r"(?:@@?[A-Z]\w*[\w.]*|\.(?:part|cold|constprop|isra|lto_priv)(?:\.\d+)*)+$")
_LONGEST = 8192
# The code of a function where its plain name is a descriptor (64-bit PowerPC ELF ABI, 3.2.2).
# What GCC's __PRETTY_FUNCTION__ says of a template's arguments, which assert(3) prints.
_WITH = re.compile(r"\s*\[with [^\n]*\]$")
_DOTTED = re.compile(r"^(?:\.|\*(?=__GI_))[A-Za-z_]\w*$")
_ONE_NAME = re.compile(
    r"\(anonymous (?:namespace|class)\)|operator ?(?:\(\)|[<>=!-]{1,3})|operator [a-z]|\{[^{}]*\}"
)

INDEXED = "(?:vector|deque|span|basic_string|basic_string_view|valarray)"
"""The C++ library's containers whose operator takes elements from the first one on, unchecked."""


def unreturned(function: str) -> str:
    """What __PRETTY_FUNCTION__ holds without storage, return type and ``[with T = ...]``: a name
    with its parameters, in whole a part of the text. Any other name comes back as it is."""
    text = _WITH.sub("", function[:_LONGEST])
    masked = _ONE_NAME.sub(lambda m: "_" * len(m[0]), text)
    depth = start = 0
    for at, char in enumerate(masked):
        if char == "(" and depth == 0:
            name = text[start:].lstrip("*&")
            return text if at == start or masked[at + 1 : at + 2] == "*" else name
        depth += (char in "<(") - (char in ">)" and depth > 0)
        if char == " " and depth == 0:
            start = at + 1
    return function


def split_call(text: str) -> tuple[str, str]:
    """A function's name, and what stands in the parentheses that end a text."""
    depth = 0
    for at in range(len(text) - 1 if text.endswith(")") else -1, -1, -1):
        depth += (text[at] == ")") - (text[at] == "(")
        if depth == 0:
            return text[:at].strip() or text, text[at + 1 : -1]
    return text, ""


def declared(signature: str) -> str:
    """The name that __PRETTY_FUNCTION__ declares, with its templates' arguments."""
    return split_call(_QUALIFIERS.sub("", unreturned(signature)))[0]


_VARIANT = re.compile(
    r"__(\w+?)_(?:evex|avx|avx2|sse|sse2|sse4|sve|mte|rtm|generic|unaligned|erms|asimd|ssse3)\w*"
)
"""What glibc's variants for a processor are called (sysdeps/*/multiarch)."""
_CHECKED = re.compile(r"__(\w+)_chk")
"""What _FORTIFY_SOURCE calls in a function's place (glibc, debug/*_chk.c)."""
_ALLOCATES = re.compile(r"_Z(nw|na|dl|da)[jmP]\w*")
"""The mangled names of C++'s global operators (Itanium C++ ABI, 5.1.4.1)."""
_OPERATORS = {"nw": "operator new", "na": "operator new[]",
              "dl": "operator delete", "da": "operator delete[]"}  # fmt: skip


def common(function: str) -> str:
    """A function of the runtime as its callers write it, where it is a variant for a processor, a
    checked one, or an operator whose name is still mangled; others as they are."""
    if operator := _ALLOCATES.fullmatch(function):
        return _OPERATORS[operator[1]]
    variant = _VARIANT.fullmatch(function) or _CHECKED.fullmatch(function)
    return variant[1] if variant is not None else function


def _own_type(text: str) -> str:
    """The name without the brackets around the type whose own method it is."""
    depth = 0
    for at, char in enumerate(text if text.startswith("<") else ""):
        depth += (char == "<") - (char == ">" and text[at - 1] != "-")
        if not depth:
            inner = text[1:at]
            return inner + text[at + 1 :] if " as " not in inner else text
    return text


@lru_cache(maxsize=4096)
def bare(function: str) -> str:
    """A name without return type, templates' arguments, parameters and clone suffixes.

    ``void std::__invoke_impl<void, F>(F&&)`` becomes ``std::__invoke_impl``,
    ``T::f(int) const`` becomes ``T::f``, ``foo.part.0`` becomes ``foo``, and Rust's ``<T<U>>::f``
    (rustc_symbol_mangling/src/v0.rs) ``T::f``.
    """
    text = uncrated(_WITH.sub("", function[:_LONGEST]))
    text = _OPERATOR.sub(lambda m: m[0].translate(_KEPT), text)
    text = _own_type(text.replace("(anonymous namespace)", "{anonymous}"))
    kept: list[str] = []
    depth = 0
    for char in text:
        if char in "<(":
            depth += 1
        elif char in ">)":
            depth = max(0, depth - 1)
        elif depth == 0:
            kept.append(char)
    text = _VERSION.sub("", _QUALIFIERS.sub("", "".join(kept).strip())).translate(_BACK)
    if _DOTTED.match(text):
        text = text[1:]
    if text.startswith("operator "):
        return text
    head, space, tail = text.rpartition(" ")
    if space and not head.endswith("operator"):
        return tail or head
    return text
