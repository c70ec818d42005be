"""Another system whose load is begun and ended by HTTP calls."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class Peer:
    """Another system that begins and ends a load when it is called; a test says how it misbehaves."""

    def __init__(self) -> None:
        self.calls: list[dict[str, Any]] = []
        """What it heard: method, path, body, authorization."""
        self.running = False
        self.answers: dict[str, list[Any]] = {}
        """For a path, the answers to come instead of the ordinary one: (status, body[, headers]), or "drop"."""
        self.release = threading.Event()
        peer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def handle_one_call(self) -> None:
                length = int(self.headers.get("Content-Length") or 0)
                body = json.loads(self.rfile.read(length)) if length else None
                peer.hear(self, {"method": self.command, "path": self.path, "body": body})

            do_GET = do_POST = do_PUT = do_DELETE = handle_one_call

            def log_message(self, *_: Any) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.thread = threading.Thread(target=self.server.serve_forever, args=(0.01,), daemon=True)

    @property
    def port(self) -> int:
        return int(self.server.server_address[1])

    def events(self) -> list[str]:
        return [call["body"]["event"] for call in self.calls if call["body"]]

    def hear(self, handler: BaseHTTPRequestHandler, call: dict[str, Any]) -> None:
        self.calls.append({**call, "authorization": handler.headers.get("Authorization")})
        event = (call["body"] or {}).get("event")
        if event:
            self.running = event == "begin"
        waiting = self.answers.get(call["path"], [])
        answer = waiting.pop(0) if waiting else (200, {"done": 10 * len(self.calls)}, {})
        if answer == "hang":
            self.release.wait(10)
        if answer in ("drop", "hang"):
            handler.close_connection = True
            return
        status, body, headers = (*answer, {})[:3]
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        handler.send_response(status)
        for name, value in {"Content-Length": str(len(data)), **headers}.items():
            handler.send_header(name, value)
        handler.end_headers()
        handler.wfile.write(data)

    def close(self) -> None:
        self.release.set()
        self.server.shutdown()
        self.server.server_close()


@contextmanager
def listening_peer() -> Iterator[Peer]:
    """Let one listen on a free port of the loopback interface."""
    peer = Peer()
    peer.thread.start()
    try:
        yield peer
    finally:
        peer.close()
