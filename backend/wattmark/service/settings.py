"""Settings of a service: command line first, then WATTMARK_* environment variables, then defaults."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, SecretStr, ValidationError, field_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from wattmark.core.data_dir import default_data_dir
from wattmark.core.errors import InputError


class Settings(BaseSettings):
    """What a service needs to know before it starts; built once, passed down, never imported."""

    model_config = SettingsConfigDict(env_prefix="WATTMARK_", extra="ignore", frozen=True)

    data_dir: Path
    bench: Path | None = None
    host: str = "127.0.0.1"
    port: Annotated[int, Field(ge=0, le=65535)] = 8400
    token: SecretStr | None = None
    """An administrator's token from elsewhere; ``token_file`` is better, for other programs cannot read it."""
    token_file: Path | None = None
    sign_in: bool = False
    """Require a sign-in on loopback too."""
    session_hours: Annotated[float, Field(gt=0, le=24 * 30)] = 12.0
    log_format: Literal["text", "json"] | None = None
    """None: text on a terminal, JSON elsewhere."""
    thin_after_days: Annotated[float | None, Field(gt=0)] = None
    """Days after which raw samples are thinned to 1 s; None: never."""
    names: Annotated[tuple[str, ...], NoDecode] = ()
    """Further host names under which the service answers (a lab's DNS name for it); comma-separated in the environment.
    """

    @field_validator("names", mode="before")
    @classmethod
    def _split(cls, names: object) -> object:
        return [name.strip() for name in names.split(",") if name.strip()] if isinstance(names, str) else names


def read_settings(data: Path | None, **options: Any) -> Settings:
    """Read the settings; None means not set on the command line. Raises `InputError` naming the variable."""
    chosen = {name: value for name, value in options.items() if value is not None}
    try:
        return Settings(data_dir=data or default_data_dir(), **chosen)
    except ValidationError as error:
        first = error.errors()[0]
        name = "_".join(str(part) for part in first["loc"][:1])
        cause = f"WATTMARK_{name.upper()}={first['input']!r}: {first['msg']}."
        raise InputError(cause, "Correct the environment variable, or give the option.") from error
