"""A question taken apart: what it names that can be looked up, and what it states itself."""

import operator
import re
from collections.abc import Collection, Mapping

from msgspec import Struct

from workbench.agents.chat.words import UNITS, content_words, in_digits, is_stop
from workbench.agents.tokens import Kind, extract
from workbench.model.citation import Citation, parse_citations

LONGEST = 4000
"""Characters of a question that are read."""

_THREADS = re.compile(
    r"(?i)\b(?:threads?|LWPs?|TIDs?)\s+(?:number\s+|no\.?\s+)?#?"
    r"((?:0[xX][0-9a-fA-F]{1,16}|\d{1,10})(?:(?:\s*,\s*(?:and\s+)?|\s+(?:and|or)\s+)"
    r"(?:0[xX][0-9a-fA-F]{1,16}|\d{1,10}))*)(?![\w%])"
)
_FRAMES = re.compile(
    r"(?i)\bframes?\s+(?:number\s+|no\.?\s+)?#?"
    r"(\d{1,6}(?:(?:\s*,\s*(?:and\s+)?|\s+(?:and|or)\s+)\d{1,6})*)(?![\w%])"
)
_ADDRESS = re.compile(r"(?<!\w)0[xX][0-9a-fA-F]{1,16}(?!\w)")
_REGISTER = re.compile(
    r"[$%]?\b(?:[er]?(?:ax|bx|cx|dx|si|di|bp|sp|ip|flags)|r(?:[89]|1[0-5])|[xw](?:[12]?\d|30)"
    r"|pc|sp|lr|fp|eflags|rflags|cpsr)\b"
)
_UNIT = "|".join(sorted((re.escape(unit) for unit in UNITS), key=len, reverse=True))
_AMOUNT = re.compile(
    rf"(?i)(?<![\w.:#\[-])(?P<number>\d[\d,]*(?:\.\d+)?)[\s-]?(?:(?P<unit>{_UNIT})(?![\w]))?(?![\w.]*\w)"
)
_ONE_OF = re.compile(
    r"(?i)\b(?:block|buffer|client|chunk|column|connection|conn|core|cpu|entry|index|item|job|level|line|lock|mutex|node"
    r"|object|order|page|pid|port|queue|record|request|row|session|slot|step|table|task|user|version"
    r"|worker)\s+(?:number\s+|no\.?\s+)?#?$"
)
"""Behind one of a kind a number is its name, and counts nothing."""
_NAME = re.compile(r"(?<!\w['\u2019])[\w:.~!<>]*\w")
_ROOT = re.compile(r"(?<![\w.>])(?<!\w['\u2019])[A-Za-z_]\w*")
_BEHIND_NAME = re.compile(
    r"(?i)\W*$|\s*[^\w\s]|\s+(?:and|or|in|of|at|is|was|are|were|be|now|then|there|equals?|held|null)\b"
    r"|\s+(?:less|more|fewer|larger|bigger|smaller|greater|higher|lower|above|below)\b"
)
_TERM = r"(?:[*&]?[A-Za-z_]\w*(?:->\w+|\.\w+|\[[^][]{1,40}\])*|\d{1,19})"
_COMPUTED = re.compile(
    rf"(?i)(?<![\w.>])((?:(?<=[-+*/%] )\d{{1,19}}|(?!\d){_TERM}))\s+"
    rf"(plus|minus|times|(?:multiplied|divided)\s+by|modulo)\s+({_TERM})(?![\w(])"
)
_SIGN_OF = {"p": "+", "m": "-", "t": "*", "mu": "*", "d": "/", "mo": "%"}
_CLAUSE = re.compile(r"[.;!?](?:\s|$)|,\s|\b(?:and|but|so|because|while|although|though)\b")
_RELATIONS = {
    "!=": r"!=|<>|\bdiffer\w* from",
    "<=": r"<=|\b(?:at most|up to|max(?:imum)?(?: of)?)",
    ">=": r">=|\b(?:at least|min(?:imum)?(?: of)?)",
    "<": r"<|\b(?:under|below|(?:less|fewer|smaller|lower|shorter) than)",
    ">": r"(?<!=)>|\b(?:over|above|(?:more|greater|larger|bigger|higher|longer) than)",
    "~": r"~|\b(?:about|around|roughly|approximately|nearly|almost|some|circa|ca\.?)",
}  # fmt: skip
"""What may stand in front of a number, the first that fits."""
SIGNS = re.compile(r"!?[=<>&|^]+")
OPERATORS = frozenset({"=", "==", "!=", "<>", "<=", ">=", "<", ">"})
COMPARED = {"=": operator.eq, "!=": operator.ne, "<=": operator.le, ">=": operator.ge,
            "<": operator.lt, ">": operator.gt}  # fmt: skip


