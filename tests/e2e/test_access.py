"""Signing in with a browser: the way in, what a viewer may not do, a token for somebody, and who did what."""

from __future__ import annotations

import json
import re
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from .conftest import assert_well, browse, serving

pytestmark = pytest.mark.e2e


@pytest.fixture
def service(tmp_path: Path) -> Iterator[tuple[str, str]]:
    """Start a service that asks for a sign-in; gives its address and the administrator's token."""
    with serving(tmp_path / "data", "--sign-in") as url:
        yield url, (tmp_path / "data/first-token").read_text().strip()


def viewer(url: str, admin: str) -> str:
    """Make a viewer's token by the API."""
    request = urllib.request.Request(
        f"{url}/api/tokens",
        json.dumps({"name": "guest", "role": "viewer"}).encode(),
        {"Authorization": f"Bearer {admin}", "Content-Type": "application/json"},
    )
    with urllib.request.urlopen(request, timeout=20) as answer:
        return str(json.load(answer)["secret"])


def test_signing_in_and_giving_access(service: tuple[str, str], tmp_path: Path) -> None:
    url, admin = service
    pictures = tmp_path / "pictures"
    seen: dict[str, Any] = browse("access.mjs", url, str(pictures), admin, viewer(url, admin))
    assert seen["asked"].endswith("/login?next=/runs")
    assert "This token is not valid" in seen["wrong"]
    assert "Enter a token" in seen["empty"]
    assert seen["after"].endswith("/runs"), "back to where one wanted to go"
    assert "guest" in seen["badge"]
    assert seen["startDisabled"] is True
    assert seen["startReason"] == "This requires the role operator, which guest does not have."
    assert "Only administrators" in seen["guestAccess"]
    assert seen["cookies"] == [{"name": "wattmark_session", "httpOnly": True, "sameSite": "Strict"}]
    assert seen["left"].endswith("/login")
    assert re.fullmatch(r"wm_[\w-]{32}", seen["secret"])
    assert "prometheus" in seen["tokens"]
    assert "Revoked" in seen["revoked"]
    assert "access_create_token" in seen["audit"]
    assert "access_revoke_token" in seen["audit"]
    assert seen["kicked"].startswith("/login"), "a revoked token's pages show the way in"
    assert_well(seen, refused="401")
