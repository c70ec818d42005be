"""Description of an archive for readers of a repository: RO-Crate 1.1 metadata and a citation.

RO-Crate Metadata Specification 1.1 (https://w3id.org/ro/crate/1.1): root data entity, data entities, contextual
entities. Citation File Format 1.2.0 (https://citation-file-format.github.io): required keys, entities as authors.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

CRATE = "ro-crate-metadata.json"
CITATION = "CITATION.cff"
_CONTEXT = "https://w3id.org/ro/crate/1.1/context"
_PROFILE = "https://w3id.org/ro/crate/1.1"
_LAB, _SOFTWARE = "#lab", "#wattmark"


@dataclass(frozen=True, slots=True)
class DescribedRun:
    """A run of an archive in words: its member, what was measured on what, and when [UTC ns]."""

    file: str
    run_id: str
    title: str
    created_ns: int


def crate(runs: Sequence[DescribedRun], lab: str, software: str, licence: str) -> dict[str, Any]:
    """Describe an archive as a research object; the same archive gives the same description."""
    root: dict[str, Any] = {
        "@id": "./",
        "@type": "Dataset",
        "name": _title(runs, lab),
        "description": (
            "Performance-per-watt measurements: for each run its record, the raw samples of the meters (numpy arrays), "
            "certificates, and every issued result."
        ),
        "datePublished": _date(runs),
        "creator": {"@id": _LAB},
        "hasPart": [{"@id": run.file} for run in runs],
    }
    if licence:
        root["license"] = licence
    return {
        "@context": _CONTEXT,
        "@graph": [
            {
                "@id": CRATE,
                "@type": "CreativeWork",
                "conformsTo": {"@id": _PROFILE},
                "about": {"@id": "./"},
            },
            root,
            {"@id": _LAB, "@type": "Organization", "name": lab},
            {"@id": _SOFTWARE, "@type": "SoftwareApplication", "name": "wattmark", "softwareVersion": software},
            *(_file(run) for run in runs),
        ],
    }


def citation(runs: Sequence[DescribedRun], lab: str, licence: str) -> str:
    """Write how the data are cited; the author is the lab."""
    values = {
        "cff-version": "1.2.0",
        "message": "If you use these measurements, please cite them.",
        "type": "dataset",
        "title": _title(runs, lab),
        "date-released": _date(runs),
    }
    if licence:
        values["license-url" if "://" in licence else "license"] = licence
    lines = [f"{name}: {json.dumps(value, ensure_ascii=False)}" for name, value in values.items()]
    return "\n".join([*lines, "authors:", f"  - name: {json.dumps(lab, ensure_ascii=False)}", ""])


def _file(run: DescribedRun) -> dict[str, Any]:
    return {
        "@id": run.file,
        "@type": "File",
        "name": run.title,
        "identifier": run.run_id,
        "encodingFormat": "application/json",
        "dateCreated": _instant(run.created_ns).isoformat(timespec="seconds"),
    }


def _title(runs: Sequence[DescribedRun], lab: str) -> str:
    return f"Performance per watt: {len(runs)} run{'' if len(runs) == 1 else 's'} of {lab}"


def _date(runs: Sequence[DescribedRun]) -> str:
    """Return the day of the newest run: the date of measuring, not of packing."""
    return _instant(max((run.created_ns for run in runs), default=0)).date().isoformat()


def _instant(t_ns: int) -> datetime:
    return datetime.fromtimestamp(t_ns // 10**9, UTC)
