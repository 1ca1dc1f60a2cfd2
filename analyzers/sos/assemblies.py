"""``dumpdomain`` and ``clrmodules``: the assemblies that were loaded, and from where."""

import re

from analyzers.base import Document
from analyzers.sos.text import MAX_ITEMS, lines_of
from workbench.model.facts import AnyFact, Assemblies, Assembly

# SOS/Strike/strike.cpp, DomainInfo: "Assembly:           0000… [path]"; ClrModulesCommand: base,
# size, path. A module that was made in memory has no path.
_OF_DOMAIN = re.compile(r"^\s*Assembly:\s+[0-9a-f`]{8,17}\s+\[(?P<path>[^\]]{1,1000})\]", re.I)
_MODULE = re.compile(
    r"^\s*[0-9a-f`]{8,17}\s+(?:0x)?[0-9a-f]{1,16}\s+(?P<path>\S.{0,1000}\.(?:dll|exe))\s*$", re.I
)
# The global assembly cache names its folders after the version: v4.0_4.0.0.0__b77a5c561934e089.
_VERSION = re.compile(r"[\\/](?:v[\d.]+_)?(?P<version>\d+\.\d+\.\d+\.\d+)__[0-9a-f]{16}[\\/]")


def read(document: Document) -> list[AnyFact]:
    """One `Assemblies`, when the output lists any."""
    if ".dll" not in document.text.lower() and ".exe" not in document.text.lower():
        return []
    patterns = (_OF_DOMAIN, _MODULE) if "clrmodules" in document.command.lower() else (_OF_DOMAIN,)
    found: dict[str, Assembly] = {}
    for number, line in lines_of(document):
        row = next((m for pattern in patterns if (m := pattern.match(line))), None)
        if row is not None and len(found) < MAX_ITEMS:
            path = row["path"].strip()
            name = re.split(r"[\\/]", path)[-1].rsplit(".", 1)[0]
            version = _VERSION.search(path)
            number_of = version["version"] if version else None
            one = Assembly(name=name, path=path, version=number_of, line=number)
            found.setdefault(path.lower(), one)
    items = tuple(found.values())
    return [Assemblies(cite=document.span(items), items=items)] if items else []
