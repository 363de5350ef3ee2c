import pytest

from tapeview.calls.remembered import remember, remembered
from tapeview.settings import state_folder


@pytest.fixture
def environ(tmp_path):
    return {"HOME": str(tmp_path)}


def test_what_is_remembered_comes_back_for_this_file_alone(environ, tmp_path):
    one, other = str(tmp_path / "one.json"), str(tmp_path / "other.json")
    assert remembered(environ, one) == {}
    remember(environ, one, {"model": b'"m"', "max_tokens": b"5"})
    remember(environ, one, {"max_tokens": b"6.0"})
    assert remembered(environ, one) == {"model": b'"m"', "max_tokens": b"6.0"}
    assert remembered(environ, other) == {}


def test_a_link_is_the_file_that_it_leads_to(environ, tmp_path):
    (tmp_path / "one.json").write_text("[]")
    (tmp_path / "link").symlink_to(tmp_path / "one.json")
    remember(environ, str(tmp_path / "link"), {"model": b'"m"'})
    assert remembered(environ, str(tmp_path / "one.json")) == {"model": b'"m"'}


def test_only_the_user_reads_it(environ, tmp_path):
    remember(environ, str(tmp_path / "one.json"), {"model": b'"m"'})
    (file,) = (state_folder(environ) / "replay").iterdir()
    assert file.stat().st_mode & 0o077 == 0


def test_standard_input_is_not_remembered(environ):
    remember(environ, "-", {"model": b'"m"'})
    assert remembered(environ, "-") == {}
    assert not state_folder(environ).exists()


def test_nothing_to_remember_writes_nothing(environ):
    remember(environ, "a", {})
    assert not state_folder(environ).exists()


def test_damage_and_a_closed_folder_are_no_reason_to_stop(environ, tmp_path):
    remember(environ, "a", {"model": b'"m"'})
    (file,) = (state_folder(environ) / "replay").iterdir()
    file.write_text("{")
    assert remembered(environ, "a") == {}
    (tmp_path / "blocked").write_text("")
    remember({"XDG_STATE_HOME": str(tmp_path / "blocked")}, "a", {"model": b'"m"'})
