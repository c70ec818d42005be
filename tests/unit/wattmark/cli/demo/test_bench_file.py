"""The demo's bench file: any lab could have written it, and the example's cannot be mistaken for a live one."""

import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from wattmark.bench.load import load_bench
from wattmark.cli.demo.bench_file import Naming, Timing, write_bench
from wattmark.cli.demo.example import EXAMPLE
from wattmark.cli.demo.lab import spec


@pytest.fixture
def lab(tmp_path: Path) -> SimpleNamespace:
    """Stand for a lab whose simulators were started."""
    devices = {
        name: SimpleNamespace(
            url="ipmi://127.0.0.1:9001" if device["model"] == "ipmi.bmc" else f"modbus-tcp://127.0.0.1:9000/{place}",
            username="admin",
            password_file=tmp_path / "password",
            problem=None,
        )
        for place, (name, device) in enumerate(spec(1)["devices"].items(), 1)
        if device["model"] != "wattsup.pro"
    }
    for name in ("outlet", "outlet-2"):
        devices[name] = SimpleNamespace(
            url=f"serial://{tmp_path}/{name}", username=None, password_file=None, problem=None
        )
    return SimpleNamespace(devices=devices, control="http://127.0.0.1:9002", token_file=tmp_path / "token")


def test_example_and_live_campaign_have_workloads_that_no_page_compares(lab, tmp_path):
    live = load_bench(write_bench(tmp_path, lab, Timing(), 1, Naming()))
    example = load_bench(write_bench(tmp_path, lab, Timing(), 1, EXAMPLE))
    (live_plan,), (example_plan,) = live.plans, example.plans
    assert live_plan.workloads == ("openssl.rsa1024-sign",)
    assert set(live_plan.workloads).isdisjoint(example_plan.workloads)
    assert "Recorded example, simulated power" in example_plan.title
    assert {meter.simulated for meter in example.meters} == {True}


def test_blocks_are_many_and_short_for_what_drifts_over_minutes(lab, tmp_path):
    plan = load_bench(write_bench(tmp_path, lab, Timing(), 1, Naming())).plans[0]
    assert plan.order == "random-blocks"
    assert plan.repeats >= 5
    run_s = plan.idle_s + plan.settle_s + plan.measure_s + plan.hold_s
    assert len(plan.configurations) * run_s <= 60, "a block that takes minutes meets the drift in itself"


def test_the_prepare_command_names_no_folder_where_the_path_finds_python(lab, tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(Path(sys.executable).parent))
    server = load_bench(write_bench(tmp_path, lab, Timing(), 1, Naming())).servers[0]
    assert server.prepare.command[0] == Path(sys.executable).name
    monkeypatch.setenv("PATH", str(tmp_path))
    server = load_bench(write_bench(tmp_path, lab, Timing(), 1, Naming())).servers[0]
    assert server.prepare.command[0] == sys.executable
