"""Ask a running service, as commands do that only it can answer."""

from __future__ import annotations

import json
import os
import urllib.error
import urllib.request
from typing import Any

from wattmark.core.errors import InputError, WattmarkError

TIMEOUT_S = 10.0
TOKEN = "WATTMARK_TOKEN"  # noqa: S105 - the name of a variable
HERE = "http://127.0.0.1:8400"
URL_HELP = f"Address of the service; {TOKEN} holds a token if the service requires one."


def ask_service(url: str, method: str, path: str, body: dict[str, object] | None = None) -> Any:
    """Create a request and give the JSON of its answer; None where it has none. Raises `WattmarkError` in its words."""
    if not url.startswith(("http://", "https://")):
        raise InputError(f"{url} is not the address of a service.", f"Write it like {HERE}.")
    headers = {"Content-Type": "application/json"}
    if token := os.environ.get(TOKEN):
        headers["Authorization"] = f"Bearer {token}"
    sent = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(f"{url.rstrip('/')}{path}", sent, headers, method=method)  # noqa: S310 - checked above
    try:
        with urllib.request.urlopen(request, timeout=TIMEOUT_S) as answer:  # noqa: S310 - checked above
            content = answer.read()
    except urllib.error.HTTPError as error:
        raise WattmarkError(*_words(error)) from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "reason", error)
        raise WattmarkError(f"{url} does not answer: {reason}.", "Start the service: wattmark serve.") from None
    return json.loads(content) if content else None


def _words(error: urllib.error.HTTPError) -> tuple[str, str]:
    """Take cause and remedy from the service's answer."""
    try:
        answer = json.loads(error.read(65_536))
        return str(answer["cause"]), str(answer["remedy"])
    except (ValueError, KeyError, TypeError, OSError):
        return f"The service refused with status {error.code}.", "Look at its log."
