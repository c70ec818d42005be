"""The settings of a model beside its address: range, options, and who logs in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from wattmark_drivers.catalogue.declaration import Declaration
from wattmark_drivers.catalogue.http_map import HttpMap
from wattmark_drivers.catalogue.kasa_map import KasaMap
from wattmark_drivers.catalogue.mqtt_map import MqttMap
from wattmark_drivers.catalogue.scpi_map import ScpiMap
from wattmark_drivers.catalogue.scpi_setting import OFF, ON, Setting, SettingKind
from wattmark_drivers.connection.fields import SENT_WHOLE, Field, Kind

Asked = Literal["no", "optional", "required"]


@dataclass(frozen=True, slots=True)
class LogIn:
    """Who logs in: a user, a password as the device calls it, and SNMPv3's passphrase of encryption."""

    __pydantic_config__ = SENT_WHOLE

    user: Asked = "no"
    password: Asked = "no"  # noqa: S105 - whether one is asked for
    password_label: str = "Password"  # noqa: S105
    privacy_password: Asked = "no"  # noqa: S105


OPTIONS = {
    field.name: field
    for field in (
        Field("word_order", "Word order", "choice", "setting", choices=("high-first", "low-first")),
        Field("answer_s", "Time to answer", "number", "setting", low=0, unit="s", help="Where it was measured."),
        Field("channels", "Channels", "text", "setting", help="Such as power,energy_import; empty for all."),
        Field("elements", "Elements in use", "text", "setting", help="Such as 1 or 1,3; sums are over these."),
        Field("expected_w", "Expected power", "number", "setting", low=0, unit="W", help="Chooses the ranges."),
        Field("psu_rating_w", "Rating of the supply", "number", "setting", low=0, unit="W", help="Chooses the ranges."),
        Field("mains_v", "Mains", "number", "setting", low=0, unit="V", help="With the expected power or the rating."),
        Field("probe_s", "Look first", "number", "setting", low=0, unit="s", help="Then fix the smallest ranges."),
        Field("auto_range", "Auto-range", "switch", "setting", choices=(ON, OFF), help="For a ranging run."),
        Field(
            "listen", "Only listen", "switch", "setting", choices=(ON, OFF), help="Take what it publishes; ask nothing."
        ),
        Field("integrate", "Energy integration", "switch", "setting", choices=(ON, OFF)),
        Field(
            "measurement",
            "Measurement of the daemon",
            "choice",
            "setting",
            default="share",
            choices=("share", "watch", "take"),
            help="share: begin one, or watch that of others. watch: only ever watch. take: end that of others.",
        ),
        Field("mark", "Mark", "text", "setting", help="In the log of the power daemon."),
    )
}
"""Options that engines know by themselves; a declaration adds its own."""


def option_fields(declaration: Declaration) -> list[Field]:
    """List the options of a model."""
    table = declaration.protocol
    own = {setting.name: setting for setting in table.settings} if isinstance(table, ScpiMap) else {}
    return [_setting(own[name], table) if name in own else OPTIONS[name] for name in table.option_names]


def range_field(declaration: Declaration) -> Field | None:
    """Describe the choice of the measuring range; None where the model has none."""
    form = declaration.protocol.range_form
    if not declaration.ranges and not form:
        return None
    names = tuple(item.id for item in declaration.ranges)
    only = names[0] if len(names) == 1 else None
    words = f"Write {form}." if form else ""
    return Field("range", "Range", "text" if form else "choice", "setting", default=only, choices=names, help=words)


def log_in(declaration: Declaration) -> LogIn:
    """Return the credentials that a model asks for."""
    engine = declaration.protocol.engine
    if engine in {"ipmi", "redfish"}:
        return LogIn("required", "required")
    if engine == "snmp":
        return LogIn("optional", "required", "Community (version 2c) or passphrase (version 3)", "optional")
    if isinstance(declaration.protocol, KasaMap):
        return LogIn() if declaration.protocol.ciphers == ("xor",) else LogIn("optional", "optional")
    if isinstance(declaration.protocol, MqttMap):
        return LogIn("optional", "optional", "Password of the broker")
    if isinstance(declaration.protocol, HttpMap) and declaration.protocol.login != "none":
        return LogIn("optional", "optional")
    return LogIn()


def _setting(setting: Setting, table: object) -> Field:
    chosen = table.setting(setting.name) if isinstance(table, ScpiMap) else setting
    if setting.kind is SettingKind.SWITCH:
        return Field(setting.name, _label(setting.name), "switch", "setting", choices=(ON, OFF))
    number: Kind = "number" if setting.kind is SettingKind.NUMBER else "text"
    kind: Kind = "choice" if chosen.values else number
    return Field(setting.name, _label(setting.name), kind, "setting", choices=chosen.values, unit=setting.unit)


def _label(name: str) -> str:
    return name.removesuffix("_s").replace("_", " ").capitalize()
