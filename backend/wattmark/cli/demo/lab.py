"""What the demo simulates: two servers with two power supplies each, and the devices that measure them."""

from __future__ import annotations

from typing import Any

SERVER = "fbserver"
"""Draws little without modules, and much with each."""
OTHER = "rdimmserver"
"""Draws more without modules, and little with each, so that its advantage begins at some DIMM count."""
WALLS = ("outlet", "outlet-2")
SUPPLIES = ("psu1", "psu2")
"""The supplies of each server, both behind the outlet."""
"""The devices whose power counts; the other meters are secondary meters of the same feed."""


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
            },
            OTHER: {
                "idle_w": 68.0,
                "dynamic_w": 62.0,
                "dimm_w": 2.5,
                "dimms": 2,
                "dimm_counts": (2, 8),
                "psu": {"rated_w": 450.0, "powered": 2},
            },
        },
        "devices": {
            "outlet": {"model": "wattsup.pro", "measures": [SERVER]},
            "rack-pdu": {"model": "eastron.sdm630", "measures": [f"{SERVER}/psu1", f"{SERVER}/psu2"]},
            "outlet-meter": {"model": "eastron.sdm120", "measures": [SERVER]},
            "bmc": {"model": "ipmi.bmc", "measures": [SERVER]},
            "outlet-2": {"model": "wattsup.pro", "measures": [OTHER]},
        },
    }
