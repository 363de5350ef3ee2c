"""Parts beside or below one another that never scroll.

Textual lays the screen out once more for every widget that got another size, for the sake of
scrollbars; these have none.
"""

from textual.containers import Horizontal, Vertical
from textual.geometry import Size
from textual.reactive import Reactive

__all__ = ["StillHorizontal", "StillVertical"]


class StillHorizontal(Horizontal):
    """Parts beside one another."""

    virtual_size = Reactive(Size(0, 0), layout=False)


class StillVertical(Vertical):
    """Parts below one another."""

    virtual_size = Reactive(Size(0, 0), layout=False)
