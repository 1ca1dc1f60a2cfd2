"""Libraries and functions that the dynamic loader did not find, by its own last words."""

import re
from typing import NamedTuple

from analyzers.names import bare
from analyzers.patterns import signs
from analyzers.patterns.case import Case
from analyzers.patterns.cause import Cause, Open, Proof, of_memory
from analyzers.patterns.ending import Kind
from analyzers.patterns.words import line_of, of
from workbench.claims.say import say
from workbench.model.category import Category
from workbench.model.claims import Claim
from workbench.model.facts import Fault, LoaderMessage
from workbench.model.hypothesis import Rung

_ASKS = frozenset({"dlsym", "dlvsym", "dlopen", "dlmopen"})
# dlerror(3)'s texts: elf/dl-lookup.c, elf/dl-version.c; all others are of a library as a whole.
_SYMBOL = re.compile(r"\bundefined symbol: ")
_VERSION = re.compile(
    r"\bversion `?[^']*' not found \(required by |\bundefined symbol: [^,]*, version "
)
_STATEMENTS = {
    Category.LIBRARY_LOAD_FAILURE: "A library could not be loaded.",
    Category.MISSING_METHOD: "A function was not found in the libraries that are loaded.",
    Category.VERSION_MISMATCH: "A library is of another version than what needs it.",
}


def category_of(message: LoaderMessage) -> Category:
    """What a message of the loader is about."""
    if _VERSION.search(message.text):
        return Category.VERSION_MISMATCH
    if _SYMBOL.search(message.text):
        return Category.MISSING_METHOD
    return Category.LIBRARY_LOAD_FAILURE


class Asked(NamedTuple):
    """The fault's null pointer is what a call to the loader returned."""

    fault: Fault
    call: str


def asked(case: Case) -> Asked | None:
    """The call to the loader that gave the null pointer which was used."""
    fault = case.fault
    if fault is None or fault.origin_call is None or fault.origin_value != 0:
        return None
    if bare(fault.origin_call) not in _ASKS:
        return None
    near = signs.near_null_access(case) is not None or signs.near_null_jump(case) is not None
    return Asked(fault, fault.origin_call) if near else None


def told(case: Case) -> list[Claim]:
    """The loader's last words, for a cause that may follow from them."""
    found = case.facts.first(LoaderMessage)
    return [] if found is None else [say("message", of(found), text=found.text)]


def _returned(call: Asked) -> Claim:
    return say(
        "returned_by",
        line_of(call.fault, call.fault.origin_line),
        function=call.call,
        value=call.fault.origin_value,
    )


def _not_loaded(category: Category) -> Cause[LoaderMessage]:
    """One cause of the three that the loader tells apart."""

    def message(case: Case) -> LoaderMessage | None:
        found = case.facts.all(LoaderMessage)
        return next((m for m in found if category_of(m) is category), None)

    def ended(case: Case) -> LoaderMessage | None:
        follows = asked(case) is not None or case.ended(Kind.ABORT, Kind.THROWN)
        return message(case) if follows else None

    def words(found: LoaderMessage) -> Claim:
        return say("message", of(found), text=found.text)

    return Cause(
        category,
        "The loader's last words are of this kind, and the end may follow from them.",
        statement=_STATEMENTS[category],
        sign=ended,
        prior=lambda case, _: 0.6 if asked(case) is not None else 0.3,
        findings=(
            Proof(lambda case: (asked(case), found) if (found := message(case)) and asked(case)
                  else None, "The null pointer is the loader's answer, and its message says why.",
                  told=lambda _, found: [*([_returned(found[0])] if found[0] else []),
                                         words(found[1])], support=of_memory,
                  advice="Check what dlopen() and dlsym() return, and print dlerror(); see that "
                  "the library is where the loader looks (LD_LIBRARY_PATH, RUNPATH) and is of this "
                  "version."),
            Open(message,
                 "The loader failed at something; whether the program ended for that is not told.",
                 0.45, Rung.STRUCTURE, "reported", lambda _, found: [words(found)],
                 lambda _, found: of(found), missing="what the program printed before it ended",
                 signal=False),
        ),
        absent="The loader has reported nothing of this kind.",
        unseen=lambda case: [c for each in case.facts.all(LoaderMessage) for c in of(each)],
    )  # fmt: skip


NOT_LOADED = tuple(map(_not_loaded, _STATEMENTS))
