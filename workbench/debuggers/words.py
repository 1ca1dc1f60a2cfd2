"""What a debugger's command words do to the conversation: one table of questions a debugger."""

from collections.abc import Callable

from msgspec import Struct

from workbench.debuggers.session import Effect

Question = Callable[[str], bool]


def never(command: str) -> bool:
    """The answer of a debugger that has no such command."""
    return False


class Words(Struct, frozen=True):
    """Each question is asked of a whole command line.

    ``moves_selection``: another thread or frame may be selected afterwards.
    ``leaves_debugger``: it would end the debugger or let go of the dump. ``opens_body``: the lines
    that follow are a part of it. ``changes_prompt``: the marks in the prompt may be gone.
    ``reads_terminal``: it asks for input.
    """

    moves_selection: Question
    leaves_debugger: Question
    opens_body: Question = never
    changes_prompt: Question = never
    reads_terminal: Question = never

    def effect(self, command: str) -> Effect:
        """What a person's command does to the conversation."""
        if self.changes_prompt(command):
            return Effect.PROMPT
        if self.opens_body(command):
            return Effect.BODY
        return Effect.READS if self.reads_terminal(command) else Effect.NONE
