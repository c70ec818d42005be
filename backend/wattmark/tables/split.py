"""The columns of a page for spreadsheets: a value and its ± in separate cells."""

from __future__ import annotations

from dataclasses import dataclass

from wattmark.tables.people import Page, PageColumn


@dataclass(frozen=True, slots=True)
class SplitColumn:
    """One column: the value of a page's column, or the expanded uncertainty beside it."""

    of: PageColumn
    position: int
    """Place of the column on the page."""
    of_u: bool = False

    @property
    def heading(self) -> str:
        """Return the head with its unit."""
        if not self.of_u:
            return self.of.heading
        return f"± U95 [{self.of.unit}]" if self.of.unit else "± U95"


def split(page: Page) -> tuple[SplitColumn, ...]:
    """Return the columns of a page; one with any ± is followed by a column of it."""
    uncertain: set[int] = set()
    for entries, _ in page.lines:
        uncertain |= {i for i, e in enumerate(entries) if e.column.expanded_u and e.expanded_u is not None}
    return tuple(
        SplitColumn(column, position, of_u)
        for position, column in enumerate(page.columns)
        for of_u in ((False, True) if position in uncertain else (False,))
    )
