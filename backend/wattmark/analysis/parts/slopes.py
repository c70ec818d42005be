"""Watts per part tested against a claim, and compared between two servers."""

from __future__ import annotations

import math
from dataclasses import dataclass

from wattmark_calibration import two_sided_p, welch_satterthwaite

from wattmark.analysis.comparison.comparison import student_factor
from wattmark.analysis.comparison.repeats import joined
from wattmark.analysis.comparison.rounding import p_words
from wattmark.analysis.parts.fit import CountFit
from wattmark.analysis.refusal import Refused
from wattmark.core.interval import Interval95
from wattmark.core.part_words import PartWords

AMB_W, AMB_MARGIN_W = 5.0, 1.0
"""An advanced memory buffer is claimed to draw 5 W; within 1 W of that counts as equal (method 5.3)."""
SIGNIFICANCE = 0.05
ENOUGH = 3.0
"""Fewest degrees of freedom of both slopes for Welch's formula; with fewer the half widths are added in quadrature."""
CONFOUNDED = "one-after-the-other"
"""The reason of a refusal where the counts and time changed together."""


@dataclass(frozen=True, slots=True)
class Claim:
    """A slope held against a claimed one [W/part]: p of "no difference", and whether they are equal within a margin."""

    claim_w: float
    margin_w: float
    p: float
    equivalent: bool
    """Two one-sided tests at 5 %: the 90 % interval lies inside the margin."""
    part: PartWords

    @property
    def refuted(self) -> bool:
        """Return whether slope and claim differ at 5 %."""
        return self.p < SIGNIFICANCE

    @property
    def text(self) -> str:
        """Describe the result in one sentence."""
        named = f"{self.claim_w:g} W per {self.part.one}"
        if self.equivalent:
            real = "the difference is significant but small" if self.refuted else p_words(self.p)
            return f"Claim confirmed: equal to {named} within {self.margin_w:g} W ({real})."
        if self.refuted:
            return f"Claim rejected: not {named} ({p_words(self.p)})."
        return (
            f"Inconclusive: {named} is neither rejected ({p_words(self.p)}) nor confirmed within {self.margin_w:g} W."
        )


@dataclass(frozen=True, slots=True)
class SlopeDifference:
    """Watts per part of one server less those of another [W/part]."""

    value: float
    u: float
    dof: float

    @property
    def interval(self) -> Interval95:
        """Compute the difference with its 95 % interval [W/part]."""
        return Interval95.student(self.value, student_factor(self.dof) * self.u, self.u, self.dof)


def claimed(claim_w: float | None, margin_w: float = AMB_MARGIN_W) -> tuple[float, float] | None:
    """Return a claim with its margin [W/part]; None where nothing is claimed."""
    return None if claim_w is None else (claim_w, margin_w)


def hold_against(fit: CountFit, claim_w: float = AMB_W, margin_w: float = AMB_MARGIN_W) -> Claim:
    """Test b1 = claim by Student's t, and |b1 - claim| < margin by two one-sided tests (method 5.3).

    Raises `Refused` for a claim or margin that is not a positive number, without scatter, and where the effect of
    re-seating or of time is not known.
    """
    if not (0 < claim_w < math.inf and 0 < margin_w < math.inf):
        raise Refused("no-claim", "The claim and its margin must both be above 0 W.")
    _require_bounded(fit)
    if fit.slope_u <= 0:
        raise Refused(
            "no-scatter",
            f"All runs with the same {fit.part.one} count drew exactly the same power, so the scatter is not known and "
            "no test is possible.",
        )
    away_w = abs(fit.slope - claim_w)
    p = two_sided_p(away_w / fit.slope_u, fit.dof)
    half_w = student_factor(fit.dof, 0.90) * fit.slope_u
    return Claim(claim_w, margin_w, p, away_w + half_w < margin_w, fit.part)


def slope_difference(a: CountFit, b: CountFit) -> SlopeDifference:
    """Compute the difference of two slopes [W/part], such as of FB-DIMMs and registered DIMMs.

    Welch's degrees of freedom where both slopes have three or more. An error of one meter in both slopes enters as the
    difference of its two effects. Raises `Refused` where the effect of re-seating or of time is not known.
    """
    _require_bounded(a, b)
    slope_a, slope_b = a.shared_slope, b.shared_slope
    shared = [slope_a.get(name, 0.0) - slope_b.get(name, 0.0) for name in sorted(slope_a.keys() | slope_b.keys())]
    (u_a, dof_a), (u_b, dof_b) = a.slope_scatter, b.slope_scatter
    scatters = [(u_a, dof_a), (u_b, dof_b)]
    if min(dof_a, dof_b) >= ENOUGH:
        scatters = [(math.hypot(u_a, u_b), welch_satterthwaite([u_a, u_b], [dof_a, dof_b]))]
    u, dof = joined([*scatters, *((abs(x), math.inf) for x in shared)])
    return SlopeDifference(a.slope - b.slope, u, dof)


def _require_bounded(*fits: CountFit) -> None:
    part = fits[0].part
    if any(fit.turns == "one after the other" for fit in fits):
        raise Refused(
            CONFOUNDED,
            f"The {part.one} counts were measured one after the other: what changed with time cannot be told from the "
            f"{part.many}.",
        )
    if not all(fit.seated for fit in fits):
        raise Refused("two-installations", one_line(part))


def one_line(part: PartWords) -> str:
    """Explain why a line through two installations has no ±, and what to do."""
    return (
        f"With only two {part.one} counts, each installed once, the effect of re-installing the {part.pieces} cannot "
        "be estimated; re-seat between repeats (between_repeats: re-seat) or measure another count."
    )
