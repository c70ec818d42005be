"""SIGKILL at the n-th write to the database file or its log, by strace: inside a commit, and at its very instant.

What must hold: all that was acknowledged is there, a transaction is there whole or not at all, the file passes its own
check, and who goes on afterwards ends where an undisturbed process would have. The review left the recompute after a
certificate, the copy to InfluxDB and the instant of a commit untried.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from wattmark.fleet.influx.settings import InfluxSettings
from wattmark.results.data_folder import LAYOUT, Storage, open_storage
from wattmark.store.database import FILE_NAME
from wattmark.store.verify import verify

from ..integration.fleet.influx.reading import received
from ..integration.fleet.influx.recorded import Drain, fill, same
from ..integration.fleet.influx.servers import running
from ..integration.traceability.conftest import Lab, certificate

ROOT = Path(__file__).parents[2]
CALLS = ("pwrite64", "fdatasync")
EVERY = range(1, 41, 2)
"""At which call of its process a child is killed."""


def killed_at(call: str, number: int, folder: Path, subject: str, url: str = "") -> list[str] | None:
    """Give what the child had acknowledged when it was killed at a call; None where it came to its end before."""
    if shutil.which("strace") is None:
        pytest.fail("strace is missing: sh docker/system-packages.sh test")
    files = [str(folder / f"{FILE_NAME}{suffix}") for suffix in ("", "-wal")]
    trace = ["strace", "-f", "-qq", "-o", os.devnull, *(part for file in files for part in ("-P", file))]
    trace += ["-e", f"trace={call}", "-e", f"inject={call}:signal=KILL:when={number}"]
    child = [sys.executable, "-m", "tests.attack.kill_child", subject, str(folder), url]
    done = subprocess.run(trace + child, cwd=ROOT, capture_output=True, text=True, timeout=120, check=False)
    if done.returncode == 0:
        return None
    assert done.returncode in (-9, 137), done.stderr
    lines = done.stdout.splitlines(keepends=True)
    return [line.rstrip("\n") for line in lines if line.endswith("\n")]


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.timeout(1200)
def test_a_commit_of_several_stores_is_whole_or_not_there(tmp_path: Path, call: str) -> None:
    kills = 0
    for number in EVERY:
        folder = tmp_path / str(number)
        open_storage(folder).close()
        acknowledged = killed_at(call, number, folder, "commit")
        if acknowledged is None:
            break
        kills += 1
        storage = open_storage(folder)
        kinds = [set(storage.runs.documents(kind)) for kind in ("first", "second", "third")]
        storage.close()
        assert kinds[0] == kinds[1] == kinds[2], "half a transaction"
        assert kinds[0] >= set(acknowledged)
        assert len(kinds[0]) <= len(acknowledged) + 1
        assert verify(folder / FILE_NAME, LAYOUT) == []
    assert kills >= 5


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.timeout(1800)
def test_a_recompute_goes_on_where_it_was_killed(tmp_path: Path, call: str) -> None:
    sound = tmp_path / "sound"
    lab = Lab(sound)
    for number in range(5):
        lab.measure(f"run {number}", watts=245.0 + number)
        lab.calibration.issuer.first(lab.queries.record(f"run {number}"))
    lab.add(certificate())
    lab.storage.close()
    kills = 0
    for number in EVERY:
        folder = tmp_path / f"{call} {number}"
        shutil.copytree(sound, folder)
        acknowledged = killed_at(call, number, folder, "recompute")
        if acknowledged is None:
            break
        kills += 1
        again = Lab(folder)
        for run_id in again.storage.runs.ids():
            versions = again.storage.issued.of(run_id)
            assert [version.issue.version for version in versions] == list(range(1, len(versions) + 1))
            assert len(versions) in ({2} if run_id in acknowledged else {1, 2})
            assert versions[0].result.calibrations[0].basis == "specification", "what was issued first stays"
            again.calibration.issuer.recompute(run_id, "operator", "again")
            assert again.result(run_id).calibrations[0].basis == "certificate"
        again.storage.close()
        assert verify(folder / FILE_NAME, LAYOUT) == []
    assert kills >= 3


@pytest.mark.timeout(1800)
def test_a_copy_to_influxdb_that_is_killed_ends_with_the_very_series(tmp_path: Path) -> None:
    sound = tmp_path / "sound"
    storage = open_storage(sound)
    fill(storage, "a run", n=1500)
    storage.close()
    kills = 0
    for number in range(1, 30, 4):
        with running("1.8.3", _made(tmp_path / f"server {number}")) as server:
            folder = tmp_path / str(number)
            shutil.copytree(sound, folder)
            acknowledged = killed_at("pwrite64", number, folder, "send", server.url)
            if acknowledged is None:
                break
            kills += 1
            storage = open_storage(folder)
            drain = Drain(storage, InfluxSettings(url=server.url, batch=200))
            assert drain.outbox.state().acknowledged >= max((int(count) for count in acknowledged), default=0)
            assert drain.all() == []
            assert _identical(storage, drain)
            storage.close()
            assert verify(folder / FILE_NAME, LAYOUT) == []
    assert kills >= 3


def _identical(storage: Storage, drain: Drain) -> bool:
    return all(same(ours, theirs) for ours, theirs in received(drain.connection, storage.samples, "a run"))


def _made(folder: Path) -> Path:
    folder.mkdir()
    return folder
