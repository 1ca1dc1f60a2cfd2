"""A log that is a stack and nothing else: the report shows it, and claims nothing."""

import json
from pathlib import Path

from tests.forking import workbench

LOG = """\
(gdb) bt
#0  0x00005555555551a9 in shut_drawer (box=0x5555555592a0, n=12) at drawer.c:14
#1  0x00005555555552f1 in main (argc=2, argv=0x7fffffffdf88) at till.c:24
"""


def triage(log: Path, format: str) -> str:
    options = ["--tier", "offline", "--sessions-dir", str(log.parent / "s"), "--format", format]
    done = workbench("triage", log, *options)
    assert done.returncode == 1, done.stderr
    return done.stdout


def test_the_stack_is_shown(tmp_path: Path) -> None:
    log = tmp_path / "bt.txt"
    log.write_text(LOG)
    analysis = json.loads(triage(log, "json"))["analysis"]
    assert analysis["threads"]["items"] == []
    (group,) = analysis["threads"]["groups"]
    assert group["threadIds"] == []
    assert [frame["function"] for frame in group["stackTrace"]] == ["shut_drawer", "main"]
    assert analysis["exception"]["stackTrace"] == []
    for format in ("md", "html"):
        text = triage(log, format)
        assert "A thread that is not named" in text
        assert "shut_drawer at drawer.c:14" in text
