"""One name for a frame, the same in every run, on every processor and from every debugger."""

import re
from functools import cache

from analyzers.owners.modules import is_runtime_library
from workbench.model.aliases import undollared
from workbench.model.facts import Frame

_LONGEST = 4096
_OPERATORS = ("operator<<=", "operator>>=", "operator<=>", "operator->*", "operator<<",
              "operator>>", "operator<=", "operator>=", "operator->", "operator<", "operator>",
              "operator()")  # fmt: skip


@cache
def _patterns() -> dict[str, re.Pattern[str]]:
    return {
        # GCC's and LLVM's copies of a function, symbol versions, Rust's hash.
        "tail": re.compile(
            r"(?:@@?[A-Za-z_][\w.]*|\.(?:part|cold|constprop|isra|lto_priv|llvm|localalias)"
            r"(?:\.\d+)*|::h[0-9a-f]{16}|\s*\[clone [^\]]*\]|\s*\[inlined\]|\$[0-9a-f]{8,})+$"
        ),
        "qualifiers": re.compile(r"(?:\s+(?:const|volatile|noexcept)|\s*&&?)+$"),
        # glibc's string functions for one kind of processor (sysdeps/x86_64/multiarch).
        "variant": re.compile(
            r"^_*((?:mem|str|stp|wcs|wmem|raw)[a-z]*?)(?:_chk)?"
            r"_(?:avx|avx2|avx512|sse|sse2|sse4|sse42|ssse3|evex|evex512|erms|generic|asimd|sve|rtm)"
            r"(?:_\w+)?$"
        ),
        "internal": re.compile(r"^(?!_start$)_+(?:GI_+)?(?:libc_(?!fatal$))?(?=[a-z]|IO_)"),
        "impl": re.compile(r"\{impl#\d+\}"),  # Rust's, where the linker's name has <impl …>
        "anonymous": re.compile(r"\(anonymous namespace\)|`anonymous namespace'|\{anonymous\}"),
        "lambda": re.compile(
            r"\{lambda[^}]*\}|\$_\d+|<lambda_[0-9a-f]+>|'lambda\d*'|\{closure[^}]*\}"
            r"|\{\{closure\}\}"
        ),
        # C#'s state machines and closures: Program+<Main>d__0.MoveNext, Program.<>c.<Main>b__0_0
        "machine": re.compile(
            r"(?:[.+]<>c(?:__DisplayClass\w+)?)?[.+]<(\w+)>[a-z]__\w+(?:\.MoveNext)?"
        ),
    }


def normal(frame: Frame) -> str:
    """The frame's function without what changes between builds and debuggers; where it has none,
    its module and the offset in it; empty for a frame that says nothing: a function of the runtime
    without a name has one on another machine."""
    if frame.signal_handler:
        return ""
    if frame.function:
        return _function(frame.function[:_LONGEST])
    if frame.module and not is_runtime_library(frame.module):
        name = re.split(r"[\\/]", frame.module)[-1]
        return f"{name}@{frame.offset:#x}" if frame.offset is not None else name
    return ""


def _function(text: str) -> str:
    patterns = _patterns()
    text = undollared(text)
    text = text.split("!", 1)[-1] if re.match(r"[\w.]+![^=]", text) else text
    text = re.sub(r"\+0x[0-9a-f]+$", "", text)
    text = patterns["impl"].sub("_", patterns["anonymous"].sub("{anonymous}", text))
    text = patterns["machine"].sub(r".\1", text)
    text = re.sub(r"\.\(\*(\w+)\)\.", r".\1.", text)  # Go's methods of a pointer
    text = patterns["lambda"].sub("{lambda}", text)
    text = patterns["tail"].sub("", text)
    text = _without_arguments(text)
    text = patterns["tail"].sub("", patterns["qualifiers"].sub("", text.strip()))
    text = _without_return_type(text)
    if found := patterns["variant"].match(text):
        return found[1]
    return patterns["internal"].sub("", text)


def _without_arguments(text: str) -> str:
    """Drops parameters and what templates are made for; keeps ``<T as Trait>`` of Rust."""
    shelved = {}
    for number, operator in enumerate(_OPERATORS):
        if operator in text:
            shelved[f"\0{number}\0"] = operator
            text = text.replace(operator, f"\0{number}\0")
    kept: list[str] = []
    open_: list[tuple[str, int]] = []
    for char in text:
        kept.append(char)
        if char in "<(":
            open_.append((char, len(kept)))
        elif char in ">)" and open_ and open_[-1][0] == {">": "<", ")": "("}[char]:
            bracket, start = open_.pop()
            inside = "".join(kept[start:-1])
            if bracket == "(" or (" as " not in inside and not (start == 1 and inside)):
                del kept[start - 1 :]
    result = "".join(kept)
    for place, operator in shelved.items():
        result = result.replace(place, operator)
    return result


def _without_return_type(text: str) -> str:
    """``void std::sort`` becomes ``std::sort``; ``operator new`` stays."""
    return text if "operator" in text or text.startswith("<") else text.rpartition(" ")[2]
