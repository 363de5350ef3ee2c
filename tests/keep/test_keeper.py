"""An open session whose edits survive a crash, and its file, which is written back whole."""

import json

import pytest

from tapeview.edit.operations import Delete, Insert, Prepend, Raw
from tapeview.errors import EditError, SaveError
from tapeview.keep.files import write_whole
from tapeview.keep.journal import journal_path, read_journal
from tapeview.keep.keeper import ChangedUnderneath, Keeper
from tapeview.open_session import load
from tests.formats.claude import reply, user, written

RAW = b'[{"role":"user","content":"ask"},{"role":"assistant","content":"done"}]\n'
PUT = {word: Prepend(text=word) for word in ("one", "two", "three")}


class Desk:
    """A file, the state folder, and a new run of the program whenever one is asked for."""

    def __init__(self, tmp_path, raw=RAW, name="s.json"):
        self.path = tmp_path / name
        self.path.write_bytes(raw)
        self.environ = {"XDG_STATE_HOME": str(tmp_path / "state")}
        self.state = tmp_path / "state" / "tapeview"

    def run(self):
        return Keeper(load(str(self.path)), self.environ)

    @property
    def journal(self):
        return journal_path(self.state, self.path)


@pytest.fixture
def desk(tmp_path):
    return Desk(tmp_path)


def shown(keeper):
    session = keeper.opened.session
    return b"".join(session.written(session, 0))


def words(raw):
    return " ".join(message["content"] for message in json.loads(raw))


def test_edits_are_left_behind_by_a_crash_and_taken_up(desk):
    keeper = desk.run()
    keeper.apply(PUT["one"])
    keeper.apply(PUT["two"])
    assert desk.path.read_bytes() == RAW
    again = desk.run()
    left = again.left()
    assert (left.steps, left.fits, left.unread) == (2, True, 0)
    assert again.take_up() == 2
    assert shown(again) == shown(keeper)
    assert again.opened.log.unsaved == 2
    again.apply(PUT["three"])
    third = desk.run()
    assert third.take_up() == 3
    assert words(shown(third)) == "three two one ask done"


def test_nothing_is_left_where_nothing_was_done_or_all_was_saved(desk):
    keeper = desk.run()
    assert keeper.left() is None
    assert keeper.take_up() == 0
    keeper.apply(PUT["one"])
    keeper.save()
    assert desk.run().left() is None
    keeper.undo()
    assert desk.run().left().steps == 1
    keeper.redo()
    assert desk.run().left() is None


def test_undone_edits_are_taken_up_as_undone(desk):
    keeper = desk.run()
    keeper.apply(PUT["one"])
    keeper.apply(PUT["two"])
    keeper.undo()
    again = desk.run()
    assert again.left().steps == 1
    again.take_up()
    assert words(shown(again)) == "one ask done"
    again.redo()
    assert words(shown(again)) == "two one ask done"


def test_undo_goes_below_what_was_saved_in_an_earlier_run(desk):
    keeper = desk.run()
    keeper.apply(PUT["one"])
    keeper.save()
    keeper.apply(PUT["two"])
    again = desk.run()
    assert again.left().steps == 1
    assert again.take_up() == 1
    assert again.opened.log.unsaved == 1
    again.undo()
    assert again.opened.log.unsaved == 0
    assert again.changed_files == ()
    again.undo()
    assert shown(again) == RAW
    assert again.changed_files == (0,)
    again.save()
    assert desk.path.read_bytes() == RAW
    assert desk.run().left() is None


def test_undo_below_what_was_saved_is_left_behind_too(desk):
    keeper = desk.run()
    keeper.apply(PUT["one"])
    keeper.apply(PUT["two"])
    keeper.save()
    keeper.go_to(0)
    again = desk.run()
    assert again.left().steps == 2
    again.take_up()
    assert shown(again) == RAW
    again.go_to(2)
    assert again.opened.log.unsaved == 0
    assert again.changed_files == ()


