"""One POST to a web server: bounded in time and in bytes, through no proxy, and never redirected."""

from __future__ import annotations

import http.client
import socket
import ssl
import threading
import time
from contextlib import suppress
from functools import partial
from urllib.parse import urlsplit

from wattmark.core.errors import WattmarkError
from wattmark.core.unwaited import run_unwaited
from wattmark.core.version import version

TIMEOUT_S = 10.0
"""How long a server may take for everything: its name, connection, encryption, answer [s]."""
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
    context = _trust(ca_file) if parts.scheme == "https" else None
    deadline = _Deadline(TIMEOUT_S)
    try:
        connection = _connection(host, parts.port or _PORTS[parts.scheme], context, deadline)
        try:
            connection.request("POST", path, body, headers)
            answer = connection.getresponse()
            answer.read(_MOST_BYTES)
        finally:
            connection.close()
    except (OSError, http.client.HTTPException, ValueError) as error:
        raise NotTold(f"{host} {_reason(error, late=deadline.is_over)}.", _REMEDY) from None
    finally:
        deadline.end()
    if not 200 <= answer.status < 300:
        raise NotTold(f"{host} answers with status {answer.status}.", _REMEDIES.get(answer.status, _REMEDY))
    return answer.status


_REMEDY = "Check the address of this entry of notify, and the network."
_REMEDIES = {
    **dict.fromkeys((401, 403), "Check the address, and the token (token_env or token_file)."),
    **dict.fromkeys((301, 302, 303, 307, 308), "Redirects are not followed: give the final address."),
    429: "The server takes no more messages for now; list fewer events.",
}


class _Deadline:
    """The time of a request as a whole: a server that drips sends each byte in time, but never the last."""

    def __init__(self, limit_s: float) -> None:
        self._end_s = time.monotonic() + limit_s
        self._socket: socket.socket | None = None
        self._timer = threading.Timer(limit_s, self._hang_up)
        self._timer.daemon = True
        self._timer.start()

    @property
    def is_over(self) -> bool:
        """Return whether the time has passed."""
        return time.monotonic() >= self._end_s

    def left_s(self) -> float:
        """Return how much time is left [s]. Raises TimeoutError where there is none."""
        if self.is_over:
            raise TimeoutError
        return self._end_s - time.monotonic()

    def watch(self, connected: socket.socket) -> None:
        """End this socket when the time has passed. Raises TimeoutError where it has."""
        self._socket = connected
        connected.settimeout(self.left_s())

    def end(self) -> None:
        """Watch no longer."""
        self._timer.cancel()

    def _hang_up(self) -> None:
        if self._socket is not None:
            with suppress(OSError):
                self._socket.shutdown(socket.SHUT_RDWR)


def _trust(ca_file: str | None) -> ssl.SSLContext:
    """Believe the certificates of a file, or those of the system. Raises `NotTold` where it holds none."""
    try:
        return ssl.create_default_context(cafile=ca_file)
    except (ssl.SSLError, ValueError):
        reason = "no certificates in it"
    except OSError as error:
        reason = error.strerror or type(error).__name__
    cause = f"The ca_file of this entry of notify cannot be read: {reason}."
    raise NotTold(cause, "Name a file of certificates in PEM that wattmark may read.")


def _connection(
    host: str, port: int, context: ssl.SSLContext | None, deadline: _Deadline
) -> http.client.HTTPConnection:
    """Connect within what is left of the time, encrypted where there is a context."""
    if context is None:
        open_connection = http.client.HTTPConnection(host, port)
        open_connection.sock = _connected(host, port, deadline)
        return open_connection
    connection = http.client.HTTPSConnection(host, port, context=context)
    plain = _connected(host, port, deadline)
    try:
        encrypted = context.wrap_socket(plain, server_hostname=host, do_handshake_on_connect=False)
        connection.sock = encrypted
        deadline.watch(encrypted)
        encrypted.do_handshake()
    except BaseException:
        connection.close()
        plain.close()
        raise
    return connection


def _connected(host: str, port: int, deadline: _Deadline) -> socket.socket:
    """Connect to the first address of a host that takes it.

    The resolver of the system knows no limit of time: it runs in a thread that nobody waits for.
    """
    look_up = partial(socket.getaddrinfo, host, port, type=socket.SOCK_STREAM)
    refusal: OSError = socket.gaierror(socket.EAI_NONAME, "no address")
    for family, kind, protocol, _, address in run_unwaited(look_up, "wattmark-name").result(deadline.left_s()):
        opened = socket.socket(family, kind, protocol)
        try:
            deadline.watch(opened)
            opened.connect(address)
        except OSError as error:
            opened.close()
            refusal = error
        else:
            return opened
    raise refusal


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
