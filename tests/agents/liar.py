"""A liar: takes claims that are true and changes one thing in each, as a model would that mixes
up what it read. What the critic lets pass of them is what it does not guard.
"""

import random
import re
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

from msgspec.structs import replace

from workbench.model.facts import Fault, Frame, Registers, Stack
from workbench.model.hypothesis import Claim
from workbench.model.investigation import Investigation

Lie = tuple[str, Claim]
"""The class of a lie, and the claim that it was made of with one thing changed."""

_HEX = re.compile(r"(?<![\w.])0x[0-9a-f]+\b")
_DECIMAL = re.compile(r"(?<![\w.:/+@`-])\d+(?![\w.:@-]|,\d)")
_NAME = re.compile(r"`([A-Za-z_~][\w:~]*)`")
_PLACE = re.compile(r"(?<=:)\d+(?=`)")
_QUOTE = re.compile(r'"([^"]*)"')
_THREAD = re.compile(r"\b([Tt]hreads?|TID|LWP) (\d+)\b(?! of)")
_COUNT = re.compile(r"\b(\d+) (?=(?:more |other )?(?:threads|times|frames|chunks|locks|calls)\b)")
_UNIT = re.compile(r"(?<=\d)( |-)(bytes?|KB|MB|KiB|MiB|ms|seconds?)\b")
_SIGNAL = re.compile(r"\bSIG[A-Z]{2,}\b")
_NUMBERS = ("two", "three", "four", "five", "seven", "twelve")
_REGISTERS = frozenset(
    {
        f"{width}{name}"
        for width in "er"
        for name in ("ax", "bx", "cx", "dx", "si", "di", "bp", "sp")
    }
    | {f"{letter}{n}" for letter in "rxw" for n in range(31)}
)
_SIGNALS = ("SIGBUS", "SIGILL", "SIGFPE", "SIGABRT", "SIGSEGV", "SIGTERM", "SIGKILL")
_ANTONYMS = (
    ("reads from", "writes to"),
    ("writes to", "reads from"),
    ("writes to", "calls"),
    ("read from", "write to"),
    ("wrote past", "read past"),
    ("free (tcache)", "in use"),
    ("which is free", "which is in use"),
    ("was free already", "was still in use"),
    ("that was free already", "that the allocator never returned"),
    ("past the end of", "before the beginning of"),
    ("nobody caught it", "the caller caught it"),
    ("on a stack", "on the heap"),
    ("on the stack", "on the heap"),
    ("a stack", "the heap"),
    ("the heap", "a stack"),
    ("divides by zero", "divides by one"),
    ("a return went", "a call went"),
    ("null pointer", "dangling pointer"),
    ("may not run as code", "may run as code"),
    ("read-only data", "writable data"),
    ("read-only memory", "writable memory"),
    ("sent itself", "was sent by its parent"),
    ("waits for", "holds"),
    ("uses memory after it was freed", "uses memory before it was allocated"),
)
_NEGATIONS = (
    (r"\bis (?!not\b)", "is not "),
    (r"\bwas (?!not\b|ended\b)", "was not "),
    (r"\bwas ended by\b", "was not ended by"),
    (r"\bholds\b", "does not hold"),
    (r"\breads from\b", "does not read from"),
    (r"\bwrites to\b", "does not write to"),
    (r"\bwaits\b", "does not wait"),
    (r"\bran out\b", "did not run out"),
    (r"\bdivides by zero\b", "does not divide by zero"),
    (r"\bnobody caught it\b", "it was caught"),
    (r"\bfailed\b", "did not fail"),
    (r"\bfreed memory\b", "never freed memory"),
    (r"\buses memory\b", "never uses memory"),
    (r"\bwrote\b", "did not write"),
    (r"\bthrew\b", "did not throw"),
    (r"\bsent itself\b", "did not send itself"),
    (r"\blies in\b", "does not lie in"),
    (r"\bstands\b", "does not stand"),
    (r"\bcalled with\b", "never called with"),
    (r"\bwent to\b", "did not go to"),
)


def lies(
    claim: Claim, state: Investigation, lines: Sequence[str], rng: random.Random
) -> Iterator[Lie]:
    """Every kind of lie that one claim can be turned into, one of each place; ``lines`` are the
    lines that it cites."""
    seen = {claim.text}
    for kind, text in _texts(claim.text, state, "\n".join(lines), rng):
        if text not in seen:
            seen.add(text)
            yield kind, replace(claim, text=text, status="open", reason="")


def _texts(
    text: str, state: Investigation, lines: str, rng: random.Random
) -> Iterator[tuple[str, str]]:
    others = _others(_HEX, lines, text)
    elsewhere = {int(other, 16) for other in others}
    yield from _each(text, _HEX, "address changed", lambda m: _nibble(m[0], elsewhere, rng))
    yield from _each(text, _HEX, "address of another line", lambda m: _pick(others, rng))
    yield from _each(text, _DECIMAL, "number changed", lambda m: _near(m[0], rng))
    yield from _each(text, _PLACE, "source line changed", lambda m: _near(m[0], rng))
    yield from _counts(text, rng)
    yield from _each(text, _THREAD, "thread", lambda m: _thread(m, state, rng))
    yield from _symbols(text, state, lines, rng)
    yield from _each(text, _QUOTE, "string", lambda m: _reworded(m[1], rng))
    yield from _each(text, _UNIT, "unit", lambda m: m[1] + _unit(m[2]))
    yield from _each(text, _SIGNAL, "signal", lambda m: _pick(set(_SIGNALS) - {m[0]}, rng))
    for old, new in _ANTONYMS:
        if old in text:
            yield "opposite", text.replace(old, new, 1)
    for pattern, new in _NEGATIONS:
        if re.search(pattern, text):
            yield "negation", re.sub(pattern, new, text, count=1)
    yield from _swaps(text)


