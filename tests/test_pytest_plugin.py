"""The fixture for tests of a harness, in a test run of its own."""

import subprocess
import sys
import tomllib
from importlib import import_module

import pytest

from tests.readme import README, ROOT, commands

LOOP = ROOT / "sample_sessions" / "loop.json"

TEST = """
import pytest
from urllib.request import urlopen

urls = []

def test_it_serves(tapeview_play):
    urls.append(tapeview_play({path!r}))
    urls.append(tapeview_play({path!r}, strict=True))
    assert all(urlopen(url).status == 200 for url in urls)

def test_it_ended():
    for url in urls:
        with pytest.raises(OSError):
            urlopen(url)

def test_what_goes_wrong(tapeview_play):
    from tapeview.errors import OpenError
    with pytest.raises(OpenError):
        tapeview_play("no such file")
"""


EXAMPLE = "\n".join(commands(README.read_text(encoding="utf-8"), "a test"))


@pytest.mark.parametrize(
    "test, passed",
    [(TEST.format(path=str(LOOP)), 3), (EXAMPLE, 1)],
    ids=["its rules", "the README's example"],
)
def test_the_fixture_serves_until_the_test_ends(tmp_path, test, passed):
    (tmp_path / "test_agent.py").write_text(test, encoding="utf-8")
    words = ["-q", "-p", "tapeview.pytest_plugin", "-p", "no:cacheprovider", "-W", "error"]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *words, str(tmp_path)],
        cwd=ROOT,
        env={"PYTHONPATH": str(ROOT), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert f"{passed} passed" in done.stdout, done.stdout + done.stderr


def test_pytest_finds_it_where_tapeview_is_installed():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    (module,) = project["entry-points"]["pytest11"].values()
    assert hasattr(import_module(module), "tapeview_play")
