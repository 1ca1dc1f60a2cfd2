"""The folder of a run: its files, whole at every moment, and one process at a time."""

import hashlib
import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from tempfile import mkdtemp
from typing import Any, TypeVar

from workbench.evaluate.errors import EvaluationError
from workbench.evaluate.records import STATE_VERSION, Capture, Captures, State
from workbench.evaluate.schema import Data, read
from workbench.store.errors import StoreError
from workbench.store.lock import SessionLock
from workbench.store.made_here import check_made_here, is_sealed, seal
from workbench.store.replacing import replace_file

T = TypeVar("T", bound=Data)
_MARK = "made-here"


def _from_1(raw: dict[str, Any]) -> None:
    """Version 1 kept the ids under ``finished`` and knew no cost."""
    raw["done"] = raw.pop("finished", [])


MIGRATIONS: dict[int, Callable[[dict[str, Any]], None]] = {1: _from_1, 2: lambda raw: None}
"""What brings the state of a version to the next one."""


class RunFolder:
    """``analysis.json``, ``scenarios.json``, ``captures.json``, ``results.json``, ``state.json``,
    ``transcripts/``; ``programs-…/`` has what was compiled and crashed."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.transcripts = path / "transcripts"

    @cached_property
    def programs(self) -> Path:
        """What is kept here is run again: only a folder that this person's workbench made, and no
        other that came with the run's folder."""
        for mark in self.path.glob(f"programs-*/{_MARK}"):
            if is_sealed(mark):
                return mark.parent
        made = Path(mkdtemp(prefix="programs-", dir=self.path))
        (made / _MARK).touch()
        seal(made / _MARK)
        return made

    @contextmanager
    def held(self) -> Iterator[None]:
        """Only one process at a time works in a folder. Raises `EvaluationError`, also for one with
        links that lead out of it."""
        try:
            check_made_here(self.path)
        except StoreError as error:
            raise EvaluationError(str(error).removeprefix("session ")) from error
        self.transcripts.mkdir(parents=True, exist_ok=True, mode=0o700)
        try:
            lock = SessionLock(self.path)
        except StoreError as error:
            raise EvaluationError(f"another run works in this folder: {error}") from error
        try:
            yield
        finally:
            lock.release()

    def read(self, name: str, kind: type[T]) -> T | None:
        """A stage's file, None where it is not there yet. Raises `EvaluationError`."""
        path = self.path / name
        return read(path, kind, "mend it") if path.exists() else None

    def write(self, name: str, data: Data) -> Path:
        """Write a file so that it is there whole or as it was."""
        path = self.path / name
        replace_file(path, data.model_dump_json(by_alias=True, indent=1) + "\n")
        return path

    def state(self) -> State:
        """How far the run is, brought to this version. Raises `EvaluationError`."""
        path = self.path / "state.json"
        if not path.exists():
            return State(created=datetime.now(UTC).isoformat(timespec="seconds"))
        try:
            raw = json.loads(path.read_bytes())
            version = int(raw.get("version", 1))
            if version > STATE_VERSION:
                raise EvaluationError(f"{path} is of a newer workbench: update this one")
            for old in range(version, STATE_VERSION):
                MIGRATIONS[old](raw)
            return State.model_validate(raw | {"version": STATE_VERSION})
        except (OSError, ValueError, AttributeError) as error:
            raise EvaluationError(f"{path} cannot be read ({error}): remove it") from error

    def checkpoint(self, state: State) -> None:
        """Keep how far the run is."""
        self.write("state.json", state)

    def keep(self, capture: Capture, transcript: dict[str, Any]) -> None:
        """One case's capture and transcript, in one file by one rename."""
        told = {"capture": capture.model_dump(by_alias=True), **transcript}
        replace_file(self.transcript(capture.id), json.dumps(told, indent=1))

    def transcript(self, id: str) -> Path:
        """Where a case's transcript is."""
        plain = re.sub(r"[^\w.+=-]", "_", id)[:100]
        mark = "" if plain == id else f"-{hashlib.sha256(id.encode()).hexdigest()[:8]}"
        return self.transcripts / f"{plain}{mark}.json"

    def report(self, id: str) -> str:
        """The text of a case's report as JSON; empty where there is none."""
        try:
            told = json.loads(self.transcript(id).read_bytes())
        except (OSError, ValueError):
            return ""
        return json.dumps(told.get("report") or {}, ensure_ascii=False)

    def captured(self) -> dict[str, Capture]:
        """What is captured so far, by id: what is listed, but where a transcript is newer or not
        listed at all, as a killed run leaves it, the transcript."""
        listed = self.read("captures.json", Captures)
        found = {capture.id: capture for capture in listed.captures} if listed is not None else {}
        known = {self.transcript(id) for id in found}
        since = (self.path / "captures.json").stat().st_mtime_ns if found else 0
        for file in sorted(self.transcripts.glob("*.json")):
            if file not in known or file.stat().st_mtime_ns > since:
                try:
                    capture = Capture.model_validate(json.loads(file.read_bytes())["capture"])
                except (OSError, ValueError, KeyError):
                    continue  # half a file of a machine that lost its power: done again
                found[capture.id] = capture
        return found
