"""A campaign asks the BMC of the bench for the memory, over a real socket, with the credentials of its power meter."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from wattmark.bench.bench import Bench
from wattmark.bench.load import load_bench
from wattmark.campaigns import servers as servers_module
from wattmark.campaigns.disclosure import snapshot
from wattmark.campaigns.out_of_band import read_out_of_band
from wattmark.campaigns.server_facts import FirmwareSlots
from wattmark.campaigns.servers import Servers
from wattmark.results.inventory.inventory import memory_inventory
from wattmark_drivers.clock import Clock, SystemClock

from tests.set_clock import SetClock
from tests.stored_run import make_run
from tests.web_peer import serving

from ..drivers.redfish.conftest import PASSWORD, USER, Answering, Service
from .conftest import Campaign

INVENTORIES = Path(__file__).parents[1] / "drivers/redfish/inventories"
MEMORY = "/redfish/v1/Systems/1/Memory"
BENCH = """
schema: wattmark-bench/1
lab: Test
servers:
  - id: dl325
    access: {{local: true}}
    configurations:
      - id: c
        cpu: {{model: EPYC 7302P}}
        os: {{name: any, kernel: any}}
        memory:
          slots:
            PROC_1_DIMM_1: &dimm {{type: RDIMM, capacity_gib: 16, speed_mts: 3200, ranks: 1, part: HMA82GR7CJR4N-XN}}
            PROC_1_DIMM_2:
            PROC_1_DIMM_3: *dimm
            PROC_1_DIMM_14: *dimm
            PROC_1_DIMM_16: *dimm
workloads:
  - id: elsewhere
    title: A load of another machine
    unit: requests
    hook: {{begin: {{url: "{begin}"}}, end: {{url: "{end}"}}}}
    parser: {{kind: json, pointer: /done, reports: total}}
plans:
  - {{name: here, configurations: [dl325/c], workloads: [openssl.rsa1024-sign, elsewhere]}}
  - {{name: hooked, configurations: [dl325/c], workloads: [elsewhere]}}
bmcs:
  - {{id: ilo, server: dl325, url: "redfish+http://127.0.0.1:{port}/1", user: {user}, password_env: BMC_PASSWORD{more}}}
