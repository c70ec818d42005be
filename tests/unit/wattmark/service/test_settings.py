"""Settings: the command line first, then the environment, then defaults; a wrong variable is named."""

from __future__ import annotations

from pathlib import Path

import pytest
from wattmark.core.errors import InputError
from wattmark.service.settings import read_settings


def test_the_command_line_comes_before_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WATTMARK_PORT", "9000")
    monkeypatch.setenv("WATTMARK_NAMES", "lab, bench.example,")
    monkeypatch.setenv("WATTMARK_DATA_DIR", "/srv/w")
    assert read_settings(None, port=None).port == 9000
    assert read_settings(None, port=8401).port == 8401
    assert read_settings(None).names == ("lab", "bench.example")
    assert read_settings(None, names=["x"]).names == ("x",)
    assert read_settings(None).data_dir == Path("/srv/w")
    assert read_settings(Path("/d")).data_dir == Path("/d")


@pytest.mark.parametrize("value", ["x", "-1", "65536"])
def test_a_wrong_variable_is_named(monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    monkeypatch.setenv("WATTMARK_PORT", value)
    with pytest.raises(InputError, match=f"WATTMARK_PORT='{value}'"):
        read_settings(Path("/d"))


def test_a_user_without_a_home_is_told_what_to_give(monkeypatch: pytest.MonkeyPatch) -> None:
    """Row 19 of the review: a container platform starts programs as a number that no user has."""
    for variable in ("HOME", "XDG_DATA_HOME", "WATTMARK_DATA_DIR"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setattr("os.getuid", lambda: 1_234_567)
    with pytest.raises(InputError, match=r"user 1234567 has no name .* Set --data DIR or WATTMARK_DATA_DIR"):
        read_settings(None)
    assert read_settings(Path("/d")).data_dir == Path("/d")
    monkeypatch.setenv("XDG_DATA_HOME", "/x")
    assert read_settings(None).data_dir == Path("/x/wattmark")
