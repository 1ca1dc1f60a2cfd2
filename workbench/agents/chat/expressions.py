"""Which expressions of the program a question names: variables, members, elements, sizes, types."""

import re

from workbench.agents.chat.asked import Asked
from workbench.agents.chat.clauses import AS_IT_ENDED, clauses
from workbench.agents.chat.words import (
    ABSTRACT,
    COMPARING,
    NOUNS,
    content_words,
    is_general,
    is_plain,
    is_stop,
)

MOST = 3
"""Expressions of one question."""

ROOT = r"[A-Za-z_]\w*"
_SCOPED = rf"(?:{ROOT}::){{0,4}}{ROOT}"
STEPS = rf"(?:->{ROOT}|\.{ROOT}|\[(?:[^][?;]|\[[^][?;]{{1,60}}\]){{1,60}}\])"
_TERM = rf"(?:[*&]?{ROOT}{STEPS}*|0x[0-9a-fA-F]{{1,16}}|\d{{1,19}})(?![\w(:]|\.\w)"
_EXPRESSION = re.compile(rf"(?<![\w.>/\\:@-])(?<!\w['\u2019]){_TERM}(?: ?[-+*/%] ?{_TERM})*")
_ALONE = re.compile(
    r"(?i)^\W*(?:what(?:'s|\s+is|\s+was)|how\s+much\s+is|print|p|compute|calculate)\s+$"
)
"""What stands before a computation that is all of a question."""
_POINTED = re.compile(r"(?i)\s+(?:points?|pointed|pointing)\s+(?:to|at)\b")

