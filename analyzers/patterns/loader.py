"""Libraries and functions that the dynamic loader did not find, by its own last words."""

import re
from typing import NamedTuple

from analyzers.names import bare
from analyzers.patterns import commands, signs
from analyzers.patterns.base import OneRound
from analyzers.patterns.case import Case
from analyzers.patterns.ending import Kind
from analyzers.patterns.words import (
    confirmed,
    in_place,
    inconclusive,
    line_of,
    of,
    rejected,
    signal_claim,
)
from workbench.claims.say import say
from workbench.model.category import Category
from workbench.model.claims import Claim
from workbench.model.facts import FactBook, Fault, LoaderMessage
from workbench.model.hypothesis import Proposal, Rung, Verdict

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
    if found is None:
        return []
    return [say("message", of(found), text=found.text)]


class NotLoaded(OneRound):
    """One cause of the three that the loader tells apart."""

    def __init__(self, category: Category) -> None:
        self.category = category

    def propose(self, facts: FactBook) -> Proposal | None:
        """When the loader's last words are of this kind, and the end may follow from them."""
        case = Case(facts)
        message, call = self._message(facts), asked(case)
        ended = case.ended(Kind.ABORT, Kind.THROWN)
        if message is None or (call is None and not ended):
            return None
        return Proposal(
            category=self.category,
            statement=_STATEMENTS[self.category],
            confidence=0.6 if call is not None else 0.3,
            tests=(*commands.source(case.frame), *commands.variables(case.frame)),
            citations=of(message),
        )

    def evaluate(self, facts: FactBook) -> Verdict:
        """Confirmed when the pointer that was used is what the loader returned."""
        case = Case(facts)
        message, call = self._message(facts), asked(case)
        if message is None:
            return rejected("The loader has reported nothing of this kind.",
                            [c for each in facts.all(LoaderMessage) for c in of(each)])  # fmt: skip
        words = say("message", of(message), text=message.text)
        if call is None:
            return inconclusive(
                case,
                "The loader failed at something; whether the program ended for that is not told.",
                ("what the program printed before it ended",),
                confidence=0.45,
                rung=Rung.STRUCTURE,
                supporting=of(message),
                claims=[
                    in_place(case, self.category, case.frame, how="reported", cites=of(message)),
                    words,
                ],
            )
        return confirmed(
            case,
            Rung.MACHINE,
            0.85,
            [
                in_place(case, self.category, case.frame),
                say(
                    "returned_by",
                    line_of(call.fault, call.fault.origin_line),
                    function=call.call,
                    value=call.fault.origin_value,
                ),
                words,
                *signal_claim(case),
            ],
            reason="The null pointer is the loader's answer, and its message says why.",
            support=of(case.memory),
            recommendations=(
                "Check what dlopen() and dlsym() return, and print dlerror(); see that the library "
                "is where the loader looks (LD_LIBRARY_PATH, RUNPATH) and is of this version.",
            ),
        )

    def _message(self, facts: FactBook) -> LoaderMessage | None:
        found = facts.all(LoaderMessage)
        return next((m for m in found if category_of(m) is self.category), None)
