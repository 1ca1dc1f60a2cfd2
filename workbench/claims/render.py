"""The English of a statement: the template of its kind, with the arguments as their types are
written. Code writes it from checked values; nobody reads it back."""

import re
from collections.abc import Collection, Mapping, Sequence

from workbench.claims.kinds import KINDS, Column
from workbench.claims.texts import CAUSES, STEPS, TOLD, WORDS
from workbench.model.claims import Arg, Claim
from workbench.model.origin import Origin, OriginKind, OriginStep

FRAME = ("function", "file", "line", "module", "offset", "address")
"""The arguments that ``{place}`` is written from."""
_LONGEST_NAME = 100
_SMALL, _FAR = 1 << 16, 1 << 28
"""Below the first no number is told apart from a count; an access leads no farther from where a
pointer does than the second."""
_ASIDE = frozenset({"signal", "raised"})
"""How it ended is told in a line of its own; who sent the signal is not."""
_HEX = re.compile(r"0x[0-9a-f]+")
_ONE = re.compile(r"^(there )are((?: not)? 1 (?!of )(?:\w+ ){0,2}?\w+)s\b( that (?:wait|hold)\b)?")
_LINES = re.compile(r"[\r\n\t]+")
_CAST = re.compile(r"^\((?:[^()'\"]|\([^()]*\))*\)\s*(?=.)")
_OPTIONAL = re.compile(r"\[([^\[\]]*)\]")
_ARGUMENTS = re.compile(r"<[^<>]*>")
_PARAMETERS = re.compile(r"\((?![^<]*>)")  # a cast among the arguments is none
_SLOT = re.compile(r"\{(\w+)\}")
_BYTES = re.compile(r"\{(\w+)\} bytes")
PROGRAM = "the program"
"""The place of what has none."""
_NOWHERE = re.compile(r"\[[^\[\]]*\{place\}[^\[\]]*\]| in \{place\}")


def clause(claim: Claim) -> str:
    """The statement without a capital or a full stop. Never raises."""
    kind = KINDS.get(claim.kind)
    if kind is None:
        return f"{claim.kind} is no kind of statement"
    args = {arg.name: arg for arg in claim.args}
    how = args["how"].value if "how" in args else ""
    template = form(kind.denial if claim.denied else kind.text, args)
    if claim.kind == "cause":
        template = _of_cause(str(claim.get("category")), str(how))
    elif claim.kind == "told":
        template = TOLD.get(str(how), STEPS.get(str(how), ""))
    shown = {name: write(arg, kind.columns.get(name)) for name, arg in args.items()}
    shown["place"] = place(args)
    words = fill(_NOWHERE.sub("", template) if shown["place"] == PROGRAM else template, shown)
    return _ONE.sub(lambda m: f"{m[1]}is{m[2]}{m[3] + 's' if m[3] else ''}", words)


def _of_cause(category: str, how: str) -> str:
    """The template of a cause: of its own way of being seen, of any cause seen so, of any way."""
    rows = (CAUSES.get(key) for key in ((category, how), ("", how), (category, "")))
    return next(filter(None, rows), "{place} ended")


def of_cause(category: str, how: str) -> str:
    """A cause in a sentence that names no place."""
    words = fill(_OPTIONAL.sub("", _NOWHERE.sub("", _of_cause(category, how))), {"place": PROGRAM})
    return f"{words[:1].upper()}{words[1:]}."


def sentence(claim: Claim) -> str:
    """The statement as a sentence."""
    words = clause(claim)
    if claim.kind == "quote":
        # it ends as the line does
        led = claim.get("lead") or claim.get("reads")
        return f"{words[:1].upper()}{words[1:]}" if led else words
    return f"{words[:1].upper()}{words[1:]}." if words else ""


def headline(claims: Sequence[Claim], origin: OriginStep | None = None) -> str:
    """What a conclusion says in one sentence: the origin where there is one, and the cause with the
    statement that it rests on first."""
    held = [claim for claim in claims if claim.holds]
    if not held:
        return ""
    words = clause(held[0])
    if held[0].kind == "cause":
        rest = [clause(claim) for claim in resting(held)]
        told = ", and ".join([*([", ".join(rest[:-1])] if rest[1:] else []), *rest[-1:]])
        words = f"{words}: {told}" if told else words
    if origin is not None:
        began = told_step(origin)
        words = began if held[0].kind == "caller" else f"{began}; {words}"  # it says where, not why
    return f"{words[:1].upper()}{words[1:]}."


