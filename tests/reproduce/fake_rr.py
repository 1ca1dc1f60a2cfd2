"""`rr` where no processor counts its branches: what it prints, before a gdbserver that runs the
recorded command line anew (the same remote protocol; ASLR is off under it, so runs are alike)."""

import json
import os
import signal
import socket
import subprocess
import sys
from pathlib import Path


def as_told(chaos: bool) -> dict[str, str]:
    """What a program can see of another order of its threads: here a variable."""
    return {**os.environ, "ORDER": "other" if chaos else "usual"}


def record(words: list[str]) -> int:
    at = words.index("-o")
    trace, command = Path(words[at + 1]), words[at + 2 :]
    trace.mkdir()
    chaos = "--chaos" in words[:at]
    status = subprocess.run(command, env=as_told(chaos)).returncode
    for name in ("events", "mmaps", "version"):
        (trace / name).write_text("88\n")
    told = {"command": command, "chaos": chaos, "cwd": str(Path.cwd())}
    (trace / "told.json").write_text(json.dumps(told))
    return 128 - status if status < 0 else status


def replay(words: list[str]) -> None:
    assert words[:3] == ["-s", "0", "-q"]
    (trace,) = words[3:]
    if not (Path(trace) / "version").is_file():
        sys.exit(f"[FATAL TraceStream.cc:1598] rr: Trace file `{trace}' is incomplete.")
    told = json.loads((Path(trace) / "told.json").read_text())
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    launch = ["gdb", "-l", "10000", "-ex", "set sysroot /", "-ex",
              f"target extended-remote 127.0.0.1:{port}", told["command"][0]]  # fmt: skip
    quoted = " ".join(word if word.isalnum() else f"'{word}'" for word in launch)
    os.chdir(told["cwd"])
    server = subprocess.Popen(
        [sys.argv[0].replace("rr", "gdbserver"), "--once", f"127.0.0.1:{port}", *told["command"]],
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
        env=as_told(told["chaos"]),
    )  # fmt: skip
    assert server.stderr is not None
    for line in server.stderr:
        if line.startswith("Listening"):
            break
    print(f"Launch debugger with\n  {quoted}", file=sys.stderr, flush=True)
    signal.signal(signal.SIGTERM, lambda *_: server.kill())
    server.communicate()


if __name__ == "__main__":
    if sys.argv[1] == "record":
        sys.exit(record(sys.argv[2:]))
    replay(sys.argv[2:])
