"""What the evaluation reads and writes, checked where it comes in: manifests, cases, captures.

JSON is written in camelCase, as the report is. A manifest's schema is ``docs/corpus.schema.json``.
"""

from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator
from pydantic.alias_generators import to_camel

from workbench.evaluate.errors import EvaluationError
from workbench.model.origin import OriginKind

Share = Annotated[float, Field(ge=0, le=1)]
Told = Literal["right", "open", "wrong"]
Word = Annotated[str, Field(pattern=r"^[^\x00]*$", max_length=4096)]


_KNOWN = {"severityKnown", "severity_known"}


class Data(BaseModel):
    """A frozen row; a word that no field has is an error."""

    model_config = ConfigDict(
        alias_generator=to_camel, populate_by_name=True, extra="forbid", frozen=True
    )


class Origin(Data):
    """Where a fault begins; a line is given by its number, or by text that it alone of the source
    holds. ``kind`` and ``file`` (the source itself where it is not said) count where the report
    names its own."""

    function: Word
    kind: OriginKind | None = None
    file: Word = ""
    line: int | None = None
    text: Word = ""


class Expected(Data):
    """What an investigation must find; null and empty mean that it is not known.

    ``category`` is the cause, ``also`` what is as true, ``wider`` what is true but says less. With
    ``open`` one dump cannot tell the cause: a wider one is then right. ``functions`` may be
    named as the frame; what a stripped program's offset lies in counts by its unstripped twin.
    ``severity`` is CASR's class, null where nothing ended the process; it is unknown where it is
    not named. ``signatures`` are as good as each other. ``lacks`` names parts
    (frame, severity, signature) that are known not to be found. ``root_category`` is the cause at
    its origin where that is another one. ``facts`` are statements about the dump (os, cpu,
    exception, address, threads, modules, crashing_thread_id; numbers and names in a list, or each
    under the name of the statement's argument that has to hold it), ``words`` a cause in somebody's
    words. ``answer`` is what a policy says of a command; none of ``absent`` may stand in
    what redaction leaves, each of ``present`` has to.
    """

    category: Word | None = None
    also: tuple[Word, ...] = ()
    wider: tuple[Word, ...] = ()
    open: bool = False
    root_category: Word | None = None
    functions: tuple[Word, ...] = ()
    origins: tuple[Origin, ...] = ()
    severity: Word | None = None
    severity_known: bool = False
    signatures: tuple[Word, ...] = ()
    lacks: tuple[Literal["frame", "severity", "signature", "origin"], ...] = ()
    facts: dict[str, Any] = {}
    words: Word | None = None
    answer: Literal["accept", "ask", "forbid", "refuse"] | None = None
    absent: tuple[Word, ...] = ()
    present: tuple[Word, ...] = ()
    event: Word = ""
    pattern: Word = ""

    @model_validator(mode="before")
    @classmethod
    def _severity_counts_where_it_is_said(cls, given: Any) -> Any:
        """A manifest that names none does not know it; null is that nothing ended the process."""
        said = isinstance(given, dict) and "severity" in given
        return {"severityKnown": True, **given} if said and not _KNOWN & given.keys() else given


class Make(Data):
    """How a target comes to be: by a compiler from ``target``'s source, or by the corpus's own
    ``command`` in its folder.

    ``run``: ``crash``, ``hang`` (a snapshot once it prints ``until``, once all threads sleep, or
    where it ``spins`` once it has used some of a processor's time),
    ``sent`` (``signal`` from outside), ``log`` (what it prints is the target). ``machine``: "" is
    this one, or i386, aarch64.
    """

    flags: tuple[Word, ...] = ()
    machine: Literal["", "i386", "aarch64"] = ""
    run: Literal["crash", "hang", "sent", "log"] = "crash"
    signal: Word = "SIGSEGV"
    until: Word | None = None
    spins: bool = False
    arguments: tuple[Word, ...] = ()
    environment: dict[Word, Word] = {}
    command: tuple[Word, ...] = ()


class Case(Data):
    """One thing to be done and what must come of it. ``target`` and ``executable`` are paths within
    the corpus; with ``make`` the target is a source. ``changes`` are rows of the table of changes,
    applied in order. ``text`` is what policy or redaction is given, or what a person says of the
    crash to be investigated."""

    id: Word = ""
    corpus: Word = ""
    folder: Word = ""
    component: Word = ""
    batch: Word = ""
    kind: Literal["triage", "policy", "redaction", "statements"] = "triage"
    target: Word = ""
    executable: Word = ""
    make: Make | None = None
    debugger: Word = "auto"
    changes: tuple[Word, ...] = ()
    text: Word = ""
    expected: Expected = Expected()
    source: Word = ""
    licence: Word = ""
    note: Word = ""


class Manifest(Data):
    """A corpus: ``manifest.json`` in its folder. Source and licence count for each case that has
    none of its own."""

    schema_version: Literal[1] = 1
    name: Word
    source: Word = ""
    licence: Word = ""
    cases: tuple[Case, ...]


T = TypeVar("T", bound=Data)


def read(path: Path, kind: type[T], advice: str) -> T:
    """A file as ``kind``. Raises `EvaluationError`, which says the first thing that is wrong with
    it, and with ``advice`` what to do."""
    try:
        return kind.model_validate_json(path.read_bytes())
    except OSError as error:
        raise EvaluationError(f"{path}: {error.strerror}: {advice}") from error
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        raise EvaluationError(f"{path}: {where}: {first['msg']}: {advice}") from error
