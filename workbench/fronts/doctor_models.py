"""`workbench doctor` on models: which answer, which keys are there, what mends what is missing."""

import asyncio
import shutil

from msgspec import Struct

from workbench.llm.discover import FoundServer, discover
from workbench.llm.offers import MEANT_TO_BE_LOCAL
from workbench.model.models import ModelTier
from workbench.model.report_findings import Part
from workbench.settings import Secret, Settings

_GET = "ollama pull qwen3:8b"
_INSTALL = f"install Ollama (https://ollama.com/download), then `{_GET}`"
_FILE = "or name a GGUF file: WORKBENCH_GGUF=FILE, pip install 'workbench[embedded]'"


class ModelServer(Part, frozen=True, kw_only=True):
    """A place where models may be had. ``key``: present | missing | not needed; ``models`` are the
    names that it lists; ``todo`` is empty where nothing need be done."""

    name: str
    address: str
    tier: ModelTier
    answers: bool
    key: str
    models: tuple[str, ...] = ()
    why: str = ""
    todo: str = ""


class Key(Struct, frozen=True, kw_only=True, rename="camel"):
    """A key by its setting's name: whether it is there, never what it is."""

    name: str
    present: bool


class ModelsSeen(Struct, frozen=True, kw_only=True, rename="camel"):
    """All of it; ``todo`` says how to get a model where none of this machine answers."""

    servers: tuple[ModelServer, ...]
    keys: tuple[Key, ...]
    todo: str = ""


def look_at_models(settings: Settings, *, elsewhere: bool) -> ModelsSeen:
    """Ask what is on this machine, and with ``elsewhere`` what is not, for lists of models."""
    found = asyncio.run(discover(settings, elsewhere=elsewhere))
    here = any(one.answers and one.tier is ModelTier.LOCAL and one.models for one in found)
    keys = (
        Key(name=name.upper(), present=getattr(settings, name) is not None)
        for name, kind in Settings.__annotations__.items()
        if Secret in getattr(kind, "__args__", ())
    )
    return ModelsSeen(
        servers=tuple(_server(one) for one in found),
        keys=tuple(keys),
        todo="" if here else _how_to_get_one(),
    )


def rows(seen: ModelsSeen) -> list[tuple[str, ...]]:
    """For a table: name, state, address, and what to do."""
    lines: list[tuple[str, ...]] = []
    for one in seen.servers:
        state = f"answers, {one.tier}" if one.answers else f"{one.why or 'silent'}, {one.tier}"
        listed = ", ".join(one.models[:5]) + (", …" if len(one.models) > 5 else "")
        lines.append((one.name, state, one.address, one.todo or listed))
    lines += [(key.name, "present" if key.present else "not set", "", "") for key in seen.keys]
    if seen.todo:
        lines.append(("a local model", "none answers", "", seen.todo))
    return lines


def _server(found: FoundServer) -> ModelServer:
    names = tuple(model.name for model in found.models)
    return ModelServer.of(found, models=names, todo=_todo(found))


def _todo(found: FoundServer) -> str:
    if found.key == "missing":
        name = "AZURE_OPENAI_API_KEY" if found.kind == "azure" else "OPENAI_API_KEY"
        return f"export {name}=…"
    if found.answers:
        load = _GET if found.kind == "ollama" else "load a model in it"
        return "" if found.models else load
    if found.tier is ModelTier.CLOUD and not found.was_asked:
        meant = "it is another machine: cloud; " if found.setting in MEANT_TO_BE_LOCAL else ""
        return f"{meant}`workbench doctor --allow-cloud` asks it; see {found.setting}"
    if found.tier is ModelTier.CLOUD:
        return f"correct {found.setting}, or the way to it"
    if found.kind == "ollama":
        return "ollama serve" if shutil.which("ollama") else _INSTALL
    if found.kind == "gguf":
        return "pip install 'workbench[embedded]'" if "workbench[" in found.why else "name another"
    return f"start it, or correct {found.setting}"


def _how_to_get_one() -> str:
    return f"{_GET}, {_FILE}" if shutil.which("ollama") else f"{_INSTALL}; {_FILE}"
