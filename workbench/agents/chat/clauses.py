"""A question in its parts: each may ask openly, or take something for granted."""

import re
from collections.abc import Iterator

_END = re.compile(
    r"(?i)[.;!?](?:\s|$)|,\s+(?:and|but|or|so|because)?\s*|"
    r"\s+(?:and|but|or|so|because)\s+(?=(?:it|he|she|they|that|this|the|there|thread|was|were|is|"
    r"are|did|does|do|has|have|had|who|what|when|where|why|how|which|in|at|on)\b)"
)
_OPEN = re.compile(
    r"(?i)^\W*(?:why|how|what|which|where|when|who|whose|whom|could|can|may|might|if|suppose)\b"
)

_ASKS = re.compile(
    r"(?i)^\W*(?:why|how|what|which|where|when|who|whose|whom|is|are|was|were|did|does|do|has|have|had|"
    r"can|could|will|would|should|may|might|isn't|wasn't|didn't|doesn't)\b"
)
_ASKS_BARE = re.compile(
    r"(?i)^\W*(?:(?:why|how|what|where|who)(?:\s+\w+){0,2}?|which(?:\s+\w+){1,2}?)\s+(?:is|are|was|were|"
    r"did|does|do|has|have|had|can|could|would|should|happened|caused|went|made|failed|crashed)\b"
)
"""A question without its mark: "when it was full" and "which was new" are none."""
_YES_OR_NO = re.compile(
    r"^\W*(?:(?:and|but|so|then|well)\W+)*(?:is|are|was|were|did|does|do|has|have|had)\b"
    r"(?![^?]*\bor\b)",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"(?<=[.;!?])\s+|\n")
_MOST_LINES = 3
_NEGATION = re.compile(
    r"(?i)(?<!->)(?<!\w\.)\b(?:not|never|no|without|nor|neither|none|hardly|cannot)\b|n[\u2019']t\b"
)
"""No member that is called so (`c->no`)."""
_ELSEWHEN = re.compile(
    r"(?i)(?<!->)(?<!\w\.)\b(?:before|earlier|once|then|until|should|would|must|ought|supposed|expected|(?<!-)(?<!read\s)only(?!\s+(?:about|around|some|\d))|else|"
    r"(?<!each )other|another|except|but|or)\b"
)
_OF_IT = "the (?:process|program|application|app|dump|core|crash|fault|abort|signal|exception|hang)"
AS_IT_ENDED = re.compile(
    r"(?i)\s+(?:when (?:(?:it|the \w+) (?:crashe[ds]|segfault(?:s|ed)|fault(?:s|ed)|abort(?:s|ed)"
    rf"|die[ds]|(?:was|got) dumped)|(?:it|{_OF_IT}) (?:fail(?:s|ed)|end(?:s|ed)|stop(?:s|ped)"
    r"|h[au]ngs?|exit(?:s|ed)|terminate[ds]|happen(?:s|ed)|occur(?:s|red)"
    r"|(?:was|got) (?:killed|taken|made|written|raised|sent)))"
    rf"|at (?:the|that|this) (?:time|moment|point)(?: of {_OF_IT})?"
    r"|so far|right now)\W*$".replace(" ", r"\s+")
)
"""The moment that a dump shows: not when a worker started or a call failed."""
QUOTED = re.compile(r"\"[^\"]*\"|“[^”]*”|«[^»]*»|„[^“”]*[“”]")


def asks(text: str) -> bool:
    """True where a person asks something back; a longer paste or "the second?" is an answer."""
    if text.count("\n") >= _MOST_LINES:
        return False
    for sentence in _SENTENCE.split(text[:4000]):
        marked = sentence.rstrip().endswith("?")
        pattern = _ASKS if marked else _ASKS_BARE
        parts = clauses(sentence) if marked else [sentence]
        if any(pattern.match(part) for part in parts):
            return True
    return False


def only_asks(text: str) -> bool:
    """True where a person asks something back and says nothing else."""
    said = [part for part in _SENTENCE.split(text[:4000]) if part.strip()]
    return bool(said) and all(asks(part) for part in said)


