"""Write the table of supported models from their declarations, so that it cannot lie."""

from __future__ import annotations

from wattmark_drivers.catalogue.declaration import AccuracyTerm, Declaration
from wattmark_drivers.catalogue.influences import InputLimit
from wattmark_drivers.catalogue.loader import load_catalogue
from wattmark_drivers.catalogue.source import Fact

HEADINGS = ("Model", "Title", "Reached by", "Power accuracy", "Value is", "Update", "Manual", "Unconfirmed")
BEGIN, END = "<!-- support table, made by `make openapi` -->\n", "<!-- end of support table -->"


def with_support_table(text: str) -> str:
    """Replace the table between its marks in a text. Raises `ValueError` where a mark is missing."""
    before, rest = text.split(BEGIN)
    _, after = rest.split(END)
    return f"{before}{BEGIN}{support_table()}{END}{after}"


def support_table() -> str:
    """Write the support table as Markdown."""
    rows = [HEADINGS, tuple("---" for _ in HEADINGS), *(support_cells(item) for item in load_catalogue().values())]
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def support_cells(declaration: Declaration) -> tuple[str, ...]:
    """Write one model's row under ``HEADINGS``; codes and links as Markdown."""
    schemes = ", ".join(f"`{transport.scheme}`" for transport in declaration.reached_by)
    rhythm = declaration.rhythm
    update = f"{'pushes each' if rhythm.pushes else 'every'} {rhythm.update_period_s:g} s"
    manual = declaration.sources[declaration.manual] if declaration.manual else None
    link = f"[{manual.citation}]({manual.url})" if manual and manual.url else "none"
    return (
        f"`{declaration.id}`",
        declaration.title,
        schemes,
        _accuracy(declaration),
        rhythm.kind.value,
        update,
        link,
        _unconfirmed(declaration.unconfirmed) or "nothing",
    )


def _unconfirmed(names: tuple[str, ...]) -> str:
    """Return what is unconfirmed; registers in one group and quirks by their count."""
    registers = [name.removeprefix("register ") for name in names if name.startswith("register ")]
    quirks = sum(name.startswith("quirk:") for name in names)
    parts = [
        f"register{'s' * (len(registers) > 1)} {', '.join(registers)}" if registers else "",
        *(name for name in names if not name.startswith(("register ", "quirk:"))),
        f"{quirks} quirks" if quirks > 1 else "quirk" * quirks,
    ]
    return "; ".join(part for part in parts if part)


def _accuracy(declaration: Declaration) -> str:
    """Write the limits of power, else the class of energy, each with its status and a link to its first source."""
    term = next((item for item in declaration.accuracy if item.quantity == "power"), None)
    if term is not None:
        return f"{power_limit(term)} ({_evidence(declaration, term)})"
    reported = declaration.protocol.told_accuracy
    if reported is not None:
        return f"told by the device ({_evidence(declaration, reported)})"
    classed = next((item for item in declaration.accuracy if item.energy_class is not None), None)
    if classed is not None and classed.energy_class is not None:
        of = classed.energy_class
        return f"energy: class {of.name}, {of.standard} ({_evidence(declaration, classed)})"
    if declaration.no_accuracy is not None:
        return f"not stated in the documents read ({_evidence(declaration, declaration.no_accuracy)})"
    return "none: indicative only" if declaration.indicative else "not found"


def _evidence(declaration: Declaration, fact: Fact) -> str:
    source = declaration.sources[fact.source[0]] if fact.source else None
    if source is None or source.url is None:
        return fact.status.value
    return f"[{fact.status.value}]({source.url})"


def power_limit(term: AccuracyTerm) -> str:
    """Write the maker's limits of error of power in words of its terms."""
    of = term.influences
    if of.voltage is not None and of.current is not None:
        return f"±({_input_limit(of.voltage, 'V')} of U + {_input_limit(of.current, 'A')} of I)"
    steps = [f", from {step.from_pct:g} % of range ±({_terms(step.reading_pct, step.range_pct)})" for step in of.steps]
    return f"±({_terms(term.reading_pct, term.range_pct, term.fixed)})" + "".join(steps)


def _input_limit(limit: InputLimit, unit: str) -> str:
    return f"({_terms(limit.reading_pct, limit.range_pct, limit.fixed, unit)})"


def _terms(reading_pct: float, range_pct: float, fixed: float = 0.0, unit: str = "W") -> str:
    parts = [
        f"{reading_pct:g} % of reading" if reading_pct else "",
        f"{range_pct:g} % of range" if range_pct else "",
        f"{fixed:g} {unit}" if fixed else "",
    ]
    return " + ".join(part for part in parts if part)
