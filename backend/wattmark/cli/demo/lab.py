"""What the demo simulates: one server with two power supplies, and the devices that measure it."""

from __future__ import annotations

from typing import Any

SERVER = "fbserver"
WALL = "outlet"
"""The device whose power counts; the other meters are secondary meters of the same feed."""


def spec(seed: int) -> dict[str, Any]:
    """Describe the simulated lab; the seed draws each meter's error inside its class, and its noise."""
    return {
        "seed": seed,
        "servers": {
            SERVER: {
                "idle_w": 55.0,
                "dynamic_w": 62.0,
                "dimm_w": 5.5,
                "dimms": 2,
                "dimm_counts": (2, 4, 8),
                "psu": {"rated_w": 450.0, "powered": 2},
            }
        },
        "devices": {
            WALL: {"model": "wattsup.pro", "measures": [SERVER]},
            "rack-pdu": {"model": "eastron.sdm630", "measures": [f"{SERVER}/psu1", f"{SERVER}/psu2"]},
            "outlet-meter": {"model": "eastron.sdm120", "measures": [SERVER]},
            "bmc": {"model": "ipmi.bmc", "measures": [SERVER]},
        },
    }
