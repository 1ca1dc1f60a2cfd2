"""A session as one file: its report, its evidence and its journal in a zip archive.

``workbench.json`` says what it is, ``journal.jsonl`` has an event a line (``seq``, ``at``,
``event``), ``evidence/E1.txt`` the stored text of each item, ``report.md|html|json`` the report,
and ``trail.json`` what was asked in which order and what was found, by piece and overall.
"""

import asyncio
import errno
import hashlib
import json
import re
import zipfile
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

import msgspec
from msgspec.structs import replace

from workbench.engine.copying import bounded, check_size, check_texts, items_of, take_over, texts_of
from workbench.engine.reports import FORMATS, render
from workbench.engine.viewing import report_parts, trail_of, viewed
from workbench.llm.redaction.machine import PROCESSOR, of_this_machine
from workbench.llm.redaction.redactor import Redactor
from workbench.model.events import EvidenceRecorded, decode_event, encode_event
from workbench.model.evidence import Evidence
from workbench.model.journal import Recorded
from workbench.model.report import Report
from workbench.store.errors import Damaged, SessionNotOpened, StoreError
from workbench.store.large_text import BLOCK
from workbench.store.replacing import replacing
from workbench.store.session_store import SessionStore
from workbench.store.summary import folder_size

_ABOUT, _JOURNAL = "workbench.json", "journal.jsonl"
_KIND = "workbench-session"
_VERSION = 1
_MOST_JOURNAL = 1 << 30
_PLACEHOLDER = re.compile(r"<[a-z]+-\d+>")
_WORD = re.compile(rf"[A-Za-z]+(?:[-_][A-Za-z]+){{0,4}}|\d[\d.]{{0,40}}|{PROCESSOR}")
_ID = re.compile(r"[A-Z]{1,3}\d{1,9}")
_DIGEST = re.compile("[0-9a-f]{64}")
# What these keys hold names parts of the session, and no person, place or secret, where it has
# this shape. Elsewhere it may be anything: what a model filled has sentences under the same keys.
_SHAPES = {
    **dict.fromkeys(("id", "evidence"), _ID),
    **dict.fromkeys(("sha256", "call_hash"), _DIGEST),
    "at": re.compile(r"\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d)"),
    **dict.fromkeys(("event", "kind", "arch", "os", "storage", "source", "status"), _WORD),
    **dict.fromkeys(("category", "phase", "severity", "by", "mode", "trust", "debugger"), _WORD),
    **dict.fromkeys(("version", "host"), _WORD),
}


def _check_replaceable(target: Path) -> None:
    if target.exists() and not target.is_file():
        raise OSError(errno.EINVAL, "an archive replaces no device, pipe or folder", str(target))


async def export(folder: Path, target: Path, *, redact: bool = False) -> Path:
    """Write the archive, whole or not at all; with ``redact`` what is private is a placeholder
    everywhere, line for line, so that citations stand. A damaged text is left out. Raises
    `StoreError` and `OSError`."""
    _check_replaceable(target)
    hide = _Redacted() if redact else None
    try:
        async with viewed(folder) as (store, state):
            with (
                replacing(target) as partial,
                zipfile.ZipFile(partial, "w", zipfile.ZIP_DEFLATED) as archive,
            ):
                rows = await store.events()
                if hide is not None:  # what one text gives away is hidden in those before it too
                    for row in rows:
                        _line(row, hide)
                    for item in state.evidence.values():
                        with suppress(StoreError):
                            asked = f"{item.command}\n"  # tells what the strings are
                            for block in await store.whole(item.id):
                                hide.text(asked + block)
                items = dict[str, Evidence]()
                for item in state.evidence.values():
                    items[item.id] = await _put_text(archive, store, item, hide)
                rows = [_with_item(row, items) for row in rows]
                lines = (_line(row, hide) for row in rows)
                archive.writestr(_JOURNAL, "".join(f"{line}\n" for line in lines))
                trail = await trail_of(store, state)
                report, texts = await report_parts(folder)
                name = folder.name
                if hide is not None:  # before they are written: what is escaped is not recognised
                    trail, name = hide.within(trail), hide.text(name)
                    report = msgspec.convert(hide.within(msgspec.to_builtins(report)), Report)
                    texts = {id: hide.text(text) for id, text in texts.items()}
                archive.writestr("trail.json", json.dumps(trail, indent=1))
                for format in FORMATS:
                    archive.writestr(f"report.{format}", render(report, texts, format))
                told = {"kind": _KIND, "version": _VERSION, "redacted": redact}
                archive.writestr(_ABOUT, json.dumps({**told, "sessionId": name}))
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(target)) from error
    return target


