"""A mail to a sendmail: one that a test has put into the path, and that does as it is told."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from wattmark.notices import sendmail as sendmail_module
from wattmark.notices.post import NotTold
from wattmark.notices.sendmail import send_mail

Install = Callable[[str], Path]


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Install:
    """Make a script the only sendmail of this machine."""

    def put(script: str) -> Path:
        program = tmp_path / "sendmail"
        program.write_text(f"#!/bin/sh\n{script}\n")
        program.chmod(0o755)
        monkeypatch.setattr(sendmail_module, "PLACES", str(tmp_path))
        monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
        return tmp_path

    return put


def test_the_mail_and_its_recipients_arrive_and_none_is_an_option(install: Install) -> None:
    folder = install('printf "%s\\n" "$@" > "$(dirname "$0")/words"; cat > "$(dirname "$0")/mail"')
    send_mail(b"Subject: x\r\n\r\nbody\r\n", ["a@example.org", "root"], "w@example.org")
    assert (folder / "mail").read_bytes() == b"Subject: x\r\n\r\nbody\r\n"
    assert (folder / "words").read_text().split("\n")[:-1] == [
        "-i",
        "-f",
        "w@example.org",
        "--",
        "a@example.org",
        "root",
    ]


def test_a_failure_says_what_the_program_said(install: Install) -> None:
    install("echo 'no mail system here' >&2; exit 75")
    with pytest.raises(NotTold, match="sendmail ended with code 75: no mail system here"):
        send_mail(b"x" * 10**6, ["root"], None)


def test_what_the_program_says_of_its_configuration_and_of_people_is_not_repeated(install: Install) -> None:
    filler = "x" * 170
    install(f"echo 'smtp://lab:hunter2@mail.lab: a@example.org is refused {filler} //lab:hunter2@mail' >&2; exit 1")
    with pytest.raises(NotTold) as caught:
        send_mail(b"x", ["a@example.org"], None)
    assert "smtp://***@mail.lab: ***@example.org is refused" in caught.value.cause
    assert "hunter2" not in caught.value.cause
    assert len(caught.value.cause) < 260


def test_one_that_hangs_is_ended_with_all_that_it_started(install: Install) -> None:
    folder = install('sleep 300 & echo $! > "$(dirname "$0")/child"; wait')
    begin = time.monotonic()
    with pytest.raises(NotTold, match="took longer than"):
        send_mail(b"x", ["root"], None, timeout_s=1.0)
    assert time.monotonic() - begin < 20
    child = Path(f"/proc/{(folder / 'child').read_text().strip()}")
    deadline = time.monotonic() + 20
    while child.exists() and "State:\tZ" not in (child / "status").read_text():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_a_machine_without_one_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sendmail_module, "PLACES", str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(NotTold) as caught:
        send_mail(b"x", ["root"], None)
    assert "msmtp-mta" in caught.value.remedy
