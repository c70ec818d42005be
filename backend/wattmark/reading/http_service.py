"""Ask a running service: what only it can answer, or what it has stored."""

from __future__ import annotations

import http.client
import json
import os
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from wattmark.bench.address import without_secrets
from wattmark.core.errors import InputError, WattmarkError
from wattmark.core.passwords import bearer

TIMEOUT_S = 10.0
MOST_BYTES = 64 * 2**20
FILE_TIMEOUT_S = 300.0
"""For files, which a service writes to its disk before it sends them."""
MOST_FILE_BYTES = 2**32
_PIECE = 2**20
TOKEN = "WATTMARK_TOKEN"  # noqa: S105 - the name of a variable
HERE = "http://127.0.0.1:8400"
URL_HELP = f"Address of the service; {TOKEN} holds a token if the service requires one."


def ask_service(
    url: str,
    method: str,
    path: str,
    body: dict[str, object] | None = None,
    token: str | None = None,
    timeout_s: float = TIMEOUT_S,
) -> Any:
    """Create a request and give the JSON of its answer; None where it has none. Raises `WattmarkError` in its words."""
    sent = None if body is None else json.dumps(body).encode()
    with _answer(url, method, path, sent, token, timeout_s) as answer:
        content = answer.read(MOST_BYTES + 1)
        if len(content) <= MOST_BYTES:
            _require_end(answer)
    if len(content) > MOST_BYTES:
        raise WattmarkError(f"{url} sends more than {MOST_BYTES // 2**20} MiB.", "Check the address of the service.")
    try:
        return json.loads(content) if content else None
    except (ValueError, RecursionError):
        raise WattmarkError(f"{url} is not a wattmark service.", "Check the address of the service.") from None


def file_of_service(url: str, path: str, token: str | None = None) -> Iterator[bytes]:
    """Yield a file of a service piece by piece. Raises `WattmarkError` in its words."""
    length = 0
    with _answer(url, "GET", path, None, token, FILE_TIMEOUT_S) as answer:
        while piece := answer.read(_PIECE):
            length += len(piece)
            if length > MOST_FILE_BYTES:
                raise WattmarkError(f"{url} sends a file of more than {MOST_FILE_BYTES // 2**30} GiB.", "Ask for less.")
            yield piece
        _require_end(answer)


@contextmanager
def _answer(
    url: str, method: str, path: str, sent: bytes | None, token: str | None, timeout_s: float
) -> Iterator[http.client.HTTPResponse]:
    """Open the answer to a request; ``token`` stands for that of the environment."""
    try:
        without_secrets(url)
    except ValueError:
        raise InputError(
            "The address of the service contains a user, a password or a token.", f"Put the token into {TOKEN}."
        ) from None
    if not url.startswith(("http://", "https://")):
        raise InputError(f"{url} is not the address of a service.", f"Write it like {HERE}.")
    headers = {"Content-Type": "application/json"}
    if token := token or os.environ.get(TOKEN):
        headers["Authorization"] = bearer(token, "the service")
    try:
        request = urllib.request.Request(f"{url.rstrip('/')}{path}", sent, headers, method=method)  # noqa: S310
        with _OPENER.open(request, timeout=timeout_s) as answer:
            yield answer
    except urllib.error.HTTPError as error:
        with error:
            raise WattmarkError(*_words(error)) from None
    except http.client.IncompleteRead:
        raise WattmarkError(
            f"The answer of {url} broke off.", "Ask again. If it breaks off again, look at the service's log."
        ) from None
    except (OSError, ValueError, http.client.HTTPException) as error:
        reason = getattr(error, "reason", error)
        raise WattmarkError(f"{url} does not answer: {reason}.", "Start the service: wattmark serve.") from None


def _require_end(answer: http.client.HTTPResponse) -> None:
    """Refuse an answer that is shorter than its header says, which the library does not notice."""
    if answer.length:
        raise http.client.IncompleteRead(b"", answer.length)


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """Leave a redirect as an answer: the token is for the address that was given, and for no other."""

    def redirect_request(self, *_: object) -> None:
        """Follow none."""
        return


_OPENER = urllib.request.build_opener(_NoRedirects)


def _words(error: urllib.error.HTTPError) -> tuple[str, str]:
    """Take cause and remedy from the service's answer."""
    if 300 <= error.code < 400:
        return f"The service redirects to another address (status {error.code}).", "Give its final address with --url."
    try:
        answer = json.loads(error.read(65_536))
        return str(answer["cause"]), str(answer["remedy"])
    except (ValueError, KeyError, TypeError, OSError, RecursionError):
        return f"The service refused with status {error.code}.", "Look at its log."
