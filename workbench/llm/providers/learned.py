"""What a model is known to refuse: for the rest of a run it is asked the right way at once."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from workbench.llm.providers.trouble import Part

_ESSENTIAL = {Part.TOOLS, Part.FORMAT}  # a question that needs them is asked in another way


@dataclass
class Learned:
    """Of one model of one provider. ``modes`` are ways to a structured answer that it refuses."""

    refused: set[Part] = field(default_factory=set)
    modes: set[str] = field(default_factory=set)
    chosen_by_model: bool = False  # tool_choice: only "auto"
    renamed: bool = False  # max_tokens: is called max_completion_tokens

    def copy(self) -> "Learned":
        """To try something without having learned it yet."""
        return Learned(set(self.refused), set(self.modes), self.chosen_by_model, self.renamed)

    def fit(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """The request without what the model refuses."""
        fitted = dict(request)
        if self.renamed and Part.MAX_TOKENS in fitted:
            fitted[Part.MAX_COMPLETION_TOKENS.value] = fitted.pop(Part.MAX_TOKENS.value)
        if self.chosen_by_model and Part.TOOL_CHOICE in fitted:
            fitted[Part.TOOL_CHOICE.value] = "auto"
        for part in self.refused:
            fitted.pop(part.value, None)
        if Part.STREAM not in fitted:
            fitted.pop(Part.STREAM_OPTIONS.value, None)
        return fitted

    def give_up(self, part: Part, sent: Mapping[str, Any]) -> bool:
        """Do without a part of what was sent; False where the question needs it."""
        if part in _ESSENTIAL or part in self.refused or part not in sent:
            return False
        if part is Part.TOOL_CHOICE and not self.chosen_by_model and sent[part.value] != "auto":
            self.chosen_by_model = True
        elif part is Part.MAX_TOKENS and not self.renamed:
            self.renamed = True
        else:
            self.refused.add(part)
        return True