def test_without_the_first_original_the_saved_state_is_the_bottom(desk):
    keeper = desk.run()
    keeper.apply(PUT["one"])
    keeper.save()
    keeper.apply(PUT["two"])
    for kept in (desk.state / "originals").iterdir():
        kept.unlink()
    again = desk.run()
    assert again.take_up() == 1
    assert words(shown(again)) == "two one ask done"
    again.undo()
    assert again.undo() is None
    assert again.opened.log.unsaved == 0


def test_a_file_that_changed_since_is_said_and_tried(desk):
    keeper = desk.run()
    keeper.apply(PUT["one"])
    keeper.apply(PUT["two"])
    desk.path.write_bytes(RAW.replace(b"ask", b"tell"))
    again = desk.run()
    assert again.left()[::2] == (2, False)
    assert again.take_up() == 2
    assert words(shown(again)) == "two one tell done"
    assert desk.run().left().fits
    assert desk.journal.with_suffix(".dropped").exists()


def test_edits_that_do_not_fit_a_changed_file_stop_and_the_old_journal_is_kept(desk):
    keeper = desk.run()
    keeper.apply(PUT["one"])
    keeper.apply(Delete(at=("messages.2",)))
    old = desk.journal.read_bytes()
    desk.path.write_bytes(b'[{"role":"user","content":"x"}]')
    again = desk.run()
    with pytest.raises(EditError, match="the tape has 2 messages"):
        again.take_up()
    assert words(shown(again)) == "one x"
    assert desk.journal.with_suffix(".dropped").read_bytes() == old
    assert desk.run().left().steps == 1


def test_dropped_edits_are_not_offered_again(desk):
    desk.run().apply(PUT["one"])
    again = desk.run()
    again.drop()
    assert desk.run().left() is None
    again.apply(PUT["two"])
    assert desk.run().left().steps == 1


def test_edits_made_without_taking_up_keep_the_old_journal_aside(desk):
    desk.run().apply(PUT["one"])
    desk.run().apply(PUT["two"])
    assert read_journal(desk.journal).edits == (PUT["two"],)
    assert read_journal(desk.journal.with_suffix(".dropped")).edits == (PUT["one"],)


def test_unread_lines_are_told(desk):
    keeper = desk.run()
    keeper.apply(PUT["one"])
    with desk.journal.open("ab") as file:
        file.write(b"{bad}\n{}\n")
    assert desk.run().left().unread == 2


def test_save_writes_and_keeps_the_first_original(desk):
    keeper = desk.run()
    keeper.apply(PUT["one"])
    assert keeper.save() == (desk.path,)
    assert words(desk.path.read_bytes()) == "one ask done"
    keeper.apply(PUT["two"])
    keeper.save()
    assert keeper.save() == ()
    (kept,) = (desk.state / "originals").iterdir()
    assert kept.read_bytes() == RAW
    keeper.go_to(0)
    keeper.save()
    assert desk.path.read_bytes() == RAW


def test_save_does_not_write_over_somebody_else(desk):
    keeper = desk.run()
    keeper.apply(PUT["one"])
    other = RAW.replace(b"ask", b"tell")
    write_whole(desk.path, [other])
    with pytest.raises(ChangedUnderneath, match="written by another program"):
        keeper.save()
    assert desk.path.read_bytes() == other
    assert keeper.opened.log.unsaved == 1
    keeper.save(force=True)
    assert words(desk.path.read_bytes()) == "one ask done"
    (kept,) = (desk.state / "originals").iterdir()
    assert kept.read_bytes() == other


def test_save_tells_that_the_file_is_gone(desk):
    keeper = desk.run()
    keeper.apply(PUT["one"])
    desk.path.unlink()
    with pytest.raises(ChangedUnderneath, match="is gone"):
        keeper.save()
    keeper.save(force=True)
    assert words(desk.path.read_bytes()) == "one ask done"


