"""Reads ``@health``, how far the dump can be trusted; ``@mappings``; ``@modules``."""

import re
from typing import Any

from analyzers.base import Analysis, Document
from analyzers.dump.shapes import Said, below, read
from workbench.model.facts import AnyFact, CoreHealth, Memory, Module, Region
from workbench.model.text import counted

_HEALTH = {
    "file": "file: {:n} bytes, {state:complete|truncated}",
    "memory": "memory: {dumped_bytes:n} bytes dumped, {missing_bytes:n} bytes missing",
    "executable": "executable: {executable}",
    "match": "executable match: {match:[^,]*}{:.*}",
    "cap": "cap: {ceiling:[01]\\.[0-9]{2}} {cap}",
    "remedy": "remedy: {remedy}",
    "ceiling": "confidence ceiling: {ceiling:[01]\\.[0-9]{2}}",
}
_MATCH = {"yes": True, "no": False, "unverified": None}
_MAPPINGS = {
    "region": "{start:x}-{end:0x[0-9a-f]{1,17}} {perms:[r?-][w?-][x?-]} {:[0-9]{1,20}} "
    "{kind:file|stack|heap|anonymous|vdso|none|unknown} "
    "{held:dumped|absent|partial:[0-9]{1,20}}[ thread {thread:n}][ offset {offset:x} {path}]"
}
_MODULES = {
    "module": "[module: ]{base:x}-{end:x} {status:found|mismatched|missing|unverified} "
    "{symbols:debug-info|symbols|stripped|unknown} {build_id:-|[0-9a-f]{2,128}} {path}",
    "version": "  version: {version}",
    "debug file": "  debug file: {debug_file}",
}
_PARTS = frozenset({"version", "debug file"})
_SEPARATORS = re.compile(r"[/\\]")


def health(document: Document) -> Analysis:
    """The health, when its first and its ceiling line are there, and every module line."""
    said = list(read(document, _HEALTH))
    first = next((item for item in said if item.name == "file"), None)
    last = next((item for item in said if item.name == "ceiling"), None)
    facts: list[AnyFact] = []
    summary = "nothing readable about the dump's health"
    if first is not None and last is not None and first.number < last.number:
        block = [item for item in said if first.number <= item.number <= last.number]
        found = _health(document, block)
        facts.append(found)
        summary = "the dump is complete and its files match"
        if found.caps:
            summary = f"confidence is capped at {found.ceiling:.2f}: {found.caps[0][:200]}"
    reasons = ((item.fields["cap"], item.number) for item in said if item.name == "cap")
    findings = [f"{why[0].upper()}{why[1:]} [{document.cite(line)}]" for why, line in reasons]
    return Analysis(summary, (*facts, *_modules(document, "module: ")), tuple(findings[:20]))


def _health(document: Document, block: list[Said]) -> CoreHealth:
    told: dict[str, Any] = {}
    for item in block:
        told = item.fields | told
    match = told.get("match")
    sizes = {name: told.get(name, 0) for name in ("dumped_bytes", "missing_bytes")}
    remedies = [item.fields["remedy"] for item in block if item.name == "remedy"]
    return CoreHealth(
        cite=document.cite(block[0].number, block[-1].number),
        truncated=told["state"] == "truncated",
        executable=told.get("executable") if match in _MATCH else None,
        executable_matches=_MATCH.get(match or ""),
        ceiling=min(1.0, float(block[-1].fields["ceiling"])),
        caps=tuple(item.fields["cap"] for item in block if item.name == "cap"),
        remedies=tuple(dict.fromkeys(remedies)),
        **sizes,
    )


def mappings(document: Document) -> Analysis:
    """One fact that holds every mapping, in address order."""
    regions = []
    for _, number, _, fields in read(document, _MAPPINGS):
        fields["end"] = int(fields["end"], 16)
        fields["offset"] = fields["offset"] or 0
        fields["dumped"] = fields.pop("held") == "dumped"
        if fields["start"] < fields["end"] <= 1 << 64:
            regions.append(Region(line=number, **fields))
    if not regions:
        return Analysis("no mappings")
    regions.sort(key=lambda region: region.start)
    numbers = [region.line for region in regions]
    memory = Memory(cite=document.cite(min(numbers), max(numbers)), regions=tuple(regions))
    stacks = sum(region.kind == "stack" for region in regions)
    return Analysis(f"{counted(len(regions), 'mapping')}, {stacks} of them stacks", (memory,))


def modules(document: Document) -> Analysis:
    """One fact for each module line."""
    found = _modules(document)
    bad = [item for item in found if item.status in ("mismatched", "missing")]
    return Analysis(
        f"{counted(len(found), 'module')}, {len(bad)} not as they were",
        found,
        tuple(f"{item.name} is {item.status} here [{item.cite}]" for item in bad[:20]),
    )


def _modules(document: Document, prefix: str = "") -> tuple[Module, ...]:
    """A fact for each module line that begins with ``prefix``, with what the lines below add."""
    said = list(read(document, _MODULES))
    found = []
    for at, item in enumerate(said):
        if item.name == "module" and item.line.startswith(prefix or "0x"):
            path, build = item.fields["path"], item.fields["build_id"]
            more, last = below(said[at + 1 : at + 3], item, _PARTS, 4)
            fields = item.fields | more | {"build_id": None if build == "-" else build}
            name = _SEPARATORS.split(path)[-1] or path
            found.append(Module(cite=document.cite(item.number, last), name=name, **fields))
    return tuple(found)
