"""Files beside the journal: what they hold and how they are replaced."""

import hashlib
from pathlib import Path

from workbench.model.investigation import Investigation


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


def sha256_of(path: Path) -> str:
    """A file's sha256 in hex. Raises `OSError`."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def replace_file(path: Path, text: str) -> None:
    """Write a private file so that it is there whole or as it was. Raises `OSError`."""
    temporary = path.with_name(path.name + ".tmp")
    temporary.write_text(text, encoding="utf-8", errors="replace")
    temporary.chmod(0o600)
    temporary.replace(path)
