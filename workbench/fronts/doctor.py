"""What is there to work with: debuggers, models, permissions; for a target its modules' symbols."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from msgspec import Struct

from analyzers.base import Document
from analyzers.registry import analyze
from workbench import __version__
from workbench.debuggers.choose import Installed, choose, installed
from workbench.debuggers.program import Program
from workbench.fronts.doctor_models import ModelsSeen, look_at_models
from workbench.fronts.doctor_models import rows as model_rows
from workbench.model.facts import Module
from workbench.model.symbols import ModuleState, module_state
from workbench.model.target import Target
from workbench.model.text import columns
from workbench.opening import Request, recognise
from workbench.targets.errors import ProbeError
from workbench.targets.reader import open_reader

_VERSION = re.compile(r"\d+\.\d+(?:\.\d+)*")
_PATIENCE = 10.0  # seconds for a debugger to say its version


class DebuggerState(Struct, frozen=True, kw_only=True, rename="camel"):
    """One debugger: where it is and its version, or ``missing``: why it cannot be used and the
    command that installs it."""

    name: str
    path: str | None = None
    version: str | None = None
    why: str | None = None
    missing: str | None = None


class Permission(Struct, frozen=True, kw_only=True, rename="camel"):
    """Something that the system allows or not; ``todo`` is empty where nothing need be done."""

    name: str
    state: str
    todo: str = ""


class Seen(Struct, frozen=True, kw_only=True, rename="camel"):
    """A target: what it is, what would open it, and its modules."""

    target: Target
    debugger: str
    debugger_why: str
    modules: tuple[ModuleState, ...]


class Diagnosis(Struct, frozen=True, kw_only=True, rename="camel"):
    """What `workbench doctor` says; ``seen`` only where a target was named."""

    workbench_version: str
    python: str
    debuggers: tuple[DebuggerState, ...]
    models: ModelsSeen
    permissions: tuple[Permission, ...]
    seen: Seen | None = None


def diagnose(request: Request) -> Diagnosis:
    """Look at this machine, and at the request's target where it names one. Raises
    `TargetError`."""
    programs = request.settings.programs()
    return Diagnosis(
        workbench_version=__version__,
        python=sys.version.split()[0],
        debuggers=tuple(_debugger(one) for one in installed(programs)),
        models=look_at_models(request.settings, elsewhere=request.wanted.allow_cloud),
        permissions=tuple(_permissions()),
        seen=_look(request, programs) if request.target else None,
    )


def _debugger(found: Installed) -> DebuggerState:
    program = found.program
    if program is None:
        return DebuggerState(name=found.name, missing=found.missing)
    version = _version(program)
    return DebuggerState(
        name=found.name, path=str(program.path), version=version, why=program.why,
        missing=None if version else "it does not say its version; reinstall it")  # fmt: skip


def _version(program: Program) -> str | None:
    try:
        done = subprocess.run(
            [str(program.path), *program.options, "--version"],
            capture_output=True,
            text=True,
            errors="replace",
            stdin=subprocess.DEVNULL,
            timeout=_PATIENCE,
            env=program.environment(),
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    lines = done.stdout.splitlines()
    match = _VERSION.findall(lines[0]) if done.returncode == 0 and lines else []
    return match[-1] if match else None


def _permissions() -> list[Permission]:
    found = _cores_here()
    scope = _system_text("/proc/sys/kernel/yama/ptrace_scope")
    if scope is not None:
        may = scope == "0" or _is_root()
        state = "any process of yours" if may else f"your children only (ptrace_scope {scope})"
        todo = "" if may else "use sudo for --pid and collect, or sysctl kernel.yama.ptrace_scope=0"
        found.append(Permission(name="reading running processes", state=state, todo=todo))
    pattern = _system_text("/proc/sys/kernel/core_pattern")
    if pattern is not None:
        found.append(Permission(name="where cores go", state=pattern))
    return [*found, *_recording()]


_COUNTERS = Path("/sys/bus/event_source/devices")


def _recording() -> list[Permission]:
    """Whether rr could record here: it counts branches by the processor's events (rr-project.org,
    "Building and installing")."""
    paranoid = _system_text("/proc/sys/kernel/perf_event_paranoid")
    if paranoid is None:
        return []
    program = shutil.which("rr")
    state = program or "not installed"
    if not any(_COUNTERS.glob("cpu*")):
        return [Permission(name="recording with rr", state=f"{state}; no processor events here")]
    may = _is_root() or (paranoid.lstrip("-").isdigit() and int(paranoid) <= 1)
    todo = "" if may else "sysctl kernel.perf_event_paranoid=1"
    return [Permission(name="recording with rr", state=state, todo=todo)]


def _cores_here() -> list[Permission]:
    try:
        import resource
    except ImportError:  # Windows writes minidumps, by other rules
        return []
    soft, _ = resource.getrlimit(resource.RLIMIT_CORE)
    if soft == 0:
        return [Permission(name="core files", state="off here", todo="ulimit -c unlimited")]
    state = "on" if soft == resource.RLIM_INFINITY else f"up to {soft} bytes"
    return [Permission(name="core files", state=state)]


def _is_root() -> bool:
    return hasattr(os, "geteuid") and os.geteuid() == 0


def _system_text(path: str) -> str | None:
    try:
        return Path(path).read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return None


def _look(request: Request, programs: Mapping[str, Path]) -> Seen:
    target = recognise(request)
    choice = choose(target, request.options.debugger, programs)
    reader = open_reader(target, request.options)
    try:
        text = reader.answer("@modules")
    except ProbeError:
        text = ""
    finally:
        reader.close()
    facts = analyze(Document("E1", "@modules", "dump", text)).facts
    return Seen(
        target=target,
        debugger=choice.name,
        debugger_why=choice.why,
        modules=tuple(module_state(fact, target.os) for fact in facts if isinstance(fact, Module)),
    )


def as_text(found: Diagnosis) -> str:
    """For a person: what is there, what is missing, what mends it."""
    lines = [f"workbench {found.workbench_version} on Python {found.python}", "", "Debuggers"]
    rows = [
        (one.name, one.version or "-", one.path or "", one.missing or "") for one in found.debuggers
    ]
    lines += _table(rows)
    lines += ["", "Models", *_table(model_rows(found.models))]
    lines += ["", "Permissions"]
    lines += _table([(p.name, p.state, p.todo) for p in found.permissions])
    if found.seen is not None:
        lines += ["", *_seen(found.seen)]
    return "\n".join(lines)


def _seen(seen: Seen) -> list[str]:
    target = seen.target
    what = f"{target.kind} of {target.os} on {target.arch}"
    if target.runtime:
        what += f", .NET ({target.runtime})"
    lines = [
        f"{target.path}: {what}",
        f"opened with {seen.debugger}: {seen.debugger_why}",
        "",
        f"Modules ({len(seen.modules)})",
    ]
    return lines + _table([(m.status, m.symbols, m.path, m.todo) for m in seen.modules])


def _table(rows: Sequence[tuple[str, ...]]) -> list[str]:
    return [f"  {line}" for line in columns(rows)] or ["  none"]