"""


@pytest.fixture
def ilo(monkeypatch: pytest.MonkeyPatch) -> Iterator[Service]:
    """A BMC with the inventory of a DL325; its bench finds the password in the environment."""
    served = Service(documents=json.loads((INVENTORIES / "hpe-dl325.json").read_text("utf-8")))
    served.documents["/redfish/v1/"]["Links"] = {"Sessions": {"@odata.id": "/redfish/v1/SessionService/Sessions"}}
    monkeypatch.setenv("BMC_PASSWORD", PASSWORD)
    with serving(Answering, service=served) as served.port:
        yield served


ELSEWHERE, HERE = "http://loads.example/load", "http://127.0.0.1:9/load"


def bench_of(service: Service, folder: Path, more: str = "", begin: str = ELSEWHERE, end: str = ELSEWHERE) -> Path:
    file = folder / "bench.yaml"
    file.write_text(BENCH.format(port=service.port, user=USER, more=more, begin=begin, end=end))
    return file


def servers_of(bench: Bench, plan: str = "here", clock: Clock | None = None) -> Servers:
    return Servers(bench, bench.plan(plan), clock or SystemClock())


async def test_every_slot_is_verified_out_of_band(ilo: Service, tmp_path: Path) -> None:
    bench = load_bench(bench_of(ilo, tmp_path))
    (server,) = bench.servers
    servers = servers_of(bench)
    await servers.describe(server)
    await servers.look_at_memory(server)
    facts = servers.facts("dl325")
    assert facts.out_of_band is not None
    assert (facts.out_of_band.bmc, facts.out_of_band.problem) == ("ilo", None)
    assert facts.out_of_band.bios == "A43 v2.52 (10/29/2021)"
    assert facts.out_of_band.processors == ("Proc 1: AMD EPYC 7302P 16-Core Processor, 16 cores, 32 threads",)
    run = make_run(
        configuration_snapshot=snapshot(server.configurations[0]),
        disclosure={"host": {"out_of_band": facts.out_of_band.model_dump()}},
    )
    inventory = memory_inventory(run, simulated=False)
    assert inventory is not None
    assert (inventory.way, inventory.summary) == ("Redfish of the BMC ilo", "5 verified out of band")

    before = len(ilo.asked)
    await servers.look_at_memory(server)
    assert len(ilo.asked) == before, "within one boot the BMC is asked once"
    await servers.close()


async def test_a_bmc_that_does_not_answer_is_asked_again_after_a_while(ilo: Service, tmp_path: Path) -> None:
    ilo.answers[MEMORY] = (503, b"{}", {})
    bench, clock = load_bench(bench_of(ilo, tmp_path)), SetClock()
    (server,) = bench.servers
    servers = servers_of(bench, clock=clock)
    await servers.describe(server)
    await servers.look_at_memory(server)
    first = servers.facts("dl325").out_of_band
    assert first is not None
    assert (first.problem or "").endswith(" It is asked again after 30 min.")
    assert first.slots == ()
    del ilo.answers[MEMORY]
    asked = len(ilo.asked)
    clock.pass_s(30 * 60 - 1)
    await servers.look_at_memory(server)
    assert len(ilo.asked) == asked, "a run does not wait again for a BMC that does not answer"
    assert servers.facts("dl325").out_of_band == first
    clock.pass_s(1)
    await servers.look_at_memory(server)
    second = servers.facts("dl325").out_of_band
    assert second is not None
    assert (len(second.slots), second.problem) == (16, None)
    await servers.close()


@pytest.mark.parametrize(
    ("plan", "begin", "end", "here"),
    [
        ("hooked", ELSEWHERE, ELSEWHERE, False),
        ("here", ELSEWHERE, ELSEWHERE, True),  # another workload of the plan runs its program here
        ("hooked", HERE, ELSEWHERE, False),
        ("hooked", HERE, HERE, True),
    ],
)
async def test_a_server_whose_loads_are_all_begun_elsewhere_does_not_get_the_modules_of_this_machine(
    ilo: Service, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, plan: str, begin: str, end: str, here: bool
) -> None:
    async def of_this_machine(trigger: object, **facts: object) -> FirmwareSlots:
        return FirmwareSlots("Memory Device\n\tSize: 8 GB\n\tLocator: A1\n", "dmidecode")

    monkeypatch.setattr(servers_module, "memory_slots", of_this_machine)
    bench = load_bench(bench_of(ilo, tmp_path, begin=begin, end=end))
    (server,) = bench.servers
    servers = servers_of(bench, plan)
    await servers.describe(server)
    await servers.look_at_memory(server)
    facts = servers.facts("dl325")
    assert (facts.memory_slots is not None) is here
    if not here:
        assert facts.memory_slots_unread == (
            "The firmware's list of memory modules was not read: all its loads are begun by HTTP calls to other "
            "machines, so that it is not the machine of wattmark. Give the BMC of the server a Redfish url in the "
            "bench file."
        )
    assert facts.out_of_band is not None
    assert len(facts.out_of_band.slots) == 16, "its BMC is its own"
    asked = len(ilo.asked)
    await servers.look_at_memory(server)
    assert (len(ilo.asked) == asked) is here, "the boot of this machine is none of its own"
    await servers.close()


async def test_a_campaign_that_is_stopped_does_not_wait_for_a_slow_bmc(campaign: Campaign) -> None:
    """A BMC that takes a connection and says nothing would be waited for 300 s."""
    reached = asyncio.Event()

    async def silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        reached.set()
        await reader.read()
        writer.close()

    bmc = await asyncio.start_server(silent, "127.0.0.1", 0)
    port = bmc.sockets[0].getsockname()[1]
    entry = f'bmcs: [{{id: ilo, server: a, url: "redfish+http://127.0.0.1:{port}/1", user: u, password_env: P}}]'
    runner = campaign.runner(("workloads:\n  - id: ticker", f"{entry}\nworkloads:\n  - id: ticker"))
    running = asyncio.create_task(runner.run())
    async with asyncio.timeout(30):
        await reached.wait()
    runner.stop()
    begun = time.monotonic()
    async with asyncio.timeout(30):
        out = await running
    assert out.state == "aborted"
    assert time.monotonic() - begun < 3.0
    bmc.close()


async def test_a_record_does_not_name_the_system(ilo: Service, tmp_path: Path) -> None:
    """Some makers name it by the serial number of the server: Intel's S2600 is /redfish/v1/Systems/QSBP74100021."""
    renamed = json.loads(json.dumps(ilo.documents).replace("/Systems/1", "/Systems/QSBP74100021"))
    renamed["/redfish/v1/Systems/QSBP74100021"]["Id"] = "QSBP74100021"
    ilo.documents = renamed
    bench = load_bench(bench_of(ilo, tmp_path))
    whole = await read_out_of_band(bench, "dl325")
    assert whole is not None
    assert len(whole.slots) == 16
    ilo.answers["/redfish/v1/Systems/QSBP74100021/Memory"] = (403, b"{}", {})
    refused = await read_out_of_band(bench, "dl325")
    assert refused is not None
    assert "/redfish/v1/Systems/.../Memory" in (refused.problem or "")
    assert "QSBP74100021" not in whole.model_dump_json() + refused.model_dump_json()


async def test_a_wrong_password_is_said_and_stops_nothing(ilo: Service, tmp_path: Path) -> None:
    bench = load_bench(bench_of(ilo, tmp_path))
    answer = await read_out_of_band(bench, "dl325", {"BMC_PASSWORD": "wrong"})
    assert answer is not None
    assert answer.problem
    assert "wrong" not in answer.problem


async def test_a_simulated_bmc_and_one_by_ipmi_are_not_asked(ilo: Service, tmp_path: Path) -> None:
    assert await read_out_of_band(load_bench(bench_of(ilo, tmp_path, ", simulated: true")), "dl325") is None
    text = bench_of(ilo, tmp_path).read_text()
    by_ipmi = tmp_path / "ipmi.yaml"
    by_ipmi.write_text(text.replace(f'url: "redfish+http://127.0.0.1:{ilo.port}/1"', "host: 127.0.0.1"))
    assert await read_out_of_band(load_bench(by_ipmi), "dl325") is None
    assert ilo.asked == []


async def test_a_bmc_that_takes_too_long_says_so(ilo: Service, tmp_path: Path) -> None:
    answer = await read_out_of_band(load_bench(bench_of(ilo, tmp_path)), "dl325", patience_s=0.0)
    assert answer is not None
    assert answer.problem == "The BMC ilo did not list the memory in 0 s."
