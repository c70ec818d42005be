"""Competition ranking of printed figures: equal figures share a rank and the next rank is skipped (1, 2, 2, 4)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from wattmark.analysis.comparison.measured import require_positive
from wattmark.analysis.comparison.rounding import round_half_away
from wattmark.analysis.refusal import Refused


@dataclass(frozen=True, slots=True)
class Ranked:
    """One entry of a list: its figure, its rank and how many share that rank."""

    key: str
    value: float
    rank: int
    sharing: int

    @property
    def tied(self) -> bool:
        """Return whether others have the same figure."""
        return self.sharing > 1


def competition_ranks(
    values: Mapping[str, float], *, decimals: int | None = None, lower_is_better: bool = False
) -> tuple[Ranked, ...]:
    """Rank figures, best first, entries of one rank in their given order; ``decimals``: ties as printed.

    This orders numbers; whether their difference is real is for `ranking.rank_interval` to say. Raises `Refused`.
    """
    if not values:
        raise Refused("empty", "There is nothing to rank.")
    require_positive(list(values.values()), "Figures to rank")
    shown = {k: v if decimals is None else round_half_away(v, decimals) for k, v in values.items()}
    order = sorted(shown, key=lambda key: shown[key] if lower_is_better else -shown[key])
    numbers = list(shown.values())
    return tuple(
        Ranked(
            key,
            shown[key],
            1 + sum(other < shown[key] if lower_is_better else other > shown[key] for other in numbers),
            numbers.count(shown[key]),
        )
        for key in order
    )


def same_run(stated: float, throughput: float, power: float, decimals: int) -> bool:
    """Return whether a stated figure is throughput/power of the same row, rounded as printed (half away from zero).

    False: the two are of different runs (Green500 JEDI: 8.7 % off); they must not be shown as one.
    """
    rate, watts, figure = require_positive([throughput, power, stated], "Throughput, power and stated figure")
    return round_half_away(float(rate / watts), decimals) == round_half_away(float(figure), decimals)
