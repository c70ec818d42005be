"""What is sent is named as the sender knows it: no answer tells where the data folder lies, or of scratch folders."""

from __future__ import annotations

import io
import itertools
import json
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient
from wattmark.access.http.middleware import AccessPolicy
from wattmark.core.errors import InputError
from wattmark.core.place import without_place
from wattmark.importers.kinds import DETECT, IMPORTERS
from wattmark.importers.opened import SCRATCH, opened_upload
from wattmark.service.app import create_app
from wattmark.service.health import bench_notes
from wattmark.service.service import Service, open_service
from wattmark.service.settings import Settings

RUN = "results/x/1xT/bert/"
MLPERF = "closed/Lab/results/sys/resnet50/Offline/performance/run_1/"
FILES = {
    "phoronix": {"composite.xml": b"<PhoronixTestSuite/>"},
    "phoronix without": {"results/composite.xml": b"<x"},
    "eehpc": {"hpl/hpl.log": b"HPLinpack", "hpl/pdus.parquet": b"PAR1 none PAR1"},
    "eehpc summary": {"hpl/hpl.log": b"T/V N NB P Q Time Gflops\nWR 1 1 1 1 0 0\n"},
    "speccpu": {"CPU2017.001.intrate.txt": b"SPEC CPU2017", "CPU2017.001.intrate.csv": b'"x'},
    "specpower": {"ssj.0001-fdr.txt": b"SPECpower_ssj2008\n"},
    "training": {RUN + "result_0.txt": b":::MLLOG {", RUN + "power/result_0/node_0.txt": b":::MLLOG {"},
    "mlperf": {MLPERF + "mlperf_log_detail.txt": b":::MLLOG {", "closed/Lab/systems/sys.json": b"{"},
    "ptdaemon": {"ptd_logs.txt": b"Time,11-28-2026 x,Watts,1\n"},
    "sar": {"sa.txt": b"Linux 5\n"},
    "collectd": {"host/ipmi/power-2026-11-28": b"epoch,value\n1,x\n"},
    "telegraf": {"power.lp": b"power value=x y\n"},
    "hwinfo": {"log.csv": b'Date,Time,"CPU Package Power [W]"\n1.1.2026,x,5\n'},
    "nothing": {},
    "file as folder": {"a": b"", "a/b": b""},
    "folder as file": {"a/b": b"", "a": b""},
    "long": {"n" * 300: b""},
    "long in bytes": {"é" * 200 + ".txt": b""},
}


def packed(files: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return out.getvalue()


SENT = {name: packed(files) for name, files in FILES.items()} | {
    "text": b"no result\n",
    "torn": packed(FILES["eehpc"])[:-30],
    **{f"{name} alone": next(iter(FILES[name].values())) for name in ("phoronix", "speccpu", "hwinfo", "telegraf")},
}


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    service = open_service(Settings(data_dir=tmp_path_factory.mktemp("secret") / "place-of-data"))
    yield service
    service._storage.close()


@pytest.fixture(scope="module")
def client(service: Service) -> TestClient:
    app = create_app(service, AccessPolicy.for_address("127.0.0.1", sign_in=False))
    return TestClient(app, base_url="http://127.0.0.1:8400", raise_server_exceptions=False)


@pytest.mark.parametrize("kind", [DETECT, *(importer.kind for importer in IMPORTERS)])
def test_no_answer_about_a_source_names_a_place_of_this_machine(
    client: TestClient, service: Service, kind: str
) -> None:
    for (name, content), step in itertools.product(SENT.items(), ("/preview", "")):
        file = "sent.txt" if "alone" in name or name == "text" else "sent.zip"
        answer = client.post(f"/api/imports{step}?kind={kind}&file_name={file}", content=content)
        assert answer.status_code < 500, (name, answer.text)
        assert_private(answer.text, service)
    assert_private(json.dumps(client.get("/api/audits").json()), service)
    assert_private(client.get("/api/run-rows").text, service)
    assert not [path for path in service.settings.data_dir.iterdir() if path.name.startswith(SCRATCH)]


def assert_private(text: str, service: Service) -> None:
    for place in (str(service.settings.data_dir), "place-of-data", SCRATCH, "[Errno"):
        assert place not in text, text


@pytest.mark.parametrize("name", ["..zip", "...zip", ".zip", "a.", "x", "..x..", "é" * 120 + ".zip"])
def test_a_file_of_any_name_lies_in_a_folder_of_its_own(tmp_path: Path, name: str) -> None:
    with opened_upload(io.BytesIO(b"words"), name, tmp_path) as file:
        assert file.name == name
        assert file.parents[3].parent == tmp_path
        assert not any(folder.name.startswith(SCRATCH) for folder in file.parents[:2])
        assert [path for path in file.parents[2].rglob("*") if path.is_file()] == [file]
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["é" * 190, "计" * 86, "a" * 199 + "𝄞" * 20])
def test_a_name_of_too_many_bytes_is_refused_wherever_one_is_given(client: TestClient, name: str) -> None:
    head = {"file_name": name, "head": "eA==", "size": 1}
    answers = [client.post(path, params={"file_name": name}, content=b"x") for path in UPLOADS]
    answers += [client.post("/api/imports/csv/proposal", json=head)]
    assert [answer.status_code for answer in answers] == [422] * len(answers)
    assert all("file_name" in answer.json()["field"] for answer in answers)


UPLOADS = ("/api/archive", "/api/archive/preview", "/api/imports", "/api/imports/preview", "/api/certificates")


def test_a_name_that_this_disk_does_not_take_is_refused_in_words(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is too long"), opened_upload(io.BytesIO(b""), "n" * 300, tmp_path):
        pass
    assert list(tmp_path.iterdir()) == []


def test_errors_and_health_name_the_data_folder_without_its_place(
    client: TestClient, service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(service, "notes", lambda: bench_notes(service.settings.data_dir / "bench.yaml"))
    health = client.get("/healthz")
    assert health.json()["notes"] == [
        "The bench file bench.yaml cannot be written, so the bench cannot be edited here."
    ]

    def refuse(*_: object) -> None:
        raise InputError(f"No space left to write {service.settings.data_dir} now.", "Free it.")

    monkeypatch.setattr(service.wings.archives, "preview", refuse)
    cause = client.post("/api/archive/preview", content=b"x").json()["cause"]
    assert cause == "No space left to write the data folder now."


def test_only_the_place_itself_is_left_out(tmp_path: Path) -> None:
    link = tmp_path / "link"
    (tmp_path / "real").mkdir()
    link.symlink_to(tmp_path / "real")
    texts = {
        f"{link}/a b: gone": "a b: gone",
        f"'{tmp_path}/real/x.db' is locked": "'x.db' is locked",
        f"in {link}, or {link}/": "in data, or data",
        f"{link}s/x and {link}-2": f"{link}s/x and {link}-2",
        f"http://host{link}/x": f"http://host{link}/x",
        "nothing": "nothing",
    }
    for text, expected in texts.items():
        assert without_place(text, link, "data") == expected
    assert without_place("/etc/x", Path("/"), "data") == "/etc/x"
    assert without_place(f"{Path.cwd()}/x", Path(), "data") == "x"
