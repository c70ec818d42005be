"""A small laboratory of generated runs for the pictures of the guide: the same every time, and marked as simulated.

usage: python -m tests.picture_lab FOLDER

Two servers as in the demo, with 2 to 8 memory modules, three runs of each configuration and one more that others
disturbed. What a run needs to fill the page of a result is there: phases, a second meter, utilisation, temperature.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from wattmark.results.data_folder import Storage, open_storage
from wattmark.results.issued.evaluations import Evaluations
from wattmark.results.issued.issuer import Issuer
from wattmark.runs.disclosure import Disclosure, HostFacts, RecordedBy, WindowFacts, WorkloadAsRun
from wattmark.runs.phase_name import PhaseName
from wattmark.runs.record import MeterRecord, Phase, RunRecord
from wattmark.store.columns import make_samples
from wattmark.store.sample_store import SeriesKey
from wattmark_drivers.clock import SystemClock

from tests.stored_run import make_run

S = 10**9
BEGIN_NS = 1_790_000_000 * S
PHASES = ((PhaseName.IDLE, 30), (PhaseName.SETTLE, 12), (PhaseName.MEASURE, 90), (PhaseName.HOLD, 6))
"""Name and length of each phase [s]."""
SIGNS_PER_S = 13_340.0
REPEATS = 3
DISTURBED = ("fbserver", 4, 2)
"""Server, modules and repeat of the run that other programs disturbed; it is followed by another attempt."""
TITLE = "RSA-1024 signatures at full load on two servers with different numbers of DIMMs"


@dataclass(frozen=True, slots=True)
class Server:
    """A server and what it draws at the wall in this made-up world [W]."""

    id: str
    module: str
    counts: tuple[int, ...]
    meter: str
    idle_w: float
    load_w: float
    per_module_w: float

    def configuration(self, count: int) -> dict[str, Any]:
        """Describe a configuration as a campaign keeps it in a record."""
        names = [f"{channel}{number}" for number in (1, 2) for channel in "ABCD"]
        module = {"type": self.module, "capacity_gib": 1.0, "speed_mts": 533, "ranks": 1, "vendor": None}
        empty = {"type": None, "capacity_gib": None, "speed_mts": None, "ranks": None, "vendor": None}
        modules = [
            {"slot": slot, "channel": slot[0], **(module if i < count else empty)} for i, slot in enumerate(names)
        ]
        return {
            "id": f"{self.module.lower().replace('-', '')}-{count}", "title": f"{count} {self.module}s",
            "cpu": "Intel Xeon 5160", "cpu_count": 2, "cores": 4, "clock_mhz": 3000.0,
            "memory_type": self.module, "memory_gib": float(count), "dimm_count": count, "modules": modules,
            "psus": ["psu1 450 W", "psu2 450 W"], "os": "Debian GNU/Linux 12", "kernel": "6.1",
            "declared": {"psus": [{"id": name, "rated_w": 450.0, "powered": True} for name in ("psu1", "psu2")]},
        }  # fmt: skip


SERVERS = (
    Server("fbserver", "FB-DIMM", (2, 4, 8), "outlet", 90.0, 148.6, 6.3),
    Server("rdimmserver", "RDIMM", (2, 8), "outlet-2", 108.0, 166.0, 2.86),
)


def store_picture_lab(folder: Path) -> int:
    """Store the runs, issued, in the order in which a blocked plan makes them; returns their number."""
    storage = open_storage(folder)
    runs = list(_runs())

    def write(stores: Storage) -> None:
        issuer = Issuer(stores, Evaluations(stores), SystemClock())
        for number, run in enumerate(runs):
            _store(stores, issuer, number, *run)

    storage.all_or_nothing(write)
    storage.close()
    return len(runs)


def _runs() -> Iterator[tuple[Server, int, int, bool]]:
    """Iterate over server, modules, repeat, and whether it is disturbed."""
    for repeat in range(1, REPEATS + 1):
        for server in SERVERS:
            for count in server.counts:
                if (server.id, count, repeat) == DISTURBED:
                    yield server, count, repeat, True
                yield server, count, repeat, False


def _store(
    storage: Storage, issuer: Issuer, number: int, server: Server, count: int, repeat: int, disturbed: bool
) -> None:
    random = np.random.default_rng(number)
    begin_ns = BEGIN_NS + number * 240 * S
    ends_s = np.cumsum([length for _, length in PHASES])
    starts_ns = [begin_ns + int(end - length) * S for end, (_, length) in zip(ends_s, PHASES, strict=True)]
    window_ns, length_s = starts_ns[2], PHASES[2][1]
    rate = SIGNS_PER_S * (0.86 if disturbed else 1.0) * random.normal(1, 0.002)
    run = make_run(
        f"p{number:015}", begin_ns=window_ns, window_s=length_s, every_s=5,
        amount=lambda _: float(round(5 * rate * random.normal(1, 0.002))),
        campaign_id="picture-lab", plan="dimms", order=number, server=server.id,
        configuration=server.configuration(count)["id"], workload="openssl.rsa1024-sign", level="4 processes",
        repeat=repeat, attempt=1 + int((server.id, count, repeat) == DISTURBED and not disturbed),
        created_ns=begin_ns,
        phases=tuple(
            Phase(name=name, begin_ns=start, end_ns=start + length * S)
            for start, (name, length) in zip(starts_ns, PHASES, strict=True)
        ),
        meters=(
            MeterRecord(
                name=server.meter, model="wattsup.pro", title="Watts Up? PRO (also ES), plug-in meter",
                serial=f"SIMULATED {server.meter}", simulated=True, resolution_w=0.1, averaging_s=1.0, range_w=5000.0,
                supplies=("psu1", "psu2"), reading_pct=1.5, range_pct=0.0, fixed_w=0.3,
                accuracy_source="Watts up? user manual, Technical specifications",
            ),
            MeterRecord(
                name="bmc", model="ipmi.bmc", title="Baseboard management controller", role="bmc", simulated=True,
                period_s=2.0, resolution_w=1.0,
            ),
        ),
        configuration_snapshot=server.configuration(count),
        disclosure=Disclosure(
            recorded_by=RecordedBy(lab="Picture lab (simulated)"),
            argv=("openssl", "speed", "-seconds", "5", "-multi", "4", "-mr", "rsa1024"),
            program_version="OpenSSL 3.0.15", asked_s=float(length_s),
            workload=WorkloadAsRun(declaration={"title": "RSA 1024 bit signatures, OpenSSL"}),
            plan={"name": "dimms", "title": TITLE},
            host=HostFacts(host=server.id, kernel="6.1", machine="x86_64", cpus=4),
            installation=f"{server.id}-{count}-{repeat}",
            window=WindowFacts(intervals=length_s // 5, load_cpu_share_pct=85.4 if disturbed else 97.9),
        ),
    )  # fmt: skip
    seconds = np.arange(int(ends_s[-1])) + 1
    loaded = np.clip((seconds - PHASES[0][1]) / 3.0, 0, 1)
    watts = (
        server.idle_w + server.per_module_w * count * (0.6 + 0.4 * loaded) + (server.load_w - server.idle_w) * loaded
    )
    watts = watts * random.normal(1, 0.001) + random.normal(0, 0.35, len(seconds))
    heat = 38 + 24 * (1 - np.exp(-np.maximum(seconds - PHASES[0][1], 0) / 25.0)) + random.normal(0, 0.2, len(seconds))
    busy = np.where(loaded > 0, 99.3, 2.0) + random.normal(0, 0.2, len(seconds))
    _series(storage, run, begin_ns, seconds, (server.meter, "power", "power", "W", "Power"), np.round(watts, 1))
    _series(storage, run, begin_ns, seconds[::2], ("bmc", "power", "power", "W", "Power"), np.round(watts[::2] * 0.965))
    host = ("host", "cpu_utilisation", "utilisation", "%", "CPU utilisation")
    _series(storage, run, begin_ns, seconds, host, np.clip(busy, 0, 100))
    _series(storage, run, begin_ns, seconds, ("bmc", "cpu1", "temperature", "°C", "CPU 1"), np.round(heat))
    storage.samples.seal(run.run_id)
    storage.runs.put(run)
    issuer.first(run)


def _series(
    storage: Storage, run: RunRecord, begin_ns: int, seconds: NDArray[np.int64], key: tuple[str, ...],
    values: NDArray[np.float64],
) -> None:  # fmt: skip
    source, channel, quantity, unit, label = key
    kind = "instantaneous" if quantity == "temperature" else "averaged"
    simulated = source != "host"
    series = storage.samples.series(
        SeriesKey(run.run_id, run.server, source, channel, quantity, unit, kind, label=label, simulated=simulated)
    )
    storage.samples.append([(series.id, make_samples(begin_ns + seconds * S, values))])


if __name__ == "__main__":
    sys.stdout.write(f"{store_picture_lab(Path(sys.argv[1]))} runs\n")
