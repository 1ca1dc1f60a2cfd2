"""What gdb printed without a command: ``set logging`` output, a pasted backtrace, a run."""

from msgspec.structs import replace

from analyzers.base import Analysis, Document, Settled
from analyzers.gdb.locks import read_owners
from analyzers.gdb.modules import read_modules
from analyzers.gdb.registers import GdbRegisters
from analyzers.gdb.stacks import GdbStacks
from analyzers.gdb.threads import GdbThreads
from workbench.model.facts import AnyFact, Stack, StackGroups

_RUNS = frozenset(
    {"(log)", "(no", "run", "r", "c", "continue", "start", "core", "core-file", "attach"}
)


class LogGdb(Settled):
    """Reads every stack, register and thread of a text that holds all of them."""

    name = "log-gdb"

    def can_analyze(self, document: Document) -> bool:
        """True for recorded text of gdb that answers no command of its own."""
        words = document.command.split(None, 1)
        return document.host == "gdb" and bool(words) and words[0] in _RUNS

    def analyze(self, document: Document) -> Analysis:
        """The longest stack without a thread's header is the one that gdb stopped in; the outer end
        of one (``bt -12``) is kept beside it."""
        read = GdbStacks().analyze(document)
        stacks = [fact for fact in read.facts if isinstance(fact, Stack)]
        bare = [stack for stack in stacks if stack.number is None]
        longest = max(bare, key=lambda s: (s.frames[0].index == 0, len(s.frames)), default=None)
        kept = [
            s if s.number is not None or s is longest else replace(s, current=False)
            for s in stacks
            if s.number is not None or s is longest or s.frames[0].index > 0
        ]
        if longest is None and kept:
            kept[0] = replace(kept[0], current=True)
        facts: list[AnyFact] = [
            replace(stack, current=True) if stack is longest else stack for stack in kept
        ]
        facts += [fact for fact in read.facts if isinstance(fact, StackGroups)]
        facts += GdbRegisters().analyze(document).facts
        facts += GdbThreads().analyze(document).facts
        facts += read_owners(document)
        facts += read_modules(document)
        first = next((line.strip() for line in document.text.split("\n") if line.strip()), "")
        return Analysis(first[:160] or "No output", tuple(facts), read.findings)
