"""The meter that is remembered is the one that was given, with all that was given with it."""

from __future__ import annotations

from pathlib import Path

import pytest
from wattmark.bench.editing.errors import EditRefused
from wattmark.core.errors import InputError
from wattmark.instruments.bench_editor import open_bench_editor
from wattmark.instruments.known_bench import OWN_BENCH, load_known_bench
from wattmark.measurements.own_bench import remember
from wattmark_drivers.clock import SystemClock
from wattmark_drivers.meter_url import parse_meter_url

SDM = "modbus-tcp://192.0.2.1/1?model=eastron.sdm120"


@pytest.mark.parametrize(("url", "period_s"), [(f"{SDM}&period_s=0.25", 0.25), (SDM, None)])
def test_the_period_is_remembered(tmp_path: Path, url: str, period_s: float | None) -> None:
    remember(open_bench_editor(None, tmp_path, SystemClock(), by_owner=True), parse_meter_url(url), None)
    (meter,) = load_known_bench(tmp_path / OWN_BENCH).meters
    assert (meter.model, meter.period_s) == ("eastron.sdm120", period_s)


def test_what_cannot_be_remembered_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="timeout_s is not remembered"):
        remember(
            open_bench_editor(None, tmp_path, SystemClock(), by_owner=True), parse_meter_url(f"{SDM}&timeout_s=9"), None
        )
    assert not (tmp_path / OWN_BENCH).exists()


@pytest.mark.parametrize("before", [None, "http://192.0.2.7?model=shelly.plugs"])
def test_a_password_file_may_be_named_by_who_owns_the_machine(tmp_path: Path, before: str | None) -> None:
    """Over the network it may not: a log-in that is stored would be sent to a device of somebody's choice."""
    password = tmp_path / "password"
    password.write_text("secret\n")
    password.chmod(0o600)
    if before is not None:
        remember(open_bench_editor(None, tmp_path, SystemClock(), by_owner=True), parse_meter_url(before), None)
    settings = parse_meter_url("http://192.0.2.8?model=shelly.plugs", username="admin")
    with pytest.raises(EditRefused, match=r"the stored password belongs to another address|over the network"):
        remember(open_bench_editor(None, tmp_path, SystemClock()), settings, password)
    remember(open_bench_editor(None, tmp_path, SystemClock(), by_owner=True), settings, password)
    (meter,) = load_known_bench(tmp_path / OWN_BENCH).meters
    assert (meter.url, meter.user, meter.password_file) == ("http://192.0.2.8", "admin", str(password))
