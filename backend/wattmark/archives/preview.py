"""Preview of a verified archive: its content, and what an import would add; nothing is changed."""

from __future__ import annotations

from collections.abc import Iterator

from wattmark.archives.gather import Gatherer, Stores
from wattmark.archives.layout import RunFile
from wattmark.archives.presence import Presence, presence
from wattmark.archives.read import Archive
from wattmark.archives.signer import Signer
from wattmark.archives.views import ArchiveOut, FoundRunOut
from wattmark.core.quantity import bare
from wattmark.results.result import Result
from wattmark.runs.origin import lab_of


def preview(archive: Archive, signer: Signer, stores: Stores, gatherer: Gatherer) -> ArchiveOut:
    """Return what an archive holds, which of its runs are here, and which certificates and overrides it would bring."""
    manifest = archive.manifest
    return ArchiveOut(
        lab=manifest.lab,
        software=manifest.software,
        members=len(manifest.members),
        signer=signer,
        runs=[
            _run(run, manifest.lab, presence(archive, run.record.run_id, stores, gatherer)) for run in archive.runs()
        ],
        audits=len(archive.published.audits),
        figures=len(archive.published.figures),
        decisions=list(_decisions(archive, stores)),
    )


def found_run(result: Result, lab: str, state: Presence, recorded: int) -> FoundRunOut:
    """Show a run that lies elsewhere by the result that is given there."""
    values = {name: getattr(result, name) for name in FoundRunOut.model_fields if name in Result.model_fields}
    values["configuration_title"] = result.configuration_title or result.configuration
    values |= {"efficiency": bare(result.efficiency), "power": bare(result.power)}
    return FoundRunOut(**values, lab=lab_of(result.source) or lab, state=state, recorded=recorded)


def _run(run: RunFile, lab: str, state: Presence) -> FoundRunOut:
    shown = found_run(run.result, run.origin.lab if run.origin else lab, state, sum(series.n for series in run.series))
    annotation = run.annotation
    if annotation is None:
        return shown
    return shown.model_copy(update={"tags": list(annotation.tags), "note": annotation.note})


def _decisions(archive: Archive, stores: Stores) -> Iterator[str]:
    for run in archive.runs():
        name = run.record.run_id
        chosen = None if run.annotation is None else run.annotation.inclusion
        if chosen is not None and stores.annotations.inclusions().get(name) != chosen:
            yield f"Ranking override of run {name} by {chosen.by}"
    register = stores.certificates.register()
    certificates = {(entry.certificate.id, entry.certificate.version) for entry in register.entries}
    for certificate in archive.certificates.values():
        if (certificate.id, certificate.version) not in certificates:
            yield f"Certificate {certificate.name}"
    decisions = {(decision.certificate_id, decision.decided_ns, decision.by) for decision in register.decisions}
    for decision in archive.shared.decisions:
        if (decision.certificate_id, decision.decided_ns, decision.by) not in decisions:
            yield f"Override of {decision.certificate_id} by {decision.by}"
