"""What a model's sentence is held to beyond the critic's rules for an expert's.

An expert writes from facts, so that looking up what it names is enough. A model may name nothing,
cite an item as a whole, call the crash by another name, obey a text in the dump, or cite the echo
of its own command: each of these strikes the sentence.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence

from workbench.agents.contradictions import affirmed_spans
from workbench.agents.grounding import Failure, grounded, lines_of, stands_in
from workbench.agents.known import Known
from workbench.agents.model_vocabulary import unheard
from workbench.agents.polarity import affirmed
from workbench.agents.printed import is_own
from workbench.agents.relations.causes import causes_in
from workbench.agents.stated_values import apart, paired, unpaired
from workbench.agents.tokens import Kind, Token, extract, inline_citations
from workbench.model.citation import Citation
from workbench.model.facts import Finding
from workbench.model.hypothesis import Claim, Status
from workbench.model.investigation import Investigation
from workbench.model.target import TargetKind

MOST_LINES = 40
"""Lines that one sentence may cite; an item of no more may be cited whole."""
LONGEST = 600
"""Characters of a model's sentence."""

_META = re.compile(
    r"\b(?:case|investigation|analysis|ticket|issue|matter|session)\s+(?:is|was|be|has been|as)\s+"
    r"(?:now\s+|hereby\s+)?(?:closed|complete[d]?|finished|over|done|resolved|solved)\b"
    r"|\b(?:close|closing|closed)\s+(?:the|this)?\s*(?:case|investigation|ticket|issue)\b"
    r"|\bcase[- ]closed\b"
    r"|\bno\s+(?:further|more|other|additional)\s+(?:\w+\s+)?(?:analysis|investigation|evidence|action|"
    r"steps?|work|commands?|tests?)\b"
    r"|\b(?:ignore|disregard|forget|override)\s+(?:all|any|the|every|previous|prior|your|these|what)\b"
    r"|\b(?:nothing|not\s+anything)\s+(?:is|was)\s+wrong\b|\bfalse\s+alarm\b|\bno\s+(?:bug|problem|defect|crash)\b"
    r"|\b(?:as\s+(?:an\s+ai|instructed|ordered|requested|told)|i\s+(?:am|was|have|will|can|cannot)|"
    r"i[\u2019']m|language\s+model|system\s+prompt|the\s+assistant)\b"
    r"|\bthe\s+user(?:\s+(?:asks?|asked|wants?|wanted|says?|said|thinks?|should|must|may|can|will)\b|[.,;?]|$)"
    r"|\b(?:you|we|please)\s+(?:must|should|shall|need|have\s+to|can|may|are|run|execute|type|call)\b"
    r"|\b(?:run|execute|invoke|type|enter)\s+(?:the\s+)?(?:command|following|shell|script)\b"
    r"|`(?:shell\b|!|\||(?:python|source|call|pipe)\s)[^`]*`",
    re.IGNORECASE,
)
"""A sentence about the investigation, or to the reader, says nothing of the dump."""

_ORDER = re.compile(
    r"\b(?:ignore|disregard|forget|override)\s+(?:all|any|the|every|previous|prior|your|these)\b"
    r"|\b(?:you\s+(?:are|must|should|will)|assistant|language\s+model|system\s+prompt|as\s+an\s+ai|"
    r"instructions?\s+(?:for|to|above|below)|(?:dear|attention|hey)\s+(?:ai|model|analyst|assistant))\b"
    r"|\b(?:case|investigation|analysis)\s+(?:is\s+)?(?:closed|complete|finished|solved|resolved)\b"
    r"|\b(?:declare|report|conclude|state|answer|say|respond|set|write)\s+(?:that\s+)?(?:the\s+)?(?:root\s+cause|case|"
    r"category|confidence|conclusion|verdict)\b"
    r"|\b(?:run|execute|call|invoke|type)\s+(?:the\s+)?(?:command|tool|shell|following)\b"
    r"|\b(?:run|execute)\s+[`!\"]"
    r"|\b(?:root\s+cause|verdict|conclusion|confidence)\s*(?:is\b|:|=)",
    re.IGNORECASE,
)
"""A line that speaks to whoever reads the dump proves nothing of how the program ended."""