def test_save_as_leaves_the_file_and_asks_before_it_writes_over_another(desk, tmp_path):
    keeper = desk.run()
    keeper.apply(PUT["one"])
    other = tmp_path / "other.json"
    keeper.save_as(other)
    assert words(other.read_bytes()) == "one ask done"
    assert desk.path.read_bytes() == RAW
    assert keeper.opened.log.unsaved == 1
    with pytest.raises(SaveError, match="such a file already"):
        keeper.save_as(other)
    keeper.save_as(other, force=True)
    keeper.save_as(desk.path, force=True)
    assert keeper.opened.log.unsaved == 0
    keeper.apply(PUT["two"])
    keeper.save()


def test_a_request_is_saved_as_it_is(desk, tmp_path):
    keeper = desk.run()
    keeper.save_request(tmp_path / "r.json", b"{}")
    assert (tmp_path / "r.json").read_bytes() == b"{}"
    with pytest.raises(SaveError, match="such a file already"):
        keeper.save_request(tmp_path / "r.json", b"{}")


def test_a_journal_that_cannot_be_written_stops_no_edit_and_misses_none(desk):
    desk.state.parent.mkdir()
    desk.state.write_bytes(b"in the way")
    keeper = desk.run()
    keeper.apply(PUT["one"])
    assert "the journal of edits cannot be written" in keeper.trouble
    assert words(shown(keeper)) == "one ask done"
    keeper.undo()
    keeper.redo()
    desk.state.unlink()
    keeper.apply(PUT["two"])
    assert keeper.trouble == ""
    assert words(shown(keeper)) == "two one ask done"
    again = desk.run()
    assert again.take_up() == 2
    assert shown(again) == shown(keeper)


def test_a_journal_that_fails_in_between_misses_nothing(desk, monkeypatch):
    keeper = desk.run()
    keeper.apply(PUT["one"])
    with monkeypatch.context() as patch:
        patch.setattr("os.fsync", lambda _: (_ for _ in ()).throw(OSError(28, "full")))
        keeper.apply(PUT["two"])
        assert "full" in keeper.trouble
    keeper.apply(PUT["three"])
    assert read_journal(desk.journal).edits == tuple(PUT.values())


def test_an_edit_that_does_not_fit_is_not_journaled(desk):
    keeper = desk.run()
    keeper.apply(PUT["one"])
    before = desk.journal.read_bytes()
    with pytest.raises(EditError):
        keeper.apply(Delete(at=("messages.9",)))
    keeper.redo()
    keeper.go_to(1)
    assert desk.journal.read_bytes() == before
    keeper.undo()
    after = desk.journal.read_bytes()
    assert keeper.undo() is None
    assert desk.journal.read_bytes() == after != before


def test_a_link_stays_a_link(desk, tmp_path):
    link = tmp_path / "link.json"
    link.symlink_to(desk.path)
    keeper = Keeper(load(str(link)), desk.environ)
    keeper.apply(PUT["one"])
    keeper.save()
    assert link.is_symlink()
    assert words(desk.path.read_bytes()) == "one ask done"
    assert desk.run().left() is None


MAIN = written(
    user("u1", None, "ask"),
    reply("a1", "u1", "m1", "call:t"),
    user("r1", "a1", "result:t", toolUseResult={"agentId": "a9"}),
).replace(b'"Bash"', b'"Task"')
AGENT = written(
    user("x1", None, "help", isSidechain=True, agentId="a9"),
    reply("x2", "x1", "m9", "helped", isSidechain=True, agentId="a9"),
)


@pytest.fixture
def team(tmp_path):
    desk = Desk(tmp_path, MAIN, "s.jsonl")
    desk.agent = tmp_path / "s" / "subagents" / "agent-a9.jsonl"
    desk.agent.parent.mkdir(parents=True)
    desk.agent.write_bytes(AGENT)
    desk.agent.with_suffix(".meta.json").write_bytes(b'{"toolUseId":"t"}')
    return desk


