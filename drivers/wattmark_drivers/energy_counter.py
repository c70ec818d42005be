"""Follow an energy counter that wraps, is reset or does not move, and derive the mean power between two reads."""

from __future__ import annotations

from dataclasses import dataclass

MICROJOULE_PER_WH = 3_600_000_000
ENOUGH_HEADROOM = 0.5


@dataclass(frozen=True, slots=True)
class EnergyStep:
    """Result of one read of a counter.

    ``total_uj`` is the running total with the wraps added; it falls back to 0 where energy was lost from sight.
    ``mean_w`` is the mean power since an earlier read; None where there is none or too little time passed.
    ``stalled`` means that the counter did not move for longer than it may.
    """

    total_uj: int
    mean_w: float | None = None
    stalled: bool = False


class EnergyCounter:
    """One counter [µJ] that begins again at 0 after ``modulus_uj`` (None: never).

    A step back is a wrap when it means no more than ``largest_power_w``, else a reset. When so much time passed that
    more than one wrap is possible at that power, the energy is unknown, and the total shows this by falling to 0.
    """

    def __init__(self, *, modulus_uj: int | None, largest_power_w: float, shortest_s: float) -> None:
        self._modulus_uj = modulus_uj
        self._largest_power_w = largest_power_w
        self._shortest_ns = int(shortest_s * 1e9)
        self._raw_uj: int | None = None
        self._read_ns = 0
        self._total_uj = 0
        self._base_uj = 0
        self._base_ns = 0

    def add(self, raw_uj: int, t_ns: int) -> EnergyStep:
        """Add a reading of the counter at a monotonic time [ns]."""
        moved_uj = self._moved(raw_uj, t_ns)
        if moved_uj is None:
            first = self._raw_uj is None
            self._raw_uj, self._read_ns = raw_uj, t_ns
            # Falling to 0 marks a loss: analysis refuses a register that runs backwards.
            self._total_uj = raw_uj if first else 0
            self._base_uj, self._base_ns = self._total_uj, t_ns
            return EnergyStep(self._total_uj)
        self._raw_uj, self._read_ns = raw_uj, max(self._read_ns, t_ns)
        self._total_uj += moved_uj
        return self._step(t_ns)

    def _moved(self, raw_uj: int, t_ns: int) -> int | None:
        """Return the energy since the previous reading [µJ]; None where it is not known."""
        if self._raw_uj is None:
            return None
        most_uj = self._largest_power_w * max(t_ns - self._read_ns, 0) / 1e3
        # So long a gap may hide a second wrap, so it is not bridged.
        if self._modulus_uj is not None and most_uj >= ENOUGH_HEADROOM * self._modulus_uj:
            return None
        moved_uj = raw_uj - self._raw_uj
        if moved_uj < 0:
            if self._modulus_uj is None:
                return None
            moved_uj += self._modulus_uj
        return moved_uj if 0 <= moved_uj <= max(most_uj, self._largest_power_w * self._shortest_ns / 1e3) else None

    def _step(self, t_ns: int) -> EnergyStep:
        elapsed_ns = t_ns - self._base_ns
        if elapsed_ns < self._shortest_ns or elapsed_ns <= 0:
            return EnergyStep(self._total_uj)
        moved_uj = self._total_uj - self._base_uj
        self._base_uj, self._base_ns = self._total_uj, t_ns
        return EnergyStep(self._total_uj, moved_uj * 1e3 / elapsed_ns, stalled=moved_uj == 0)
