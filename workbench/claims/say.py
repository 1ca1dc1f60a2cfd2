"""How experts make statements: a kind of the table, its arguments, and the lines that say them."""

from collections.abc import Iterable

from msgspec.structs import replace

from workbench.claims.render import sentence
from workbench.model.citation import Citation
from workbench.model.claims import Arg, Claim, Value
from workbench.model.facts import Frame

Cites = tuple[Citation, ...]
Given = Value | Arg | None


def at(value: Value | None, cites: Iterable[Citation], shown: str = "") -> Arg | None:
    """A value whose line is not that of the whole statement; None where it is not known."""
    return None if value is None else Arg("", value, tuple(cites), shown)


def say(kind: str, cites: Iterable[Citation] = (), /, **given: Given) -> Claim:
    """A statement. An argument that is None is left out; one without lines of its own has those of
    the statement. A name that Python keeps for itself is written with a ``_`` behind it."""
    lines = tuple(dict.fromkeys(cites))
    args = []
    for name, value in given.items():
        if value is None:
            continue
        name = name.rstrip("_")
        if isinstance(value, Arg):
            args.append(replace(value, name=name, cites=value.cites or lines))
        else:
            args.append(Arg(name, value, lines))
    claim = Claim(kind, tuple(args), also=() if args else lines)
    return replace(claim, text=sentence(claim))


def cause(
    category: str, frame: Frame | None, cites: Iterable[Citation], /, how: str = "", **given: Given
) -> Claim:
    """What a cause does in a frame, by the texts of its row; ``cites`` are the frame's lines."""
    lines = tuple(dict.fromkeys(cites))
    place: dict[str, Given] = {}
    if frame is not None:
        if frame.function:
            place = {"function": frame.function}
            if frame.file and frame.line:
                place |= {"file": frame.file, "line": frame.line}
        elif frame.file and frame.line:
            place = {"file": frame.file, "line": frame.line}
        elif frame.address is not None:
            place = {"address": frame.address}
        elif frame.module:
            place = {"module": frame.module, "offset": frame.offset}
    args = [Arg("category", category), Arg("how", how)]
    args += [Arg(name, value, lines) for name, value in place.items() if not isinstance(value, Arg)
             and value is not None]  # fmt: skip
    made = say("cause", lines, **given)
    claim = Claim("cause", (*args, *made.args), also=() if place else lines)
    return replace(claim, text=sentence(claim))


def deny(claim: Claim) -> Claim:
    """That it is not so."""
    denied = replace(claim, denied=True)
    return replace(denied, text=sentence(denied))
