"""The base of everything that leaves the service as JSON.

Times are ISO 8601 UTC strings; arrays of stamps are Unix seconds (float64).
"""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class Schema(BaseModel):
    """Base of all API models."""

    model_config = ConfigDict(extra="forbid")
