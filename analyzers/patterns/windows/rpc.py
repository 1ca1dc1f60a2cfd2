"""A remote procedure call whose server does not answer."""

from analyzers.patterns.cause import Open, Proof
from analyzers.patterns.windows.case import WindowsCase, WindowsCause
from analyzers.patterns.windows.locks import with_prompt
from analyzers.patterns.words import in_frame, of, shown
from workbench.claims.say import say
from workbench.model.category import Category
from workbench.model.claims import Claim
from workbench.model.facts import Frame, RpcCell, Stack
from workbench.model.hypothesis import Rung

_CALLS = ("NdrClientCall", "NdrSendReceive", "I_RpcSendReceive", "OSF_CCALL", "LRPC_CCALL",
          "LRPC_BASE_CCALL", "NdrDcomAsync", "CRpcChannelBuffer", "LRPC_CASSOCIATION")  # fmt: skip
_WAITS = ("WaitForSingleObject", "AlpcSendWait", "RequestWaitReply", "RemoveIoCompletion",
          "WaitForMultipleObjects", "ReplyWaitReceive")  # fmt: skip


def waiting(case: WindowsCase) -> Stack | None:
    """A thread that waits for the answer to a remote call."""
    for stack in case.facts.all(Stack):
        names = [frame.function or "" for frame in stack.frames]
        waits = any(word in name for name in names[:4] for word in _WAITS)
        calls = any(name.startswith(_CALLS) for name in names)
        if waits and calls:
            return stack
    return None


def _caller(stack: Stack, case: WindowsCase) -> Frame | None:
    """The frame outside of the RPC runtime that made the call."""
    inside = [f.index for f in stack.frames if (f.function or "").startswith(_CALLS)]
    for frame in stack.frames:
        if frame.index > max(inside, default=-1) and (frame.function or frame.module):
            return frame
    return case.application(stack)


def _served(cells: list[RpcCell]) -> list[Claim]:
    """Where the call goes, and which process and thread serve it."""
    call = next((c for c in cells if c.kind == "stack"), None)
    place = next((c for c in cells if c.kind in ("call", "endpoint") and c.process), None)
    thread = next((c for c in cells if c.kind == "thread" and c.thread), None)
    serving = next((c for c in cells if c.kind == "cell" and c.servicing), None)
    claims = []
    if call is not None:
        claims = [
            say(
                "rpc",
                of(call),
                endpoint=call.endpoint,
                call=call.call,
                interface=call.interface,
                procedure=call.procedure,
            )
        ]
    if place is not None:
        claims.append(say("rpc", of(place), process=place.process))
    if thread is not None:
        claims.append(say("rpc", of(thread), thread=shown(thread.thread)))
    if serving is not None:
        claims.append(say("rpc", of(serving), status=serving.status, servicing=serving.servicing))
    return claims


def _cells(case: WindowsCase) -> list[RpcCell]:
    return case.facts.all(RpcCell)


def _call(case: WindowsCase, stack: Stack) -> list[Claim]:
    frame = in_frame(stack, _caller(stack, case), with_prompt(stack))
    return [*_served(_cells(case)), *frame]


def _frame(case: WindowsCase, stack: Stack) -> Frame | None:
    return _caller(stack, case)


def _servant(case: WindowsCase, _: object) -> float:
    known = any(cell.kind == "thread" and cell.thread for cell in _cells(case))
    return 0.85 if known else 0.7


STUCK_CALL = WindowsCause(
    Category.BLOCKED_ON_IO,
    "A client's thread inside a remote call.",
    statement="A remote procedure call waits for a server that does not answer.",
    sign=lambda case: waiting(case) if case.record is None else None,
    prior=0.85,
    cites=lambda case, stack: of(stack) + tuple(c for cell in _cells(case)[:4] for c in of(cell)),
    findings=(
        Proof(lambda case: waiting(case) if _cells(case) else None,
              "The client waits for the answer, and the server has the call.", _servant,
              Rung.STRUCTURE, "rpc", _call, frame=_frame,
              missing="the stack of the server's thread",
              advice="Attach to the server and look at the servicing thread's stack: it is what "
              "the client waits for."),
        Open(waiting, "A thread waits for a remote call, but not which server it asked.", 0.55,
             how="rpc", told=_call, support=lambda _, stack: of(stack), frame=_frame,
             missing="the call's cell and the server's stack"),
    ),
    absent="No thread waits for a remote call.",
    unseen=lambda case: of(case.stack),
    rung=Rung.STACK,
)  # fmt: skip
