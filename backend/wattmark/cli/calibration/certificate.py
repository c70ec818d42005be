"""`wattmark certificate`: calibration certificates, what rests on them, and what they put in doubt."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from wattmark_calibration.certificate.json_file import json_schema

from wattmark.cli.calibration.certificate_register import (
    ask,
    bench_meters,
    changing,
    day,
    instant,
    read_file,
    show_answer,
)
from wattmark.cli.console.options import AsJson, DataDir
from wattmark.cli.console.output import emit_json
from wattmark.cli.console.output_file import ends_as
from wattmark.cli.console.writing import as_request, in_web_app
from wattmark.cli.tables.shown import show
from wattmark.core.errors import InputError
from wattmark.results.in_house import InHouseOrder
from wattmark.results.issued.review_views import ReviewOut
from wattmark.results.tables.certificate_tables import (
    certificate_table,
    certificates_table,
    in_house_table,
    meters_table,
    review_table,
    versions_table,
)
from wattmark.traceability.certificates.reading import range_names
from wattmark.traceability.certificates.views import OverrideIn, RevokeIn

app = typer.Typer(no_args_is_help=True)
Id = Annotated[str, typer.Argument(help="Id of the certificate.")]
By = Annotated[str, typer.Option("--by", help="Your name; printed with every result that uses the decision.")]
Reason = Annotated[str, typer.Option("--reason", help="Reason; printed as well.")]
BenchFile = Annotated[
    Path | None, typer.Option("--bench", envvar="WATTMARK_BENCH", help="Bench file; its meters are listed too.")
]
AsOf = Annotated[str | None, typer.Option("--as-of", help="Date of the status (YYYY-MM-DD). Default: today.")]


@app.callback()
def certificate() -> None:
    """Manage calibration certificates, and show which one corrects which meter."""


@app.command("add")
def add(
    file: Annotated[Path, typer.Argument(help="The certificate: wattmark JSON, CSV or PTB DCC XML.")],
    due: Annotated[str | None, typer.Option("--due", help="Due date set by the owner, YYYY-MM-DD.")] = None,
    approve: Annotated[str | None, typer.Option("--approve", help="Who approves the certificate.")] = None,
    accept: Annotated[
        list[str] | None, typer.Option("--accept", help="What the approval accepts: chi-squared.")
    ] = None,
    reason: Annotated[str | None, typer.Option("--reason", help="Why it is added, changed or approved.")] = None,
    range_name: Annotated[
        list[str] | None,
        typer.Option("--range", help="Rename a range of a DCC to that of the meter: DCC-NAME=METER-NAME."),
    ] = None,
    revise: Annotated[bool, typer.Option("--revise", help="Add a changed certificate as a new version.")] = False,
    data: DataDir = None,
    as_json: AsJson = False,
) -> None:
    """Add a certificate. An invalid certificate is refused with the reason, and nothing changes."""
    content, renamed = read_file(file), range_names(range_name or [])
    with changing(data, in_web_app("calibration", "Add a certificate"), "certificate add", file.name) as calibration:
        added = calibration.certificates.add(
            content,
            file.name,
            due_on=day(due) if due else None,
            approved_by=approve,
            approval_note=reason if approve else None,
            approves=accept or (),
            revise=revise,
            reason=reason,
            range_names=renamed,
        )
    if as_json:
        emit_json(added)
        return
    certificate = added.certificate
    meter = f"{certificate.model} {certificate.serial}"
    typer.echo(f"Certificate {certificate.id} v{certificate.version} for {meter}: {certificate.status_text}")
    if added.unchanged_results:
        typer.echo(f"{added.unchanged_results} results of this meter do not change until they are recomputed.")
    for warning in added.warnings:
        typer.echo(f"warning: {warning}", err=True)


@app.command("in-house")
def in_house(
    meter: Annotated[str, typer.Argument(help="The meter to calibrate: a secondary meter of the runs, by its name.")],
    reference: Annotated[str, typer.Option("--reference", help="The wall meter of the runs.")],
    due: Annotated[str, typer.Option("--due", help="Last day of use, YYYY-MM-DD.")],
    laboratory: Annotated[str, typer.Option("--lab", help="Who calibrates: the name of the lab.")],
    by: Annotated[str, typer.Option("--by", help="Who signs the certificate.")],
    campaign: Annotated[str | None, typer.Option("--campaign", help="The campaign of the stepped load.")] = None,
    run: Annotated[list[str] | None, typer.Option("--run", help="Instead of a campaign, a run; repeatable.")] = None,
    note: Annotated[str, typer.Option("--note", help="A note of the signer.")] = "Compared in house",
    output: Annotated[
        Path | None,
        typer.Option(
            "-o", "--output", help="Write the certificate to this file.", callback=ends_as("A certificate", "json")
        ),
    ] = None,
    preview: Annotated[bool, typer.Option("--preview", help="Show what it would be, and add nothing.")] = False,
    data: DataDir = None,
    as_json: AsJson = False,
) -> None:
    """Calibrate a cheap meter by a good one that measured the same load steps, and add the in-house certificate.

    Exit code 1 where the comparison gives no certificate; the reasons are printed.
    """
    order = InHouseOrder(
        meter=meter,
        reference=reference,
        campaign_id=campaign,
        run_ids=tuple(run or ()),
        due_on=day(due),
        laboratory=laboratory,
        by=by,
        note=note,
    )
    made = ask(data, lambda c: c.certificates.in_house(order))
    if as_json:
        emit_json(made)
    else:
        show(in_house_table(made), "table", None)
    if made.document is None:
        for refusal in made.refusals:
            typer.echo(refusal.text, err=True)
        raise typer.Exit(1)
    if output is not None:
        output.write_text(made.document, encoding="utf-8")
    if preview:
        return
    instead = in_web_app("calibration", "Calibrate in house")
    with changing(data, instead, "certificate in-house", meter, reference) as calibration:
        added = calibration.certificates.issue_in_house(order)
    for warning in added.warnings:
        typer.echo(f"warning: {warning}", err=True)
    typer.echo(f"Certificate {added.certificate.id} is in the register: {added.certificate.status_text}", err=True)


@app.command("list")
def list_(as_of: AsOf = None, data: DataDir = None, as_json: AsJson = False) -> None:
    """List all certificates with status and due date."""
    show_answer(ask(data, lambda c: c.certificates.list(instant(as_of))), certificates_table, as_json=as_json)


@app.command("status")
def status(as_of: AsOf = None, bench: BenchFile = None, data: DataDir = None, as_json: AsJson = False) -> None:
    """Show for every meter, on the bench or used before, its calibration and when the next one is due."""
    meters = bench_meters(bench) if bench else []
    statuses = ask(data, lambda c: c.certificates.meters(instant(as_of)), meters)
    show_answer(statuses, meters_table, as_json=as_json)


@app.command("show")
def show_(certificate_id: Id, as_of: AsOf = None, data: DataDir = None, as_json: AsJson = False) -> None:
    """Show one certificate in full: points, errors, fitted curve, versions, overrides."""
    certificate = ask(data, lambda c: c.certificates.show(certificate_id, instant(as_of)))
    show_answer(certificate, certificate_table, as_json=as_json)


@app.command("review")
def review(
    certificate_id: Id,
    recompute: Annotated[
        bool, typer.Option("--recompute", help="Recompute the results in doubt with the as-found points.")
    ] = False,
    by: Annotated[str | None, typer.Option("--by", help="Your name, printed with the new versions.")] = None,
    reason: Annotated[str | None, typer.Option("--reason", help="Why.")] = None,
    data: DataDir = None,
    as_json: AsJson = False,
) -> None:
    """List the results that as-found points put in doubt. Exit code 1 if any are in doubt and not recomputed."""
    if recompute:
        if by is None:
            raise InputError("A recomputation must be signed.", "Add your name: --by NAME.")
        instead = in_web_app(f"calibration/certificates/{certificate_id}", "Recompute")
        with changing(data, instead, "certificate review", certificate_id) as calibration:
            outcome = calibration.reviews.recompute(
                certificate_id, by, reason or f"as-found review by {certificate_id}"
            )
    else:
        outcome = ask(data, lambda c: c.reviews.review(certificate_id))
    show_answer(outcome, review_table, as_json=as_json)
    if _open(outcome):
        raise typer.Exit(1)


@app.command("override")
def override(
    certificate_id: Id,
    by: By,
    reason: Reason,
    accept: Annotated[
        list[str] | None, typer.Option("--accept", help="A refusal to accept (expired, outside-span ...); repeatable.")
    ] = None,
    withdraw: Annotated[bool, typer.Option("--withdraw", help="Withdraw the previous override.")] = False,
    run: Annotated[str | None, typer.Option("--run", help="Only for this run.")] = None,
    serial: Annotated[str | None, typer.Option("--serial", help="Serial number of the meter, if it differs.")] = None,
    data: DataDir = None,
    as_json: AsJson = False,
) -> None:
    """Override refusals of a certificate. Your name and reason are printed on every export."""
    if bool(accept) == withdraw:
        raise InputError(
            "An override either accepts refusals or withdraws an earlier override.",
            "Give --accept CODE, or --withdraw.",
        )
    order = OverrideIn(by=by, reason=reason, accepts=accept or [], run_id=run, serial=serial)
    instead = as_request(f"/api/certificates/{certificate_id}/override")
    about = (certificate_id, *order.accepts, run or serial or "")
    with changing(data, instead, "certificate override", *about) as calibration:
        made = calibration.certificates.override(certificate_id, order)
    if as_json:
        emit_json(made)
    else:
        decision = f"accepts {', '.join(made.accepts)} of" if made.accepts else "withdraws the override of"
        typer.echo(
            f"{made.by} {decision} certificate {made.certificate}. Issued results change only when they are recomputed."
        )


@app.command("revoke")
def revoke(
    certificate_id: Id,
    by: By,
    reason: Reason,
    effective: Annotated[
        str, typer.Option("--from", help="First day on which the certificate is not valid, YYYY-MM-DD.")
    ],
    data: DataDir = None,
    as_json: AsJson = False,
) -> None:
    """Revoke a certificate from a date on, as a new version."""
    instead = as_request(f"/api/certificates/{certificate_id}/revoke")
    with changing(data, instead, "certificate revoke", certificate_id) as calibration:
        certificate = calibration.certificates.revoke(
            certificate_id, RevokeIn(by=by, reason=reason, effective=effective)
        )
    if as_json:
        emit_json(certificate)
    else:
        typer.echo(f"Certificate {certificate.id} v{certificate.version}: {certificate.status_text}")


@app.command("recompute")
def recompute(
    by: By,
    reason: Reason,
    run_id: Annotated[str | None, typer.Argument(help="The run.")] = None,
    serial: Annotated[
        str | None, typer.Option("--serial", help="Instead of one run: all results of this meter that would change.")
    ] = None,
    data: DataDir = None,
    as_json: AsJson = False,
) -> None:
    """Recompute results with the current certificates and overrides. Earlier versions are kept."""
    if (run_id is None) == (serial is None):
        raise InputError("Nothing to recompute was given.", "Give a run id, or --serial of a meter.")
    instead = in_web_app(f"runs/{run_id}", "Recompute this result")
    if serial is not None:
        instead = as_request(f"/api/meters/{serial}/recompute")
    with changing(data, instead, "certificate recompute", run_id or serial or "") as calibration:
        if serial is not None:
            made = calibration.issuer.recompute_meter(serial, by, reason)
        else:
            made = [calibration.issuer.recompute(run_id or "", by, reason)]
    if as_json:
        emit_json(made)
        return
    for version in made:
        rests_on = "; ".join(version.certificates)
        typer.echo(f"{version.result.run_id}, version {version.version}, uses {rests_on}. {version.difference}")
    if not made:
        typer.echo("Nothing would change; no version was issued.")


@app.command("versions")
def versions(
    run_id: Annotated[str, typer.Argument(help="The run.")], data: DataDir = None, as_json: AsJson = False
) -> None:
    """List the issued versions of a result, the certificates of each, and how they differ."""
    show_answer(ask(data, lambda c: c.issuer.versions(run_id)), versions_table, as_json=as_json)


@app.command("schema")
def schema() -> None:
    """Print the JSON Schema of a certificate file."""
    emit_json(json_schema())


def _open(outcome: ReviewOut) -> bool:
    return outcome.needed and any(not run.recomputed for run in outcome.affected)
