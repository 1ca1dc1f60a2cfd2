"""Citations that a model gave a line too narrow, widened by code to the line that it meant.

A listing names its function in its first line, a stack its thread, and what a command printed of an
address names the address in the command alone. Nothing is looked for that could stand anywhere: no
small number, and no line that may only repeat what the model typed.
"""

import re
from collections.abc import Callable, Iterator, Sequence

from msgspec.structs import replace

from workbench.agents.grounding import Failure, check_claim, lines_of, stands_in
from workbench.agents.model_vocabulary import judges, names, unheard
from workbench.agents.operations import code, is_operation
from workbench.agents.ports import Ports
from workbench.agents.printed import is_own, is_program
from workbench.agents.tokens import Kind, Token, extract
from workbench.model.citation import Citation
from workbench.model.evidence import Evidence
from workbench.model.hypothesis import Claim
from workbench.model.investigation import Investigation

MOST_LINES = 80
"""Lines of an item within which a cited line may be widened."""
MOST_SIZE = 64 << 10
"""Bytes of an item in which an address of a cited item's command is looked for."""
MOST_ADDED = 3
MOST_ITEMS = 60
_SMALL = 4096
_NAME = re.compile(r"[A-Za-z_~][\w:~]*")


async def widened(ports: Ports, claim: Claim) -> Claim:
    """The claim with up to `MOST_ADDED` more citations, where each of them names something that
    its own do not; the same claim where they do, or where nothing is found."""
    evidence = ports.state.evidence
    items = [evidence[c.evidence] for c in claim.citations if c.evidence in evidence]
    texts = {item.id: (await ports.text(item.id)).split("\n") for item in dict.fromkeys(items)}
    added: list[Citation] = []
    while len(added) < MOST_ADDED:
        tried = replace(claim, citations=(*claim.citations, *added))
        failures = check_claim(tried, evidence, lambda name: "\n".join(texts.get(name, ())))
        wanted = _wanted(claim.text, {failure.token for failure in failures})
        for token in wanted:
            found = _beside(token, claim.citations, items, texts)
            if found is None:
                asked = any(stands_in(token, item.command) for item in items)
                if asked or token.value is not None:
                    cited = {item.id for item in items}
                    found = await _elsewhere(ports, token, cited, by_model=asked)
            if found is None and token.kind is Kind.SYMBOL:
                found = await _in_source(ports, token, items, texts)
            if found is not None and found.evidence not in texts:
                texts[found.evidence] = (await ports.text(found.evidence)).split("\n")
            if found is not None and found not in (*claim.citations, *added):
                added.append(found)
                break
        else:
            found = await _word(ports, tried, items, texts) if not failures else None
            if found is None:
                break
            added.append(found)
    return replace(claim, citations=(*claim.citations, *added)) if added else claim


async def _word(
    ports: Ports, claim: Claim, items: Sequence[Evidence], texts: dict[str, list[str]]
) -> Citation | None:
    """A line of source or of a type that holds the word of the program which a sentence uses and
    none of the cited lines does."""
    lines = [line for found in _cited(claim, ports.state, texts) for line in found]
    word = unheard(claim.text, ports.state, lines)
    if word is None or _judges(word.lower()):
        return None
    return await _in_program(ports, items, texts, lambda line: names(word, line))


async def _in_source(
    ports: Ports, token: Token, items: Sequence[Evidence], texts: dict[str, list[str]]
) -> Citation | None:
    """A line of source or of a type that has a name of the program."""
    return await _in_program(ports, items, texts, lambda line: stands_in(token, line))


async def _in_program(
    ports: Ports,
    items: Sequence[Evidence],
    texts: dict[str, list[str]],
    holds: Callable[[str], bool],
) -> Citation | None:
    """The first such line of the cited items, then of the others that are not large."""
    cited = {item.id for item in items}
    known = [i for i in ports.state.evidence.values() if i.size <= MOST_SIZE and i.id not in cited]
    for item in (*items, *known[:MOST_ITEMS]):
        if item.id not in texts:
            texts[item.id] = (await ports.text(item.id)).split("\n")
        for number, line in enumerate(texts[item.id], 1):
            if is_program(line, item.command) and holds(code(line)):
                return Citation(item.id, number, number)
    return None


def _judges(word: str) -> bool:
    return is_operation(word) or judges(word)


def _cited(claim: Claim, state: Investigation, texts: dict[str, list[str]]) -> Iterator[list[str]]:
    for citation in claim.citations:
        found = lines_of(citation, state.evidence, lambda name: "\n".join(texts.get(name, ())))
        if not isinstance(found, Failure):
            yield found


def _wanted(text: str, loose: set[str]) -> list[Token]:
    """What of a sentence stands in no cited line; of a member its parts, one by one."""
    found: list[Token] = []
    for token in extract(text):
        if token.text not in loose or _is_small(token):
            continue
        parts = _NAME.findall(token.text) if token.kind is Kind.SYMBOL else []
        found += [Token(Kind.SYMBOL, part, token.start) for part in parts] or [token]
    return found


def _is_small(token: Token) -> bool:
    return token.value is not None and abs(token.value) < _SMALL


def _beside(
    token: Token,
    citations: Sequence[Citation],
    items: Sequence[Evidence],
    texts: dict[str, list[str]],
) -> Citation | None:
    """The nearest line of a cited item that holds the token."""
    best: tuple[int, Citation] | None = None
    for item in items:
        lines = texts[item.id]
        if len(lines) > MOST_LINES:
            continue
        near = [c.first or 1 for c in citations if c.evidence == item.id]
        for number, line in enumerate(lines, 1):
            if item.by_model and not is_own(line, item.command):
                continue
            if stands_in(token, line):
                away = min(abs(number - first) for first in near)
                if best is None or away < best[0]:
                    best = away, Citation(item.id, number, number)
    return best[1] if best is not None else None


async def _elsewhere(
    ports: Ports, token: Token, cited: set[str], *, by_model: bool
) -> Citation | None:
    """A line of another item that holds a thread or an address: one that the engine asked for,
    and where a cited item's command names it, any that no command of a model's made up."""
    known = ports.state.evidence.values()
    others = [i for i in known if i.id not in cited and i.size <= MOST_SIZE]
    others = [i for i in others if by_model or not i.by_model]
    for item in sorted(others, key=lambda item: item.by_model)[:MOST_ITEMS]:
        text = await ports.text(item.id)
        for number, line in enumerate(text.split("\n"), 1) if stands_in(token, text) else ():
            if stands_in(token, line) and (not item.by_model or is_own(line, item.command)):
                return Citation(item.id, number, number)
    return None
