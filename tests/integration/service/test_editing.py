"""A bench made and changed over HTTP alone, on a running service with simulated meters."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from wattmark.bench.load import load_bench
from wattmark_drivers.simulators.simulated_lab import SimulatedLab

from .conftest import Service, Start, wait_until

SERVER = {
    "id": "s",
    "access": {"local": True},
    "configurations": [{"id": "c", "cpu": {"model": "any"}, "os": {"name": "any", "kernel": "6.1"}}],
}
PLAN = {"name": "short", "configurations": ["s/c"], "workloads": ["openssl.rsa512-sign"], "repeats": 1, "measure_s": 2}


class Editor:
    """Somebody with a browser, who knows the version that the last answer told."""

    def __init__(self, service: Service) -> None:
        self.service = service
        self.version = service.get("/api/bench")["version"]

    def send(self, method: str, path: str, body: Any = None) -> tuple[int, Any]:
        status, answer = self.service.ask(method, f"/api/bench{path}", body, If_Match=f'"{self.version}"')
        if status == 200 and answer["written"]:
            self.version = answer["version"]
        return status, answer

    def make(self, method: str, path: str, body: Any = None) -> Any:
        status, answer = self.send(method, path, body)
        assert status == 200, answer
        return answer


def live(service: Service, source: str) -> list[Any]:
    return [channel for channel in service.get("/api/live")["channels"] if channel["source"] == source]


def is_live(service: Service, source: str) -> Callable[[], bool]:
    return lambda: any(channel["state"] == "ok" and channel["value"] for channel in live(service, source))


def test_a_bench_is_made_from_nothing_in_the_browser(start: Start, lab: SimulatedLab, tmp_path: Path) -> None:
    service, file = start(tmp_path / "data"), tmp_path / "data" / "bench.yaml"
    assert service.get("/api/bench")["file"] is None
    assert not file.exists()
    editor, url = Editor(service), lab.devices["wall"].url
    tried = service.ask("POST", "/api/meters/try", {"meter": {"model": "eastron.sdm120", "url": url}, "seconds": 1})
    assert tried[0] == 200, tried
    assert {"power", "voltage"} <= {channel["channel"] for channel in tried[1]["channels"] if channel["good"]}
    meter = {"id": "wall", "model": "eastron.sdm120", "url": url, "period_s": 0.2}
    assert editor.make("PUT", "/meters/wall", meter)["started"] == ["wall"]
    wait_until(is_live(service, "wall"))
    editor.make("PUT", "/servers/s", SERVER)
    status, view = service.ask("POST", "/api/campaign/plans/preview", PLAN)
    assert status == 200
    assert any("No wall meter measures s" in text for text in view["missing"])
    assert editor.make("PUT", "/meters/wall", {**meter, "feeds": [{"server": "s"}]})["stopped"] == ["wall"]
    editor.make("PUT", "/plans/short", PLAN)
    assert service.ask("POST", "/api/campaign/plans/preview", PLAN)[1]["missing"] == []
    (row,) = service.ask("POST", "/api/campaign/plans/forecast?power_w=300", PLAN)[1]["rows"]
    assert (row["meters"], row["power_w"], row["power_basis"]) == (["wall"], 300, "stated")
    assert service.get("/api/campaign/plans/short/forecast")["rows"][0]["power_basis"] == "assumed"
    assert service.get("/api/campaign/plans/short")["missing"] == []
    assert [plan.name for plan in load_bench(file).plans] == ["short"]


def test_two_editors_one_hand_and_undo(start: Start, write_bench: Callable[..., Path], tmp_path: Path) -> None:
    file = write_bench(bmc=False)
    file.write_text(f"# ours\n{file.read_text()}")
    before = file.read_text()
    service = start(tmp_path / "data", bench=file)
    editor, other = Editor(service), Editor(service)
    wait_until(is_live(service, "wall"))
    t_s = live(service, "wall")[0]["t_s"][0]
    editor.make("PATCH", "", {"lab": "One"})
    assert other.send("PATCH", "", {"lab": "Other"})[0] == 409
    # a line that is longer than people write may be wrapped otherwise (decision 0044)
    assert file.read_text().split() == before.replace("lab: Test", "lab: One").split()
    checked = editor.make("PATCH", "?check=true", {"lab": "Two"})
    assert not checked["written"]
    assert "+lab: Two" in checked["diff"]
    file.write_text(file.read_text().replace("lab: One", "lab: By hand"))
    assert editor.send("POST", "/undo")[0] == 409
    source = service.get("/api/bench/source")
    assert (source["in_force"], "By hand" in source["text"]) == (False, True)
    editor.version = source["version"]
    assert editor.send("POST", "/undo")[0] == 409
    editor.make("PUT", "/source", {"text": source["text"].replace("By hand", "Three")})
    assert service.get("/api/bench")["lab"] == "Three"
    editor.make("POST", "/undo")
    assert service.get("/api/bench")["lab"] == "By hand"
    assert live(service, "wall")[0]["t_s"][0] == t_s, "the meter that did not change was disturbed"
    status, problem = editor.send(
        "PUT", "/meters/wall", {"id": "wall", "model": "eastron.sdm120", "url": "modbus-tcp://h/x"}
    )
    assert status == 422
    assert [mistake["path"] for mistake in problem["mistakes"]] == [["url"]]
    assert editor.send("DELETE", "/servers/s/configurations/c")[0] == 409
    for name in ("..%2f..%2fetc", "%00", "a" * 65, "-x"):
        assert editor.send("PUT", f"/meters/{name}", {"id": "x"})[0] in {404, 422}


def test_a_campaign_keeps_what_it_uses(start: Start, write_bench: Callable[..., Path], tmp_path: Path) -> None:
    service = start(tmp_path / "data", bench=write_bench(measure_s=20, bmc=False))
    editor = Editor(service)
    service.start_and_measure()
    meter = service.get("/api/bench/entries")["bench"]["meters"][0]
    status, problem = editor.send("PUT", "/meters/wall", {**meter, "period_s": 1})
    assert (status, problem["cause"]) == (409, "The campaign short is running and uses the meter wall.")
    editor.make("PUT", "/servers/t", {**SERVER, "id": "t"})
    service.ask("POST", "/api/campaign/stop")
    service.campaign_until(lambda campaign: campaign["state"] not in ("running", "stopping"))
    editor.make("PUT", "/meters/wall", {**meter, "period_s": 1})


def test_a_password_is_kept_and_never_told(start: Start, lab: SimulatedLab, tmp_path: Path) -> None:
    service = start(tmp_path / "data")
    editor, secret = Editor(service), "correct-horse-battery"
    order = {"owner": "bmc", "model": "ipmi.bmc", "url": "ipmi://127.0.0.1:1"}
    status, stored = service.ask("POST", "/api/bench/secrets", {**order, "password": secret})
    assert status == 201
    editor.make("PUT", "/servers/s", SERVER)
    bmc = {"id": "bmc", "server": "s", "host": "127.0.0.1", "port": 1, "user": "u", **stored}
    editor.make("PUT", "/bmcs/bmc", bmc)
    time.sleep(0.5)
    pages = ("/api/bench", "/api/bench/entries", "/api/bench/source", "/api/bench/changes", "/api/live", "/api/health")
    assert not any(secret in str(service.get(page)) for page in pages)
    status, refusal = service.ask("POST", "/api/bench/secrets", {**order, "password": f"{secret}\n"})
    assert (status, secret in str(refusal)) == (422, False)
    assert secret not in "".join(service.log)
    assert editor.send("PUT", "/bmcs/bmc", {**bmc, "password_file": "/etc/shadow"})[0] == 422
    assert editor.send("PUT", "/bmcs/bmc", {**bmc, "password": secret})[0] == 422
