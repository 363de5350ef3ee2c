"""For tests of a harness: a recorded session in place of the model, and recordings of failures.

pytest finds it once tapeview is installed.
"""

from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest

from tapeview.capture.pytest_fixture import pytest_runtest_makereport, tapeview_recording

__all__ = ["pytest_runtest_makereport", "tapeview_play", "tapeview_recording"]


@pytest.fixture
def tapeview_play() -> Iterator[Callable[..., str]]:
    """Serves tapes as models until the test ends.

    ``url = tapeview_play("run.json", strict=True)`` takes what ``tapeview.play`` takes and gives
    the base URL for a client of the Messages API.
    """
    with ExitStack() as served:

        def serve(path: str, **options: object) -> str:
            from tapeview.calls.background import play

            return served.enter_context(play(path, **options))  # type: ignore[arg-type]

        yield serve
