"""The prompts: Markdown files with front matter, filled in so that data stays data."""

import re
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any, TypeVar

import yaml
from jinja2 import FunctionLoader, StrictUndefined, TemplateError
from jinja2.sandbox import ImmutableSandboxedEnvironment
from msgspec import Struct

from workbench.llm.fences import Fenced, as_data, as_value
from workbench.llm.port import Message, Question, Tool
from workbench.model.models import Complexity, Content, Role

if TYPE_CHECKING:
    from jinja2 import Environment, Template
    from pydantic import BaseModel

T = TypeVar("T", bound="BaseModel")

_PARTS = re.compile(
    r"\A---\n(?P<front>.*?)\n---\n\s*# System\n(?P<system>.*?)(?:^# User\n(?P<user>.*))?\Z",
    re.DOTALL | re.MULTILINE,
)
_TIERS = {"code": Complexity.SIMPLE, "local": Complexity.MODERATE, "cloud": Complexity.COMPLEX}


class PromptError(Exception):
    """A prompt that cannot be used: a fault of the file or of who fills it in."""


class Prompt(Struct, frozen=True, kw_only=True):
    """One file of ``prompts/``. ``complexity`` stands in it as the tier that it was written for
    (code | local | cloud), ``response`` is the name of the pydantic model of the answer, None for
    prose or tools. ``system`` and ``user`` are Jinja templates."""

    name: str
    role: Role
    complexity: Complexity
    temperature: float
    response: str | None
    system: str
    user: str

    def messages(self, **values: Any) -> tuple[Message, ...]:
        """The system message, and the user's where the file has one, filled in. Raises
        `PromptError` where a value is missing.

        A text of several lines is always put into a fence; ``{{ text | data("E3") }}`` gives the
        fence its label.
        """
        parts = (("system", self.system), ("user", self.user))
        return tuple(
            Message(role=role, content=_rendered(self.name, text, values))
            for role, text in parts
            if text
        )

    def question(
        self,
        *,
        answer: type[T] | None = None,
        tools: Sequence[Tool] = (),
        contents: frozenset[Content] = frozenset(),
        complexity: Complexity | None = None,
        history: Sequence[Message] = (),
        **values: Any,
    ) -> Question[T]:
        """The call that this prompt makes; ``history`` follows its own messages. Raises
        `PromptError`."""
        if (answer.__name__ if answer else None) != self.response:
            raise PromptError(f"{self.name}: its answer is a {self.response}, not {answer}")
        return Question(
            role=self.role,
            prompt=self.name,
            messages=(*self.messages(**values), *history),
            complexity=complexity or self.complexity,
            answer=answer,
            tools=tuple(tools),
            contents=contents,
            temperature=self.temperature,
        )


@cache
def load(name: str) -> Prompt:
    """A prompt by its file's name without ``.md``. Raises `PromptError`."""
    try:
        if not re.fullmatch(r"[a-z][a-z0-9_]*", name):
            raise ValueError("no name of a prompt")
        parts = _PARTS.match(source(name))
        if parts is None:
            raise ValueError("it is not front matter, `# System` and perhaps `# User`")
        front = yaml.safe_load(parts["front"])
        role = Role(front["role"])
        return Prompt(
            name=name,
            role=role,
            complexity=_TIERS[front["tier"]],
            temperature=float(front["temperature"]),
            response=front.get("response"),
            system=parts["system"].strip(),
            user=(parts["user"] or "").strip(),
        )
    except (OSError, ValueError, KeyError, TypeError, yaml.YAMLError) as error:
        raise PromptError(f"prompt {name}: {error}") from error


def source(name: str) -> str:
    """A prompt's file as it stands. Raises `OSError`."""
    return files("prompts").joinpath(f"{name}.md").read_text(encoding="utf-8")


@cache
def _environment() -> "Environment":
    made = ImmutableSandboxedEnvironment(
        loader=FunctionLoader(_part),
        undefined=StrictUndefined,
        finalize=as_value,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,
    )
    made.filters["data"] = as_data
    return made


def _part(name: str) -> str | None:
    """What several prompts say alike: ``prompts/NAME.part.md``, included by its name."""
    return source(f"{name}.part") if name.isalpha() else None


@cache
def _compiled(text: str) -> "Template":
    """Compiling takes longer than filling in."""
    return _environment().from_string(text)


def _rendered(name: str, text: str, values: dict[str, Any]) -> str:
    try:
        return _compiled(text).render(values)
    except TemplateError as error:
        raise PromptError(f"prompt {name}: {error}") from error


__all__ = ["Fenced", "Prompt", "PromptError", "load", "source"]
