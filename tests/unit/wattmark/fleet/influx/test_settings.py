"""Settings come from the environment; secrets from there or from a private file, and appear nowhere."""

from __future__ import annotations

from pathlib import Path

import pytest
from wattmark.core.errors import InputError
from wattmark.fleet.influx.settings import read_influx_settings

URL = "http://influx.lab:8086"


def settings_with(monkeypatch: pytest.MonkeyPatch, **variables: str):
    for name, value in variables.items():
        monkeypatch.setenv(f"WATTMARK_INFLUX_{name}", value)
    return read_influx_settings()


def test_without_an_address_there_is_no_server(monkeypatch):
    assert settings_with(monkeypatch, TOKEN="t") is None


def test_a_base_path_is_kept(monkeypatch):
    settings = settings_with(monkeypatch, URL="https://proxy.lab/insert/0/influx/", DATABASE="power")
    assert settings.url == "https://proxy.lab/insert/0/influx"
    assert settings.target == "https://proxy.lab/insert/0/influx power"


@pytest.mark.parametrize(
    ("variables", "words"),
    [
        ({"URL": "influx.lab:8086"}, "URL: write it like"),
        ({"URL": "http://user:pass@influx.lab"}, "URL: set user, password"),
        ({"URL": "ftp://influx.lab"}, "URL: write it like"),
        ({"TOKEN": "s3cret", "PASSWORD": "s3cret", "USER": "u"}, "set one of"),
        ({"USER": "u"}, "together"),
        ({"PASSWORD": "s3cret"}, "together"),
        ({"ROLE": "both"}, "ROLE"),
        ({"BATCH": "0"}, "BATCH"),
        ({"TIMEOUT_S": "s3cret"}, "TIMEOUT_S"),
    ],
)
def test_mistakes_are_named_without_their_values(monkeypatch, variables, words):
    with pytest.raises(InputError) as refused:
        settings_with(monkeypatch, **{"URL": URL, **variables})
    assert words in str(refused.value)
    assert "s3cret" not in str(refused.value)
    assert refused.value.remedy


def test_a_secret_is_read_from_a_private_file_only(monkeypatch, tmp_path: Path):
    file = tmp_path / "token"
    file.write_text("s3cret\n")
    settings = settings_with(monkeypatch, URL=URL, TOKEN_FILE=str(file))
    file.chmod(0o644)
    with pytest.raises(InputError, match="chmod 600"):
        settings.check()
    file.chmod(0o600)
    assert settings.secret() == "s3cret"
    file.write_text("two words\n")
    with pytest.raises(InputError, match="only the token"):
        settings.check()
    file.unlink()
    with pytest.raises(InputError, match="cannot be read"):
        settings.check()


def test_missing_certificates_are_named(monkeypatch, tmp_path: Path):
    with pytest.raises(InputError, match=r"ca\.pem does not exist"):
        settings_with(monkeypatch, URL=URL, CA_FILE=str(tmp_path / "ca.pem")).check()


def test_secrets_do_not_appear(monkeypatch):
    settings = settings_with(monkeypatch, URL=URL, TOKEN="s3cret")
    assert "s3cret" not in repr(settings) + str(settings) + settings.target + settings.model_dump_json()
    assert settings.secret() == "s3cret"
