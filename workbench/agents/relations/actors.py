"""Who did it, as a sentence says: which function, module, line or thread the process ended in, who
called whom, who freed, and what came first."""

import re
from collections.abc import Iterator

from analyzers.owners.functions import is_runtime_name, is_runtime_source
from analyzers.owners.modules import is_runtime_library
from workbench.agents.known import Known, bare, file_name
from workbench.agents.relations.parts import (
    AT_PLACE,
    PLACE,
    Answer,
    Relation,
    cased,
    hexadecimal,
    named,
    names,
    number,
)
from workbench.model.facts import Fault, Finding, Frame, Module, Process, Stack

_FRONT = 40
"""Frames in which the program's own innermost one is looked for."""


def _snapshot(known: Known) -> bool:
    process = known.facts.first(Process)
    ended = known.signal or known.fault or known.records or known.facts.first(Finding)
    return process is not None and process.snapshot and not ended


def fronts(known: Known) -> Iterator[list[Frame]]:
    """The frames of each stack that ended the process, down to the first of the program's own."""
    thread = known.fault.thread if known.fault is not None else None
    if thread is None and known.signal is not None:
        thread = known.signal.thread
    stacks = known.facts.all(Stack)
    ended = [s for s in stacks if s.thread is not None and s.thread == thread]
    for stack in ended or [s for s in stacks if s.current] or (stacks if len(stacks) == 1 else ()):
        front: list[Frame] = []
        for frame in stack.frames[:_FRONT]:
            front.append(frame)
            if not _is_runtime(frame):
                break
        yield front
    for fault in known.facts.all(Fault):
        if fault.running is not None:
            yield [fault.running]


_VARIANT = re.compile(r"_(?:avx|sse|evex|erms|unaligned|generic|ifunc|ssse)\w*$")


def plain_name(function: str) -> str:
    """A function of the C library without the marks of its inner names and of the processor that it
    was made for: ``__strlen_evex`` is strlen."""
    return _VARIANT.sub("", re.sub(r"^_+(?:GI_+)?(?:libc_)?", "", function))


def _is_runtime(frame: Frame) -> bool:
    return (
        frame.function is None
        or is_runtime_name(frame.function)
        or is_runtime_source(frame)
        or is_runtime_library(frame.module)
    )


def _same_file(one: str, other: str) -> bool:
    """A library is called by the beginning of its version too: libc.so.6, libstdc++.so.6.0.30."""
    return one == other or f"{one}.".startswith(f"{other}.") or f"{other}.".startswith(f"{one}.")


def _ended_here(name: str, known: Known) -> Answer:
    """A function or a module is where the process ended."""
    if _snapshot(known):
        return "nothing crashed: this is a snapshot of a running process"
    every = [front for front in fronts(known) if front]
    if not every or known.facts.first(Finding) is not None:
        return None
    module = file_name(name)
    if any(_same_file(file_name(one.name), module) for one in known.facts.all(Module)):
        there = {file_name(f.module) for front in every for f in front[:1] if f.module}
        if known.fault is not None and (region := known.region(known.fault.pc)) is not None:
            there |= {file_name(region.path)} if region.path else set()
        if any(_same_file(one, module) for one in there):
            return True
        return f"it ended in {' or '.join(sorted(there))}, not in {module}" if there else None
    short = bare(name)
    same = {plain_name(function): function for function in known.functions}
    short = short if short in known.functions else same.get(plain_name(short), short)
    if short not in known.functions:
        if short in known.returned:
            return f"{short} had returned"
        plain = re.fullmatch(r"[A-Za-z_]\w{2,}(?:\(\))?", name) and name not in known.variables
        return False if plain and name not in known.arguments and known.functions else None
    if short in known.blamed or any(short == bare(f.function) for front in every for f in front):
        return True
    # What calls the frame that failed may be said to crash in it only where that has no name.
    if any(frame.function is None for front in every for frame in front[:1]):
        return None
    return f"{short} is not where it ended: {bare(every[0][-1].function) or 'another'} is"


