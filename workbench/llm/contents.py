"""Which kinds of a dump's content the output of a command holds."""

import re

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


def contents_of(command: str) -> frozenset[Content]:
    """By the command's words. One that is not known may hold anything; a stack shows strings among
    its arguments, source beside its frames, and with ``full`` memory."""
    text = " ".join(command.lower().lstrip("!").split())
    if text.split(" ")[0] in _PLAIN_PROBES:
        return _NOTHING
    for pattern, kinds in _TABLE:
        if pattern.match(text):
            return kinds
    if _STACK.search(text):
        deep = "full" in text or " -a" in text or " -l" in text or "-p" in text
        return (
            ALL
            if deep
            else frozenset({STACKS, STRINGS, SOURCE} if "frame" in text else {STACKS, STRINGS})
        )
    return ALL
