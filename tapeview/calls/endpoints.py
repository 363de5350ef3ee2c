"""Where calls go: endpoints by name, out of the settings file and the environment.

An endpoint names the environment variables that hold its secrets. The secrets themselves are read
when a call leaves, live in ``Secrets`` alone, and are shown nowhere.
"""

import re
from collections.abc import Mapping
from typing import Final, Literal
from urllib.parse import urlsplit

import msgspec

from tapeview.errors import CallError
from tapeview.settings import Settings, load_settings, settings_path
from tapeview.tape.clean import printable

__all__ = [
    "ENDPOINT_MEMBERS",
    "OWN_NAMES",
    "Endpoint",
    "Secrets",
    "endpoint_names",
    "endpoint_of",
    "secrets_of",
]

OWN_NAMES: Final = ("environment", "local", "recording")
"""Endpoints that need no settings."""
DEFAULT_URL: Final = "https://api.anthropic.com"
KEYS: Final = ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN")
"""Where the SDK looks for a key, in its order; an empty one counts as none."""
URL: Final = "ANTHROPIC_BASE_URL"
SHORTEST_SECRET: Final = 4
"""Characters from which on a secret is looked for in texts; shorter ones are in any word."""

_variable = re.compile(r"[A-Za-z_][A-Za-z0-9_]*").fullmatch
_header = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+").fullmatch
_sendable = re.compile(r"[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?").fullmatch


class Endpoint(msgspec.Struct, frozen=True):
    """Where a call goes. It holds no secret, only the names of variables that do."""

    name: str
    kind: Literal["api", "local", "recording"] = "api"
    base_url: str = DEFAULT_URL
    """Without ``/v1``, as the SDK has it."""
    key: str = ""
    """The environment variable that holds the key; "" where none is sent."""
    model: str = ""
    """The model that is asked for in place of the recorded one; "" for the recorded one."""
    betas: tuple[str, ...] = ()
    """Values of the header ``anthropic-beta``."""
    version: str = ""
    """The header ``anthropic-version``; "" for the SDK's own."""
    headers: tuple[tuple[str, str], ...] = ()
    """Further headers, each with the environment variable that holds its value."""
    weights: str = ""
    """The GGUF file of ``local``; "" for the one in a package."""

    @property
    def about(self) -> str:
        """What it is in a few words, for people."""
        if self.kind == "recording":
            return "the recording, not a model"
        if self.kind == "local":
            return "a small model on this machine"
        where = self.base_url.partition("://")[2].rstrip("/")
        return f"{where}, key from {self.key}" if self.key else f"{where}, no key"


