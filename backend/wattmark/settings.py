"""Settings of a service: command line first, then WATTMARK_* environment variables, then defaults."""

from __future__ import annotations

import os
from pathlib import Path

from pydantic_settings import BaseSettings, SettingsConfigDict


def default_data_dir() -> Path:
    """Locate the data folder: WATTMARK_DATA_DIR, else the XDG convention."""
    if given := os.environ.get("WATTMARK_DATA_DIR"):
        return Path(given)
    base = os.environ.get("XDG_DATA_HOME") or str(Path.home() / ".local/share")
    return Path(base) / "wattmark"


class Settings(BaseSettings):
    """What a service needs to know before it starts; built once, passed down, never imported."""

    model_config = SettingsConfigDict(env_prefix="WATTMARK_", extra="ignore", frozen=True)

    data_dir: Path
    bench: Path | None = None
    host: str = "127.0.0.1"
    port: int = 8400
    token: str | None = None
    names: tuple[str, ...] = ()
    """Further host names under which the service answers (a lab's DNS name for it)."""
