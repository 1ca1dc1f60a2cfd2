"""What each module of a target lacks, and what is to be done about it."""

from msgspec import Struct

from workbench.model.facts import FactBook, Module


class ModuleState(Struct, frozen=True, kw_only=True, rename="camel"):
    """One module; ``status`` and ``symbols`` as `Module` has them, ``todo`` is empty where nothing
    need be done."""

    path: str
    status: str
    symbols: str
    build_id: str | None
    todo: str


def distinct_modules(facts: FactBook) -> list[Module]:
    """One fact a base address and name: the first, unless a later one knows of symbols and it does
    not."""
    found: dict[tuple[int, str], Module] = {}
    for module in facts.all(Module):
        key = (module.base, module.name)
        old = found.get(key)
        if old is None or (old.symbols == "unknown" and module.symbols != "unknown"):
            found[key] = module
    return [found[key] for key in sorted(found)]


def module_state(module: Module) -> ModuleState:
    """A module with what is to be done about it."""
    return ModuleState(
        path=module.path,
        status=module.status,
        symbols=module.symbols,
        build_id=module.build_id,
        todo=_todo(module),
    )


def _todo(module: Module) -> str:
    if module.path.startswith("["):
        return ""
    if module.status == "missing":
        return "copy it from the machine that crashed (workbench collect there, or --sysroot DIR)"
    if module.status == "mismatched":
        return "this machine has another build: take the crashed machine's (--sysroot DIR)"
    if module.symbols == "debug-info":
        return ""
    wanted = f" for build id {module.build_id}" if module.build_id else ""
    lacks = "functions have no names" if module.symbols == "stripped" else "no lines or variables"
    return f"{lacks}: install its debug symbols{wanted} under /usr/lib/debug"
