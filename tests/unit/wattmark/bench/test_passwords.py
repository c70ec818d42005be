from __future__ import annotations

from pathlib import Path

import pytest
from wattmark.bench.instruments import Bmc, Meter
from wattmark.bench.passwords import password_reader
from wattmark.core.errors import InputError


def _bmc(**source: str) -> Bmc:
    return Bmc.model_validate({"id": "bmc", "server": "s", "host": "192.0.2.1", "user": "monitor", **source})


def _meter(**source: str) -> Meter:
    plain = {"id": "pdu", "model": "apc.rpdu2", "url": "snmp://192.0.2.1/1", "feeds": [{"server": "s"}]}
    return Meter.model_validate({**plain, **source})


def read_password(entry: Bmc | Meter, folder: Path, environment: dict[str, str]) -> str:
    reader = password_reader(entry, folder, environment)
    assert reader is not None
    return reader()


def test_the_environment_gives_the_password(tmp_path: Path) -> None:
    assert read_password(_bmc(password_env="BMC_PW"), tmp_path, {"BMC_PW": "pass word"}) == "pass word"
    with pytest.raises(InputError, match="BMC_PW with the password of bmc is not set"):
        read_password(_bmc(password_env="BMC_PW"), tmp_path, {})


def test_a_private_file_gives_the_password_without_its_last_line_end(tmp_path: Path) -> None:
    file = tmp_path / "bmc.secret"
    file.write_text(" kept as it is \r\n")
    file.chmod(0o600)
    assert read_password(_bmc(password_file="bmc.secret"), tmp_path, {}) == " kept as it is "


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o644, 0o620])
def test_a_file_that_others_can_reach_is_refused_with_the_remedy(tmp_path: Path, mode: int) -> None:
    file = tmp_path / "bmc.secret"
    file.write_text("hunter2\n")
    file.chmod(mode)
    with pytest.raises(InputError, match="is readable by other users") as caught:
        read_password(_bmc(password_file="bmc.secret"), tmp_path, {})
    assert caught.value.remedy == f"Run: chmod 600 {file}"
    assert "hunter2" not in str(caught.value)


@pytest.mark.parametrize("text", ["", "\n", "two\nlines\n"])
def test_a_file_must_hold_exactly_one_line(tmp_path: Path, text: str) -> None:
    file = tmp_path / "bmc.secret"
    file.write_text(text)
    file.chmod(0o600)
    with pytest.raises(InputError, match="must contain exactly one line"):
        read_password(_bmc(password_file="bmc.secret"), tmp_path, {})


def test_an_absent_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"absent\.secret of bmc cannot be read: No such file"):
        read_password(_bmc(password_file="absent.secret"), tmp_path, {})


def test_a_meter_has_a_password_of_its_own_and_another_for_encryption(tmp_path: Path) -> None:
    meter = _meter(user="reader", password_env="PDU_AUTH", privacy_password_file="pdu.secret")
    file = tmp_path / "pdu.secret"
    file.write_text("encryption\n")
    file.chmod(0o600)
    environment = {"PDU_AUTH": "authentication"}
    privacy = password_reader(meter, tmp_path, environment, privacy=True)
    assert read_password(meter, tmp_path, environment) == "authentication"
    assert privacy is not None
    assert privacy() == "encryption"


def test_a_meter_without_a_log_in_asks_for_none(tmp_path: Path) -> None:
    assert password_reader(_meter(), tmp_path, {}) is None
    assert password_reader(_meter(password_env="A"), tmp_path, {"A": "b"}, privacy=True) is None


@pytest.mark.parametrize("prefix", ["", "privacy_"])
def test_a_meter_has_one_password_only(prefix: str) -> None:
    with pytest.raises(ValueError, match=f"at most one of {prefix}password_env"):
        _meter(**{f"{prefix}password_env": "A", f"{prefix}password_file": "b"})


@pytest.mark.parametrize(
    ("source", "cause"),
    [
        ({}, "exactly one of url"),
        ({"host": "192.0.2.1", "url": "redfish://192.0.2.1/1"}, "exactly one of url"),
        ({"url": "redfish://192.0.2.1/1", "cipher": 3}, "no cipher together with a url"),
        ({"url": "ipmi://192.0.2.1", "privilege": "ADMINISTRATOR"}, "no privilege together with a url"),
        ({"url": "http://192.0.2.1"}, "pattern"),
        ({"url": "redfish://me:hunter2@192.0.2.1/1"}, "without user or password"),
        ({"url": "ipmi://me:hunter2@192.0.2.1"}, "without user or password"),
    ],
)
def test_a_bmc_is_reached_by_ipmi_or_by_redfish(source: dict[str, object], cause: str) -> None:
    plain = {"id": "bmc", "server": "s", "user": "monitor", "password_env": "A"}
    with pytest.raises(ValueError, match=cause):
        Bmc.model_validate(plain | source)
