"""What a model says right now: a few lines above the panes, gone when the call is over."""

from typing import TYPE_CHECKING

from textual.content import Content
from textual.message import Message
from textual.widgets import Static

from workbench.tui.action import key_name
from workbench.tui.action_table import action_of
from workbench.tui.port import SessionPort, Unsubscribe
from workbench.tui.text import one_line

if TYPE_CHECKING:
    from workbench.llm.watched import Speech

_TICK = 0.033
_LINES = 3


def said_of(speech: "Speech") -> str:
    """What the words are; before the first nothing may have been sent yet: a person is asked."""
    if not speech.text:
        return "a model is to answer, no word has come"
    return "a model's words on their way, not evidence"


class SpeechBar(Static):
    """The end of the words so far, drawn at most once a tick. Never takes the focus."""

    class Changed(Message):
        """A call began or ended."""

    def __init__(self, id: str | None = None) -> None:
        super().__init__(id=id, markup=False)
        self.display = False
        self._now: Speech | None = None
        self._drawing = False
        self._stop: Unsubscribe | None = None

    @property
    def speaking(self) -> bool:
        return self._now is not None and not self._now.ended

    def attach(self, port: SessionPort) -> None:
        self._stop = port.speaking.listen(self._heard)

    def on_unmount(self) -> None:
        if self._stop is not None:
            self._stop()

    def _heard(self, speech: "Speech") -> None:
        began = not self.speaking
        self._now = speech
        if began or speech.ended:
            self.post_message(self.Changed())
        if not self._drawing:
            self._drawing = True
            self.set_timer(_TICK, self._draw)

    def _draw(self) -> None:
        self._drawing = False
        speech = self._now
        self.display = self.speaking
        if speech is None or not self.display:
            return
        key = key_name(action_of("workbench.stop_model").keys[0])
        head = Content.assemble(
            ("\u270e ", "bold $text-accent"),
            (f"{speech.role.value.replace('_', ' ')} ", "bold"),
            (f"{said_of(speech)}; ", "$foreground 60%"),
            (key, "bold $text-accent"),
            (" stops it", "$foreground 60%"),
        )
        room = max(20, (self.size.width or self.app.size.width) - 2) * _LINES
        words = one_line(speech.text[-4 * room :])
        shown = words if len(words) <= room else "…" + words[-(room - 1) :]
        self.update(Content.assemble(head, "\n", shown or "…"))
