"""Read the published library from the data that ship with wattmark."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from ruamel.yaml import YAML

from wattmark.comparison.published.article import Article, Check, Remark

ARTICLES = (
    "anandtech-2006-woodcrest",
    "tweakers-2006-apollo5",
    "anandtech-2005-mysql",
    "bmseer-2007-2009",
    "linux-magazin-2003-hammer",
)


@dataclass(frozen=True, slots=True)
class Library:
    """Articles, what in them does not fit together, and which of their derived figures can be recomputed."""

    articles: tuple[Article, ...]
    checks: dict[str, tuple[Check, ...]]
    """By id of the source."""
    remarks: tuple[Remark, ...]


@cache
def load_published() -> Library:
    """Read the library; the data never change while the program runs."""
    articles = tuple(Article.model_validate(YAML(typ="safe").load(_text(f"{name}.yaml"))) for name in ARTICLES)
    checks = {
        source: tuple(Check.model_validate(dict(zip(Check.model_fields, row, strict=True))) for row in rows)
        for source, rows in _json("checks").items()
    }
    return Library(articles, checks, tuple(Remark.model_validate(remark) for remark in _json("remarks")))


def _json(name: str) -> Any:
    return json.loads(_text(f"{name}.json"))


def _text(name: str) -> str:
    return files("wattmark.comparison.published").joinpath("data", name).read_text("utf-8")
