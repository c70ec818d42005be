"""The rules of the cross-check by name, as verdicts carry them."""

from __future__ import annotations

RULE = "cross-check"
"""Both sources state their limits of error: where these exclude each other, one of the two is wrong."""
INDICATIVE_RULE = "cross-check-indicative"
"""One of the two states none, so its disagreement is a hint and no proof."""
