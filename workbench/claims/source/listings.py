"""The listings within a debugger's stored output."""

from functools import lru_cache

from workbench.claims.source.text import SourceText, language_of
from workbench.model.listing import listed_line, named_file

_MAX_RUNS = 200


@lru_cache(maxsize=64)
def listings(text: str, file: str | None = None) -> tuple[SourceText, ...]:
    """What the output lists, each run of lines whose numbers follow one another: gdb's ``list``,
    lldb's ``source list``, what selecting a frame shows. Runs of a file that overlap are one.

    ``file`` is that of lines above which none is named. The language is None where no file's name
    tells it: then the parser tries each.
    """
    runs: list[tuple[str | None, list[tuple[int, int, str]]]] = []
    begins = True
    for number, line in enumerate(text.split("\n"), 1):
        row = listed_line(line)
        if row is None:
            file = named_file(line) or file
            begins = True
            continue
        if begins or row[0] != runs[-1][1][-1][1] + 1:
            runs.append((file, []))
        runs[-1][1].append((number, *row))
        begins = False
    found = [SourceText(language_of(name), name, tuple(lines)) for name, lines in runs[:_MAX_RUNS]]
    merged: list[SourceText] = []
    for one in found:
        place = next((i for i, other in enumerate(merged) if _overlap(one, other)), -1)
        if place < 0:
            merged.append(one)
            continue
        by_line = {line: (number, line, text) for number, line, text in one.lines}
        by_line |= {line: (number, line, text) for number, line, text in merged[place].lines}
        lines = tuple(by_line[line] for line in sorted(by_line))
        merged[place] = merged[place]._replace(lines=lines)
    return tuple(merged)


def _overlap(one: SourceText, other: SourceText) -> bool:
    """True for runs of one file that share lines, or follow one another where its name is known."""
    if one.file != other.file or not (
        one.lines[0][1] - 1 <= other.lines[-1][1] and other.lines[0][1] - 1 <= one.lines[-1][1]
    ):
        return False
    texts = {line: text for _, line, text in other.lines}
    shared = [text == texts[line] for _, line, text in one.lines if line in texts]
    return all(shared) and bool(shared or one.file)
