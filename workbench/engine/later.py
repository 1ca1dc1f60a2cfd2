"""What a session does beside its investigation: searching, questions, conversations."""

from workbench.engine.chat import Chat
from workbench.engine.conversation import Conversation, final_answer
from workbench.engine.finding import find, folders_of, holding
from workbench.engine.making import viewed_session
from workbench.engine.searching import search

__all__ = [
    "Chat",
    "Conversation",
    "final_answer",
    "find",
    "folders_of",
    "holding",
    "search",
    "viewed_session",
]
