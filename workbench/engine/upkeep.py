"""Files beside the journal: what they hold and how they are replaced."""

import asyncio
import hashlib
import threading
from pathlib import Path

from workbench.engine.journal import Journal
from workbench.model.citation import Citation
from workbench.model.events import DumpHashed, Noticed
from workbench.model.investigation import Investigation
from workbench.model.target import TargetKind

_SLICE = 4 << 20


def metadata_of(state: Investigation) -> dict[str, object]:
    """What ``metadata.json`` says of a session, for people and scripts that look at folders."""
    return {
        "sessionId": state.session_id,
        "target": state.target.path if state.target else None,
        "createdAt": state.started_at.isoformat() if state.started_at else None,
        "updatedAt": state.updated_at.isoformat() if state.updated_at else None,
        "workbenchVersion": state.version,
        "phase": state.phase.value,
        "dumpSha256": state.dump_sha256,
        "stoppedBy": state.stopped.by.value if state.stopped else None,
    }


def cited_ids(state: Investigation) -> set[str]:
    """The ids of the evidence that anything in the state cites."""
    return {citation.evidence for citation in citations_of(state)}


def citations_of(state: Investigation) -> set[Citation]:
    """All that anything in the state cites."""
    claims = list(state.conclusion.claims) if state.conclusion else []
    citations = [c for hypothesis in state.hypotheses.values() for c in hypothesis.citations]
    for hypothesis in state.hypotheses.values():
        if hypothesis.verdict is not None:
            citations += hypothesis.verdict.supporting + hypothesis.verdict.contradicting
            claims += hypothesis.verdict.claims
    citations += [c for claim in claims for c in claim.citations]
    citations += [c for round in state.rounds for check in round.checks for c in check.evidence]
    if state.judgement is not None:
        citations += [c for lost in state.judgement.rejected for c in lost.evidence]
    return set(citations)


def sha256_of(path: Path, stop: threading.Event) -> str | None:
    """A file's sha256 in hex, or None when ``stop`` was set meanwhile. Raises `OSError`."""
    digest = hashlib.sha256()
    with path.open("rb", buffering=0) as file:
        while part := file.read(_SLICE):
            if stop.is_set():
                return None
            digest.update(part)
    return digest.hexdigest()


class DumpWatch:
    """Notices that a dump is no longer the file that was opened: cut, replaced, gone."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._seen = self._identity()

    def trouble(self) -> str:
        """What has become of it, in one line, once; empty while it is as it was."""
        now = self._identity()
        if now == self._seen:
            return ""
        before, self._seen = self._seen, now
        if isinstance(now, str):
            return f"The dump cannot be read any more: {now}: {self._path}."
        if isinstance(before, str):
            return f"The dump is there again: {self._path}."
        if now[2] < before[2]:
            return f"The dump was cut from {before[2]} to {now[2]} bytes while it was looked at."
        return "The dump was written to while it was looked at: answers may not fit together."

    def _identity(self) -> tuple[int, int, int, int] | str:
        try:
            found = self._path.stat()
        except OSError as error:
            return error.strerror or str(error)
        return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns


# The dump's sha256: computed beside the work, compared when a session is taken up again.
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
