"""What measures: wall meters with what they feed, and BMCs."""

from __future__ import annotations

from datetime import date
from typing import Annotated, Any, Literal, Self

from pydantic import Field, field_validator, model_validator

from wattmark.bench.address import without_secrets
from wattmark.bench.alarms import AlarmRule
from wattmark.core.inputs import LINE, REAL, WHOLE, Scalar, Text
from wattmark.core.part import Identifier, Part, Variable, Word

Seconds = Annotated[float, Field(gt=0, le=3600), REAL]
ONE_SOURCE = "of {0}_env (name of a variable) and {0}_file (path)"
IPMI_PORT = 623
METER_URL = r"^[a-z][a-z0-9+-]*:\S+$"
BMC_URL = r"^(ipmi|redfish|redfish\+http)://\S+$"


def _asked(label: str, unit: str = "", default: float | None = None) -> Any:
    """Declare a field that forms ask for under a label."""
    return Field(default=default, title=label, json_schema_extra={"unit": unit})


class Feed(Part):
    """What a meter measures of a server: the inputs of these power supplies; none named: of its only powered one."""

    server: Identifier
    psus: tuple[Identifier, ...] | None = Field(default=None, min_length=1)


class Conditions(Part):
    """How a meter is used. What is omitted is not known, and limits of error that depend on it are taken at their
    worst or said to be assumed.
    """

    temperature_c: Annotated[float, Field(ge=-50, le=100), REAL] | None = _asked("Temperature", "°C")
    """Air temperature at the meter [degrees Celsius]."""
    u_temperature_c: Annotated[float, Field(ge=0, le=50), REAL] | None = _asked("u of the temperature", "°C")
    """Standard uncertainty of that temperature [K]."""
    frequency_hz: Annotated[float, Field(gt=0, le=1000, examples=[50]), REAL] | None = _asked("Mains frequency", "Hz")
    """Mains frequency [Hz]."""
    crest_factor: Literal[3, 6] | None = _asked("Crest factor")
    """Crest factor setting of the meter; 6 also stands for 6A."""
    line_filter: bool | None = _asked("Line filter on")
    """Whether the meter's line filter is on."""
    calibrated_on: date | None = None
    """Date of the last calibration, or of the manufacturer's adjustment."""
    wiring_loss_w: Annotated[float, Field(ge=-1000, le=1000), REAL] = _asked("Wiring loss", "W", 0.0)
    """Wiring loss included in the indication [W]; subtracted from mean power."""
    u_wiring_loss_w: Annotated[float, Field(ge=0, le=1000), REAL] = _asked("u of the wiring loss", "W", 0.0)
    """Standard uncertainty of that power [W]."""


