"""Requests of people who may ask, made to keep the service busy or to make it fail."""

from __future__ import annotations

import http.client
import json
import shutil
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from ..service.conftest import Service

BENCH = Path(__file__).parents[3] / "backend/wattmark/bench/examples/s5000-fbdimm.yaml"


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    folder = tmp_path_factory.mktemp("lab")
    shutil.copy(BENCH, folder / "bench.yaml")
    running = Service(folder / "data", bench=folder / "bench.yaml")
    yield running
    assert running.end() == 0


def put_text(service: Service, text: str) -> tuple[int, dict[str, str]]:
    version = service.get("/api/bench")["version"]
    return service.ask("PUT", "/api/bench/source?check=true", {"text": text}, If_Match=version)


def test_a_plan_of_ten_thousand_mistakes_is_answered(service: Service) -> None:
    """A viewer may look at a plan: explaining each of its unknown keys took three minutes, in which nothing ran."""
    status, problem = service.ask(
        "POST", "/api/campaign/plans/preview", {"name": "x", **{f"k{n}": 1 for n in range(15_000)}}
    )
    assert status == 422
    assert "unknown key" in problem["cause"]


@pytest.mark.parametrize(
    ("text", "cause"),
    [
        ("lab: 0x" + "f" * 5000, "a number of 5002 characters"),
        ("a: &a '" + "x" * 200_000 + "'\nb: [" + "*a, " * 20_000 + "]", "more than 2000000 characters"),
        ("\n" * 990_000 + "lab: x", "at most 25000"),
        ("lab: !!python/object/apply:os.system [id]", "the tag"),
        ("a: &a {<<: *a}", "refers to an anchor that is not defined before it"),
        ("[" * 400_000, "nested deeper"),
    ],
    ids=["number", "text by alias", "lines", "tag", "merge of itself", "depth"],
)
def test_a_text_that_is_more_than_a_bench_file_is_refused_in_words(service: Service, text: str, cause: str) -> None:
    status, problem = put_text(service, text)
    assert status == 422
    assert cause in problem["cause"]


@pytest.mark.parametrize(
    "body",
    [
        b"[" * 100_000,
        b'{"name": ' * 20_000 + b"1" + b"}" * 20_000,
        b'{"name": %s}' % (b"9" * 100_000),
        b'{"name": NaN, "role": Infinity}',
        b'{"name": "\\ud800", "role": "viewer"}',
    ],
    ids=["list", "map", "integer", "no number", "unpaired surrogate"],
)
def test_json_that_is_none_is_refused_in_words(service: Service, body: bytes) -> None:
    with closing(http.client.HTTPConnection(service.netloc, timeout=20)) as connection:
        connection.request("POST", "/api/tokens", body, {"Content-Type": "application/json"})
        answer = connection.getresponse()
        assert answer.status in {400, 422}
        assert json.loads(answer.read())["cause"]
