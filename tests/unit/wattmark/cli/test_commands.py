"""The table of commands: each line leads to a command, and help imports none of them."""

from __future__ import annotations

import subprocess
import sys

import pytest
from wattmark.cli.commands import GROUPS
from wattmark.cli.lazy import DeferredCommand, Entry
from wattmark.cli.main import build

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


def said(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """Return what a wrong use is answered with, on one line."""
    with pytest.raises(SystemExit) as ended:
        build()(args=list(arguments), prog_name="wattmark")
    assert ended.value.code == 2
    return " ".join(capsys.readouterr().err.split())


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("foo",), "wattmark has no command 'foo'. `wattmark --help` lists the commands."),
        (("meassure",), "Did you mean measure"),
        (("cert",), "Did you mean certificate"),
        (("dimm",), "Did you mean memory?"),
        (("meter", "lst"), "wattmark meter has no command 'lst'."),
        (("results", "--format", "tabel"), "'tabel' is not one of: table, json, csv, md"),
        (("results", "--format", "tabel"), "Did you mean table?"),
        (("figure", "compar"), "Did you mean compare?"),
        (("compare", "--smallest", "abc"), "'abc' is not a number in %."),
        (("alarms", "--limit", "many"), "'many' is not a whole number."),
        (("alarms", "--limit", "0"), "'0': it must be greater than or equal to 1."),
    ],
)
def test_a_wrong_word_is_answered_in_plain_words(
    capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], words: str
) -> None:
    answer = said(capsys, *arguments)
    assert words in answer
    assert "Value error" not in answer
    assert "Input should" not in answer