async def _put_text(
    archive: zipfile.ZipFile, store: SessionStore, item: Evidence, hide: "_Redacted | None"
) -> Evidence:
    """The item as it is in the archive: of other bytes where something was hidden."""
    try:
        blocks = await store.whole(item.id)
    except StoreError:
        return item
    digest, size = hashlib.sha256(), 0
    with archive.open(f"evidence/{item.id}.txt", "w", force_zip64=True) as file:
        for block in blocks:
            data = (hide.text(block) if hide else block).encode()
            digest.update(data)
            size += len(data)
            file.write(data)
    return replace(item, sha256=digest.hexdigest(), size=size)


def _with_item(row: Recorded, items: dict[str, Evidence]) -> Recorded:
    event = row.event
    if isinstance(event, EvidenceRecorded):
        return row._replace(event=replace(event, evidence=items[event.evidence.id]))
    return row


def _line(row: Recorded, hide: "_Redacted | None") -> str:
    event = json.loads(encode_event(row.event))
    if hide is not None:
        event = hide.within(event)
        decode_event(json.dumps(event))
    return json.dumps({"seq": row.seq, "at": row.at.isoformat(), "event": event})


class _Redacted:
    """Placeholders, the same ones in the whole archive; a text keeps its number of lines."""

    def __init__(self) -> None:
        self._redactor = Redactor(of_this_machine())

    def text(self, text: str) -> str:
        return _PLACEHOLDER.sub(self._kept_lines, self._redactor.redact(text))

    def _kept_lines(self, found: re.Match[str]) -> str:
        return found[0] + "\n" * self._redactor.restore(found[0]).count("\n")

    def within(self, value: Any, key: str = "") -> Any:
        if isinstance(value, str):
            shape = _SHAPES.get(key)
            return value if shape and shape.fullmatch(value) else self.text(value)
        if isinstance(value, dict):
            return {name: self.within(item, name) for name, item in value.items()}
        if isinstance(value, (list, tuple)):
            return [self.within(item, key) for item in value]
        return value


async def take_in(source: Path, base: Path, *, trusted: bool = False) -> Path:
    """The session of an archive, or of a folder that was made elsewhere, as one of ours; its
    folder. One that would grow much is only taken where it is ``trusted``. Raises `StoreError`,
    also for what is no archive of ours or was changed, and `OSError`."""
    now = datetime.now(UTC)
    if await asyncio.to_thread(source.is_dir):
        async with viewed(source) as (store, _):
            rows = await store.events()
            check_texts(rows, folder_size(source), trusted)
            try:
                texts = await texts_of(store, rows)
            except Damaged as error:
                raise SessionNotOpened(f"session {source.name}: {error}") from error
            return await take_over(base, rows, texts, now)
    with ExitStack() as stack:
        try:
            packed = (await asyncio.to_thread(source.stat)).st_size
            archive = stack.enter_context(zipfile.ZipFile(source))
            check_size(archive.getinfo(_JOURNAL).file_size, packed, trusted)
            rows = _rows(archive)
            check_texts(rows, packed, trusted)
            items = {item.id: item for item in items_of(rows)}
            for item in items.values():
                _check(archive, item)
        except FileNotFoundError as error:
            raise SessionNotOpened(f"{source}: no such file; check the path") from error
        except StoreError:
            raise
        # What bytes that anybody may have written make zipfile and the decoders raise is in no
        # list: RuntimeError, NotImplementedError, zlib.error, RecursionError, ...
        except Exception as error:
            raise SessionNotOpened(
                f"{source} is no session's archive: {error}; `workbench sessions export` makes one"
            ) from error
        return await take_over(base, rows, lambda id: _blocks(archive, items[id]), now)


class _About(msgspec.Struct):
    kind: str
    version: int


class _Line(msgspec.Struct):
    at: Annotated[datetime, msgspec.Meta(tz=True)]
    event: msgspec.Raw


def _rows(archive: zipfile.ZipFile) -> list[Recorded]:
    with archive.open(_ABOUT) as file:
        about = msgspec.json.decode(file.read(1 << 16), type=_About)
    if (about.kind, about.version) != (_KIND, _VERSION):
        raise ValueError(f"{_ABOUT} does not say that it is one")
    if archive.getinfo(_JOURNAL).file_size > _MOST_JOURNAL:
        raise ValueError("its journal is too large")
    rows, decoder = [], msgspec.json.Decoder(_Line)
    with archive.open(_JOURNAL) as file:
        for number, line in enumerate(file, 1):
            told = decoder.decode(line)
            rows.append(Recorded(number, told.at, decode_event(bytes(told.event))))
    return rows


def _check(archive: zipfile.ZipFile, item: Evidence) -> None:
    """The texts are what the journal says, before anything is written. Raises `ValueError`."""
    digest = hashlib.sha256()
    for block in _blocks(archive, item):
        digest.update(block)
    if digest.hexdigest() != item.sha256:
        raise ValueError(f"{item.id} is not what was recorded")


def _blocks(archive: zipfile.ZipFile, item: Evidence) -> Iterator[bytes]:
    with archive.open(f"evidence/{item.id}.txt") as file:
        yield from bounded(item.id, item.size, iter(lambda: file.read(BLOCK), b""))