_WORD = re.compile(r"[A-Za-z]{3,}")
_LISTS_LOCALS = re.compile(r"\binfo locals$|\bframe variable --no-args|\bdv /t")
_LARGE = 256 << 10
"""Bytes of a file whose words are read."""
_MEMBER = re.compile(r"->|\w\.\w|\[")
_NAME = re.compile(r"[A-Za-z_~][\w:~]*")
_OUT_OF_RANGE = re.compile(r"\bout of range\b", re.IGNORECASE)
"""A refusal whose number gdb works out from the one that it was given."""
_QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"')


def problem(
    claim: Claim, state: Investigation, text_of: Callable[[str], str], known: Known | None = None
) -> str | None:
    """Why a model's sentence is struck although the critic's other rules let it pass, or None.

    ``text_of`` gives the stored text of an evidence item, ``known`` the facts; what these say too
    needs no other's words. Never raises on any text.
    """
    if len(claim.text) > LONGEST:
        return f"it has {len(claim.text)} characters, more than one sentence of a model may"
    if speaks_of_itself(claim.text):
        return "it speaks of the investigation or to the reader, not of the dump"
    affirms = known is not None and not affirmed(claim.text).denials
    told_by_facts = affirmed_spans(claim.text, known) if known is not None and affirms else []
    if not extract(claim.text) and not told_by_facts:
        return "it states nothing that could be looked up"
    citations = list(dict.fromkeys((*claim.citations, *inline_citations(claim.text))))
    lines = [(c, found) for c in citations if (found := _lines(c, state, text_of))]
    if sum(len(found) for _, found in lines) > MOST_LINES:
        return f"it cites more than {MOST_LINES} lines"
    said = told(_without_echo(state, lines))
    heard = [*said, *told(_documents(state, text_of)), *_asked(state, lines)]
    heard += [claim.text[start:end] for start, end in told_by_facts]
    return (
        _of_no_order(claim, [line for _, found in lines for line in found])
        or _of_its_own(claim, state, lines)
        or _supposed(claim.text, state, said)
        or _unheard(claim, state, heard)
        or unpaired(claim.text, _paired(state, lines))
        or apart(claim.text, _paired(state, lines))
    )


def _asked(state: Investigation, lines: Iterable[tuple[Citation, Sequence[str]]]) -> Iterator[str]:
    """What kind of thing an output lists, where its command says so."""
    for citation, _ in lines:
        if _LISTS_LOCALS.search(state.evidence[citation.evidence].command):
            yield "local variables"


def _documents(state: Investigation, text_of: Callable[[str], str]) -> Iterator[str]:
    """All lines of the files that a person gave to talk about: the words that the talk is in."""
    if state.target is None or state.target.kind is not TargetKind.DOCUMENTS:
        return
    for item in state.evidence.values():
        if not item.by_model and item.size <= _LARGE:
            yield from text_of(item.id).split("\n")
    if state.options.issue:
        yield state.options.issue


def _unheard(claim: Claim, state: Investigation, lines: Sequence[str]) -> str | None:
    """A word that nobody but the model uses."""
    word = unheard(claim.text, state, lines)
    return None if word is None else f'"{word}" is said neither by an expert nor by what it cites'


def _without_echo(
    state: Investigation, lines: Iterable[tuple[Citation, Sequence[str]]]
) -> Iterator[str]:
    """The lines, in what a model's command printed without the words of that command: of what it
    was asked for, a debugger's answer says nothing by repeating it."""
    for citation, found in lines:
        item = state.evidence[citation.evidence]
        asked = sorted(set(_WORD.findall(item.command)), key=len, reverse=True)
        if not item.by_model or not asked:
            yield from found
            continue
        echo = re.compile("|".join(map(re.escape, asked)), re.IGNORECASE)
        for line in found:
            if is_own(line, item.command):
                yield line
            elif not _OUT_OF_RANGE.search(line):
                yield echo.sub(" ", line)