_VARIABLE = re.compile(rf"^(?:(?:sizeof|typeof)\()?[*&]?({ROOT})")
_NO_LOCK = (
    r"(?:data|io|network|file|poll\w*|sleep\w*|futex\w*|nothing|(?:input|socket|barrier|timer|signal"
    r"|event|message|request|response|client|connection|packet|child|job|task|work|lock)s?)"
)
_BARE = re.compile(
    rf"(?i)^\W*(?:print|p|display)\s+(?P<printed>[*&]?{ROOT})(?:\s+in\s+frame\b[^,;]{{0,60}}?)?\W*$"
    rf"|^\W*(?P<framed>[*&]?{ROOT})\s+(?:in|of|at)\s+frame\b[^,;]{{0,60}}?\W*$"
    rf"|^\W*(?:so\s+|and\s+)?(?:what(?:'s|\s+is|\s+was|\s+are)|show(?:\s+me)?)\s+(?:in\s+)?"
    rf"(?P<name>[*&]?{ROOT})\b\s*(?:equal\s+to|set\s+to|there|then|now"
    rf"|(?:in|of|on|at)\s+(?:the\s+)?(?:thread|frame|function|{ROOT})\b[^,;]{{0,60}}?"
    rf"|(?:and|or)\s+{ROOT}{STEPS}*)?\W*$"
    rf"|\b(?:is|was|are|were)\s+(?P<tested>[*&]?{ROOT})\s+(?:(?:not|still|really|ever|also)\s+)?"
    rf"(?:a\s+)?(?:(?:held|(?:un)?locked|free|taken|owned)(?=(?:\s+by\b[^,;]{{0,40}})?\W*$)|null|nullptr|nil|zero|negative|empty(?=\W*$)|set(?=\W*$)|freed|deleted|deallocated|in(?:side)?\s+freed?"
    rf"|(?:==?\s*)?(?:\"[^\"]*\w(?=\"\W*$)|-?(?:0x[0-9a-f]{{1,16}}|\d{{1,19}}))|(?=equal\s+to\b)|(?:the\s+)?same\s+as"
    rf"|(?:less|greater|more|bigger|smaller|larger|higher|lower)\s+than|at\s+(?:least|most)"
    rf"|above|below|over|under)\b"
    rf"|\bhow\s+many\s+(?:elements|entries|items)\s+(?:does|do|has|have|are\s+(?:there\s+)?in|in)\s+"
    rf"(?:the\s+)?(?P<counted>{ROOT})\b(?!\s+\w+\s+\w+\s+\w)"
    rf"|\b(?:what|which)\s+(?:kind|type)\s+(?:is|was|has)\s+(?P<kind>[*&]?{ROOT})\W*$"
    rf"|^\W*(?:who|what|which\s+(?:thread|function|line))\s+(?:has\s+|had\s+)?"
    rf"(?:freed|deleted|deallocated)\s+(?!(?:memory|it|this|that|them)\b)(?P<freed>{ROOT})\W*$"
    rf"|^\W*how\s+(?:large|big|long)\s+(?:is|was)\s+"
    rf"(?!(?:memory|core|dump|heap|it|this|that)\b)(?P<sized>[*&]?{ROOT})\W*$"
    rf"|^\W*what\s+(?:does|did)\s+(?P<does>[*&]?{ROOT})\s+(?:point|contain|hold|say|equal|look)\b"
    rf"|(?:\b(?:than|same\s+as|equals?(?:\s+to)?)|[=<>])\s+(?P<other>[*&]?{_SCOPED})\W*$"
    rf"|\b(?:is|was|are|were)\s+[*&]?{ROOT}{STEPS}*\s+(?P<constant>(?-i:(?!SIG[A-Z]{{2,6}}\b)[A-Z][A-Z0-9_]{{1,60}}|(?:{ROOT}::){{1,4}}{ROOT}))\W*$"
    rf"|\b(?:holds?|held|owns?|took|locked)\s+(?:the\s+)?(?:(?:lock|mutex)\s+)?(?P<held>{ROOT})\W*$"
    rf"|\b(?:threads|LWPs|any(?:one|body|\s+thread))\s+(?:(?:are|is)\s+)?wait(?:s|ing)?\s+(?:for|on)\s+"
    rf"(?:the\s+)?(?:(?:lock|mutex)\s+)?(?!{_NO_LOCK}\b)(?P<awaited>{ROOT})\W*$"
    rf"|\bvalue\s+of\s+(?:the\s+)?(?:(?:variable|global)\s+)?(?P<of>[*&]?{ROOT})(?![\w(]|->|\.\w|\[)"
)
_TO_NULL = re.compile(r"(?i)^(?:is|was)\s.*\b(?:null|nullptr|nil)$")
"""What is held to null without an article is a variable, though it be called ``pool``."""
WITHIN = re.compile(
    rf"(?i)\b(?P<name>{ROOT})\s+(?:in|inside)\s+(?:function\s+)?(?P<place>{ROOT})\W*$"
)
_SIZEOF = re.compile(r"\bsizeof\s*\(\s*([\w: *]{1,80}?)\s*\)")
_ADDRESS_OF = re.compile(
    rf"(?i)\baddress\s+of\s+(?:the\s+)?(?:(?:variable|function|global)\s+)?(?P<name>{ROOT}{STEPS}*)"
)
_ACCESS = frozenset({"fault", "access"})
"""Whose address is told by what they are."""
LARGE = re.compile(
    r"\b(?:how\s+(?:large|big)|sizes?\s+of"
    r"|how\s+many\s+bytes\s+(?:is|does)(?=\s+(?:an?\s+|the\s+)?(?:struct|union|class)\b))\b",
    re.IGNORECASE,
)
# A typedef's name, as C writes most: of a function gdb tells a size as well.
_LARGE_TYPE = re.compile(rf"(?i){LARGE.pattern}(?:\s+(?:is|are))?\s+(?:an?\s+)?({ROOT}_t)\W*$")
_TYPE = re.compile(
    rf"(?:\b(?:struct|union|class|enum)\s+|(?<= is a )|(?<= is an )){ROOT}(?:::{ROOT})*"
)
OF_BLOCK = re.compile(
    r"(?i)\b(?:how\s+(?:large|big|many\s+bytes)|sizes?\s+of)\b[^,;?]{0,40}\b"
    r"(?:block|chunk|allocation|freed\s+(?:memory|object)|(?:memory|object)\s+that\s+was\s+freed)\b"
)
"""Asks for the size of memory, not for that of the pointer to it."""
_TYPED = re.compile(
    rf"(?i){LARGE.pattern}|\b(?:what|which)\s+(?:kind|type)\b|\btypes?\s+(?:of|is|has)\b"
    r"|\bhow\s+many\s+(?:elements|entries|items|slots|bytes)\b"
)
"""What the type of a variable answers: gdb's has the length of an array."""
_MEMBER = re.compile(
    rf"(?i)^\W*(?:and\s+)?what(?:'s|\s+is|\s+was)\s+(?:the\s+)?(?:"
    rf"(?P<member>{ROOT})\s+(?:(?:member|field)\s+)?of\s+(?:the\s+)?(?P<owner>{ROOT}{STEPS}*)"
    rf"|(?P<whose>{ROOT}{STEPS}*)['\u2019]s\s+(?P<its>{ROOT}))\W*$"
)
"""Asks for a member by its name and its variable's: gdb takes the arrow for objects too, and lldb
puts the point in its place."""
_TOLD = ABSTRACT | COMPARING | {
    "content", "text", "size", "length", "count", "number", "capacity", "hold", "wait",
}  # fmt: skip
"""What every variable has, or what counts and locks are asked with: no member is meant."""
_FILE = re.compile(
    r"(?i)\.(?:c|h|cc|cpp|cxx|hpp|rs|go|py|cs|fs|java|kt|m|mm|swift|so|dll|exe|sys|pdb|log|txt|dmp|core|"
    r"json|xml|sh|a|o)$"
)


