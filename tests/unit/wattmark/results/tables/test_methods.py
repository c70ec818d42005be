"""The sheet on methods and the guide state the values that the analysis uses."""

import math
from pathlib import Path

import pytest
from wattmark.analysis.comparison.comparison import FEWEST_TO_TEST, SMALLEST_DIFFERENCE
from wattmark.analysis.comparison.ranking import SIGNIFICANCE
from wattmark.analysis.efficiency.efficiency import FEWEST_SPANS
from wattmark.analysis.energy.energy import OVER_RANGE_REACH
from wattmark.analysis.energy.instrument_terms import ASSUMED_POWER_FACTOR, DELAY_REACH, UNSHARED
from wattmark.analysis.energy.meter_power import PATH_SHARE, UNCOVERED_LIMIT_PCT
from wattmark.analysis.energy.trace import Instrument
from wattmark.analysis.energy.type_a import FEWEST_FOR_CORRELATION
from wattmark.analysis.verdict import Limits
from wattmark.comparison.factors.geometric_table import _METHODS as GEOMETRIC
from wattmark.comparison.parts.break_even_table import break_even_methods
from wattmark.core.part_words import DIMM
from wattmark.results.tables.methods import METHODS

GUIDE = Path(__file__).parents[5] / "backend/docs/guide/read-a-result.md"
LIMITS = Limits()
NUMBERS = {3: "three", 8: "eight", 10: "ten"}
SHEET = dict(METHODS)


@pytest.mark.parametrize(
    ("term", "text"),
    [
        ("missing readings", f"More than {LIMITS.gap_share_pct:g} % of the window"),
        ("missing readings", f"{OVER_RANGE_REACH:g} x the range"),
        ("energy register", f"at most {LIMITS.register_share_pct:g} % of the energy"),
        ("steadiness", f"scatter of {LIMITS.block_s:g} s blocks"),
        ("steadiness", f"{NUMBERS[int(LIMITS.n_eff)]} independent samples"),
        ("steadiness", f"from {LIMITS.short_window_s:g} s and {LIMITS.short_window_samples} samples on"),
        ("scatter of throughput", f"With fewer than {NUMBERS[FEWEST_SPANS]} spans there is no scatter"),
        ("scatter of throughput", f"fewer than {NUMBERS[FEWEST_FOR_CORRELATION]} are treated as independent"),
        ("ratio", f"{100 * UNSHARED:g} % of the limit is assumed to be non-linearity"),
        (
            "test",
            f"from {NUMBERS[FEWEST_TO_TEST]} runs of each on, adjusted by Holm over all pairs at {SIGNIFICANCE:g}",
        ),
    ],
)
def test_the_sheet_states_the_values_of_the_analysis(term: str, text: str) -> None:
    assert text in SHEET[term]


@pytest.mark.parametrize(
    "text",
    [
        f"| {100 * UNSHARED:g} % of its limit of error, common to the runs of one configuration and level |",
        f"more if readings show it: {DELAY_REACH:g} x the delay seen at both marks |",
        f"else {OVER_RANGE_REACH:g} x the range |",
        f"fails where more than {UNCOVERED_LIMIT_PCT:g} % of the time is uncovered |",
        f"| {100 * PATH_SHARE:g} % of its limit is not common to the two |",
        f"| 1 or {ASSUMED_POWER_FACTOR:g}, whichever has the larger limit |",
        f"| {NUMBERS[int(LIMITS.n_eff)]} independent readings of the process are needed",
        f"More than {LIMITS.gap_share_pct:g} % of the window gives no power",
        f"within the smallest\n  relevant difference ({100 * SMALLEST_DIFFERENCE:g} %)",
    ],
)
def test_the_guide_states_what_the_analysis_assumes(text: str) -> None:
    assert text in GUIDE.read_text()


def test_an_unknown_latency_is_up_to_a_whole_period() -> None:
    assert "| between 0 and a whole period" in GUIDE.read_text()
    assert Instrument("wall", period_s=2.0).latency_uncertainty_s == pytest.approx(2.0 / math.sqrt(3))


@pytest.mark.parametrize("methods", [METHODS, GEOMETRIC, break_even_methods(DIMM)])
def test_every_term_is_told_once(methods: tuple[tuple[str, str], ...]) -> None:
    """JSON and Parquet keep terms as keys: of two alike only the last would be left."""
    terms = [term for term, _ in methods]
    assert len(set(terms)) == len(terms)
