from __future__ import annotations

from pathlib import Path

import pytest
from wattmark.errors import InputError
from wattmark.inventory.instruments import Bmc
from wattmark.inventory.passwords import read_password


def _bmc(**source: str) -> Bmc:
    return Bmc.model_validate({"id": "bmc", "server": "s", "host": "192.0.2.1", "user": "monitor", **source})


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
    with pytest.raises(InputError, match="can be read by others") as caught:
        read_password(_bmc(password_file="bmc.secret"), tmp_path, {})
    assert caught.value.remedy == f"chmod 600 {file}"
    assert "hunter2" not in str(caught.value)


@pytest.mark.parametrize("text", ["", "\n", "two\nlines\n"])
def test_a_file_must_hold_exactly_one_line(tmp_path: Path, text: str) -> None:
    file = tmp_path / "bmc.secret"
    file.write_text(text)
    file.chmod(0o600)
    with pytest.raises(InputError, match="must hold one line"):
        read_password(_bmc(password_file="bmc.secret"), tmp_path, {})


def test_an_absent_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"absent\.secret of bmc cannot be read: No such file"):
        read_password(_bmc(password_file="absent.secret"), tmp_path, {})
