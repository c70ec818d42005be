"""Settings of the ClickHouse connection: WATTMARK_CLICKHOUSE_* variables; secrets there or in private files."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, Any, Literal, Self
from urllib.parse import urlsplit

from pydantic import Field, SecretStr, ValidationError, field_validator, model_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from wattmark.core.errors import InputError
from wattmark.fleet.sending.secret_file import read_secret

PREFIX = "WATTMARK_CLICKHOUSE_"


class ClickHouseSettings(BaseSettings):
    """Where the server is and who asks. Built once, passed down; no secret appears in its text."""

    model_config = SettingsConfigDict(env_prefix=PREFIX, extra="ignore", frozen=True, hide_input_in_errors=True)

    url: str
    """Address of the HTTP interface with the base path, such as http://ch.lab:8123."""
    role: Literal["sink", "store"] = "sink"
    """sink: send there what is recorded here. store: only read from there."""
    database: Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_]{0,63}$")] = "wattmark"
    user: str = "default"
    password: SecretStr | None = None
    password_file: Path | None = None
    ca_file: Path | None = None
    """Certificates that sign the server's, where the system does not know them."""
    timeout_s: Annotated[float, Field(ge=1, le=600)] = 30.0
    batch: Annotated[int, Field(ge=1, le=1_000_000)] = 100_000
    """Samples in one insert at most."""

    @field_validator("url")
    @classmethod
    def _whole(cls, url: str) -> str:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError("write it like http://ch.lab:8123")
        if parts.username or parts.password or parts.query or parts.fragment:
            raise ValueError("set user, password and parameters in their own variables")
        return url.rstrip("/")

    @model_validator(mode="after")
    def _one_secret(self) -> Self:
        if self.password is not None and self.password_file is not None:
            raise ValueError("set one of PASSWORD and PASSWORD_FILE")
        return self

    @property
    def target(self) -> str:
        """Return what is written to, without secrets; positions are kept under it."""
        return f"{self.url} {self.database}"

    def check(self) -> None:
        """Raise `InputError` at once where a file with a secret or with certificates cannot be read."""
        self.secret()
        if self.ca_file is not None and not self.ca_file.is_file():
            raise InputError(f"The certificate file {self.ca_file} does not exist.", f"Correct {PREFIX}CA_FILE.")

    def secret(self) -> str:
        """Read the password; empty: none is needed. Raises `InputError` for a file that others can read."""
        if self.password is not None:
            return self.password.get_secret_value()
        return "" if self.password_file is None else read_secret(self.password_file, "ClickHouse")


def read_clickhouse_settings(**overrides: Any) -> ClickHouseSettings | None:
    """Read the settings; None where no server is named. Raises `InputError` naming the variable, never its value."""
    if "url" not in overrides and not os.environ.get(f"{PREFIX}URL"):
        return None
    try:
        return ClickHouseSettings(**overrides)
    except ValidationError as error:
        first = error.errors(include_input=False)[0]
        name = "_".join(str(part) for part in first["loc"][:1]).upper()
        cause = f"{PREFIX}{name or '*'}: {first['msg'].removeprefix('Value error, ')}."
        raise InputError(cause, "Correct the environment variable.") from None
