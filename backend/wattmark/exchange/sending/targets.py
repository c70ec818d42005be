"""The servers that the settings name, whatever they understand."""

from __future__ import annotations

from wattmark.exchange.clickhouse.settings import read_clickhouse_settings
from wattmark.exchange.clickhouse.target import clickhouse_target
from wattmark.exchange.influx.settings import read_influx_settings
from wattmark.exchange.influx.target import influx_target
from wattmark.exchange.sending.sinks import Target


def configured_targets() -> list[Target]:
    """List the servers of the environment. Raises `InputError` where a setting or a secret file is wrong."""
    clickhouse, influx = read_clickhouse_settings(), read_influx_settings()
    return [
        *([] if clickhouse is None else [clickhouse_target(clickhouse)]),
        *([] if influx is None else [influx_target(influx)]),
    ]
