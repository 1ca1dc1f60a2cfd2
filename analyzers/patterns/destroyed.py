"""Which variable or member a compiler's own destructor was at work on, whose line names none: the
one that is of the class whose destructor the frame called."""

import re

from analyzers.patterns.case import Case
from workbench.claims.printed import arguments_of
from workbench.claims.say import say
from workbench.model.claims import Claim
from workbench.model.evidence import Command
from workbench.model.facts import Frame, Layout, Locals, Typed

_DESTRUCTOR = re.compile(r"(?P<of>(?:\w+::)*\w+(?:<.*>)?)::~\w+$")
_VERSIONS = re.compile(r"\b__(?:cxx11|1)::|^(?:const |class |struct )+")
_MOST = 16
_HIDDEN = frozenset({"this", "__in_chrg", "__vtt_parm"})


def _class(case: Case, frame: Frame) -> str:
    """The class whose destructor the frame is in the middle of."""
    inner = max((f for f in case.frames if f.index < frame.index), key=lambda f: f.index,
                default=None)  # fmt: skip
    found = _DESTRUCTOR.match(inner.function or "") if inner is not None else None
    return _written(found["of"]) if found is not None else ""


def _written(text: str) -> str:
    """A class as gdb's `whatis` and its listing of the stack both write it."""
    return _VERSIONS.sub("", text).replace(" ", "")


def look(case: Case) -> tuple[Command, ...]:
    """Asks for the types of what the frame may destroy."""
    frame = case.frame
    if frame is None or not _class(case, frame):
        return ()
    level = f"frame apply level {frame.index} -q whatis"
    own = [f"{level[:-6]}ptype /o *this"] if "this" in dict(arguments_of(frame.args)) else []
    asked = [*own, *(f"{level} {name}" for name in _candidates(case, frame))]
    return tuple(Command(text, "whose destructor this is") for text in asked)


def named(case: Case, frame: Frame) -> list[Claim]:
    """The only one of them that is of that class."""
    of_class, names = _class(case, frame), _candidates(case, frame)
    types = {one.expression: one for one in case.facts.all(Typed)
             if one.frame == frame.index and one.expression in names}  # fmt: skip
    exact = [one for one in types.values() if _written(one.type) == of_class]
    base = of_class.partition("<")[0]
    alike = [one for one in types.values() if base == _written(one.type).partition("<")[0]]
    found = exact if len(exact) == 1 or len(types) < len(names) or len(names) == _MOST else alike
    if len(found) != 1:
        return []
    return [say("typed", (found[0].cite,), expression=found[0].expression, type=found[0].type)]


def _candidates(case: Case, frame: Frame) -> list[str]:
    """The frame's variables, and the members of its object."""
    found = [one.name for each in case.facts.all(Locals) if each.frame == frame.index
             for one in each.variables]  # fmt: skip
    layouts = (each for each in case.facts.all(Layout) if each.frame == frame.index)
    own = next((each.fields for each in layouts if each.expression == "*this"), ())
    found += [one.name for one in own if "." not in one.name]
    return [name for name in dict.fromkeys(found) if name not in _HIDDEN][:_MOST]
