"""An error as one line and an exit status, for every front end."""

import errno

from workbench.debuggers.protocol import DebuggerError
from workbench.llm.choosing import TierMissing
from workbench.model.text import printable
from workbench.samples import SampleError
from workbench.store.errors import SessionNotOpened, StoreError
from workbench.targets.errors import TargetError


class UsageError(Exception):
    """What the person can mend, in one line."""


def explain(error: Exception) -> tuple[str, int]:
    """What, why and what to do in one line; 2 for what the person can mend, 3 for what failed."""
    if isinstance(error, (TargetError, SampleError, SessionNotOpened, UsageError)):
        return printable(str(error)), 2
    if isinstance(error, (StoreError, TierMissing, DebuggerError)):
        return printable(str(error)), 3
    if isinstance(error, OSError):
        where = f"{error.filename}: " if error.filename else ""
        full = error.errno in (errno.ENOSPC, errno.EDQUOT)
        more = "; free some space, then run it again" if full else ""
        return printable(f"{where}{error.strerror or error}{more}"), 3
    name = type(error).__name__
    return printable(f"{name}: {error}; this is a fault of the workbench, --debug shows where"), 3
