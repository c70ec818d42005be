"""Memory slots as a drawing: channels as columns in the order of a board, empty bays visible."""

from __future__ import annotations

import xml.etree.ElementTree as ET

from wattmark.reports.figures.slot_board import Board, draw_board, populated

RDIMM = {"type": "RDIMM", "capacity_gib": 16.0, "speed_mts": 3200}


def board(*slots: str, fitted: tuple[str, ...]) -> Board:
    modules = [{"slot": slot, "channel": slot.rstrip("0123456789")} for slot in slots]
    return Board("X", tuple(module | (RDIMM if module["slot"] in fitted else {}) for module in modules))


def test_a_channel_is_a_column_and_10_comes_after_2() -> None:
    drawing = ET.fromstring(draw_board(board("B1", "A10", "A2", fitted=("A2",))))
    texts = {text.get("class"): [] for text in drawing.iter("text")}
    for text in drawing.iter("text"):
        texts[text.get("class")].append((float(text.get("x")), float(text.get("y")), text.text))
    assert [name for _, _, name in sorted(texts["channel"])] == ["A", "B"]
    assert [name for _, _, name in texts["slot"]] == ["2", "10", "1"]
    assert texts["slot"][0][1] < texts["slot"][1][1], "one above the other"
    assert [words for _, _, words in texts["module"]] == ["16 GiB RDIMM", None, None]
    assert [rect.get("class") for rect in drawing.iter("rect")] == ["bay", "bay empty", "bay empty"]


def test_a_population_is_said_in_words() -> None:
    assert populated(board("A1", "A2", "B1", "B2", fitted=("A1", "B1")).modules) == (
        "2 of 4 slots: 2 x RDIMM 16 GiB, 3200 MT/s"
    )
    assert populated(board("A1", "A2", fitted=()).modules) == "0 of 2 slots"
    assert (populated(()), draw_board(Board("none"))) == ("", "")


def test_names_are_escaped() -> None:
    nasty = '<script>&"'
    drawn = draw_board(Board(nasty, ({"slot": nasty, "channel": nasty, "type": nasty},)))
    assert "<script" not in drawn
    assert [text.text for text in ET.fromstring(drawn).iter("text")] == [nasty, nasty, nasty]
