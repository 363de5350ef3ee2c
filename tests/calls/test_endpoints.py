"""Endpoints: where calls go, and that a secret stays where it is."""

import json

import msgspec
import pytest

from tapeview.calls.endpoints import Endpoint, endpoint_names, endpoint_of, secrets_of
from tapeview.errors import CallError
from tapeview.settings import settings_path

SECRET = "sk-very-secret-0123456789"
WORK = {
    "base_url": "https://models.example:8443/anthropic/",
    "key": "WORK_KEY",
    "model": "big",
    "betas": ["a-1", "b-2"],
    "version": "2023-06-01",
    "headers": {"x-team": "WORK_TEAM"},
}


@pytest.fixture
def home(tmp_path):
    """Writes the settings; the environment that goes with them."""

    def write(settings=None, **variables):
        environ = {"HOME": str(tmp_path), **variables}
        if settings is not None:
            path = settings_path(environ)
            path.parent.mkdir(parents=True)
            path.write_text(settings if isinstance(settings, str) else json.dumps(settings))
        return environ

    return write


CHOICES = {
    "nothing is there": ({}, {}, "recording", "recording"),
    "a key": ({}, {"ANTHROPIC_API_KEY": "k"}, "environment", "api"),
    "a token": ({}, {"ANTHROPIC_AUTH_TOKEN": "k"}, "environment", "api"),
    "an address": ({}, {"ANTHROPIC_BASE_URL": "http://[::1]:9"}, "environment", "api"),
    "an empty key is none": ({}, {"ANTHROPIC_API_KEY": ""}, "recording", "recording"),
    "an endpoint": ({"endpoints": {"work": WORK, "b": {}}}, {}, "work", "api"),
    "a key and an endpoint": (
        {"endpoints": {"work": WORK}},
        {"ANTHROPIC_API_KEY": "k"},
        "environment",
        "api",
    ),
    "the one that is named": (
        {"endpoints": {"b": {}, "work": WORK}, "endpoint": "work"},
        {"ANTHROPIC_API_KEY": "k"},
        "work",
        "api",
    ),
    "the local one by default": ({"endpoint": "local"}, {}, "local", "local"),
}


@pytest.mark.parametrize(("settings", "variables", "name", "kind"), CHOICES.values(), ids=CHOICES)
def test_where_calls_go_unless_told(home, settings, variables, name, kind):
    endpoint = endpoint_of(None, home(settings, **variables))
    assert (endpoint.name, endpoint.kind) == (name, kind)


def test_an_endpoint_of_the_settings(home):
    assert endpoint_of("work", home({"endpoints": {"work": WORK}})) == Endpoint(
        "work",
        "api",
        "https://models.example:8443/anthropic",
        "WORK_KEY",
        "big",
        ("a-1", "b-2"),
        "2023-06-01",
        (("x-team", "WORK_TEAM"),),
    )


def test_the_environment_as_the_sdk_reads_it(home):
    environ = home(ANTHROPIC_API_KEY="a", ANTHROPIC_AUTH_TOKEN="b")
    assert endpoint_of("environment", environ).key == "ANTHROPIC_API_KEY"
    del environ["ANTHROPIC_API_KEY"]
    endpoint = endpoint_of("environment", environ | {"ANTHROPIC_BASE_URL": "http://h:1/v1/"})
    assert (endpoint.key, endpoint.base_url) == ("ANTHROPIC_AUTH_TOKEN", "http://h:1")


def test_the_weights_of_the_local_model(home):
    assert endpoint_of("local", home({"weights": "/m.gguf"})).weights == "/m.gguf"


def test_names_that_can_be_asked_for(home):
    environ = home({"endpoints": {"work": WORK}})
    assert endpoint_names(environ) == ("work", "local", "recording")
    more = environ | {"ANTHROPIC_API_KEY": "k"}
    assert endpoint_names(more) == ("work", "environment", "local", "recording")


def test_what_an_endpoint_is_in_words(home):
    environ = home({"endpoints": {"work": WORK, "plain": {"base_url": "http://h:1"}}})
    about = [endpoint_of(n, environ).about for n in ("work", "plain", "local", "recording")]
    assert about == [
        "models.example:8443/anthropic, key from WORK_KEY",
        "h:1, no key",
        "a small model on this machine",
        "the recording, not a model",
    ]


