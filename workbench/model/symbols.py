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


def module_state(module: Module, os: str = "linux") -> ModuleState:
    """A module with what is to be done about it; ``os`` as the target names its system."""
    return ModuleState(
        path=module.path, status=module.status, symbols=module.symbols, build_id=module.build_id,
        todo=_todo(module, os.lower()))  # fmt: skip


def _todo(module: Module, os: str) -> str:
    if module.path.startswith("["):
        return ""
    if os.startswith("windows"):
        return _windows(module)
    apple = os.startswith(("macos", "ios"))
    if module.status == "missing":
        how = "--sysroot DIR" if apple else "workbench collect there, or --sysroot DIR"
        return f"copy it from the machine that crashed ({how})"
    if module.status == "mismatched":
        return "this machine has another build: take the crashed machine's (--sysroot DIR)"
    if module.symbols == "debug-info":
        return ""
    lacks = "functions have no names" if module.symbols == "stripped" else "no lines or variables"
    if apple:
        wanted = f" of UUID {module.build_id}" if module.build_id else ""
        return f"{lacks}: put its dSYM{wanted} beside it"
    wanted = f" for build id {module.build_id}" if module.build_id else ""
    return f"{lacks}: install its debug symbols{wanted} under /usr/lib/debug"


def _windows(module: Module) -> str:
    """A dump of Windows brings its modules' names; functions and lines come from their PDBs."""
    if module.symbols == "debug-info":
        return ""
    pdb = (module.debug_file or "its PDB").replace("\\", "/").rsplit("/", 1)[-1]
    return f"put {pdb} in a folder and name that (--sysroot DIR), then open the dump with cdb"
