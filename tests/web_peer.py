"""A web server of Python's own that answers as a test says, in threads of the test."""

from __future__ import annotations

import ssl
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any


class Handler(BaseHTTPRequestHandler):
    """Answers the requests of one connection, and prints nothing."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def body(self) -> bytes:
        return self.rfile.read(int(self.headers.get("Content-Length") or 0))

    def send(self, status: int, content: bytes = b"", headers: Mapping[str, str] | None = None) -> None:
        """Send an answer; a client that hung up meanwhile is no fault."""
        try:
            self.send_response(status)
            for name, value in {"Content-Length": str(len(content)), **(headers or {})}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(content)
        except OSError:
            self.close_connection = True

    def log_message(self, *_: object) -> None:
        """Say nothing."""


def self_signed(folder: Path) -> tuple[Path, Path]:
    """Make a certificate for 127.0.0.1 that only tests trust, "ca.pem", and its key."""
    folder.mkdir(exist_ok=True)
    certificate, key = folder / "ca.pem", folder / "key.pem"
    command = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
    command += ["-days", "2", "-subj", "/CN=peer", "-addext", "subjectAltName=IP:127.0.0.1"]
    subprocess.run([*command, "-out", str(certificate), "-keyout", str(key)], check=True, capture_output=True)
    return certificate, key


def server_tls(certificate: Path, key: Path) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    return context


@contextmanager
def serving(handler: type[Handler], *, tls: tuple[Path, Path] | None = None, **known: Any) -> Iterator[int]:
    """Serve on a free port of the loopback interface, and yield it.

    ``known``: attributes of the handler. ``tls``: a certificate and its key.
    """
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Knowing", (handler,), known))
    server.daemon_threads = True
    if tls is not None:
        server.socket = server_tls(*tls).wrap_socket(server.socket, server_side=True)
    thread = Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield server.server_port
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
