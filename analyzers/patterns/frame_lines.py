"""The source lines of frames: which were listed, and what the calls on them are given."""

import re
from collections.abc import Iterator

from msgspec.structs import replace

from analyzers.names import bare
from analyzers.patterns.case import Case
from workbench.claims.expressions import within
from workbench.claims.printed import arguments_of
from workbench.model.facts import Frame, SourceLine

INTEGER = re.compile(r"-?\d{1,20}")
_GIVEN = re.compile(r"[A-Za-z_]\w*(?:(?:->|\.)[A-Za-z_]\w*|\[[\w.>-]{1,40}\])*")

_HEAD = re.compile(r"[\s}]*(?:else\s+)?(?:if|while|for|switch|match)\b")
"""Of a statement that may use on the line itself what it declares."""


def calls_of(line: SourceLine, callee: Frame) -> list[dict[str, str]]:
    """The calls of a function in a line, and their arguments, which are ``plain`` without a
    cast."""
    from workbench.claims.source import SourceText, language_of, normal, rows  # seldom needed

    function = bare(callee.function or "").rsplit("::", 1)[-1]
    text = SourceText(language_of(line.file or callee.file), None, ((1, 1, f"{line.text};"),))
    stated = [(row.kind, {key: str(value) for key, value in row.values.items()})
              for row in rows(text)]  # fmt: skip
    cast = {normal(f"({row['type']}){row['expression']}"): row["expression"]
            for kind, row in stated if kind == "converts"}  # fmt: skip
    return [row | {"plain": cast.get(row.get("expression", ""), row.get("expression", ""))}
            for kind, row in stated if kind == "calls" and row["name"] == function]  # fmt: skip


def given_to(line: SourceLine, callee: Frame, name: str) -> Iterator[list[str]]:
    """The expressions of a call that may be its callee's argument: the one at its place, then, for
    a compiler may have changed the places, all; for one without a name those that have no
    parameter."""
    calls = calls_of(line, callee)
    whole = [row["callee"] for row in calls if "index" not in row]
    if len(whole) != 1:
        return
    names = [*dict(arguments_of(callee.args))]  # gcc repeats those that it passes on
    if this := next((one for one in names if one in ("this", "self")), ""):  # gcc moves it
        called_on = whole[0].removesuffix(calls[0]["name"]).removesuffix("->").removesuffix(".")
        if name == this and called_on:
            yield [called_on]
        names.remove(this)
    plain = [row["plain"] for row in calls if "index" in row]
    given = [text if _GIVEN.fullmatch(text) or INTEGER.fullmatch(text) else "" for text in plain]
    if not name:
        given = given[len(names) :]
    elif name in names and len(given) <= len(names):
        yield [text for text in given[names.index(name) :][:1] if text]
    yield [text for text in given if text]


def own_line(case: Case) -> SourceLine | None:
    """The line of source at fault, as far as a debugger has listed it."""
    return line_of(case, case.frame) if case.frame is not None else None


def line_of(case: Case, frame: Frame) -> SourceLine | None:
    """The line of source that a frame is in, where a debugger has listed it, without the head of
    its function."""
    number, name = in_line(case, frame).line, (frame.file or "").rsplit("/", 1)[-1]
    return next(
        (
            replace(line, text=within(line.text, frame))
            for line in case.facts.all(SourceLine)
            if line.line == number and (line.file or name).rsplit("/", 1)[-1] == name
        ),
        None,
    )


def begun(case: Case, frame: Frame) -> str | None:
    """The variable whose declaration alone is the frame's line, and works its first value out: what
    it holds meanwhile is what lay there before."""
    from workbench.claims.source import SourceText, language_of, rows  # seldom needed

    line = line_of(case, frame)
    if line is None:
        return None
    text = SourceText(language_of(line.file or frame.file), None, ((1, 1, f"{line.text};"),))
    stated = rows(text)
    declared = [str(row.values["name"]) for row in stated if row.kind == "declares"]
    set_to = [str(row.values["target"]) for row in stated if row.kind == "assigns"]
    rest = line.text.partition("//")[0].rstrip().rstrip(";")
    alone = ";" not in rest and not _HEAD.match(rest)
    return declared[0] if alone and len(declared) == 1 and declared == set_to else None


def in_line(case: Case, frame: Frame) -> Frame:
    """The frame that is in the line of an instruction: where that is one of the frame's own file,
    what a library's function is in that was inlined there: an instruction stands in one line (DWARF
    5, 6.2)."""
    top = case.top
    here = top is not None and top != frame and top.file == frame.file and case.runs_here(frame)
    return top if top is not None and here and not case.is_ours(top) else frame
