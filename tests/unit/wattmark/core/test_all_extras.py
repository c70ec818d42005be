"""The image and the environment of the tests install everything that a declaration may need."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[4]
EXTRAS: dict[str, list[str]] = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"][
    "optional-dependencies"
]
NAME = re.compile(r"[A-Za-z0-9._-]+")


def packages(requirements: list[str]) -> set[str]:
    return {match[0] for text in requirements if (match := NAME.match(text))}


def test_the_extra_all_brings_every_other_one() -> None:
    (whole,) = EXTRAS["all"]
    named = whole.removeprefix("wattmark[").removesuffix("]").split(",")
    assert sorted(named) == sorted(set(EXTRAS) - {"all"})


@pytest.mark.parametrize("lock", ["requirements.lock", "requirements-dev.lock"])
def test_a_lock_holds_the_packages_of_every_extra_with_hashes_and_names_no_place(lock: str) -> None:
    text = (ROOT / lock).read_text("utf-8")
    locked = set(re.findall(r"^([a-z0-9._-]+)==", text, re.MULTILINE))
    needed = packages([text for name, listed in EXTRAS.items() if name != "all" for text in listed])
    assert needed <= locked
    assert len(re.findall(r"^[a-z0-9._-]+==", text, re.MULTILINE)) <= text.count("--hash=sha256:")
    assert "://" not in text
    assert "index-url" not in text


def test_the_guide_says_what_each_extra_brings() -> None:
    rows = re.findall(r"^\| `([a-z]+)` \| ", (ROOT / "backend/docs/guide/operate.md").read_text("utf-8"), re.MULTILINE)
    assert set(EXTRAS) <= set(rows)
