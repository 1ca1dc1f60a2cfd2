"""The line in which a search is typed; made when it is first asked for."""

from textual.message import Message
from textual.widgets import Input


class SearchLine(Input):
    """The search text; Enter searches, Esc closes."""

    BINDINGS = [("escape", "close", "Close")]

    class Closed(Message):
        """The search was given up."""

    def __init__(self, id: str) -> None:
        super().__init__(id=id, compact=True)

    def action_close(self) -> None:
        self.display = False
        self.post_message(self.Closed())
