"""Maker and product of a server, by the texts that Linux shows in /sys/class/dmi/id."""

from __future__ import annotations

import pytest
from wattmark.campaigns.server_facts import model_name


@pytest.mark.parametrize(
    ("maker", "product", "name"),
    [
        ("HP", "ProLiant DL360 G5", "HP ProLiant DL360 G5"),
        ("Dell Inc.", "PowerEdge R640", "Dell Inc. PowerEdge R640"),
        ("HPE", "HPE ProLiant DL380 Gen10", "HPE ProLiant DL380 Gen10"),
        (None, "S5000PAL", "S5000PAL"),
        ("To Be Filled By O.E.M.", "To Be Filled By O.E.M.", None),
        ("System manufacturer", "System Product Name", None),
        ("Supermicro", "Default string", None),
        ("Intel", "Not Specified", None),
        ("Intel", None, None),
        (None, None, None),
    ],
)
def test_what_firmware_does_not_state_is_no_model(maker: str | None, product: str | None, name: str | None) -> None:
    assert model_name(maker, product) == name
