from __future__ import annotations

import pytest
from wattmark.access.http import elsewhere
from wattmark.access.http.elsewhere import address_elsewhere


@pytest.mark.parametrize("host", ["127.0.0.1", "::1", "localhost"])
def test_a_service_of_this_machine_alone_has_no_address_for_others(host: str) -> None:
    assert address_elsewhere(host, 8400) is None


@pytest.mark.parametrize(
    ("host", "address"),
    [
        ("192.0.2.7", "http://192.0.2.7:8400"),
        ("bench.lab", "http://bench.lab:8400"),
        ("fd00::7", "http://[fd00::7]:8400"),
    ],
)
def test_an_address_that_is_listened_on_is_that_for_others(host: str, address: str) -> None:
    assert address_elsewhere(host, 8400) == address


@pytest.mark.parametrize("host", ["0.0.0.0", "::"])
def test_all_addresses_are_that_of_the_network(host: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(elsewhere, "own_address", lambda: "192.0.2.8")
    assert address_elsewhere(host, 8400) == "http://192.0.2.8:8400"
