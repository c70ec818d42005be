"""Claims of articles about watts, compared with the figures that they print."""

from __future__ import annotations

from wattmark.comparison.published.article import Article
from wattmark.comparison.published.break_even import break_even
from wattmark.comparison.published.recompute import recompute
from wattmark.comparison.published.rounding import half_width

Row = list[str | float | None]
COLUMNS = ("Claim", "Printed", "Recomputed", "Lowest", "Highest", "Unit", "Status", "Why")
AMB_W, OPTERON_TDP_W, XEON_TDP_W = 5.0, (89.0, 92.0), (65.0, 80.0)
"""AMB, Opteron and Xeon watts as the article of 2006 states them (65 W claimed, 80 W the part tested)."""
_EIGHT, _FOUR_TIMES = 8.0, 4.0


def power_claims(article: Article) -> list[Row]:
    """Check an article's claims about power; only the article that measured power makes any."""
    return [_eight_modules(), _four_times(article)]


def _eight_modules() -> Row:
    """Check the claim that eight FB-DIMMs use up the advantage of the cooler CPUs (two CPUs, 65 W each)."""
    modules = [break_even(2, warm_w, XEON_TDP_W[0], AMB_W).modules for warm_w in OPTERON_TDP_W]
    low, high = min(modules), max(modules)
    status = "exact" if low <= _EIGHT <= high else "inconsistent"
    why = f"{AMB_W:g} W per AMB against {OPTERON_TDP_W[0]:g} to {OPTERON_TDP_W[1]:g} W and {XEON_TDP_W[0]:g} W per CPU."
    return ["FB-DIMMs at which the advantage ends", _EIGHT, (low + high) / 2, low, high, "modules", status, why]


def _four_times(article: Article) -> Row:
    """Check the claim that the old Xeon takes about four times the power of the T1."""
    watts = {row.id: article.value(row.at) for row in article.power.rows} if article.power else {}
    inputs = {"num": watts["irwindale"], "den": watts["t2000"]}
    recomputed = recompute("ratio", inputs, {name: half_width(value) for name, value in inputs.items()}, _FOUR_TIMES, 0)
    why = "At the wall; the claim mixes the power of the CPU with that of the system."
    values = [recomputed.value, recomputed.low, recomputed.high]
    return ["Power of the old Xeon against the T1", _FOUR_TIMES, *values, "1", recomputed.status, why]
