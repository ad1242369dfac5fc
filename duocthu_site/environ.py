"""Typed reading of environment variables; a bad value names its variable and says what was expected."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from ipaddress import IPv4Network, IPv6Network, ip_address, ip_network
from pathlib import Path
from urllib.parse import parse_qsl, unquote, urlsplit

from django.core.exceptions import ImproperlyConfigured

TRUE_WORDS = frozenset({"1", "true", "yes", "on"})
FALSE_WORDS = frozenset({"0", "false", "no", "off"})
POSTGRES_SCHEMES = frozenset({"postgres", "postgresql"})
SECONDS_OF = {"second": 1, "minute": 60, "hour": 3600, "day": 86_400}


@dataclass(frozen=True, slots=True)
class Rate:
    """How much is allowed: so many at once, and as many again evenly over these seconds."""

    count: int
    seconds: int


@dataclass(frozen=True, slots=True)
class DatabaseUrl:
    """Where a PostgreSQL database is; options are libpq parameters such as sslmode."""

    name: str
    user: str
    password: str
    host: str
    port: str
    options: dict[str, str]


@dataclass(frozen=True, slots=True)
class Environment:
    """Reads one mapping of variables. A variable set to nothing but blanks counts as not set."""

    variables: Mapping[str, str]

    def text(self, name: str, default: str = "") -> str:
        """The value without surrounding blanks, or default."""
        return self.variables.get(name, "").strip() or default

    def required(self, name: str, purpose: str) -> str:
        """The value; where it is missing, purpose completes the sentence "set NAME to …"."""
        value = self.text(name)
        if not value:
            raise ImproperlyConfigured(f"{name} is not set: set {name} to {purpose}.")
        return value

    def secret(self, name: str, *, least: int) -> str:
        """At least so many characters, or "" where the variable is not set. The message never shows it."""
        value = self.text(name)
        if value and len(value) < least:
            raise ImproperlyConfigured(f"{name} has {len(value)} characters, but must have at least {least}.")
        return value

    def flag(self, name: str, *, default: bool) -> bool:
        """A yes or a no."""
        value = self.text(name).lower()
        if not value:
            return default
        if value not in TRUE_WORDS | FALSE_WORDS:
            raise bad_value(name, value, "1, true, yes, on, 0, false, no or off")
        return value in TRUE_WORDS

    def port(self, name: str, default: int) -> int:
        """A TCP port from 1 to 65535."""
        value = self.text(name, str(default))
        if not (value.isascii() and value.isdigit() and 1 <= int(value) <= 65535):
            raise bad_value(name, value, "a port number from 1 to 65535")
        return int(value)

    def seconds(self, name: str, default: int, *, least: int = 1, most: int = 86_400) -> int:
        """A whole number of seconds."""
        value = self.text(name, str(default))
        if not (value.isascii() and value.isdigit() and least <= int(value) <= most):
            raise bad_value(name, value, f"a whole number of seconds from {least} to {most}")
        return int(value)

    def count(self, name: str, default: int, *, least: int = 1, most: int = 1_000_000) -> int:
        """A whole number."""
        value = self.text(name, str(default))
        if not (value.isascii() and value.isdigit() and least <= int(value) <= most):
            raise bad_value(name, value, f"a whole number from {least} to {most}")
        return int(value)

    def rate(self, name: str, default: str) -> Rate | None:
        """How often something may be done, such as 600/minute; None where it is off."""
        value = self.text(name, default)
        count, _, unit = value.partition("/")
        if value == "off":
            return None
        if not (count.isascii() and count.isdigit() and 1 <= int(count) <= 1_000_000 and unit in SECONDS_OF):
            raise bad_value(name, value, "off, or a number per second, minute, hour or day, such as 600/minute")
        return Rate(int(count), SECONDS_OF[unit])

    def networks(self, name: str, default: Collection[str] = ()) -> tuple[IPv4Network | IPv6Network, ...]:
        """Addresses or networks of machines, separated by commas."""
        try:
            return tuple(ip_network(part) for part in self.names(name, default))
        except ValueError as error:
            raise bad_value(name, self.text(name), "addresses or networks such as 10.0.0.5, 10.1.0.0/16") from error

    def address(self, name: str, default: str) -> str:
        """The address that a server listens on."""
        value = self.text(name, default)
        try:
            return str(ip_address(value))
        except ValueError as error:
            raise bad_value(name, value, "an address of this machine such as 127.0.0.1, or 0.0.0.0 for all") from error

    def choice(self, name: str, *, choices: Collection[str], default: str) -> str:
        """One of a few words."""
        value = self.text(name, default)
        if value not in choices:
            raise bad_value(name, value, "one of: " + ", ".join(sorted(choices)))
        return value

    def names(self, name: str, default: Collection[str] = ()) -> list[str]:
        """Words separated by commas, such as host names."""
        return [part.strip() for part in self.text(name).split(",") if part.strip()] or list(default)

    def path(self, name: str, default: Path) -> Path:
        """An absolute path; a relative one counts from the current directory, and ~ is the home directory."""
        value = self.text(name)
        if "\0" in value:
            raise bad_value(name, value, "a path")
        return (Path(value) if value else default).expanduser().absolute()

    def broker_url(self, name: str, schemes: tuple[str, ...], *, default: str) -> str:
        """A broker's address with one of these schemes. The message shows the scheme only, never a password."""
        value = self.text(name)
        if not value:
            return default
        if not value.startswith(schemes):
            raise bad_value(
                name, value.partition("://")[0] + "://…", "an address that starts with " + ", ".join(schemes)
            )
        return value

    def http_url(self, name: str) -> str:
        """The address of an HTTP service, or "" where the variable is not set."""
        value = self.text(name)
        if value and not (value.startswith(("http://", "https://")) and urlsplit(value).hostname):
            raise bad_value(name, value, "an address such as https://host")
        return value.rstrip("/")

    def database_url(self, name: str) -> DatabaseUrl | None:
        """A PostgreSQL address, or None where the variable is not set. The message never shows the password."""
        value = self.text(name)
        return parse_database_url(name, value) if value else None


def bad_value(name: str, value: str, expected: str) -> ImproperlyConfigured:
    """The error for a value that cannot be used."""
    return ImproperlyConfigured(f"{name} is {value!r}, but must be {expected}.")


def parse_database_url(variable: str, value: str) -> DatabaseUrl:
    """postgresql://user:password@host:port/name?option=value; host may also be given as an option (a socket)."""
    expected = "a PostgreSQL address such as postgresql://user:password@host:5432/name"
    try:
        parts = urlsplit(value)
        port = str(parts.port or "")
    except ValueError as error:
        raise ImproperlyConfigured(f"{variable} cannot be read ({error}): it must be {expected}.") from error
    name = unquote(parts.path.removeprefix("/"))
    if parts.scheme not in POSTGRES_SCHEMES or not name:
        raise ImproperlyConfigured(f"{variable} must be {expected}; its scheme is {parts.scheme!r}, its name {name!r}.")
    options = dict(parse_qsl(parts.query))
    return DatabaseUrl(
        name=name,
        user=unquote(parts.username or ""),
        password=unquote(parts.password or ""),
        host=options.pop("host", "") or unquote(parts.hostname or ""),
        port=options.pop("port", "") or port,
        options=options,
    )
