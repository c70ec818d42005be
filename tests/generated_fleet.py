"""A fleet of generated laboratories in a ClickHouse store, as large as one likes: for benchmarks, and to look at pages.

usage: python -m tests.generated_fleet URL [--labs 1000] [--results 1000000] [--sampled 40] [--database wattmark]

URL is that of a server, such as http://127.0.0.1:8123, or chdb:FOLDER for the current engine in this process. The
schema must not exist there, or be that of this wattmark. Every configuration is measured, evaluated and issued once by
wattmark itself; a row is such a run with another laboratory, server, time and repeat, and with figures that differ by
the laboratory's and the run's own deviation, in its columns, its line and its whole document. The first runs keep the
figures as they were issued, and their samples are stored too, so that they can be recomputed.
"""

from __future__ import annotations

import argparse
import math
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import clickhouse_connect
import numpy as np
from wattmark.fleet.clickhouse.connection import Connection
from wattmark.fleet.clickhouse.schema import Types, check_schema, make_schema
from wattmark.fleet.clickhouse.settings import ClickHouseSettings
from wattmark.fleet.dossiers.dossiers import Dossiers
from wattmark.fleet.dossiers.rows import Row, result_columns, run_columns
from wattmark.results.data_folder import Storage, open_storage
from wattmark.results.issued.evaluations import Evaluations
from wattmark.results.issued.issuer import Issuer
from wattmark.runs.disclosure import Disclosure, HostFacts
from wattmark.runs.record import MeterRecord
from wattmark.store.columns import make_samples
from wattmark.store.sample_store import Samples, SeriesKey
from wattmark_drivers.clock import SystemClock

from tests.stored_run import make_run

S = 10**9
WINDOW_S = 60
SLOT_S = 1000
"""Every run begins at a whole multiple, so that all stamps of a template move by replacing their first digits."""
FIRST_SLOT, SLOTS = 1_700_000, 63_000
"""Two years of slots."""
TEMPLATE_SLOT = 1_699_999
SERVER = "fleet-server"
MODELS = (
    ("ProLiant DL360 G5", "Xeon 5160"), ("ProLiant DL380 G5", "Xeon X5460"), ("PowerEdge 2950", "Xeon E5345"),
    ("PowerEdge 1950 III", "Xeon X5450"), ("System x3550", "Xeon E5440"), ("System x3650", "Xeon X5355"),
    ("Primergy RX300 S4", "Xeon E5450"), ("Primergy RX200 S4", "Xeon L5420"), ("Fire X4150", "Xeon E5410"),
    ("Fire X4450", "Xeon X7350"), ("NovaScale R460", "Xeon E5335"), ("Altix XE 240", "Xeon 5150"),
)  # fmt: skip
MEMORIES = ((2, 2), (4, 2), (8, 2), (12, 2), (4, 4), (8, 4), (12, 4), (16, 4))
"""FB-DIMMs of a configuration: how many, and GiB of each."""
WORKLOADS = (
    ("openssl.rsa2048-sign", "all threads", "signs", 3000),
    ("7zip.compress", "all threads", "KB", 42_000),
    ("stress-ng.stream", "4 processes", "MB", 9_000),
    ("stress-ng.stream", "8 processes", "MB", 14_000),
)
SERVERS_PER_LAB = 5
ROWS_PER_INSERT = 5000
AConnection = TypeVar("AConnection", bound=Connection)