def resting(held: Sequence[Claim]) -> tuple[Claim, ...]:
    """The statements that a headline tells beside the cause: the first, and up to two more of which
    each goes on from a value of the one before."""
    rest = [
        claim
        for claim in held[1:5]
        if claim.by == held[0].by
        and (claim.kind not in _ASIDE or claim.get("pid") is not None)
        and (claim.get("cell") is None or claim.kind != "role")
    ]
    rest = [claim for claim in rest if claim.kind != "caller"] or rest  # it says where, not why
    rest = rest or [claim for claim in held[1:4] if claim.kind == "raised"][:1]
    told = rest[:1]
    for claim in rest[1:]:
        if _goes_on(told[-1], claim):
            told.append(claim)
    return tuple(told[:3])


_FOLLOWS = {
    ("message", "value"),
    ("headers", "value"),
    ("finding", "role"),
    *((kind, "returned_by") for kind in ("value", "operand", "access", "register")),
}


_LINES_OF = frozenset({"quote", "calls", "frees", "assigns", "typed"})
"""What the line does, of which all that follows tells how it ended."""


def _goes_on(before: Claim, claim: Claim) -> bool:
    """True where both have a number, a caller handed it on, a value was reached through another or
    is the number that is told beside one, is that of what a message refused or a call
    returned, or an access was made behind where a pointer leads."""
    if before.kind == claim.kind == "value":
        same = len({_CAST.sub("", str(each.get("value"))) for each in (before, claim)}) == 1
        way = f"{before.get('expression')}".removeprefix(f"{claim.get('expression')}")
        if way.startswith(("->", ".", "[")):
            return True
        if same and claim.get("function") not in (None, before.get("function")):
            return True
        if same and f"{claim.get('expression')}".endswith("]"):
            return True  # the element that it was read from
        if f"{claim.get('value')}".removeprefix("-").isdecimal():
            return True
    mine = _numbers(claim)
    if (before.kind, claim.get("lead")) == ("finding", "names"):
        return True
    if _numbers(before) & mine or (before.kind, claim.kind) in _FOLLOWS or before.kind in _LINES_OF:
        return True
    pairs = ((x, y) for x in _numbers(before) for y in mine if x > _SMALL)
    reached = before.kind == "value" and claim.kind in ("access", "loaded")
    return reached and any(0 <= y - x < _FAR for x, y in pairs)


def _numbers(claim: Claim) -> set[int]:
    """The numbers of a statement, those in a printed value too, but for the trivial ones."""
    found = {int(number, 16) for a in claim.args for number in _HEX.findall(str(a.value))}
    return {n for n in (*found, *(a.value for a in claim.args)) if isinstance(n, int) and n > 1}


def step_place(step: OriginStep) -> str:
    """The place of an observed step, as `place` writes a frame's."""
    given = {"function": step.function, "file": step.file, "line": step.line}
    return place({k: Arg(k, v) for k, v in given.items() if v is not None})


def step_how(step: OriginStep) -> str:
    """The row of `STEPS` for an observed step: where zero or the same value stood before, nothing
    was written over; what returned may be no function of the program's, which called it; a
    frame that was left gave nothing back; who freed an owner did not free what it owned."""
    if step.kind is OriginKind.RETURNED and step.stack[:1]:
        return "returned" if step.stack[0].function == step.function else "called"
    if step.left and step.kind is OriginKind.RELEASED_EARLY:
        return "left-frame"
    if step.owner:
        return "freed-owner"
    stored = step.kind is OriginKind.WRITTEN and step.old and step.old in ("0x0", step.new)
    return "stored" if stored else step.kind.value


