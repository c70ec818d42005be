"""How a room stores many runs without a campaign beside it, which it does not know."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager

Alone = Callable[[], AbstractContextManager[None]]
"""Opens a context in which no campaign starts. Raises `Conflict` where one runs. Nobody may be waited for inside."""
