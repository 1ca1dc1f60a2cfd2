"""How each tool's report begins: the patterns of ``signs.txt``, tried in that order."""

from pathlib import Path

from workbench.model.ended import ENDED, unnamed
from workbench.model.lists import parts_of
from workbench.model.text import ARM_FAULT, POWERPC_FAULT, REFERENCED

# What a framework says right above the trace of an exception that it caught: what was asked for
# failed, and the process goes on.
HANDLED: tuple[tuple[str, str], ...] = (
    ("Celery (app/trace.py)", r"Task \S{1,200}\[[\w-]{1,60}\] (?:raised |retry: |internal error)"),
    ("RQ, Huey, Dramatiq, APScheduler", r"exception raised while executing \(|"
     r"Unhandled exception in task |Failed to process message .{1,200} with unhandled exception|"
     r"^Job \".{1,200}\" raised an exception"),
    ("Flask, Django, Tornado", r"^Exception on \S{1,400} \[[A-Z]{3,8}\]|^Internal Server Error: /|"
     r"^Uncaught exception [A-Z]{3,8} /"),
    ("Starlette, aiohttp, gunicorn, waitress", r"Exception in ASGI application|"
     r"Error handling request|^Exception while serving /"),
    ("asyncio, gRPC, socketserver", r"^(?:future|handle|protocol|task|transport): <|"
     r"^Exception calling application: |^Exception occurred during processing of request from "),
    ("ASP.NET Core", r"An unhandled exception (?:was thrown by the application|"
     r"has occurred while executing the request)\."),
    ("Tomcat, Spring", r"^Servlet\.service\(\) for servlet \[.{1,200}threw exception|"
     r"^Unexpected (?:error|exception) occurred (?:in scheduled task|invoking async method)"),
)  # fmt: skip

HEADLESS = "a stack without its first line"
NAMED = "a Windows exception by its name"
CALLERS = "gdb's stack without its innermost frames"
REGION = "the rest of AddressSanitizer's report"
INSIDE = frozenset({HEADLESS, NAMED, CALLERS, REGION})
"""Begin a report only where none is open: their lines stand in whole ones, too."""
_EXCEPTIONS = (
    r"EXCEPTION_(?:ACCESS_VIOLATION|STACK_OVERFLOW|INT_DIVIDE_BY_ZERO|ILLEGAL_INSTRUCTION)"
)
_RAISED = (
    r"(?i:^|[(<\x22:=,]|\b(?:caught|code|crash(?:ed)?|error|exception|got|raised|signal|with|"
    r"0xc0\w{6}))"
    rf" {{0,4}}{_EXCEPTIONS}\b(?![^\n]*EXCEPTION_[A-Z])"
    r"(?:[)>\x22\]!., ]{0,4}$| ?>>|\)| (?:at|read|writ|when|while|in|on)|"
    r"[ :,(-]{1,3}(?:0[xX]|[Cc]0|\())"
)
"""What a handler writes of one that came, and no line that speaks of the name alone."""


def _signs() -> tuple[tuple[str, str, tuple[str, ...]], ...]:
    """Each part of the file: whose report it is, what it is called, and how it begins. What other
    rooms know the words of too stands there by its name."""
    text = Path(__file__).with_name("signs.txt").read_text(encoding="utf-8")
    for name, patterns in (
        ("ARM_FAULT", [ARM_FAULT]),
        ("ENDED", [unnamed(words) for _, _, words in ENDED]),
        ("POWERPC_FAULT", [POWERPC_FAULT]),
        ("RAISED", [_RAISED]),
        ("REFERENCED", ["|".join(REFERENCED)]),
    ):
        text = text.replace(f"<<{name}>>", "\n".join(patterns))
    heads = ((head.split(": ", 1), patterns) for head, patterns in parts_of(text))
    return tuple((host, title, patterns) for (host, title), patterns in heads)


SIGNS = _signs()
