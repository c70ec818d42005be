"""The commands and the routes: archive here, restore there."""

from __future__ import annotations

import http.client
import json
import subprocess
from contextlib import closing
from pathlib import Path

from ..command import Command
from ..service.conftest import WATTMARK, Service, Start, start
from ..traceability.conftest import Lab

__all__ = ["start"]


def by_process(*arguments: str | Path, code: int = 0) -> subprocess.CompletedProcess[str]:
    done = subprocess.run([WATTMARK, *map(str, arguments)], capture_output=True, text=True, timeout=240, check=False)
    assert done.returncode == code, done
    return done


def test_archive_and_restore_by_command(source: Lab, wattmark: Command, tmp_path: Path) -> None:
    def results(folder: Path) -> list[dict]:
        return list(json.loads(wattmark("results", "--data", folder, "--format", "json")[1])["results"])

    file, target = tmp_path / "runs.zip", tmp_path / "elsewhere"
    output = by_process("archive", "--all", "-o", file, "--lab", "Lab A", "--data", source.folder).stdout
    assert output.startswith(f"{file}: 3 runs, ")
    source.storage.close()
    output = by_process("restore", file, "--own", "--data", target).stdout
    assert output.count("imported, recomputed: same result") == 3
    assert results(target) == results(source.folder)
    again = json.loads(wattmark("restore", file, "--json", "--data", target)[1])
    assert {run["state"] for run in again["archives"][0]["runs"]} == {"already here"}
    acts = json.loads(wattmark("audit", "--json", "--data", target)[1])
    entries = [(act["action"], act["target"], act["status"]) for act in acts]
    assert entries == [("restore", "runs.zip of Lab A", 0), ("restore", "runs.zip of Lab A, r1, r2, r3", 0)]
    file.write_bytes(file.read_bytes()[:-9])
    code, _, refused = wattmark("restore", file, "--data", tmp_path / "third")
    assert code == 2
    assert "runs.zip was not imported: it is not a complete zip file" in refused
    assert wattmark("archive", "r1", "--all", "-o", file, "--data", source.folder)[0] == 2


def test_download_and_upload(source: Lab, start: Start, tmp_path: Path) -> None:
    source.storage.close()
    service = start(source.folder)
    status, content = request(service, "GET", "/api/archive?run_id=r1&run_id=r2")
    assert (status, content[:4]) == (200, b"PK\3\4")
    for query, expected in ("", 422), ("?run_id=none", 404), ("?all=true&run_id=r1", 422):
        assert request(service, "GET", f"/api/archive{query}")[0] == expected
    other = start(tmp_path / "elsewhere")
    status, answer = request(other, "POST", "/api/archive?file_name=runs.zip", content)
    assert status == 201, answer
    done = json.loads(answer)
    assert [(run["run_id"], run["state"], run["differences"]) for run in done["runs"]] == [
        ("r1", "imported", []),
        ("r2", "imported", []),
    ]
    assert {run["source"] for run in other.get("/api/runs")["results"]} == {f"imported: archive of {done['lab']}"}
    status, answer = request(other, "POST", "/api/archive?file_name=runs.zip", content[:-1])
    assert (status, json.loads(answer)["cause"][:26]) == (422, "runs.zip was not imported:")


def request(service: Service, method: str, path: str, body: bytes | None = None) -> tuple[int, bytes]:
    connection = http.client.HTTPConnection(service.netloc, timeout=20)
    with closing(connection):
        connection.request(method, path, body, {"Content-Type": "application/zip"})
        answer = connection.getresponse()
        return answer.status, answer.read()


def test_what_is_left_of_a_damaged_folder_can_be_saved(source: Lab, wattmark: Command, tmp_path: Path) -> None:
    source.storage.samples.seal("r2")
    number = source.storage.samples.list_series("r2")[0].id
    source.tamper(f"UPDATE chunk_data SET v = zeroblob(8) WHERE id = {number << 32}")
    source.storage.close()
    file = tmp_path / "runs.zip"
    code, _, err = wattmark("archive", "--all", "-o", file, "--data", source.folder)
    assert code == 1
    assert err.startswith("excluded: r2: Chunk 0 of wall power of run r2 in")
    code, output, err = wattmark("restore", file, "--data", tmp_path / "elsewhere")
    assert code == 0, err
    assert [line.split()[0] for line in output.decode().splitlines()[2:]] == ["r1", "r3"]
    code, _, err = wattmark("archive", "r2", "-o", file, "--data", source.folder)
    assert code == 1
    assert "damaged" in err
