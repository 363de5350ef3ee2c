"""The fixture ``tapeview_recording``: what a failing test said to a model, and heard, is kept.

    def test_agent(tapeview_recording):
        client = tapeview_recording(Anthropic())
        ...

All clients of a test share one recording. A test that passes leaves nothing; of one that fails the
recording is moved to ``tapeview-recordings/`` in the root folder, and the report names it.
"""

import re
import shutil
from collections.abc import Callable, Generator
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import pytest

if TYPE_CHECKING:
    from anthropic import Anthropic, AsyncAnthropic

    from tapeview.capture.recorder import Recorder

__all__ = ["FOLDER", "pytest_runtest_makereport", "tapeview_recording"]

FOLDER = "tapeview-recordings"
"""In the root folder: recordings of tests that failed."""

AnyClient = TypeVar("AnyClient", "Anthropic", "AsyncAnthropic")


class _Kept:
    """One test's recording, made when its first client comes."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.recording: Recorder | None = None
        self.watching = ExitStack()

    def watch(self, client: AnyClient) -> AnyClient:
        """Record this client's calls until the test ends; the client itself."""
        from tapeview.capture.recorder import Recorder
        from tapeview.capture.sdk_hook import watched

        if self.recording is None:
            self.recording = Recorder(self.path)
        self.watching.enter_context(watched(client, self.recording))
        return client

    def keep(self, folder: Path, test: str) -> Path | None:
        """Move the recording into a folder; its place there. None where nothing was recorded."""
        from tapeview.capture.recorder import new_path

        if self.recording is None:
            return None
        self.watching.close()  # so that open calls have an end
        self.recording.close()
        self.recording = None
        folder.mkdir(exist_ok=True)
        name = re.sub(r"[^\w.-]+", "-", test).strip("-")
        return Path(shutil.move(self.path, new_path(name, folder)))


_KEPT = pytest.StashKey[_Kept]()


@pytest.fixture
def tapeview_recording(
    request: pytest.FixtureRequest, tmp_path: Path
) -> Generator[Callable[[AnyClient], AnyClient], None, None]:
    """Records the calls of each client that it is given; kept where the test fails."""
    kept = request.node.stash[_KEPT] = _Kept(tmp_path / "test.tape.jsonl")
    with kept.watching:
        yield kept.watch
    if kept.recording is not None:
        kept.recording.close()
        kept.path.unlink(missing_ok=True)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Name the recording of a test that failed in its report."""
    report = yield
    kept = item.stash.get(_KEPT, None)
    if kept is not None and call.when == "call" and report.failed:
        path = kept.keep(item.config.rootpath / FOLDER, item.name)
        if path is not None:
            report.sections.append(("tapeview recording", f"tapeview {path}"))
    return report
