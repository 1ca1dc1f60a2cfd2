"""Lines that a collector wrapped in a format of its own: JSON objects, strings with escapes, the
messages of CI systems. `RECORDS` is their table."""

import json
import re
from collections.abc import Callable
from contextlib import suppress
from typing import Any, NamedTuple


class Told(NamedTuple):
    """The lines that a record holds; ``open`` where the next record goes on with the last one.
    ``trace``: how many of the last ones a logger gave as an exception's trace."""

    lines: list[str]
    open: bool = False
    trace: int = 0

    @property
    def fronts(self) -> list[int]:
        """What stood before each line: the record before its first one, less for a trace."""
        said = len(self.lines) - self.trace
        return ([1] + [0] * (said - 1) if said else []) + [-1] * self.trace


Read = Callable[[str], Told | None]

# The keys under which a JSON object has what the program wrote (docker, ELK, journald, zap, bunyan,
# Google, AWS, Splunk, GELF), those of objects around it, and those of a trace beside it.
_MESSAGE = ("log", "message", "msg", "MESSAGE", "textPayload", "@message", "_raw", "full_message",
            "short_message", "event_message", "Message", "@m", "@mt", "text", "line",
            "body")  # fmt: skip
_AROUND = ("jsonPayload", "_source", "fields", "result", "record", "event", "data")
_TRACE = ("stack_trace", "stacktrace", "stackTrace", "stack", "traceback", "exc_info", "exc_text",
          "exception", "@x", "error.stack_trace", "backtrace", "error", "thrown", "err",
          "attr")  # fmt: skip
# Reports that are JSON themselves: breakpad's, Apple's.
_OWN = frozenset({"crash_info", "bug_type", "app_name", "procName", "share_with_app_devs"})
_SPLIT_BY_DOCKER = 16_000
"""docker's json-file writes no more than 16 KiB of a line into one record."""
_DEEPEST = 3
_MANY = 3
"""Line breaks in a line, more than a program of web pages would have in its source."""

_ESCAPED = re.compile(r"\\(x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|[0-7]{1,3}|.)", re.DOTALL)
_LETTERS = {"n": "\n", "t": "\t", "r": "", "0": "", "a": "", "b": "", "f": "", "v": "", "e": ""}
_QUOTED = re.compile(
    r"^[\[( ]{0,3}(?:(?:std(?:err|out)|output|out|err|log|text) ?[=:] ?)?[bru]?"
    r"(?P<quote>['\"])(?P<body>.*)(?P=quote)[,\]) ]{0,3}$"
)
_ITEM = re.compile(r"'((?:[^'\\]|\\.)*)'|\"((?:[^\"\\]|\\.)*)\"")
_MI = re.compile(r'^[~@&]"(?P<body>.*)"$')
_LOGFMT = re.compile(
    r"^(?:(?:time|ts|t|level|lvl|caller|logger|source)=(?:\"[^\"\n]{0,200}\"|[^\s\"]{0,200}) ){1,6}"
    r"msg=(?:\"(?P<body>(?:[^\"\\]|\\.)*)\"|(?P<word>[^\s&\"]+))(?=$| [\w.]+=)"
)
_TEAMCITY = re.compile(r" (?:out|details|text|message|errorDetails)='((?:[^'|]|\|.)*)'")
_BAR = re.compile(r"\|(0x[0-9a-fA-F]{4}|.)")
_WORKFLOW = re.compile(
    r"^(?:::(?:error|warning|notice|debug)(?: [^\n]{0,400}?)?::|"
    r"##vso\[[a-z.]{1,40} [^\]\n]{0,400}\])(?P<body>.*)$"
)
_CRI = re.compile(
    r"^(?:\d{4}-\d\d-\d\dT[\d:.]{8,20}\S{1,6} )?std(?:out|err) (?P<tag>[FP])(?: (?P<body>.*))?$"
)
_OCTAL = re.compile(r"#01[12]")
_BREAK = re.compile(r"<br ?/?>")


def _unescape(body: str) -> str:
    def one(match: re.Match[str]) -> str:
        what = match[1]
        if what[0] in "xu" and len(what) > 1:
            return chr(int(what[1:], 16))
        if what[0].isdigit() and what != "0":
            return chr(int(what, 8)) if set(what) <= set("01234567") else what
        return _LETTERS.get(what, what)

    return _ESCAPED.sub(one, body)


def _decoded(text: str) -> str:
    """Text whose characters were written as the bytes of UTF-8."""
    with suppress(UnicodeError):
        return text.encode("latin-1").decode("utf-8")
    return text


def _lines(text: str) -> list[str]:
    return [line.rstrip("\r") for line in text.rstrip("\n").split("\n")]


def _json(line: str) -> Told | None:
    text = line.strip().rstrip(",")
    if not text.endswith(("}", "}]")):
        return None
    try:
        raw = json.loads(text)
    except (ValueError, RecursionError):
        return None
    objects = raw if isinstance(raw, list) else [raw]
    told = [_said(each, 0) if isinstance(each, dict) else None for each in objects]
    kept = [one for one in told if one is not None]
    if not kept:
        return None
    last = raw.get("log") if isinstance(raw, dict) else None
    unfinished = isinstance(last, str) and not last.endswith("\n") and len(last) >= _SPLIT_BY_DOCKER
    traced = kept[-1][1] if len(kept) == 1 else 0
    return Told([line for text, _ in kept for line in _lines(text)], unfinished, traced)


