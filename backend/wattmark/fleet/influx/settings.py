"""Settings of the InfluxDB connection: WATTMARK_INFLUX_* environment variables; secrets there or in private files."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal, Self
from urllib.parse import urlsplit

from pydantic import Field, SecretStr, ValidationError, field_validator, model_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from wattmark.core.errors import InputError
from wattmark.fleet.sending.secret_file import read_secret

PREFIX = "WATTMARK_INFLUX_"


class InfluxSettings(BaseSettings):
    """Where the server is and who asks. Built once, passed down; no secret appears in its text."""

    model_config = SettingsConfigDict(env_prefix=PREFIX, extra="ignore", frozen=True, hide_input_in_errors=True)

    url: str
    """Address with the base path, such as http://influx.lab:8086 or http://cluster:8480/insert/0/influx."""
    role: Literal["sink", "store"] = "sink"
    """sink: send there what is recorded here. store: read runs from there."""
    database: str = "wattmark"
    """Database (1.x) or bucket (2.x, 3)."""
    retention_policy: str | None = None
    """1.x only; None: the default policy of the database."""
    org: str | None = None
    """Organisation (2.x)."""
    token: SecretStr | None = None
    token_file: Path | None = None
    user: str | None = None
    password: SecretStr | None = None
    password_file: Path | None = None
    ca_file: Path | None = None
    """Certificates that sign the server's, where the system does not know them."""
    gzip: bool = False
    timeout_s: Annotated[float, Field(gt=0, le=600)] = 10.0
    batch: Annotated[int, Field(ge=1, le=100_000)] = 5000
    """Samples in one request."""

    @field_validator("url")
    @classmethod
    def _whole(cls, url: str) -> str:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError("write it like http://influx.lab:8086")
        if parts.username or parts.password or parts.query or parts.fragment:
            raise ValueError("set user, password and parameters in their own variables")
        return url.rstrip("/")

    @model_validator(mode="after")
    def _one_identity(self) -> Self:
        secrets = [self.token, self.token_file, self.password, self.password_file]
        if sum(secret is not None for secret in secrets) > 1:
            raise ValueError("set one of TOKEN, TOKEN_FILE, PASSWORD or PASSWORD_FILE")
        if (self.user is None) != (self.password is None and self.password_file is None):
            raise ValueError("set USER and PASSWORD (or PASSWORD_FILE) together")
        return self

    @property
    def target(self) -> str:
        """Return what is written to, without secrets; positions are kept under it."""
        return f"{self.url} {self.database}" + (f"/{self.retention_policy}" if self.retention_policy else "")

    def check(self) -> None:
        """Raise `InputError` at once where a file with a secret or with certificates cannot be read."""
        self.secret()
        if self.ca_file is not None and not self.ca_file.is_file():
            raise InputError(f"The certificate file {self.ca_file} does not exist.", f"Correct {PREFIX}CA_FILE.")

    def secret(self) -> str | None:
        """Read the token, or the password; None: none is needed. Raises `InputError` for a file others can read."""
        configured = self.token or self.password
        if configured is not None:
            return configured.get_secret_value()
        file = self.token_file or self.password_file
        return None if file is None else read_secret(file, "InfluxDB")


def read_influx_settings(**overrides: Any) -> InfluxSettings | None:
    """Read the settings; None where no server is named. Raises `InputError` naming the variable, never its value."""
    from os import environ

    if "url" not in overrides and not environ.get(f"{PREFIX}URL"):
        return None
    try:
        return InfluxSettings(**overrides)
    except ValidationError as error:
        first = error.errors(include_input=False)[0]
        name = "_".join(str(part) for part in first["loc"][:1]).upper()
        cause = f"{PREFIX}{name or '*'}: {first['msg'].removeprefix('Value error, ')}."
        raise InputError(cause, "Correct the environment variable.") from None
