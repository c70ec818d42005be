"""Addresses with a secret are refused, and what is said about them does not repeat it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from wattmark.bench.address import masked, without_secrets
from wattmark.bench.load import load_bench
from wattmark.bench.mistakes import BenchError

WITH_SECRETS = [
    "http://me:hunter2@192.0.2.1/1",
    "http://me:hunt/hunter2@192.0.2.1/1",
    "http://192.0.2.1/1?password=hunter2",
    "snmp://192.0.2.1/1?version=3&privacy_password=hunter2",
    "snmp://192.0.2.1/1?Community=hunter2&version=2c",
]


@pytest.mark.parametrize("url", WITH_SECRETS)
def test_a_secret_in_an_address_is_refused_and_never_told(url: str, edited: Callable[[str, str], Path]) -> None:
    with pytest.raises(ValueError, match="without user or password"):
        without_secrets(url)
    assert "hunter2" not in masked(url)
    with pytest.raises(BenchError, match="without user or password") as caught:
        load_bench(edited("modbus-tcp://192.0.2.10:502/1", url))
    assert "hunter2" not in str(caught.value)


def test_an_address_without_a_secret_stays_as_it_is() -> None:
    url = "snmp://192.0.2.1:161/3?version=3&auth=SHA256&privacy=AES&context=pass"
    assert without_secrets(url) == masked(url) == url
