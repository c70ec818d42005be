"""The bench file checked against what this installation knows: its driver catalogue."""

from __future__ import annotations

from pathlib import Path

from wattmark_drivers.catalogue import load_catalogue
from wattmark_drivers.catalogue.declaration import Declaration
from wattmark_drivers.catalogue.support_table import power_limit
from wattmark_drivers.errors import ConfigurationError
from wattmark_drivers.identity import power_accuracy

from wattmark.bench.bench import Bench
from wattmark.bench.load import parse_bench
from wattmark.bench.out import ModelFacts
from wattmark.bench.references import Mistake
from wattmark.bench.yaml_source import LocatedData, read_yaml
from wattmark.instruments.entries import check_meter_lines, entered_twice, instrument_mistakes


def load_known_bench(path: Path) -> Bench:
    """Read a bench file and check it, meter models included. Raises `InputError`."""
    return parse_bench(read_yaml(path), path, tuple(load_catalogue()), entered_twice)


def check_bench(source: LocatedData, path: Path) -> Bench:
    """Check a bench for immediate use: meters can be made from it. Raises `BenchError`."""
    return parse_bench(source, path, tuple(load_catalogue()), _instrument_problems)


def _instrument_problems(bench: Bench) -> list[Mistake]:
    if mistakes := list(instrument_mistakes(bench)):
        return mistakes
    try:
        check_meter_lines(bench)
    except ConfigurationError as error:
        return [Mistake(("meters",), str(error))]
    return []


def model_facts(model: str) -> ModelFacts:
    """Explain what the driver catalogue knows about a model."""
    declaration = load_catalogue()[model]
    accuracy = power_accuracy(declaration, None)
    return ModelFacts(
        title=declaration.title,
        indicative=declaration.indicative,
        accuracy=_accuracy_text(declaration),
        accuracy_source=accuracy.source if accuracy else None,
    )


def _accuracy_text(declaration: Declaration) -> str | None:
    term = next((item for item in declaration.accuracy if item.quantity == "power"), None)
    return None if term is None else power_limit(term).replace("±(", "± (")


OWN_BENCH = "bench.yaml"
"""The bench file of a service that was started without one, in its data folder."""
