"""Does a value stand in a line? The last defence behind rendering: typed, never by its words."""

import re

from workbench.claims.render import last_part
from workbench.claims.values import number
from workbench.model.claims import Arg, Value

# WinDbg puts a grave accent into the middle of a 64-bit number.
_WIDE = re.compile(r"(?<![0-9A-Za-z_])((?:0x)?[0-9a-fA-F]{1,8})`([0-9a-fA-F]{8})(?![0-9A-Za-z_])")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
_RUN = re.compile(r"[0-9A-Za-z_]+")
_ID = re.compile(r"(?:[.(]|\bid: |owningthread\s*=?\s*)([0-9a-f]+)(?=[.):\s]|$)")

TOKEN = re.compile(
    r"""(?P<comment>//[^\n]*|/\*.*?(?:\*/|\Z))"""
    r"""|(?P<text>"(?:[^"\\]|\\.)*"|'(?:\\[^\n']+|\\'|[^'\\\n])'|`[^`]*`)"""
    r"""|(?P<word>[^\W\d]\w*|\.?\d(?:[eEpP][+-]|[\w']|\.(?!\.))*)"""
    r"""|(?P<mark><<=|>>=|\.\.[.=]|->|=>|::|[-+*/%&|^=!<>]=|&&|\|\||\+\+|--|<<|\S)""",
    re.DOTALL,
)
"""The tokens of a source, whatever its language."""


def unaccented(line: str) -> str:
    """A line as a claim can quote it: backticks delimit names in a claim, and WinDbg puts them into
    the middle of a 64-bit number. A claim shows control characters as spaces."""
    return _CONTROL.sub(" ", _WIDE.sub(r"\1\2", line)).replace("`", "'")


def stands(value: Value, line: str) -> bool:
    """True when a number stands in a line in either base, or a name or text does word for word."""
    if isinstance(value, int):
        return _number(value, line)
    text = " ".join(value.split())
    if not text:
        return False
    plain = " ".join(unaccented(line).split())
    if _whole(unaccented(text), plain) or _whole(last_part(text), plain):
        return True
    figure = number(text)
    return figure is not None and _number(figure, line)


def _whole(text: str, line: str) -> bool:
    """True where a text stands in a line, and neither end of it in the middle of a word."""
    begins, ends = (r"(?<!\w)" * text[:1].isalnum(), r"(?!\w)" * text[-1:].isalnum())
    return text in line and re.search(f"{begins}{re.escape(text)}{ends}", line) is not None


def holds(arg: Arg, line: str) -> bool:
    """True when an argument's value stands in a line, or is written there as an expert says; a
    number that a line has in hexadecimal may stand there without ``0x``."""
    if stands(arg.value, line):
        return True
    if not arg.shown:
        return False
    bare = re.escape(arg.shown.removeprefix("0x"))
    hexadecimal = arg.shown.startswith("0x") and re.search(
        rf"(?<![0-9A-Za-z_])0*{bare}(?![0-9A-Za-z_])", line.replace("`", ""), re.IGNORECASE
    )
    return _whole(arg.shown, line) or bool(hexadecimal)


def _number(value: int, line: str) -> bool:
    line = line.replace("`", "").lower()  # WinDbg puts one into the middle of a 64-bit number
    size = abs(value)
    digits = f"{size:x}"
    wide = (len(digits) >= 4 and not digits.isdecimal()) or len(digits) >= 8
    for run in _RUN.findall(line):
        bare = run.removeprefix("0x")
        if _equal(run, str(size)) or ((wide or bare != run) and _equal(bare, digits)):
            return True
    if size >= 1000 and _whole(f"{size:,}", line):
        return True
    if any(_equal(found, digits) for found in _ID.findall(line)):
        return True
    return value < 0 and any(_number(value % (1 << bits), line) for bits in (32, 64))


def _equal(run: str, digits: str) -> bool:
    """True for the same digits behind any number of zeros."""
    return run.endswith(digits) and not run.removesuffix(digits).strip("0")