def _crashed(match: re.Match[str], known: Known) -> Answer:
    if match["name"] is None and bare(named(match, "name")) not in known.functions | known.returned:
        return _ended_here(named(match, "name"), known) if "." in named(match, "name") else None
    return _ended_here(named(match, "name"), known)


def _dereferenced(match: re.Match[str], known: Known) -> Answer:
    """Who followed a bad pointer is who ran when the process ended."""
    name = named(match, "name")
    return _ended_here(name, known) if match["name"] or bare(name) in known.functions else None


def _thread_crashed(match: re.Match[str], known: Known) -> Answer:
    if _snapshot(known):
        return "no thread crashed: this is a snapshot of a running process"
    ended = {fault.thread for fault in known.facts.all(Fault)}
    ended |= {known.signal.thread} if known.signal is not None else set()
    ended |= {record.thread for record in known.records if record.thread is not None}
    if not ended or known.facts.first(Finding) is not None:
        return None
    if known.tids(number(match, "thread")) & ended:
        return True
    return f"thread {', '.join(map(str, sorted(ended)))} is the one that ended the process"


def _line_failed(match: re.Match[str], known: Known) -> Answer:
    """FILE:LINE is what failed: that of the innermost frame with source text."""
    place = (file_name(match["file"]), int(match["line"]))
    places = {
        (file_name(frame.file), frame.line)
        for front in [*fronts(known), known.blamed_frames]
        for frame in front
        if frame.file and frame.line
    }
    if not places or known.facts.first(Finding) is not None:
        return None
    if place in places:
        return True
    shown = " or ".join(f"{file}:{line}" for file, line in sorted(places)[:3])
    return f"{shown} is the line that failed, not {place[0]}:{place[1]}"


_MARKED = re.compile(r"=>|^pc\b|\bRIP\b|Core was generated|terminated with|SourceAv|->\s+0x")


def _code_failed(match: re.Match[str], known: Known) -> Answer:
    """``NAME+OFFSET`` is the faulting instruction: as a line that marks it says."""
    name, offset = match["name"], match["offset"]
    answer = _ended_here(name, known)
    if answer is not True:
        return answer
    value = int(offset, 16 if offset.startswith("0x") else 10)
    for line in known.cited:
        if not _MARKED.search(line) or not re.search(rf"\b{re.escape(bare(name))}", line):
            continue
        for said in re.findall(r"\+(0x[0-9a-f]+|\d+)\b", line):
            if int(said, 16 if said.startswith("0x") else 10) == value:
                return True
    return False


_CRASHED = (
    r"(?:crash(?:ed|es)|(?:seg)?faulted|faults|segfaults|died|blew up|(?:is|was) (?:what|"
    r"where|the one "
    r"that) (?:crashed|failed|faulted)|raised the (?:fault|signal|exception)|triggered the "
    r"(?:crash|fault|segfault))"
)
_EVENT = (
    r"\b(?:[Cc]rash|[Ff]ault|[Ss]egfault|[Bb]ug|[Ff]ailure|[Ee]rror|SIG[A-Z]+|[Pp]roblem|"
    r"[Dd]efect|[Aa]bort) "
)
_LIES = r"(?:is|was|lies|lay|sits|happened|happens|occurred|occurs|took place|originated|came)"
_THREAD = r"\b[Tt]hread #?(?P<thread>\d+)"
_QUOTED = r"`(?P<name>[^`\n]+)`(?P<name_>)"

