"""Another run of the program with a tool beside it: valgrind or a sanitizer that was built into it,
which know what memory is, or rr, which records it."""

import asyncio
import contextlib
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from workbench.debuggers.private_folder import MARK, clear
from workbench.debuggers.pty import die_with_parent
from workbench.reproduce.program import Program, limits, mark_in
from workbench.targets.errors import TargetError

_MOST_TEXT = 4 << 20
_BUILDING = 900.0
"""Seconds that a build may take."""
SANITIZED = "-fsanitize=address,undefined"
_FLAGS = f"-g -O1 -fno-omit-frame-pointer {SANITIZED}"


class Tool(NamedTuple):
    """``words`` stand before the program, ``{report}`` in them and in ``variables`` is where the
    report is to be written; what begins with that name is read."""

    name: str
    words: tuple[str, ...] = ()
    variables: tuple[tuple[str, str], ...] = ()
    todo: str = ""


_OPTIONS = "log_path={report}:abort_on_error=0:detect_leaks=0:print_stacktrace=1:symbolize=1"
TOOLS = {
    "valgrind": Tool(
        "valgrind",
        ("valgrind", "--log-file={report}.%p", "--num-callers=40", "--track-origins=yes"),
        todo="apt-get install valgrind",
    ),
    (RECORDER := "rr"): Tool("rr", ("rr", "record"), todo="apt-get install rr"),
}
SANITIZER = Tool(
    "sanitizer",
    variables=tuple(
        (f"{name}_OPTIONS", _OPTIONS) for name in ("ASAN", "UBSAN", "TSAN", "MSAN", "LSAN")
    ),
)


def tool_of(name: str) -> Tool:
    """A tool by its name. Raises `TargetError` where it is not known or not installed."""
    if name not in TOOLS:
        raise TargetError(name, "no such tool", f"one of {', '.join(TOOLS)}")
    if shutil.which(TOOLS[name].words[0]) is None:
        raise TargetError(name, "not installed", TOOLS[name].todo)
    return TOOLS[name]


class Looks(NamedTuple):
    """The tools to run the program under, and the command that builds it with a sanitizer."""

    tools: tuple[Tool, ...] = ()
    build: str = ""

    async def reports(
        self, program: Program, folder: Path, say: Callable[[str], None]
    ) -> list[tuple[str, str]]:
        """Each one's name and what it said. Raises `TargetError` where the build fails."""
        asked = [(tool, program.path) for tool in self.tools if tool.name != RECORDER]
        if self.build:
            say(f"building with a sanitizer: {self.build}")
            asked.append((SANITIZER, await built(self.build, program, folder)))
        found = []
        for tool, path in asked:
            say(f"running under {tool.name}")
            text = await asyncio.to_thread(_read, await run_under(tool, program, path, folder))
            found += [(tool.name, text)] if text else []
        return found


NO_LOOKS = Looks()


async def built(command: str, program: Program, folder: Path) -> Path:
    """The program that a person's command builds into ``$OUT``. Raises `TargetError`."""
    made = folder / f"{program.path.name}-sanitized"
    flags = dict.fromkeys(("CFLAGS", "CXXFLAGS"), _FLAGS) | {"LDFLAGS": SANITIZED}
    environment = {**os.environ, **flags, "OUT": str(made), MARK: (mark := mark_in(folder))}
    process = await asyncio.create_subprocess_exec(
        *die_with_parent(), "/bin/sh", "-c", command, cwd=program.cwd, env=environment,
        start_new_session=True, stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )  # fmt: skip
    try:
        said, _ = await asyncio.wait_for(process.communicate(), _BUILDING)
    except TimeoutError as error:
        raise TargetError(command, "the build took too long", "build it by hand") from error
    finally:
        clear(mark)
    last = said.decode("utf-8", "replace").strip().rpartition("\n")[2][:200]
    if process.returncode:
        raise TargetError(command, f"the build failed: {last}", "run it by hand")
    if not os.access(made, os.X_OK):
        raise TargetError(command, "the build made no $OUT", 'end it with -o "$OUT"')
    return made


async def run_under(tool: Tool, program: Program, path: Path, folder: Path) -> Path:
    """Run ``path`` with the program's words under a tool; where its report begins to be named."""
    report = folder / f"report-{tool.name}"
    filled = [(name, value.format(report=report)) for name, value in tool.variables]
    mark = mark_in(folder)
    environment = {**os.environ, **dict(program.environment), **dict(filled), MARK: mark}
    words = [word.format(report=report) for word in tool.words]
    stdin = await asyncio.to_thread(open, program.stdin or os.devnull, "rb")
    with contextlib.closing(stdin):
        process = await asyncio.create_subprocess_exec(
            *die_with_parent(), *limits(program), *words, str(path), *program.arguments,
            cwd=program.cwd, env=environment, start_new_session=True, stdin=stdin,
            stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.DEVNULL,
        )  # fmt: skip
    try:
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(process.wait(), program.timeout)
    finally:
        clear(mark)
    return report


def _read(report: Path) -> str:
    """What a tool said, in one file for each process; empty if nothing."""
    found = sorted(report.parent.glob(f"{report.name}*"))
    texts = [path.read_bytes()[:_MOST_TEXT].decode("utf-8", "replace") for path in found[:16]]
    return "\n".join(text.strip("\n") for text in texts if text.strip())
