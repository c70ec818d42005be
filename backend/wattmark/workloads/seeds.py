"""Which workloads of published articles can be run today, and why the others cannot."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.resources import files

from pydantic import TypeAdapter
from ruamel.yaml import YAML

from wattmark.core.part import Part, Word


class PublishedOnly(Part):
    """A published workload that cannot be run today."""

    title: Word
    reason: Word


@cache
def published_only() -> Mapping[str, PublishedOnly]:
    """Load the workloads that exist only in publications, by their id."""
    text = (files(__package__) / "published_only.yaml").read_text("utf-8")
    return TypeAdapter(dict[str, PublishedOnly]).validate_python(YAML(typ="safe").load(text))
