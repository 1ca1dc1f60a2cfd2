"""What a server's refusal means: which kind of fault, whether asking again helps, and whether it
is one part of the request that it does not know."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from workbench.llm.errors import Excess, Fault

_SHOWN = 300  # characters of a server's own words in a message


class Part(StrEnum):
    """Parts of a request that some servers or models refuse."""

    TEMPERATURE = "temperature"
    MAX_TOKENS = "max_tokens"
    MAX_COMPLETION_TOKENS = "max_completion_tokens"
    EFFORT = "reasoning_effort"
    STREAM_OPTIONS = "stream_options"
    STREAM = "stream"
    TOOL_CHOICE = "tool_choice"
    TOOLS = "tools"
    FORMAT = "response_format"


@dataclass(eq=False)
class Trouble(Exception):
    """One request that failed. ``again`` says that it may be sent again, ``tries`` how often in all
    where that is less than usual; ``part`` is what the server does not take, ``opaque`` that it
    refused the request without saying why; ``excess`` by how much the context is too small."""

    fault: Fault
    why: str
    again: bool = False
    tries: int | None = None
    retry_after: float | None = None
    part: Part | None = None
    opaque: bool = False
    status: int | None = None
    excess: Excess | None = None

    def __str__(self) -> str:
        return self.why


class Halted(Exception):
    """What ``before_send`` raised; nothing was sent."""

    def __init__(self, error: Exception) -> None:
        super().__init__("nothing was sent")
        self.error = error


class TooMuch(Exception):
    """An answer of more bytes than are read."""


class TooSlow(Exception):
    """An answer that comes for longer than anyone waits."""


@dataclass(frozen=True)
class Refusal:
    """A server's answer with an error status. ``param`` is the field that it names, if any."""

    status: int
    text: str
    code: str = ""
    param: str = ""
    retry_after: float | None = None


_TOO_LONG = re.compile(
    r"(?i)context[ _](?:length|size|window)|maximum context|too many tokens|"
    r"(?:prompt|input|request|message)s? (?:is|are) too (?:long|large)|exceed_context|"
    r"string_above_max_length|input length"
)
_CONTEXT = re.compile(
    r"(?i)(?:context[ _](?:length|size|window)(?: is| of)?[\s:(]{1,3}|> )(\d{1,9})\b"
)
_NUMBER = re.compile(r"\b\d{1,9}\b")
_DECLINED = re.compile(r"content[ _](?:filter|policy|management)|moderation|flagged", re.I)
_NO_MODEL = re.compile(r"model\b.{0,120}?(?:not found|does not exist|not exist|unknown)", re.I)

# Looked for in this order: the first that is named and was sent is the one.
_NAMES: tuple[tuple[Part, re.Pattern[str]], ...] = (
    (Part.STREAM_OPTIONS, re.compile(r"stream_options|include_usage", re.I)),
    (Part.TOOL_CHOICE, re.compile(r"tool[_ ]choice", re.I)),
    (Part.TEMPERATURE, re.compile(r"temperature", re.I)),
    (Part.MAX_TOKENS, re.compile(r"max_tokens|completion tokens|in the completion", re.I)),
    (
        Part.MAX_COMPLETION_TOKENS,
        re.compile(r"max_completion_tokens|completion tokens|in the completion", re.I),
    ),
    (Part.EFFORT, re.compile(r"reasoning|effort|\bthink", re.I)),
    (Part.STREAM, re.compile(r"\bstream(?:ing)?\b", re.I)),
    (Part.TOOLS, re.compile(r"\btools?\b|function[ _]call", re.I)),
    (
        Part.FORMAT,
        re.compile(
            r"(?i)response_format|json[_ ](?:schema|object|mode)|structured|grammar|\bformat\b"
        ),
    ),
)


def read_refusal(refusal: Refusal, request: Mapping[str, object]) -> Trouble:
    """What an error status means for this request."""
    status, said = refusal.status, _said(refusal)
    words = f"{refusal.code} {refusal.param} {refusal.text}"
    if status in (400, 404, 405, 413, 415, 422, 500, 501):
        part = _named(words, request)
        if part is not None:
            return Trouble(Fault.UNSUPPORTED, f"{status}{said}", part=part)
    if status == 413 or (status in (400, 422, 500) and _TOO_LONG.search(words)):
        why = f"the question does not fit its context{said}"
        return Trouble(Fault.TOO_LONG, why, excess=_excess(words))
    if status in (400, 403) and _DECLINED.search(words):
        return Trouble(Fault.DECLINED, f"it declined{said}")
    if status in (401, 403):
        return Trouble(Fault.REFUSED_KEY, f"the key was refused ({status}): check the setting")
    if status == 402 or "insufficient_quota" in words:
        return Trouble(Fault.BUSY, f"the account cannot pay ({status}){said}")
    if status in (429, 503, 529):
        why = "too many requests" if status == 429 else "overloaded"
        return Trouble(
            Fault.BUSY, f"{why} ({status}){said}", again=True, retry_after=refusal.retry_after
        )
    if 300 <= status < 400:
        return Trouble(Fault.UNREACHABLE, f"it redirects ({status}), which is not followed{said}")
    if status == 404:
        known = _NO_MODEL.search(words) is not None
        why = "no such model" if known else "no such address or model"
        return Trouble(Fault.UNREACHABLE, f"{why} (404){said}", opaque=not known, status=status)
    if status in (400, 405, 415, 422, 501):
        return Trouble(Fault.REFUSED, f"it refused the request ({status}){said}", opaque=True)
    return Trouble(
        Fault.UNREACHABLE,
        f"the server failed ({status}){said}",
        again=status in (408, 409, 425) or status >= 500,
        retry_after=refusal.retry_after,
    )


def _excess(words: str) -> Excess | None:
    """The context and what was sent, where a refusal names both: llama.cpp ("request (2705 tokens)
    exceeds the available context size (2048 tokens)"), OpenAI, Anthropic ("210000 tokens > 200000
    maximum")."""
    found = _CONTEXT.search(words[:2000])
    if found is None:
        return None
    context = int(found[1])
    most = max(int(number) for number in _NUMBER.findall(words[:2000]))
    return Excess(most, context) if 0 < context < most else None


_TITLE = re.compile(r"<title>([^<]{0,300})", re.I)
_CODE = re.compile(r"^(?:(?:http|error|status|code)[\s:]*){0,3}(?P<code>[1-5]\d\d)\b[\s:.-]*", re.I)


def _said(refusal: Refusal) -> str:
    """A server's own words behind a colon; of a page its title, and the status not once more."""
    text = refusal.text
    title = _TITLE.search(text) if text.lstrip().startswith("<") else None
    line = one_line(title[1] if title is not None else text)
    code = _CODE.match(line)
    if code is not None and code["code"] == str(refusal.status):
        line = line[code.end() :]
    return f": {line}" if line else ""


def _named(words: str, request: Mapping[str, object]) -> Part | None:
    for part, pattern in _NAMES:
        if part in request and pattern.search(words):
            return part
    return None


def one_line(text: str) -> str:
    """A server's words as one short line without control characters."""
    printable = "".join(c if c.isprintable() else " " for c in text[: 4 * _SHOWN])
    line = " ".join(printable.split())
    return f"{line[:_SHOWN]}…" if len(line) > _SHOWN else line
