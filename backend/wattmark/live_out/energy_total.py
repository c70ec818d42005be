"""Energy of one meter since its first reading: integrated from its power, across gaps from its register. Pure."""

from __future__ import annotations

from wattmark_drivers.reading import Kind

JOULE_PER_WH = 3600.0


class EnergyTotal:
    """Count energy [J] that only grows. What was not measured is not filled in.

    A register alone would move in steps, often of a watt-hour: too coarse for the mean power of a minute.
    """

    __slots__ = ("_count_wh", "_t_ns", "_watts", "energy_j")

    def __init__(self) -> None:
        self.energy_j = 0.0
        self.begin_again()

    def begin_again(self) -> None:
        """Keep the count, and take the next reading as a first one: it comes from another device."""
        self._count_wh: float | None = None
        self._t_ns: int | None = None
        self._watts: float | None = None

    def add(
        self,
        watts: float | None,
        t_ns: int,
        kind: Kind,
        longest_s: float,
        count_wh: float | None = None,
        wraps_at: float | None = None,
    ) -> None:
        """Add a reading of power [W] with its stamp [UTC ns]; None is one that must not be used.

        An averaged reading stands for the time since the reading before, two instantaneous ones for the time between
        them. Times longer than ``longest_s`` are gaps. Power given back (below 0 W) does not lower the count.
        ``count_wh`` is the meter's register, read together with the power, and begins again at 0 at ``wraps_at``.
        """
        counted_j = self._counted_j(count_wh, wraps_at)
        integrated_j = self._integrated_j(watts, t_ns, kind, longest_s)
        self.energy_j += max(counted_j if integrated_j is None else integrated_j, 0.0)

    def _integrated_j(self, watts: float | None, t_ns: int, kind: Kind, longest_s: float) -> float | None:
        """Integrate power since the reading before [J]; None where it is not known."""
        before_ns, before_w = self._t_ns, self._watts
        self._t_ns, self._watts = t_ns, watts
        if before_ns is None or watts is None:
            return None
        elapsed_s = (t_ns - before_ns) * 1e-9
        if not 0.0 < elapsed_s <= longest_s:
            return None
        if kind is Kind.AVERAGED:
            return watts * elapsed_s
        return None if before_w is None else (before_w + watts) / 2.0 * elapsed_s

    def _counted_j(self, count_wh: float | None, wraps_at: float | None) -> float:
        """Compute what the register counted since the reading before [J]; 0 where it was not read with both.

        A step back that is no roll-over is a reset: how much was counted around it is not known.
        """
        before_wh, self._count_wh = self._count_wh, count_wh
        if count_wh is None or before_wh is None:
            return 0.0
        step_wh = count_wh - before_wh
        if step_wh < 0.0 and wraps_at is not None and step_wh + wraps_at < wraps_at / 2.0:
            step_wh += wraps_at
        return step_wh * JOULE_PER_WH
