"""The names of the window rules, apart so that records and options may name one without loading numpy."""

from __future__ import annotations

from typing import Literal

RuleName = Literal["complete", "mlperf", "eehpc-l1", "eehpc-l2", "eehpc-l3", "specpower"]
