"""The words for a text that stops being JSON."""

import pytest

from tapeview.tape.json_fault import fault_after_value, fault_at_end, fault_at_value

ARRAY, OBJECT = ord("]"), ord("}")


@pytest.mark.parametrize(
    ("closer", "reason"),
    [
        (None, "the text ends where a value should begin"),
        (ARRAY, "the text ends inside an array"),
        (OBJECT, "the text ends inside an object"),
    ],
)
def test_at_the_end_of_the_text(closer, reason):
    fault = fault_at_end(b"[1", closer)
    assert (fault.offset, fault.reason) == (2, reason)
    assert str(fault) == f"{reason} (byte 2)"


@pytest.mark.parametrize(
    ("raw", "offset", "reason"),
    [
        (b"[", 1, "the text ends inside an array"),
        (b"[tru", 4, "the text ends inside a value"),
        (b"[-Inf", 5, "the text ends inside a value"),
        (b"[trx", 1, "a value should stand here"),
        (b"[tru,", 1, "a value should stand here"),
    ],
)
def test_where_a_value_should_stand(raw, offset, reason):
    fault = fault_at_value(raw, 1, ARRAY)
    assert (fault.offset, fault.reason) == (offset, reason)


@pytest.mark.parametrize(
    ("raw", "closer", "offset", "reason"),
    [
        (b"[1", ARRAY, 2, "the text ends inside an array"),
        (b"[1.", ARRAY, 3, "the text ends inside a number"),
        (b"[1e+", ARRAY, 4, "the text ends inside a number"),
        (b"[1x", ARRAY, 2, "a comma or ] should stand here"),
        (b"[1x", OBJECT, 2, "a comma or } should stand here"),
        (b"[1x", None, 2, "more text follows the value"),
    ],
)
def test_behind_a_value(raw, closer, offset, reason):
    fault = fault_after_value(raw, 2, closer)
    assert (fault.offset, fault.reason) == (offset, reason)
