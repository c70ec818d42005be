"""`wattmark table break-even`: two servers with different memory, planted watts, every format."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import numpy as np
import pytest
from wattmark.results.data_folder import Storage, open_storage
from wattmark.runs.record import MeterRecord

from tests.integration.command import Command
from tests.stored_run import make_run, store_readings

SECONDS = 90
METER = MeterRecord(name="outlet", model="wattsup.pro", title="Watts Up? PRO", reading_pct=1.5, fixed_w=0.3)
PLANTED = {"fb": (240.0, 7.0, "FB-DIMM"), "reg": (290.0, 2.0, "RDIMM")}
"""Server: watts without DIMMs, watts per DIMM, what its slots hold. They cross at 50/5 = 10 DIMMs."""
ASK = ["table", "break-even", "--server", "reg", "--against", "fb"]


def store_run(storage: Storage, server: str, dimms: int, repeat: int) -> None:
    base_w, per_dimm_w, kind = PLANTED[server]
    slots = [{"slot": f"A{k}", "channel": "AB"[k % 2], "type": kind, "capacity_gib": 1.0} for k in range(dimms)]
    run = make_run(
        f"{server}-{dimms}-{repeat}", window_s=SECONDS, server=server, configuration=f"{kind}-{dimms}", workload="rsa",
        repeat=repeat, stated_throughput=8000.0, meters=(METER,),
        configuration_snapshot={"dimm_count": dimms, "memory_gib": float(dimms), "modules": slots},
    )  # fmt: skip
    storage.runs.put(run)
    rng = np.random.default_rng([dimms, repeat, len(server)])
    t_s = np.arange(-10, SECONDS + 11)
    store_readings(storage, run, t_s, base_w + per_dimm_w * dimms + rng.normal(0, 0.2, len(t_s)))


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("data")
    storage = open_storage(folder)
    for server in PLANTED:
        for dimms in (4, 8, 16):
            for repeat in (1, 2):
                store_run(storage, server, dimms, repeat)
    storage.close()
    return str(folder)


@pytest.fixture
def written(data: str, tmp_path: Path, wattmark: Command):
    """Run the command inside this process and give the file that it wrote."""

    def run(format_: str) -> bytes:
        file = tmp_path / "file"
        code, _, err = wattmark(*ASK, "--data", data, "--format", format_, "-o", file)
        assert code == 0, err
        return file.read_bytes()

    return run


def test_break_even_and_difference_of_types_as_numbers(written) -> None:
    text = written("csv").decode()
    rows = list(csv.DictReader(io.StringIO(text, newline="")))
    slopes = {row["server"]: row for row in rows if row["quantity"] == "Watts per DIMM at the wall"}
    assert {server: row["part"] for server, row in slopes.items()} == {"fb": "FB-DIMM", "reg": "RDIMM"}
    by_name = {row["quantity"]: row for row in rows}
    expected = [(slopes["fb"], 7), (slopes["reg"], 2), (by_name["Difference of watts per DIMM"], 5)]
    for row, planted in (*expected, (by_name["Break-even"], 10)):
        assert float(row["low"]) < planted < float(row["high"])
    assert by_name["Difference of watts per DIMM"]["part"] == "FB-DIMM less RDIMM"
    assert [row["unit"] for row in rows] == ["W", "W", "W", "W", "W", "DIMMs", "DIMMs"]
    assert by_name["Watts without DIMMs"]["marks"] == "extrapolated, not measured"
    assert by_name["Break-even"]["marks"] == ""


@pytest.mark.parametrize("format_", ["table", "json", "csv", "md", "tex", "html", "xlsx", "parquet"])
def test_every_format_is_the_same_twice(written, format_: str) -> None:
    first = written(format_)
    assert len(first) > 500
    assert written(format_) == first
