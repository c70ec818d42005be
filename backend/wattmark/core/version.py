"""The version of the installed distribution."""

from __future__ import annotations

from functools import cache
from importlib.metadata import PackageNotFoundError
from importlib.metadata import version as installed


@cache
def version() -> str:
    """Read the version of the installed package."""
    try:
        return installed("wattmark")
    except PackageNotFoundError:
        return "0+source"