def _paired(state: Investigation, lines: Iterable[tuple[Citation, Sequence[str]]]) -> Iterator[str]:
    for citation, found in lines:
        yield from paired(state.evidence[citation.evidence].command, found)


def speaks_of_itself(text: str) -> bool:
    """True for a sentence about the investigation, or to its reader."""
    return _META.search(text) is not None


def told(lines: Iterable[str]) -> list[str]:
    """The lines that tell of the program: a quoted text that speaks to whoever reads it is taken
    out, a line that does so itself is none."""
    found = (_QUOTED.sub(_told, line) if _ORDER.search(line) else line for line in lines)
    return [line for line in found if not _ORDER.search(line)]


def _told(match: re.Match[str]) -> str:
    return '""' if _ORDER.search(match[0]) else match[0]


def _lines(
    citation: Citation, state: Investigation, text_of: Callable[[str], str]
) -> Sequence[str]:
    found = lines_of(citation, state.evidence, text_of)
    return () if isinstance(found, Failure) else found


def _supposed(text: str, state: Investigation, lines: Sequence[str]) -> str | None:
    """An expert may say what is possible; a model's guess at a cause is a hypothesis to register,
    no part of what is concluded."""
    hypotheses = state.hypotheses.values()
    proved = {h.category.value for h in hypotheses if h.status is Status.CONFIRMED}
    proved |= {one.category for one in state.facts.all(Finding) if one.category}
    rejected = {h.category.value for h in hypotheses if h.status is Status.REJECTED}
    whole = "\n".join(lines).lower()
    said = affirmed(text)
    for match, categories in causes_in(said.text):
        denied = said.denies(match.start() - 12, match.end())
        known = categories & (rejected - proved if denied else proved)
        if not known and (denied or " ".join(match[0].lower().split()) not in whole):
            return f'"{match[0]}" is what neither an expert says nor a line that it cites'
    return None


def _of_no_order(claim: Claim, lines: Sequence[str]) -> str | None:
    left = told(lines)
    if left == lines or not grounded(claim, left):
        return None
    return "what it cites is a text that speaks to the reader, which is evidence of nothing"


def _of_its_own(
    claim: Claim, state: Investigation, lines: Sequence[tuple[Citation, Sequence[str]]]
) -> str | None:
    """A debugger repeats in its answer, or in its error, what it was asked."""
    theirs: list[str] = []
    asked: list[tuple[str, str]] = []
    refused: list[str] = []
    for c, found in lines:
        item = state.evidence[c.evidence]
        own = [line for line in found if not item.by_model or is_own(line, item.command)]
        theirs += own
        answered = [line for line in found if line not in own]
        refused += [line for line in answered if _OUT_OF_RANGE.search(line)]
        if item.by_model:
            said = "\n".join(line for line in answered if not _OUT_OF_RANGE.search(line))
            asked.append((item.command, said))
    told = "\n".join(theirs)
    for token in extract(claim.text) if asked else ():
        for part in _parts(token):
            if stands_in(part, told):
                continue
            if any(
                stands_in(part, said) and not stands_in(part, command) for command, said in asked
            ):
                continue
            if any(stands_in(part, command) for command, _ in asked):
                return f"{token.shown} stands there only because the command named it"
            if stands_in(part, "\n".join(refused)):
                return f"{token.shown} stands there only as what could not be shown"
    return None


def _parts(token: Token) -> list[Token]:
    """The names of a member, one by one; else what the token is."""
    if token.kind is not Kind.SYMBOL or not _MEMBER.search(token.text):
        return [token]
    return [Token(Kind.SYMBOL, name, token.start) for name in _NAME.findall(token.text)]
