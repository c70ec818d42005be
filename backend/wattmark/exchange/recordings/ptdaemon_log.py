"""The log of PTDaemon (its -l file): a line per sample with watts, volts, amperes and power factor."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import IO

import numpy as np
from wattmark_drivers.reading import Channel, Kind, Quality

from wattmark.core.errors import InputError
from wattmark.exchange.importers.ptdaemon.ptdaemon import parse_power_log
from wattmark.exchange.recordings.recording import Column, Recording
from wattmark.store.sample_store import Samples
from wattmark.workloads.loadgen.source_file import read_source

CHANNELS = {
    "Watts": Channel("power", "power", "W", Kind.AVERAGED, "True power"),
    "Volts": Channel("voltage", "voltage", "V", Kind.AVERAGED, "Voltage"),
    "Amps": Channel("current", "current", "A", Kind.AVERAGED, "Current"),
    "PF": Channel("power_factor", "power_factor", "1", Kind.AVERAGED, "Power factor"),
}
FAILED = -1.0
"""What PTDaemon writes for a sample that failed, and for a quantity that it does not measure."""


def read_ptdaemon(path: Path) -> Recording:
    """Read a PTDaemon log. Raises `InputError` naming the line that is no sample.

    Its wall clock has no zone and is taken as UTC. The daemon's values are means over its sampling interval.
    """
    log = parse_power_log(read_source(path, path.name))
    uncertainty = np.zeros(len(log), np.float32)
    columns = tuple(
        Column(CHANNELS[name], Samples(log.t_ns, column.value, column.quality, uncertainty))
        for name, column in log.columns.items()
    )
    return Recording(f"PTDaemon log {path.name}", columns, log.remarks)


def write_ptdaemon(recording: Recording, file: IO[bytes]) -> list[str]:
    """Write a line for each sample of power, in UTC; return what was excluded.

    Stamps have milliseconds there, and what is no valid value becomes -1, as the daemon writes it.
    """
    columns = {column.channel.id: column.samples for column in recording.columns}
    power = columns.get("power")
    if power is None:
        raise InputError("A PTDaemon log needs a channel power, which this recording does not have.", "Convert to CSV.")
    values = {name: _at(columns.get(channel.id), power.t_ns) for name, channel in CHANNELS.items()}
    for number, t_ns in enumerate(power.t_ns.tolist()):
        fields = [f"{name},{column[number]:.6f}" for name, column in values.items()]
        file.write(f"Time,{_stamp(t_ns)},{','.join(fields)},Mark,notset\n".encode("ascii"))
    others = sorted(columns.keys() - {channel.id for channel in CHANNELS.values()})
    remarks = [f"Without place in a PTDaemon log, excluded: {', '.join(others)}."] if others else []
    if np.any(power.t_ns % 1_000_000):
        remarks.append("Timestamps were rounded down to milliseconds.")
    return remarks


def _at(samples: Samples | None, t_ns: np.ndarray) -> np.ndarray:
    """Return the valid values of a channel at these stamps; elsewhere -1."""
    values = np.full(len(t_ns), FAILED)
    if samples is None or not len(samples.t_ns):
        return values
    places = np.minimum(np.searchsorted(samples.t_ns, t_ns), len(samples.t_ns) - 1)
    invalid = samples.quality[places] & np.uint16(Quality.INVALID)
    fits = (samples.t_ns[places] == t_ns) & np.isfinite(samples.value[places]) & (invalid == 0)
    values[fits] = samples.value[places][fits]
    return values


def _stamp(t_ns: int) -> str:
    seconds, rest_ns = divmod(t_ns, 10**9)
    return f"{datetime.fromtimestamp(seconds, UTC):%m-%d-%Y %H:%M:%S}.{rest_ns // 1_000_000:03d}"
