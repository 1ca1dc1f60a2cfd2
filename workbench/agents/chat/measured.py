"""Numbers that outputs give with a name: ``CPU utilization: 98%``, ``Running: 10``, ``9 threads``.

What a person says of a number is held to them.
"""

import re
from collections.abc import Iterable, Iterator
from itertools import chain

from msgspec import Struct

from workbench.agents.chat.asked import ASKED, Amount
from workbench.agents.chat.words import UNITS, content_words

LONGEST_LINE = 400
_NUMBER = r"(?P<number>(?<![\w.-])-?\d[\d,]*(?:\.\d+)?)\s?(?P<unit>%|[A-Za-zµ]{1,12})?(?![\w.])"
_LABELLED = re.compile(
    rf"(?P<label>[A-Za-z][A-Za-z0-9_ ()/'-]{{0,60}}?)\s{{0,20}}(?:[:=]|\bis\b|\bwas\b|\bat\b)"
    rf"\s{{0,20}}{_NUMBER}(?:\s(?P<kind>[a-z]{{3,20}})(?![\w:=]))?"
)
# SOS and WinDbg write sizes in both bases: ``Size: 0x2a3f5c8 (44299720) bytes``.
_BOTH_BASES = re.compile(
    r"(?P<label>[A-Za-z][A-Za-z0-9_ /'-]{0,60}?)\s{0,20}[:=]\s{0,20}0x[0-9a-fA-F]{1,16}\s{1,4}"
    r"\((?P<number>\d[\d,]*)\)(?:\s(?P<unit>[A-Za-z]{1,12}))?"
)
_PERCENT = re.compile(
    r"(?P<label>[A-Za-z][A-Za-z ]{0,30}?)\s{1,20}(?P<number>\d{1,3}(?:\.\d+)?)\s?(?P<unit>%)(?!\w)"
)
_PRINTED = re.compile(
    r"\$\d{1,9} = |(?:->)?\s{0,8}\d{1,9}\s{0,8}\t|(?:bytes from )?0x[0-9a-f]{1,16}[-:]"
)
"""A value of the program, whose members are looked up by their names; source, memory and mappings,
whose numbers measure nothing."""
_LEVEL = re.compile(
    r"^(?:TRACE|DEBUG|INFO|NOTICE|WARN(?:ING)?|ERROR|SEVERE|CRIT(?:ICAL)?|ALERT|EMERG|FATAL)\b"
)
"""How a log ranks its line, in front of what the line says."""
_IDENTITY = frozenset({"id", "crash", "current", "fault", "main", "hold", "selected", "triggered"})
_ONE = frozenset({"thread", "process", "frame", "lwp", "tid", "pid", "line", "signal"})
_GENERAL = frozenset({"size", "total", "count", "value", "number", "amount", "length", "limit"})
"""Labels that name nothing by themselves."""
_COUNTED = re.compile(
    r"(?<![\w.:/-])(?P<number>\d[\d,]*)\s(?P<label>[A-Za-z][a-z-]{2,24}(?:\s[a-z][a-z-]{2,24})?)"
)
_NAMES = re.compile(
    r"(?i)\b(?:threads?|lwp|tid|frame|line|process|pid|worker|core|cpu|step|phase|id|no|number|version|"
    r"signal|error|code|exit|status|port|level|item|chunk|slot|heap|gen)\W{0,2}$"
)
"""What stands before a number that names one of something and counts nothing."""
_CLOSE = 0.05
_NEAR = 0.15


class Measure(Struct, frozen=True):
    """One number with its name; ``context`` are all words of the line and of its command, ``kind``
    the word that stands behind it: "2048 bytes dumped" are not the bytes of anything else."""

    evidence: str
    line: int
    label: frozenset[str]
    context: frozenset[str]
    base: float
    family: str
    kind: frozenset[str] = frozenset()


def measures(evidence: str, command: str, lines: Iterable[tuple[int, str]]) -> Iterator[Measure]:
    """Every number with a name in numbered lines."""
    asked = content_words(command)
    for number, line in lines:
        line = line[:LONGEST_LINE]
        if _PRINTED.match(line) or not any(map(str.isdigit, line)):
            continue
        context = content_words(line) | asked
        named = (pattern.finditer(line) for pattern in (_LABELLED, _BOTH_BASES, _PERCENT))
        for match in chain.from_iterable(named):
            unit = (match["unit"] or "").lower()
            family, scale = UNITS.get(unit, ("", 1))
            words = content_words(_LEVEL.sub("", match["label"]))
            if words <= _GENERAL:
                words |= content_words(line[max(0, match.start() - 60) : match.start()])
            if words - _GENERAL and not (_names_one(match["label"], words) and not family):
                value = _float(match["number"]) * scale
                kind = content_words(match.groupdict().get("kind") or "")
                yield Measure(evidence, number, words, context, value, family, kind)
        for match in _COUNTED.finditer(line):
            words = content_words(match["label"])
            if _NAMES.search(line[: match.start()]):
                continue
            if words and match["label"].split()[0].lower() not in UNITS:
                yield Measure(evidence, number, words, context, _float(match["number"]), "")


def _names_one(label: str, words: frozenset[str]) -> bool:
    """True where a number says which one it is, or is a variable's, and counts nothing:
    ``Crashed Thread: 0``."""
    return bool(words & _IDENTITY) or label.strip().lower() in _ONE or "_" in label


def _float(digits: str) -> float:
    return float(digits.replace(",", "")[:40])


def matching(amount: Amount, known: Iterable[Measure]) -> list[Measure]:
    """The measures that speak of what an amount speaks of: those whose names share most with its
    clause."""
    found: list[tuple[int, Measure]] = []
    for measure in known:
        if amount.relation != ASKED and not _same_kind(amount, measure):
            continue
        if not amount.counted <= (measure.label | measure.context):
            continue
        if not measure.kind <= amount.subject:
            continue
        shared = amount.subject & measure.label
        around = amount.subject & (measure.label | measure.context)
        if not shared or 2 * len(shared) < len(measure.label):
            continue
        if 2 * len(around) < len(amount.subject):
            continue
        loose = len(measure.label - amount.subject - _GENERAL)
        found.append((3 * len(shared) + len(around) - 2 * loose, measure))
    best = max((score for score, _ in found), default=0)
    return [measure for score, measure in found if score == best]


def is_unmeasured(amount: Amount, known: Iterable[Measure]) -> bool:
    """True for an amount with a unit that is stated and that no measure speaks of."""
    return bool(amount.family) and amount.relation != ASKED and not matching(amount, known)


def _same_kind(amount: Amount, measure: Measure) -> bool:
    if amount.family == measure.family or (not amount.family and measure.family == "percent"):
        return True
    # A size in bytes is often printed without its unit.
    return amount.family == "bytes" and not measure.family and measure.base >= 1024


def agrees(amount: Amount, measure: Measure) -> bool:
    """True when the measured value is what the person said."""
    said, true = amount.base, measure.base
    if amount.relation == ASKED:
        return True
    if amount.relation == "~":
        return abs(true - said) <= _NEAR * max(abs(true), abs(said))
    if amount.relation != "=":
        return amount.fits(true)
    if amount.family in ("bytes", "seconds"):  # said rounded
        return abs(true - said) <= _CLOSE * max(abs(true), abs(said))
    return abs(true - said) < 1 if amount.family == "percent" else true == said
