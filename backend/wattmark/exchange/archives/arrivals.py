"""Runs that an archive has just put in: read back and evaluated before the transaction that brings them ends."""

from __future__ import annotations

from pydantic import ValidationError

from wattmark.core.errors import EvaluationFailed, InputError, StoreError
from wattmark.core.validation import first_mistake
from wattmark.exchange.archives.layout import RunFile
from wattmark.exchange.archives.read import Archive
from wattmark.results.data_folder import Storage
from wattmark.results.issued.issuer import Issuer
from wattmark.results.issued.relocated import relocated
from wattmark.results.result import Result
from wattmark.runs.record import RunRecord

WHEREABOUTS = {"source", "server", "result_version", "issued"}
"""Fields of a result that say where it lies, not what it is."""


class Arrivals:
    """Take runs of an archive for good, or refuse it whole. ``storage`` is that of the transaction that put them in."""

    def __init__(self, archive: Archive, storage: Storage, issuer: Issuer) -> None:
        self._archive = archive
        self._storage = storage
        self._issuer = issuer

    def differences(self, run_id: str) -> tuple[str, ...]:
        """Evaluate a run, issue what comes out where it is not what was issued, and list the fields that differ.

        Raises `InputError`, which undoes the transaction, for a run that cannot be evaluated, and for one whose record
        or issued results its own reader refuses or reads otherwise than they came.
        """
        brought = self._archive.run(run_id)
        run = self._read_back(run_id, brought)
        evaluated = self._evaluated(run)
        return differing_fields(relocated(brought.result, run), evaluated)

    def _read_back(self, run_id: str, brought: RunFile) -> RunRecord:
        """Read what was put in as it will be read after the next start."""
        try:
            run = self._storage.runs.get(run_id)
            issue = [version.result for version in self._storage.issued.of(run_id)]
        except StoreError as error:
            raise self._refused(run_id, "cannot be read back", error.cause) from error
        if run is None or issue != [version.result for version in brought.issued]:
            raise self._refused(run_id, "cannot be kept", "what it states reads otherwise than it was written.")
        return run

    def _evaluated(self, run: RunRecord) -> Result:
        try:
            result = self._issuer.arrived(run)
            Result.model_validate_json(result.model_dump_json())
        except ValidationError as error:
            raise self._refused(run.run_id, "gives a result that cannot be read again", first_mistake(error)) from error
        except EvaluationFailed as error:
            raise self._archive.refused(f"{error.cause[:1].lower()}{error.cause[1:].rstrip('.')}") from error
        except StoreError as error:
            raise self._refused(run.run_id, "cannot be evaluated", error.cause) from error
        except MemoryError as error:
            raise self._refused(run.run_id, "cannot be evaluated", "it takes more memory than there is") from error
        return result

    def _refused(self, run_id: str, problem: str, why: str) -> InputError:
        return self._archive.refused(f"run {run_id[:80]} {problem}: {why.rstrip('.')[:400]}")


def differing_fields(archived: Result, recomputed: Result) -> tuple[str, ...]:
    """List the fields of two results that differ, but for where they lie."""
    left, right = (result.model_dump(mode="json", exclude=WHEREABOUTS) for result in (archived, recomputed))
    return tuple(name for name in left if left[name] != right[name])
