"""The choices of a comparison."""

from __future__ import annotations

from typing import Literal

Figure = Literal["efficiency", "throughput", "power"]
Axis = Literal["clock", "cores", "load"]
"""Along what throughput is extrapolated."""
Sort = Literal["rank", "server", "name"]
"""Order of the configurations of a table or figure: the best first, server by server, or by name."""
DateKind = Literal["available", "published"]
"""Date of a published result: when its hardware could be bought, or when it was published."""
MOST_ROWS = 10_000
"""Upper limit of the configurations that a table or figure is cut to."""
MOST_PCT = 50.0
"""Upper limit of the smallest relevant difference [%]."""