BAD = {
    "no such name": ({"endpoints": {"b": {}}}, "there is no endpoint work; there is b, local"),
    "a number for an address": ({"endpoints": {"work": {"base_url": 5}}}, "Expected `str`, got `i"),
    "no object": ({"endpoints": {"work": "x"}}, "Expected `object`, got `str`"),
    "endpoints are a list": ({"endpoints": [1]}, "no endpoint can be read from it"),
    "the file is no JSON": ("{broken", "no endpoint can be read from it"),
    "a setting of the wrong type": ('{"theme": 5, "endpoints": {}}', "no endpoint can be read"),
    "the key itself": ({"endpoints": {"work": {"key": SECRET}}}, "not the key itself"),
    "the key under another name": (
        {"endpoints": {"work": {"api_key": SECRET}}},
        "an endpoint has the members base_url, key, model,",
    ),
    "a header's value itself": (
        {"endpoints": {"work": {"headers": {"x-a": SECRET}}}},
        "the header x-a must name an environment variable",
    ),
    "no header": ({"endpoints": {"work": {"headers": {"x a": "V"}}}}, "no header can have"),
    "a scheme": ({"endpoints": {"work": {"base_url": "ftp://h"}}}, "must be an address such as"),
    "no host": ({"endpoints": {"work": {"base_url": "http://"}}}, "must be an address such as"),
    "no port": ({"endpoints": {"work": {"base_url": "http://h:x"}}}, "must be an address such as"),
    "a password in the address": (
        {"endpoints": {"work": {"base_url": f"https://me:{SECRET}@h"}}},
        "must hold no user, password or query",
    ),
    "a key in the address": (
        {"endpoints": {"work": {"base_url": f"https://h/?key={SECRET}"}}},
        "must hold no user, password or query",
    ),
    "a beta with a line break": (
        {"endpoints": {"work": {"betas": ["a\nb"]}}},
        "betas must be plain words",
    ),
    "a name of ours": ({"endpoints": {"local": {}}, "endpoint": "x"}, "no endpoint work"),
}


@pytest.mark.parametrize(("settings", "said"), BAD.values(), ids=BAD)
def test_a_bad_endpoint_is_one_sentence_without_a_secret(home, settings, said):
    with pytest.raises(CallError) as raised:
        endpoint_of("work", home(settings))
    assert said in str(raised.value)
    assert SECRET not in str(raised.value)
    assert "\n" not in str(raised.value)


def test_a_bad_address_in_the_environment(home):
    environ = home(ANTHROPIC_BASE_URL=f"http://me:{SECRET}@h")
    with pytest.raises(CallError, match="the variable ANTHROPIC_BASE_URL must hold no user"):
        endpoint_of(None, environ)


def test_secrets_are_read_when_a_call_leaves(home):
    endpoint = endpoint_of("work", home({"endpoints": {"work": WORK}}))
    secrets = secrets_of(endpoint, {"WORK_KEY": f" {SECRET}\n", "WORK_TEAM": "team-red"})
    assert (secrets.key, secrets.headers) == (SECRET, {"x-team": "team-red"})


@pytest.mark.parametrize("value", ["", " ", "sk-\x00", "sk-ü"])
def test_a_key_that_cannot_be_sent(home, value):
    endpoint = endpoint_of("work", home({"endpoints": {"work": WORK | {"headers": {}}}}))
    with pytest.raises(CallError, match="endpoint work: the environment variable WORK_KEY"):
        secrets_of(endpoint, {"WORK_KEY": value})


def test_a_secret_is_in_no_repr_and_no_json(home):
    environ = home({"endpoints": {"work": WORK}}, WORK_KEY=SECRET, WORK_TEAM=SECRET)
    endpoint = endpoint_of("work", environ)
    secrets = secrets_of(endpoint, environ)
    assert SECRET not in repr(endpoint) + repr(secrets) + str(secrets) + f"{secrets}"
    assert SECRET.encode() not in msgspec.json.encode(endpoint)
    with pytest.raises(TypeError):
        msgspec.json.encode(secrets)


def test_what_a_server_quotes_is_hidden(home):
    endpoint = endpoint_of("work", home({"endpoints": {"work": WORK}}))
    secrets = secrets_of(endpoint, {"WORK_KEY": SECRET, "WORK_TEAM": "red"})
    assert secrets.hidden_in(f"bad key {SECRET} of red") == "bad key (hidden) of red"