class Make(NamedTuple):
    """What a template measures: indices into the tables above."""

    model: int
    memory: int
    workload: int

    @property
    def modules(self) -> tuple[int, int]:
        return MEMORIES[self.memory]

    @property
    def power_w(self) -> float:
        count, gib = self.modules
        return 210.0 + 14.0 * self.model + count * (6.5 + 0.6 * gib) + 3.0 * self.workload

    @property
    def rate(self) -> int:
        """Work per second: that of the model, and a little for every further module."""
        pace = WORKLOADS[self.workload][3]
        return round(pace * (1 + 0.07 * (self.model * 5 % 12)) * (1 + 0.03 * math.log2(self.modules[0])))

    @property
    def configuration(self) -> str:
        count, gib = self.modules
        return f"fb-{count}x{gib}"

    @property
    def snapshot(self) -> dict[str, Any]:
        """Describe the configuration as a campaign keeps it in a record."""
        (count, gib), (_, cpu) = self.modules, MODELS[self.model]
        slots = {f"{'ABCD'[k % 4]}{k // 4 + 1}": {"type": "FB-DIMM", "capacity_gib": gib} for k in range(count)}
        return {
            "id": self.configuration,
            "title": f"{count} x {gib} GiB FB-DIMM",
            "cpu": cpu,
            "cpu_count": 2,
            "memory_type": "FB-DIMM",
            "memory_gib": float(count * gib),
            "dimm_count": count,
            "modules": [{"slot": slot, "channel": slot[0], **module} for slot, module in slots.items()],
            "declared": {
                "cpu": {"model": cpu, "sockets": 2},
                "memory": {"slots": slots},
                "parts": [{"kind": "fan", "model": "80 mm", "count": 2 * gib}],
            },
        }


@dataclass(frozen=True, slots=True)
class Pattern:
    """A document with gaps for what differs from row to row."""

    text: str

    @classmethod
    def of(cls, document: str, gaps: dict[str, str]) -> Pattern:
        text = document.replace("%", "%%")
        for written, name in gaps.items():
            text = text.replace(written, f"%({name})s")
        return cls(text)

    def filled(self, values: dict[str, object]) -> str:
        return self.text % values


@dataclass(frozen=True, slots=True)
class Template:
    """A run as wattmark recorded, evaluated and issued it."""

    result: Row
    run: Row
    line: Pattern
    document: Pattern
    record: Pattern
    samples: Samples


def templates(folder: Path, memories: int, workloads: int) -> dict[Make, Template]:
    """Measure, evaluate and issue the configurations of every model under each workload once."""
    storage = open_storage(folder)
    makes = [
        Make(model, memory, workload)
        for model in range(len(MODELS))
        for memory in range(memories)
        for workload in range(workloads)
    ]
    samples = storage.all_or_nothing(
        lambda stores: [_measure(stores, number, make) for number, make in enumerate(makes)]
    )
    dossiers = Dossiers(storage, Evaluations(storage), lambda: "@LAB@")
    made = {
        make: _template(dossiers, f"template-{number:04}", taken)
        for number, (make, taken) in enumerate(zip(makes, samples, strict=True))
    }
    storage.close()
    return made


def _measure(storage: Storage, number: int, make: Make) -> Samples:
    """Store a run of a minute with a reading a second, and issue its result."""
    random = np.random.default_rng(number)
    key, level, unit, _ = WORKLOADS[make.workload]
    begin_ns = TEMPLATE_SLOT * SLOT_S * S
    run = make_run(
        f"template-{number:04}", begin_ns=begin_ns, window_s=WINDOW_S, amount=make.rate, server=SERVER,
        configuration=make.configuration, workload=key, level=level, repeat=999, unit=unit, full_load_limit_pct=None,
        meters=(
            MeterRecord(
                name="wall", model="lab.analyser", title="Power analyser", serial=SERVER, resolution_w=0.01,
                reading_pct=0.4, fixed_w=0.2,
            ),
        ),
        configuration_snapshot=make.snapshot,
        disclosure=Disclosure(host=HostFacts(model=MODELS[make.model][0])),
    )  # fmt: skip
    seconds = np.arange(-5, WINDOW_S + 6)
    watts = make.power_w * random.normal(1, 0.001) + random.normal(0, 0.4, len(seconds))
    samples = make_samples(begin_ns + seconds * S, watts)
    storage.samples.append([(storage.samples.series(series_key(run.run_id, SERVER)).id, samples)])
    storage.samples.seal(run.run_id)
    storage.runs.put(run)
    Issuer(storage, Evaluations(storage), SystemClock()).first(run)
    return samples


