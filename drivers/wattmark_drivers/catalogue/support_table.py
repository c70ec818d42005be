"""Write the table of supported models from their declarations, so that it cannot lie."""

from __future__ import annotations

from wattmark_drivers.catalogue.declaration import AccuracyTerm, Declaration
from wattmark_drivers.catalogue.loader import load_catalogue

HEADINGS = ("Model", "Title", "Reached by", "Power accuracy", "Value is", "Update", "Manual", "Unconfirmed")


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
    term = next((item for item in declaration.accuracy if item.quantity == "power"), None)
    if term is None:
        return "none: indicative only" if declaration.indicative else "not stated"
    return f"{_limit(term)} ({term.status.value})"


def _limit(term: AccuracyTerm) -> str:
    parts = [
        f"{term.reading_pct:g} % of reading" if term.reading_pct else "",
        f"{term.range_pct:g} % of range" if term.range_pct else "",
        f"{term.fixed:g} W" if term.fixed else "",
    ]
    return "±(" + " + ".join(part for part in parts if part) + ")"
