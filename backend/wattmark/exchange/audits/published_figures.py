"""Figures as their publishers printed them, for audits: facts with their source, shipped as data."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from ruamel.yaml import YAML


@dataclass(frozen=True, slots=True)
class PrintedFigure:
    """A published figure and where it was printed."""

    value: float
    source: str


def published_figure(
    kind: str, round_name: str | None, submitter: str, system: str, benchmark: str
) -> PrintedFigure | None:
    """Find the published figure of a submission; None where it is not known here."""
    return _figures().get((kind, round_name or "", submitter, system, benchmark))


@cache
def _figures() -> dict[tuple[str, str, str, str, str], PrintedFigure]:
    text = files("wattmark.exchange.audits").joinpath("published_figures.yaml").read_text("utf-8")
    return {
        (group["kind"], group["round"], group["submitter"], system, benchmark): PrintedFigure(
            float(value), group["source"]
        )
        for group in YAML(typ="safe").load(text)
        for system, benchmark, value in group["figures"]
    }
