"""The support table in the README is the one that the declarations give."""

from __future__ import annotations

from pathlib import Path

from wattmark_drivers.catalogue import load_catalogue, support_table
from wattmark_drivers.catalogue.support_table import with_support_table

README = Path(__file__).parents[3] / "drivers" / "README.md"


def test_the_support_table_is_up_to_date():
    text = README.read_text("utf-8")
    assert text == with_support_table(text), "run make openapi"


def test_everything_around_the_table_stays():
    text = README.read_text("utf-8")
    assert with_support_table(text.replace(support_table(), "| an old table |\n")) == text


def test_the_support_table_has_every_model():
    assert all(f"| `{model}` |" in support_table() for model in load_catalogue())
