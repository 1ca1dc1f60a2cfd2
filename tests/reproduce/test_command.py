"""`workbench reproduce`, end to end and as a person types it."""

import errno
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.crashes import build, crash
from tests.forking import workbench
from tests.reproduce import told_sources
from tests.samples.origins import ORIGINS, Planted
from workbench import samples
from workbench.debuggers.private_folder import marked, sweep_out
from workbench.fronts import reproducing
from workbench.model.target import Options
from workbench.opening import Request
from workbench.reproduce.program import is_stuck, program_of
from workbench.reproduce.runs import Runs
from workbench.settings import Settings

_NAMED = {planted.source.stem: planted for planted in ORIGINS}


def executable(name: str) -> Path:
    planted: Planted = _NAMED[name]
    return build(planted.source, *planted.flags)


def reproduce(folder: Path, *words: object) -> subprocess.CompletedProcess[str]:
    return workbench("reproduce", *words, cwd=folder)


def test_the_first_crash_becomes_the_case(tmp_path: Path) -> None:
    program = Path(shutil.copy(executable("reset_state"), tmp_path))
    done = reproduce(tmp_path, "--format", "json", "--", program)
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    ai = report["analysis"]["aiAnalysis"]
    assert ai["origin"]["kind"] == "cleared"
    assert ai["origin"]["function"] == "reset"
    assert ai["origin"]["line"] == _NAMED["reset_state"].line
    assert ai["origin"]["strength"] == "observed"
    assert "`reset` at `reset_state.c:" in ai["rootCause"]
    (cited,) = ai["origin"]["evidence"]
    assert cited.split(":")[0] in [row["id"] for row in ai["evidenceLedger"]]
    chain = [claim for claim in ai["claims"] if claim["id"] in ai["chain"]]
    assert [claim["id"] for claim in chain] == ai["chain"]
    assert all(claim["status"] == "verified" for claim in chain)
    failed, *_, last = ({arg["name"]: arg["value"] for arg in one["args"]} for one in chain)
    assert (failed["signal"], last["role"], last["new"]) == ("SIGSEGV", "write", "0x0")
    assert (last["function"], last["line"]) == ("reset", ai["origin"]["line"])
    runs = [row for row in ai["evidenceLedger"] if row["command"] == "(run)"]
    assert runs
    assert all(row["summary"].startswith(f"{row['intent']}: ") for row in runs)
    assert "run 2" in done.stderr
    assert not _running(program)


def test_both_locks_of_a_deadlock_are_told(tmp_path: Path) -> None:
    done = reproduce(tmp_path, "--", executable("two_locks"))
    assert done.returncode == 0, done.stderr
    said = r"taken in `\w+` at `two_locks.c:\d+`, and another in `\w+` at .*\((E\d+):\d+-\d+, \1:\d"
    assert re.search(said, done.stdout)
    assert ", caused in" not in done.stdout


def test_a_core_is_reproduced_by_its_own_program(tmp_path: Path) -> None:
    program = executable("cache_evict")
    core = crash(program)
    done = reproduce(tmp_path, core, "--format", "json", "--", program)
    assert done.returncode == 0, done.stderr
    ai = json.loads(done.stdout)["analysis"]["aiAnalysis"]
    assert (ai["origin"]["function"], ai["origin"]["kind"]) == ("drop_entry", "freed")
    assert ai["category"] == "use-after-free"
    (session,) = (one.name for one in (tmp_path / ".sessions").glob("session_*"))
    for target in (core, session):  # whoever made the dump chose its words: a person allows them
        refused = reproduce(tmp_path, target)
        named = f"workbench reproduce {target} -- {program}\n"
        assert (refused.returncode, refused.stderr.endswith(named)) == (2, True), refused.stderr
    verified = workbench("verify", "@last", cwd=tmp_path)  # its runs are no questions to the core
    assert (verified.returncode, "the citations hold" in verified.stdout) == (0, True)


