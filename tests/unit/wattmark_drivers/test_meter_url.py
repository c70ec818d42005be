"""URLs that name their model: forms of the README, defaults, and words for everything that is wrong."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from wattmark_drivers.errors import ConfigurationError
from wattmark_drivers.factory import create_meter
from wattmark_drivers.meter_url import meter_url, parse_meter_url

FORMS = [
    ("modbus-tcp://host:502/1?model=eastron.sdm630", "eastron.sdm630", "modbus-tcp://host:502/1"),
    ("serial:///dev/ttyUSB0?model=wattsup.pro", "wattsup.pro", "serial:///dev/ttyUSB0"),
    ("modbus-rtu:///dev/x?device=3&model=eastron.sdm120", "eastron.sdm120", "modbus-rtu:///dev/x?device=3"),
    ("ipmi://host?cipher=3", "ipmi.bmc", "ipmi://host?cipher=3"),
    ("ipmi://[2001:db8::1]:623?cipher=3", "ipmi.bmc", "ipmi://[2001:db8::1]:623?cipher=3"),
]


@pytest.mark.parametrize(("text", "model", "url"), FORMS)
def test_a_url_names_model_and_address(text: str, model: str, url: str) -> None:
    settings = parse_meter_url(text)
    assert (settings.model, settings.url) == (model, url)
    create_meter(settings)


@pytest.mark.parametrize(("text", "model", "url"), FORMS)
def test_settings_and_url_are_the_same_thing(text: str, model: str, url: str) -> None:
    settings = parse_meter_url(text)
    assert parse_meter_url(meter_url(settings)) == settings


def test_settings_of_the_model_are_parts_of_the_url() -> None:
    text = "modbus-tcp://h/1?model=eastron.sdm630&word_order=low-first&range=100A&period_s=0.5&timeout_s=2"
    settings = parse_meter_url(text, username="me", password=lambda: "secret")
    assert settings.options == {"word_order": "low-first"}
    assert (settings.range, settings.period_s, settings.timeout_s) == ("100A", 0.5, 2.0)
    assert settings.url == "modbus-tcp://h/1"
    assert parse_meter_url(meter_url(settings)).options == settings.options


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("modbus-tcp://host:502/1", "names no model"),
        ("modbus-tcp://host:502/1", "Write modbus-tcp://HOST"),
        ("modbus-tcp://host:502/1", "?model=MODEL, with MODEL such as "),
        ("modbus-tcp://host:502/1?model=eastron.sdm63", "Did you mean eastron.sdm630"),
        ("modbus-tcp://host:502/1?model=eastron.sdm630&parity=N", "unknown part parity"),
        ("modbus-tcp://host:99999/1?model=eastron.sdm630", "port"),
        ("modbus-tcp://host/999?model=eastron.sdm630", "unit id"),
        ("serial://ttyUSB0?model=wattsup.pro", "three slashes"),
        ("ftp://host/", "Schemes: "),
        ("host:502/1", "Schemes: "),
        ("ipmi://host?model=eastron.sdm630", "does not support"),
        ("ipmi://host?period_s=nan", "seconds above 0"),
        ("ipmi://host?timeout_s=-1", "seconds above 0"),
        ("ipmi://[::1", "is not an address"),
    ],
)
def test_a_wrong_url_is_refused_in_words(text: str, words: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        parse_meter_url(text)
    assert words in str(caught.value)
    assert caught.value.remedy


@pytest.mark.parametrize(
    "text", ["ipmi://me:hunter2@host", "ipmi://host?password=hunter2", "ipmi://host?Token=hunter2"]
)
def test_secrets_do_not_belong_into_urls_and_are_not_repeated(text: str) -> None:
    with pytest.raises(ConfigurationError, match="--password-file") as caught:
        parse_meter_url(text)
    assert "hunter2" not in str(caught.value)


@given(st.text(max_size=60), st.sampled_from(["", "modbus-tcp://", "modbus-rtu:///", "serial:///", "ipmi://"]))
def test_no_text_gives_anything_but_settings_or_a_refusal(text: str, head: str) -> None:
    try:
        remedy, settings = "", parse_meter_url(head + text + "?model=eastron.sdm120" * (len(text) % 2))
    except ConfigurationError as refusal:
        remedy, settings = refusal.remedy, None
    assert remedy or settings
