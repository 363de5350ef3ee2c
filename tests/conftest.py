"""What holds for all tests: a quiet environment, a home of its own, goldens on request."""

import os

import pytest
from hypothesis import settings

from tapeview.cli import run

settings.register_profile("here", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "here")

QUIET = ("NO_COLOR", "FORCE_COLOR", "TEXTUAL_THEME", "COLORTERM", "EDITOR", "VISUAL")
CALLS = ("ANTHROPIC_", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy")
"""Beginnings of variables that could lead a call out of the machine."""
HOMES = ("HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME")


def pytest_addoption(parser):
    parser.addoption("--update-goldens", action="store_true", help="write tests/goldens anew")


def pytest_ignore_collect(collection_path):
    """Tests against the shared files need ``TAPEVIEW_SHARED``, the folder that has them."""
    if os.environ.get("TAPEVIEW_SHARED"):
        return None
    return True if collection_path.name.startswith("test_shared_") else None


@pytest.fixture(autouse=True)
def own_home(monkeypatch, tmp_path_factory):
    """No test sees or touches the user's settings, colours, editor or keys."""
    for name in QUIET:
        monkeypatch.delenv(name, raising=False)
    for name in [name for name in os.environ if name.startswith(CALLS)]:
        monkeypatch.delenv(name)
    home = tmp_path_factory.mktemp("home")
    for name in HOMES:
        monkeypatch.setenv(name, str(home))


@pytest.fixture
def tapeview(capsysbinary):
    """Runs the program: exit code, standard output, standard error."""

    def call(*words):
        code = run([str(word) for word in words])
        out, err = capsysbinary.readouterr()
        return code, out.decode(), err.decode()

    return call


@pytest.fixture
def golden(request):
    """Compares text with a golden file by bytes, or writes it with ``--update-goldens``."""

    def compare(path, text):
        data = text.encode()
        if request.config.getoption("--update-goldens"):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        assert path.is_file(), f"{path} is missing: pytest --update-goldens writes it"
        assert data == path.read_bytes()

    return compare
