"""Names of meters in Parquet files: bounded, and never cut so that two become one."""

from __future__ import annotations

from pathlib import Path

import arro3.core as arrow
import arro3.io as pq
import numpy as np
import pytest
from wattmark.core.errors import InputError
from wattmark.importers.eehpc.counters import read_counters


def write_named(path: Path, names: list[str]) -> None:
    """Write two readings of each meter."""
    listed = [name for name in names for _ in range(2)]
    columns = {
        "time": arrow.Array(
            ["2024-09-27T11:18:15+02:00", "2024-09-27T11:22:25+02:00"] * len(names), arrow.DataType.utf8()
        ),
        "node": arrow.Array(listed, arrow.DataType.utf8()),
        "energy": arrow.Array.from_numpy(np.arange(len(listed), dtype=np.float64)),
    }
    schema = arrow.Schema([arrow.Field(name, array.type) for name, array in columns.items()])
    pq.write_parquet(arrow.Table.from_arrays(list(columns.values()), schema=schema), str(path))


@pytest.mark.parametrize(
    ("names", "why"),
    [
        (["m" * 1_000_000], "its texts are longer than 100 characters"),
        (["a", "b", "m" * 101], "the name of a meter is longer than 100 characters"),
    ],
)
def test_names_without_end_are_refused(tmp_path: Path, names: list[str], why: str) -> None:
    write_named(tmp_path / "pdus.parquet", names)
    with pytest.raises(InputError, match=why):
        read_counters(tmp_path / "pdus.parquet")


def test_meters_whose_names_begin_alike_are_meters_of_their_own(tmp_path: Path) -> None:
    names = [f"{'node-' * 10}{number}" for number in range(3)]
    write_named(tmp_path / "pdus.parquet", names)
    counters = read_counters(tmp_path / "pdus.parquet")
    assert [counter.name for counter in counters] == [f"pdus {name}" for name in names]
    assert [counter.energy_wh.tolist() for counter in counters] == [[0, 1], [2, 3], [4, 5]]
