"""The mappings that a data folder keeps, by name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import ValidationError

from wattmark.core.errors import InputError, NotFound
from wattmark.importers.csv_mapping.mapping import CsvMapping

if TYPE_CHECKING:
    from wattmark.runs.store import RunStore

MAPPINGS = "csv-mapping"
"""Kind of the stored documents."""
_MOST = 1000


class KeptMappings:
    """Keep, read and delete mappings; safe to call from several threads."""

    def __init__(self, runs: RunStore) -> None:
        self._runs = runs

    def all(self) -> list[CsvMapping]:
        """List the mappings by name. Those that another version wrote are excluded."""
        read = (_read(document) for document in self._runs.documents(MAPPINGS).values())
        return sorted((mapping for mapping in read if mapping is not None), key=lambda mapping: mapping.name)

    def get(self, name: str) -> CsvMapping:
        """Read one mapping. Raises `NotFound`."""
        document = self._runs.document(MAPPINGS, name)
        mapping = None if document is None else _read(document)
        if mapping is None:
            names = ", ".join(mapping.name for mapping in self.all()) or "none"
            raise NotFound(f"There is no mapping {name[:60]!r}.", f"Mappings here: {names[:300]}.")
        return mapping

    def keep(self, mapping: CsvMapping) -> None:
        """Store a mapping in place of one of the same name. Raises `InputError` where there are too many."""
        names = self._runs.documents(MAPPINGS)
        if mapping.name not in names and len(names) >= _MOST:
            raise InputError(f"There are {_MOST} mappings already.", "Delete those that are not needed any more.")
        self._runs.put_document(MAPPINGS, mapping.name, mapping.model_dump(mode="json"))

    def delete(self, name: str) -> None:
        """Delete a mapping; what was imported by it stays. Raises `NotFound`."""
        if self._runs.document(MAPPINGS, name) is None:
            self.get(name)
        self._runs.delete_document(MAPPINGS, name)


def _read(document: dict[str, object]) -> CsvMapping | None:
    try:
        return CsvMapping.model_validate(document)
    except ValidationError:
        return None
