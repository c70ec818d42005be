"""Parts of wattmark that need a Python package which a plain installation lacks."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from types import ModuleType

from wattmark.core.errors import InputError

EXTRAS = {
    "parquet": ("arro3.core", "arro3.io"),
    "figures": ("matplotlib",),
    "schedule": ("oncalendar",),
    "otel": ("opentelemetry.sdk.metrics", "opentelemetry.exporter.otlp.proto.http"),
}
"""Name of the extra -> the modules that it installs."""


def installed(extra: str) -> bool:
    """Return whether an extra is installed; imports only the packages that hold its modules."""
    return all(_found(module) for module in EXTRAS[extra])


def _found(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:
        return False


def require(extra: str, module: str, feature: str) -> ModuleType:
    """Import a module of an extra. Raises `InputError` that names the extra; ``feature`` begins the sentence."""
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("wattmark"):
            raise
        raise InputError(
            f"{feature} the Python package {error.name}, which is not installed.",
            f"Install it with: pip install 'wattmark[{extra}]'.",
        ) from None
