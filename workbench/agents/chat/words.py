"""Words of a question that carry meaning, in a form in which they can be compared."""

import re

UNITS = {
    "b": ("bytes", 1), "byte": ("bytes", 1), "bytes": ("bytes", 1),
    "k": ("bytes", 1 << 10), "kb": ("bytes", 1 << 10), "kib": ("bytes", 1 << 10),
    "kilobyte": ("bytes", 1 << 10), "kilobytes": ("bytes", 1 << 10), "kbytes": ("bytes", 1 << 10),
    "m": ("bytes", 1 << 20), "mb": ("bytes", 1 << 20), "mib": ("bytes", 1 << 20),
    "megabyte": ("bytes", 1 << 20), "megabytes": ("bytes", 1 << 20),
    "g": ("bytes", 1 << 30), "gb": ("bytes", 1 << 30), "gib": ("bytes", 1 << 30),
    "gigabyte": ("bytes", 1 << 30), "gigabytes": ("bytes", 1 << 30),
    "bit": ("bits", 1), "bits": ("bits", 1),
    "ns": ("seconds", 1), "us": ("seconds", 10**3), "µs": ("seconds", 10**3),
    "ms": ("seconds", 10**6), "milliseconds": ("seconds", 10**6),
    "s": ("seconds", 10**9), "sec": ("seconds", 10**9), "second": ("seconds", 10**9),
    "seconds": ("seconds", 10**9), "minute": ("seconds", 60 * 10**9),
    "minutes": ("seconds", 60 * 10**9), "hour": ("seconds", 3600 * 10**9),
    "hours": ("seconds", 3600 * 10**9), "day": ("seconds", 86400 * 10**9),
    "days": ("seconds", 86400 * 10**9),
    "%": ("percent", 1), "percent": ("percent", 1),
}  # fmt: skip
"""What a unit measures, and how much of the smallest one it is."""


_ONES = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"),
    *("eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen"),
    *("eighteen", "nineteen"),
)
_TENS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
_VALUES = {word: n for n, word in enumerate(_ONES)} | {
    word: 10 * n for n, word in enumerate(_TENS, 2)
}
_SCALES = {"hundred": 100, "thousand": 1000, "million": 1_000_000, "dozen": 12}
_SAID = "|".join((*_VALUES, *_SCALES))
_NUMBER = re.compile(rf"\b(?:{_SAID})(?:(?:\s+and\s+|[\s-]+)(?:{_SAID}))*\b", re.IGNORECASE)
_SMALL = 2
"""One and two are said in general too: "the other one", "two threads at once"."""
_COUNTS = re.compile(r"\b(?:there (?:was|were|are|is)|(?:was|were|are|is) there) $", re.IGNORECASE)
"""What makes a count of a two: "there were two threads". A one is general behind it too."""


def in_digits(text: str) -> str:
    """``text`` with numbers over two, and a two that is a count, in digits and blanks, so that
    every place stays."""

    def digits(match: re.Match[str]) -> str:
        words = re.split(r"[\s-]+", match[0].lower())
        value = _value([word for word in words if word != "and"])
        said = str(value)
        counted = value == _SMALL and _COUNTS.search(text, 0, match.start()) is not None
        if (value <= _SMALL and not counted) or len(said) > len(match[0]):
            return match[0]
        return said + " " * (len(match[0]) - len(said))

    return _NUMBER.sub(digits, text)


def _value(words: list[str]) -> int:
    total = part = 0
    for word in words:
        if word not in _SCALES:
            part += _VALUES[word]
        elif _SCALES[word] > 100:
            total, part = total + max(part, 1) * _SCALES[word], 0
        else:
            part = max(part, 1) * _SCALES[word]
    return total + part


