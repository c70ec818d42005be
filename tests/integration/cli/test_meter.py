"""`wattmark meter` against simulated devices: Modbus TCP, Modbus RTU and a Watts Up? on ptys, a BMC in ipmi_sim."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from wattmark_drivers.simulators.simulated_lab import SimulatedLab

from tests.integration.command import Command

WATTMARK = Path(sys.executable).with_name("wattmark")
SPEC = {
    "servers": {"s": {"idle_w": 300.0, "dynamic_w": 160.0, "dimms": 2, "psu": {"rated_w": 1500}}},
    "devices": {
        "wall": {"model": "eastron.sdm630", "measures": ["s"]},
        "line": {"model": "eastron.sdm120", "measures": ["s"], "transport": "rtu"},
        "plug": {"model": "wattsup.pro", "measures": ["s"]},
        "bmc": {"model": "ipmi.bmc", "measures": ["s"]},
    },
}


@pytest.fixture(scope="module")
def lab() -> Iterator[SimulatedLab]:
    with SimulatedLab(SPEC) as running:
        yield running


class Cli:
    """The program in this process; gives exit code, standard output and standard error."""

    def __init__(self, wattmark: Command) -> None:
        self._wattmark = wattmark

    def __call__(self, *arguments: str) -> tuple[int, str, str]:
        code, out, err = self._wattmark(*arguments)
        return code, out.decode(), err

    def json(self, *arguments: str) -> dict[str, Any]:
        code, out, err = self(*arguments, "--json")
        assert code == 0, err
        return dict(json.loads(out))


@pytest.fixture
def cli(monkeypatch: pytest.MonkeyPatch, wattmark: Command) -> Cli:
    monkeypatch.delenv("WATTMARK_BENCH", raising=False)
    return Cli(wattmark)


def url(lab: SimulatedLab, device: str, model: str, more: str = "") -> str:
    address = lab.devices[device].url or ""
    return f"{address}{'&' if '?' in address else '?'}model={model}{more}"


@pytest.mark.parametrize(
    ("device", "model"), [("wall", "eastron.sdm630"), ("line", "eastron.sdm120"), ("plug", "wattsup.pro")]
)
def test_a_device_is_read_by_its_url(lab: SimulatedLab, cli: Cli, device: str, model: str) -> None:
    document = cli.json("meter", "read", url(lab, device, model))
    truth_w = lab.state("s").wall_power_w
    power = next(row for row in document["readings"] if row["channel"] == "power")
    assert power["value"] == pytest.approx(truth_w, rel=0.5)
    assert power["usable"]
    assert document["meter"]["model"] == model
    assert "simulated" in power["quality"]


def test_a_device_is_read_by_its_name_in_the_bench_file(lab: SimulatedLab, cli: Cli, tmp_path: Path) -> None:
    bench = tmp_path / "bench.yaml"
    bench.write_text(
        "schema: wattmark-bench/1\nlab: Test\nservers:\n  - id: s\n    access: {local: true}\n    configurations:\n"
        "      - {id: c, cpu: {model: any}, os: {name: any, kernel: any}}\n"
        f'meters:\n  - {{id: wall, model: eastron.sdm630, url: "{lab.devices["wall"].url}", feeds: [{{server: s}}]}}\n'
    )
    code, out, _ = cli("meter", "read", "wall", "--bench", str(bench))
    assert code == 0
    assert "Active power, all phases" in out
    assert "simulated" in out
    code, _, err = cli("meter", "read", "wal", "--bench", str(bench))
    assert code == 2
    assert "did you mean wall?" in err


def test_a_bmc_is_read_with_a_password_from_a_private_file(lab: SimulatedLab, cli: Cli, tmp_path: Path) -> None:
    bmc = lab.devices["bmc"]
    log_in = ("--user", str(bmc.username), "--password-file", str(bmc.password_file))
    document = cli.json("meter", "read", str(bmc.url), *log_in)
    assert {row["unit"] for row in document["readings"]} >= {"W", "°C", "RPM"}
    assert document["meter"]["indicative"]
    open_to_all = tmp_path / "password"
    open_to_all.write_text("x")
    open_to_all.chmod(0o644)
    code, _, err = cli("meter", "read", str(bmc.url), "--user", "u", "--password-file", str(open_to_all))
    assert code in (1, 2)
    assert "is readable by other users" in err


def test_watching_gives_a_document_a_line_until_it_is_interrupted(lab: SimulatedLab) -> None:
    command = [
        str(WATTMARK),
        "meter",
        "read",
        url(lab, "wall", "eastron.sdm630"),
        "--watch",
        "--json",
        "--period",
        "0.2",
    ]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        first, second = (json.loads(process.stdout.readline()) for _ in range(2))
        process.send_signal(signal.SIGINT)
        process.stdout.read()
        assert process.wait(timeout=30) == 0
    assert second["readings"][0]["time"] > first["readings"][0]["time"]
    assert "simulated" in first["readings"][0]["quality"]


def test_a_right_meter_passes_its_check(lab: SimulatedLab, cli: Cli) -> None:
    document = cli.json("meter", "check", url(lab, "wall", "eastron.sdm630"), "--seconds", "3")
    outcomes = {verdict["rule"]: verdict["outcome"] for verdict in document["verdicts"]}
    assert "fail" not in outcomes.values(), document
    assert outcomes["power-product"] == outcomes["word-order"] == "pass"


def test_a_wrong_word_order_fails_the_check_and_is_named(lab: SimulatedLab, cli: Cli) -> None:
    target = url(lab, "wall", "eastron.sdm630", "&word_order=low-first")
    code, out, _ = cli("meter", "check", target, "--seconds", "1")
    assert code == 1
    assert "words swapped: try word_order=high-first" in out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("read", "wall"), "no bench file was given"),
        (("read", "modbus-tcp://127.0.0.1:502/1"), "names no model"),
        (("read", "ipmi://me:hunter2@127.0.0.1"), "--password-file"),
        (("read", "shelly://127.0.0.1:1"), "No device at 127.0.0.1:1 says that it is of shelly."),
        (("check", "modbus-tcp://127.0.0.1/1?model=eastron.sdm63"), "Did you mean eastron.sdm630"),
        (("models", "eastron.sdm63x"), "Did you mean eastron.sdm630"),
        (("scan", "--hosts", "10.0.0.0/24"), "is not a host"),
        (("scan", "--serial", "/dev/none", "--ids", "0-300"), "not a range of unit ids"),
        (("scan", "--serial", "x", "--modbus-tcp", "y"), "one line at a time"),
        (("simulate", "eastron.sdm63"), "Did you mean eastron.sdm630"),
        (("simulate", "eastron.sdm630", "--fault", "explode"), "There is no fault 'explode'"),
        (("simulate", "ipmi.bmc", "--fault", "delay"), "seconds"),
    ],
)
def test_bad_input_is_refused_in_two_sentences(cli: Cli, arguments: tuple[str, ...], words: str) -> None:
    code, out, err = cli("meter", *arguments)
    assert code == 2
    assert words in err
    assert "hunter2" not in out + err
    assert "Traceback" not in err


def test_the_schema_of_declarations_is_printed(cli: Cli) -> None:
    code, out, _ = cli("meter", "schema")
    assert code == 0
    assert {"id", "sources", "protocol"} <= set(json.loads(out)["required"])


def test_an_absent_meter_is_a_failure_with_a_remedy(cli: Cli) -> None:
    code, _, err = cli("meter", "read", "modbus-tcp://127.0.0.1:1/1?model=eastron.sdm120")
    assert code == 1
    assert "Check the address" in err


def test_a_scan_finds_what_answers_and_the_models_that_fit(lab: SimulatedLab, cli: Cli) -> None:
    wall = urlsplit(lab.devices["wall"].url or "")
    scan = cli.json("meter", "scan", "--modbus-tcp", f"127.0.0.1:{wall.port}", "--ids", "1-2", "--timeout", "0.5")
    assert [device["where"] for device in scan["found"]] == [f"modbus-tcp://127.0.0.1:{wall.port}/1"]
    assert scan["found"][0]["models"][0] == "eastron.sdm630"
    assert f"modbus-tcp://127.0.0.1:{wall.port}/1?model=eastron.sdm630" in scan["found"][0]["urls"]
    assert "simulated" in scan["found"][0]["what"]


def test_a_scan_of_a_host_finds_a_bmc_without_a_password(lab: SimulatedLab, cli: Cli) -> None:
    port = urlsplit(lab.devices["bmc"].url or "").port
    scan = cli.json("meter", "scan", "--hosts", f"127.0.0.1:{port}", "--timeout", "0.5")
    assert [(device["where"], device["models"]) for device in scan["found"]] == [
        (f"ipmi://127.0.0.1:{port}", ["ipmi.bmc"])
    ]


def test_a_recorded_dialogue_tells_nothing_of_its_owner(lab: SimulatedLab, cli: Cli, tmp_path: Path) -> None:
    """The serial number of simulated Modbus meters is 0x53494Dxx, read at opening as the mark is."""
    output = tmp_path / "dialogue.json"
    target = url(lab, "wall", "eastron.sdm630", "&period_s=0.2")
    code, _, err = cli("meter", "record", target, "-o", str(output), "--seconds", "1")
    assert code == 0, err
    fixture = json.loads(output.read_text())
    assert fixture["format"] == "wattmark-fixture/1"
    assert {exchange["direction"] for exchange in fixture["exchanges"]} == {"sent", "received"}
    assert any(reading["channel"] == "power" and reading["value"] for reading in fixture["readings"])
    assert fixture["redacted"]["serial"] >= 1
    assert not re.search("53 49 4d (?!55 4c 41 54 45 44)", output.read_text()), (
        "the mark SIMULATED may stay, the serial may not"
    )
    assert "127.0.0.1" not in output.read_text()
    assert fixture["address"].startswith("modbus-tcp://<host>:")


def test_a_recorded_bmc_shows_its_words_and_not_its_password(lab: SimulatedLab, cli: Cli, tmp_path: Path) -> None:
    bmc, output = lab.devices["bmc"], tmp_path / "dialogue.json"
    log_in = ("--user", str(bmc.username), "--password-file", str(bmc.password_file))
    code, _, err = cli("meter", "record", str(bmc.url), *log_in, "-o", str(output), "--seconds", "1")
    assert code == 0, err
    assert (bmc.password_file or Path()).read_text().strip() not in output.read_text()
    commands = [
        exchange["text"] for exchange in json.loads(output.read_text())["exchanges"] if exchange["direction"] == "sent"
    ]
    assert any(line.startswith("sdr elist") or "dcmi" in line or "raw" in line for line in commands)


def test_a_device_that_is_not_there_is_recorded_with_its_problem(cli: Cli, tmp_path: Path) -> None:
    output = tmp_path / "dialogue.json"
    target = "modbus-tcp://127.0.0.1:1/1?model=eastron.sdm120"
    code, _, err = cli("meter", "record", target, "-o", str(output))
    assert code == 1
    assert "could not be read" in err
    assert "No connection to <host>:1" in json.loads(output.read_text())["problem"]


def test_the_address_of_a_bmc_is_the_same_in_the_bench_file(lab: SimulatedLab, cli: Cli, tmp_path: Path) -> None:
    """A BMC in ipmi_sim, which tells its power by DCMI to administrators."""
    bmc, file = lab.devices["bmc"], tmp_path / "bench.yaml"
    port = urlsplit(bmc.url or "").port
    file.write_text(
        "schema: wattmark-bench/1\nlab: L\n"
        "servers:\n  - id: s\n    access: {local: true}\n"
        "    configurations: [{id: c, cpu: {model: a}, os: {name: a, kernel: a}}]\n"
        f"bmcs: [{{id: bmc, server: s, url: 'ipmi://127.0.0.1:{port}?privilege=ADMINISTRATOR', user: {bmc.username},"
        f" password_file: {bmc.password_file}}}]\n"
    )
    read = cli.json("meter", "read", "bmc", "--bench", str(file))
    power = next(row for row in read["readings"] if row["channel"] == "power")
    assert 300 <= power["value"] <= 700, "from idle to full load of the simulated server, with modules and supply"
    file.write_text(file.read_text().replace("privilege=ADMINISTRATOR", "privilege=KING"))
    code, _, err = cli("bench", "check", str(file))
    assert (code, "KING" in err, "ipmi://HOST:623?cipher=3&privilege=USER" in err) == (2, True, True), err
    file.write_text(file.read_text().replace("ipmi://", "impi://"))
    code, _, err = cli("bench", "check", str(file))
    assert (code, "ipmi://192.0.2.1?privilege=ADMINISTRATOR" in err) == (2, True), err


def test_all_models_fit_a_window_of_a_hundred_columns(cli: Cli) -> None:
    """1.5 % of reading and 0.3 W (the manual of the Watts Up? PRO): 6.3 W at 400 W."""
    code, out, _ = cli("meter", "models")
    lines = out.splitlines()
    assert code == 0
    assert max(map(len, lines)) <= 100
    assert "](http" not in out
    words = next(line for line in lines if line.startswith("wattsup.pro ")).split()
    assert ("serial" in words, words[-1]) == (True, "6.3")
    assert next(line for line in lines if line.startswith("yokogawa.wt310e ")).endswith("by range")
    assert next(line for line in lines if line.startswith("ipmi.bmc ")).endswith("indicative")


def test_a_word_chooses_among_the_models_and_a_name_shows_one_in_full(cli: Cli) -> None:
    names = [model["id"] for model in cli.json("meter", "models", "WATTS UP")["models"]]
    assert names == sorted(name for name in names if name.startswith("wattsup."))
    assert {"wattsup.net", "wattsup.pro"} <= set(names)
    assert "ipmi.bmc" in cli("meter", "models", "ipmi")[1]
    code, out, _ = cli("meter", "models", "wattsup.pro")
    assert code == 0
    assert max(map(len, out.splitlines())) <= 100
    assert "serial:///" in out
    assert next(line for line in out.splitlines() if line.startswith("limit at 400 W")).endswith(" 6.3 W")
    assert "accuracy of power" in out


def test_models_say_what_is_unconfirmed(cli: Cli) -> None:
    model = cli.json("meter", "models", "eastron.sdm630")["models"][0]
    assert {"fact": "averaging and update", "status": "unconfirmed"}.items() <= model["facts"][2].items()
    assert "averaging and update" in model["unconfirmed"]
    assert model["protocol"]["registers"]


def test_any_model_becomes_a_device_that_can_be_read(cli: Cli, tmp_path: Path) -> None:
    line = tmp_path / "tty"
    fault = "wrong-value=frequency:99*100"
    command = [str(WATTMARK), "meter", "simulate", "carlogavazzi.em24", "--pty", str(line), "--fault", fault, "--json"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        entry = json.loads("".join(iter(process.stdout.readline, "}\n")) + "}")
        document = cli.json("meter", "read", entry["url"])
        process.send_signal(signal.SIGINT)
        process.communicate()
        assert process.returncode == 0
    assert str(line) in entry["url"]
    assert not line.is_symlink()
    frequency = next(row for row in document["readings"] if row["channel"] == "frequency")
    assert frequency["value"] == pytest.approx(99)
    assert "implausible" in frequency["quality"]
