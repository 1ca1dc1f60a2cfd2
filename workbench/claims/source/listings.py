"""The listings within a debugger's stored output."""

from workbench.claims.source.text import SourceText, language_of
from workbench.model.listing import listed_line, named_file


def listings(text: str, file: str | None = None) -> list[SourceText]:
    """Each run of lines whose numbers follow one another: gdb's ``list``, lldb's ``source list``,
    what selecting a frame shows. ``file`` is that of lines above which none is named. The language
    is None where no file's name tells it: then the parser tries each."""
    found: list[SourceText] = []
    run: list[tuple[int, int, str]] = []
    for number, line in enumerate(text.split("\n"), 1):
        row = listed_line(line)
        if run and (row is None or row[0] != run[-1][1] + 1 or number != run[-1][0] + 1):
            found.append(SourceText(language_of(file), file, tuple(run)))
            run = []
        if row is None:
            file = named_file(line) or file
        else:
            run.append((number, *row))
    if run:
        found.append(SourceText(language_of(file), file, tuple(run)))
    return found