_HOW_MUCH = re.compile(
    r"(?i)\b(?:how (?:many|much|large|big|high|long)|(?:the )?(?:number|count|amount|size|length)"
    r" of|what(?:'s| is| was) the(?= [\w ]{2,40} (?:length|size|count)\b))\b"
)
_ASKS_FOR = re.compile(
    r"(?i)^\W*(?:and\s+)?(?:how\s+(?:much|many|large|big|high|long)|what|which)\b"
)
"""Such a clause states no number: the one in it says which of several is meant."""
_EMPTY = re.compile(r"(?i)\bempty\b")
_BOTH = re.compile(
    r"(?i)^(\W*)(?:are|were)\s+(\S+)\s+and\s+(\S+)\s+(?:equal|the\s+same|identical)(?=\W*$)"
)
"""Asks whether two are one and the same."""
_CHARACTER = re.compile(r"(?i)(^\W*(?:is|was)\s+\S+\s+(?:==?\s*|equal\s+to\s+)?)'([ -~])'(?=\W*$)")
"""A character that a value is held to: to debuggers it is a number."""
ASKED = "?"
_HELD = frozenset({"hold"})
"""What a register does with a value, and a thread with a lock."""


class Amount(Struct, frozen=True):
    """A number that the person states: ``base`` in the family's smallest unit, ``relation`` to the
    truth = | ~ | <= | >= | < | > | !=, or `ASKED` for one that is asked for. ``subject`` are the
    words of its clause, ``counted`` those that say what a number without a unit counts, ``said``
    the clause."""

    base: float
    family: str
    relation: str
    subject: frozenset[str]
    counted: frozenset[str]
    said: str

    def fits(self, number: float) -> bool:
        """True for what was stated of a number that is exact."""
        return bool(COMPARED.get(self.relation, operator.eq)(number, self.base))


class Asked(Struct, frozen=True):
    """``names`` are symbols, places and whatever of the evidence's own names the text uses,
    ``variables`` those of them that are variables."""

    text: str
    words: frozenset[str]
    threads: tuple[int, ...]
    frames: tuple[int, ...]
    addresses: tuple[int, ...]
    registers: tuple[str, ...]
    names: tuple[str, ...]
    variables: tuple[str, ...]
    amounts: tuple[Amount, ...]
    citations: tuple[Citation, ...]


_TAG = re.compile(
    r"(?i)\s+or not\W*$|,\s*(?:right|correct|no|yes|or|(?:(?:is|are|was|were|do|does|did|has|have|"
    r"had|ca|can|could|wo|would|should)(?:n[\u2019']t)?\s+(?:it|he|she|they|there|that)))\W*$"
)
"""What is hung behind a statement: it neither denies nor names anything."""


def untagged(text: str) -> str:
    """A question without "isn't it?" and the like behind it."""
    return _TAG.sub("", text)


