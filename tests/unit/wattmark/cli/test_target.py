"""Log-in options of `wattmark meter`: for URLs only, secrets from private files, each when it is asked for."""

from __future__ import annotations

from pathlib import Path

import pytest
from wattmark.cli.meter.target import resolve
from wattmark.core.errors import InputError

URL = "snmp://192.0.2.1/1?model=apc.rpdu2&version=3&privacy=AES256"


def _secret(folder: Path, name: str, text: str) -> Path:
    file = folder / name
    file.write_text(f"{text}\n")
    file.chmod(0o600)
    return file


def test_both_passphrases_of_snmp_come_from_their_own_files(tmp_path: Path) -> None:
    auth, privacy = _secret(tmp_path, "a", "authentication"), _secret(tmp_path, "p", "encryption")
    settings = resolve(URL, None, "reader", auth, None, privacy)
    assert settings.password is not None
    assert settings.privacy_password is not None
    assert (settings.username, settings.password(), settings.privacy_password()) == (
        "reader",
        "authentication",
        "encryption",
    )
    assert "encryption" not in repr(settings)


def test_encryption_has_no_passphrase_of_its_own_unless_one_is_given(tmp_path: Path) -> None:
    settings = resolve(URL, None, "reader", _secret(tmp_path, "a", "authentication"), None)
    assert settings.privacy_password is None


def test_a_passphrase_that_others_can_read_is_refused(tmp_path: Path) -> None:
    file = _secret(tmp_path, "p", "encryption")
    file.chmod(0o644)
    settings = resolve(URL, None, "reader", _secret(tmp_path, "a", "authentication"), None, file)
    assert settings.privacy_password is not None
    with pytest.raises(InputError, match="is readable by other users"):
        settings.privacy_password()


def test_a_meter_of_the_bench_file_takes_no_passphrase_from_options(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="come from the bench file"):
        resolve("pdu", tmp_path / "bench.yaml", None, None, None, tmp_path / "p")
