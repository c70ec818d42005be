from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from wattmark.core.quantity import Quantity
from wattmark.reports.sources import Sources
from wattmark.results.data_folder import Storage, open_storage
from wattmark.results.result import BudgetedQuantity, Result
from wattmark.runs.record import RunStatus

from tests.marked_lab import store_marked_lab


@pytest.fixture(scope="package")
def storage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Storage]:
    """Open the laboratory in which everything that needs a mark or a reason occurs."""
    folder = tmp_path_factory.mktemp("marked")
    store_marked_lab(folder)
    opened = open_storage(folder)
    yield opened
    opened.close()


@pytest.fixture(scope="package")
def sources(storage: Storage) -> Sources:
    return Sources.of(storage)


@pytest.fixture
def make_result() -> Callable[..., Result]:
    """Build a result; fields default to those of the published R7525 run."""

    def make(**changes: Any) -> Result:
        fields: dict[str, Any] = {
            "run_id": "mlperf-1",
            "server": "R7525",
            "configuration": "as submitted",
            "workload": "mlperf.resnet50",
            "level": "Offline",
            "repeat": 1,
            "status": RunStatus.COMPLETE,
            "created": "2021-03-19T02:29:31.830000Z",
            "unit": "samples",
            "throughput": BudgetedQuantity(value=93371.4, unit="samples/s"),
            "power": BudgetedQuantity(value=1101.2828341013824, unit="W", u=1.5, k95=3.01 / 1.5),
            "efficiency": BudgetedQuantity(value=84.78421434, unit="samples/J", u=0.1155, k95=0.2317 / 0.1155),
            "energy_per_op": Quantity(value=0.011794648, unit="J/samples"),
            "window_begin": "2021-03-19T02:29:31.830000Z",
            "window_end": "2021-03-19T02:43:59.847000Z",
            "window_s": 868.017,
            "window_rule": "mlperf",
            "samples": 868,
            "steady": True,
            "meter": "YokogawaWT210",
            "simulated": False,
            "traceable": True,
            "source": "measured",
        }
        return Result(**(fields | changes))

    return make
