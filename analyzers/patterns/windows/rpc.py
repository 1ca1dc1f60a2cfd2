"""A remote procedure call whose server does not answer."""

from analyzers.patterns.base import OneRound
from analyzers.patterns.windows.case import WindowsCase
from analyzers.patterns.windows.locks import with_prompt
from analyzers.patterns.words import Cites, claim, confirmed, inconclusive, of, rejected
from workbench.model.category import Category
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
        call = next((c for c in cells if c.kind == "stack"), None)
        frame = _caller(stack, case)
        where = case.where(frame)
        who = f"client thread {stack.number}" if stack.number is not None else "a client thread"
        text = f"Stuck RPC call: {who} waits in a call from {where.text}"
        cites = [with_prompt(stack), where.cites]
        if call is not None:
            text += f' to endpoint "{call.endpoint}"'
            cites.append(of(call))
        served = _served(case)
        claims = [claim(text + f"{served[0]}.", *cites, *served[1])]
        if call is not None and call.interface:
            claims.append(
                claim(
                    f"The call has number {call.call}, interface `{call.interface}` and procedure "
                    f"{call.procedure or 0}.",
                    of(call),
                )
            )
        thread = next((c for c in cells if c.kind == "thread" and c.thread), None)
        serving = next((c for c in cells if c.kind == "cell" and c.servicing), None)
        if serving is not None:
            claims.append(
                claim(
                    f'The call\'s cell is "{serving.status}" and names the servicing thread '
                    f"`{serving.servicing}`: the server took the call and did not return from it.",
                    of(serving),
                )
            )
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


def _served(case: WindowsCase) -> tuple[str, list[Cites]]:
    """Which process and thread serve the call, with their lines."""
    cells = case.facts.all(RpcCell)
    place = next((c for c in cells if c.kind in ("call", "endpoint") and c.process), None)
    thread = next((c for c in cells if c.kind == "thread" and c.thread), None)
    if place is None and thread is None:
        return "", []
    text = "; it is served"
    if place is not None:
        text += f" by process {place.process:#x}"
    if thread is not None:
        text += f" in thread {thread.thread:#x}, which does not return"
    return text, [of(place), of(thread)]
