"""The bench as the service shows it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from wattmark_drivers.simulators.on_demand import SCHEME

from wattmark.bench.bench import Bench
from wattmark.bench.configuration import Configuration, Memory
from wattmark.bench.instruments import Bmc, Meter
from wattmark.bench.server import Server
from wattmark.bench.views import BenchOut, ConfigurationOut, MeterOut, ModuleOut, PlanOut, ServerOut
from wattmark.core.part_words import part_text


@dataclass(frozen=True, slots=True)
class ModelFacts:
    """Facts of the driver catalogue about a model."""

    title: str
    indicative: bool = False
    accuracy: str | None = None
    accuracy_source: str | None = None


@dataclass(frozen=True, slots=True)
class Pace:
    """How often a meter is polled, and over how long its readings average [s]; None: since the reading before."""

    period_s: float
    averaging_s: float | None = None


def bench_out(
    bench: Bench,
    plans: Sequence[PlanOut],
    model_facts: Callable[[str], ModelFacts],
    pace: Callable[[Meter], Pace],
) -> BenchOut:
    """Describe the bench. ``plans`` come from `wattmark.campaigns.planning.view.plan_out`."""
    return BenchOut(
        file=str(bench.file) if bench.file else None,
        lab=bench.lab,
        servers=[_server(bench, server) for server in bench.servers],
        meters=[
            *(_meter(meter, model_facts(meter.model), pace(meter)) for meter in bench.meters),
            *map(_bmc, bench.bmcs),
        ],
        plans=list(plans),
    )


def configuration_out(configuration: Configuration) -> ConfigurationOut:
    """Describe a configuration; the DIMM count is counted from the slots."""
    cpu, memory = configuration.cpu, configuration.memory
    return ConfigurationOut(
        id=configuration.id,
        title=configuration.title or configuration.id,
        cpu=cpu.model,
        cpu_count=cpu.sockets,
        cores=cpu.cores,
        clock_mhz=cpu.clock_mhz,
        memory_type=configuration.memory_type,
        memory_gib=configuration.memory_gib,
        dimm_count=configuration.dimm_count,
        modules=_modules(memory) if memory else [],
        psus=[_psu(psu.id, psu.rated_w, powered=psu.powered) for psu in configuration.psus],
        disks=list(configuration.disks),
        parts=[f"{part.count} × {part_text(part)}" for part in configuration.parts],
        firmware={key: _setting(value) for key, value in configuration.firmware.items()},
        os=configuration.os.name,
        kernel=configuration.os.kernel,
    )


def _modules(memory: Memory) -> list[ModuleOut]:
    rows = []
    for slot, module in memory.slots.items():
        facts = module.model_dump(include={"type", "capacity_gib", "speed_mts", "ranks", "vendor"}) if module else {}
        rows.append(ModuleOut(slot=slot, channel=memory.channel(slot), **facts))
    return rows


def _psu(name: str, rated_w: float | None, *, powered: bool) -> str:
    rated = f" {rated_w:g} W" if rated_w else ""
    return f"{name}{rated}{'' if powered else ' (not powered)'}"


def _setting(value: str | float | bool) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _server(bench: Bench, server: Server) -> ServerOut:
    return ServerOut(
        id=server.id,
        title=server.title or server.id,
        configurations=[configuration_out(item) for item in server.configurations],
        meters=[meter.id for meter in bench.meters_of(server.id)],
        bmcs=[bmc.id for bmc in bench.bmcs_of(server.id)],
    )


def _meter(meter: Meter, facts: ModelFacts, pace: Pace) -> MeterOut:
    servers = {feed.server for feed in meter.feeds}
    return MeterOut(
        id=meter.id,
        model=meter.model,
        title=facts.title,
        role=meter.role,
        connection=meter.url,
        server=servers.pop() if len(servers) == 1 else None,
        feeds=[f"{feed.server}/{psu}" for feed in meter.feeds for psu in feed.psus or ("all PSUs",)],
        simulated=meter.simulated or meter.url.partition(":")[0] == SCHEME,
        indicative=facts.indicative,
        period_s=pace.period_s,
        averaging_s=pace.averaging_s,
        accuracy=facts.accuracy,
        accuracy_source=facts.accuracy_source,
    )


def _bmc(bmc: Bmc) -> MeterOut:
    return MeterOut(
        id=bmc.id,
        model=bmc.model,
        title="BMC (IPMI)" if bmc.model == "ipmi.bmc" else "BMC (Redfish)",
        role="bmc",
        connection=bmc.connection,
        server=bmc.server,
        feeds=[],
        simulated=bmc.simulated,
        indicative=True,
        period_s=bmc.period_s,
        averaging_s=None,
        accuracy=None,
        accuracy_source=None,
    )
