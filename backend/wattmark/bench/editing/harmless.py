"""What may come in over HTTP, field by field: a list of what is harmless. Whatever it does not list as harmless has to
be in the bench file of the machine already; so has a field that is not listed.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from wattmark.bench.alarms import AlarmRule
from wattmark.bench.bench import Bench
from wattmark.bench.configuration import (
    Configuration,
    Costs,
    CountedPart,
    Cpu,
    Memory,
    Module,
    OperatingSystem,
    Price,
    Psu,
)
from wattmark.bench.instruments import Bmc, Conditions, Feed, Meter
from wattmark.bench.notify import Notify
from wattmark.bench.outputs import MqttOutput, OtelOutput, Outputs
from wattmark.bench.plan import Plan
from wattmark.bench.plan_rules import (
    CoolDownRule,
    Exclusion,
    Graduated,
    LoadLimits,
    QuietRule,
    Reference,
    RepeatRule,
    Schedule,
    SettleRule,
    StopRule,
)
from wattmark.bench.plan_settings import PlanSettings
from wattmark.bench.server import Access, PrepareCommand, Server
from wattmark.bench.speak import Speak
from wattmark.bench.workload_entry import Adaptation, WorkloadUse
from wattmark.core.part import Part
from wattmark.hosts.address import SshAddress
from wattmark.workloads.declaration import Declaration, LevelRule
from wattmark.workloads.parsers.parsers import (
    JsonCheck,
    JsonParser,
    LlmReport,
    LoadgenLogs,
    MarkerParser,
    OpensslEvp,
    OpensslRsa,
    ResponsePattern,
    ResponsePointer,
    TextCheck,
    TextParser,
)


class Kind(StrEnum):
    """What a field can become."""

    NAME = "name of an entry"
    TEXT = "text"
    NUMBER = "number"
    CHOICE = "choice"
    PARTS = "parts, judged one by one"
    PROGRAM = "program"
    FILE = "file"
    VARIABLE = "variable"
    PLACE = "place that something is sent to"
    HOST = "host that the appliance logs in to"
    PORT = "port that is opened to others"
    PARAMETERS = "parameters, judged by what the workload declares"
    OPTIONS = "options, judged by what the driver declares"
    ADDRESS = "address, judged part by part"
    LOGIN = "password, bound to the address that it was given for"
    UNKNOWN = "unknown"


HARMLESS = frozenset({Kind.NAME, Kind.TEXT, Kind.NUMBER, Kind.CHOICE, Kind.PARTS})
JUDGED = frozenset({Kind.PARAMETERS, Kind.OPTIONS, Kind.ADDRESS, Kind.LOGIN})
"""Kinds whose values `claims.py` judges by separate rules."""

_NAME, _TEXT, _NUMBER, _CHOICE, _PARTS = Kind.NAME, Kind.TEXT, Kind.NUMBER, Kind.CHOICE, Kind.PARTS
_LISTED: Mapping[type[Part], Mapping[Kind, str]] = {
    Bench: {
        _CHOICE: "schema_ schedule",
        _TEXT: "lab",
        _PARTS: "servers meters bmcs workloads plans costs outputs speak notify",
    },
    Outputs: {_CHOICE: "prometheus", _PARTS: "mqtt otel"},
    MqttOutput: {
        Kind.PLACE: "url user",
        Kind.VARIABLE: "password_env",
        Kind.FILE: "password_file",
        _NUMBER: "period_s",
        _TEXT: "home_assistant",
    },
    Speak: {
        _NAME: "what",
        _CHOICE: "corrected",
        _NUMBER: "period_s",
        Kind.PORT: "as_ model port address user most_clients unencrypted",
        Kind.PLACE: "url",
        Kind.VARIABLE: "password_env",
        Kind.FILE: "password_file certificate_file key_file",
    },
    Notify: {
        _NAME: "id",
        _CHOICE: "events",
        Kind.PLACE: "by url to sender",
        Kind.VARIABLE: "url_env token_env",
        Kind.FILE: "url_file token_file ca_file",
    },
    Server: {
        _NAME: "id",
        _TEXT: "title model",
        _CHOICE: "prepare sudo_dmidecode",
        _PARTS: "access configurations",
        Kind.PROGRAM: "settings_command",
    },
    Access: {_CHOICE: "local", _PARTS: "ssh"},
    SshAddress: {Kind.HOST: "host port user", Kind.FILE: "identity_file known_hosts"},
    PrepareCommand: {Kind.PROGRAM: "command", _NUMBER: "timeout_s"},
    Configuration: {
        _NAME: "id",
        _TEXT: "title disks nics firmware",
        _PARTS: "cpu memory psus parts os price costs",
    },
    Cpu: {_TEXT: "model", _NUMBER: "sockets cores threads clock_mhz tdp_w"},
    Memory: {_NUMBER: "channels slots_per_channel", _PARTS: "slots"},
    Module: {_CHOICE: "type ecc", _NUMBER: "capacity_gib speed_mts ranks", _TEXT: "vendor part", _NAME: "channel"},
    CountedPart: {_TEXT: "kind model", _NUMBER: "count capacity_tb link_gbit_s"},
    Psu: {_NAME: "id", _NUMBER: "rated_w efficiency_pct", _CHOICE: "powered"},
    OperatingSystem: {_TEXT: "name kernel"},
    Price: {_NUMBER: "amount", _TEXT: "currency"},
    Costs: {_TEXT: "currency", _NUMBER: "tariff_per_kwh pue life_years"},
    Meter: {
        _NAME: "id model host_role",
        _TEXT: "user serial range",
        _CHOICE: "role simulated",
        _NUMBER: "period_s latency_s u_latency_s averaging_s",
        _PARTS: "feeds conditions alarms",
        Kind.ADDRESS: "url",
        Kind.OPTIONS: "options",
        Kind.LOGIN: "password_env password_file privacy_password_env privacy_password_file",
    },
    Feed: {_NAME: "server psus"},
    Conditions: {
        _NUMBER: "temperature_c u_temperature_c frequency_hz wiring_loss_w u_wiring_loss_w",
        _CHOICE: "crest_factor line_filter",
        _TEXT: "calibrated_on",
    },
    AlarmRule: {_TEXT: "channel", _NUMBER: "low high hysteresis hold_s", _CHOICE: "run_must_keep"},
    Bmc: {
        _NAME: "id server",
        _TEXT: "user",
        _NUMBER: "cipher period_s",
        _CHOICE: "privilege simulated",
        _PARTS: "alarms",
        Kind.ADDRESS: "host port url",
        Kind.LOGIN: "password_env password_file",
    },
    OtelOutput: {
        Kind.PLACE: "endpoint",
        Kind.VARIABLE: "token_env",
        Kind.FILE: "token_file ca_file",
        _NUMBER: "period_s",
    },
    WorkloadUse: {_NAME: "uses id", _PARTS: "adapt"},
    Adaptation: {
        _NUMBER: "slice_s timeout_s",
        Kind.PROGRAM: "program",
        Kind.VARIABLE: "environment password_env",
        Kind.PARAMETERS: "parameters",
    },
    Declaration: {
        _NAME: "id",
        _TEXT: "title unit service package source stands_for",
        _CHOICE: "direction limited_by one_node",
        _NUMBER: "setup_timeout_s warm_up_s slice_s timeout_s",
        _PARTS: "level parser",
        Kind.PROGRAM: "command serve setup cleanup version needs",
        Kind.FILE: "files",
        Kind.VARIABLE: "environment password_variable password_env",
        Kind.PLACE: "hook",
        Kind.PARAMETERS: "parameters",
    },
    LevelRule: {_TEXT: "one many", _NUMBER: "default sweep asks_per_s"},
    OpensslRsa: {_CHOICE: "kind operation"},
    OpensslEvp: {_CHOICE: "kind", _NUMBER: "block_bytes"},
    LoadgenLogs: {_CHOICE: "kind"},
    LlmReport: {_CHOICE: "kind"},
    TextParser: {
        _CHOICE: "kind reports combine",
        _TEXT: "pattern begin end took done fails_on verified",
        _NUMBER: "scale",
        _PARTS: "checks response",
    },
    TextCheck: {_CHOICE: "against", _TEXT: "patterns", _NUMBER: "factor within_pct"},
    JsonParser: {_CHOICE: "kind reports", _TEXT: "pointer must_be_0", _NUMBER: "scale", _PARTS: "check response"},
    JsonCheck: {_CHOICE: "unit", _TEXT: "amount duration", _NUMBER: "within_pct"},
    MarkerParser: {_CHOICE: "kind reports", _NUMBER: "scale wait_s"},
    ResponsePattern: {_CHOICE: "statistic unit", _TEXT: "pattern"},
    ResponsePointer: {_CHOICE: "statistic unit", _TEXT: "pointer"},
    Plan: {
        _NAME: "name configurations workloads",
        _TEXT: "title",
        _CHOICE: "between_repeats order together sync_pattern",
        _NUMBER: "levels workload_levels repeats repeat_failed seed time_budget_s idle_s idle_after_s sync_pulses_s"
        " ramp_s settle_s measure_s hold_s cool_down_s full_load_limit_pct",
        _PARTS: "graduated exclude settings repeat_until stop quiet settle cool_down limits schedule reference",
    },
    Exclusion: {_NAME: "configuration workload", _NUMBER: "level"},
    Graduated: {_NAME: "workloads", _NUMBER: "percent calibrate offer idle_once_s", _CHOICE: "active_idle"},
    StopRule: {_NUMBER: "gain_below_pct over_levels"},
    QuietRule: {_NUMBER: "at_most_s"},
    SettleRule: {_CHOICE: "until", _NUMBER: "over_s at_least_s at_most_s"},
    RepeatRule: {_NUMBER: "efficiency_ci_pct at_most"},
    CoolDownRule: {_NUMBER: "until_c at_most_s", _NAME: "channel"},
    Schedule: {_TEXT: "calendar", _CHOICE: "missed"},
    Reference: {_TEXT: "since"},
    PlanSettings: {
        _TEXT: "governor energy_preference deepest_c_state",
        _CHOICE: "turbo smt",
        _NUMBER: "power_cap_w gpu_power_cap_w",
    },
    LoadLimits: {_NUMBER: "max_power_w max_temperature_c"},
}
KINDS: Mapping[type[Part], Mapping[str, Kind]] = {
    part: {name: kind for kind, names in fields.items() for name in names.split()} for part, fields in _LISTED.items()
}
"""What every field of the bench can become, by the part that it belongs to."""


def kind_of(part: type[Part], field: str) -> Kind:
    """Return what a field can become; `Kind.UNKNOWN`, which is not harmless, where it is not listed."""
    return KINDS.get(part, {}).get(field, Kind.UNKNOWN)