def test_a_session_goes_on_with_what_its_runs_showed(tmp_path: Path) -> None:
    program = executable("reset_state")
    assert reproduce(tmp_path, "--", program).returncode == 0
    (folder,) = (tmp_path / ".sessions").glob("session_*")
    done = reproduce(tmp_path, folder.name, "--format", "json", "--", program)
    assert done.returncode == 0, done.stderr
    assert "known from a run before" in done.stderr
    assert "run 2" not in done.stderr
    assert json.loads(done.stdout)["analysis"]["aiAnalysis"]["origin"]["function"] == "reset"


def test_markdown_tells_the_origin(tmp_path: Path) -> None:
    by_a_shell = ("/bin/sh", "-c", 'exec "$0"')  # whose place the program takes
    done = reproduce(tmp_path, "--", *by_a_shell, executable("find_user"))
    assert done.returncode == 0, done.stderr
    assert "`find_user` at `find_user.c:23` returned" in done.stdout
    assert "- Where: `find_user at find_user.c:23`" in done.stdout
    assert "- Origin: proved: a second run of the program observed it" in done.stdout
    assert "origin: `find_user` at `find_user.c:23` returned" in done.stderr
    assert "Do you know" not in done.stdout  # the run has answered it
    title = next(line for line in done.stdout.splitlines() if line.startswith("# "))
    assert re.search(r" in \w+ at find_user\.c:32, caused in find_user at find_user\.c:23$", title)
    (cited,) = set(re.findall(r"returned .*\((E\d+):", done.stdout))
    head, _, shown = done.stdout.partition("\n## Evidence\n")
    assert f"### {cited} " in shown.split("## Other")[0]
    assert "> 32      return request->cost" in head  # what failed, though it began elsewhere
    assert "\n> 23 " in head


_READS = """
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(int argc, char **argv) {
    char word[32] = "";
    if (scanf("%31s", word) != 1 || argc != 3 || strcmp(argv[2], "b c")) return 3;
    char *where = getenv("WHERE");
    if (where == NULL || strcmp(where, "x y")) return 4;
    if (getenv("PYTHONHOME") != NULL) return 6;  // gdb's own: no other Python starts with it
    FILE *file = fopen("here.txt", "r");
    if (file == NULL) return 5;
    if (strcmp(word, "crash") == 0) abort();
    return 0;
}
"""


def test_what_a_run_had_to_end_like_is_told(tmp_path: Path) -> None:
    done = reproduce(tmp_path, crash(executable("find_user")), "--tries", 1, "--", "/bin/true")
    assert "1 x exited with 0; the core's is SIGSEGV in price" in done.stderr


