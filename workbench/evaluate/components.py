"""Stage 1: which parts the product has, and what brings each into play, by its registries."""

from collections.abc import Callable, Iterator
from importlib.resources import files

from analyzers.patterns import PATTERNS
from analyzers.patterns.cause import Cause
from analyzers.registry import hosts
from workbench.debuggers.choose import installed
from workbench.evaluate.records import Analysis, Component
from workbench.model.models import Role

_POLICIES = ("gdb", "lldb", "cdb", "dotnet-dump")


def _causes() -> Iterator[Component]:
    for pattern in PATTERNS:
        told = pattern.about if isinstance(pattern, Cause) else type(pattern).__doc__ or ""
        first = told.strip().split("\n", 1)[0]
        yield Component(name=f"causes/{pattern.category.value}", triggers=first)


def _readers() -> Iterator[Component]:
    for host in hosts():
        yield Component(name=f"readers/{host}", triggers=f"what {host} printed")
    yield Component(name="readers/dresses", triggers="lines that a collector dressed")
    yield Component(name="readers/sections", triggers="two failures in one log")


def _policies() -> Iterator[Component]:
    for debugger in _POLICIES:
        yield Component(name=f"policy/{debugger}", triggers=f"a command of {debugger}'s grammar")


def _backends() -> Iterator[Component]:
    for one in installed({}):
        if one.program is not None:
            yield Component(name=f"backends/{one.name}", triggers=f"--debugger {one.name}")


def _prompts() -> Iterator[Component]:
    for path in sorted(files("prompts").iterdir(), key=lambda one: one.name):
        name = path.name.removesuffix(".md")
        if path.name.endswith(".md") and "." not in name:
            yield Component(name=f"prompts/{name}", triggers="a model that may be asked")


def _agents() -> Iterator[Component]:
    for role in Role:
        yield Component(name=f"agents/{role.value}", triggers="an investigation's phase")


def _others() -> Iterator[Component]:
    yield Component(name="critic/statements", triggers="a statement with an argument exchanged")
    yield Component(name="redaction/gate", triggers="a text that is to leave this machine")
    yield Component(name="robustness/damaged", triggers="a dump that is cut, or another build's")
    yield Component(name="robustness/orders", triggers="an order among the dump's strings")
    yield Component(name="origins", triggers="a fault whose cause lies away from the crash")


SOURCES: tuple[Callable[[], Iterator[Component]], ...] = (
    _causes, _readers, _policies, _backends, _prompts, _agents, _others,
)  # fmt: skip


def analyze() -> Analysis:
    """Every component, once."""
    found = {one.name: one for source in SOURCES for one in source()}
    return Analysis(components=tuple(found.values()))
