"""How a run ended, as an exit status and as what to do next: one answer for every front end."""

import shlex
import shutil
import sys
from pathlib import Path

from workbench.model.events import Phase, StoppedBy
from workbench.model.investigation import Investigation

CONCLUDED, INCONCLUSIVE, FAILED, INTERRUPTED = 0, 1, 3, 130


def exit_status(state: Investigation) -> int:
    """The contract's exit status: 0 concluded, 1 inconclusive, 3 the debugger or the run failed,
    130 interrupted, that is left before its end."""
    stopped = state.stopped
    if stopped is None:
        return FAILED if state.phase is Phase.DONE else INTERRUPTED
    if stopped.by is StoppedBy.INTERRUPTED:
        return INTERRUPTED
    if stopped.by is StoppedBy.FAILED or state.debugger_failed:
        return FAILED
    loop = state.assisted.loop
    if loop is not None and loop.limit == stopped.by:  # what was concluded by then stands
        selected = state.judgement.selected if state.judgement is not None else None
        return INCONCLUSIVE if selected is None else CONCLUDED
    return CONCLUDED if stopped.by is StoppedBy.CONCLUDED else INCONCLUSIVE


def ask_hint(state: Investigation) -> str:
    """What to type, from the same folder, to go on asking a session."""
    return f'{called()} ask {state.session_id} "…"{state.options.kept_in}'


def resume_hint(state: Investigation) -> str:
    """What to type, from the same folder, to go on with a session."""
    return f"{called()} sessions resume {state.session_id}{state.options.kept_in}"


def called() -> str:
    """The command as it was called: a program of a virtual environment may not be on the path."""
    name = sys.argv[0] if sys.argv else ""
    if Path(name).name == "__main__.py":
        return f"{shlex.quote(sys.executable)} -m workbench"
    if Path(name).name != "workbench" or not Path(name).is_file():
        return "workbench"
    here = Path(shutil.which("workbench") or "")
    return "workbench" if here.is_file() and here.samefile(name) else shlex.quote(name)
