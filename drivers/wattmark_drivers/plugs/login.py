"""How a plug lets a reader in. The password is asked for when the meter is opened."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import quote

import httpx2

from wattmark_drivers.catalogue.http_map import HttpMap


@dataclass(frozen=True, slots=True, repr=False)
class PlugLogin:
    """What to send along: an answer to challenges, or arguments at the end of each URL."""

    auth: httpx2.Auth | None = None
    arguments: str = ""

    def url(self, path: str) -> str:
        """Add the arguments to a path. The result is a secret."""
        return path if not self.arguments else f"{path}{'&' if '?' in path else '?'}{self.arguments}"


def make_login(table: HttpMap, username: str | None, password: str) -> PlugLogin:
    """Create the login that the device wants; none without a password, which most plugs ship with."""
    if table.login == "none" or not password:
        return PlugLogin()
    name = username or table.username
    if table.login == "basic":
        return PlugLogin(httpx2.BasicAuth(name, password))
    if table.login == "digest":
        return PlugLogin(httpx2.DigestAuth(name, password))
    return PlugLogin(arguments=f"user={quote(name, safe='')}&password={quote(password, safe='')}")
