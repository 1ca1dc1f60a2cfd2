"""Stage 1: which parts the product has, and what brings each into play, by its registries."""

from collections.abc import Iterator
from importlib.resources import files

from analyzers.patterns import PATTERNS
from analyzers.patterns.cause import Cause
from analyzers.registry import hosts
from workbench.debuggers.choose import installed
from workbench.evaluate.records import Analysis, Component
from workbench.model.models import Role

_POLICIES = ("gdb", "lldb", "cdb", "dotnet-dump")


def _told() -> Iterator[tuple[str, str]]:
    """Each component's name, and what brings it into play."""
    for pattern in PATTERNS:
        told = pattern.about if isinstance(pattern, Cause) else type(pattern).__doc__ or ""
        yield f"causes/{pattern.category.value}", told.strip().split("\n", 1)[0]
    yield from ((f"readers/{host}", f"what {host} printed") for host in hosts())
    yield "readers/dresses", "lines that a collector dressed"
    yield "readers/sections", "two failures in one log"
    yield from ((f"policy/{name}", f"a command of {name}'s grammar") for name in _POLICIES)
    for one in installed({}):
        if one.program is not None:
            yield f"backends/{one.name}", f"--debugger {one.name}"
    for path in sorted(files("prompts").iterdir(), key=lambda one: one.name):
        name = path.name.removesuffix(".md")
        if path.name.endswith(".md") and "." not in name:
            yield f"prompts/{name}", "a model that may be asked"
    yield from ((f"agents/{role.value}", "an investigation's phase") for role in Role)
    yield "critic/statements", "a statement with an argument exchanged"
    yield "redaction/gate", "a text that is to leave this machine"
    yield "robustness/damaged", "a dump that is cut, or another build's"
    yield "robustness/orders", "an order among the dump's strings"
    yield "origins", "a fault whose cause lies away from the crash"


def analyze() -> Analysis:
    """Every component, once."""
    found = {name: Component(name=name, triggers=triggers) for name, triggers in _told()}
    return Analysis(components=tuple(found.values()))
