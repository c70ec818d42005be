"""The table of commands: each line leads to a command, and help imports none of them."""

from __future__ import annotations

import subprocess
import sys

import pytest
from wattmark.cli.commands import GROUPS
from wattmark.cli.lazy import DeferredCommand, Entry

HEAVY = ("numpy", "scipy", "fastapi", "pydantic", "rich", "pymodbus", "uvicorn")


@pytest.mark.parametrize("entry", [entry for group in GROUPS for entry in group.entries], ids=lambda entry: entry.name)
def test_each_line_of_the_table_leads_to_a_command(entry: Entry) -> None:
    command = DeferredCommand(entry).load()
    assert command.name == entry.name
    assert command.get_short_help_str()


@pytest.mark.parametrize("option", ["--help", "--version"])
def test_help_and_version_import_nothing_heavy(option: str) -> None:
    code = (
        f"import sys; sys.argv = ['wattmark', {option!r}]\n"
        "from wattmark.cli import main\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        f"print('LOADED', [m for m in {HEAVY!r} if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.endswith("LOADED []\n"), done.stdout
