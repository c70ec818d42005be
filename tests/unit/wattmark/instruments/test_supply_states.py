"""Power supplies as the BMCs of a server state them; one that does not answer costs nothing but its states."""

from __future__ import annotations

from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any, cast

import pytest
from wattmark.bench.bench import Bench
from wattmark.instruments.instruments import supply_states
from wattmark.recording.monitor import MonitoredMeter
from wattmark_drivers.errors import ConnectionFailed


class StatesSupplies:
    def __init__(self, name: str, states: Mapping[str, str] | None) -> None:
        self.identity = SimpleNamespace(name=name)
        self._states = states

    async def supplies(self) -> Mapping[str, str]:
        if self._states is None:
            raise ConnectionFailed("Meter bmc-2 is not open.")
        return self._states


class StatesNothing:
    identity = SimpleNamespace(name="wall")


@pytest.mark.parametrize(
    ("meters", "expected"),
    [
        (
            [StatesSupplies("bmc", {"PS1": "Enabled, OK"}), StatesSupplies("other", {"PS9": "Absent"})],
            {"PS1": "Enabled, OK"},
        ),
        ([StatesSupplies("bmc", {"PS1": "Enabled, OK"}), StatesSupplies("bmc-2", None)], {"PS1": "Enabled, OK"}),
        ([StatesNothing()], {}),
    ],
    ids=["of another server", "does not answer", "no BMC"],
)
async def test_the_bmcs_of_a_server_are_asked(meters: list[Any], expected: dict[str, str]) -> None:
    bmcs = [SimpleNamespace(id="bmc"), SimpleNamespace(id="bmc-2")]
    bench = cast("Bench", SimpleNamespace(bmcs_of=lambda server: bmcs if server == "s1" else []))
    monitored = cast("list[MonitoredMeter]", [SimpleNamespace(meter=meter) for meter in meters])
    assert await supply_states(bench, monitored, "s1") == expected
    assert await supply_states(bench, monitored, "s2") == {}
