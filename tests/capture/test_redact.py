"""What is a credential, and what is not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tapeview.capture.redact import kept_reply_headers, safe_path, secrets_of, without

KEY = "sk-ant-dummy-0123456789"
ESCAPED = "".join(f"\\u{ord(sign):04x}" for sign in KEY)


@pytest.mark.parametrize(
    ("path", "safe"),
    [
        ("/v1/messages", "/v1/messages"),
        ("/v1/messages?beta=true", "/v1/messages?beta=true"),
        ("/v1/messages?x-api-key=abc", "/v1/messages?x-api-key=[removed]"),
        ("/v1/messages?beta=true&key=a%20b&x=1", "/v1/messages?beta=true&key=[removed]&x=1"),
        ("/v1/messages?api%5Fkey=abc", "/v1/messages?api%5Fkey=[removed]"),
        (
            "/v1/messages?access_token=abc&token=d",
            "/v1/messages?access_token=[removed]&token=[removed]",
        ),
        ("/v1/messages?key=", "/v1/messages?key="),
        ("/v1/messages?a?key=b", "/v1/messages?a?key=[removed]"),
    ],
)
def test_credentials_go_out_of_a_path(path, safe):
    assert safe_path(path) == safe


@pytest.mark.parametrize(
    ("headers", "secrets"),
    [
        ({"x-api-key": KEY}, [KEY]),
        ({"authorization": f"Bearer {KEY}"}, [f"Bearer {KEY}", KEY]),
        ({"cookie": f"a={KEY}; b=short"}, [f"a={KEY}; b=short", KEY]),
        ({"x-my-secret": KEY}, [KEY]),
        ({"x-api-key": "dummy"}, []),
        ({"user-agent": "a client with a long name", "anthropic-version": "2023-06-01"}, []),
    ],
)
def test_credentials_are_found_in_headers(headers, secrets):
    assert secrets_of(headers, "/") == tuple(s.encode() for s in secrets)


def test_credentials_are_found_in_a_query():
    assert secrets_of({}, f"/x?key={KEY}&beta=aaaaaaaaaaaaaaa") == (KEY.encode(),)


@pytest.mark.parametrize(
    ("raw", "safe"),
    [
        (f"your key {KEY} is bad", "your key [removed] is bad"),
        ('{"authorization_token":"abc"}', '{"authorization_token":"[removed]"}'),
        (
            r'{"authorization_token" : "a\"b", "x": 1}',
            '{"authorization_token" : "[removed]", "x": 1}',
        ),
        ('{"authorization_token":null}', '{"authorization_token":null}'),
        (
            r'{"text":"\"authorization_token\": \"abc\""}',
            r'{"text":"\"authorization_token\": \"[removed]\""}',
        ),
        (f'{{"text":"{ESCAPED}"}}', '{"text":"[removed]"}'),
        (r'{"text":"a\/b \u00e9 \u0022"}', r'{"text":"a\/b \u00e9 \u0022"}'),
        (
            '{"add":[{"url":"http://h/?k=1"}],"mcp_servers":[{"url":"http://u:pw@h/p?token=x&y=z"}]}',
            '{"add":[{"url":"http://h/?k=1"}],"mcp_servers":'
            '[{"url":"http://[removed]@h/p?token=[removed]&y=[removed]"}]}',
        ),
    ],
)
def test_credentials_go_out_of_a_body(raw, safe):
    assert without([KEY.encode()], raw.encode()) == safe.encode()


@given(st.binary(), st.lists(st.binary(min_size=12), max_size=3))
def test_no_credential_is_left(data, secrets):
    padded = b"".join([data, *secrets, data])
    left = without(secrets, padded)
    assert not any(s in left for s in secrets if s not in b"[removed]" * 3)


def test_headers_of_an_answer_are_kept_by_name():
    headers = {
        "content-type": "a",
        "anthropic-ratelimit-x": "1",
        "set-cookie": "b",
        "retry-after-ms": "2",
    }
    assert kept_reply_headers(headers) == {"content-type": "a", "anthropic-ratelimit-x": "1"}
