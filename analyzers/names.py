"""Function names as debuggers print them, and their bare form."""

import re

_OPERATOR = re.compile(r"operator(<<=?|>>=?|<=>|<=?|>=?|->\*?|\(\))")
_WORDS = {"<": "lt", ">": "gt", "=": "eq", "-": "minus", "*": "star", "(": "call", ")": ""}
_QUALIFIERS = re.compile(r"(?:\s*(?:const|volatile|&|&&|\[clone [^\]]*\]))+$")
_VERSION = re.compile(r"(?:@@?[A-Z]\w*[\w.]*|\.(?:part|cold|constprop|isra|lto_priv)(?:\.\d+)*)+$")
_LONGEST = 8192


def bare(function: str) -> str:
    """A name without return type, templates' arguments, parameters and clone suffixes.

    ``void std::__invoke_impl<void, F>(F&&)`` becomes ``std::__invoke_impl``,
    ``T::f(int) const`` becomes ``T::f``, ``foo.part.0`` becomes ``foo``.
    """
    text = _OPERATOR.sub(
        lambda m: "operator" + "".join(_WORDS[c] for c in m[1]), function[:_LONGEST]
    )
    text = text.replace("(anonymous namespace)", "{anonymous}")
    kept: list[str] = []
    depth = 0
    for char in text:
        if char in "<(":
            depth += 1
        elif char in ">)":
            depth = max(0, depth - 1)
        elif depth == 0:
            kept.append(char)
    text = _VERSION.sub("", _QUALIFIERS.sub("", "".join(kept).strip()))
    if text.startswith("operator "):
        return text
    head, space, tail = text.rpartition(" ")
    if space and not head.endswith("operator"):
        return tail or head
    return text
