"""The choices of a comparison."""

from __future__ import annotations

from typing import Literal

Figure = Literal["efficiency", "throughput", "power"]
Axis = Literal["clock", "cores", "load"]
"""Along what throughput is extrapolated."""
MOST_PCT = 50.0
"""Upper limit of the smallest relevant difference [%]."""
