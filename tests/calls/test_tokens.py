import json

import pytest

from tapeview.calls.tokens import count_body, estimate

PICTURE = {"type": "image", "source": {"type": "base64", "data": "iVBORw0K" * 9000}}


@pytest.mark.parametrize(
    ("body", "about"),
    [({"messages": "word " * 760}, 1000), ({"a": [PICTURE, PICTURE]}, 3240), ({}, 1)],
)
def test_an_estimate(body, about):
    assert estimate(json.dumps(body).encode()) == pytest.approx(about, rel=0.03)


def test_the_count_is_asked_for_what_its_route_takes():
    raw = b'{"model": "m", "max_tokens": 5, "stream":true, "tools": [ 1.0 ], "messages": []}'
    assert count_body(raw) == b'{"model":"m","tools":[ 1.0 ],"messages":[]}'
