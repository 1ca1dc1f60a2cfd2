"""Words for what code does, which a sentence may use where a line of source that it cites does just
that to what the sentence names.

"`f` stores `p` in `q`" says what a line with an assignment, ``p`` and ``q`` says. Only what is
affirmed counts: that something is not done stands in no line.
"""

import re
from collections.abc import Iterable
from functools import cache

from workbench.agents.grounding import stands_in
from workbench.agents.polarity import affirmed
from workbench.agents.tokens import Kind, Token, extract
from workbench.agents.units import UNITS

_SOURCE = re.compile(r"\s*(?:->)?\s*\d{1,7}\s*\t")
_STRING = re.compile(r"\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'")
_COMMENT = re.compile(r"//.*|/\*.*?(?:\*/|$)")
_CODE = re.compile(r"`[^`]*`|\"[^\"]*\"")
_CLAUSE = re.compile(
    r"[,;:.](?=\s|$)|\b(?:after|although|and|as|because|before|but|instead|of which|so|than|that|"
    r"then|when|where|whereas|which|while|with|without)\b"
)
"""Where what a verb speaks of ends."""

_OPERATIONS = (
    ("assign assigned assigns keep keeps kept put puts replace replaced replaces save saved saves "
     "set sets store stored stores storing update updated updates",
     r"(?<![=!<>])=(?!=)|\bmem(?:set|cpy|move)\b|\+\+|--"),
    ("cast casts convert converted converts turn turned turns truncate truncated truncates "
     "narrowed narrows reinterpret reinterprets",
     r"\((?:const |unsigned |signed |struct )*[A-Za-z_]\w*(?: *\*+)?\) *[\w(*&]|_cast\b"),
    ("treat treated treats expect expected expects", r"\w \*+\w|\w\*+ \w"),
    ("advance advanced advances increment incremented increments decrement decremented "
     "decrements", r"\+\+|--|[-+]="),
    ("iterate iterated iterates loop looped loops repeat repeated repeats",
     r"\b(?:for|while|do)\b"),
    ("add added adding adds compute computed computes calculate calculated calculates modulo "
     "multiplied multiplies multiply remainder subtract subtracted subtracts sum", r"[-+*/%]"),
    ("invoke invoked invokes pass passed passes passing hand handed hands register registered "
     "registers", r"\w\([^)]*\w"),
    ("allocate allocated allocates allocation", r"alloc\w*\(|\bnew\b|\bmmap\("),
    ("copied copies copy", r"\bmem(?:cpy|move)\(|\bstr\w*cpy\(|(?<![=!<>])=(?!=)"),
    ("return returned returns", r"\breturn\b"),
    ("free freed frees freeing delete deleted deletes",
     r"\bfree\(|\bdelete\b|\bmunmap\("),
    ("clear cleared clears zero zeroed zeros", r"\bmemset\(|\bcalloc\(|= *(?:0|NULL|nullptr)\b"),
    ("compare compared compares check checked checks test tested tests",
     r"\bif\b|[=!<>]=|[<>?]"),
    ("lock locked locks acquire acquires acquired", r"(?<!un)lock\("),
    ("take takes taken took get gets got give gives given gave",
     r"(?<![=!<>])=(?!=)|(?<!un)lock\(|\w\([^)]*\w"),
    ("unlock unlocked unlocks release released releases", r"unlock\(|\brelease\("),
    ("declare declared declares local", r"\t\s+[A-Za-z_][\w:<>,*& ]* \**\w+\s*(?:\[|=|;)"),
    ("global",
     r"\t(?:static |extern |const )*[A-Za-z_][\w:<>,*& ]*[ *]\w+\s*(?:\[\w*\])?(?:=[^;]*)?;"),
    ("dereference dereferenced dereferences read reads index indexed indexes", r"->|\*\w|\["),
    ("comment comments remark", r"/\*|//"),
)  # fmt: skip


@cache
def _table() -> dict[str, re.Pattern[str]]:
    return {word: re.compile(rule) for words, rule in _OPERATIONS for word in words.split()}


_PASSIVE = re.compile(r"\b(?:is|are|was|were|be|been|being|gets|got)\s+(?:\w+ly\s+)?$")
_NULL = re.compile(r"\b(?:null|NULL|zero)\b")
_NO_VALUE = r"(?:\b(?:NULL|nullptr|None|nil)\b|(?<![\w.])0(?:x0+)?(?![\w.]))"
_MORE = frozenset(
    ("longer", "larger", "greater", "bigger", "higher", "rose", "rises", "grew", "grows")
)
_LESS = frozenset(("shorter", "smaller", "fewer", "fell", "falls", "shrank", "shrinks"))
_BEHIND = re.compile(r"\s?([A-Za-zµ%]{1,12})\b")
_STORES = frozenset({"store", "stored", "stores", "save", "saved", "saves", "put", "puts"})
_TARGET = re.compile(r"\b(?:in|into)\s+`[^`]+`")
_ASSIGNS = re.compile(r"(?<![=!<>])=(?!=)")
_COPIES = re.compile(r"\bmem(?:set|cpy|move)\(|\bstr\w*cpy\(")
_INDEX = re.compile(r"\[[^\[\]]*\]")
_REMARKS = frozenset({"comment", "comments", "remark"})
_NAMED_NEXT = frozenset({"local", "global"})
"""Of what these are said stands right behind them."""
_NOUNS = _REMARKS | _NAMED_NEXT | {"loop", "loops"}
_WORD = re.compile(r"[A-Za-z]+")
_ARTICLE = re.compile(r"\b(?:the|an?|its|this|that|each|every|no)\s+$")
_RANGE = re.compile(r"(0x[0-9a-f]+)-(0x[0-9a-f]+)")
_PLACED = frozenset({"lies", "lie", "lay", "located", "belongs", "belong", "belonged"})
_PARTS = re.compile(
    r"\b(?:heap|stack|top|chunk|arena|mapping|mapped|unmapped|tcache|fastbin|freed?|use|anonymous|"
    r"file|guard|readable|writable)\b"
)