def expressions(asked: Asked) -> list[str]:
    """The expressions of the program that a question names, in order."""
    found: dict[str, None] = {}
    for match in _EXPRESSION.finditer(asked.text):
        terms = re.findall(_TERM, match[0])
        ours = [one for one in terms if _is_ours(one, asked)]
        whole = ours and all(one in ours or one[0].isdigit() or len(one) == 1 for one in terms)
        alone = len(terms) > 1 and _ALONE.match(asked.text[: match.start()])
        ended = alone and not asked.text[match.end() :].strip("?. ")
        found |= dict.fromkeys([match[0]] if whole or ended else ours)
        if len(terms) == 1 and ours and _POINTED.match(asked.text[match.end() :]):
            found[f"*{match[0]}"] = None
    types = _TYPE.findall(asked.text) if LARGE.search(asked.text) else []
    types += [one[1] for one in _LARGE_TYPE.finditer(asked.text) if one[1] not in asked.variables]
    for one in (*_SIZEOF.findall(asked.text), *types):
        found.setdefault(f"sizeof({one})")
    for clause in clauses(asked.text):
        for match in _BARE.finditer(AS_IT_ENDED.sub("", clause)):
            name = next(filter(None, match.groups()))
            bare = name.lstrip("*&")
            if bare in asked.registers or bare in ("frame", "frames", "thread"):
                continue  # they stand in evidence
            if match["sized"] and bare in asked.names and bare not in asked.variables:
                continue  # gdb tells 1 for the size of a function
            if (
                match["printed"]
                or match["constant"]
                or bare in asked.names
                or bare in NOUNS
                or (bare == "i" and match["name"])
                or not (is_plain if _TO_NULL.search(match[0]) else is_general)(bare)
                or _placed(clause, asked)
            ):
                found.setdefault(name)
                if match["does"] and _POINTED.match(clause[match.end("does") :]):
                    found[f"*{name}"] = None
    for match in _ADDRESS_OF.finditer(asked.text):
        name = match["name"]
        known = name in (*found, *asked.names) or is_placed(asked)
        if known or not (is_general(name) or name in _ACCESS):
            found = {f"&{name}": None} | {one: None for one in found if one != name}
    if (of := _MEMBER.match(asked.text)) is not None:
        owner, member = of["owner"] or of["whose"], of["member"] or of["its"]
        told = is_general(member) or is_stop(member) or content_words(member) & _TOLD
        if root_of(owner) in asked.variables and not told:
            found = {f"{owner}->{member}": None}
    if _TYPED.search(asked.text) and not OF_BLOCK.search(asked.text):
        plain = [name for name in found if not name.startswith("sizeof")]
        sizes = plain if LARGE.search(asked.text) else []
        found |= {f"{of}({name})": None for of in ("typeof", "sizeof")
                  for name in (plain if of == "typeof" else sizes)}  # fmt: skip
    return list(found)[:MOST]


def is_placed(asked: Asked) -> bool:
    """True where a question says which function a variable is of; others' that are called alike
    are not asked for."""
    within = WITHIN.search(asked.text)
    place = within["place"] if within is not None else ""
    return bool(place) and place not in asked.variables and not is_general(place)


def _is_ours(name: str, asked: Asked) -> bool:
    """True for a variable that is known, and for what only an expression is spelled like; none of
    ``System.Exception`` and ``server.c``."""
    if "->" in name or "[" in name:
        return True
    if root_of(name) in asked.variables:
        return not is_stop(name) or name == "i"  # a pronoun is none of the variables
    return "." in name and not (name[0].isupper() or _FILE.search(name))


def _placed(clause: str, asked: Asked) -> bool:
    """True where a clause says in which frame a variable is: no general word stands there."""
    return bool(asked.frames) or any(
        re.search(rf"\b(?:in|of)\s+{re.escape(name)}\W*$", clause) for name in asked.names
    )


def root_of(expression: str) -> str:
    """The variable that an expression begins with."""
    match = _VARIABLE.match(expression)
    return match[1] if match is not None else ""
