"""The bases of everything that leaves the service as JSON, and of everything that is stored as JSON.

Times are ISO 8601 UTC strings; arrays of stamps are Unix seconds (float64).
"""

from __future__ import annotations

from typing import Any, Self

from pydantic import BaseModel, ConfigDict


class Schema(BaseModel):
    """Base of all API models."""

    model_config = ConfigDict(extra="forbid", defer_build=True)


class Record(BaseModel):
    """Base of all stored records: unknown fields are an error, values do not change, and every number is finite.

    JSON has no number that is not, so one that was written could not be read again.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False, defer_build=True)

    def changed(self, **changes: Any) -> Self:
        """Return the record with other values, validated by the same rules. Raises `ValidationError`."""
        return type(self)(**{**dict(self), **changes})


def without_u95(data: Any) -> Any:
    """Remove a stored U95 from what is to be read: it is computed, not read."""
    if isinstance(data, dict) and "U95" in data:
        data = dict(data)  # a copy without a loop in Python: long lists are read so
        del data["U95"]
    return data
