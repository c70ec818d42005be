"""What the gateway speaks: readings of a meter or a server, in the protocols that other programs already read."""

from __future__ import annotations

from collections.abc import Mapping
from ipaddress import AddressValueError, IPv4Address
from typing import Annotated, Literal, Self

from pydantic import Field, field_validator, model_validator
from wattmark_drivers.mqtt.address import parse_broker

from wattmark.bench.address import TOPIC, broker_url
from wattmark.core.inputs import LINE, REAL, WHOLE
from wattmark.core.loopback import is_loopback
from wattmark.core.part import Identifier, Part, Variable, Word

Spoken = Literal["ipmi", "redfish", "snmp", "modbus-tcp", "mqtt", "ptdaemon", "scpi"]
ENGINES: Mapping[Spoken, str] = {
    "ipmi": "ipmi",
    "redfish": "redfish",
    "snmp": "snmp",
    "modbus-tcp": "modbus",
    "mqtt": "mqtt",
    "ptdaemon": "ptdaemon",
    "scpi": "scpi",
}
"""The engine of the driver catalogue that reads each protocol, and so whose models can be spoken."""
MODELS: Mapping[Spoken, str] = {
    "ipmi": "ipmi.bmc",
    "redfish": "redfish.bmc",
    "snmp": "raritan.pxoutlet",
    "modbus-tcp": "eastron.sdm630",
    "mqtt": "tasmota.mqtt",
    "ptdaemon": "spec.ptdaemon",
    "scpi": "wattmark.gateway",
}
"""The model that is spoken where an entry names none."""
WITH_LOG_IN = frozenset({"ipmi", "redfish", "snmp", "mqtt"})
"""Protocols that can ask for a password; the others have none."""
ASKS_ALWAYS = frozenset({"ipmi", "redfish"})
"""Protocols without any way in but a password."""
DATAGRAMS = frozenset({"ipmi", "snmp"})
"""Protocols on UDP; the others are on TCP."""
LOOPBACK = "127.0.0.1"
FIRST_PORT = 1024
"""Ports below are reserved for root."""
IPV4 = r"^[0-9.]+$"


