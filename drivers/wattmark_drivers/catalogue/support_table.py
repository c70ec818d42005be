"""Write the table of supported models from their declarations, so that it cannot lie."""

from __future__ import annotations

from wattmark_drivers.catalogue.declaration import AccuracyTerm, Declaration
from wattmark_drivers.catalogue.loader import load_catalogue

HEADINGS = ("Model", "Title", "Reached by", "Power accuracy", "Value is", "Update", "Manual", "Unconfirmed")


def support_table() -> str:
    """Write the support table as Markdown."""
    rows = [HEADINGS, tuple("---" for _ in HEADINGS), *(_row(item) for item in load_catalogue().values())]
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def _row(declaration: Declaration) -> tuple[str, ...]:
    schemes = ", ".join(f"`{transport.scheme}`" for transport in declaration.transports)
    rhythm = declaration.rhythm
    update = f"{'pushes each' if rhythm.pushes else 'every'} {rhythm.update_period_s:g} s"
    manual = declaration.sources[declaration.manual] if declaration.manual else None
    link = f"[{manual.citation}]({manual.url})" if manual and manual.url else "none"
    unconfirmed = "; ".join(name.split(":")[0] for name in declaration.unconfirmed) or "nothing"
    return (
        f"`{declaration.id}`",
        declaration.title,
        schemes,
        _accuracy(declaration),
        rhythm.kind.value,
        update,
        link,
        unconfirmed,
    )


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
