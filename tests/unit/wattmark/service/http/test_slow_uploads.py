"""A plan waits for no client: what is sent may come as slowly as it likes, and only storing it keeps a plan back."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient
from wattmark.access.http.middleware import AccessPolicy
from wattmark.archives import data_folder
from wattmark.core.errors import Conflict, WattmarkError
from wattmark.importers import bring_in, published_imports
from wattmark.service.app import create_app
from wattmark.service.service import Service, open_service
from wattmark.service.settings import Settings

from .test_published_imports import submission

PARTS = 5
PATHS = ("/api/archive", "/api/imports")
Watch = Callable[[Service], None]


@dataclass
class Upload:
    """A body in parts, sent to a service of its own; ``watch`` is called before each of them."""

    service: Service
    body: bytes
    path: str
    parts_sent: int = 0

    async def send(self, watch: Watch) -> tuple[int, Any]:
        length = -(-len(self.body) // PARTS)
        answer: list[dict[str, Any]] = []

        async def receive() -> dict[str, Any]:
            if self.parts_sent == PARTS:
                await asyncio.Event().wait()
            watch(self.service)
            begin = self.parts_sent * length
            self.parts_sent += 1
            part = self.body[begin : begin + length]
            return {"type": "http.request", "body": part, "more_body": self.parts_sent < PARTS}

        async def note(message: Any) -> None:
            answer.append(message)

        app: Callable[..., Awaitable[None]] = create_app(self.service, AccessPolicy.for_address("127.0.0.1", None))
        headers = [(b"host", b"127.0.0.1"), (b"content-length", str(len(self.body)).encode())]
        scope = {"type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": "POST", "scheme": "http"}
        scope |= {"path": self.path, "raw_path": self.path.encode(), "root_path": "", "query_string": b""}
        scope |= {"headers": headers, "client": ("127.0.0.1", 1), "server": ("127.0.0.1", 8400)}
        await app(scope, receive, note)
        content = b"".join(message.get("body", b"") for message in answer)
        return answer[0]["status"], json.loads(content)


@pytest.fixture(params=PATHS)
def upload(request: pytest.FixtureRequest, client: TestClient, tmp_path: Path) -> Iterator[Upload]:
    body = submission() if request.param == "/api/imports" else client.get("/api/archive?all=true").content
    service = open_service(Settings(data_dir=tmp_path / "other"))
    yield Upload(service, body, request.param)
    service._storage.close()


def may_start(service: Service) -> bool:
    """Tell whether a plan would be refused for an import; there is none of this name."""
    try:
        service.campaigns.start("none")
    except Conflict:
        return False
    except WattmarkError:
        return True
    raise AssertionError("there is no such plan")


def test_a_plan_is_refused_only_while_something_is_stored(upload: Upload, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[tuple[str, bool]] = []

    def watched(module: Any, name: str, step: str) -> None:
        real = getattr(module, name)

        def call(*arguments: Any, **options: Any) -> Any:
            seen.append((step, may_start(upload.service)))
            return real(*arguments, **options)

        monkeypatch.setattr(module, name, call)

    watched(data_folder, "Archive", "read")
    watched(data_folder.Restorer, "restore", "store")
    watched(published_imports, "import_source", "read")
    watched(bring_in, "_store_runs", "store")
    status, answer = asyncio.run(upload.send(lambda service: seen.append(("receive", may_start(service)))))
    assert status == 201, answer
    assert {step for step, _ in seen} == {"receive", "read", "store"}
    assert all(free == (step != "store") for step, free in seen), seen
    assert may_start(upload.service)


def test_a_campaign_that_began_meanwhile_goes_before_the_import(upload: Upload) -> None:
    def begin(service: Service) -> None:
        service.campaigns._task = asyncio.ensure_future(asyncio.Event().wait())  # type: ignore[assignment]

    status, answer = asyncio.run(upload.send(begin))
    assert (status, answer["cause"]) == (409, "A campaign is running, and it needs the disk.")
    assert upload.service._storage.runs.all() == []


def test_beside_a_campaign_no_body_is_read(upload: Upload) -> None:
    async def send() -> tuple[int, Any]:
        upload.service.campaigns._task = asyncio.ensure_future(asyncio.Event().wait())  # type: ignore[assignment]
        return await upload.send(lambda _: None)

    status, _ = asyncio.run(send())
    assert (status, upload.parts_sent) == (409, 0)