class Meter(Part):
    """A wall meter. Meters with the role "wall" add up to the power of the server that they feed."""

    id: Identifier
    model: Word
    """Model of the driver catalogue."""
    url: Annotated[str, Field(pattern=METER_URL, max_length=1024), LINE]
    """Connection, as the model's driver describes it."""
    user: Word | None = None
    """User name, if the device requires one."""
    password_env: Variable | None = None
    """Environment variable that holds the password (SNMP: the community, or the passphrase of authentication)."""
    password_file: Word | None = None
    """File with the password, readable only by its owner; relative to the bench file."""
    privacy_password_env: Variable | None = None
    """Environment variable with the SNMPv3 privacy passphrase; default: the authentication passphrase."""
    privacy_password_file: Word | None = None
    """File with that passphrase."""
    serial: Word | None = None
    """Serial number on the nameplate, for a meter that does not report it; links the meter to its certificates."""
    feeds: tuple[Feed, ...] = ()
    """What the meter measures. Empty: it is shown live, but no run uses it."""
    role: Literal["wall", "secondary"] = "wall"
    """A secondary meter measures the same feed again; it is shown but never added."""
    host_role: Identifier | None = None
    """What the hosts that it measures do in a deployment of several, such as prefill or decode: their energy is then
    stated beside that of all."""
    period_s: Seconds | None = None
    """Time between polls [s]; if omitted, the meter is polled as often as it has a new mean, at least once a second."""
    range: Text | None = None
    simulated: bool = False
    latency_s: Annotated[float, Field(ge=0, le=60), REAL] = _asked("Latency beyond the averaging time", "s", 0.0)
    """Latency of the meter: how much later than the end of what it averages a reading is stamped [s]."""
    u_latency_s: Annotated[float, Field(ge=0, le=60), REAL] | None = None
    averaging_s: Annotated[float, Field(gt=0, le=3600), REAL] | None = _asked("Averaging time of a reading", "s")
    """Time over which one reading averages [s], if the device is set so or its model does not state it; any length."""
    conditions: Conditions = Conditions()
    options: dict[Text, Scalar] = Field(default_factory=dict)
    """Settings of the model's driver."""
    alarms: tuple[AlarmRule, ...] = Field(default=(), max_length=64)
    """Limits of its channels, checked while it is read."""

    @field_validator("url")
    @classmethod
    def _carries_no_password(cls, value: str) -> str:
        return without_secrets(value)

    @model_validator(mode="after")
    def _at_most_one_password(self) -> Self:
        if self.password_env is not None and self.password_file is not None:
            raise ValueError(f"at most one {ONE_SOURCE.format('password')}")
        if self.privacy_password_env is not None and self.privacy_password_file is not None:
            raise ValueError(
                "at most one of privacy_password_env (name of a variable) and privacy_password_file (path)"
            )
        return self


class Bmc(Part):
    """A baseboard management controller: indicative power, temperatures, fans; by IPMI or by Redfish."""

    id: Identifier
    server: Identifier
    host: Word | None = None
    port: Annotated[int, Field(strict=True, ge=1, le=65535), WHOLE] = IPMI_PORT
    url: Annotated[str, Field(pattern=BMC_URL, max_length=1024), LINE] | None = None
    """Address as its driver describes it, such as "ipmi://HOST?privilege=ADMINISTRATOR" or "redfish://HOST"; for IPMI,
    ``host`` with ``port``, ``cipher`` and ``privilege`` may stand in its place."""
    user: Word
    password_env: Variable | None = None
    """Environment variable that holds the password."""
    password_file: Word | None = None
    """File with the password, readable only by its owner; relative to the bench file."""
    cipher: Annotated[int, Field(strict=True, ge=0, le=17), WHOLE] | None = None
    """RMCP+ cipher suite; None: the driver's."""
    privilege: Literal["USER", "OPERATOR", "ADMINISTRATOR"] = "USER"
    period_s: Seconds = 2.0
    simulated: bool = False
    alarms: tuple[AlarmRule, ...] = Field(default=(), max_length=64)
    """Limits of its sensors, checked while it is read."""

    @property
    def model(self) -> str:
        """Return the model of the driver catalogue."""
        return "ipmi.bmc" if self.connection.startswith("ipmi:") else "redfish.bmc"

    @property
    def connection(self) -> str:
        """Return the address without a log-in."""
        return self.url or f"ipmi://{self.host}:{self.port}"

    @field_validator("url")
    @classmethod
    def _carries_no_password(cls, value: str | None) -> str | None:
        return None if value is None else without_secrets(value)

    @model_validator(mode="after")
    def _one_address(self) -> Self:
        if (self.host is None) == (self.url is None):
            raise ValueError("exactly one of url (ipmi://HOST?privilege=USER or redfish://HOST) and host (IPMI)")
        of_ipmi = sorted({"port", "cipher", "privilege"} & self.model_fields_set)
        if self.url is not None and of_ipmi:
            raise ValueError(
                f"no {of_ipmi[0]} together with a url: one of IPMI says it, ipmi://HOST:623?cipher=3&privilege=USER"
            )
        return self

    @model_validator(mode="after")
    def _one_password(self) -> Self:
        if (self.password_env is None) == (self.password_file is None):
            raise ValueError(f"exactly one {ONE_SOURCE.format('password')}")
        return self
