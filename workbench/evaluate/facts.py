"""Which statements about a dump its report makes too."""

import re
from collections.abc import Mapping
from typing import Any

from workbench.evaluate.numbers import as_number, numbers
from workbench.evaluate.report_text import Report, strings

_OS = {
    "windows": ("windows", "nt"),
    "macos": ("macos", "mac os", "darwin", "osx"),
    "ios": ("ios", "darwin"),
    "linux": ("linux",),
    "android": ("android", "linux"),
}
_CPU = {
    "x86": ("x86", "i386", "i686", "ia32"),
    "amd64": ("x86_64", "amd64", "x64", "x86-64"),
    "arm64": ("aarch64", "arm64"),
    "arm": ("arm", "armv7"),
    "ppc": ("ppc", "powerpc"),
    "mips": ("mips",),
}
_SIGNALS = {4: "SIGILL", 5: "SIGTRAP", 6: "SIGABRT", 7: "SIGBUS", 8: "SIGFPE", 11: "SIGSEGV"}
_MACH = {
    1: "EXC_BAD_ACCESS", 2: "EXC_BAD_INSTRUCTION", 3: "EXC_ARITHMETIC", 5: "EXC_SOFTWARE",
    6: "EXC_BREAKPOINT", 10: "EXC_CRASH", 11: "EXC_RESOURCE", 12: "EXC_GUARD",
}  # fmt: skip
_REQUESTED = 0xFFFFFFFF


def os_holds(truth: str, report: Report) -> bool:
    """True when the report names that system."""
    said = str(report.environment.get("os") or "").lower()
    wanted = truth.lower()
    for name, others in _OS.items():
        if name in wanted:
            return any(other in said for other in others)
    return bool(wanted) and wanted in said


def cpu_holds(truth: str, report: Report) -> bool:
    """True when the report names that processor."""
    said = str(report.environment.get("arch") or "").lower()
    wanted = truth.lower().split("(")[0].strip()
    return said in _CPU.get(wanted, (wanted,))


def exception_holds(truth: object, report: Report) -> bool:
    """True when the report's exception has that code, or the name that stands for it."""
    code = as_number(truth)
    said = "\n".join(strings({k: v for k, v in report.exception.items() if k != "stackTrace"}))
    if code is None:
        return str(truth).lower() in said.lower()
    if code == _REQUESTED:
        return report.summary.get("crashType") == "snapshot" or "DUMP_REQUESTED" in said.upper()
    if code in numbers(said):
        return True
    system = str(report.environment.get("os") or "").lower()
    table = _MACH if any(name in system for name in ("mac", "ios", "darwin")) else _SIGNALS
    return code in table and table[code] in said


def address_holds(truth: object, report: Report) -> bool:
    """True when the report's exception, its innermost frame or its conclusion has the address."""
    address = as_number(truth)
    top = (report.exception.get("stackTrace") or [{}])[0]
    said = [report.exception.get("faultAddress"), report.exception.get("message")]
    said += [report.exception.get("address"), top.get("address") if isinstance(top, dict) else None]
    text = "\n".join(line for part in said for line in strings(part))
    return address in numbers(text) or address in numbers(report.everything())


def checks(truth: Mapping[str, Any], report: Report) -> dict[str, bool]:
    """What holds of each statement that the truth makes; the unknown ones are left out."""
    found: dict[str, bool] = {}
    if isinstance(truth.get("os"), str):
        found["os"] = os_holds(str(truth["os"]), report)
    if isinstance(truth.get("cpu"), str):
        found["cpu"] = cpu_holds(str(truth["cpu"]), report)
    if truth.get("exception") is not None:
        found["exception"] = exception_holds(truth["exception"], report)
    if truth.get("address") is not None:
        found["address"] = address_holds(truth["address"], report)
    counts = report.summary
    if truth.get("threads") is not None:
        found["threads"] = counts.get("threadCount") == as_number(truth["threads"])
    if truth.get("modules") is not None:
        found["modules"] = counts.get("moduleCount") == as_number(truth["modules"])
    if truth.get("crashing_thread_id") is not None:
        wanted = as_number(truth["crashing_thread_id"])
        found["thread"] = as_number(report.exception.get("threadId")) == wanted
    known = numbers(report.everything()) if truth.get("numbers") else set()
    for stated in truth.get("numbers") or ():
        number = as_number(stated)
        holds = number in known if number is not None else str(stated) in report.everything()
        found[f"number {stated}"] = holds
    for name in truth.get("names") or ():
        last = re.split(r"::|!", name)[-1].lower()
        found[f"name {name}"] = last in re.sub(r"\s+", " ", report.everything()).lower()
    if truth.get("place"):
        frame = report.ai.get("frame") or {}
        found["place"] = f"{frame.get('file')}:{frame.get('line')}".endswith(str(truth["place"]))
    if truth.get("frames"):
        frame = str((report.ai.get("frame") or {}).get("function") or "")
        found["frame"] = any(_last(name) in frame for name in truth["frames"])
    return found


def _last(name: str) -> str:
    return re.split(r"::|[!.(]", name.partition("<")[0] or name)[-1] or name