ACTORS: tuple[Relation, ...] = (
    (
        cased(
            r"\b[Ll]ine (?P<line>\d+) (?:of|in) `?(?P<file>[\w.+/\\:-]+\.\w{1,5})`?,? ",
            r"(?:(?:is|was) (?:the )?(?:faulting|crashing|failing|one|line|what)\b|",
            r"(?:which |that )?(?:dereferences|faults|faulted|crashes|crashed|segfaults)\b)",
        ),
        _line_failed,
    ),
    (
        cased(
            names("name"),
            AT_PLACE,
            r",? (?:(?:which|that) )?(?:then |itself )?(?:dereferences|dereferenced|"
            r"follows|followed|",
            r"derefs) (?:a|an|the|this|that|its) ",
            r"(?:\w+ )?(?:null|bad|invalid|stale|wild|dangling|garbage|freed|corrupt\w*|pointer)\b",
        ),
        _dereferenced,
    ),
    (
        cased(
            r"\b[Dd]ereferenc(?:es|ed|ing)\b[^.;]{0,50}? (?:at|on|in) ",
            PLACE,
        ),
        _line_failed,
    ),
    (
        cased(
            names("name"),
            AT_PLACE,
            r" (?:was|is) (?:running|executing|executed|active|on (?:the )?top) (?:when|"
            r"as|while) (?:the )?",
            r"(?:SIG|signal|crash|fault|process)",
        ),
        _crashed,
    ),
    (cased(names("name"), AT_PLACE, r",? (?:(?:which|that) )?", _CRASHED, r"\b"), _crashed),
    (
        cased(
            _EVENT,
            _LIES,
            r" (?:in|inside|within|from) (?:the )?(?:function |library |module )?",
            _QUOTED,
        ),
        _crashed,
    ),
    (
        cased(
            _EVENT,
            _LIES,
            r" (?:in|inside|within|from) (?:the )?(?:library |module )?",
            r"(?P<name>[\w.+-]+\.(?:so(?:\.\d+)*|dll|exe|dylib))(?P<name_>)",
        ),
        _crashed,
    ),
    (
        cased(
            r"(?<![\w`])(?P<name>[\w.+-]+\.(?:so(?:\.\d+)*|dll|exe|dylib))(?P<name_>) ", _CRASHED
        ),
        _crashed,
    ),
    (cased(_THREAD, r"(?: \([^()]*\))?,? (?:(?:which|that) )?", _CRASHED, r"\b"), _thread_crashed),
    (
        cased(
            _THREAD,
            r" (?:is|was) the (?:crashing|crashed|faulting|failing|offending) (?:one|thread)",
        ),
        _thread_crashed,
    ),
    (
        cased(
            r"\b(?:crashing|crashed|faulting|failing|offending) thread (?:is|was) (?:thread )?#?",
            r"(?P<thread>\d+)",
        ),
        _thread_crashed,
    ),
    (
        cased(
            PLACE, r",? (?:(?:which|that) )?(?:is|was) (?:the )?(?:faulting|crashing|failing) line"
        ),
        _line_failed,
    ),
    (
        cased(
            PLACE,
            r",? (?:(?:which|that|where it) )?(?:then )?(?:dereferences|dereferenced|"
            r"derefs|faults|faulted|",
            r"crashes|crashed|segfaults|triggers the (?:fault|crash))",
        ),
        _line_failed,
    ),
    (
        cased(
            r"`?(?P<name>[A-Za-z_][\w:~]*)\+(?P<offset>0x[0-9a-f]+|\d+)>?`?,? (?:is|was) the ",
            r"(?:faulting|crashing|failing) (?:instruction|place|address|pc)",
        ),
        _code_failed,
    ),
    (
        cased(
            r"(?:faulting|crashing|failing) (?:instruction|pc|rip)(?: pointer)? (?:is|was|"
            r"stands|lies|sits) ",
            r"(?:at |in )?`?(?P<name>[A-Za-z_][\w:~]*)\+(?P<offset>0x[0-9a-f]+|\d+)",
        ),
        _code_failed,
    ),
    (
        cased(
            r"(?:faulting|crashing|failing) (?:instruction|code|line|frame|function)",
            rf"(?: at (?:`?{hexadecimal('pc')}`?))? (?:is|was|stands|lies|sits|belongs) ",
            r"(?:to |at |in |inside |within )?",
            _QUOTED,
        ),
        _crashed,
    ),
)
