"""Cases that need no dump: what the policy says of a command, what redaction leaves of a text."""

from collections.abc import Callable

from workbench.debuggers.authored import authored
from workbench.debuggers.policy import check
from workbench.evaluate.records import Capture
from workbench.evaluate.schema import Case
from workbench.llm.redaction.redactor import Redactor


def _policy(case: Case) -> Capture:
    """The policy's answer for the engine; with the change ``by-model`` what a model may send."""
    if "by-model" in case.changes and authored(case.text) is not None:
        return Capture(id=case.id, answer="refuse")
    return Capture(id=case.id, answer=check(case.text, case.debugger).answer.value)


def _redaction(case: Case) -> Capture:
    return Capture(id=case.id, left=Redactor().redact(case.text))


KINDS: dict[str, Callable[[Case], Capture]] = {"policy": _policy, "redaction": _redaction}
