"""The fixed schema: names of measurements, tags and fields. A name here never changes its meaning."""

from __future__ import annotations

SAMPLES = "wattmark"
"""One point per sample."""

TAGS = ("run", "server", "source", "channel")
"""Tags of samples."""
LAB = "lab"
"""Tag of samples and results: where they were recorded. Points of older versions have none."""

VALUE = "value"
"""The sample in the unit of its channel; absent where it is not finite."""
NOT_FINITE = "not_finite"
"""In place of ``value``: 0 not a number, 1 infinite, -1 minus infinite."""
QUALITY = "quality"
"""Quality flags of the sample; absent: 0, good."""
STAMP_UNCERTAINTY = "u_t_s"
"""Standard uncertainty of the stamp [s]; absent: 0."""
LATER = "later_ns"
"""How much later than its stamp a sample is stored, so that it replaces none of the same stamp [ns]; absent: 0."""
PART_NS = 1000
"""A nanosecond for each sample of the same stamp before it, and this for each series before its own (`PART`)."""
PART = "part"
"""Number of the series where a run has several with these tags (another range or unit); absent: 0, the first."""
SIMULATED = "simulated"
"""1: a simulator gave the sample; absent: 0, an instrument did."""
SAMPLE_FIELDS = (VALUE, NOT_FINITE, QUALITY, STAMP_UNCERTAINTY, LATER, PART, SIMULATED)

RESULTS = "wattmark_result"
"""One point per issued version of a result; see `result_row`."""
