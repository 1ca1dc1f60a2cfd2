"""The dump's sha256: computed beside the work, compared when a session is taken up again."""

import asyncio
import threading
from pathlib import Path

from workbench.engine.journal import Journal
from workbench.engine.upkeep import sha256_of
from workbench.model.events import DumpHashed, Noticed
from workbench.model.investigation import Investigation
from workbench.model.target import TargetKind


class DumpHash:
    """`run` records the sum, or says that the dump is another or cannot be read."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._stop = threading.Event()

    def stop(self) -> None:
        """Give up; `run` then records nothing."""
        self._stop.set()

    async def run(self) -> None:
        """Read the whole dump."""
        state = self._journal.state
        if state.target is None or state.target.kind is TargetKind.DOCUMENTS:
            return
        try:
            sha256 = await asyncio.to_thread(sha256_of, Path(state.target.path), self._stop)
        except OSError as error:
            text = f"The dump could not be read to its end: {error.strerror or error}."
            await self._journal.record(Noticed(text=text, severity="error"))
            return
        if sha256 is None:
            return
        if state.dump_sha256 is None:
            await self._journal.record(DumpHashed(sha256=sha256))
        elif state.dump_sha256 != sha256:
            await self._journal.record(
                Noticed(
                    text="The dump is not the one that this session began with: its bytes differ.",
                    severity="error",
                )
            )


async def same_dump(state: Investigation) -> str | None:
    """None where the dump has the bytes that the session began with, else what is otherwise."""
    if state.target is None or state.dump_sha256 is None:
        return None
    try:
        found = await asyncio.to_thread(sha256_of, Path(state.target.path), threading.Event())
    except OSError as error:
        return f"the dump cannot be read: {error.strerror or error}"
    return None if found == state.dump_sha256 else "the dump's bytes are others: its sha256 differs"
