"""The command line: options in, an exit status out; nothing is decided here."""

import gc
import os
import shlex
import sys
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from workbench import __version__
from workbench.fronts.cli_evaluate import app as evaluation
from workbench.fronts.cli_options import (
    AnswerFormat,
    Files,
    ListFormat,
    ModelOptions,
    Output,
    Pid,
    Place,
    ReportFormat,
    Wish,
    as_text,
    place,
)
from workbench.fronts.cli_reproduce import add_reproduce
from workbench.fronts.cli_requests import (
    acquired,
    check_target,
    estimate,
    explain_error,
    front,
    options_of,
    request_of,
    say,
    shares,
    wait,
)
from workbench.fronts.cli_sessions import SessionId, add_saved
from workbench.fronts.cli_sessions import app as sessions

app = typer.Typer(
    add_completion=False, no_args_is_help=False, pretty_exceptions_enable=False,
    rich_markup_mode=None, context_settings={"help_option_names": ["-h", "--help"]},
    help="From a crash dump to a root cause whose every number can be followed to its line.",
)  # fmt: skip
app.add_typer(sessions, name="sessions")
app.add_typer(evaluation, name="evaluate")

Target = Annotated[
    str,
    typer.Argument(
        help="A core, minidump, log or archive; @last for coredumpctl's newest core; or a session "
        "id to go on with.",
        show_default=False,
    ),
]


@app.callback(invoke_without_command=True)
@shares(where=place)
def home(
    context: typer.Context,
    where: Place,
    version: Annotated[bool, typer.Option("--version", help="Show the version.")] = False,
) -> Any:
    """Without a command: the list of saved sessions, full screen."""
    if version:
        front("delivery").deliver(f"workbench {__version__}", None)
        raise typer.Exit
    if context.invoked_subcommand is None:
        wanted = ModelOptions().wish(where.settings)
        return front("fronts.home").run_home(where.base, where.settings, wanted)
    return None


@app.command("open")
@shares(reading=Files, asked=Wish, helped=ModelOptions, where=place)
def open_(
    reading: Files, asked: Wish, helped: ModelOptions, where: Place, target: Target = "",
    pid: Pid = None,
) -> Any:  # fmt: skip
    """The full-screen workbench on a crash dump."""
    where = asked.within(where)

    if helped.dry_run:
        check_target(target, pid, reading, asked, where)
        return estimate("investigation", helped, where)
    request = acquired(target, pid, reading, asked, where, helped)
    return front("fronts.screen").run_open(request)


@app.command()
@shares(reading=Files, asked=Wish, helped=ModelOptions, where=place)
def triage(
    reading: Files, asked: Wish, helped: ModelOptions, where: Place, target: Target = "",
    pid: Pid = None, format: ReportFormat = "md", output: Output = None,
) -> Any:  # fmt: skip
    """Investigate headless: progress on stderr, report on stdout.

    Exit status: 0 concluded, 1 inconclusive, 2 usage or a target that cannot be opened,
    3 the debugger or the required tier failed, 130 interrupted (saved, resumable).
    """
    where = asked.within(where)

    if helped.dry_run:
        check_target(target, pid, reading, asked, where)
        return estimate("investigation", helped, where, format, output)
    request = acquired(target, pid, reading, asked, where, helped)
    return _triage(request, format, output)


@app.command()
@shares(asked=Wish, helped=ModelOptions, where=place)
def demo(
    asked: Wish,
    helped: ModelOptions,
    where: Place,
    headless: Annotated[bool, typer.Option("--headless", help="Print the report.")] = False,
    again: Annotated[
        bool, typer.Option("--again", help="Run it again: which line freed what it used?")
    ] = False,
    format: ReportFormat = "md",
    output: Output = None,
) -> Any:
    """The workbench on a sample crash that ships with it."""
    where = asked.within(where)

    if helped.dry_run:
        return estimate("investigation", helped, where, format, output)
    options, wanted = options_of(Files(), asked, where), helped.wish(where.settings)
    request = front("fronts.acquire").demo_request(options, where.base, where.settings, wanted)
    if again:
        return _demo_again(request, format, output)
    called = front("engine.outcome").called()
    hint = f"`{called} demo --again` runs it again and finds the line that caused it."
    if not headless:
        return front("fronts.screen").run_open(request, hint)
    status = _triage(request, format, output)
    say(hint)
    return status


add_reproduce(app)


@app.command()
@shares(helped=ModelOptions, where=place)
def analyze(
    helped: ModelOptions,
    where: Place,
    query: Annotated[str, typer.Option(help="What you want to know about them.", callback=as_text)],
    inputs: Annotated[Path, typer.Option(help="A folder of .txt, .md and .log files.")],
    plain: Annotated[bool, typer.Option("--plain", help="Lines instead of a screen.")] = False,
) -> Any:
    """Converse about a folder of texts until you approve.

    Each turn asks one question or proposes a solution; answer SOLUTION APPROVED or DONE to end it.
    The result is written to analysis_result.md in the folder. A conversation that was left goes on
    with the same command, or with `workbench sessions resume ID`.
    """
    if helped.dry_run:
        return estimate("conversation", helped, where)
    given = (str(inputs), Files(), Wish(issue=query), where, helped)
    return front("fronts.analyzing").analyze(request_of(*given, documents=True), plain)


