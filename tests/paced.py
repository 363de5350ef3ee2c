"""A session that is read only as far as a test lets it."""

from tapeview.loading import Loading
from tapeview.open_session import open_store

__all__ = ["Paced"]


class Paced(Loading):
    """Reads ``allowed`` further records when it is asked to go on; without any, nothing."""

    def __init__(self, path: str) -> None:
        super().__init__(open_store(path))
        self.allowed = 0

    def go_on(self, until: float) -> None:
        """Read what is allowed, whatever the time is."""
        del until
        while self.allowed > 0 and not self.is_read:
            self.allowed -= 1
            super().go_on(0.0)
