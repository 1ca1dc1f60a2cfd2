"""``workbench``, as ``python -m workbench`` too: gdb's own start first, then all else."""

import gc
import os
import sys
import threading


def main() -> None:
    """The console script's entry.

    While modules are loaded there is nothing for the garbage collector to find.
    """
    gc.disable()
    if sys.argv[1:2] != ["triage"]:
        _command_line()
        return
    from workbench.debuggers import early

    early.begin(sys.argv[2:])
    try:
        _command_line()
    except SystemExit as left:
        early.give_up()
        _leave(left.code)
        raise
    finally:
        early.give_up()


def _command_line() -> None:
    from workbench.cli import main as command_line

    command_line()


def _leave(status: object) -> None:
    """End with the status of a finished run: all is on the disk and printed, and what an
    interpreter takes apart piece by piece goes with the process. Returns where something is still
    to be done or said."""
    if not isinstance(status, int) or threading.active_count() > 1:
        return
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except (OSError, ValueError):
        return
    os._exit(status & 0xFF)


if __name__ == "__main__":
    main()