@app.command()
@shares(helped=ModelOptions, where=place)
def ask(
    helped: ModelOptions,
    where: Place,
    session_id: SessionId,
    question: Annotated[
        str, typer.Argument(help="What you want to know, or believe.", callback=as_text)
    ],
    timeout: Annotated[float | None, typer.Option(min=0.1, help="Seconds for the answer.")] = None,
    format: AnswerFormat = "md",
    output: Output = None,
) -> Any:
    """Ask a saved session; the answer cites its evidence.

    What you state is held to the evidence too. Commands run only where the evidence does not tell,
    and the dump need not be there any more. Exit status: 0 answered, 1 the evidence cannot tell,
    2 usage or no such session, 3 a debugger, a tier or the time failed, 130 interrupted.
    """
    asking = front("fronts.asking")
    wanted = asking.Wanted(question=question, format=format, output=output, timeout=timeout)
    folder = front("store.catalog").find_session(where.base, session_id)
    if helped.dry_run:
        return estimate("question", helped, where, format, output)
    return asking.ask(folder, wanted, where.settings, helped.wish(where.settings))


add_saved(app)


@app.command()
@shares(reading=Files, where=place)
def collect(
    reading: Files,
    where: Place,
    output: Annotated[Path, typer.Option("--output", "-o", help="The archive to write.")],
    target: Annotated[
        str, typer.Argument(help="A core, @last (coredumpctl's newest), or a process id.")
    ],
) -> Any:
    """Bundle a core with what is needed to open it elsewhere.

    On the machine that crashed: executable, libraries and debug files. The archive is a
    target: `workbench open ARCHIVE` finds everything in it.
    """
    pid = int(target) if target.isdigit() and not Path(target).exists() else None
    request = acquired("" if pid else target, pid, reading, Wish(), where)
    front("fronts.collecting").collect_target(request, output, say)
    return 0


@app.command()
@shares(reading=Files, where=place)
def doctor(
    reading: Files,
    where: Place,
    target: Annotated[str, typer.Argument(help="Show this dump's modules too.")] = "",
    format: ListFormat = "text",
    allow_cloud: Annotated[
        bool, typer.Option("--allow-cloud", help="Ask model servers elsewhere too.")
    ] = False,
) -> Any:
    """What is installed, what is missing, and how to fix it.

    With a target, each of its modules: found, mismatched, missing, its symbols, and what to do.
    """
    doctor = front("fronts.doctor")
    helped = ModelOptions(allow_cloud=allow_cloud)
    request = request_of(target, reading, Wish(), where, helped)
    if target:
        request = acquired(target, None, reading, Wish(), where, helped)
    return front("delivery").deliver_as(format, doctor.diagnose(request), doctor.as_text)


def main() -> None:
    """The console script's entry.

    While modules are loaded there is nothing for the garbage collector to find, and at the end
    everything goes with the process: its walks over it all take a tenth of a short run.
    """
    gc.disable()
    _leave_out_others(sys.argv[1:2])
    try:
        status = app(standalone_mode=False)
    except typer.TyperException as error:
        status = _misused(error)
    except typer.Abort:
        status = 130
    except OSError as error:  # a list or a help that stdout does not take
        status = explain_error(error, debug=False)
    finally:
        gc.freeze()
    try:
        sys.stdout.flush()
    except OSError as error:
        status = status or explain_error(error, debug=False)
        # What is left in the buffer would fail again, and be told by the interpreter, at the end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    sys.exit(status)


def _misused(error: typer.TyperException) -> int:
    """What is wrong with the command line, in one line."""
    context = getattr(error, "ctx", None)
    command = context.command_path if context is not None else "workbench"
    what = " ".join(error.format_message().split()).removesuffix(".")
    todo = f"`{command} --help` says what there is"
    options = [*context.command.params] if context is not None else []
    if "extra argument" in what and {"target", "exe"} <= {one.name for one in options}:
        todo = f"a target is one file; as for a debugger: `{command} CORE --exe PROGRAM`"
    if context is not None and isinstance(context.command, TyperGroup):
        typed = [*sys.argv, "", ""][2 if context.parent else 1]
        if meant := _meant(typed, context.parent is not None):
            what, todo = f"no such command '{typed}'", f"did you mean `{meant}`?"
    say(f"workbench: {what}; {todo}")
    return error.exit_code


def _meant(word: str, of_sessions: bool) -> str:
    """The command for a word that is none where it stands: one of `sessions` or beside it, or
    `open` for what can be opened; empty where nothing is known of it."""
    known = app if of_sessions else sessions
    if word in map(_name, known.registered_commands):
        return f"workbench {word}" if of_sessions else f"workbench sessions {word}"
    if not word.startswith("-") and (Path(word).is_file() or word.startswith(("@", "session_"))):
        return f"workbench open {shlex.quote(word)}"
    return ""


def _leave_out_others(first: list[str]) -> None:
    """Where a command's name comes first, no other's options need to be looked into."""
    named = [one for one in app.registered_commands if [_name(one)] == first]
    if named:
        app.registered_commands, app.registered_groups = named, []


def _name(command: Any) -> str:
    return str(command.name or command.callback.__name__)


def _demo_again(request: Any, format: str, output: Path | None) -> Any:
    command = (request.options.executable, *front("samples").ARGUMENTS)
    folder = Path(request.options.source_dirs[0])
    program = front("reproduce.program").program_of(
        command, folder, None, (), tries=10, timeout=60.0
    )
    return front("fronts.reproducing").reproduce(request, program, format, output)


def _triage(request: Any, format: str, output: Path | None) -> int:
    begun = front("opening").begin(request)
    try:
        # Behind the debugger's start: it loads the dump while all this is imported.
        return wait(front("fronts.headless").triage(request, format, output, begun))
    finally:
        if begun is not None:
            begun.give_up()
