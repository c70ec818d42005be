"""The documents in a wheel or an image are those of its sources: from what `make` builds them again."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SITE = "backend/wattmark/_docs/index.html"
MESSAGES, ROUTES = "backend/docs/messages.md", "backend/docs/api-reference.md"


@pytest.fixture(scope="module")
def rules() -> dict[str, list[str]]:
    """Return what `make` builds each file from, without building it."""
    base = subprocess.run(
        ["make", "--print-data-base", "--question", SITE], cwd=ROOT, capture_output=True, text=True, check=False
    )
    lines = (line.partition(": ") for line in base.stdout.splitlines() if not line.startswith(("\t", "#")))
    return {target: sources.split() for target, _, sources in lines}


@pytest.mark.parametrize(
    ("built", "source"),
    [
        (SITE, "backend/docs/index.md"),
        (SITE, "backend/docs/guide"),  # newer than the site where one of its pages was deleted
        (SITE, "backend/docs/site/conf.py"),
        (SITE, "frontend/public/mark.svg"),
        (SITE, MESSAGES),
        (SITE, ROUTES),
        (MESSAGES, "backend/wattmark/core/errors.py"),
        (MESSAGES, "drivers/wattmark_drivers/errors.py"),
        (ROUTES, "frontend/openapi.json"),
    ],
)
def test_what_changes_is_built_again(rules: dict[str, list[str]], built: str, source: str) -> None:
    assert (ROOT / source).exists() or source in rules
    assert source in rules[built]


def test_an_image_takes_nothing_that_was_built_outside_it() -> None:
    kept_out = (ROOT / ".dockerignore").read_text().split()
    assert {"backend/wattmark/_docs", "backend/wattmark/_ui"} <= set(kept_out)
