"""One POST to a web server: bounded in time and in bytes, through no proxy, and never redirected."""

from __future__ import annotations

import http.client
import socket
import ssl
import threading
from contextlib import suppress
from urllib.parse import urlsplit

from wattmark.core.errors import WattmarkError
from wattmark.core.version import version

TIMEOUT_S = 10.0
"""How long a server may take for everything: connection, encryption, answer [s]."""
_MOST_BYTES = 64 * 1024
_PORTS = {"http": 80, "https": 443}


class NotTold(WattmarkError):  # noqa: N818 - reads better at the raise site
    """A message did not arrive."""


def post(url: str, body: bytes, *, token: str | None = None, ca_file: str | None = None) -> int:
    """Send JSON; return the status of the answer. Raises `NotTold`.

    ``token`` is the whole value of the header Authorization. What is raised names the host alone: path and token may
    be secret, and the words of a server may repeat them.
    """
    parts = urlsplit(url)
    host, path = parts.hostname or "", (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    headers = {"Content-Type": "application/json", "User-Agent": f"wattmark/{version()}"}
    if token is not None:
        headers["Authorization"] = token
    late = threading.Event()
    try:
        connection = _connection(parts.scheme, host, parts.port or _PORTS[parts.scheme], ca_file)
        deadline = threading.Timer(TIMEOUT_S, _hang_up, (connection, late))
        deadline.daemon = True
        deadline.start()
        try:
            connection.request("POST", path, body, headers)
            answer = connection.getresponse()
            answer.read(_MOST_BYTES)
        finally:
            deadline.cancel()
            connection.close()
    except (OSError, http.client.HTTPException, ValueError) as error:
        raise NotTold(f"{host} {_reason(error, late=late.is_set())}.", _REMEDY) from None
    if not 200 <= answer.status < 300:
        raise NotTold(f"{host} answers with status {answer.status}.", _REMEDIES.get(answer.status, _REMEDY))
    return answer.status


_REMEDY = "Check the address of this entry of notify, and the network."
_REMEDIES = {
    **dict.fromkeys((401, 403), "Check the token (token_env or token_file)."),
    **dict.fromkeys((301, 302, 303, 307, 308), "Redirects are not followed: give the final address."),
    429: "The server takes no more messages for now; list fewer events.",
}


def _connection(scheme: str, host: str, port: int, ca_file: str | None) -> http.client.HTTPConnection:
    if scheme == "http":
        return http.client.HTTPConnection(host, port, timeout=TIMEOUT_S)
    context = ssl.create_default_context(cafile=ca_file)
    return http.client.HTTPSConnection(host, port, timeout=TIMEOUT_S, context=context)


def _hang_up(connection: http.client.HTTPConnection, late: threading.Event) -> None:
    """End a request of a server that drips: each byte in time, but never the last."""
    late.set()
    with suppress(OSError, AttributeError):
        connection.sock.shutdown(socket.SHUT_RDWR)


def _reason(error: Exception, *, late: bool) -> str:
    """Explain a failure in words that cannot hold an address: those of the operating system, or its kind."""
    if late or isinstance(error, TimeoutError):
        return f"took longer than {TIMEOUT_S:g} s"
    if isinstance(error, ssl.SSLCertVerificationError):
        return f"has a certificate that is not believed ({error.verify_message})"
    if isinstance(error, socket.gaierror):
        return "has no address in the network's names"
    if isinstance(error, OSError) and error.strerror:
        return f"cannot be reached: {error.strerror}"
    return "does not speak HTTP as it should"