HELLO = Insert(role="user", content=Raw(b'"hello"'), tape="agent:a9")


def test_a_sub_agents_file_is_saved_alone(team):
    keeper = team.run()
    keeper.apply(HELLO)
    assert keeper.changed_files == (1,)
    assert keeper.save() == (team.agent,)
    assert team.path.read_bytes() == MAIN
    assert team.agent.read_bytes().startswith(AGENT)
    assert json.loads(team.agent.read_bytes().splitlines()[-1])["agentId"] == "a9"
    assert keeper.changed_files == ()
    keeper.undo()
    keeper.save()
    assert team.agent.read_bytes() == AGENT


def test_edits_of_a_sub_agent_are_taken_up(team):
    keeper = team.run()
    keeper.apply(HELLO)
    again = team.run()
    assert again.left().steps == 1
    again.take_up()
    assert again.changed_files == (1,)
    again.save()
    assert team.agent.read_bytes() != AGENT


def test_save_as_a_new_session_takes_the_sub_agents_along(team):
    keeper = team.run()
    keeper.apply(HELLO)
    new = keeper.save_as_new("n-1")
    assert new == team.path.parent / "n-1.jsonl"
    folder = team.path.parent / "n-1" / "subagents"
    assert sorted(path.name for path in folder.iterdir()) == [
        "agent-a9.jsonl",
        "agent-a9.meta.json",
    ]
    for path in (new, folder / "agent-a9.jsonl"):
        assert {json.loads(text)["sessionId"] for text in path.read_bytes().splitlines()} == {"n-1"}
    session = load(str(new)).session
    assert [tape.id for tape in session.tapes] == ["main", "agent:a9"]
    assert len(session.tapes[1].messages) == 3
    assert team.path.read_bytes() == MAIN
    with pytest.raises(SaveError, match="such a file already"):
        keeper.save_as_new("n-1")


@pytest.mark.parametrize("identity", ["", "../x", "a/b", "a b", "\ud83d"])
def test_a_session_id_is_no_path(team, identity):
    with pytest.raises(EditError, match="a session id is made of"):
        team.run().save_as_new(identity)


def test_what_has_no_ids_gets_no_new_one(desk):
    with pytest.raises(EditError, match="no session ids"):
        desk.run().save_as_new("n-1")


def test_standard_input_is_not_written_back(desk):
    piped = Keeper(load(str(desk.path), None, "-"), desk.environ)
    piped.apply(PUT["one"])
    assert piped.left() is None
    with pytest.raises(SaveError, match="standard input"):
        piped.save()
    piped.save_as(desk.path.with_name("out.json"))
    assert words(desk.path.with_name("out.json").read_bytes()) == "one ask done"


# -- a file that grows -----------------------------------------------------------------------------


def test_what_came_after_it_was_read_is_not_written_over(desk):
    opened = load(str(desk.path))
    desk.path.write_bytes(RAW + b" ")  # before there is a keeper
    keeper = Keeper(opened, desk.environ)
    keeper.apply(PUT["one"])
    with pytest.raises(ChangedUnderneath):
        keeper.save()


def test_what_was_read_anew_can_be_saved(desk):
    keeper = desk.run()
    grown = RAW[:-2] + b',{"role":"user","content":"more"}]\n'
    desk.path.write_bytes(grown)
    keeper.opened.begin_again(load(str(desk.path)))
    keeper.hold_anew()
    assert keeper.changed_files == ()
    keeper.apply(PUT["one"])
    keeper.save()
    assert words(desk.path.read_bytes()) == "one ask done more"
    assert desk.run().left() is None


def test_whether_the_file_is_what_we_wrote(desk):
    keeper = desk.run()
    assert not keeper.wrote_last()
    keeper.apply(PUT["one"])
    keeper.save()
    assert keeper.wrote_last()
    desk.path.write_bytes(RAW)
    assert not keeper.wrote_last()
