"""A table of Arrow that any library takes without a copy, and that says what its columns are."""

from __future__ import annotations

import json
from importlib import import_module
from typing import TYPE_CHECKING, Any

from wattmark.core.errors import InputError
from wattmark.tables.arrow import arrow_table
from wattmark.tables.table import Table

if TYPE_CHECKING:
    import pandas
    import polars

FEATURE = "wattmark.read needs"


class ArrowTable:
    """Columns with their units, titles and uncertainties as metadata.

    Whatever takes the Arrow PyCapsule interface takes this: polars, pandas, pyarrow, duckdb.
    """

    def __init__(self, data: Any) -> None:
        """``data`` is a table of arro3."""
        self._data = data

    @classmethod
    def of(cls, table: Table) -> ArrowTable:
        """Convert a table with its units. Raises `InputError` without the extra "parquet"."""
        return cls(arrow_table(table, FEATURE))

    @property
    def columns(self) -> list[str]:
        """List the names of the columns."""
        return list(self._data.column_names)

    @property
    def title(self) -> str:
        return str(self._about().get("title", ""))

    @property
    def footnotes(self) -> tuple[str, ...]:
        """Return what the table answers, and what its marks mean."""
        return tuple(json.loads(self._about().get("footnotes", "[]")))

    def about(self, column: str) -> dict[str, str]:
        """Describe a column: title, unit, and the columns of its uncertainty. Raises `InputError`."""
        if column not in self.columns:
            raise InputError(f"There is no column {column[:80]!r}.", f"Columns: {', '.join(self.columns)}.")
        return dict(sorted(self._data.schema.field(column).metadata_str.items()))

    def to_polars(self) -> polars.DataFrame:
        """Convert to a Polars data frame. Raises `InputError` where polars is not installed."""
        frame: polars.DataFrame = _library("polars").DataFrame(self)
        return frame

    def to_pandas(self) -> pandas.DataFrame:
        """Convert to a pandas data frame; `attrs` holds what `about` says of each column. Raises `InputError`."""
        _library("pandas")
        frame: pandas.DataFrame = _library("pyarrow").table(self).to_pandas()
        frame.attrs = {column: self.about(column) for column in self.columns}
        return frame

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self._data.__arrow_c_stream__(requested_schema)

    def __arrow_c_schema__(self) -> object:
        return self._data.schema.__arrow_c_schema__()

    def __len__(self) -> int:
        return int(self._data.num_rows)

    def __repr__(self) -> str:
        named = [f"{name} [{unit}]" if (unit := self.about(name).get("unit")) else name for name in self.columns]
        return f"{self.title or 'Samples'}: {len(self)} rows of {', '.join(named)}"

    def _about(self) -> dict[str, str]:
        return dict(self._data.schema.metadata_str)


def _library(name: str) -> Any:
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        if error.name != name:
            raise
        raise InputError(
            f"This needs the Python package {name}, which is not installed.", f"Install it with: pip install {name}."
        ) from None
