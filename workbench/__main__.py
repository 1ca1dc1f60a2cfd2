"""``workbench``, as ``python -m workbench`` too: gdb's own start first, then all else."""

import gc
import sys


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
    finally:
        early.give_up()


def _command_line() -> None:
    from workbench.cli import main as command_line

    command_line()


if __name__ == "__main__":
    main()
