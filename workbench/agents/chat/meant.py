"""What names in a question mean: functions, variables, threads that are called so or run one."""

import re

from msgspec.structs import replace

from analyzers.names import bare, common
from analyzers.owners.printed import is_own
from workbench.agents.chat.asked import Asked
from workbench.agents.chat.values import NAMED
from workbench.agents.chat.words import is_general
from workbench.model import facts as f
from workbench.model.investigation import Investigation

THREAD_OF = re.compile(
    r"(?i)\b(?!(?:do|does|did|is|was|has)\b)([\w:]+) threads?\b"
    r"|\bwhat(?:'s|\s+is|\s+was|\s+are|\s+were)\s+(?:the\s+)?([\w:]+)\s+(?:doing|waiting|up to)\b"
    r"|\bwhat\s+(?:do|does|did)\s+(?:the\s+)?([\w:]+)\s+(?:wait|hang|block)\b"
    r"|\b(?:do|does|did|is|was|has)\s+(?:the\s+)?(?:thread\s+)?([\w:]+)\s+(?=(?:hold|own|wait|lock|block|stuck|hang|hung|took|taken|a?sleep)\w*\b"
    r"|(?:part\s+of|in(?:volved\s+in)?)\s+(?:the|a|this|that)\s+(?:dead|ring\b|cycle))"
    r"|\b(?:held|owned|locked|taken)\s+by\s+(?:the\s+)?([\w:]+)"
)


def known_names(state: Investigation) -> dict[str, bool]:
    """Names that stand in the evidence as functions or types, and those of variables: true."""
    frames = [one for stack in state.facts.all(f.Stack)[:2000] for one in stack.frames[:200]]
    others = {name for frame in frames for name in names_of(frame)}
    for types in state.facts.all(f.HeapTypes):
        others |= {row.name for row in types.items[:2000]}
    others |= {bare(fault.origin_call or "") for fault in state.facts.all(f.Fault)}
    others |= returning_in(state)
    found = {name: False for name in others if len(name) > 1 and not name.isdecimal()}
    for fact in state.facts.all(f.Locals):
        found |= {variable.name: True for variable in fact.variables}
    given = ((frame, name) for frame in frames for name in NAMED.findall(frame.args[:2000]))
    # "function" is a word and "main" a function, though arguments of libraries are called so.
    return found | {
        name: True
        for frame, name in given
        if is_own(frame) or not (is_general(name) or name in others)
    }


def returning_in(state: Investigation) -> set[str]:
    """The functions of which it was concluded what they returned."""
    held = (str(one.get("function")) for one in state.held if one.kind == "returned_by")
    return {common(bare(name)) for name in held}


def threads_meant(asked: Asked, state: Investigation) -> Asked:
    """The threads that a question means by their name or by a function that they run."""
    running = threads_named(asked, state)[1]
    return replace(asked, threads=running) if running else asked


def threads_named(asked: Asked, state: Investigation) -> tuple[str, tuple[int, ...]]:
    """The name by which a question means threads, with their TIDs; nothing where it gives numbers.
    On Linux the main thread's TID is the process's id."""
    for match in THREAD_OF.finditer(asked.text) if not asked.threads else ():
        name = next(filter(None, match.groups()))
        running = tuple(dict.fromkeys(running_as(name, state)))
        if running:
            return name, running
    return "", ()


def running_as(name: str, state: Investigation) -> list[int]:
    """The TIDs of the threads that a name means: by what they run, or how they ended."""
    process = state.facts.first(f.Process)
    signal = state.facts.first(f.Signal)
    if re.match(r"(?i)(?:crash|fault|fail|dy)(?:ed|ing)$", name) and signal is not None:
        return [signal.thread]
    linux = process is not None and process.os.lower() == "linux"
    if name == "main" and process is not None and linux and process.pid in process.threads:
        return [process.pid]
    names = {name, name.removesuffix("s")} - {""}
    return [
        one.thread
        for one in state.facts.all(f.Stack)
        if one.thread is not None
        and names & ({one.name or ""} | {n for frame in one.frames for n in names_of(frame)})
    ]


def names_of(frame: f.Frame) -> set[str]:
    """The names of a frame's function, whole and without what stands in front."""
    name = frame.function
    if not name:
        return set()
    return {name, common(name), name.split("(", 1)[0].rpartition("::")[2].rpartition(".")[2]}
