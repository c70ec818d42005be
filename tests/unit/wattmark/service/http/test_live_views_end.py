"""A live view that its browser closes leaves nothing behind, whatever it was doing and before any collection."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import MutableMapping
from pathlib import Path
from typing import Any

import pytest
from wattmark.access.http.middleware import AccessPolicy
from wattmark.service.app import create_app
from wattmark.service.service import open_service
from wattmark.service.settings import Settings

SCOPE = {
    "type": "http",
    "asgi": {"version": "3.0", "spec_version": "2.3"},
    "http_version": "1.1",
    "method": "GET",
    "scheme": "http",
    "path": "/api/live/stream",
    "raw_path": b"/api/live/stream",
    "query_string": b"",
    "headers": [(b"host", b"127.0.0.1:8400")],
    "client": ("127.0.0.1", 50_000),
    "server": ("127.0.0.1", 8400),
    "root_path": "",
}
Message = MutableMapping[str, Any]
EVENTS = 6
"""More than stand between a generator and its socket."""


async def test_a_view_closed_while_it_cannot_send_is_forgotten(tmp_path: Path, caplog: pytest.LogCaptureFixture):
    """What the service has for it then stands between its generator and the socket, and the generator at a yield.

    FastAPI breaks its own stream here, which is no defect to be logged.
    """
    service = open_service(Settings(data_dir=tmp_path))
    app = create_app(service, AccessPolicy.for_address("127.0.0.1", None))
    full, gone = asyncio.Event(), asyncio.Event()

    async def receive() -> Message:
        await gone.wait()
        return {"type": "http.disconnect"}

    async def send(message: Message) -> None:
        if message["type"] == "http.response.body":
            full.set()
            await asyncio.Event().wait()

    gc.disable()
    try:
        async with asyncio.timeout(30):
            view = asyncio.create_task(app(SCOPE, receive, send))
            await full.wait()
            for _ in range(EVENTS):
                service.hub.publish_campaign(service.campaigns.status)
                await asyncio.sleep(0.01)
            assert service.hub.listeners == 1
            gone.set()
            await view
        assert (service.hub.listeners, caplog.messages) == (0, [])
    finally:
        gc.enable()
        service._storage.close()
