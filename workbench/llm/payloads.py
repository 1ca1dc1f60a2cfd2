"""The bodies of the requests that left the machine, or were about to, as they were."""

import hashlib
from pathlib import Path

from workbench.llm.private_files import read_private, write_private

FOLDER = "payloads"
LARGEST = 2_000_000  # bytes: what is larger than anyone can look through is not sent


def keep_payload(session: Path, body: bytes) -> str:
    """Write a body into the session's folder; its id, which is the beginning of its sha256. Raises
    `OSError`."""
    ident = hashlib.sha256(body).hexdigest()[:16]
    write_private(session / FOLDER, f"{ident}.json", body)
    return ident


def read_payload(session: Path, ident: str) -> bytes | None:
    """A body by its id, None where it is not there or not the one of that id."""
    body = read_private(session / FOLDER, f"{ident}.json")
    return None if body is None or not hashlib.sha256(body).hexdigest().startswith(ident) else body