def wants_yes_or_no(text: str) -> bool:
    """True for one question that is answered by yes or no; none that denies or leaves a choice."""
    whole = len(list(clauses(text))) == 1 and not denies(text)
    return whole and _YES_OR_NO.match(text) is not None


_LEAD = re.compile(
    r"(?i)^\W*(?P<lead>is|are|was|were|do|does|did|has|have|had)\s+(?P<rest>\S.*?)\W*$"
)
_BE = frozenset({"is", "are", "was", "were"})
_DOES = (
    r"(?:hold|own|wait|call|crash|lock|sleep|read|write|free|allocate|run|throw|fail|take|get|have)"
)
_DONE = (
    r"(?:held|owned|locked|unlocked|taken|called|freed|allocated|read|written|thrown|wanted|awaited|"
    r"passed|waiting|sleeping|running|holding)"
)
_PREDICATE = (
    r"(?:null|nullptr|nil|zero|negative|positive|set|empty|true|false|free|"
    rf"{_DONE}(?:\s+(?:by|with|in|for)\s+.+)?|an?\s+\w+(?:\s+.+)?|"
    r"-?(?:0x[0-9a-fA-F]+|\d[\d.,]*)(?:\s+\w+)?|(?:equal|the same|less|greater|more)\s.+|\".*\")"
)
_SUBJECT = r"(?:the\s+|its\s+)?(?:(?:thread|frame|LWP)\s+\d+|(?!an?\s)[\w.\->\[\]*&:]+)"
_AND = re.compile(r"\s+and\s+")


def conjuncts(text: str) -> list[str]:
    """The questions that one of yes or no joins by "and", each whole; none where it joins no
    statements, or where what is shared between them is not plain."""
    if denies(text) or elsewhen(text) or QUOTED.search(text) or _YES_OR_NO.match(text) is None:
        return []
    parts = list(clauses(text))
    if len(parts) > 1 and all(_YES_OR_NO.match(part) for part in parts):
        return [f"{part.rstrip('?!. ')}?" for part in parts]
    if len(parts) > len(_AND.split(text)):
        return []
    found = _LEAD.match(text)
    first, *others = _AND.split(found["rest"]) if found is not None else [""]
    if found is None or not others:
        return []
    lead = found["lead"]
    told = _DONE if lead.lower() in _BE or lead.lower().startswith("ha") else _DOES
    shared = re.match(rf"(?i)(?P<whom>.+?)\s+{told}\b.*", first)
    said = [first]
    for other in others:
        if shared is not None and re.match(rf"(?i){told}\b", other):
            said.append(f"{shared['whom']} {other}")
        elif lead.lower() in _BE and (
            own := re.fullmatch(rf"(?i){_SUBJECT}\s+(?P<predicate>{_PREDICATE})", other)
        ):
            said.append(other)
            if len(others) == 1 and re.fullmatch(rf"(?i){_SUBJECT}", first):
                said[0] = f"{first} {own['predicate']}"  # "are a and b null?"
        else:
            return []
    plain = all(re.fullmatch(rf"(?i).+\s+(?:{_PREDICATE}|{told}\b.*)", one) for one in said)
    lead = {"are": "is", "were": "was"}.get(lead.lower(), lead)
    return [f"{lead} {one}?" for one in said] if plain else []


def clauses(text: str) -> Iterator[str]:
    """The parts of a question, in order; never empty ones."""
    for part in _END.split(text[:4000]):
        if part and part.strip(" ,"):
            yield part.strip(" ,")


def affirmed(text: str) -> Iterator[str]:
    """Its parts without those that deny something, or speak of another moment, of others or of a
    wish: what those say may be so and still be no answer."""
    return (part for part in clauses(text) if not (denies(part) or elsewhen(part)))


def is_open(clause: str) -> bool:
    """True for what asks for something instead of stating it."""
    return _OPEN.match(clause) is not None


def denies(clause: str) -> bool:
    """True for what denies something, what it quotes apart."""
    text = QUOTED.sub(lambda match: '"' + " " * (len(match[0]) - 2) + '"', clause)
    return _NEGATION.search(text) is not None


def elsewhen(clause: str) -> bool:
    """True for what is said of another moment or of others, wishes something or leaves a choice."""
    return _ELSEWHEN.search(clause) is not None