def told_step(step: OriginStep) -> str:
    """What an observed step did, as a clause; of a lock also who took the other one."""
    others = step.steps if isinstance(step, Origin) and step.kind is OriginKind.LOCKED else ()
    other = [one for one in others if one.kind is step.kind and one.address != step.address]
    took = {"other": step_place(other[-1])} if other else {}
    return fill(STEPS[step_how(step)], {"place": step_place(step), **took})


def form(template: str, given: Collection[str]) -> str:
    """The first form of a template whose arguments are all given, else its first."""
    forms = template.split(" | ")
    return next((one for one in forms if needed(one) <= set(given)), forms[0])


def needed(template: str) -> set[str]:
    """The arguments without which a template says nothing."""
    return set(_SLOT.findall(_OPTIONAL.sub("", template))) - {"place"}


def slots(template: str) -> set[str]:
    """All arguments that a template tells."""
    found = set(_SLOT.findall(template))
    return found | set(FRAME) if "place" in found else found


def fill(template: str, shown: Mapping[str, str]) -> str:
    """The template with its slots filled; an optional part whose slot is empty is left out."""

    def part(match: re.Match[str]) -> str:
        slots = _SLOT.findall(match[1])
        return match[1] if all(shown.get(slot) for slot in slots) else ""

    kept = _OPTIONAL.sub(part, template)
    for name in (name for name in _BYTES.findall(kept) if shown.get(name) == "1"):
        kept = kept.replace(f"{{{name}}} bytes", f"{{{name}}} byte")
    return _SLOT.sub(lambda m: shown.get(m[1], "?"), kept).strip()


def write(arg: Arg, column: Column | None) -> str:
    """A value as its type is written."""
    if arg.shown:
        return arg.shown
    type_ = column.type if column is not None else "text"
    value = arg.value
    if isinstance(value, int):
        return f"{value:#x}" if type_ == "hex" else str(value)
    text = " ".join(value.replace("`", "'").split())
    match type_:
        case "text" if arg.name == "value":
            return _cut(_CAST.sub("", text)) if len(text) > _LONGEST_NAME else text
        case "text":
            return f'"{_LINES.sub(" ", value.replace("`", chr(39)))}"'
        case "name":
            return short_name(text)
        case "file" | "module":
            return last_part(text)
        case "is" | "own":
            return WORDS.get((arg.name, text), text)
        case _:
            return text


def _cut(text: str) -> str:
    """A value that is too long, up to its last whole part: half a number is another number."""
    kept = text[:_LONGEST_NAME]
    return text if kept == text else f"{kept.rpartition(', ')[0] or kept} \u2026"


def place(args: Mapping[str, Arg]) -> str:
    """A frame as the reader knows it: function and source line, else function, else module and
    offset, else address."""

    def text(name: str) -> str:
        return str(args[name].value) if name in args else ""

    function, file, module = text("function"), last_part(text("file")), last_part(text("module"))
    if function and file and "line" in args:
        return f"`{short_name(function)}` at `{file}:{args['line'].value}`"
    if function:
        return f"`{short_name(function)}`"
    if file and "line" in args:
        return f"`{file}:{args['line'].value}`"
    if "address" in args and module:
        return f"the code at {_hex(args['address'])} in `{module}`"
    if "offset" in args and module:
        return f"the code at offset {_hex(args['offset'])} of `{module}`"
    if "address" in args:
        return f"the code at {_hex(args['address'])}"
    return f"the code of `{module}`" if module else PROGRAM


def short_name(function: str) -> str:
    """A symbol's name, a long template's without its arguments and parameters."""
    name = function.replace("`", "'").partition(" [with ")[0].strip()
    short = name
    while len(short) > _LONGEST_NAME and (inner := _ARGUMENTS.sub("", short)) != short:
        short = inner
    if len(short) < len(name):
        short = _PARAMETERS.split(short, maxsplit=1)[0]
    return short[:_LONGEST_NAME] or name[:_LONGEST_NAME]


def last_part(path: str) -> str:
    """The name of a file, whichever system its path is of."""
    return path.replace("\\", "/").rpartition("/")[2].replace("`", "'")


def _hex(arg: Arg) -> str:
    return f"{arg.value:#x}" if isinstance(arg.value, int) else str(arg.value)
