"""A function, a file or a module that a process is said to have failed in."""

import re
from collections.abc import Iterator
from pathlib import PurePosixPath, PureWindowsPath

from analyzers.owners.functions import is_runtime_name
from workbench.agents.chat.talk import Talk, Told
from workbench.agents.ending import crashed_thread
from workbench.model.citation import Citation
from workbench.model.facts import Fault, Finding, Frame, Module, Stack
from workbench.model.investigation import Investigation

_FAILED = re.compile(
    r"(?i)\b(?:crash\w*|fail\w*|fault\w*|die[ds]?|abort\w*|segfault\w*|violation|"
    r"panic\w*|thr(?:ow\w*|ew)|exception|dereference\w*)\b"
    r"[^.;,]{0,30}?\b(?:in|inside|within|by)\s+(?:the\s+|my\s+|our\s+)?"
    r"(?:function\s+|library\s+|module\s+|file\s+)?(?P<place>[A-Za-z_][\w.:~+<>-]*)"
)
"""Where a process ends: what went wrong may have done so elsewhere, and a frame denies it not."""
_LIBRARY = re.compile(
    r"(?i)^(?:g?libc|ntdll|kernel32|kernelbase|user32|lib\w[\w+-]*|.+\.(?:so|dll|exe|dylib)[\w.]*)$"
)
_SAME = {"glibc": "libc"}


def told(clause: str, talk: Talk) -> Iterator[Told]:
    """See `presumed`."""
    said = _FAILED.search(clause)
    stack = _crashed(talk.state)
    if said is None:
        return
    place = said["place"].rstrip(".:-")
    name = _SAME.get(place.lower(), place.lower())
    top = stack.frames[0] if stack is not None and stack.frames else None
    blamed = talk.state.conclusion.frame if talk.state.conclusion is not None else None
    fault = talk.state.facts.first(Fault)
    module = _module_at(fault.pc, talk.state) if fault is not None else None
    if not _is_place(name, talk.state):
        return
    library = _LIBRARY.match(name) or any(
        _named(name, m.name) for m in talk.state.facts.all(Module)
    )
    if module is not None and library and fault is not None:
        yield from talk.line_with(("pc",), fault.cite, _named(name, module))
        return
    for frame in (blamed, top):
        if frame is not None and _is_at(name, frame):
            yield from _shown(frame, talk, True)
            return
    wrong = blamed or top
    if wrong is not None and (wrong.function or wrong.module):
        yield from _shown(wrong, talk, False)


def _crashed(state: Investigation) -> Stack | None:
    """The stack of what ended the process."""
    thread = crashed_thread(state.facts)
    stacks = state.facts.all(Stack)
    found = [s for s in stacks if thread is not None and s.thread == thread and s.frames]
    found = found or [s for s in stacks if s.current and s.frames]
    return found[0] if found else None


def _module_at(address: int, state: Investigation) -> str | None:
    for module in state.facts.all(Module):
        if module.base <= address < module.end:
            return module.name
    return None


def _base(path: str) -> str:
    return PureWindowsPath(PurePosixPath(path).name).name.lower()


def _named(name: str, module: str) -> bool:
    """``libc`` is ``libc.so.6`` and ``libc-2.31.so``, and no ``libcrypto``."""
    rest = _base(module).removeprefix(name)
    return rest != _base(module) and not rest[:1].isalpha() and rest[:1] != "+"


def _is_at(name: str, frame: Frame) -> bool:
    function = (frame.function or "").lower()
    tail = function.split("(", 1)[0].rpartition("::")[2].rpartition(".")[2]
    if name in (function, tail):
        return True
    if frame.file and name in (_base(frame.file), _base(frame.file).rpartition(".")[0]):
        return True
    return bool(frame.module and _named(name, frame.module))


def _is_place(name: str, state: Investigation) -> bool:
    """True for what is known to be one: "in production" is no function."""
    if is_runtime_name(name):
        return True
    if _LIBRARY.match(name) or re.search(r"::|_|\.[a-z]{1,4}$", name):
        return True
    if any(_named(name, module.name) for module in state.facts.all(Module)):
        return True
    frames = (frame for stack in state.facts.all(Stack)[:500] for frame in stack.frames[:100])
    if any(_is_at(name, frame) for frame in frames):
        return True
    roles = (role for finding in state.facts.all(Finding)[:20] for role in finding.stacks)
    return any(_is_at(name, frame) for role in roles for frame in role.frames[:100])


def _shown(frame: Frame, talk: Talk, agrees: bool) -> Iterator[Told]:
    """The line of a stack that shows a frame."""
    for stack in talk.state.facts.all(Stack):
        for one in stack.frames[:200]:
            same = (one.index, one.function, one.line) == (frame.index, frame.function, frame.line)
            if same and one.line_no:
                yield from talk.line(stack.cite.evidence, one.line_no, agrees)
                return
    for finding in talk.state.facts.all(Finding):
        cite = Citation(finding.cite.evidence, frame.line_no, frame.line_no)
        for role in finding.stacks:
            if frame in role.frames and frame.line_no:
                yield from talk.line(cite.evidence, frame.line_no, agrees)
                return
