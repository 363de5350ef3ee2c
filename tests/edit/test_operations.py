"""The published form of edits: what is read, what is refused, and that nothing is lost."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import Raw

from tapeview.edit import operations as ops
from tapeview.edit.operations import operation_json, operations_from, schema
from tapeview.errors import EditError

EVERY = [
    ops.Set(at="messages.1.content.0", member="input", value=Raw(b'{"n":1.50,"e":1e400}')),
    ops.Set(at="messages.1.content.0", member="text", value=Raw(b'"\\ud83d"')),
    ops.Set(at="messages.1.content.0", member="cache_control"),
    ops.Set(at="messages.1", member="x", value=Raw(b"NaN")),
    ops.SetRequest(member="max_tokens", value=Raw(b"12345678901234567890123456789")),
    ops.SetRequest(member="tools"),
    ops.Delete(at=("messages.1", "records.4"), pairs="both"),
    ops.DeleteTurn(turn=3, pairs="keep"),
    ops.DeleteRange(first="messages.1", last="messages.4", pairs="answer"),
    ops.Insert(role="user", content=Raw(b'[{"type":"text","text":"\\u00e9"}]'), after="messages.0"),
    ops.InsertBlock(block=Raw(b'{"type":"text","text":"x"}'), before="messages.0"),
    ops.Duplicate(at="messages.2", tape="branch:1"),
    ops.Move(at="messages.2", before="messages.0", tape="agent:a1"),
    ops.Split(at="messages.2.content.1"),
    ops.Merge(at="messages.2"),
    ops.Answer(at="messages.2.content.1", text="no \ud83d", is_error=False),
    ops.Rename(at="messages.2.content.1", id="z"),
    ops.Cut(after="messages.2", tape="main~1"),
    ops.Clear(),
    ops.Prepend(text="two\nlines é \u2028"),
    ops.Compact(first="messages.0", last="messages.9", text="sum"),
    ops.Fold(agent="a1"),
    ops.AppendReply(message=Raw(b'{"content":[{"type":"text","text":"\\ud83d"}],"usage":{}}')),
    ops.ReplaceReply(turn=2, message=Raw(b'{"content":"x"}'), pairs="both"),
    ops.Branch(turn=2, message=Raw(b'{"content":"x"}'), tape="branch:1"),
]


def test_every_kind_is_here():
    assert {type(op) for op in EVERY} == set(ops.Operation.__args__)


def same(one, other):
    """Raw values are equal where their texts are."""
    fields = one.__struct_fields__
    pairs = [(getattr(one, name), getattr(other, name)) for name in fields]
    return type(one) is type(other) and all(
        bytes(a) == bytes(b) if isinstance(a, Raw) and isinstance(b, Raw) else a == b
        for a, b in pairs
    )


@pytest.mark.parametrize("operation", EVERY, ids=lambda op: type(op).__name__)
def test_what_is_written_reads_back(operation):
    written = operation_json(operation)
    assert b"\n" not in written
    (back,) = operations_from(b"[" + written + b"]")
    assert same(back, operation)
    assert operation_json(back) == written


def test_a_list_of_all_of_them_reads_back_though_one_is_odd():
    back = operations_from(b"[" + b",\n".join(map(operation_json, EVERY)) + b"]")
    assert all(map(same, back, EVERY))


@given(st.text(alphabet=st.characters(codec=None, categories=None)), st.booleans())
@settings(max_examples=60)
def test_any_text_reads_back(words, is_error):
    operation = ops.Answer(at=words, text=words, is_error=is_error)
    assert operations_from(b"[" + operation_json(operation) + b"]") == (operation,)


def test_defaults_are_left_out():
    assert operation_json(ops.Cut(after="messages.2")) == b'{"op":"cut","after":"messages.2"}'


REFUSED = [
    (b"", "is not JSON"),
    (b"[", "is not JSON"),
    (b"{}", "a JSON array"),
    (b'{"a":"\\ud83d"}', "a JSON array"),
    (b"[1]", "Expected `object`"),
    (b'[1,"\\ud83d"]', "Expected `object`"),
    (b'[{"op":"fly"}]', "Invalid value 'fly'"),
    (b'[{"op":"cut"}]', "missing required field `after`"),
    (b'[{"op":"cut","after":"\\ud83d","x":1}]', "unknown field `x`"),
    (b'[{"op":"cut","after":1}]', "Expected `str`"),
    (b'[{"op":"clear"},{"op":"cut","after":"messages.1","pairs":"maybe"}]', r"edit 2 .*\$\.pairs"),
    (b'[{"op":"clear"}] x', "is not JSON"),
]


@pytest.mark.parametrize(("raw", "words"), REFUSED)
def test_what_does_not_fit_is_said_with_its_place(raw, words):
    with pytest.raises(EditError, match=words) as caught:
        operations_from(raw)
    assert str(caught.value).endswith(".")


def test_the_schema_names_every_kind():
    text = json.dumps(schema())
    assert all(f'"{op.__struct_config__.tag}"' in text for op in EVERY)
