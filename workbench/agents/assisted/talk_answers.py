"""What models are asked to answer in a conversation; see `answers` for what is trusted of it."""

from pydantic import Field

from workbench.agents.assisted.answers import Line, Lines, Loose, Prose, Statements, Word


class Plan(Loose):
    """Whether the evidence answers a question, and what would where it does not."""

    sufficient: bool = True
    commands: Lines = Field(
        default_factory=list, description="read-only commands of the debugger; empty if sufficient"
    )


class NextTurn(Loose):
    """One question to the person, or a proposed solution."""

    kind: Word = Field(default="", description='"question" or "solution"')
    question: Line = Field(default="", description="one question; empty for a solution")
    text: Prose = Field(default="", description="the solution; empty for a question")
    statements: Statements = Field(default_factory=list)
