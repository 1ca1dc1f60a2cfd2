"""A remote procedure call whose server does not answer."""

from analyzers.patterns.base import OneRound
from analyzers.patterns.windows.case import WindowsCase
from analyzers.patterns.windows.locks import with_prompt
from analyzers.patterns.words import (
    confirmed,
    in_frame,
    in_place,
    inconclusive,
    of,
    rejected,
    shown,
)
from workbench.claims.say import say
from workbench.model.category import Category
from workbench.model.claims import Claim
from workbench.model.facts import FactBook, Frame, RpcCell, Stack
from workbench.model.hypothesis import Proposal, Rung, Verdict

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


class StuckCall(OneRound):
    """A client's thread inside a remote call."""

    category = Category.BLOCKED_ON_IO

    def propose(self, facts: FactBook) -> Proposal | None:
        """When a thread waits in the RPC runtime and no exception ended the process."""
        case = WindowsCase(facts)
        stack = waiting(case)
        if stack is None or case.record is not None:
            return None
        return Proposal(
            category=self.category,
            statement="A remote procedure call waits for a server that does not answer.",
            confidence=0.85,
            tests=(),
            citations=of(stack) + tuple(c for cell in facts.all(RpcCell)[:4] for c in of(cell)),
        )

    def evaluate(self, facts: FactBook) -> Verdict:
        """Confirmed by the client's stack; the server's thread is named where cells tell it."""
        case = WindowsCase(facts)
        stack = waiting(case)
        if stack is None:
            return rejected("No thread waits for a remote call.", of(case.stack), rung=Rung.STACK)
        cells = case.facts.all(RpcCell)
        frame = _caller(stack, case)
        thread = next((c for c in cells if c.kind == "thread" and c.thread), None)
        claims = [
            in_place(case, self.category, frame, how="rpc", cites=of(stack)),
            *_served(cells),
            *in_frame(stack, frame, with_prompt(stack)),
        ]
        if not cells:
            return inconclusive(
                case,
                "A thread waits for a remote call, but not which server it asked.",
                ("the call's cell and the server's stack",),
                confidence=0.55,
                supporting=of(stack),
                claims=claims,
                frame=frame,
            )
        return confirmed(
            case,
            Rung.STRUCTURE,
            0.85 if thread is not None else 0.7,
            claims,
            reason="The client waits for the answer, and the server has the call.",
            frame=frame,
            missing=("the stack of the server's thread",),
            recommendations=(
                "Attach to the server and look at the servicing thread's stack: it is what the "
                "client waits for.",
            ),
        )


def _served(cells: list[RpcCell]) -> list[Claim]:
    """Where the call goes, and which process and thread serve it."""
    call = next((c for c in cells if c.kind == "stack"), None)
    place = next((c for c in cells if c.kind in ("call", "endpoint") and c.process), None)
    thread = next((c for c in cells if c.kind == "thread" and c.thread), None)
    serving = next((c for c in cells if c.kind == "cell" and c.servicing), None)
    claims = []
    if call is not None:
        claims = [say("rpc", of(call), endpoint=call.endpoint, call=call.call,
                      interface=call.interface, procedure=call.procedure)]  # fmt: skip
    if place is not None:
        claims.append(say("rpc", of(place), process=place.process))
    if thread is not None:
        claims.append(say("rpc", of(thread), thread=shown(thread.thread)))
    if serving is not None:
        claims.append(say("rpc", of(serving), status=serving.status, servicing=serving.servicing))
    return claims
