"""Two servers, each with its own network and sshd, started on one barrier by a whole campaign with simulated meters."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest
from wattmark.reports.report_data import report_of
from wattmark.results.result import Result
from wattmark.results.verdicts import TARGET_S
from wattmark.service.service import open_service
from wattmark.service.settings import Settings
from wattmark_drivers.simulators.simulated_lab import SimulatedLab

from ..namespaces import two_servers
from ..sshd import Sshd

__all__ = ["two_servers"]

METER = "eastron.sdm120"
SERVER = {"idle_w": 60.0, "dynamic_w": 60.0, "dimms": 2}
BENCH = """
schema: wattmark-bench/1
lab: Test
servers:
  - {{id: a, access: {{ssh: {a}}}, configurations: [&c {{id: c, cpu: {{model: any}}, os: {{name: any, kernel: any}}}}]}}
  - {{id: b, access: {{ssh: {b}}}, configurations: [*c]}}
meters:
  - {{id: wall-a, model: {model}, url: "{url_a}", feeds: [{{server: a}}], period_s: 0.5}}
  - {{id: wall-b, model: {model}, url: "{url_b}", feeds: [{{server: b}}], period_s: 0.5}}
workloads:
  - id: ticker
    title: Ticks, after it has written down when and where it began
    unit: ticks
    command: [sh, -c, 'set -- $SSH_CONNECTION; date +%s%N >>"{folder}/$3"; while echo 5 ticks; do sleep 0.1; done']
    parser: {{kind: regex, pattern: '(?P<value>[0-9]+) ticks', reports: interval-amount}}
plans:
  - {{name: p, configurations: [a/c, b/c], workloads: [ticker], repeats: 2, together: true, idle_s: 0, settle_s: 0.5,
     measure_s: 1, hold_s: 0.2}}
"""
GENEROUS_S = 0.05
"""Asserted, because other work on this machine delays a start; the target is printed beside what was reached."""


@pytest.fixture
def walls() -> Iterator[dict[str, str]]:
    device = {"model": METER, "measures": ["a"]}
    spec = {"servers": {"a": SERVER, "b": SERVER}, "devices": {"a": device, "b": {**device, "measures": ["b"]}}}
    with SimulatedLab(spec) as lab:
        yield {name: str(device.url) for name, device in lab.devices.items()}


def access(server: Sshd) -> str:
    address = server.address
    keys = f"identity_file: {address.identity_file}, known_hosts: {address.known_hosts}"
    return f"{{host: {address.host}, port: {address.port}, user: {address.user}, {keys}}}"


def really_began_ns(folder: Path, server: Sshd, near_ns: int) -> int:
    """When the program itself says that it began, by the one clock that both servers have here."""
    return min(map(int, (folder / server.host).read_text().split()), key=lambda t_ns: abs(t_ns - near_ns))


async def test_two_servers_with_networks_of_their_own_start_on_one_barrier(
    two_servers: tuple[Sshd, Sshd], walls: dict[str, str], tmp_path: Path
) -> None:
    a, b = two_servers
    bench = tmp_path / "bench.yaml"
    places = {"a": access(a), "b": access(b), "url_a": walls["a"], "url_b": walls["b"]}
    bench.write_text(BENCH.format(model=METER, folder=tmp_path, **places))
    async with open_service(Settings(data_dir=tmp_path / "data", bench=bench)) as service:
        service.campaigns.start("p")
        out = await asyncio.wait_for(service.campaigns.wait(), 100)
        assert out.state == "complete", out
        results: dict[tuple[str, int], Result] = {
            (result.server, result.repeat): result for result in service.results.results()
        }
        records = {result.run_id: service.results.record(result.run_id) for result in results.values()}
        chapters = report_of(service.sources).chapters
        sentences = [words for chapter in chapters for section in chapter.sections() for words in section.words]

    assert [sentences.count(f"Ran together with {peer}/c.") for peer in ("a", "b")] == [2, 2]
    assert sum(words.startswith("Their measured work started ") for words in sentences) == 4
    assert [(row.server, row.repeat, row.together) for row in out.runs] == [
        *(("a", 1, 0), ("b", 1, 0), ("a", 2, 2), ("b", 2, 2))
    ]
    for repeat in (1, 2):
        first, second = results["a", repeat], results["b", repeat]
        assert (first.started_with, second.started_with) == (("b/c",), ("a/c",))
        assert first.start_spread_s == second.start_spread_s
        assert first.start_spread_s is not None
        assert first.power is not None, "each with a result of its own"
        assert (first.meter.split()[0], second.meter.split()[0]) == ("wall-a", "wall-b")
        began_ns = records[first.run_id].disclosure.together.began_ns
        real = [really_began_ns(tmp_path, server, began_ns[name]) for name, server in (("a", a), ("b", b))]
        real_s, u_s = abs(real[0] - real[1]) / 1e9, first.start_spread_u_s or 0.0
        met = "met" if first.start_spread_s <= TARGET_S else "missed"
        print(  # noqa: T201 - the figure that this test is for
            f"spread of the starts, repeat {repeat}: {first.start_spread_s * 1e3:.2f} ms, u {u_s * 1e3:.2f} ms "
            f"(target {TARGET_S * 1e3:g} ms {met}); the programs say {real_s * 1e3:.2f} ms"
        )
        assert first.start_spread_s <= GENEROUS_S + 2 * u_s
        assert real_s == pytest.approx(first.start_spread_s, abs=GENEROUS_S)
        (verdict,) = (verdict for verdict in first.verdicts if verdict.rule == "started together")
        assert (verdict.outcome == "pass") == (first.start_spread_s <= TARGET_S)
