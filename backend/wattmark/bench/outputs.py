"""Where live readings go beside the web app; nothing goes anywhere unless the bench says so."""

from __future__ import annotations

from typing import Annotated, Self
from urllib.parse import urlsplit

from pydantic import Field, field_validator, model_validator
from wattmark_drivers.mqtt.address import MqttAddress, parse_broker

from wattmark.bench.address import TOPIC, broker_url, without_secrets
from wattmark.core.inputs import LINE, REAL
from wattmark.core.part import Part, Variable, Word

PeriodS = Annotated[float, Field(ge=1, le=3600), REAL]


class MqttOutput(Part):
    """Publish to an MQTT broker, found by Home Assistant by itself."""

    url: Annotated[str, Field(pattern=r"^mqtts?://\S+$", max_length=1024), LINE]
    """Broker, and the topic below which everything is published: mqtt://broker.lab:1883/wattmark."""
    user: Word | None = None
    password_env: Variable | None = None
    """Environment variable that holds the password."""
    password_file: Word | None = None
    """File with the password, readable only by its owner; relative to the bench file."""
    period_s: PeriodS = 10.0
    """Time between two messages of a meter [s]."""
    home_assistant: Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]+$", max_length=64), LINE] | None = "homeassistant"
    """Topic below which Home Assistant looks for new devices; null: it is not told of any."""

    @property
    def address(self) -> MqttAddress:
        """Return the broker and the topic."""
        return parse_broker(self.url, TOPIC)

    @field_validator("url")
    @classmethod
    def _is_an_address(cls, value: str) -> str:
        return broker_url(value)

    @model_validator(mode="after")
    def _at_most_one_password(self) -> Self:
        if self.password_env is not None and self.password_file is not None:
            raise ValueError("at most one of password_env (name of a variable) and password_file (path)")
        return self


class OtelOutput(Part):
    """Send to an OpenTelemetry collector by OTLP over HTTP."""

    endpoint: Annotated[str, Field(pattern=r"^https?://\S+$", max_length=1024), LINE]
    """Collector without the path of a signal: http://collector.lab:4318."""
    token_env: Variable | None = None
    """Environment variable that holds a token, sent as `Authorization: Bearer`."""
    token_file: Word | None = None
    """File with that token, readable only by its owner; relative to the bench file."""
    ca_file: Word | None = None
    """Certificates that sign the collector's, where the system does not know them; relative to the bench file."""
    period_s: PeriodS = 60.0
    """Time between two requests [s]; the SDK's own is 60 s."""

    @field_validator("endpoint")
    @classmethod
    def _is_an_address(cls, value: str) -> str:
        without_secrets(value)
        try:
            parts = urlsplit(value)
            whole = bool(parts.hostname) and parts.port != 0
        except ValueError:
            whole = False
        if not whole or parts.query or parts.fragment:
            raise ValueError("an address such as http://collector.lab:4318")
        return value

    @model_validator(mode="after")
    def _at_most_one_token(self) -> Self:
        if self.token_env is not None and self.token_file is not None:
            raise ValueError("at most one of token_env (name of a variable) and token_file (path)")
        return self


class Outputs(Part):
    """Outputs of live readings."""

    prometheus: bool = False
    """Whether /metrics contains what the meters measure, beside the figures of the service."""
    mqtt: MqttOutput | None = None
    otel: OtelOutput | None = None

    @property
    def wanted(self) -> bool:
        """Return whether any output is on."""
        return self.prometheus or self.mqtt is not None or self.otel is not None
