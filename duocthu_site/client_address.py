"""The address of whoever sent a request, behind proxies that are known and no others."""

from __future__ import annotations

from ipaddress import IPv4Address, IPv6Address, ip_address

from django.conf import settings
from django.http import HttpRequest


def client_address(request: HttpRequest) -> str | None:
    """The peer's address; where the peer is a trusted proxy, the last one in X-Forwarded-For that is none.

    What stands before that one was written by the client itself. None where nothing can be read as an address.
    """
    found = _read(request.META.get("REMOTE_ADDR", ""))
    for given in reversed(request.headers.get("X-Forwarded-For", "").split(",")):
        before = _read(given)
        if found is None or before is None or not _is_trusted(found):
            break
        found = before
    return str(found) if found else None


def _read(given: str) -> IPv4Address | IPv6Address | None:
    """An address as proxies write it: with a port, or in brackets."""
    text = given.strip()
    if text.startswith("["):
        text = text[1:].partition("]")[0]
    elif text.count(":") == 1:
        text = text.partition(":")[0]
    try:
        address = ip_address(text)
    except ValueError:
        return None
    return getattr(address, "ipv4_mapped", None) or address


def _is_trusted(address: IPv4Address | IPv6Address) -> bool:
    return any(address in network for network in settings.TRUSTED_PROXIES)
