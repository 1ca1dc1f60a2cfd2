"""Signatures: what crashes of one cause share, whatever the run, the machine or the debugger.

The rules are Socorro's (siggen: `CSignatureTool`, SignatureGenerationRule, StackOverflowSignature);
the lists of functions are ours, for Linux, Windows, C++, Rust and .NET.
"""

import hashlib
from collections.abc import Iterable, Sequence

from msgspec import Struct

from analyzers.owners.passing import is_irrelevant, is_prefix
from analyzers.owners.printed import is_report
from analyzers.signature.normal import normal
from workbench.model.facts import Frame

LONGEST = 255
_CONSIDERED = 40  # frames, as in Socorro
_HASHED = 8
DELIMITER = " | "


class Signature(Struct, frozen=True, kw_only=True):
    """``text`` names the crash for people; ``stack_hash`` tells more of the stack apart (16 hex
    digits of a SHA-256). ``lines`` are the evidence lines of the frames in ``text``."""

    text: str
    stack_hash: str
    lines: tuple[int, ...]


def signature(frames: Sequence[Frame], mark: str = "") -> Signature | None:
    """The signature of a stack, innermost frame first; None when no frame says anything.

    ``mark`` goes in front: ``stackoverflow``, ``hang``, ``OOM``. Frames of the machinery that ends
    a process are left out. A function that only passes a problem on (``memcpy``) stands before the
    one that caused it, and that one ends it; of several such functions the one nearest to the cause
    stands, since how many of the others are seen depends on whose symbols are there.
    """
    named = [(normal(frame), frame) for frame in frames[: _CONSIDERED * 4]]
    relevant = [
        (name, frame)
        for name, frame in named
        if name and not is_irrelevant(name) and not (frame.file is None and is_report(name))
    ]
    relevant = _unrepeated(relevant)[:_CONSIDERED]
    if not relevant:
        return None
    end = next((at for at, (name, _) in enumerate(relevant) if not is_prefix(name)), None)
    if end is None:
        end = len(relevant) - 1
    parts = relevant[max(0, end - 1) : end + 1]
    names = [name for name, _ in parts]
    text = DELIMITER.join([mark, *names] if mark else names)
    return Signature(
        text=_bounded(text),
        stack_hash=_hash([name for name, _ in relevant[max(0, end - 1) :]]),
        lines=tuple(frame.line_no for _, frame in parts if frame.line_no),
    )


def joined(signatures: Iterable[Signature], mark: str) -> Signature | None:
    """One signature of several threads, whatever their order; None of none."""
    each = sorted({(one.text, one.stack_hash): one for one in signatures}.items())
    if not each:
        return None
    text = DELIMITER.join([mark, *(text for (text, _), _ in each)])
    return Signature(
        text=_bounded(text),
        stack_hash=_hash([stack for (_, stack), _ in each]),
        lines=tuple(line for _, one in each for line in one.lines),
    )


def _bounded(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 3]}..."


def _unrepeated(frames: Iterable[tuple[str, Frame]]) -> list[tuple[str, Frame]]:
    """Each function once, where it stands first: how deep a recursion went is chance."""
    first: dict[str, Frame] = {}
    for name, frame in frames:
        first.setdefault(name, frame)
    return list(first.items())


def _hash(names: Sequence[str]) -> str:
    return hashlib.sha256("\n".join(names[:_HASHED]).encode()).hexdigest()[:16]
