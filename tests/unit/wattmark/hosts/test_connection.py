"""Files of keys that cannot be read are said so before a connection is tried, with what to do."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest
from wattmark.core.errors import WorkloadFailed
from wattmark.hosts.address import SshAddress
from wattmark.hosts.connection import SshConnection

REMEDY = "Let the user of wattmark read it and enter its folders, or set {} of the server in the bench file."


async def refusal(folder: Path, **files: str) -> WorkloadFailed:
    address = SshAddress(host="127.0.0.1", port=1, user="lab", **files)
    with pytest.raises(WorkloadFailed) as caught:
        await SshConnection(address, folder).open()
    return caught.value


@pytest.fixture
def known_hosts(tmp_path: Path) -> Path:
    file = tmp_path / "known_hosts"
    file.write_text("")
    return file


async def test_a_file_that_this_user_may_not_read(
    known_hosts: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "access", lambda *_: False)  # root may read everything
    error = await refusal(tmp_path, known_hosts="known_hosts")
    assert error.cause == f"The host key file, {known_hosts}, cannot be read: Permission denied."
    assert error.remedy == REMEDY.format("known_hosts")


async def test_a_folder_that_this_user_may_not_enter(
    known_hosts: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_entry(file: Path) -> os.stat_result:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(file))

    monkeypatch.setattr(Path, "stat", no_entry)
    error = await refusal(tmp_path, known_hosts="known_hosts")
    assert error.cause == f"The host key file, {known_hosts}, cannot be read: Permission denied."


async def test_a_key_that_cannot_be_reached(known_hosts: Path, tmp_path: Path) -> None:
    (tmp_path / "key").symlink_to("key")
    error = await refusal(tmp_path, known_hosts=str(known_hosts), identity_file="key")
    assert error.cause.startswith(f"The key file of lab@127.0.0.1:1, {tmp_path / 'key'}, cannot be read: ")
    assert error.remedy == REMEDY.format("identity_file")


async def test_a_folder_is_no_file_of_keys(known_hosts: Path, tmp_path: Path) -> None:
    error = await refusal(tmp_path, known_hosts=str(known_hosts), identity_file=".")
    assert (error.cause.endswith("does not exist."), error.remedy) == (True, "Correct identity_file.")


async def test_a_user_without_a_home_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_home(file: Path) -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "expanduser", no_home)
    error = await refusal(tmp_path)
    assert error.cause == (
        "The user of wattmark has no home folder, in which ~/.ssh/known_hosts for lab@127.0.0.1:1 would be."
    )
    assert error.remedy == "Set known_hosts of the server in the bench file to a whole path."