def _is_set(target: re.Match[str], line: str) -> bool:
    """True where what something is stored in stands on the left of an assignment."""
    wanted = extract(target[0])[-1:]
    sides = (_INDEX.sub("[]", side) for side in _ASSIGNS.split(line)[:-1])
    return any(stands_in(token, side) for side in sides for token in wanted) or (
        _COPIES.search(line) is not None
    )


def is_source(line: str) -> bool:
    """True for a line of a listing."""
    return _SOURCE.match(line) is not None


def is_operation(word: str) -> bool:
    """True for a word whose use takes a line that does what it says."""
    return word in _table() or word in _PLACED or word in _MORE or word in _LESS


def _compared(word: str, start: int, text: str) -> bool:
    """True where the numbers around a comparison are as it says: "38 ms, longer than 30 ms",
    "rose from 6 to 31". Both are looked up like all numbers."""
    numbers = [t for t in extract(text) if t.kind is Kind.NUMBER and t.value is not None]
    after = [token for token in numbers if token.start > start]
    than = re.match(r"\s+than\b", text[start + len(word) :])
    pair = (
        [*[t for t in numbers if t.start < start][-1:], *after[:1]] if than is not None
        else list(reversed(after[:2]))
    )  # fmt: skip
    if len(pair) != 2:
        return False
    one, other = (_amount(token, text) for token in pair)
    return one[0] == other[0] and (one[1] > other[1] if word in _MORE else one[1] < other[1])


def _amount(token: Token, text: str) -> tuple[str, int]:
    """What a number counts, and how much of the smallest of it."""
    unit = _BEHIND.match(text, token.start + len(token.text))
    kind, scale = UNITS.get(unit[1].lower() if unit is not None else "", ("", 1))
    return kind, (token.value or 0) * scale


def _placed(start: int, end: int, text: str, lines: Iterable[str]) -> bool:
    """True when a line that names, or spans, the address before the word says all that the sentence
    says of its place."""
    before = [token for token in extract(text) if token.start < start and token.value is not None]
    parts = {match[0] for match in _PARTS.finditer(text[start:end].lower())}
    return bool(before and parts) and any(
        (stands_in(before[-1], line) or _covers(line, before[-1].value or 0))
        and all(re.search(rf"(?<!no )\b{part}\b", line) for part in parts)
        for line in lines
    )


def performed(part: str, text: str, lines: Iterable[str]) -> bool:
    """True when a part of a sentence says of the program's own code what a line of source does."""
    lines = list(lines)
    start = text.find(part)
    return start >= 0 and any(
        shown(match[0].lower(), match.start(), text, lines)
        for match in _WORD.finditer(text, start, start + len(part))
        if match[0].lower() in _table() and not _ARTICLE.search(text[: match.start()])
    )


def _covers(line: str, address: int) -> bool:
    return any(int(m[1], 16) <= address < int(m[2], 16) for m in _RANGE.finditer(line))


def shown(word: str, start: int, text: str, lines: Iterable[str]) -> bool:
    """True when ``word``, at ``start`` of ``text``, names what some line of source among ``lines``
    does to all that the sentence names after the word in the same clause, or says where a line
    places an address."""
    rule = _table().get(word)
    if affirmed(text).denials:
        return False
    hidden = _CODE.sub(lambda match: "x" * len(match[0]), text)
    clause = _CLAUSE.search(hidden, start + len(word))
    end = clause.start() if clause is not None else len(text)
    if word in _PLACED:
        return _placed(start, end, text, lines)
    if word in _MORE or word in _LESS:
        return _compared(word, start, text)
    if rule is None:
        return False
    tokens = extract(text)
    named = [token for token in tokens if start < token.start < end]
    if _PASSIVE.search(text[:start]):  # what is spoken of stands before the verb
        named = [token for token in tokens if token.start < start][-1:]
    if _NULL.search(hidden[start:end]):
        rule = re.compile(f"(?={rule.pattern}).*{_NO_VALUE}|{_NO_VALUE}.*(?={rule.pattern})")
    target = _TARGET.search(text, start, end) if word in _STORES else None
    remark = word in _REMARKS
    if word in _NOUNS:
        named = named[:1] if word in _NAMED_NEXT else []
    for line in lines:
        if not is_source(line):
            continue
        plain = line if remark else _COMMENT.sub(" ", line)
        if not rule.search(line if remark else code(line)):
            continue
        if target is not None and not _is_set(target, code(line)):
            continue
        if all(token.kind is Kind.PLACE or stands_in(token, plain) for token in named):
            return True
    return False


def code(line: str) -> str:
    """A line of source without what it quotes and remarks."""
    return _STRING.sub('""', _COMMENT.sub(" ", line))
