"""The samples of a run in an archive, for those who read CSV and no zip."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from wattmark.core.errors import InputError
from wattmark.importers.recordings.stored import from_archive, from_run

from ..traceability.conftest import Lab
from .conftest import packed


def test_a_run_in_an_archive_has_the_samples_of_the_run(source: Lab, tmp_path: Path) -> None:
    (tmp_path / "runs.zip").write_bytes(packed(source))
    archived, stored = from_archive(tmp_path / "runs.zip", "r2", None), from_run(source.storage.samples, "r2", None)
    assert [column.channel for column in archived.columns] == [column.channel for column in stored.columns]
    for left, right in zip(archived.columns, stored.columns, strict=True):
        for name in ("t_ns", "value", "quality", "u_t_s"):
            assert np.array_equal(getattr(left.samples.whole(), name), getattr(right.samples.whole(), name)), name


def test_the_runs_of_an_archive_are_named(source: Lab, tmp_path: Path) -> None:
    (tmp_path / "runs.zip").write_bytes(packed(source))
    with pytest.raises(InputError, match=r"runs\.zip has the runs r1, r2, r3.*--run"):
        from_archive(tmp_path / "runs.zip", None, None)
