"""Whatever a declaration, a parameter or a level holds arrives at the program as it was written, here and over SSH."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path
from typing import Any, get_args
from uuid import uuid4

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError
from wattmark.core.errors import WorkloadFailed
from wattmark.workloads.catalogue import list_workloads
from wattmark.workloads.declaration import Declaration
from wattmark.workloads.local.local import LocalTrigger
from wattmark.workloads.parameters import Parameter, ParameterKind
from wattmark.workloads.placeholders import names_in
from wattmark.workloads.ssh.load_script import ENDED, environment_lines, load_command
from wattmark.workloads.trigger import OutputLine
from wattmark_drivers.clock import SystemClock

from tests.examples import WITHOUT_SHRINKING

NASTY = (
    *("; touch X", "$(touch X)", "`touch X`", "| touch X", "&& touch X", "> X", "\n touch X\n", "\r", "*", "~"),
    *("'", '"', "' ; touch X ; '", '"; touch X; "', "\\", "\\'", "'\\''", "$'\\x41'", "!!", "$IFS", "${PATH}"),
    *("{seconds}", "{x", "%s", "-rf", "--", "#", "é", "\u2028", "\x1b[31m", "\x7f", "\t", " ", "a=b", "$0", "$@"),
    *("\x01", "🦆", "\u202e"),
)
words = st.one_of(
    st.sampled_from(NASTY),
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=30),
    st.lists(st.sampled_from(NASTY), min_size=1, max_size=4).map("".join),
).filter(lambda word: names_in(word) <= {"seconds"})
"""A placeholder other than {seconds} would be filled in or, where it is one misspelt, refused."""
IN_DIGITS = "import os, sys; print(os.fsencode(chr(0).join(sys.argv[1:])).hex())"
"""A program that prints its arguments so that no colour in them is taken out of what it prints."""
few = settings(max_examples=12, phases=WITHOUT_SHRINKING)


def declared(arguments: list[str]) -> Declaration:
    return Declaration.model_validate(
        {
            "id": "own",
            "title": "Own",
            "unit": "ops",
            "command": ["printf", r"%s\0", *arguments],
            "parser": {"kind": "regex", "pattern": "(?P<value>.)", "reports": "total"},
        }
    )


def as_filled(argument: str) -> str:
    return argument.replace("{seconds}", "5")


@few
@given(st.lists(words, min_size=1, max_size=20))
def test_arguments_arrive_here_as_they_were_written(tmp_path: Path, arguments: list[str]) -> None:
    before = set(tmp_path.iterdir())
    _, _, *filled = declared(arguments).argv(level=1, seconds=5, cpus=2)
    (line,) = printed((sys.executable, "-c", IN_DIGITS, *filled), tmp_path)
    assert bytes.fromhex(line).decode() == "\0".join(map(as_filled, arguments))
    assert set(tmp_path.iterdir()) == before


def printed(argv: tuple[str, ...], folder: Path) -> list[str]:
    async def run() -> list[str]:
        lines: list[OutputLine] = []
        async with LocalTrigger(SystemClock(), folder).start(argv, lines.append) as execution:
            assert (await execution.wait())[0] == 0
        return [line.text for line in lines]

    return asyncio.run(run())


@pytest.mark.parametrize("shell", ["sh", "bash"])
@few
@given(st.lists(words, min_size=1, max_size=20), words.filter(lambda word: "\n" not in word))
def test_arguments_and_variables_arrive_elsewhere_as_they_were_written(
    shell: str, tmp_path: Path, arguments: list[str], value: str
) -> None:
    """The command line is given to a shell as sshd gives it to the shell of the user."""
    before = set(tmp_path.iterdir())
    argv = declared(arguments).argv(level=1, seconds=5, cpus=2)
    marker = f"test.{uuid4().hex}"  # the script ends for a second what carries the marker of a load that is over
    command = load_command(["sh", "-c", r'"$@"; printf "%s\0" "$NASTY"', "sh", *argv], marker, str(tmp_path), 0)
    with subprocess.Popen(
        [shell, "-c", command], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=tmp_path
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdin.write(environment_lines({"NASTY": value}))
        process.stdin.flush()
        output = process.stdout.read()
        assert ENDED.encode() in process.stderr.read()
    assert process.returncode == 0
    assert output == "\0".join([*map(as_filled, arguments), value, ""]).encode()
    assert set(tmp_path.iterdir()) == before


@settings(deadline=None)
@given(words)
def test_a_parameter_stays_inside_its_argument(value: str) -> None:
    for declaration in list_workloads():
        changed = {
            key: parameter.model_copy(update={"default": value}) for key, parameter in declaration.parameters.items()
        }
        filled = declaration.model_copy(update={"parameters": changed}).argv(level=2, seconds=5, cpus=2)
        assert len(filled) == len(declaration.command)
        for key, parameter in declaration.parameters.items():
            if parameter.accepts(value):
                alone = [word for word in declaration.command if word == f"{{{key}}}"]
                assert not (alone and value.startswith("-"))
                assert value.isprintable()
                assert parameter.kind != "path" or ":" not in value, "fio takes it for a list of files"


BOUNDS: dict[str, dict[str, Any]] = {"integer": {"low": 0, "high": 9}, "choice": {"choices": ("a",)}}


@pytest.mark.parametrize("kind", get_args(ParameterKind))
@pytest.mark.parametrize("value", ["a\0b", "a\nb", "\x1b[31m", "-rf", "two words", "\ud800", "", "a=b", "a,b", "$(a)"])
def test_no_parameter_takes_what_could_be_something_else(value: str, kind: ParameterKind) -> None:
    assert not Parameter(help="any", kind=kind, **BOUNDS.get(kind, {})).accepts(value)


@pytest.mark.parametrize("value", ["a\0b", "a\nb", "\x1b[31m", "-rf", "\ud800"])
def test_no_pattern_lets_in_an_option_or_what_cannot_be_seen(value: str) -> None:
    assert not Parameter(help="any", kind="text", pattern="[^x]+").accepts(value)


@pytest.mark.parametrize("argument", ["a\0b", "\ud800"])
def test_what_cannot_be_an_argument_is_refused(argument: str) -> None:
    with pytest.raises(ValidationError):
        declared([argument])


@pytest.mark.parametrize("change", [{"A B": "x"}, {"A": "x\ny"}, {"A": "x\0y"}, {"A=B": "x"}, {"": "x"}])
def test_what_cannot_be_a_variable_is_refused(change: Any) -> None:
    with pytest.raises(WorkloadFailed, match="cannot be passed on"):
        environment_lines(change)