async def test_a_run_that_fails_leaves_what_the_case_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    async def fails(_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(Runs, "first", fails)
    log = tmp_path / "gdb.log"
    log.write_text("Program received signal SIGSEGV, Segmentation fault.\n0x0 in ?? ()\n(gdb) bt\n")
    program = program_of(["/bin/true"], tmp_path, None, [], 1, 5.0)
    case = Request(target=str(log), options=Options(), base=tmp_path, settings=Settings())
    with pytest.raises(OSError, match="No space"):
        await reproducing.reproduce(case, program, "md", None)
    assert "SIGSEGV" in capsys.readouterr().out


ENDED = """
#include <stdlib.h>
#include <unistd.h>
int main(int count, char **words)
{
    write(1, "on\\n", 3);
    for (;; count++)
        free(malloc(count % 64 + (words != 0)));
}
"""


def test_what_a_signal_from_outside_ended_is_reproduced_as_it_still_runs(tmp_path: Path) -> None:
    program = build(ENDED, "-g", "-O0")
    core = crash(program, send=signal.SIGABRT, until="on")
    done = reproduce(tmp_path, core, "--tries", 2, "--timeout", 1, "--", program)
    assert "not reproduced" not in done.stderr
    assert "run 2" not in done.stderr


@pytest.mark.parametrize(
    ("stdin", "status", "told"),
    [("crash now", 1, "reproduced, but"), ("stay", 1, "not reproduced in 3 runs: 3 x exited")],
)
def test_what_it_runs_with_is_as_asked(tmp_path: Path, stdin: str, status: int, told: str) -> None:
    program = build(_READS, "-g")
    folder = tmp_path / "in a folder; rm -rf"
    folder.mkdir()
    (folder / "here.txt").write_text("here")
    (tmp_path / "stdin $(x).txt").write_text(stdin)
    done = reproduce(
        tmp_path, "--cwd", folder, "--stdin", "stdin $(x).txt", "--env", "WHERE=x y",
        "--tries", 3, "--", program, "a;$(touch bad)", "b c",
    )  # fmt: skip
    assert done.returncode == status, done.stderr
    assert told in done.stderr
    assert not (folder / "bad").exists()


_MOVED = """
#include <stdlib.h>
#include <string.h>
static char *text;
static void add(const char *more, size_t length)
{
    char *end = text + 30;
    text = realloc(text, 40 + 100 * length);
    for (size_t at = 0; at < length; at++)
        end[at] = more[at];
}
int main(int count, char **words)
{
    text = malloc(40);
    char *guard = malloc(40);
    add("                                ", 31 + count);
    free(guard);
    return words == NULL;
}
"""


_ENDED = """
#include <stdlib.h>
struct list { char *words[4]; int (*handler)(char **); int count; };
static int shown(char **words) { return words[0] == 0; }
static void filled(struct list *list, int count)
{
    for (list->count = 0; list->count < count; list->count++)
        list->words[list->count] = "word";
    list->words[list->count] = 0; /* last */
}
static int run(struct list *list, int count)
{
    filled(list, count);
    return list->handler(list->words);
}
int main(int count, char **words)
{
    struct list *list = calloc(1, sizeof *list);
    list->handler = shown;
    return run(list, 2) + run(list, 3 + count);
}
"""

_BEGUN = """
#include <stdlib.h>
struct gauge { int *at; int value; };
static void begin(struct gauge *g)
{
    g->at = 0; /* none */
    g->value = 0;
}
static void set(struct gauge *g, int value)
{
    if (value > 5)
        g->at = malloc(4);
    g->value = value;
}
static int get(struct gauge *g) { return *g->at + g->value; }
int main(int count, char **words)
{
    struct gauge *g = malloc(sizeof *g);
    begin(g);
    set(g, count);
    return get(g);
}
"""


_MISSED = """
#include <stdlib.h>
static int (*handlers[4])(int);
static int get(int n) { return n; }
static int put(int n) { return n + 1; }
static void setup(void)
{
    handlers[0] = get;
    handlers[2] = put;
}
static int serve(int number)
{
    return handlers[number](3); /* missed */
}
int main(int count, char **words)
{
    setup();
    return serve(0) + serve(count);
}
"""


_TOO_FAR = """
#include <stdlib.h>
#include <string.h>
static void add(double *to, const double *from, int rows, int columns)
{
    for (int i = 0; i < rows * columns; i++)
        to[i] += from[i]; /* over */
}
int main(int count, char **words)
{
    double from[64] = {3.5, 7.25};
    double *to = calloc((size_t)count * 6 + 1, sizeof *to);
    char *name = strdup(words[0]);
    for (int i = 0; i < 64; i++)
        from[i] = 1e300;
    add(to, from, 6, count + 1);
    free(name);
    free(to);
    return malloc(2000) == NULL;
}
"""


@pytest.mark.parametrize(
    ("source", "line", "told"),
    [
        (_MISSED, "/* missed */", "nothing had written what `serve` at `{}` read"),
        (
            told_sources.RELEASED_AS_A_LEAF,
            "free(n)",
            "`pruned` at `{}` freed what was used afterwards",
        ),
        (_ENDED, "/* last */", "`filled` at `{}` cleared what was used afterwards"),
        (_TOO_FAR, "/* over */", "`add` at `{}` was the last to write what was read later"),
        (_BEGUN, "/* none */", "`begin` at `{}` was the last to write what was read later"),
    ],
)
def test_what_may_have_been_right_is_told_though_it_is_no_origin(
    tmp_path: Path, source: str, line: str, told: str
) -> None:
    program = build(source, "-g", "-O0")
    done = reproduce(tmp_path, "--format", "json", "--", program)
    assert done.returncode == 1, done.stderr
    assert json.loads(done.stdout)["analysis"]["aiAnalysis"]["origin"] is None
    (at,) = (number for number, each in enumerate(source.splitlines(), 1) if line in each)
    assert f"A run saw that {told.format(f'program.c:{at}')} (" in done.stderr


def test_what_a_stale_pointer_ran_over_is_a_use_after_free(tmp_path: Path) -> None:
    """The dump alone shows data across a header; the run, that its block had moved away by then."""
    done = reproduce(tmp_path, "--format", "json", "--", build(_MOVED, "-g", "-O0"))
    assert done.returncode == 0, done.stderr
    ai = json.loads(done.stdout)["analysis"]["aiAnalysis"]
    assert ai["symptom"]["category"] == "heap-buffer-overflow"
    assert (ai["category"], ai["origin"]["function"]) == ("use-after-free", "add")


_STALE = """
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct item { char *name; struct item *next; };
static void drop(struct item *x) { free(x); }
static int use(struct item *x) { return (int)strlen(x->next->name); }
int main(void) {
    struct item *a = calloc(1, sizeof *a), *b = calloc(1, sizeof *b);
    a->next = b;
    b->name = "bee";
    drop(b);
    char *x = malloc(16);
    memset(x, 'A', 16);
    return use(a);
}
"""


@pytest.mark.parametrize(
    ("words", "tool"),
    [
        (("--with", "valgrind"), "valgrind"),
        (("--build", 'gcc $CFLAGS stale.c -o "$OUT"'), "AddressSanitizer"),
    ],
    ids=["valgrind", "build"],
)
def test_what_a_tool_says_decides(tmp_path: Path, words: tuple[str, ...], tool: str) -> None:
    """The dump's own place is to be reproduced, and its stack told, whatever the tool's run has."""
    (tmp_path / "stale.c").write_text(_STALE.replace("use(", "look("))
    program = build(_STALE, "-g")
    core = [crash(program)] if "--build" in words else []
    done = reproduce(tmp_path, *core, *words, "--format", "json", "--", program)
    assert done.returncode == 0, done.stderr
    analysis = json.loads(done.stdout)["analysis"]
    functions = [frame["function"] for frame in analysis["exception"]["stackTrace"]]
    assert "use" in functions
    assert "look" not in functions
    ai = analysis["aiAnalysis"]
    assert (ai["category"], ai["origin"]["function"]) == ("use-after-free", "drop")
    assert f"{tool} reports" in ai["rootCause"]
    said = [row["id"] for row in ai["evidenceLedger"] if row["command"].startswith(("(v", "(s"))]
    assert any(one.startswith(said[0]) for one in ai["hypotheses"][0]["supporting"])


_FORMAT = """
#include <stdarg.h>
#include <stdio.h>
static const char *const texts[] = {"disk %d is full", "user %s left after %d minutes"};
static void say(char *out, size_t size, int number, ...)
{
    va_list given;
    va_start(given, number);
    vsnprintf(out, size, texts[number], given);
    va_end(given);
}
int main(void)
{
    char line[128];
    say(line, sizeof line, 0, 3);
    say(line, sizeof line, 1, 420000, "anna");
    return line[0];
}
"""


def test_an_origin_is_the_headline_and_a_hypothesis_its_category(tmp_path: Path) -> None:
    done = reproduce(tmp_path, "--format", "json", "--", build(_FORMAT, "-g", "-O0"))
    assert done.returncode == 0, done.stderr
    ai = json.loads(done.stdout)["analysis"]["aiAnalysis"]
    assert (ai["category"], ai["stoppedBy"]) == ("wild-pointer", "concluded")
    assert ai["rootCause"].startswith("`main` at `program.c:16` passed the wrong value; ")
    assert (ai["frame"]["function"], ai["frame"]["line"]) == ("main", 16)
    assert ai["symptom"]["frame"]["function"] == "main"
    assert not any("No cause was proved" in notice for notice in ai["notices"])


@pytest.mark.parametrize(
    ("command", "told"),
    [("echo no luck; false", "the build failed: no luck"), ("true", "the build made no $OUT")],
)
def test_a_build_that_fails_ends_it(tmp_path: Path, command: str, told: str) -> None:
    done = reproduce(tmp_path, "--build", command, "--", "/bin/true")
    assert done.returncode == 2
    assert told in done.stderr


def test_a_program_that_ends_gdb_is_not_reproduced(tmp_path: Path) -> None:
    source = (
        "#include <signal.h>\n#include <unistd.h>\nint main(void){ kill(getppid(), 9); pause(); }"
    )
    program = build(source, "-g")
    done = reproduce(tmp_path, "--tries", 2, "--timeout", 5, "--", program)
    assert done.returncode == 1, done.stderr
    assert "not reproduced in 2 runs: 2 x gdb ended during the run" in done.stderr
    assert not _running(program)


def test_a_gdb_that_does_not_start_is_said_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "gdb").write_text(
        "#!/bin/sh\ncase $* in *--version*) echo GNU gdb 13.1; exit;; esac\n"
        r"printf 'Reading\n\033]133;C;3a'; kill -9 $$"
    )
    (tmp_path / "gdb").chmod(0o755)
    monkeypatch.setenv("WORKBENCH_GDB", str(tmp_path / "gdb"))
    done = reproduce(tmp_path, "--", "/bin/true")
    assert done.returncode == 3, done.stderr
    assert done.stderr.splitlines()[-1].startswith("workbench: gdb killed by SIGKILL at its start")
    assert "133" not in done.stderr


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ((), "no command to run; write it behind --; the report has the dump's"),
        (("--", "./nothing"), "no such program"),
        (("--", "/etc/passwd"), "no such program"),
        (("--env", "1=2", "--", "/bin/true"), "not an environment setting"),
        (("--stdin", "nothing", "--", "/bin/true"), "no such file"),
        (("--with", "magic", "--", "/bin/true"), "no such tool"),
        (("/nothing.core", "--", "/bin/true"), "nothing.core"),
    ],
)
def test_what_cannot_be_run_is_said_in_one_line(
    tmp_path: Path, words: tuple[str, ...], told: str
) -> None:
    done = reproduce(tmp_path, *words)
    assert done.returncode == 2
    assert told in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_run_that_is_interrupted_leaves_nothing_behind(tmp_path: Path) -> None:
    source = "#include <unistd.h>\nint main(void){ if (!fork()) setsid(); for (;;) pause(); }"
    program = build(source, "-g")
    command = [sys.executable, "-m", "workbench", "reproduce", "--", str(program)]
    with subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True) as process:
        _wait_until(lambda: len(_running(program)) >= 2)
        process.terminate()
        assert process.wait(30) == 130
    _wait_until(lambda: not _running(program))


