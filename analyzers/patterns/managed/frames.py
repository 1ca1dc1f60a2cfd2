"""Managed stacks: which frame is the application's, and what a blocked one waits for."""

import re

from analyzers.owners.managed import is_framework
from workbench.model.facts import Frame, Stack

# lock (…), before and with .NET 9's System.Threading.Lock.
_ENTER = re.compile(
    r"^System\.Threading\.(?:Monitor\.(?:Reliable)?(?:Try)?Enter(?:Timeout|_\w+)?|Lock\.(?:Try)?Enter\w*)$"
)
_PULSE = re.compile(r"^System\.Threading\.Monitor\.(?:Obj)?Wait$")
_TASK = re.compile(
    r"^System\.Threading\.Tasks\.Task(?:`\d\[\[.*\]\])?\.(?:Wait|WaitAll|WaitAllCore|WaitAny|InternalWait"
    r"|InternalWaitCore|SpinThenBlockingWait|GetResultCore|get_Result|WaitAllBlockingCore)$"
    r"|^System\.Runtime\.CompilerServices\.(?:Configured)?(?:Value)?Task\w*(?:`\d\[\[.*\]\])?(?:\+\w+)?"
    r"(?:`\d\[\[.*\]\])?\.(?:GetResult|HandleNonSuccessAndDebuggerNotification|ThrowForNonSuccess)$"
)
_DISPATCH = re.compile(
    r"^System\.Threading\.(?:ThreadPoolWorkQueue\.Dispatch|_ThreadPoolWaitCallback\."
    r"PerformWaitCallback\w*|PortableThreadPool\+WorkerThread\.\w+)$"
)
_IDLE = re.compile(r"^System\.Threading\.LowLevelLifoSemaphore\.\w+$")
_WAITS = re.compile(
    r"^System\.Threading\.(?:WaitHandle\.\w+|Thread\.(?:Sleep\w*|Join\w*)|ManualResetEventSlim\.Wait"
    r"|SemaphoreSlim\.Wait\w*|ReaderWriterLock(?:Slim)?\.\w+|CountdownEvent\.Wait|Barrier\.\w+"
    r"|SpinWait\.\w+|LowLevelMonitor\.\w+)$"
    r"|^Internal\.Runtime\.Augments\.RuntimeThread\.(?:JoinInternal|SleepInternal)$"
    r"|^System\.Net\.Sockets\.|^System\.Data\.SqlClient\.|^Microsoft\.Data\.SqlClient\.|^Interop\+"
)
_NEAR = 8
"""Frames from the top in which the blocking call of a stack is looked for."""


def application(frames: tuple[Frame, ...], below: int = -1) -> Frame | None:
    """The innermost frame of the application's own code, outside of the frame ``below``."""
    for frame in frames:
        if frame.index > below and not is_framework(frame):
            return frame
    return None


def _first(stack: Stack | None, pattern: re.Pattern[str], near: int = _NEAR) -> Frame | None:
    for frame in stack.frames[:near] if stack is not None else ():
        if frame.function is not None and pattern.match(frame.function):
            return frame
    return None


def entering(stack: Stack | None) -> Frame | None:
    """The frame in which a thread waits to enter a monitor."""
    return _first(stack, _ENTER)


def awaiting_pulse(stack: Stack | None) -> Frame | None:
    """The frame in which a thread gave its monitor up and waits to be pulsed."""
    return _first(stack, _PULSE)


def awaiting_task(stack: Stack | None) -> Frame | None:
    """The outermost frame near the top in which a thread blocks on a task."""
    found = None
    for frame in stack.frames[:16] if stack is not None else ():
        if frame.function is None or not is_framework(frame):
            break
        if _TASK.match(frame.function):
            found = frame
    return found


def blocking(stack: Stack | None) -> Frame | None:
    """The frame of any blocking call near the top."""
    return entering(stack) or awaiting_pulse(stack) or _first(stack, _WAITS)


def is_worker(stack: Stack) -> bool:
    """True when a stack runs a work item of the thread pool, or waits for one."""
    return any(f.function is not None and _DISPATCH.match(f.function) for f in stack.frames)


def is_idle(stack: Stack) -> bool:
    """True for a pool thread that waits for work."""
    return _first(stack, _IDLE) is not None or len(stack.frames) < 2
