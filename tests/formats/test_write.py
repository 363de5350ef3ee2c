"""Files written back: what stands between records, and what goes with them."""

import json

import pytest

from tapeview.edit import operations as ops
from tests.helpers import open_bytes

A, B, C = (b'{"role":"user","content":"%s"}' % word for word in (b"a", b"b", b"c"))
R = b'{"role":"assistant","content":"r"}'
NEW = b'{"role":"user","content":"n"}'


def after(raw, *operations):
    opened = open_bytes(raw)
    for operation in operations:
        opened.apply(operation)
    saved = b"".join(opened.session.written(opened.session, 0))
    while opened.undo():
        pass
    assert b"".join(opened.session.written(opened.session, 0)) == raw
    return saved


def insert(**where):
    return ops.Insert(role="user", content=ops.Raw(b'"n"'), **where)


def delete(*at):
    return ops.Delete(at=at)


LINES = [
    ("plain", A + b"\n" + R + b"\n" + C + b"\n", delete("messages.1"), A + b"\n" + C + b"\n"),
    ("CRLF", A + b"\r\n" + R + b"\r\n", insert(after="messages.0"), A + b"\r\n" + NEW + b"\r\n" + R + b"\r\n"),
    ("CRLF at the end", A + b"\r\n" + R + b"\r\n", insert(), A + b"\r\n" + R + b"\r\n" + NEW + b"\r\n"),
    ("BOM", b"\xef\xbb\xbf" + A + b"\n" + R + b"\n", delete("messages.0"), b"\xef\xbb\xbf" + R + b"\n"),
    ("BOM, in front", b"\xef\xbb\xbf" + A + b"\n" + R + b"\n", insert(before="messages.0"), b"\xef\xbb\xbf" + NEW + b"\n" + A + b"\n" + R + b"\n"),
    ("no final newline, at the end", A + b"\n" + R, insert(), A + b"\n" + R + b"\n" + NEW + b"\n"),
    ("no final newline, last one goes", A + b"\n" + R, delete("messages.1"), A + b"\n"),
    ("blank lines stay", A + b"\n\n" + R + b"\n\n\n" + C + b"\n", delete("messages.1"), A + b"\n\n\n\n" + C + b"\n"),
    ("comments stay", b"// one\n" + A + b"\n// two\n" + R + b"\n", delete("messages.0"), b"// one\n// two\n" + R + b"\n"),
    ("two on a line, first goes", A + R + b"\n" + C + b"\n", delete("messages.0"), R + b"\n" + C + b"\n"),
    ("two on a line, second goes", A + R + b"\n" + C + b"\n", delete("messages.1"), A + b"\n" + C + b"\n"),
    ("two on a line, one between", A + R + b"\n", insert(after="messages.0"), A + b"\n" + NEW + b"\n" + R + b"\n"),
    ("two on the last line", C + b"\n" + A + R + b"\n", delete("messages.2"), C + b"\n" + A + b"\n"),
    ("torn tail", A + b"\n" + R + b"\n" + C[:9], insert(), A + b"\n" + R + b"\n" + NEW + b"\n" + C[:9]),
    ("torn tail, last one goes", A + b"\n" + R + b"\n" + C[:9], delete("messages.1"), A + b"\n" + C[:9]),
    ("all go", b"// kept\n" + A + b"\n" + R + b"\n", ops.Clear(), b"// kept\n"),
    ("several, apart", A + b"\n" + R + b"\n" + B + b"\n" + C + b"\n", delete("messages.0", "messages.2"), R + b"\n" + C + b"\n"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("raw", "operation", "wanted"), [c[1:] for c in LINES], ids=[c[0] for c in LINES]
)
def test_a_file_of_lines(raw, operation, wanted):
    assert after(raw, operation) == wanted


DOCUMENTS = [
    ("compact", b"[" + A + b"," + R + b"," + C + b"]\n", delete("messages.1"), b"[" + A + b"," + C + b"]\n"),
    ("first goes", b"[" + A + b", " + R + b"]", delete("messages.0"), b"[" + R + b"]"),
    ("last goes", b"[" + A + b",\n" + R + b"\n]", delete("messages.1"), b"[" + A + b"\n]"),
    ("all go", b"[\n" + A + b",\n" + R + b"\n]", ops.Clear(), b"[\n\n]"),
    ("at the end", b"[\n" + A + b",\n" + R + b"\n]", insert(), b"[\n" + A + b",\n" + R + b",\n" + NEW + b"\n]"),
    ("text behind", b"[" + A + b"," + R + b"] trailing", delete("messages.1"), b"[" + A + b"] trailing"),
    ("text behind, all go", b"[" + A + b"] trailing", ops.Clear(), b"[] trailing"),
    ("text behind, one more", b"[" + A + b"] trailing", insert(), b"[" + A + b"," + NEW + b"] trailing"),
    ("torn", b"[" + A + b"," + R + b"," + C[:9], delete("messages.1"), b"[" + A + b"," + C[:9]),
    ("BOM", b"\xef\xbb\xbf[" + A + b"," + R + b"]", delete("messages.0"), b"\xef\xbb\xbf[" + R + b"]"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("raw", "operation", "wanted"), [c[1:] for c in DOCUMENTS], ids=[c[0] for c in DOCUMENTS]
)
def test_a_document(raw, operation, wanted):
    assert after(raw, operation) == wanted


BODY = b'{"model":"claude-x","system":"be","max_tokens":10,"messages":[' + A + b"]}"
FRAMES = [
    ("system", b'"is"', BODY.replace(b'"be"', b'"is"')),
    ("system", None, BODY.replace(b'"system":"be",', b"")),
    ("model", b'"claude-\\u0079"', BODY.replace(b"claude-x", b"claude-y")),
    ("max_tokens", b"20", BODY.replace(b"10", b"20")),
    ("tools", b'[ {"name": "R"} ]', BODY[:-1] + b',"tools":[{"name":"R"}]}'),
    ("temperature", b"1.50", BODY[:-1] + b',"temperature":1.50}'),
]


@pytest.mark.parametrize(("member", "value", "wanted"), FRAMES)
def test_what_stands_beside_the_messages(member, value, wanted):
    given = {} if value is None else {"value": ops.Raw(value)}
    assert after(BODY, ops.SetRequest(member=member, **given)) == wanted


def test_a_body_that_is_spread_over_lines_stays_so():
    raw = json.dumps(json.loads(BODY), indent=2).encode()
    saved = after(raw, ops.SetRequest(member="tools", value=ops.Raw(b'[{"name":"R"}]')))
    wanted = json.loads(BODY) | {"tools": [{"name": "R"}]}
    assert saved == json.dumps(wanted, indent=2).encode()


def test_frame_and_messages_change_together():
    saved = after(BODY, ops.SetRequest(member="system", value=ops.Raw(b'"is"')), insert())
    assert saved == BODY.replace(b'"be"', b'"is"').replace(A, A + b"," + NEW)
