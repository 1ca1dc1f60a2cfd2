"""Which kinds of a dump's content the output of a command holds."""

import re

from workbench.model.evidence import RECORDED, Evidence, Source
from workbench.model.models import Content

STACKS, MEMORY, SOURCE, STRINGS = Content.STACKS, Content.MEMORY, Content.SOURCE, Content.STRINGS
ALL = frozenset(Content)
_NOTHING = frozenset[Content]()
# Probes that tell of the file and its maps; the others read stacks or memory.
_PLAIN_PROBES = frozenset({"@health", "@modules", "@mappings"})
_TABLE = (
    (re.compile(r"@(?:notes|exception|abort|stop)\b"), frozenset({STACKS, STRINGS})),
    (re.compile(r"@"), frozenset({STACKS, MEMORY, STRINGS})),
    (re.compile(r"l(?:ist?|s|sa)?\b|source list|\.?lsa?\b"), frozenset({SOURCE, STRINGS})),
    (
        re.compile(
            r"(?:info|i) (?:threads|sharedlibrary|files|signals?)\b|thread list\b|image\b|~"
        ),
        frozenset({STACKS, STRINGS}),
    ),
    (re.compile(r"lm[a-z]*\b|!?eeversion\b|vertarget\b|\.?version\b"), _NOTHING),
    (re.compile(r"(?:info |i )?(?:registers|r|reg)\b|register read\b"), frozenset({MEMORY})),
)
_STACK = re.compile(
    r"\b(?:bt|backtrace|where|frame|clrstack|clrthreads|threads|parallelstacks|kb?p?n?v?|pe"
    r"|printexception|syncblk|dumpasync)\b"
)
# Shows what lies somewhere, whatever that is called: `print frame->name`.
_VALUE = re.compile(
    r"(?:p|po|x|s|print|printf|output|call|echo|find|inspect|expr(?:ession)?|memory|dt|d[abcdpqsuw]+)\b"
)
_OF_THREADS = re.compile(r"(?:thread (?:apply \S+ )?(?:-\w+ )*|frame apply \S+ (?:-\w+ )*|sos )")


def contents_in(item: Evidence) -> frozenset[Content]:
    """What an output holds. Its command tells where the workbench asked for it and a debugger or
    our own reader answered. What a log says was asked, a person typed or a model wrote proves
    less: it may show strings besides, and anything where it does not ask for a stack, a listing
    or registers."""
    ours = not item.by_model and (
        item.source is Source.DEBUGGER
        or (item.source is Source.FILE and not item.intent.startswith(RECORDED))
    )
    if ours:
        return contents_of(item.command)
    text = _plain(item.command)
    kinds = contents_of(item.command)
    asks = _OF_THREADS.sub("", text, count=1)
    known = any(pattern.match(text) for pattern, _ in _TABLE) or _STACK.match(asks)
    if not kinds or not known or text.startswith("@") or ";" in text:
        return ALL
    return kinds | {STRINGS}


def contents_of(command: str) -> frozenset[Content]:
    """By the command's words. One that is not known may hold anything; a stack shows strings among
    its arguments, source beside its frames, and with ``full`` memory."""
    text = _plain(command)
    if text.split(" ")[0] in _PLAIN_PROBES:
        return _NOTHING
    for pattern, kinds in _TABLE:
        if pattern.match(text):
            return kinds
    if _STACK.search(text) and not _VALUE.match(text):
        deep = "full" in text or " -a" in text or " -l" in text or "-p" in text
        return (
            ALL
            if deep
            else frozenset({STACKS, STRINGS, SOURCE} if "frame" in text else {STACKS, STRINGS})
        )
    return ALL


def _plain(command: str) -> str:
    return " ".join(command.lower().lstrip("!").split())