def test_what_outlives_a_kill_of_workbench_goes_with_the_next_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A daemon is traced by nobody: its folder's lock tells that who started it is dead."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    source = """#include <fcntl.h>\n#include <unistd.h>
    int main(int count, char **words) {
        if (!fork()) { setsid(); if (fork()) _exit(0); creat(words[1], 0600); }
        for (;;) pause(); }"""
    program, daemon = build(source, "-g"), tmp_path / "daemon"
    command = [sys.executable, "-m", "workbench", "reproduce", "--", str(program), str(daemon)]
    with subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.DEVNULL) as process:
        _wait_until(daemon.exists)
        sweep_out()
        assert len(_running(program)) >= 2  # of one who lives
        process.kill()
        process.wait(30)
    _wait_until(lambda: len(_running(program)) == 1)
    sweep_out()
    _wait_until(lambda: not _running(program))
    assert not list(tmp_path.glob("workbench-*"))


def test_a_kill_of_workbench_ends_the_program(tmp_path: Path) -> None:
    """gdb ends with its parent (prctl(2), PR_SET_PDEATHSIG), what it traces with it (ptrace(2),
    PTRACE_O_EXITKILL)."""
    program = build("#include <unistd.h>\nint main(void){ for (;;) pause(); }", "-g")
    command = [sys.executable, "-m", "workbench", "reproduce", "--", str(program)]
    with subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.DEVNULL) as process:
        _wait_until(lambda: bool(_running(program)))
        process.kill()
        process.wait(30)
    _wait_until(lambda: not _running(program))


def _wait_until(true: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not true():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def _running(program: Path) -> list[str]:
    """Processes whose program it is."""
    found = []
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and os.readlink(entry / "exe") == str(program):
                found.append(entry.name)
        except OSError:
            continue
    return found


def test_threads_that_wait_for_each_other_are_stuck_and_a_sleeper_is_not() -> None:
    built = executable("two_locks")
    with subprocess.Popen([built]) as locked, subprocess.Popen(["sleep", "600"]) as asleep:
        try:
            _wait_until(lambda: is_stuck([locked.pid]))
            assert not is_stuck([asleep.pid])
        finally:
            locked.kill()
            asleep.kill()


def test_a_mark_finds_only_its_own(tmp_path: Path) -> None:
    with subprocess.Popen(["/bin/sleep", "30"], env={"WORKBENCH_RUN": "abc/1"}) as one:
        _wait_until(lambda: marked("abc/1") == [one.pid])  # exec sets its environment up last
        assert marked("abc") == [one.pid]
        assert marked("ab") == marked("abc/") == []
        one.kill()


def test_the_demo_is_run_again_and_asked_who_did_it(tmp_path: Path) -> None:
    def workbench(*words: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            [sys.executable, "-m", "workbench", *words],
            capture_output=True, text=True, cwd=tmp_path, timeout=250, check=False,
            env={**os.environ, "XDG_CACHE_HOME": str(tmp_path)},
        )  # fmt: skip

    done = workbench("demo", "--again", "--format", "json")
    assert done.returncode == 0, done.stderr
    origin = json.loads(done.stdout)["analysis"]["aiAnalysis"]["origin"]
    source = (Path(samples.__file__).with_name("server.c")).read_text().splitlines()
    assert (origin["kind"], origin["function"]) == ("freed", "connection_free")
    assert source[origin["line"] - 1].strip() == "free(conn);"
    freed = f"`connection_free` at `server.c:{origin['line']}` freed what was used afterwards."
    made = "`connection_open` at `server.c:"
    for question, said in (
        ("who freed conn?", freed),
        ("who allocated conn?", made),
        ("who freed message?", None),  # memory of its own
        ("who freed conn->out?", None),  # what its freed memory holds
    ):
        told = workbench("ask", "@last", question).stdout
        assert (
            (said in told)
            if said
            else ("`connection_" not in told.replace("`connection_send`", ""))
        ), told
        assert ("watched other memory" in told) is (said is None)


@pytest.mark.parametrize("where", ["argument", "folder"])
def test_a_line_of_a_name_is_no_command_of_gdbs(tmp_path: Path, where: str) -> None:
    program, folder = executable("reset_state"), tmp_path / "a\nshell touch made"
    folder.mkdir()
    words = ["--cwd", folder, "--", program] if where == "folder" else ["--", program, "a\nb"]
    done = reproduce(tmp_path, *words)
    assert done.returncode == 2
    assert "control character" in done.stderr
    assert "a\\n" in done.stderr
    assert not list(tmp_path.rglob("made"))
