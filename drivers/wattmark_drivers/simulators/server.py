"""One simulated server while time passes: its DIMMs, its load, its heat, and what its supplies draw."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from wattmark_drivers.errors import ConfigurationError
from wattmark_drivers.simulators.mains import MainsPhase, power_factor
from wattmark_drivers.simulators.spec import Feed, ServerSpec
from wattmark_drivers.simulators.thermal import ThermalState
from wattmark_drivers.speakers.indication import Inside

PROCESSOR_IDLE_SHARE = 0.2
"""Part of the idle server's power that its processor draws."""
GPU_SHARE = 0.4
"""Part of the server's DC power that its GPU draws."""
RAIL_SHARES = (0.1, 0.2)
"""Parts of the server's DC power on the 12 V of the slots and on those of the ATX connectors."""


class SimulatedServer:
    """The one truth that all devices of a server draw from."""

    def __init__(self, spec: ServerSpec) -> None:
        self.spec = spec
        self.model = spec.model()
        self.mains = spec.mains()
        self.thermal = ThermalState(spec.thermal())
        self.dimms = spec.dimms
        self.utilisation = 0.0
        self.energy_j = 0.0

    def step(self, utilisation: float, dt_s: float) -> None:
        """Simulate ``dt_s`` [s] at a CPU utilisation [0..1]."""
        self.utilisation = utilisation
        self.thermal.step(utilisation, dt_s)
        self.energy_j += self.wall_power_w * dt_s

    def populate(self, dimms: int) -> None:
        """Replace the memory population by a number of DIMMs. Raises `ConfigurationError` beyond the slots."""
        if not 0 <= dimms <= self.spec.dimm_slots:
            raise ConfigurationError(
                f"The server has {self.spec.dimm_slots} DIMM slots, not {dimms}.",
                f"Choose 0 to {self.spec.dimm_slots} DIMMs.",
            )
        self.dimms = dimms

    @property
    def wall_power_w(self) -> float:
        """Return the true power at the wall [W] now."""
        return sum(self.psu_power_w())

    def psu_power_w(self) -> tuple[float, ...]:
        """Return the true AC input power of each powered supply [W] now."""
        return self.model.psu_input_power_w(self.utilisation, self.dimms)

    def inside(self) -> Inside:
        """Compute what sensors inside the server see now."""
        bare_w = self.model.dc_power_w(self.utilisation, 0)
        return Inside(
            inlet_c=self.thermal.model.inlet_c,
            cpu_c=self.thermal.cpu_c,
            fan_rpm=self.thermal.fan_rpm,
            load=self.utilisation,
            package_w=bare_w - (1 - PROCESSOR_IDLE_SHARE) * self.model.idle_w,
            memory_w=self.model.dc_power_w(self.utilisation, self.dimms) - bare_w,
            gpu_w=GPU_SHARE * bare_w,
            rails_w=(RAIL_SHARES[0] * bare_w, RAIL_SHARES[1] * bare_w),
        )

    def loads(self, psu: int | None) -> list[tuple[float, float]]:
        """Return (active power [W], power factor) of one supply, counted from 1, or of all."""
        power_w = self.psu_power_w()
        wanted = power_w if psu is None else power_w[psu - 1 : psu]
        return [(power, power_factor(power / self.spec.psu.rated_w)) for power in wanted]


def phases(servers: Mapping[str, SimulatedServer], feeds: Iterable[Feed], *, separate: bool) -> list[MainsPhase]:
    """Compute the present phases: one per feed, or all feeds together on one phase.

    The mains are those of the first server on a phase.
    """
    rows = [(servers[feed.server], servers[feed.server].loads(feed.psu)) for feed in feeds]
    if separate:
        return [server.mains.phase(loads) for server, loads in rows]
    return [rows[0][0].mains.phase(load for _, loads in rows for load in loads)]
