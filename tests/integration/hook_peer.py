"""Another system whose load is begun and ended by HTTP calls."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tests.web_peer import Handler, serving


class Peer:
    """Another system that begins and ends a load when it is called; a test says how it misbehaves."""

    def __init__(self) -> None:
        self.calls: list[dict[str, Any]] = []
        """What it heard: method, path, body, authorization."""
        self.running = False
        self.answers: dict[str, list[Any]] = {}
        """For a path, the answers to come instead of the ordinary one: (status, body[, headers]), or "drop"."""
        self.release = threading.Event()
        self.port = 0

    def events(self) -> list[str]:
        return [call["body"]["event"] for call in self.calls if call["body"]]

    def hear(self, handler: Handler, call: dict[str, Any]) -> None:
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
        handler.send(status, body if isinstance(body, bytes) else json.dumps(body).encode(), headers)


class HookHandler(Handler):
    """Lets a peer hear every call."""

    peer: Peer

    def do_GET(self) -> None:
        body = self.body()
        self.peer.hear(self, {"method": self.command, "path": self.path, "body": json.loads(body) if body else None})

    do_POST = do_PUT = do_DELETE = do_GET


@contextmanager
def listening_peer() -> Iterator[Peer]:
    """Let one listen on a free port of the loopback interface."""
    peer = Peer()
    with serving(HookHandler, peer=peer) as peer.port:
        try:
            yield peer
        finally:
            peer.release.set()
