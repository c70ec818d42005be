from pathlib import Path

import pytest
from wattmark_drivers.simulators import control


@pytest.fixture
def token_file(tmp_path: Path) -> str:
    path = tmp_path / "token"
    path.write_text("secret")
    return str(path)


@pytest.mark.parametrize(
    "words",
    [
        [],
        ["server=sut"],
        ["server=sut", "dimms="],
        ["server=sut", "dimms=-1"],
        ["server=sut", "dimms=4", "dimms=8"],
        ["server=sut", "dimms=4", "colour=red"],
        ["server=", "dimms=4"],
        ["sut", "4"],
        ["server=sut", "dimms=٤"],
    ],
)
def test_wrong_arguments_are_one_line_and_code_2(
    words: list[str], token_file: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert control.main(["127.0.0.1:1", token_file, *words]) == 2
    assert capsys.readouterr().err.count("\n") == 1


@pytest.mark.parametrize("address", ["127.0.0.1", "nowhere:", ":1", "host:x"])
def test_a_wrong_address_is_code_2(address: str, token_file: str) -> None:
    assert control.main([address, token_file, "server=sut", "dimms=4"]) == 2


def test_a_missing_token_file_is_code_2(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert control.main(["127.0.0.1:1", str(tmp_path / "none"), "server=sut", "dimms=4"]) == 2
    assert "token file" in capsys.readouterr().err


def test_no_simulator_is_code_1(token_file: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert control.main(["127.0.0.1:1", token_file, "server=sut", "dimms=4"]) == 1
    assert "Check that the simulator is running." in capsys.readouterr().err
