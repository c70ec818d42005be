"""The bench file checked against what this installation knows: its driver catalogue."""

from __future__ import annotations

from pathlib import Path

from wattmark_drivers.catalogue import load_catalogue
from wattmark_drivers.catalogue.declaration import Declaration
from wattmark_drivers.errors import ConfigurationError
from wattmark_drivers.identity import power_accuracy

from wattmark.appliance.instruments import check_meter_lines, instrument_mistakes
from wattmark.inventory.bench import Bench
from wattmark.inventory.load import load_bench, parse_bench
from wattmark.inventory.out import ModelFacts
from wattmark.inventory.references import Mistake
from wattmark.inventory.yaml_source import Source


def load_known_bench(path: Path) -> Bench:
    """Read a bench file and check it, meter models included. Raises `InputError`."""
    return load_bench(path, known_models=lambda: tuple(load_catalogue()))


def check_bench(source: Source, path: Path) -> Bench:
    """Check a bench that the appliance is to work with at once: meters can be made from it. Raises `BenchError`."""
    return parse_bench(source, path, tuple(load_catalogue()), _unworkable)


def _unworkable(bench: Bench) -> list[Mistake]:
    if found := list(instrument_mistakes(bench)):
        return found
    try:
        check_meter_lines(bench)
    except ConfigurationError as error:
        return [Mistake(("meters",), str(error))]
    return []


def model_facts(model: str) -> ModelFacts:
    """Say what the driver catalogue knows about a model."""
    declaration = load_catalogue()[model]
    accuracy = power_accuracy(declaration, None)
    return ModelFacts(
        title=declaration.title,
        indicative=declaration.indicative,
        accuracy=_accuracy_text(declaration),
        accuracy_source=accuracy.source if accuracy else None,
    )


def _accuracy_text(declaration: Declaration) -> str | None:
    accuracy = power_accuracy(declaration, None)
    if accuracy is None:
        return None
    terms = [
        f"{accuracy.reading_pct:g} % of reading" if accuracy.reading_pct else "",
        f"{accuracy.range_pct:g} % of range" if accuracy.range_pct else "",
        f"{accuracy.fixed:g} W" if accuracy.fixed else "",
    ]
    return "± (" + " + ".join(term for term in terms if term) + ")"
