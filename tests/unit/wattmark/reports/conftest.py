from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from wattmark.runs.record import RunStatus
from wattmark.runs.result import Result


@pytest.fixture
def make_result() -> Callable[..., Result]:
    """Make a result; what is not given is that of the published R7525 run."""

    def make(**changes: Any) -> Result:
        told: dict[str, Any] = {
            "run_id": "mlperf-1",
            "server": "R7525",
            "configuration": "as submitted",
            "workload": "mlperf.resnet50",
            "level": "Offline",
            "repeat": 1,
            "status": RunStatus.COMPLETE,
            "created": "2021-03-19T02:29:31.830000Z",
            "throughput": 93371.4,
            "throughput_unit": "samples/s",
            "power_w": 1101.2828341013824,
            "power_u_w": 1.5,
            "power_U95_w": 3.01,
            "efficiency": 84.78421434,
            "efficiency_u": 0.1155,
            "efficiency_U95": 0.2317,
            "efficiency_unit": "samples/J",
            "energy_per_op_j": 0.011794648,
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
        return Result(**(told | changes))

    return make
