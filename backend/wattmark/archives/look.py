"""What a verified archive holds and what of it would come in; nothing is changed."""

from __future__ import annotations

from collections.abc import Iterator

from wattmark.archives.gather import Gatherer, Stores
from wattmark.archives.layout import RunFile
from wattmark.archives.read import Archive
from wattmark.archives.standing import Standing, standing
from wattmark.archives.views import ArchiveOut, FoundRunOut
from wattmark.runs.origin import lab_of
from wattmark.runs.result import Result


def look(archive: Archive, stores: Stores, gatherer: Gatherer) -> ArchiveOut:
    """Tell what an archive holds, which of its runs are here, and which certificates and overrides it would bring."""
    manifest = archive.manifest
    return ArchiveOut(
        lab=manifest.lab,
        software=manifest.software,
        members=len(manifest.members),
        runs=[
            _run(run, manifest.lab, standing(archive, run.record.run_id, stores, gatherer)) for run in archive.runs()
        ],
        decisions=list(_decisions(archive, stores)),
    )


def found_run(result: Result, lab: str, state: Standing, recorded: int) -> FoundRunOut:
    """Show a run that lies elsewhere by the result that is given there."""
    values = result.model_dump(include=set(FoundRunOut.model_fields))
    values["configuration_title"] = result.configuration_title or result.configuration
    return FoundRunOut(**values, lab=lab_of(result.source) or lab, state=state, recorded=recorded)


def _run(run: RunFile, lab: str, state: Standing) -> FoundRunOut:
    shown = found_run(run.result, run.origin.lab if run.origin else lab, state, sum(one.n for one in run.series))
    said = run.annotation
    return shown if said is None else shown.model_copy(update={"tags": list(said.tags), "note": said.note})


def _decisions(archive: Archive, stores: Stores) -> Iterator[str]:
    for run in archive.runs():
        name = run.record.run_id
        chosen = None if run.annotation is None else run.annotation.inclusion
        if chosen is not None and stores.annotations.inclusions().get(name) != chosen:
            yield f"Ranking of run {name} by the choice of {chosen.by}"
    shelf = stores.certificates.shelf()
    here = {(one.certificate.id, one.certificate.version) for one in shelf.entries}
    for certificate in archive.certificates.values():
        if (certificate.id, certificate.version) not in here:
            yield f"Certificate {certificate.name}"
    known = {(one.certificate_id, one.decided_ns, one.by) for one in shelf.decisions}
    for one in archive.shared.decisions:
        if (one.certificate_id, one.decided_ns, one.by) not in known:
            yield f"Override of {one.certificate_id} by {one.by}"
