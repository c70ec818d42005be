"""Who measured: PTDaemon's answer to Identify."""

from __future__ import annotations

from dataclasses import dataclass

_FIELDS = 18
_NO_CALIBRATION = "no_cal_date"


@dataclass(frozen=True, slots=True)
class AnalyzerIdentity:
    """The analyzer behind a daemon, as it describes itself."""

    driver: str
    """PTDaemon's driver name, for example YokogawaWT330E."""
    averaging_s: float
    daemon_version: str
    calibration_date: str | None
    """None: the daemon knows no calibration date."""
    maker: str
    model: str
    serial: str | None
    firmware: str


def parse_identity(reply: str) -> AnalyzerIdentity | None:
    """Read an Identify reply; None when it is none.

    Fields: driver, averaging [ms], six capabilities, accepted, version=, OS=, mode=, uncertainty, ranges, channels,
    0, 0, calibration date, identification of the device with ";" for ",". The operating system may hold commas, so
    the fields after it are counted from the end.
    """
    fields = [part.strip() for part in reply.split(",")]
    if len(fields) < _FIELDS or not fields[1].isdigit() or not any(part.startswith("version=") for part in fields):
        return None
    device = [part.strip() for part in fields[-1].split(";")] + [""] * 4
    version = next(part.removeprefix("version=") for part in fields if part.startswith("version="))
    return AnalyzerIdentity(
        fields[0],
        int(fields[1]) / 1000,
        version,
        None if fields[-2] == _NO_CALIBRATION else fields[-2],
        device[0].capitalize(),
        _model(device[1], fields[0]),
        None if device[2] in ("", "0") else device[2],
        device[3],
    )


def _model(stated: str, driver: str) -> str:
    """Return the model; older instruments identify themselves by an order number (760401 is a WT210)."""
    model = driver.removeprefix("Yokogawa")
    if not stated:
        return model
    return f"{model} ({stated})" if stated.isdigit() else stated
