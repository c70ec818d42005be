"""Energy of one meter since its first reading: integrated from its power, across gaps from its register. Pure."""

from __future__ import annotations

from wattmark_drivers.reading import Kind

JOULE_PER_WH = 3600.0
MOST_TIMES_PEAK = 10.0
"""A register that counted more than this many times the highest power shown so far is that of another device, which may
have no serial number, or was set: what it counted is not known."""


class EnergyTotal:
    """Count energy [J] that only grows. What was not measured is not filled in.

    A register alone would move in steps, often of a watt-hour: too coarse for the mean power of a minute.
    """

    __slots__ = ("_count_wh", "_peak_w", "_t_ns", "_watts", "energy_j")

    def __init__(self) -> None:
        self.energy_j = 0.0
        self.begin_again()

    def begin_again(self) -> None:
        """Keep the count, and take the next reading as a first one: it comes from another device."""
        self._count_wh: float | None = None
        self._t_ns: int | None = None
        self._watts: float | None = None
        self._peak_w = 0.0

    def add(
        self,
        watts: float | None,
        t_ns: int,
        kind: Kind,
        longest_s: float,
        count_wh: float | None = None,
        wraps_at: float | None = None,
    ) -> None:
        """Add a reading of power [W] with its stamp [monotonic ns]; None is one that must not be used.

        An averaged reading stands for the time since the reading before, two instantaneous ones for the time between
        them. Times longer than ``longest_s`` are gaps. Power given back (below 0 W) does not lower the count.
        ``count_wh`` is the meter's register, read together with the power, and begins again at 0 at ``wraps_at``.
        """
        elapsed_s = 0.0 if self._t_ns is None else (t_ns - self._t_ns) * 1e-9
        self._peak_w = max(self._peak_w, watts or 0.0)
        counted_j = self._counted_j(count_wh, wraps_at, elapsed_s)
        integrated_j = self._integrated_j(watts, kind, elapsed_s, longest_s)
        self._t_ns, self._watts = t_ns, watts
        self.energy_j += max(counted_j if integrated_j is None else integrated_j, 0.0)

    def _integrated_j(self, watts: float | None, kind: Kind, elapsed_s: float, longest_s: float) -> float | None:
        """Integrate power since the reading before [J]; None where it is not known."""
        if watts is None or not 0.0 < elapsed_s <= longest_s:
            return None
        if kind is Kind.AVERAGED:
            return watts * elapsed_s
        return None if self._watts is None else (self._watts + watts) / 2.0 * elapsed_s

    def _counted_j(self, count_wh: float | None, wraps_at: float | None, elapsed_s: float) -> float:
        """Compute what the register counted since the reading before [J]; 0 where that is not known.

        A step back that is no roll-over is a reset: how much was counted around it is not known.
        """
        before_wh, self._count_wh = self._count_wh, count_wh
        if count_wh is None or before_wh is None:
            return 0.0
        step_wh = count_wh - before_wh
        if step_wh < 0.0 and wraps_at is not None and step_wh + wraps_at < wraps_at / 2.0:
            step_wh += wraps_at
        counted_j = step_wh * JOULE_PER_WH
        return counted_j if counted_j <= MOST_TIMES_PEAK * self._peak_w * elapsed_s else 0.0
