"""``workbench sessions``: the list of saved sessions, and what is done to one."""

from pathlib import Path
from typing import Annotated, Any

import typer

from workbench.fronts.cli_options import (
    Files,
    ListFormat,
    ModelOptions,
    Output,
    Place,
    SavedFormat,
    Wish,
    as_text,
    place,
)
from workbench.fronts.cli_requests import estimate, front, options_of, shares

app = typer.Typer(
    help="Saved sessions: list them, look at them, or resume one.", invoke_without_command=True
)
SessionId = Annotated[
    str, typer.Argument(help="The session's id, or how it begins; @last for the latest.")
]


@app.callback()
@shares(where=place)
def sessions(
    context: typer.Context,
    where: Place,
    format: ListFormat = "text",
    limit: Annotated[int | None, typer.Option(min=1, help="So many at most.")] = None,
) -> Any:
    """List saved sessions, the latest touched first."""
    if context.invoked_subcommand is not None:
        return None
    rows = front("store.catalog").list_sessions(where.base)[:limit]
    listed = front("fronts.session_list").as_text
    front("delivery").deliver_as(format, rows, lambda rows: listed(rows, where.base))
    return None


@app.command()
@shares(where=place)
def show(where: Place, session_id: SessionId, format: ListFormat = "text") -> Any:
    """What one session is, what was asked in it and what was found."""
    return front("fronts.sessions").show(where.base, session_id, format)


@app.command()
@shares(helped=ModelOptions, where=place)
def resume(helped: ModelOptions, where: Place, session_id: SessionId) -> Any:
    """Take a session up on the screen where it was left.

    One that is open in another workbench is only looked at.
    """
    if helped.dry_run:
        return estimate("investigation", helped, where)
    wanted = helped.wish(where.settings)
    return front("fronts.home").run_resume(session_id, where.base, where.settings, wanted)


@app.command()
@shares(where=place)
def fork(
    where: Place,
    session_id: SessionId,
    at: Annotated[
        int | None, typer.Option(min=1, help="The last event to take (`show` numbers them).")
    ] = None,
) -> Any:
    """A new session that begins as this one did up to an event.

    Its id is printed.
    """
    return front("fronts.sessions").fork(where.base, session_id, at)


@app.command()
@shares(where=place)
def diff(
    where: Place,
    first: Annotated[str, typer.Argument(help="A session's id.")],
    second: Annotated[str, typer.Argument(help="Another one's.")],
    format: ListFormat = "text",
) -> Any:
    """What two dumps share and in what they differ.

    Exception, threads, locks, heap, modules.
    """
    return front("fronts.sessions").diff(where.base, first, second, format)


@app.command()
@shares(where=place)
def export(
    where: Place,
    session_id: SessionId,
    output: Output = None,
    redact: Annotated[
        bool,
        typer.Option("--redact", help="Put placeholders for people, hosts, home folders, secrets."),
    ] = False,
) -> Any:
    """One file with the report, the evidence and the journal."""
    return front("fronts.sessions").export(where.base, session_id, output, redact=redact)


@app.command("import")
@shares(where=place)
def import_(
    where: Place,
    file: Annotated[Path, typer.Argument(help="What `export` made, or a session's folder.")],
    yes: Annotated[bool, typer.Option("--yes", help="However much it unpacks to.")] = False,
) -> Any:
    """Take over a session that was made elsewhere, or copied.

    What was approved there counts for nothing; its conclusion is drawn again from its evidence.
    """
    return front("fronts.sessions").take_over(where.base, file, trusted=yes)


@app.command()
@shares(where=place)
def rename(
    where: Place,
    session_id: SessionId,
    name: Annotated[str, typer.Argument(help="What the list shows.", callback=as_text)],
) -> Any:
    """Give a session a name."""
    return front("fronts.sessions").label(where.base, session_id, name=name)


@app.command()
@shares(where=place)
def pin(
    where: Place,
    session_id: SessionId,
    off: Annotated[bool, typer.Option("--off", help="Let it go again.")] = False,
) -> Any:
    """Keep a session from any cleanup."""
    return front("fronts.sessions").label(where.base, session_id, pinned=not off)


@app.command()
@shares(where=place)
def note(
    where: Place,
    session_id: SessionId,
    text: Annotated[
        str, typer.Argument(help="Yours; no conclusion rests on it.", callback=as_text)
    ],
) -> Any:
    """Write a note to a session; `show` tells it."""
    return front("fronts.sessions").label(where.base, session_id, note=text)


@app.command()
@shares(where=place)
def cleanup(
    where: Place,
    days: Annotated[
        float | None, typer.Option(min=0, help="Touched by nobody for so long.")
    ] = None,
    keep: Annotated[int | None, typer.Option(min=0, help="The latest to keep anyway.")] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say which.")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
) -> Any:
    """Delete old sessions; never an open or a pinned one."""
    settings = where.settings
    given = settings.session_cleanup_days if days is None else days
    kept = settings.session_keep_recent if keep is None else keep
    return front("fronts.sessions").cleanup(where.base, given, kept, dry_run=dry_run, yes=yes)


def add_saved(main: typer.Typer) -> None:
    """The commands on a saved session that stand beside ``sessions``."""
    main.command()(report)
    main.command()(search)
    main.command()(verify)


@shares(where=place)
def report(
    where: Place, session_id: SessionId, format: SavedFormat = "md", output: Output = None
) -> Any:
    """A saved session's report again.

    As a script: the cited commands for the bare debugger.
    """
    return front("fronts.sessions").report(where.base, session_id, format, output)


@shares(helped=ModelOptions, where=place)
def search(
    helped: ModelOptions,
    where: Place,
    text: Annotated[str, typer.Argument(help="Words, names, addresses.", callback=as_text)],
    session: Annotated[
        str | None, typer.Option(help="Only this session: its id, or how it begins.")
    ] = None,
    limit: Annotated[int, typer.Option(min=1, help="So many hits at most.")] = 10,
    format: ListFormat = "text",
) -> Any:
    """Search the evidence of all sessions.

    Each hit is a line with its citation. A model of this machine orders the hits where one
    answers; none elsewhere is asked.

    Exit status: 0 found, 1 nothing found.
    """
    finding = front("fronts.finding")
    wanted = finding.Wanted(text=text, session_id=session, limit=limit, format=format)
    return finding.search(where.base, wanted, where.settings, helped.wish(where.settings))


@shares(reading=Files, where=place)
def verify(
    reading: Files,
    where: Place,
    session_id: SessionId,
    timeout: Annotated[float | None, typer.Option(min=0.1, help="Seconds for all of it.")] = None,
    format: ListFormat = "text",
) -> Any:
    """Run a session's cited commands again, and compare.

    In a fresh debugger.

    Exit status: 0 the citations hold, 1 they rest on something else now (each is told), 2 usage or
    the dump is gone, 3 the debugger or the time failed.
    """
    given = options_of(reading, Wish(timeout=timeout), where)
    return front("fronts.verifying").verify(where.base, session_id, given, where.settings, format)
