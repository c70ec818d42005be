"""Settings come from the environment; secrets from there or from a private file, and appear nowhere."""

from __future__ import annotations

from pathlib import Path

import pytest
from wattmark.core.errors import InputError
from wattmark.fleet.clickhouse.settings import read_clickhouse_settings

URL = "http://ch.lab:8123"


def settings_with(monkeypatch: pytest.MonkeyPatch, **variables: str):
    for name, value in variables.items():
        monkeypatch.setenv(f"WATTMARK_CLICKHOUSE_{name}", value)
    return read_clickhouse_settings()


def test_without_an_address_there_is_no_server(monkeypatch):
    assert settings_with(monkeypatch, PASSWORD="p") is None


def test_the_target_has_address_and_database(monkeypatch):
    settings = settings_with(monkeypatch, URL="https://proxy.lab/ch/", DATABASE="power", PASSWORD="s3cret")
    assert settings.target == "https://proxy.lab/ch power"
    assert "s3cret" not in repr(settings)


@pytest.mark.parametrize(
    ("variables", "words"),
    [
        ({"URL": "ch.lab:8123"}, "URL: write it like"),
        ({"URL": "http://user:pass@ch.lab"}, "URL: set user, password"),
        ({"PASSWORD": "s3cret", "PASSWORD_FILE": "/s3cret"}, "set one of"),
        ({"DATABASE": "a; DROP"}, "DATABASE"),
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


def test_a_secret_is_read_from_a_private_file_only(monkeypatch, tmp_path: Path):
    file = tmp_path / "password"
    file.write_text("s3cret\n")
    settings = settings_with(monkeypatch, URL=URL, PASSWORD_FILE=str(file))
    file.chmod(0o644)
    with pytest.raises(InputError, match="secret file of ClickHouse, is readable by other users"):
        settings.check()
    file.chmod(0o600)
    assert settings.secret() == "s3cret"