def _said(record: dict[str, Any], depth: int) -> tuple[str, int] | None:
    """What a record's program wrote, and how many of its last lines are a trace's."""
    if depth > _DEEPEST or _OWN & record.keys():
        return None
    if isinstance(attr := record.get("attr"), dict) and "frame" in attr:
        return None  # a frame of mongod's
    said = (text for key in _MESSAGE if (text := _text(record.get(key))) is not None)
    found, traced = next(said, None), 0
    if found and isinstance(attr, dict) and {"file", "line"} <= attr.keys():
        # A check of mongod's, in the order that it wrote them in before 4.4.
        parts = (attr.get(key) for key in ("expr", "msgid", "file", "line"))
        found = " ".join([found, *(str(part) for part in parts if part is not None)])
    if found is None:
        within = (_said(v, depth + 1) for k in _AROUND if isinstance(v := record.get(k), dict))
        found, traced = next((one for one in within if one is not None), (None, 0))
    for key in _TRACE:
        trace = record.get(key)
        if isinstance(trace, dict):
            trace = next((t for k in (*_TRACE, "message") if (t := _text(trace.get(k)))), None)
        trace = _text(trace)
        if trace and "\n" in trace:
            whole = f"{found.rstrip()}\n{trace}" if found and found not in trace else trace
            return whole, len(_lines(trace))
    return None if found is None else (found, traced)


def _text(value: object) -> str | None:
    """A string; journald writes one that is no UTF-8 as a list of bytes."""
    if (
        isinstance(value, list)
        and value
        and all(isinstance(b, int) and 0 <= b < 256 for b in value)
    ):
        return bytes(value).decode("utf-8", "replace")
    return value if isinstance(value, str) else None


def _string(line: str) -> Told | None:
    match = _QUOTED.match(line)
    body = match["body"] if match is not None else ""
    if line[0] in "[(" and line.endswith(("']", '"]', "')", '")')):
        body = "".join(single or double for single, double in _ITEM.findall(line)) or body
    return Told(_lines(_decoded(_unescape(body)))) if "\\n" in body else None


def _machine(line: str) -> Told | None:
    match = _MI.match(line)
    return Told(_lines(_decoded(_unescape(match["body"])))) if match is not None else None


def _logfmt(line: str) -> Told | None:
    match = _LOGFMT.match(line)
    if match is None:
        return None
    return Told(_lines(_unescape(match["body"])) if match["body"] is not None else [match["word"]])


def _teamcity(line: str) -> Told | None:
    def one(match: re.Match[str]) -> str:
        what = match[1]
        return chr(int(what, 16)) if len(what) > 1 else {"n": "\n", "r": ""}.get(what, what)

    values = _TEAMCITY.findall(line[:LONGEST]) if line.startswith("##teamcity[") else []
    return Told([each for v in values for each in _lines(_BAR.sub(one, v))]) if values else None


def _workflow(line: str) -> Told | None:
    match = _WORKFLOW.match(line)
    if match is None or (line.endswith("<br/>") and line.count("<br/>") == 1):
        return None  # a page's break stands outside of the record
    return Told(_lines(match["body"].replace("%0D", "").replace("%0A", "\n").replace("%25", "%")))


def _cri(line: str) -> Told | None:
    match = _CRI.match(line)
    if match is None or (match["tag"] == "P" and line.endswith("<br/>")):
        return None  # as above
    return Told([match["body"] or ""], match["tag"] == "P")


def _octal(line: str) -> Told | None:
    return Told(line.replace("#011", "\t").split("#012")) if _OCTAL.search(line) else None


def _html(line: str) -> Told | None:
    parts = _BREAK.split(line)
    ends = not parts[-1].strip()
    return Told(parts[:-1] if ends else parts) if ends or len(parts) > _MANY else None


LONGEST = 1 << 20
"""Characters of a record that are read."""
# Name; how its lines begin, or what stands anywhere in them; its reader.
RECORDS: tuple[tuple[str, str, str, Read], ...] = (
    ("JSON: docker, ELK, journald", "{[", "", _json),
    ("Kubernetes (CRI)", "12s", "", _cri),
    ("a string of Python", "'\"bru[(seolt", "", _string),
    ("gdb's machine interface", "~@&", "", _machine),
    ("logfmt", "tlc", "", _logfmt),
    ("TeamCity's service message", "#", "", _teamcity),
    ("GitHub's and Azure's commands", ":#", "", _workflow),
    ("rsyslog's octal escapes", "", "#01", _octal),
    ("HTML's line breaks", "", "<br", _html),
)
_BY_FIRST: dict[str, tuple[Read, ...]] = {
    char: tuple(read for _, chars, _, read in RECORDS if char in chars)
    for char in {char for _, chars, _, _ in RECORDS for char in chars}
}
_ANYWHERE = tuple((word, read) for _, _, word, read in RECORDS if word)


def told_by(line: str) -> Told | None:
    """What a line holds that is a record; None for any other line. Never raises."""
    for read in _BY_FIRST.get(line[:1], ()):
        told = read(line[:LONGEST])
        if told is not None:
            return told
    for word, read in _ANYWHERE:
        told = read(line[:LONGEST]) if word in line else None
        if told is not None:
            return told
    return None