def series_key(run_id: str, server: str) -> SeriesKey:
    return SeriesKey(run_id, server, "wall", "power", "power", "W", "averaged")


def _template(dossiers: Dossiers, run_id: str, samples: Samples) -> Template:
    dossier = dossiers.gather(run_id)
    assert dossier is not None
    assert dossier.result is not None
    result, run = result_columns(dossier, 0), run_columns(dossier, 0)
    assert result is not None
    begin = datetime.fromtimestamp(TEMPLATE_SLOT * SLOT_S, UTC)
    end = datetime.fromtimestamp(TEMPLATE_SLOT * SLOT_S + WINDOW_S, UTC)
    always = {run_id: "run", SERVER: "server", "@LAB@": "lab", '"repeat":999': "repeat_field"}
    gaps = {
        **always,
        begin.isoformat(timespec="microseconds"): "begin",
        end.isoformat(timespec="microseconds"): "end",
        **{repr(result[name]): name for name in ("throughput", "power", "efficiency", "energy_j")},
    }
    return Template(
        result=result,
        run=run,
        line=Pattern.of(result["line"], gaps),
        document=Pattern.of(result["document"], gaps),
        record=Pattern.of(run["record"], {**always, str(TEMPLATE_SLOT): "slot"}),
        samples=samples,
    )


