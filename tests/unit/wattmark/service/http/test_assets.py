"""Files of the web app: kept by the browser while their names stand, asked for again where they do not."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from fastapi.testclient import TestClient
from wattmark.access.http.middleware import AccessPolicy
from wattmark.service.app import create_app

SCRIPT = "export const answer = 42;\n" * 200


@pytest.fixture
def client(tmp_path: Path) -> TestClient:
    ui = tmp_path / "ui"
    (ui / "assets").mkdir(parents=True)
    (ui / "index.html").write_text("<!doctype html><title>wattmark</title>")
    (ui / "assets" / "page-1a2b.js").write_text(SCRIPT)
    return TestClient(create_app(None, AccessPolicy.for_address("127.0.0.1"), ui), base_url="http://127.0.0.1")


def test_a_named_file_is_kept_and_travels_compressed(client: TestClient) -> None:
    with client.stream("GET", "/assets/page-1a2b.js") as answer:
        raw = b"".join(answer.iter_raw())
    assert answer.headers["cache-control"] == "public, max-age=31536000, immutable"
    assert answer.headers["content-encoding"] == "gzip"
    assert gzip.decompress(raw).decode() == SCRIPT
    assert len(raw) < len(SCRIPT) / 10


def test_a_named_file_is_the_same_each_time_and_for_those_who_take_it_plain(client: TestClient) -> None:
    def sent(**headers: str) -> tuple[int, dict[str, str], bytes]:
        with client.stream("GET", "/assets/page-1a2b.js", headers=headers) as answer:
            raw = b"".join(answer.iter_raw())
        named = {name: value for name, value in answer.headers.items() if name not in ("x-request-id", "date")}
        return answer.status_code, named, raw

    first = sent()
    assert sent() == first
    assert int(first[1]["content-length"]) == len(first[2])
    assert sent(**{"if-none-match": first[1]["etag"]})[0] == 304
    status, headers, part = sent(range="bytes=0-5")
    assert (status, headers["content-range"]) == (206, f"bytes 0-5/{len(SCRIPT)}")
    assert part == SCRIPT[:6].encode()
    plain = sent(**{"accept-encoding": "identity"})
    assert (plain[0], plain[2].decode()) == (200, SCRIPT)
    assert sent() == first


@pytest.mark.parametrize("path", ["/", "/runs", "/runs/r1"])
def test_the_page_is_asked_for_again(client: TestClient, path: str) -> None:
    answer = client.get(path, headers={"accept": "text/html"})
    assert answer.status_code == 200
    assert answer.headers["cache-control"] == "no-cache"


def test_a_file_that_is_gone_is_not_kept_as_gone(client: TestClient) -> None:
    answer = client.get("/assets/page-0000.js")
    assert answer.status_code == 404
    assert answer.headers["cache-control"] == "no-cache"


def test_answers_of_the_api_are_not_compressed(client: TestClient) -> None:
    answer = client.get("/api/openapi.json")
    assert answer.status_code == 200
    assert "content-encoding" not in answer.headers
    assert answer.headers["cache-control"] == "no-store"
