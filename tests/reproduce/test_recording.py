"""Recordings of rr, where a fake one records and gdbserver replays."""

import json
import os
import shutil
import sys
from pathlib import Path

import pytest

from tests.crashes import build
from tests.forking import workbench
from tests.reproduce import fake_rr
from tests.samples.origins import ORIGINS
from workbench.debuggers.private_folder import marked

_NAMED = {planted.source.stem: planted for planted in ORIGINS}


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """One whose PATH has an rr, and beside it the gdbserver of our own gdb."""
    tools = tmp_path / "tools"
    tools.mkdir()
    (tools / "rr").write_text(f"#!{sys.executable}\n{Path(fake_rr.__file__).read_text()}")
    (tools / "rr").chmod(0o755)
    (tools / "gdbserver").symlink_to(Path(sys.prefix, "bin", "gdbserver"))
    return {**os.environ, "PATH": f"{tools}:{os.environ['PATH']}"}


def program_of(name: str, folder: Path) -> tuple[Path, int]:
    planted = _NAMED[name]
    return Path(shutil.copy(build(planted.source, *planted.flags), folder)), planted.line


@pytest.mark.parametrize(("name", "kind"), [("reset_state", "cleared"), ("cache_evict", "freed")])
def test_what_is_recorded_once_is_replayed_for_every_question(
    tmp_path: Path, environment: dict[str, str], name: str, kind: str
) -> None:
    program, line = program_of(name, tmp_path)
    words = ("reproduce", "--format", "json", "--with", "rr", "--", program)
    done = workbench(*words, cwd=tmp_path, env=environment)
    assert done.returncode == 0, done.stderr
    origin = json.loads(done.stdout)["analysis"]["aiAnalysis"]["origin"]
    assert (origin["kind"], origin["line"], origin["strength"]) == (kind, line, "observed")
    assert done.stderr.count("recorded by rr") == 1
    assert not marked(str(program))


RARELY = """
#include <stdlib.h>
#include <string.h>
static int *kept;
static void lose(void) {
    kept = 0; /* here */
}
int main(void) {
    kept = malloc(sizeof *kept);
    if (!strcmp(getenv("ORDER"), "other")) lose();
    return *kept = 1;
}
"""


def test_what_does_not_fail_is_recorded_again_in_another_order(
    tmp_path: Path, environment: dict[str, str]
) -> None:
    words = ("reproduce", "--format", "json", "--with", "rr", "--", build(RARELY, "-g", "-O0"))
    done = workbench(*words, cwd=tmp_path, env=environment)
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("recorded by rr") == 2
    origin = json.loads(done.stdout)["analysis"]["aiAnalysis"]["origin"]
    assert (origin["function"], origin["line"]) == ("lose", 6)


def test_a_recording_is_a_target(tmp_path: Path, environment: dict[str, str]) -> None:
    program, line = program_of("reset_state", tmp_path)
    trace = tmp_path / "trace"
    fake_rr.record(["-o", str(trace), str(program)])
    seen = workbench("triage", trace, cwd=tmp_path, env=environment)
    assert (seen.returncode, "to replay a recording runs its program" in seen.stderr) == (2, True)
    done = workbench("reproduce", trace, "--format", "json", cwd=tmp_path, env=environment)
    assert done.returncode == 0, done.stderr
    ai = json.loads(done.stdout)["analysis"]["aiAnalysis"]
    assert ai["category"] == "null-pointer-dereference"
    assert (ai["origin"]["function"], ai["origin"]["line"]) == ("reset", line)


def test_a_recording_that_was_cut_is_told_so(tmp_path: Path, environment: dict[str, str]) -> None:
    trace = tmp_path / "trace"
    trace.mkdir()
    for name in ("events", "mmaps", "version"):
        (trace / name).write_text("")
    (trace / "told.json").write_text('{"command": ["/bin/true"], "chaos": false, "cwd": "/"}')
    done = workbench("reproduce", trace, cwd=tmp_path, env=environment)
    assert done.returncode == 1
    assert "not reproduced" in done.stderr
    (trace / "told.json").unlink()
    done = workbench("reproduce", trace, cwd=tmp_path, env=environment)
    assert (done.returncode, "rr did not replay it; it said: " in done.stderr) == (2, True)
    (trace / "version").unlink()
    done = workbench("reproduce", trace, cwd=tmp_path, env=environment)
    assert (done.returncode, "no command to run" in done.stderr) == (2, True)
    here = environment | {"PATH": str(tmp_path)}
    refused = workbench("reproduce", "--with", "rr", "--", "/bin/true", env=here)
    assert (refused.returncode, "rr: not installed" in refused.stderr) == (2, True)
