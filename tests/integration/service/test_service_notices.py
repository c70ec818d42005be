"""A service tells real web servers what happens, and a peer that hangs delays neither it nor its end."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ..hook_peer import Peer, listening_peer
from .conftest import STOP_S, WATTMARK, Service, Start, wait_until

SECRET = "tk-hunter2"
BENCH = """\
schema: wattmark-bench/1
lab: Power lab
servers:
  - id: s
    access: {{local: true}}
    configurations: [{{id: c, cpu: {{model: any}}, os: {{name: any, kernel: any}}}}]
meters:
  - {{id: wall, model: eastron.sdm120, url: "simulated://?idle_w=400&dynamic_w=0", period_s: 0.5,
     feeds: [{{server: s}}], alarms: [{{channel: power, high: 100}}]}}
notify:
  - {{id: phone, by: ntfy, url: "http://127.0.0.1:{phone}/power", token_file: token}}
  - {{id: chat, by: webhook, url_env: CHAT_URL, events: [campaign-ended, campaign-failed]}}
  - {{id: hanging, by: webhook, url_file: hanging}}
plans:
  - {{name: short, configurations: [s/c], workloads: [openssl.rsa512-sign], levels: [1], repeats: 1, idle_s: 0,
     settle_s: 0, measure_s: 2, hold_s: 0.5}}
"""


@pytest.fixture
def peers() -> Iterator[dict[str, Peer]]:
    with listening_peer() as phone, listening_peer() as chat, listening_peer() as hanging:
        hanging.answers["/hang"] = ["hang"] * 100
        yield {"phone": phone, "chat": chat, "hanging": hanging}


@pytest.fixture
def bench(tmp_path: Path, peers: dict[str, Peer], monkeypatch: pytest.MonkeyPatch) -> Path:
    file = tmp_path / "lab.yaml"
    file.write_text(BENCH.format(phone=peers["phone"].port))
    for name, content in (("token", SECRET), ("hanging", f"http://127.0.0.1:{peers['hanging'].port}/hang")):
        (tmp_path / name).write_text(content)
        (tmp_path / name).chmod(0o600)
    monkeypatch.setenv("CHAT_URL", f"http://127.0.0.1:{peers['chat'].port}/services/{SECRET}")
    return file


def events_of(peer: Peer) -> list[str]:
    return [call["body"].get("event") or call["body"]["title"] for call in peer.calls]


def entries(service: Service) -> dict[str, Any]:
    return {entry["name"]: entry for entry in service.get("/api/notices")["notifiers"]}


def test_an_alarm_and_the_end_of_a_campaign_are_told_whatever_a_peer_does(
    start: Start, bench: Path, tmp_path: Path, peers: dict[str, Peer]
) -> None:
    service = start(tmp_path / "data", bench=bench)
    wait_until(lambda: len(peers["phone"].calls) == 1)
    (alarm,) = peers["phone"].calls
    assert alarm["authorization"] == f"Bearer {SECRET}"
    assert alarm["body"]["title"] == "Power lab: wall power is above its limit (simulated)"

    service.start_and_measure()
    assert service.campaign_end()["state"] == "complete"
    wait_until(lambda: len(peers["phone"].calls) == 2 and len(peers["chat"].calls) == 1)
    assert peers["phone"].calls[1]["body"]["title"] == "Power lab: Campaign short has ended (simulated)"
    (ended,) = peers["chat"].calls
    assert ended["path"] == f"/services/{SECRET}"
    assert (ended["body"]["event"], ended["body"]["simulated"]) == ("campaign-ended", True)
    assert "1 run: 1 complete." in ended["body"]["text"]

    shown = entries(service)
    assert (shown["phone"]["sent"], shown["phone"]["state"]) == (2, "on")
    assert shown["chat"]["target"] == "the address in CHAT_URL"
    assert shown["hanging"]["waiting"] == 2
    wait_until(lambda: entries(service)["hanging"]["problem"] is not None)
    notes = service.get("/healthz")["notes"]
    assert [note for note in notes if "The entry hanging of notify does not work" in note]
    heard = "".join(str(call["body"]) for peer in peers.values() for call in peer.calls)
    assert SECRET not in heard + str(shown) + "".join(service.log) + str(notes)

    begin = time.monotonic()
    assert service.end() == 0
    assert time.monotonic() - begin < STOP_S + 10, "a busy machine, but not the ten seconds and more of each attempt"


def test_the_commands_list_the_entries_and_send_a_test_by_the_service_and_without_one(
    start: Start, bench: Path, tmp_path: Path, peers: dict[str, Peer]
) -> None:
    service = start(tmp_path / "data", bench=bench)
    url = ("--url", f"http://{service.netloc}")

    def notify(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run([WATTMARK, "notify", *arguments], capture_output=True, text=True, check=False)

    assert notify("test", "chat", *url).stdout == "127.0.0.1 took the message (status 200).\n"
    assert events_of(peers["chat"]) == ["test"]
    listed = notify("list", *url).stdout
    assert "chat  webhook to the address in CHAT_URL: 1 sent, 0 waiting, 0 not sent" in listed
    wrong = notify("test", "phon", *url)
    assert (wrong.returncode, "Did you mean phone?" in wrong.stderr) == (1, True)
    assert service.end() == 0

    assert notify("test", "chat", "--bench", str(bench)).stdout == "127.0.0.1 took the message (status 200).\n"
    peers["chat"].answers[f"/services/{SECRET}"] = [(403, b"no")]
    refused = notify("test", "chat", "--bench", str(bench))
    assert refused.returncode == 1
    assert "127.0.0.1 answers with status 403." in refused.stderr
    assert SECRET not in refused.stderr + refused.stdout


def test_doctor_names_an_entry_whose_secret_cannot_be_read(bench: Path, tmp_path: Path) -> None:
    (tmp_path / "token").chmod(0o644)
    without = {name: value for name, value in os.environ.items() if name != "CHAT_URL"}
    done = subprocess.run(
        [WATTMARK, "doctor", "--bench", bench, "--data", tmp_path / "data", "--port", "1"],
        capture_output=True, text=True, env=without, check=False,
    )  # fmt: skip
    said = " ".join(done.stdout.split())
    assert "notify phone by ntfy to http://127.0.0.1" in said
    assert "warning notify phone" in said
    assert "readable by other users" in said
    assert "CHAT_URL" in said
    assert SECRET not in done.stdout + done.stderr
