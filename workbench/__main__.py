"""``workbench``, as ``python -m workbench`` too: gdb's own start first, then all else."""

import atexit
import gc
import os
import sys  # no more: what is imported in front of `main` is interrupted with a traceback


def main() -> None:
    """The console script's entry.

    While modules are loaded there is nothing for the garbage collector to find.
    """
    try:
        gc.disable()
        _open_missing_streams()
        if sys.argv[1:2] == ["triage"]:
            _with_gdb_ahead()
        else:
            _command_line()
    except KeyboardInterrupt:  # where no command runs yet, or none any more
        sys.exit(130)
    except SystemExit as left:
        _leave(left.code)
        raise


def _open_missing_streams() -> None:
    """What was closed by whoever started us (``>&-``) is the null device, so that no file that is
    opened later gets its number. Output cannot be written there: what was to be printed and is not
    is an error, as it is on the closed stream itself (EBADF, write(2))."""
    for name, mode, flags in (
        ("stdin", "r", os.O_RDONLY), ("stdout", "w", os.O_RDONLY), ("stderr", "w", os.O_WRONLY)
    ):  # fmt: skip
        if getattr(sys, name) is None:
            # open as long as we run
            setattr(sys, name, open(os.open(os.devnull, flags), mode))  # noqa: SIM115


def _with_gdb_ahead() -> None:
    from workbench.debuggers import early

    early.begin(sys.argv[2:])
    try:
        _command_line()
    finally:
        early.give_up()


def _command_line() -> None:
    from workbench.kept_patterns import KeptPatterns

    patterns = KeptPatterns()
    from workbench.fronts.cli import main as command_line

    try:
        command_line()
    finally:
        patterns.keep()


def _leave(status: object) -> None:
    """End with the status of a finished run: all is on the disk and printed, and what an
    interpreter takes apart piece by piece goes with the process. Returns where something is still
    to be done or said."""
    threads = sys.modules.get("threading")
    if not isinstance(status, int) or (threads is not None and threads.active_count() > 1):
        return
    atexit._run_exitfuncs()
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except (OSError, ValueError):
        return
    os._exit(status & 0xFF)


if __name__ == "__main__":
    main()