def fleet(made: dict[Make, Template], labs: int, results: int, sampled: int) -> Iterator[tuple[Row, Row, Template]]:
    """Iterate over the rows of tables `result` and `run` with the template of each, laboratory by laboratory."""
    random = np.random.default_rng(21)
    bias = random.normal(1, 0.002, labs)
    makes = sorted({(make.memory, make.workload) for make in made})
    repeats = -(-results // (labs * SERVERS_PER_LAB * len(makes)))
    for number in range(results):
        lab = number * labs // results
        in_lab = number - -(-lab * results // labs)
        build, repeat = divmod(in_lab, repeats)
        server, build = divmod(build, len(makes))
        memory, workload = makes[build]
        template = made[Make((lab * 7 + server * 5) % len(MODELS), memory, workload)]
        own = 1.0 if number < sampled else float(bias[lab] * random.normal(1, 0.0015))
        work = 1.0 if number < sampled else float(random.normal(1, 0.0015))
        slot = FIRST_SLOT + (in_lab * SLOTS * labs // max(results, 1) + lab * 7) % SLOTS
        yield *_rows(template, lab, in_lab, server, repeat + 1, slot, own, work), template


def _rows(
    template: Template, lab: int, number: int, server: int, repeat: int, slot: int, watts: float, work: float
) -> tuple[Row, Row]:
    result = template.result
    power, throughput = result["power"] * watts, result["throughput"] * work
    figures = {
        "power": power,
        "throughput": throughput,
        "efficiency": result["efficiency"] * (work / watts),
        "energy_j": result["energy_j"] * watts,
    }
    begin_s = slot * SLOT_S
    names = {
        "lab": f"Lab {lab + 1:04}",
        "run": f"f{lab + 1:04}-{number + 1:05}",
        "server": f"node-{server + 1:02}",
    }
    values: dict[str, object] = {
        **names,
        **{name: repr(value) for name, value in figures.items()},
        "repeat_field": f'"repeat":{repeat}',
        "slot": slot,
        "begin": datetime.fromtimestamp(begin_s, UTC).isoformat(timespec="microseconds"),
        "end": datetime.fromtimestamp(begin_s + WINDOW_S, UTC).isoformat(timespec="microseconds"),
    }
    stamps = {"created_ns": begin_s * S, "written_ns": (begin_s + 2 * WINDOW_S) * S}
    row = {
        **result,
        **names,
        **figures,
        **stamps,
        "repeat": repeat,
        "line": template.line.filled(values),
        "document": template.document.filled(values),
    }
    del names["server"]
    return row, {**template.run, **names, **stamps, "record": template.record.filled(values)}


def connect(url: str, database: str, kind: type[AConnection]) -> AConnection:
    """Connect to a server, or to the current engine with its data in a folder (chdb:FOLDER)."""
    if not url.startswith("chdb:"):
        return kind(ClickHouseSettings(url=url, database=database, timeout_s=600))
    client = clickhouse_connect.get_client(interface="chdb", path=url.removeprefix("chdb:"))
    return kind(ClickHouseSettings(url="http://chdb.in.process", database=database), client)


def store_fleet(connection: Connection, labs: int, results: int, sampled: int = 40) -> None:
    """Make the schema, and store a fleet in it."""
    make_schema(connection, cluster=None, ttl_days=None, software="generated", made_ns=time.time_ns())
    with tempfile.TemporaryDirectory() as folder:
        fill_fleet(connection, Path(folder), labs, results, sampled)


def fill_fleet(
    connection: Connection,
    folder: Path,
    labs: int,
    results: int,
    sampled: int = 0,
    memories: int = len(MEMORIES),
    workloads: int = len(WORKLOADS),
) -> None:
    """Store results in a schema that stands, of the first memory configurations and workloads."""
    made = templates(folder, memories, workloads)
    types = check_schema(connection)
    waiting: list[tuple[Row, Row, Template]] = []
    for number, rows in enumerate(fleet(made, labs, results, sampled)):
        if number < sampled:
            _store_samples(connection, types, *rows)
        waiting.append(rows)
        if len(waiting) == ROWS_PER_INSERT:
            _store(connection, types, waiting)
            waiting.clear()
    if waiting:
        _store(connection, types, waiting)


def _store(connection: Connection, types: Types, waiting: Sequence[tuple[Row, Row, Template]]) -> None:
    for table, rows in (
        ("result", [result for result, _, _ in waiting]),
        ("run", [run for _, run, _ in waiting]),
    ):
        columns = {name: [row[name] for row in rows] for name in types[table]}
        connection.insert(table, columns, list(types[table].values()))


def _store_samples(connection: Connection, types: Types, result: Row, run: Row, template: Template) -> None:
    taken = template.samples
    n = len(taken)
    moved = taken.t_ns + (int(run["created_ns"]) - TEMPLATE_SLOT * SLOT_S * S)
    columns: dict[str, Any] = {
        "lab": [run["lab"]] * n, "run": [run["run"]] * n, "server": [result["server"]] * n, "source": ["wall"] * n,
        "channel": ["power"] * n, "part": np.zeros(n, np.uint8), "t_ns": moved, "repeat": np.zeros(n, np.uint16),
        "value": taken.value, "quality": taken.quality, "u_t_s": taken.u_t_s,
    }  # fmt: skip
    connection.insert("sample", columns, [types["sample"][name] for name in columns])


def main() -> None:
    """Store a fleet, and say how long it took and how large it is."""
    parser = argparse.ArgumentParser(prog="python -m tests.generated_fleet")
    parser.add_argument("url")
    parser.add_argument("--labs", type=int, default=1000)
    parser.add_argument("--results", type=int, default=1_000_000)
    parser.add_argument("--sampled", type=int, default=40)
    parser.add_argument("--database", default="wattmark")
    options = parser.parse_args()
    begin = time.monotonic()
    connection = connect(options.url, options.database, Connection)
    store_fleet(connection, options.labs, options.results, options.sampled)
    sizes = connection.rows(
        "SELECT table, sum(rows), sum(bytes_on_disk) FROM system.parts WHERE database = %(database)s AND active "
        "GROUP BY table ORDER BY table",
        {"database": options.database},
    )
    for table, rows, size in sizes:
        sys.stdout.write(f"{table}: {rows:,} rows, {size / 1e6:,.1f} MB, {size / max(rows, 1):,.0f} bytes a row\n")
    sys.stdout.write(f"in {time.monotonic() - begin:.0f} s\n")
    connection.close()


if __name__ == "__main__":
    main()
