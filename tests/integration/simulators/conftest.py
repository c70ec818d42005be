from collections.abc import Iterator
from typing import Any

import pytest
from wattmark_drivers.simulators.simulated_lab import SimulatedLab

SPEC: dict[str, Any] = {
    "seed": 7,
    "servers": {
        "sut": {"idle_w": 180, "dynamic_w": 160, "dimms": 4},
        # These two do not feel the load of the machine, so that readings can be compared at leisure.
        "steady": {"idle_w": 300, "dynamic_w": 0, "dimm_load_share": 0, "dimms": 4, "psu": {"shares": [0.6, 0.4]}},
        "heater": {"idle_w": 3000, "dynamic_w": 0, "dimms": 0, "psu": {"rated_w": 2000}},
    },
    "devices": {
        "loaded": {"model": "eastron.sdm120", "measures": ["sut"]},
        "wall": {"model": "eastron.sdm120", "measures": ["steady"]},
        "heat": {"model": "eastron.sdm120", "measures": ["heater"]},
        "phases": {"model": "eastron.sdm630", "measures": ["steady/psu1", "steady/psu2"]},
        "plug": {"model": "wattsup.pro", "measures": ["steady/psu1"]},
        "bmc": {"model": "ipmi.bmc", "measures": ["steady"]},
    },
}


@pytest.fixture(scope="session")
def lab() -> Iterator[SimulatedLab]:
    with SimulatedLab(SPEC) as running:
        yield running
