"""A shell completes what is typed: bash itself, on a terminal, with the script that the program prints."""

from __future__ import annotations

import os
import pty
import select
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

WATTMARK = Path(sys.executable).with_name("wattmark")
PATIENCE_S = 60


class Bash:
    """An interactive bash without any file of a user, which has loaded the completion."""

    def __init__(self, folder: Path) -> None:
        (folder / "inputrc").write_text("set bell-style none\nset completion-query-items 0\nset page-completions off\n")
        variables = {
            "PATH": f"{WATTMARK.parent}:{os.environ['PATH']}",
            "HOME": str(folder),
            "INPUTRC": str(folder / "inputrc"),
            "PS1": "ready> ",
            "TERM": "dumb",
            "COLUMNS": "200",
        }
        self._host, shell = pty.openpty()
        self._process = subprocess.Popen(
            ["bash", "--norc", "--noprofile", "-i"],
            stdin=shell,
            stdout=shell,
            stderr=shell,
            env=variables,
            cwd=folder,
            start_new_session=True,
        )
        os.close(shell)
        self._until("ready> ")
        self.type('eval "$(wattmark completion bash)"\n')
        self._until("ready> ")

    def type(self, keys: str) -> None:
        os.write(self._host, keys.encode())

    def shown(self, keys: str, *, until: str) -> str:
        """Type keys, and read what stands on the terminal when ``until`` is there."""
        self.type(keys)
        return self._until(until)

    def _until(self, text: str) -> str:
        seen, end = "", time.monotonic() + PATIENCE_S
        while text not in seen:
            assert time.monotonic() < end, seen
            if select.select([self._host], [], [], 0.2)[0]:
                seen += os.read(self._host, 65536).decode("utf-8", "replace")
        return seen

    def end(self) -> None:
        self._process.kill()
        self._process.wait()
        os.close(self._host)


@pytest.fixture
def bash(tmp_path: Path) -> Iterator[Bash]:
    (tmp_path / "lab.yaml").write_text("")
    shell = Bash(tmp_path)
    yield shell
    shell.end()


def test_bash_completes_commands_options_values_and_files(bash: Bash) -> None:
    assert "wattmark certificate " in bash.shown("wattmark certi\t", until="certificate ")
    bash.type("\x15")
    assert "wattmark results --window-rule " in bash.shown("wattmark results --window\t", until="--window-rule ")
    bash.type("\x15")
    listed = bash.shown("wattmark table load-\t", until="load-levels ")
    assert "wattmark table load-levels " in listed
    bash.type("\x15")
    assert "wattmark bench check lab.yaml " in bash.shown("wattmark bench check la\t", until="lab.yaml ")


def test_two_tabs_list_what_can_follow(bash: Bash) -> None:
    listed = bash.shown("wattmark queue \t\t", until="remove")
    assert {"list", "add", "move", "remove"} <= set(listed.split())


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_each_script_is_one_that_its_shell_reads(shell: str) -> None:
    script = subprocess.run([WATTMARK, "completion", shell], capture_output=True, text=True, check=True).stdout
    assert "_WATTMARK_COMPLETE" in script
    program = shutil.which(shell)
    if program is not None:  # bash is always there
        subprocess.run([program, "-n"], input=script, text=True, check=True)


@pytest.mark.parametrize(
    ("shell", "variables"),
    [
        ("bash", {"COMP_WORDS": "wattmark\nfigure\ncom", "COMP_CWORD": "2"}),
        ("zsh", {"_TYPER_COMPLETE_ARGS": "wattmark figure com"}),
        ("fish", {"_TYPER_COMPLETE_ARGS": "wattmark figure com", "_TYPER_COMPLETE_FISH_ACTION": "get-args"}),
    ],
)
def test_each_shell_is_answered(shell: str, variables: dict[str, str]) -> None:
    asked = {**os.environ, "_WATTMARK_COMPLETE": f"complete_{shell}", **variables}
    done = subprocess.run([WATTMARK], capture_output=True, text=True, env=asked, check=True)
    assert "compare" in done.stdout
    assert done.stderr == ""


def test_an_unknown_shell_names_those_that_are_known() -> None:
    done = subprocess.run([WATTMARK, "completion", "tcsh"], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "'tcsh' is not one of: bash, zsh, fish." in done.stderr