def _each(
    text: str, pattern: re.Pattern[str], kind: str, change: Callable[[re.Match[str]], str | None]
) -> Iterator[tuple[str, str]]:
    for match in pattern.finditer(text):
        new = change(match)
        if new is not None:
            yield kind, text[: match.start()] + new + text[match.end() :]


def _nibble(address: str, elsewhere: set[int], rng: random.Random) -> str:
    """One digit of an address changed to what no cited line says: two ends of one mapping may
    differ in a digit, and that is the lie of another line."""
    while True:
        place = rng.randrange(2, len(address))
        digit = rng.choice([d for d in "123456789abcdef" if d != address[place]])
        changed = address[:place] + digit + address[place + 1 :]
        if int(changed, 16) not in elsewhere:
            return changed


def _near(number: str, rng: random.Random) -> str:
    value = int(number)
    return str(rng.choice([value + 1, max(value - 1, value * 2 + 3), value * 10 + 7]))


def _others(pattern: re.Pattern[str], lines: str, text: str) -> set[str]:
    stated = {int(match[0], 16) for match in pattern.finditer(text)}
    return {m[0] for m in pattern.finditer(lines) if int(m[0], 16) not in stated}


def _pick(choices: set[str], rng: random.Random) -> str | None:
    return rng.choice(sorted(choices)) if choices else None


def _counts(text: str, rng: random.Random) -> Iterator[tuple[str, str]]:
    yield from _each(text, _COUNT, "count", lambda m: f"{_near(m[1], rng)} ")

    def worded(match: re.Match[str]) -> str:
        return rng.choice([word for n, word in enumerate(_NUMBERS) if match[1] != str(n + 2)]) + " "

    yield from _each(text, _COUNT, "count in words", worded)


def _thread(match: re.Match[str], state: Investigation, rng: random.Random) -> str | None:
    known = {stack.thread or stack.number for stack in state.facts.all(Stack)}
    other = _pick({str(n) for n in known if n is not None} - {match[2]}, rng)
    return None if other is None else f"{match[1]} {other}"


def _symbols(
    text: str, state: Investigation, lines: str, rng: random.Random
) -> Iterator[tuple[str, str]]:
    functions = {frame.function for frame in _frames(state) if frame.function}
    simple = {name for name in functions if re.fullmatch(r"[A-Za-z_]\w*", name)}
    cited = {name for name in simple if re.search(rf"\b{re.escape(name)}\b", lines)}
    for match in _NAME.finditer(text):
        before, after = text[: match.start()], text[match.end() :]
        name = match[1]
        if name in _REGISTERS:
            other = _other_register(name, text, state, rng)
            if other is not None:
                yield "register", f"{before}`{other}`{after}"
            continue
        if name not in functions and name.rpartition("::")[2] not in functions:
            yield "symbol changed", f"{before}`{name}_x`{after}"
            continue
        yield "symbol changed", f"{before}`{name[:-1] or 'q'}z`{after}"
        stated = set(re.findall(r"\w+", text))
        for kind, pool in (("function elsewhere", simple - cited), ("function cited too", cited)):
            other = _pick(pool - stated, rng)
            if other is not None:
                yield kind, f"{before}`{other}`{after}"


def _other_register(name: str, text: str, state: Investigation, rng: random.Random) -> str | None:
    """One that the dump shows with another value than any that the claim names."""
    stated = {int(match[0], 16) for match in _HEX.finditer(text)}
    fault = state.facts.first(Fault)
    used = {fault.base_register, fault.index_register} if fault is not None else set()
    found = {
        register.name
        for fact in state.facts.all(Registers)
        for register in fact.values
        if register.value not in stated and register.name in _REGISTERS
    }
    return _pick({r for r in found - used if r is not None} - {name}, rng)


def _frames(state: Investigation) -> Iterator[Frame]:
    for stack in state.facts.all(Stack):
        yield from stack.frames[:200]


def _reworded(quote: str, rng: random.Random) -> str | None:
    words = quote.split(" ")
    places = [n for n, word in enumerate(words) if word.isalpha()]
    if not places:
        return f'"{quote}x"'
    words[rng.choice(places)] = rng.choice(["hacked", "never", "remote", "overflowing"])
    return f'"{" ".join(words)}"'


def _unit(unit: str) -> str:
    return {"bytes": "kilobytes", "byte": "KB", "KB": "MB", "ms": "s", "s": "ms"}.get(unit, "GB")


def _swaps(text: str) -> Iterator[tuple[str, str]]:
    """Two things of one kind change places; those that a list names are equal anyway."""
    for kind, pattern in (("addresses swapped", _HEX), ("names swapped", _NAME)):
        found = list(pattern.finditer(text))
        for first, second in pairwise(found):
            between = text[first.end() : second.start()]
            if first[0] != second[0] and not re.fullmatch(r"(?:,| and|, and) ?", between):
                yield (
                    kind,
                    text[: first.start()] + second[0] + between + first[0] + text[second.end() :],
                )
