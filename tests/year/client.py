"""HTTP clients of the appliance, through its ASGI interface: patient ones, slow ones, and those that give up."""

from __future__ import annotations

import asyncio
import json
from collections.abc import MutableMapping
from dataclasses import dataclass
from typing import Any

from starlette.types import ASGIApp

HOST = "127.0.0.1"


@dataclass(frozen=True, slots=True)
class Answer:
    """What a request got."""

    status: int
    body: bytes

    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def ok(self) -> bool:
        return 200 <= self.status < 300


async def ask(app: ASGIApp, method: str, path: str, body: Any = None, *, slow_s: float = 0.0) -> Answer:
    """Ask for something as a browser on the same machine does; a cancelled caller closes its connection.

    ``slow_s``: how long the client takes before it sends its body, and before it reads its answer.
    """
    content = b"" if body is None else json.dumps(body).encode()
    path, _, query = path.partition("?")
    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": method,
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "query_string": query.encode(),
        "root_path": "",
        "headers": [(b"host", HOST.encode()), (b"content-type", b"application/json")]
        + [(b"content-length", str(len(content)).encode())] * bool(content),
        "client": (HOST, 40000),
        "server": (HOST, 8400),
        "state": {},
    }
    sent, gone = False, asyncio.Event()
    status, pieces = 0, list[bytes]()

    async def receive() -> MutableMapping[str, Any]:
        nonlocal sent
        if not sent:
            sent = True
            await asyncio.sleep(slow_s)
            return {"type": "http.request", "body": content, "more_body": False}
        await gone.wait()
        return {"type": "http.disconnect"}

    async def send(message: MutableMapping[str, Any]) -> None:
        nonlocal status
        if message["type"] == "http.response.start":
            status = message["status"]
        elif message["type"] == "http.response.body":
            if slow_s:
                await asyncio.sleep(slow_s)
            pieces.append(message.get("body", b""))

    serving = asyncio.ensure_future(app(scope, receive, send))
    try:
        await asyncio.shield(serving)
    except asyncio.CancelledError:
        # The server sees the connection end; it does not cancel the request (uvicorn), which may go on.
        gone.set()
        raise
    return Answer(status, b"".join(pieces))
