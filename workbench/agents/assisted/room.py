"""How much of the case fits what models take: learned from what they refuse."""

from dataclasses import dataclass, field

from workbench.llm.errors import Excess

_STEP = 0.4  # where a refusal names no numbers
_LEAST = 500  # characters
_ANSWER = 512  # tokens that are left for the answer, or a quarter of a small context


@dataclass
class Room:
    """Of the questions of one complexity, which one tier takes. ``share`` is what of the usual
    length is told; numbers that a refusal names hold for later questions too, so that each is
    trimmed before it is sent."""

    share: float = 1.0
    _context: int | None = None
    _rates: dict[str, float] = field(default_factory=dict)
    """Tokens for each character of a prompt's questions: schemas of tools count too."""

    def learn(self, prompt: str, excess: Excess | None, length: int) -> None:
        """A question of so many characters was too long."""
        if excess is None:
            self.share *= _STEP
            return
        self._context = excess.context
        # A long conversation makes little of the schemas: the question that follows has none.
        rate = excess.tokens / max(1, length)
        self._rates[prompt] = max(rate, self._rates.get(prompt, 0.0))

    def excess(self, prompt: str, length: int) -> Excess | None:
        """What is too much of a question of so many characters, as far as is known."""
        if self._context is None:
            return None
        tokens = int(length * self._rates.get(prompt, min(self._rates.values())))
        return Excess(tokens, self._context) if tokens > _for_questions(self._context) else None


def lowered(size: int, excess: Excess, length: int, varying: int) -> int | None:
    """The size, in characters, that is to be built instead of ``size`` so that the question fits;
    ``varying`` of its ``length`` characters go with it, and may be fewer than they might. None
    where no less can be told."""
    if size <= _LEAST:
        return None
    fixed = excess.tokens * max(0, length - varying) / max(1, length)
    fits = (_for_questions(excess.context) - fixed) / max(1.0, excess.tokens - fixed)
    return max(_LEAST, int(min(size, varying) * min(0.9, max(0.0, fits))))


def _for_questions(context: int) -> int:
    return context - min(_ANSWER, context // 4)
