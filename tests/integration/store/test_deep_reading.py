"""What its own reader refuses is named by `wattmark doctor`, with a remedy that works while no service runs."""

from __future__ import annotations

import json
import shutil
import subprocess
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from wattmark.service.doctor.folder import folder as examined
from wattmark.service.doctor.stored import SUBJECT

from ..service.conftest import WATTMARK
from .sound_folder import OTHERS, SPOILT, fill, rows, served
from .unreadable import NO_UNCERTAINTY, UNREADABLE, write

NOW = datetime(2026, 11, 23, tzinfo=UTC)


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("sound")
    fill(made)
    return made / "data"


@pytest.fixture
def data(sound: Path, tmp_path: Path) -> Path:
    shutil.copytree(sound, tmp_path / "data")
    return tmp_path / "data"


def findings_of(data: Path) -> list[tuple[str, str, str]]:
    findings = [finding for finding in examined(data, NOW, deep=True) if finding.subject == SUBJECT]
    return [(finding.state, finding.found, finding.remedy) for finding in findings]


def wattmark(data: Path, *arguments: str, code: int = 0) -> Any:
    command = [WATTMARK, *arguments, "--data", str(data)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == code, done
    return json.loads(done.stdout)


def test_a_sound_folder_can_be_read_whole(data: Path) -> None:
    assert findings_of(data) == [("ok", "all readable", "")]


@pytest.mark.parametrize("sql", UNREADABLE)
def test_what_its_reader_refuses_is_named_with_its_remedy(data: Path, sql: str) -> None:
    name, remedy = UNREADABLE[sql]
    write(data, sql)
    ((state, cause, advice),) = findings_of(data)
    assert (state, cause[: len(name)]) == ("problem", name)
    assert " cannot be read: " in cause
    assert remedy in advice


def test_a_run_that_cannot_be_read_goes_to_the_trash_by_command(data: Path) -> None:
    write(data, NO_UNCERTAINTY)
    findings = wattmark(data, "doctor", "--deep", "--json", code=1)["findings"]
    ((remedy),) = [finding["remedy"] for finding in findings if finding["subject"] == SUBJECT]
    assert f"wattmark trash {SPOILT}." in remedy
    assert [run["run_id"] for run in wattmark(data, "trash", SPOILT, "--json")["runs"]] == [SPOILT]
    assert {run["run_id"] for run in wattmark(data, "results", "--format", "json")["results"]} == set(OTHERS)
    assert [run["run_id"] for run in wattmark(data, "trash", "--json")["runs"]] == [SPOILT]
    assert wattmark(data, "trash", "--restore", SPOILT, "--json")["runs"] == []
    acts = [(act["action"], act["target"]) for act in wattmark(data, "audit", "--json")]
    assert acts == [("trash restore", SPOILT), ("trash", SPOILT)]


def test_a_row_of_the_list_that_cannot_be_read_is_made_again(data: Path) -> None:
    """It is derived from record and statement, so there is nothing to tell."""
    with served(data) as client:
        before = rows(client)
    write(data, f"UPDATE result_row SET line = 'x' WHERE run_id = '{SPOILT}'")
    assert findings_of(data) == [("ok", "all readable", "")]
    with served(data) as client:
        assert rows(client) == before
