"""Calibration certificates: the shelf, reviews, and the stated versions of results."""

from __future__ import annotations

from datetime import date
from functools import partial
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request, Response
from pydantic import AwareDatetime
from starlette.concurrency import run_in_threadpool

from wattmark.api.about import About
from wattmark.api.appliance import ApplianceDep
from wattmark.api.stored import StoredRoute
from wattmark.certificates.reading import range_names
from wattmark.certificates.review_views import ReviewOut, RunVersionOut, RunVersionsOut
from wattmark.certificates.views import (
    CertificateAdded,
    CertificateOut,
    CertificatesOut,
    CertificateSummary,
    MetersCalibrationOut,
    OverrideIn,
    OverrideOut,
    RevokeIn,
    Signed,
)
from wattmark.errors import InputError
from wattmark.given import Line

router = APIRouter(prefix="/api", tags=["certificates"], route_class=StoredRoute)
AsOf = Annotated[AwareDatetime | None, Query(description="Instant of the status, with its zone. Default: now.")]
LARGEST_UPLOAD = 16 * 1024 * 1024
UPLOAD: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "description": "The certificate as wattmark JSON, CSV or PTB DCC XML; told apart by content. At most 16 MiB.",
        "content": {
            kind: {"schema": {"type": "string"}} for kind in ("application/json", "application/xml", "text/csv")
        },
    }
}


@router.get("/certificates")
def list_certificates(appliance: ApplianceDep, as_of: AsOf = None) -> CertificatesOut:
    """List all certificates with status and due date, by serial number of the meter, newest first."""
    return appliance.calibration.certificates.list(as_of)


@router.post("/certificates", status_code=201, openapi_extra=UPLOAD)
async def add_certificate(
    request: Request,
    appliance: ApplianceDep,
    about: About,
    file_name: Annotated[str, Query(min_length=1, max_length=200), Line()] = "certificate",
    due_on: Annotated[date | None, Query(description="The owner's due date; needed where the file has none")] = None,
    approved_by: Annotated[str | None, Query(min_length=1, max_length=200), Line()] = None,
    approval_note: Annotated[str | None, Query(min_length=1, max_length=1000), Line()] = None,
    revise: Annotated[bool, Query(description="Add a changed certificate as a new version")] = False,
    range_name: Annotated[list[str] | None, Query(description="Range of a DCC: DCC-NAME=METER-NAME")] = None,
) -> CertificateAdded:
    """Accept a certificate: the body is the file. What is wrong with it is said in words, and nothing changes."""
    about(file_name)
    content = await _body(request)
    add = partial(
        appliance.calibration.certificates.add,
        content,
        file_name,
        due_on=due_on,
        approved_by=approved_by,
        approval_note=approval_note,
        revise=revise,
        range_names=range_names(range_name or []),
    )
    return await run_in_threadpool(add)


@router.get("/certificates/{certificate_id}")
def one_certificate(certificate_id: str, appliance: ApplianceDep, as_of: AsOf = None) -> CertificateOut:
    """Give one certificate whole: points, fitted model, error curve with its band, versions, overrides."""
    return appliance.calibration.certificates.show(certificate_id, as_of)


@router.get("/certificates/{certificate_id}/file", response_class=Response)
def certificate_file(certificate_id: str, appliance: ApplianceDep) -> Response:
    """Give the original file, byte by byte as it was accepted."""
    content = appliance.calibration.certificates.original(certificate_id)
    disposition = f'attachment; filename="{certificate_id}"'
    return Response(content, media_type="application/octet-stream", headers={"Content-Disposition": disposition})


@router.post("/certificates/{certificate_id}/review")
def review_certificate(certificate_id: str, appliance: ApplianceDep) -> ReviewOut:
    """Tell which older results the as-found points of a certificate put in doubt; changes nothing."""
    return appliance.calibration.reviews.review(certificate_id)


@router.post("/certificates/{certificate_id}/recompute")
def recompute_review(certificate_id: str, order: Signed, appliance: ApplianceDep) -> ReviewOut:
    """State every result in doubt anew with the as-found points; the versions before stay."""
    return appliance.calibration.reviews.recompute(certificate_id, order.by, order.reason)


@router.post("/certificates/{certificate_id}/override", status_code=201)
def override_certificate(certificate_id: str, order: OverrideIn, appliance: ApplianceDep, about: About) -> OverrideOut:
    """Accept refusals of a certificate, signed and explained; printed with every result that rests on it."""
    about(*order.accepts, order.run_id or order.serial or "")
    return appliance.calibration.certificates.override(certificate_id, order)


@router.post("/certificates/{certificate_id}/revoke")
def revoke_certificate(certificate_id: str, order: RevokeIn, appliance: ApplianceDep) -> CertificateSummary:
    """Withdraw a certificate from a day on, as a new version of it."""
    return appliance.calibration.certificates.revoke(certificate_id, order)


@router.get("/meters/calibration")
def meters_calibration(appliance: ApplianceDep, as_of: AsOf = None) -> MetersCalibrationOut:
    """Tell for each meter what its measurements rest on: a certificate, the specification, or nothing."""
    return appliance.calibration.certificates.meters(as_of)


@router.get("/runs/{run_id}/versions")
def run_versions(run_id: str, appliance: ApplianceDep) -> RunVersionsOut:
    """List the stated versions of a result and how they differ."""
    return appliance.calibration.statements.versions(run_id)


@router.post("/runs/{run_id}/recompute", status_code=201)
def recompute_run(run_id: str, order: Signed, appliance: ApplianceDep) -> RunVersionOut:
    """State a result anew with the certificates and overrides of now; the versions before stay."""
    return appliance.calibration.statements.recompute(run_id, order.by, order.reason)


@router.post("/meters/{serial}/recompute", status_code=201)
def recompute_meter(serial: str, order: Signed, appliance: ApplianceDep) -> list[RunVersionOut]:
    """State every result of a meter anew that the certificates and overrides of now change."""
    return appliance.calibration.statements.recompute_meter(serial, order.by, order.reason)


async def _body(request: Request) -> bytes:
    """Read the body up to the largest size. Raises `InputError`."""
    content = bytearray()
    async for part in request.stream():
        content += part
        if len(content) > LARGEST_UPLOAD:
            raise InputError(
                f"The file is larger than {LARGEST_UPLOAD // 2**20} MiB.", "A certificate is far smaller; check it."
            )
    return bytes(content)