class _Words(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One endpoint as the settings file has it."""

    base_url: str = DEFAULT_URL
    key: str = ""
    model: str = ""
    betas: tuple[str, ...] = ()
    version: str = ""
    headers: dict[str, str] = {}


ENDPOINT_MEMBERS: Final = _Words.__struct_fields__
"""What an endpoint in the settings can say."""


class Secrets:
    """The values of an endpoint's variables. They leave by ``key`` and ``headers`` alone."""

    __slots__ = ("headers", "key")

    def __init__(self, key: str, headers: Mapping[str, str]) -> None:
        self.key = key
        self.headers = headers

    def __repr__(self) -> str:
        return "Secrets(hidden)"

    def hidden_in(self, text: str) -> str:
        """The text without any of the secrets: servers quote what they were sent."""
        for value in (self.key, *self.headers.values()):
            if len(value) >= SHORTEST_SECRET:
                text = text.replace(value, "(hidden)")
        return text


def endpoint_names(environ: Mapping[str, str]) -> tuple[str, ...]:
    """All names that can be asked for: the user's own, then those that need no settings."""
    own = tuple(_named(load_settings(environ), environ))
    has_environment = any(environ.get(name) for name in (*KEYS, URL))
    return (*own, *(name for name in OWN_NAMES if name != "environment" or has_environment))


def endpoint_of(name: str | None, environ: Mapping[str, str]) -> Endpoint:
    """The endpoint of that name; None for the one that calls go to unless told.

    That is the one named as ``endpoint`` in the settings, else that of the environment, else the
    first one in the settings, else the recording. Raises ``CallError`` with one sentence.
    """
    settings = load_settings(environ)
    named = _named(settings, environ)
    if name is None:
        name = settings.endpoint
    if not name:
        has_environment = any(environ.get(variable) for variable in (*KEYS, URL))
        name = "environment" if has_environment else next(iter(named), "recording")
    if name == "recording":
        return Endpoint(name, "recording", "")
    if name == "local":
        return Endpoint(name, "local", "", model="local", weights=settings.weights)
    if name == "environment":
        return _of_environment(environ)
    if name not in named:
        known = ", ".join(endpoint_names(environ))
        raise CallError(
            f"there is no endpoint {printable(name)}; there is {known}. Others stand in "
            f"{_where(environ)}."
        )
    return _checked(name, named[name], f"{_where(environ)}: endpoint {printable(name)}")


def _where(environ: Mapping[str, str]) -> str:
    return printable(str(settings_path(environ)))


def _named(settings: Settings, environ: Mapping[str, str]) -> dict[str, msgspec.Raw]:
    """The endpoints of the settings file. Raises ``CallError`` where that cannot be read."""
    try:
        if settings.endpoints is not msgspec.UNSET:
            return msgspec.json.decode(settings.endpoints, type=dict[str, msgspec.Raw])
        if settings == Settings() and settings_path(environ).exists():
            msgspec.json.decode(settings_path(environ).read_bytes(), type=Settings)
    except msgspec.DecodeError as error:
        raise CallError(f"{_where(environ)}: no endpoint can be read from it: {error}.") from None
    except OSError as error:
        raise CallError(f"{_where(environ)}: it cannot be read: {error.strerror}.") from None
    return {}


def _of_environment(environ: Mapping[str, str]) -> Endpoint:
    key = next((name for name in KEYS if environ.get(name)), "")
    url = environ.get(URL) or DEFAULT_URL
    return Endpoint("environment", base_url=_url(url, f"the variable {URL}"), key=key)


def _checked(name: str, raw: msgspec.Raw, at: str) -> Endpoint:
    if name in OWN_NAMES:
        raise CallError(f"{at}: the name is taken by an endpoint of the program; choose another.")
    try:
        words = msgspec.json.decode(raw, type=_Words)
    except msgspec.DecodeError as error:
        members = ", ".join(ENDPOINT_MEMBERS)
        raise CallError(f"{at}: {error}; an endpoint has the members {members}.") from None
    if words.key and not _variable(words.key):
        raise CallError(
            f"{at}: key must be the name of an environment variable that holds the key, not the "
            "key itself."
        )
    for header, variable in words.headers.items():
        if not _header(header):
            raise CallError(f"{at}: a header has a name that no header can have.")
        if not _variable(variable):
            raise CallError(
                f"{at}: the header {header} must name an environment variable that holds its "
                "value, not the value itself."
            )
    for said, values in (("betas", words.betas), ("version", (words.version or "1",))):
        if not all(_sendable(value) for value in values):
            raise CallError(f"{at}: {said} must be plain words, as a header takes them.")
    return Endpoint(
        name,
        base_url=_url(words.base_url, f"{at}: base_url"),
        key=words.key,
        model=words.model,
        betas=words.betas,
        version=words.version,
        headers=tuple(words.headers.items()),
    )


def _url(url: str, at: str) -> str:
    """An address without secrets. The sentence never quotes it: it might hold one."""
    try:
        parts = urlsplit(url)
        sound = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        sound = False
    if not sound or not _sendable(url) or " " in url:
        raise CallError(f"{at} must be an address such as https://host:port, without /v1.")
    if parts.username or parts.password or parts.query or parts.fragment:
        raise CallError(f"{at} must hold no user, password or query; name a variable as key.")
    return url.rstrip("/").removesuffix("/v1")


def secrets_of(endpoint: Endpoint, environ: Mapping[str, str]) -> Secrets:
    """The values of its variables. Raises ``CallError`` for one that is not set or not sendable."""

    def value(variable: str) -> str:
        found = environ.get(variable, "").strip()
        if not found:
            raise CallError(
                f"endpoint {printable(endpoint.name)}: the environment variable {variable} is not "
                "set."
            )
        if not _sendable(found):
            raise CallError(
                f"endpoint {printable(endpoint.name)}: the environment variable {variable} holds "
                "something that no header can carry."
            )
        return found

    key = value(endpoint.key) if endpoint.key else ""
    return Secrets(key, {header: value(variable) for header, variable in endpoint.headers})