class Speak(Part):
    """Speak one meter or server as a device of a protocol; other programs read it, and nothing can be set."""

    as_: Spoken = Field(alias="as")
    """Protocol."""
    what: Identifier
    """A server (the sum of its wall meters) or a meter."""
    port: Annotated[int, Field(strict=True, ge=1, le=65535), WHOLE] | None = None
    """Where others ask, from 1024 on; an MQTT device has none, because it is a client of its broker."""
    address: Annotated[str, Field(pattern=IPV4, max_length=15), LINE] = LOOPBACK
    """IPv4 address of this machine to listen on; 0.0.0.0: all of them."""
    model: Word | None = None
    """Model of the driver catalogue whose registers, dialogue or topics are spoken; null: a usual one."""
    corrected: bool = False
    """Whether power is corrected by the certificate in force; without one nothing is shown then."""
    user: Word | None = None
    """User name that a client must give. SNMP: version 3; without it, version 2c with the password as community."""
    password_env: Variable | None = None
    """Environment variable that holds the password."""
    password_file: Word | None = None
    """File with the password, readable only by its owner; relative to the bench file."""
    certificate_file: Word | None = None
    """Redfish by HTTPS: certificate of this machine with its chain (PEM); relative to the bench file."""
    key_file: Word | None = None
    """Its private key (PEM), readable only by its owner."""
    url: Annotated[str, Field(pattern=r"^mqtts?://\S+$", max_length=1024), LINE] | None = None
    """MQTT: the broker and the topic of the device, mqtt://broker.lab:1883/rack1."""
    period_s: Annotated[float, Field(ge=1, le=3600), REAL] | None = None
    """MQTT: time between two messages of the device [s]; null: one second."""
    unencrypted: bool = False
    """Whether its password may cross a network where others can read it: Redfish without a certificate, a community of
    SNMP, a broker without TLS."""
    most_clients: Annotated[int, Field(strict=True, ge=1, le=1024), WHOLE] = 64
    """Clients that may be connected at once."""

    @property
    def spoken_model(self) -> str:
        """Return the model whose registers, dialogue or topics are spoken."""
        return self.model or MODELS[self.as_]

    @property
    def open_beyond(self) -> bool:
        """Return whether other machines can reach it directly."""
        return self.port is not None and not IPv4Address(self.address).is_loopback

    @property
    def has_password(self) -> bool:
        """Return whether a client must know a password."""
        return self.password_env is not None or self.password_file is not None

    @property
    def encrypted(self) -> bool:
        """Return whether nobody on the way can read what its clients send."""
        return self.as_ == "ipmi" or self.certificate_file is not None or (self.url or "").startswith("mqtts:")

    @property
    def leaves_readably(self) -> bool:
        """Return whether its password can cross a network only where others can read it."""
        beyond = self.open_beyond if self.url is None else not is_loopback(parse_broker(self.url, TOPIC).origin.host)
        has_version_3 = self.as_ == "snmp" and self.user is not None
        return self.has_password and beyond and not self.encrypted and not has_version_3

    def takes(self, own_port: int | None) -> str | None:
        """Explain that it would listen where the service itself does; None where it would not."""
        if self.port is None or self.port != own_port or self.as_ in DATAGRAMS:
            return None
        return f"Port {self.port} is that of the service itself."

    @property
    def name(self) -> str:
        """Return what distinguishes it from the other entries."""
        return f"{self.as_} {self.url}" if self.port is None else f"{self.as_} {self.address}:{self.port}"

    def meets(self, other: Speak) -> bool:
        """Return whether both would listen on one port."""
        if self.port is None or self.port != other.port or (self.as_ in DATAGRAMS) != (other.as_ in DATAGRAMS):
            return False
        everywhere = str(IPv4Address(0))
        return self.address == other.address or everywhere in (self.address, other.address)

    @field_validator("address")
    @classmethod
    def _is_an_address(cls, value: str) -> str:
        try:
            return str(IPv4Address(value))
        except AddressValueError:
            raise ValueError("an IPv4 address of this machine, such as 127.0.0.1, or 0.0.0.0 for all") from None

    @field_validator("port")
    @classmethod
    def _is_not_reserved(cls, value: int | None) -> int | None:
        if value is not None and value < FIRST_PORT:
            raise ValueError(
                f"a port from {FIRST_PORT} on: those below are reserved for root. Where a client knows only {value}, "
                "redirect it in the firewall"
            )
        return value

    @field_validator("url")
    @classmethod
    def _is_a_broker(cls, value: str | None) -> str | None:
        return None if value is None else broker_url(value)

    @model_validator(mode="after")
    def _has_its_place(self) -> Self:
        if self.as_ == "mqtt":
            if self.url is None:
                raise ValueError("url, the broker and the topic of the device: mqtt://broker.lab:1883/rack1")
            if self.port is not None or "address" in self.model_fields_set:
                raise ValueError("no port and no address: an MQTT device is a client of the broker in url")
            return self
        if self.port is None:
            raise ValueError(f"port, where others ask, from {FIRST_PORT} on")
        if self.url is not None or self.period_s is not None:
            raise ValueError(f"no url and no period_s: they belong to mqtt, and {self.as_} answers when it is asked")
        return self

    @model_validator(mode="after")
    def _asks_as_its_protocol_can(self) -> Self:
        if self.password_env is not None and self.password_file is not None:
            raise ValueError("at most one of password_env (name of a variable) and password_file (path)")
        if self.as_ not in WITH_LOG_IN and (self.user is not None or self.has_password):
            raise ValueError(f"no user and no password: {self.as_} has no log-in. Let a firewall decide who may ask")
        if self.user is not None and not self.has_password:
            raise ValueError("the password of its user: password_env (name of a variable) or password_file (path)")
        if self.as_ in ASKS_ALWAYS and self.user is None:
            raise ValueError(f"user, and password_env or password_file: {self.as_} has no way in without a log-in")
        if self.as_ in WITH_LOG_IN and self.open_beyond and not self.has_password:
            raise ValueError(
                f"a password (password_env or password_file): {self.address} is open to other machines. "
                f"Without one, listen on {LOOPBACK}"
            )
        return self

    @model_validator(mode="after")
    def _shows_no_password_unasked(self) -> Self:
        remedies: Mapping[Spoken, str] = {
            "redfish": "certificate_file and key_file",
            "snmp": "user, so that version 3 can be used",
            "mqtt": "mqtts:// in url",
        }
        if self.leaves_readably and not self.unencrypted:
            raise ValueError(
                f"{remedies[self.as_]}: its password would cross the network unencrypted. Where nobody else can "
                "listen, write unencrypted: true"
            )
        return self

    @model_validator(mode="after")
    def _certificate_with_its_key(self) -> Self:
        if (self.certificate_file is None) != (self.key_file is None):
            raise ValueError("both of certificate_file and key_file, or neither")
        if self.certificate_file is not None and self.as_ != "redfish":
            raise ValueError(f"no certificate_file: {self.as_} has no TLS here")
        return self