_WORD = re.compile(r"[A-Za-z][A-Za-z'\u2019-]*")
_TOGETHER = re.compile(
    r"(?i)\b(command|thread|double|null|return)[ -](line|pool|free|pointer|address)s?\b"
)
"""What is one thing in two words."""
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_STOP_WORDS = """
a about actually all also altogether am an and any anybody anyone anything are as at be because been
before being but by can could did do does doing done during either else ever every exactly for from
get give given got had has have having he her here him his how however i if in instead into is isn't
it its itself just kind let lies like many may maybe me mean might more most much must my no nor not
now of off on once one only or other our out over please quite really right said saw say see seem
seems she should show so some somebody someone something still such tell than that the their them
then there these they thing think this those though thought through to too total under until up us
very want was wasn't we were what what's when where which while who whom whose why will with would
yes yet you your left
"""
_STOP = frozenset(_STOP_WORDS.split())
NOUNS = frozenset({"total", "left", "right", "most", "kind", "out"})
"""Words that carry no meaning, and that variables are called all the same."""
_GENERAL_WORDS = """
thread threads line lines function functions file files module modules library signal type types
exception kind sort version system process lock locks stack value values address part code would
will could should happened did was is the an it else exactly really frame frames command caller
tool register registers instruction language runtime cause hypothesis evidence mutex monitor class
method object one ones os bug error message program category test tests rwlock semaphore condition
running executing assertion byte bytes print printed
"""
GENERAL = frozenset(_GENERAL_WORDS.split())
"""Things that are told by what they are, not by a value."""
_SAME = {
    # one word for each thing, so that a question and a sentence meet
    "processor": "cpu", "usage": "utilization", "utilisation": "utilization",
    "load": "utilization", "busy": "utilization",
    "mem": "memory", "ram": "memory", "mutexe": "lock", "mutex": "lock", "monitor": "lock",
    "locking": "lock", "locked": "lock", "deadlocked": "deadlock", "semaphore": "lock",
    "died": "crash", "die": "crash", "killed": "crash", "abort": "crash", "aborted": "crash",
    "terminated": "crash", "terminate": "crash", "crashing": "crash", "crashed": "crash",
    "panicked": "crash", "panicking": "crash",
    "end": "crash", "ended": "crash", "stop": "crash", "stopped": "crash",
    "segfault": "crash", "fail": "crash", "failed": "crash",
    "faulting": "fault", "faulted": "fault", "culprit": "cause", "reason": "cause",
    "caused": "cause", "causing": "cause", "root": "cause", "wrong": "cause", "happened": "cause",
    "happen": "cause", "bug": "cause", "problem": "cause", "issue": "cause", "explain": "cause",
    "why": "cause", "backtrace": "stack", "stacktrace": "stack", "callstack": "stack",
    "trace": "stack", "frame": "stack", "called": "stack", "caller": "stack",
    "held": "hold", "holding": "hold", "took": "hold", "taken": "hold",
    "owner": "hold", "own": "hold", "owned": "hold",
    "blocked": "wait", "block": "wait", "blocking": "wait", "stuck": "wait", "waiting": "wait",
    "hang": "wait", "hung": "wait", "hanging": "wait", "waiter": "wait", "waited": "wait",
    "glibc": "message", "libc": "message",
    "lib": "module", "library": "module", "dll": "module",
    "assembly": "module", "loaded": "module",
    "arg": "argument", "args": "argument", "argv": "argument", "parameter": "argument",
    "pass": "argument", "passed": "argument", "passe": "argument",
    "local": "variable", "var": "variable", "reg": "register", "regs": "register",
    "pool": "threadpool", "worker": "threadpool", "item": "queue", "queued": "queue",
    "fix": "advice", "solve": "advice", "repair": "advice", "solution": "advice",
    "recommend": "advice", "recommendation": "advice", "next": "advice", "mend": "advice",
    "recursive": "recursion", "deep": "recursion", "depth": "recursion",
    "threw": "exception", "caught": "exception", "uncaught": "exception", "catch": "exception",
    "assert": "assertion", "asserted": "assertion",
    "thrown": "exception", "throw": "exception", "raised": "exception", "error": "exception",
    "freed": "free", "deleted": "free", "releas": "free", "released": "free",
    "allocated": "allocation", "returned": "return",
    "located": "where", "location": "where", "place": "where", "line": "source",
    "file": "source", "code": "source", "function": "where", "method": "where",
    "incomplete": "truncated", "cut": "truncated", "complete": "truncated", "whole": "truncated",
    "program": "executable", "binary": "executable", "app": "executable",
    "application": "executable", "long": "length", "len": "length", "started": "create",
    "created": "create",
    "disassemble": "instruction", "disassembly": "instruction",
    "spawned": "create", "hypothese": "hypothesis", "suspect": "hypothesis",
    "suspicion": "hypothesis", "suspected": "hypothesis",
}  # fmt: skip
_WHAT_TO_DO = re.compile(
    r"(?i)\bwhat\s+(?:should|can|could|must|do|shall)\s+(?:i|we|one)\s+(?:have\s+to\s+)?"
    r"(?:do|check|try|fix|change|look\s+(?:at|into)|start\s+with)\b"
)
ANYBODY = re.compile(r"(?i)\b(?:any|some)(?:body|one|\s+(?:\w+\s+)?threads?)\b")
_ASKED_WORDS = frozenset({"why", "where"})
COMPARING = frozenset({
    "value", "equal", "same", "pointer", "variable", "member", "field", "argument", "more", "less",
    "greater", "bigger", "higher", "longer", "smaller", "larger", "lower", "fewer", "above",
    "below", "under", "over", "least", "most", "different", "null", "nullptr", "nil", "zero",
    "true", "false", "negative", "positive", "set",
})  # fmt: skip
"""What is said of a value beside the number or the expression that it is compared with."""
ABSTRACT = frozenset({"cause", "advice", "where", "source", "crash", "truncated", "message"})
"""Things that a question names with words which stand in no output."""


def stem(word: str) -> str:
    """A word without its plural, and one word for each thing."""
    word = word.lower().replace("\u2019", "'").removesuffix("'s").strip("'-")
    if word in _SAME:
        return _SAME[word]
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    if len(word) > 3 and word.endswith("ie"):  # as of "entries"; "cookie" has no other plural
        word = f"{word[:-2]}y"
    return _SAME.get(word, word)


def content_words(text: str) -> frozenset[str]:
    """What a text speaks of; of its question words those that ask for something of their own."""
    found = set()
    apart = _CAMEL.sub(" ", text)
    for match in _WORD.finditer(_TOGETHER.sub(r"\1\2", apart)):
        word = match[0].lower()
        if word in _ASKED_WORDS or (word not in _STOP and len(word) > 1):
            found.add(stem(word))
    if _WHAT_TO_DO.search(text):
        found.add("advice")
    return frozenset(found)


def search_words(words: frozenset[str]) -> list[str]:
    """The words under which an output may speak of the same things."""
    found = [word for word in sorted(words) if word not in ABSTRACT]
    found += ["command line"] if "commandline" in words else []
    return found + [other for other, word in _SAME.items() if word in words - ABSTRACT]


def is_stop(word: str) -> bool:
    """True for a word of English that carries no meaning here."""
    return word.lower() in _STOP


def is_plain(word: str) -> bool:
    """True for a word of English, or one that asks what kind of thing something is."""
    word = word.lower()
    return word in _STOP or word in GENERAL or word.removesuffix("s") in GENERAL


def is_general(word: str) -> bool:
    """True for words of any language about programs, and of English: no names of a program."""
    return is_plain(word) or word.lower() in _SAME
