"""OpenAI Chat Completions: request bodies, bare arrays, one message a line."""

from typing import ClassVar

from tapeview.formats._messages import MessagesFormat
from tapeview.shapes.openai_chat import OpenAIChatShape

__all__ = ["OpenAIChat"]


class OpenAIChat(MessagesFormat):
    """A ``messages`` array for Chat Completions, or for one of the APIs that copy it.

    A record is one element of the array, or one line. Results are messages of their own, so one
    side of the tape may be many messages.
    """

    name: ClassVar[str] = "openai-chat"
    title: ClassVar[str] = "OpenAI Chat Completions"
    shape: ClassVar[OpenAIChatShape] = OpenAIChatShape()
