"""Settings become a meter, or one line that says what is wrong."""

from __future__ import annotations

import pytest
from wattmark_drivers.errors import ConfigurationError
from wattmark_drivers.factory import create_meter
from wattmark_drivers.settings import MeterSettings

URL = "modbus-tcp://127.0.0.1:1/1"


def settings(**more) -> MeterSettings:
    return MeterSettings(**{"name": "wall", "model": "eastron.sdm120", "url": URL, **more})


def test_identity_carries_what_the_declaration_says():
    identity = create_meter(settings(simulated=True)).identity
    assert (identity.name, identity.model, identity.maker) == ("wall", "eastron.sdm120", "Eastron")
    assert identity.simulated
    assert not identity.indicative
    assert identity.power_accuracy is not None
    assert identity.power_accuracy.range_pct == 1.0
    assert identity.power_accuracy.range_value == 230 * 45
    assert "User Manual" in identity.power_accuracy.source
    assert "averaging and update" in identity.unconfirmed


def test_a_bmc_never_has_an_accuracy():
    identity = create_meter(settings(model="ipmi.bmc", url="ipmi://h")).identity
    assert identity.indicative
    assert identity.power_accuracy is None


def test_only_the_watts_up_pushes():
    assert create_meter(settings(model="wattsup.pro", url="serial:///dev/ttyUSB0")).pushes
    assert not create_meter(settings()).pushes


@pytest.mark.parametrize(
    ("change", "cause", "remedy"),
    [
        ({"model": "eastron.sdm12"}, "No meter model eastron.sdm12", "Did you mean eastron.sdm120"),
        ({"model": "EASTRON.SDM630"}, "No meter model", "eastron.sdm630"),
        ({"model": "zzz"}, "No meter model zzz", "eastron.sdm120, "),
        ({"range": "5A"}, "has no range 5A", "45A"),
        ({"options": {"colour": "red"}}, "has no option colour", "word_order"),
        ({"options": {"word_order": "sideways"}}, "word_order is sideways", "high-first or low-first"),
        ({"timeout_s": 0.0}, "timeout_s is 0", "above zero"),
        ({"period_s": float("nan")}, "period_s is nan", "above zero"),
        ({"url": "ipmi://h"}, "scheme ipmi", "modbus-tcp://HOST:502/DEVICE_ID"),
    ],
)
def test_wrong_settings(change, cause, remedy):
    with pytest.raises(ConfigurationError) as caught:
        create_meter(settings(**change))
    assert cause in caught.value.cause
    assert remedy in caught.value.remedy


def test_the_password_is_neither_fetched_nor_shown():
    def password() -> str:
        pytest.fail("nobody needs the password yet")

    secret = settings(model="ipmi.bmc", url="ipmi://h", username="admin", password=password)
    assert "password" not in repr(secret)
    create_meter(secret)
