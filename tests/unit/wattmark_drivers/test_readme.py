"""The support table in the README is the one that the declarations give."""

from __future__ import annotations

from pathlib import Path

from wattmark_drivers.catalogue import load_catalogue, support_table

README = Path(__file__).parents[3] / "drivers" / "README.md"


def test_the_support_table_is_up_to_date():
    text = README.read_text("utf-8")
    written = text.split("<!-- support table:")[1].split("-->\n", 1)[1].split("<!-- end of support table -->")[0]
    assert written == support_table()


def test_the_support_table_has_every_model():
    assert all(f"| `{model}` |" in support_table() for model in load_catalogue())
