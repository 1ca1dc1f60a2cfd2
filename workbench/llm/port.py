"""What asks a model anything: a question with its role, and an answer that says who gave it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from workbench.model.models import Complexity, Content, ModelTier, Role, Usage

if TYPE_CHECKING:
    from pydantic import BaseModel

T = TypeVar("T", bound="BaseModel")


class NoModel(Exception):
    """No tier that may be used answers; the message says why in one line."""


class Unfit(NoModel):
    """No tier takes this question; another may still find its model."""


class Settled(Unfit):
    """Code settles this question: no model is asked it, whichever there is."""


class EmbeddingsOff(NoModel):
    """The settings want no embeddings."""


class CapReached(NoModel):
    """A cap on the cloud is reached and no other tier can be asked. ``money``: the one in dollars,
    else the one in tokens."""

    def __init__(self, why: str, *, money: bool) -> None:
        super().__init__(why)
        self.money = money


@dataclass(frozen=True)
class ToolCall:
    """A model's wish to use a tool. ``arguments`` is what it wrote, decoded and nothing more: it
    may lack keys, hold wrong types or name what does not exist."""

    id: str
    name: str
    arguments: Mapping[str, Any]


@dataclass(frozen=True)
class Message:
    """One message of a conversation. ``role`` is system | user | assistant | tool; a ``tool``
    message answers the call ``call_id``."""

    role: str
    content: str
    calls: tuple[ToolCall, ...] = ()
    call_id: str | None = None


@dataclass(frozen=True)
class Tool:
    """A tool that is offered: its arguments are a pydantic model."""

    name: str
    description: str
    arguments: "type[BaseModel]"


@dataclass(frozen=True)
class Question(Generic[T]):
    """One call. ``prompt`` names the file in ``prompts/`` that ``messages`` were made from.

    With ``answer`` the reply is parsed into that pydantic model; with ``tools`` it may be calls;
    with neither it is prose. ``must_call`` asks for a call where the model can be made to give
    one. ``contents`` says what kinds of the dump's content it carries, ``temperature`` is that of
    the prompt (None: the role's).
    """

    role: Role
    prompt: str
    messages: tuple[Message, ...]
    complexity: Complexity = Complexity.COMPLEX
    answer: type[T] | None = None
    tools: tuple[Tool, ...] = ()
    must_call: bool = False
    contents: frozenset[Content] = frozenset()
    temperature: float | None = None


@dataclass(frozen=True)
class Answer(Generic[T]):
    """What came back. ``usage`` sums up all that was answered to the question, estimated where the
    server does not count; ``degraded`` says why another tier than the fitting one answered,
    ``dropped`` how many calls of tools were too many or could not be read."""

    model: str
    tier: ModelTier
    value: T | None = None
    text: str = ""
    calls: tuple[ToolCall, ...] = ()
    usage: Usage = field(default_factory=Usage)
    degraded: str | None = None
    dropped: int = 0


class Models(Protocol):
    """The one way to a model. Routing, redaction, the cloud gate, cache, retries and accounting
    lie behind it; what it returns is still nothing but words that a model wrote."""

    async def ask(
        self, question: Question[T], on_text: Callable[[str], None] | None = None
    ) -> Answer[T]:
        """Ask; ``on_text`` gets the words as they come. Cancelling the task cancels the call.

        Raises `NoModel` where none may or can answer (`Unfit`: not this question; `Settled`: it
        needs none), `workbench.llm.errors.ModelFailed` when one could not be brought to a usable
        answer.
        """

    async def embed(self, texts: Sequence[str]) -> tuple[str, list[list[float]]]:
        """A vector for each text, and the model whose vectors they are. Raises as `ask` does;
        `EmbeddingsOff` where they are not wanted."""

    @property
    def capped(self) -> bool:
        """True once a call was refused for what a session may spend."""

    async def tell(self) -> None:
        """Record which models this run has, before what depends on their window is made."""

    async def close(self) -> None:
        """Let go of connections; nothing is asked after it."""
