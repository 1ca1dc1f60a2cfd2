"""What a minidump's writer was told: the C runtime's assertion, Crashpad's annotations."""

import re

from analyzers.base import Document
from analyzers.log.checks import read as read_checks
from analyzers.log.text import sentence, small
from workbench.model.category import Category
from workbench.model.facts import AnyFact, Finding

# MDRawAssertionInfo (Breakpad, exception_handler.cc): _set_invalid_parameter_handler(),
# _set_purecall_handler() and a program's own assertion.
_ASSERTION = re.compile(
    r"assertion: (?P<kind>invalid parameter|pure virtual call|assertion)(?: (?P<words>.*))? in "
    r"(?P<function>\S.{0,300}) at (?P<file>.{1,400}):(?P<line>\d{1,9})"
)
_ANNOTATION = re.compile(r"annotation(?: of [^:]{1,200})?: (?:[\w.$-]{1,100} = )?(?P<value>.*)")
_KINDS = {"pure virtual call": Category.PURE_VIRTUAL_CALL}
_UNKNOWN = frozenset({"", "unknown"})


def read(document: Document) -> list[AnyFact]:
    """A `Finding` for the assertion, else for each annotation that is a runtime's last words."""
    values: list[str] = []
    for number, line in document.numbered():
        match = _ASSERTION.fullmatch(line)
        if match is not None:
            place = f"{match['file']}:{match['line']}"
            known = match["file"] not in _UNKNOWN and small(match["line"]) != 0
            return [
                Finding(
                    cite=document.cite(number), tool="the crash handler", kind=match["kind"],
                    message=sentence(line), line=number, place=place if known else None,
                    category=_KINDS.get(match["kind"], Category.ASSERTION_FAILURE).value,
                    function=None if match["function"] in _UNKNOWN else match["function"],
                )
            ]  # fmt: skip
        said = _ANNOTATION.fullmatch(line)
        values.append(said["value"] if said is not None else "")
    if not any(values):
        return []
    told = Document(document.id, document.command, "check", "\n".join(values))
    return [f for f in read_checks(told).facts if isinstance(f, Finding) and f.tool in _SAY]


_SAY = frozenset({"assert", "glibc", "the allocator", "libc++abi", "the C++ runtime", "the loader",
                  "Objective-C", "Swift", "the program's log"})  # fmt: skip
