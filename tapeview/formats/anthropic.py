"""Anthropic Messages: request bodies, bare arrays, one message a line."""

from typing import ClassVar

from tapeview.formats._messages import MessagesFormat
from tapeview.shapes.anthropic import AnthropicShape

__all__ = ["Anthropic"]


class Anthropic(MessagesFormat):
    """A ``messages`` array for the Anthropic API, wherever a harness dumped it.

    A record is one element of the array, or one line. A bare array says nothing of model, system
    and tools.
    """

    name: ClassVar[str] = "anthropic"
    title: ClassVar[str] = "Anthropic Messages"
    shape: ClassVar[AnthropicShape] = AnthropicShape()
