"""@health: how far the dump can be trusted."""

import re

from analyzers.base import Analysis, Document, Settled
from analyzers.dump import text as dump_text
from analyzers.dump.modules import modules
from workbench.model.facts import AnyFact, CoreHealth

_FILE = re.compile(r"file: [0-9]{1,18} bytes, (complete|truncated)")
_MEMORY = re.compile(r"memory: ([0-9]{1,18}) bytes dumped, ([0-9]{1,18}) bytes missing")
_CAP = re.compile(r"cap: ([01]\.[0-9]{2}) (.+)")
_CEILING = re.compile(r"confidence ceiling: ([01]\.[0-9]{2})")
_MATCH = {"yes": True, "no": False}


class DumpHealth(Settled):
    """Reads the answer to @health."""

    name = "dump-health"

    def can_analyze(self, document: Document) -> bool:
        """True for @health."""
        return dump_text.is_probe(document, "@health")

    def analyze(self, document: Document) -> Analysis:
        """The health, when its first and its ceiling line are there, and every module line."""
        facts: list[AnyFact] = []
        health = _health(document)
        if health is not None:
            facts.append(health)
        facts += modules(document, "module: ")
        return Analysis(_summary(health), tuple(facts), _findings(document))


def _health(document: Document) -> CoreHealth | None:
    numbered = dump_text.lines(document)
    first = next((n for n, line in numbered if _FILE.fullmatch(line)), None)
    last = next((n for n, line in numbered if _CEILING.fullmatch(line)), None)
    if first is None or last is None or last < first:
        return None
    block = [line for number, line in numbered if first <= number <= last]
    memory = next((m for m in map(_MEMORY.fullmatch, block) if m), None)
    ceiling = _CEILING.fullmatch(block[-1])
    match = _value(block, "executable match: ").partition(",")[0]
    found = match in ("yes", "no", "unverified")
    return CoreHealth(
        cite=document.cite(first, last),
        truncated=block[0].endswith(" truncated"),
        executable=_value(block, "executable: ") or None if found else None,
        executable_matches=_MATCH.get(match),
        dumped_bytes=int(memory[1]) if memory else 0,
        missing_bytes=int(memory[2]) if memory else 0,
        ceiling=min(1.0, float(ceiling[1])) if ceiling else 1.0,
        caps=tuple(m[2] for m in map(_CAP.fullmatch, block) if m),
        remedies=tuple(
            dict.fromkeys(
                line.removeprefix("remedy: ") for line in block if line.startswith("remedy: ")
            )
        ),
    )


def _value(block: list[str], key: str) -> str:
    return next((line.removeprefix(key) for line in block if line.startswith(key)), "")


def _findings(document: Document) -> tuple[str, ...]:
    found = []
    for number, line in dump_text.lines(document):
        match = _CAP.fullmatch(line)
        if match:
            reason = match[2][0].upper() + match[2][1:]
            found.append(f"{reason} [{document.cite(number)}]")
    return tuple(found[:20])


def _summary(health: CoreHealth | None) -> str:
    if health is None:
        return "nothing readable about the dump's health"
    if not health.caps:
        return "the dump is complete and its files match"
    return f"confidence is capped at {health.ceiling:.2f}: {health.caps[0][:200]}"