def read(text: str, known: Mapping[str, bool] | Collection[str] = ()) -> Asked:
    """Take a question apart; ``known`` are names that stand in the evidence, true for those of
    variables. Never raises."""
    variables = known if isinstance(known, Mapping) else {}
    text = _in_signs(untagged(" ".join(text[:LONGEST].split())), variables)
    text = _CHARACTER.sub(lambda match: f"{match[1]}{ord(match[2])}", text)
    text = _BOTH.sub(r"\1is \2 equal to \3", text)
    threads = [
        int(number, 0)
        for match in _THREADS.finditer(text)
        for number in re.findall(r"0[xX][0-9a-fA-F]+|(?<![xX\w])(?:0(?!\d)|[1-9]\d*)", match[1])
    ]
    rest = _THREADS.sub(lambda match: " " * len(match[0]), text)
    frames = [int(n) for match in _FRAMES.finditer(rest) for n in re.findall(r"\d+", match[1])]
    rest = _FRAMES.sub(lambda match: " " * len(match[0]), rest)
    addresses = [int(match[0], 16) for match in _ADDRESS.finditer(rest)]
    registers = [match[0].lstrip("$%") for match in _REGISTER.finditer(rest)]
    names = [
        token.text
        for token in extract(rest)
        if token.kind in (Kind.SYMBOL, Kind.PLACE) and token.text not in registers
    ]
    words = ((match[0], rest[match.end() :]) for match in _NAME.finditer(rest))
    names += [word for word, behind in words if word in known and _is_name(word, behind)]
    ours = [
        match[0]
        for match in _ROOT.finditer(rest)
        if variables.get(match[0]) and _is_name(match[0], rest[match.end() :])
    ]
    return Asked(
        text=text,
        words=content_words(text) - (_HELD if registers else frozenset()),
        threads=tuple(dict.fromkeys(threads)),
        frames=tuple(dict.fromkeys(frames)),
        addresses=tuple(dict.fromkeys(addresses)),
        registers=tuple(dict.fromkeys(registers)),
        names=tuple(dict.fromkeys(name.removesuffix("()") for name in names)),
        variables=tuple(dict.fromkeys(ours)),
        amounts=tuple(_amounts(rest)),
        citations=tuple(parse_citations(text)),
    )


def _in_signs(text: str, variables: Mapping[str, bool]) -> str:
    """A computation of the program's values in C's signs: ``n times 2`` as ``n * 2``."""

    def signs(match: re.Match[str]) -> str:
        left, how, right = match.groups()
        ours = (
            one[0].isdigit() or re.search(r"->|[.[]", one) or variables.get(one.lstrip("*&"))
            for one in (left, right)
        )
        sign = _SIGN_OF.get(how[:2].lower()) or _SIGN_OF[how[0].lower()]
        return f"{left} {sign} {right}" if all(ours) else match[0]

    return _COMPUTED.sub(signs, _COMPUTED.sub(signs, text))


def _is_name(word: str, behind: str) -> bool:
    """False for an article or a pronoun that a program has a variable of: what a sentence goes on
    with behind it tells, unless it is quoted."""
    counts = word == "i" and re.match(r"\s+-?\d", behind)
    return not is_stop(word) or bool(counts or _BEHIND_NAME.match(behind))


def _amounts(text: str) -> list[Amount]:
    text = in_digits(text)
    found = []
    for match in _AMOUNT.finditer(text):
        if _ONE_OF.search(text[: match.start()]):
            continue
        before, after, said = _clause(text, match)
        family, scale = UNITS[match["unit"].lower()] if match["unit"] else ("", 1)
        signs = SIGNS.findall(said.replace("->", "."))
        if signs and not (signs[0] in OPERATORS and before.rstrip().endswith(signs[0])):
            continue  # a sum, or a comparison the other way round
        relation, counted = relation_in_front(before), content_words(after)
        if relation == "=" and not match["unit"] and _ASKS_FOR.match(said):
            continue
        number = float(match["number"].replace(",", ""))
        subject = content_words(before) | counted
        counted = counted if not family else frozenset()
        found.append(Amount(number * scale, family, relation, subject, counted, said))
    for match in _EMPTY.finditer(text):
        before, _, said = _clause(text, match)
        found.append(Amount(0.0, "", "=", content_words(before), frozenset(), said))
    for match in _HOW_MUCH.finditer(text) if not found else ():
        _, after, said = _clause(text, match)
        found.append(Amount(0.0, "", ASKED, content_words(after), frozenset(), said))
    return found[:20]


def relation_in_front(before: str) -> str:
    """How what stands in front of a number compares it: ``=`` where nothing does."""
    found = (
        sign for sign, words in _RELATIONS.items() if re.search(rf"(?i)(?:{words})\s*$", before)
    )
    return next(found, "=")


def _clause(text: str, match: re.Match[str]) -> tuple[str, str, str]:
    """What stands before and behind a match in its clause, and the whole clause."""
    ends = [end for end in _CLAUSE.finditer(text) if end.end() <= match.start()]
    first = ends[-1].end() if ends else 0
    behind = (end.start() for end in _CLAUSE.finditer(text) if end.start() >= match.end())
    last = next(behind, len(text))
    said = " ".join(text[first:last].split()).strip(" ,")
    return text[first : match.start()], text[match.end() : last], said
