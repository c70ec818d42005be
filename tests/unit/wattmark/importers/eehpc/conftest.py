"""HPL with energy counters: RWTH's Green500 submission of CLAIX-2023 (GPU part), as EEHPCWG published it as an example.

Source: EEHPCWG/PowerMeasurementMethodology ff1d705, data/example-rwth-claix-2023/gpu: hpl.log (5.238e+06 Gflops, core
phase 11:18:11 to 11:22:27 local time), summary.txt (33.804 GFLOPS/W), and the readings of the sixteen counters of
pdus.parquet at 11:18:15 and 11:22:25, the first and the last inside the core phase. Its summary doubles the counters of
racks 443 and 444, whose second feeds were broken; the counters themselves do not.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from types import MappingProxyType
from zoneinfo import ZoneInfo

import arro3.core as arrow
import arro3.io as pq
import numpy as np
import pytest

READINGS_WH = {
    (100, 1): (33638877.0, 33639239.0),
    (100, 2): (33755513.0, 33755875.0),
    (100, 3): (14781230.0, 14781474.0),
    (145, 1): (28960452.0, 28960816.0),
    (145, 2): (27463058.0, 27463415.0),
    (200, 1): (16068880.0, 16069052.0),
    (200, 2): (15677924.0, 15678083.0),
    (200, 3): (19616250.0, 19616551.0),
    (245, 1): (58533527.0, 58534851.0),
    (245, 2): (61069555.0, 61071027.0),
    (246, 1): (46652971.0, 46654368.0),
    (246, 2): (50714620.0, 50716025.0),
    (247, 1): (67024121.0, 67025549.0),
    (247, 2): (73724230.0, 73725643.0),
    (443, 2): (150786.2, 150786.4),
    (444, 1): (23731.2, 23731.3),
}
GFLOPS, PUBLISHED = 5.238e6, 33.804
FIRST = datetime(2024, 9, 27, 11, 18, 15, tzinfo=ZoneInfo("Europe/Berlin"))
SPAN_S, STEP_S = 250, 5
RULE = "=" * 80
HPL = f"""\
{RULE}
HPLinpack 2.1  --  High-Performance Linpack benchmark  --   October 26, 2012
{RULE}
N        : 1262592
a banner of a container
\x1b[0;31m Prog= 99.15%\tN_left=   258048\tTime= 237.12\x1b[0m
{RULE}
T/V                N    NB     P     Q         Time          Gflops (   per GPU)
--------------------------------------------------------------------------------
WC0          1262592  1024    12    12       256.20       5.238e+06 ( 3.637e+04)

HPL_pdgesv() start time Fri Sep 27 11:18:11 2024
HPL_pdgesv() end time   Fri Sep 27 11:22:27 2024

||Ax-b||_oo/(eps*(||A||_oo*||x||_oo+||b||_oo)*N)=   0.000227490443 ...... PASSED
"""
SUMMARY = """\
using data from 36 nodes in the following 8 racks: [100, 145, 200, 245, 246, 247, 443, 444]
Job with SLURM ID 49525701:
- Start: 1727428575 = 2024-09-27 11:16:15+02:00
- End: 1727428949 = 2024-09-27 11:22:29+02:00
- Runtime: 374 s
Core:
- Start: 1727428691 = 2024-09-27 11:18:11+02:00
- End: 1727428947 = 2024-09-27 11:22:27+02:00
  - Runtime pdus: 250.000 s
- Average Power: 154952.640 W
Top500: Rmax / Rpeak = 5238.000 TFLOPS / 9634.775 TFLOPS = 54.366%
Green500: Rmax / Core Average Power = 5238.000 TFLOPS / 154.953 kW = 33.804 GFLOPS/Watt
"""


def write_counters(
    path: Path,
    doubled: bool = False,
    column: str = "energy",
    unit: float = 1.0,
    without: tuple[int, int] | None = None,
    readings: Mapping[tuple[int, int], tuple[float, float]] = READINGS_WH,
    stops: Mapping[tuple[int, int], int] = MappingProxyType({}),
) -> None:
    """Write readings every 5 s, on a straight line through the two that are published and beyond both.

    ``stops``: second at which a counter stops.
    """
    seconds = range(-120, SPAN_S + 15, STEP_S)
    times, racks, numbers, energies = [], [], [], []
    for (rack, number), (first, last) in readings.items():
        if (rack, number) == without:
            continue
        for second in seconds:
            stamp = datetime.fromtimestamp(FIRST.timestamp() + second, FIRST.tzinfo)
            times.append(stamp.strftime("%Y-%m-%dT%H:%M:%S.000000000%z"))
            racks.append(rack)
            numbers.append(number)
            part = (last - first) * min(second, stops.get((rack, number), second)) / SPAN_S
            energies.append((first + part * (2 if doubled and rack >= 443 else 1)) * unit)
    columns = {
        "time": arrow.Array(times, arrow.DataType.large_utf8()),
        "rack": arrow.Array.from_numpy(np.array(racks, dtype=np.int64)),
        "num": arrow.Array.from_numpy(np.array(numbers, dtype=np.int64)),
        column: arrow.Array.from_numpy(np.array(energies)),
    }
    schema = arrow.Schema([arrow.Field(name, array.type) for name, array in columns.items()])
    pq.write_parquet(arrow.Table.from_arrays(list(columns.values()), schema=schema), str(path))


def write_example(root: Path) -> Path:
    """Write the published example, and return its folder."""
    path = root / "claix-2023" / "gpu"
    path.mkdir(parents=True)
    (path / "hpl.log").write_text(HPL)
    (path / "summary.txt").write_text(SUMMARY)
    write_counters(path / "pdus.parquet")
    return path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_example(tmp_path)
