"""The cross-check as a part of a result: each source of power beside the wall meter, with its verdict."""

from __future__ import annotations

from wattmark.analysis.cross_check.fitted_line import FittedLine
from wattmark.analysis.cross_check.measured_at import MeasuredAt
from wattmark.analysis.verdict import Verdict
from wattmark.core.quantity import Quantity
from wattmark.core.schema import Record


class CrossCheckLevel(Record):
    """Both powers over one stretch of the run."""

    stretch: str
    """"window", or the phase."""
    reference_w: float
    source_w: float
    difference: Quantity
    """Source minus reference [W]; its ± is that of the comparison, without the errors of the two instruments."""


class CrossCheckedSource(Record):
    """One source compared with the reference."""

    source: str
    title: str
    measured_at: MeasuredAt
    place: str
    """Where it measures, in words."""
    whole: bool
    """It should show the power at the wall; False: it measures a part, which must be below."""
    simulated: bool = False
    power_w: float | None = None
    """Mean over the window [W]; None: it is not compared, as its verdict says."""
    difference: Quantity | None = None
    """Source minus reference in the window [%]."""
    share_pct: float | None = None
    """Source over reference in the window [%]."""
    limit_pct: float | None = None
    """How far it may be off [%]; None: it measures a part."""
    limit_basis: str = ""
    lag_s: float | None = None
    """How much later than the reference it shows a change, as found in this recording [s]."""
    line: FittedLine | None = None
    no_line: str = ""
    """Why there is no gain and offset."""
    levels: tuple[CrossCheckLevel, ...] = ()
    statement: str
    """The verdict in a few words: "BMC 2.2 % high, within 5 %"."""
    verdict: Verdict


class CrossCheck(Record):
    """Every source of power of a run against its wall meters."""

    reference: str
    power: Quantity
    """Of the reference over the window [W]."""
    sources: tuple[CrossCheckedSource, ...]
