"""What writing to a connection raises that is gone."""

from __future__ import annotations

BROKEN = (OSError, RuntimeError)
"""asyncio raises an `OSError`, uvloop a `RuntimeError`: "the handler is closed"."""
