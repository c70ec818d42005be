"""The page of messages says what the source says: errors with remedies, refusals, verdicts, mistakes of the input."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from wattmark.service.messages import Message, Room, collect, error_classes, page

ERRORS = "class InputError(WattmarkError): ...\n"


def room(source: str) -> Room:
    tree = ast.parse(ERRORS + source)
    collect(tree, error_classes([tree]), filled := Room())
    return filled


def test_an_error_with_its_remedy() -> None:
    source = 'raise InputError(f"There is no run {name[:80]!r}.", "List them: wattmark results.")'
    assert room(source).groups["Errors"] == {
        Message("There is no run ….", "List them: wattmark results.", "InputError")
    }


def test_errors_of_derived_classes_and_of_helpers() -> None:
    source = (
        "class Gone(InputError): ...\n"
        'raise Gone("It is gone now.")\n'
        'raise self.refused(meter, f"it reads {w} W", "Switch it on now.")'
    )
    assert room(source).groups["Errors"] == {
        Message("It is gone now.", "", "Gone"),
        Message("it reads … W", "Switch it on now.", ""),
    }


def test_both_ways_of_a_conditional_and_constants() -> None:
    source = 'UNIT = "watts"\nraise InputError("Too many meters." if many else f"Give {UNIT} and no other.")'
    texts = {message.text for message in room(source).groups["Errors"]}
    assert texts == {"Too many meters.", "Give watts and no other."}


def test_a_refusal_by_its_code_and_a_mistake_of_the_input() -> None:
    filled = room('raise Refused("no-peak", "There is no peak here.")\nraise ValueError("is no known unit")')
    assert filled.groups["Refusals"] == {Message("There is no peak here.", "", "no-peak")}
    assert filled.groups["Input"] == {Message("is no known unit", "", "")}
    assert not filled.groups["Errors"]


def test_a_verdict_by_its_rule() -> None:
    source = (
        'RULE = "steady"\n'
        "def judge(x):\n"
        '    """Return the verdict."""\n'
        '    text = f"Power drifts by {x} %."\n'
        '    return Verdict(RULE, x, 1.0, "%", "fail", text)\n'
    )
    assert room(source).groups["Verdicts"] == {Message("Power drifts by … %.", "", "steady")}


@pytest.mark.parametrize("source", ["raise InputError(str(error), error.remedy)", 'raise InputError(f"{error}")'])
def test_what_only_passes_on_words_is_counted(source: str) -> None:
    filled = room(source)
    assert (filled.groups["Errors"], filled.passed_on) == (set(), 1)


def test_the_page_is_by_room_and_a_cell_stays_one_cell(tmp_path: Path) -> None:
    (tmp_path / "bench").mkdir()
    (tmp_path / "bench/file.py").write_text(ERRORS + 'raise InputError("Write a|b here.", "Or not.")')
    text = page({"": tmp_path})
    assert "## bench" in text
    assert "| Write a\\|b here. | Or not. | InputError |" in text
