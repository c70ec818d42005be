"""The servers that the settings name, whatever they understand."""

from __future__ import annotations

from wattmark.fleet.clickhouse.settings import read_clickhouse_settings
from wattmark.fleet.influx.settings import read_influx_settings
from wattmark.fleet.sending.sinks import Target


def configured_targets() -> list[Target]:
    """List the servers of the environment. Raises `InputError` where a setting or a secret file is wrong."""
    targets: list[Target] = []
    clickhouse, influx = read_clickhouse_settings(), read_influx_settings()
    if clickhouse is not None:
        from wattmark.fleet.clickhouse.target import clickhouse_target

        targets.append(clickhouse_target(clickhouse))
    if influx is not None:
        from wattmark.fleet.influx.target import influx_target

        targets.append(influx_target(influx))
    return targets
