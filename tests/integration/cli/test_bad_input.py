"""Bad input on the command line: one line of cause, one of remedy, the right exit code, never a traceback."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from wattmark.results.data_folder import open_storage

from ..ports import free_port

WATTMARK = Path(sys.executable).with_name("wattmark")
BENCH = """\
schema: wattmark-bench/1
lab: Test
servers:
  - id: s
    access: {{local: true}}
    configurations:
      - id: c
        cpu: {{model: any}}
        psus: [{{id: psu1}}]
        os: {{name: any, kernel: any}}
meters:
  - {{id: wall, model: {model}, url: "{url}", feeds: [{{server: s}}]}}
{bmcs}plans:
  - {{name: p, configurations: [s/c], workloads: [openssl.rsa1024-sign], repeats: 1, measure_s: 1}}
"""


def wattmark(*arguments: str, timeout_s: float = 240) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(WATTMARK), *arguments],
        capture_output=True,
        text=True,
        timeout=timeout_s,
        check=False,
        stdin=subprocess.DEVNULL,
    )


def bench(folder: Path, model: str = "eastron.sdm120", url: str = "modbus-tcp://127.0.0.1:1/1", bmcs: str = "") -> str:
    path = folder / "bench.yaml"
    path.write_text(BENCH.format(model=model, url=url, bmcs=bmcs))
    return str(path)


def assert_refused(done: subprocess.CompletedProcess[str], code: int, *words: str) -> None:
    assert done.returncode == code, done.stderr + done.stdout
    assert "Traceback" not in done.stderr
    assert done.stderr.startswith("wattmark: ")
    for word in words:
        assert word in done.stderr


def test_an_unknown_meter_model_is_wrong_input(tmp_path: Path) -> None:
    done = wattmark("bench", "check", bench(tmp_path, model="eastron.sdm12"))
    assert_refused(done, 2, "bench.yaml:12", "eastron.sdm12", "eastron.sdm120")


@pytest.mark.parametrize(
    ("model", "url", "words"),
    [
        ("tasmota.mqtt", "mqtt://192.0.2.1/+", "has a topic with a wildcard"),
        (
            "tasmota.plug",
            'http://192.0.2.1/", range: "10A',
            "bench.yaml:12: meters[0].range: Meter wall: tasmota.plug has",
        ),
    ],
)
def test_bench_check_refuses_what_no_run_accepts(tmp_path: Path, model: str, url: str, words: str) -> None:
    file = bench(tmp_path, model=model, url=url)
    checked, ran = wattmark("bench", "check", file), wattmark("run", file, "--data", str(tmp_path / "data"))
    assert checked.stderr == ran.stderr
    assert_refused(checked, 2, words)
    assert ".." not in checked.stderr


def test_a_missing_bench_file_is_wrong_input(tmp_path: Path) -> None:
    assert_refused(wattmark("bench", "check", str(tmp_path / "none.yaml")), 2, "none.yaml")


def test_a_bad_meter_address_is_wrong_input(tmp_path: Path) -> None:
    file = bench(tmp_path, url="modbus-tcp://127.0.0.1:99999/1")
    assert_refused(wattmark("run", file, "--data", str(tmp_path / "data")), 2, "wall")


def test_an_unreachable_meter_fails_before_anything_gets_hot(tmp_path: Path) -> None:
    file = bench(tmp_path, url=f"modbus-tcp://127.0.0.1:{free_port()}/1")
    done = wattmark("run", file, "--data", str(tmp_path / "data"))
    assert done.returncode == 1
    assert "Nothing was started" in done.stderr
    assert "wall" in done.stderr
    assert "Traceback" not in done.stderr


def test_json_stays_one_document_when_the_work_fails(tmp_path: Path) -> None:
    file = bench(tmp_path, url=f"modbus-tcp://127.0.0.1:{free_port()}/1")
    done = wattmark("run", file, "--data", str(tmp_path / "data"), "--json")
    assert done.returncode == 1
    document = json.loads(done.stdout)
    assert document["state"] == "failed"
    assert document["results"] == []


def test_json_errors_are_json(tmp_path: Path) -> None:
    done = wattmark("run", str(tmp_path / "none.yaml"), "--json")
    assert done.returncode == 2
    assert json.loads(done.stdout)["error"]["cause"]


def test_an_unknown_plan_names_the_plans(tmp_path: Path) -> None:
    done = wattmark("run", bench(tmp_path), "--plan", "q", "--data", str(tmp_path / "data"))
    assert_refused(done, 2, "q", "Plans: p.")


def test_a_port_in_use_names_another(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        done = wattmark("serve", "--port", str(port), "--data", str(tmp_path))
    assert_refused(done, 1, f"Port {port}", f"--port {port + 1}")


@pytest.mark.parametrize("command", [["serve", "--port", "0"], ["import", "mlperf", "."], ["demo", "--once"]])
def test_a_data_folder_that_cannot_be_written(command: list[str]) -> None:
    assert_refused(wattmark(*command, "--data", "/proc/wattmark"), 1, "/proc/wattmark")


def test_a_data_folder_that_is_a_file(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("")
    assert_refused(wattmark("serve", "--port", "0", "--data", str(tmp_path / "data")), 1, "data")


def test_results_of_an_empty_folder(tmp_path: Path) -> None:
    assert_refused(wattmark("results", "--data", str(tmp_path)), 2, "no results", "--data")


def test_importing_what_is_no_result_tree(tmp_path: Path) -> None:
    done = wattmark("import", "mlperf", str(tmp_path), "--data", str(tmp_path / "data"))
    assert done.returncode == 2
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("arguments", [["frobnicate"], ["serve", "--port", "x"], ["results", "--format", "pdf"]])
def test_wrong_usage(arguments: list[str]) -> None:
    done = wattmark(*arguments)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr


def test_the_doctor_examines_and_ends() -> None:
    done = wattmark("doctor", "--json")
    findings = {finding["subject"]: finding for finding in json.loads(done.stdout)["findings"]}
    assert findings["SQLite"]["state"] == "ok"
    assert done.returncode == (1 if any(finding["state"] == "problem" for finding in findings.values()) else 0)


def test_bench_check_as_json(tmp_path: Path) -> None:
    done = wattmark("bench", "check", bench(tmp_path), "--json")
    assert done.returncode == 0
    assert json.loads(done.stdout) == {
        "file": str(tmp_path / "bench.yaml"),
        "valid": True,
        "servers": 1,
        "configurations": 1,
        "meters": 1,
        "bmcs": 0,
        "plans": 1,
        "runs": 1,
        "warnings": [],
    }


def test_bench_check_counts_in_plain_english(tmp_path: Path) -> None:
    done = wattmark("bench", "check", bench(tmp_path))
    assert "valid. 1 server, 1 configuration, 1 meter, 0 BMCs, 1 plan, 1 run." in done.stdout


def test_bench_check_warns_of_a_plan_that_cannot_start(tmp_path: Path) -> None:
    file = Path(bench(tmp_path))
    file.write_text(file.read_text().replace("feeds: [{server: s}]", "feeds: [{server: s}], role: secondary"))
    done = wattmark("bench", "check", str(file))
    assert done.returncode == 0
    assert done.stderr.startswith("warning: Plan p: No wall meter measures s.")
    (warning,) = json.loads(wattmark("bench", "check", str(file), "--json").stdout)["warnings"]
    assert f"warning: {warning}\n" == done.stderr


def test_bench_check_warns_of_a_meter_that_is_polled_too_seldom(tmp_path: Path) -> None:
    file = Path(bench(tmp_path))
    file.write_text(file.read_text().replace("feeds: [{server: s}]", "feeds: [{server: s}], period_s: 4"))
    done = wattmark("bench", "check", str(file))
    assert done.returncode == 0
    assert "is polled every 4 s: 75 % of the time is not measured. Set period_s: 1." in done.stderr


@pytest.mark.parametrize("content", [b'lab: "\xff\xfe"', b"lab: \x00", b"[" * 100_000, b"", b"&a [*a, *a]"])
def test_a_bench_file_that_is_no_yaml_text(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "bench.yaml"
    file.write_bytes(content)
    assert_refused(wattmark("bench", "check", str(file)), 2, "bench.yaml")


@pytest.mark.parametrize("arguments", [["bench", "schema"], ["doctor"], ["doctor", "--json"], ["table"]])
def test_a_full_disk_behind_standard_output(arguments: list[str]) -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run([WATTMARK, *arguments], stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.startswith("wattmark: There is no space left")


def test_a_full_disk_behind_the_file(tmp_path: Path) -> None:
    assert_refused(wattmark("table", "--format", "csv", "-o", "/dev/full"), 1, "/dev/full", "No space left")


@pytest.mark.parametrize("arguments", [["bench", "schema"], ["table"], ["doctor"]])
def test_a_reader_that_goes_away(arguments: list[str]) -> None:
    """As `| head -1` does."""
    with subprocess.Popen(
        [WATTMARK, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL
    ) as running:
        assert running.stdout is not None
        assert running.stderr is not None
        running.stdout.close()
        errors = running.stderr.read()
    assert errors == b""


def test_a_wrong_environment_variable_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WATTMARK_PORT", "eight")
    assert_refused(wattmark("serve", "--data", str(tmp_path)), 2, "WATTMARK_PORT='eight'")


def test_results_as_json_are_the_same_on_screen_and_in_a_file(tmp_path: Path) -> None:
    open_storage(tmp_path / "data").close()
    shown = wattmark("results", "--data", str(tmp_path / "data"), "--format", "json")
    wattmark("results", "--data", str(tmp_path / "data"), "--format", "json", "-o", str(tmp_path / "r.json"))
    assert json.loads(shown.stdout) == {"results": []}
    assert (tmp_path / "r.json").read_text() == shown.stdout


def test_the_schema_is_a_json_schema() -> None:
    schema = json.loads(wattmark("bench", "schema").stdout)
    assert schema["$schema"].startswith("https://json-schema.org/")
    assert "servers" in schema["properties"]
