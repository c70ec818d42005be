"""Calibration certificates: the register, reviews, and the issued versions of results."""

from __future__ import annotations

from datetime import date
from functools import partial
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request, Response
from pydantic import AwareDatetime, Field
from starlette.concurrency import run_in_threadpool

from wattmark.access.http.about import About
from wattmark.core.errors import InputError
from wattmark.core.inputs import FILE_NAME, FILLED_LINE
from wattmark.results.in_house import InHouseOrder, InHouseOut
from wattmark.results.issued.calibration import Calibration
from wattmark.results.issued.review_views import ReviewOut, RunVersionOut, RunVersionsOut
from wattmark.traceability.certificates.reading import range_names
from wattmark.traceability.certificates.views import (
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
from wattmark.web.attachment import attachment
from wattmark.web.provided import provided
from wattmark.web.stored import StoredRoute

router = APIRouter(prefix="/api", tags=["certificates"], route_class=StoredRoute)
CalibrationDep = Annotated[Calibration, provided(Calibration)]
AsOf = Annotated[AwareDatetime | None, Query(description="Instant of the status, with its zone. Default: now.")]
LARGEST_UPLOAD = 16 * 1024 * 1024
UPLOAD: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "description": "The certificate as wattmark JSON, CSV or PTB DCC XML; detected by content. At most 16 MiB.",
        "content": {
            kind: {"schema": {"type": "string"}} for kind in ("application/json", "application/xml", "text/csv")
        },
    }
}


@router.get("/certificates")
def list_certificates(calibration: CalibrationDep, as_of: AsOf = None) -> CertificatesOut:
    """List all certificates with status and due date, by serial number of the meter, newest first."""
    return calibration.certificates.list(as_of)


@router.post("/certificates", status_code=201, openapi_extra=UPLOAD)
async def add_certificate(
    request: Request,
    calibration: CalibrationDep,
    about: About,
    file_name: Annotated[str, Query(min_length=1, max_length=200), FILE_NAME] = "certificate",
    due_on: Annotated[
        date | None, Query(description="Due date set by the owner; required if the file has none")
    ] = None,
    approved_by: Annotated[str, Field(min_length=1, max_length=200), FILLED_LINE] | None = None,
    approval_note: Annotated[str, Field(min_length=1, max_length=1000), FILLED_LINE] | None = None,
    revise: Annotated[bool, Query(description="Add a changed certificate as a new version")] = False,
    range_name: Annotated[list[str] | None, Query(description="Range of a DCC: DCC-NAME=METER-NAME")] = None,
) -> CertificateAdded:
    """Add a certificate to the register; the body is the file. The response gives the reason of a refusal."""
    about(file_name)
    content = await _body(request)
    add = partial(
        calibration.certificates.add,
        content,
        file_name,
        due_on=due_on,
        approved_by=approved_by,
        approval_note=approval_note,
        revise=revise,
        range_names=range_names(range_name or []),
    )
    return await run_in_threadpool(add)


@router.post("/certificates/in-house/preview")
def preview_in_house(order: InHouseOrder, calibration: CalibrationDep) -> InHouseOut:
    """Compare two meters over runs of a stepped load: points, fit and refusals of an in-house certificate."""
    return calibration.certificates.in_house(order)


@router.post("/certificates/in-house", status_code=201)
def issue_in_house(order: InHouseOrder, calibration: CalibrationDep, about: About) -> CertificateAdded:
    """Issue an in-house certificate from runs of a stepped load and add it to the register."""
    about(order.meter, order.reference, order.campaign_id or "")
    return calibration.certificates.issue_in_house(order)


@router.get("/certificates/{certificate_id}")
def one_certificate(certificate_id: str, calibration: CalibrationDep, as_of: AsOf = None) -> CertificateOut:
    """Return one certificate in full: points, fitted model, error curve with its 95 % band, versions, overrides."""
    return calibration.certificates.show(certificate_id, as_of)


@router.get("/certificates/{certificate_id}/file", response_class=Response)
def certificate_file(certificate_id: str, calibration: CalibrationDep) -> Response:
    """Return the original file, byte for byte as it was accepted."""
    content = calibration.certificates.original(certificate_id)
    return Response(content, media_type="application/octet-stream", headers=attachment(certificate_id))


@router.post("/certificates/{certificate_id}/review")
def review_certificate(certificate_id: str, calibration: CalibrationDep) -> ReviewOut:
    """List the older results that the as-found points of a certificate put in doubt. Changes nothing."""
    return calibration.reviews.review(certificate_id)


@router.post("/certificates/{certificate_id}/recompute")
def recompute_review(certificate_id: str, order: Signed, calibration: CalibrationDep) -> ReviewOut:
    """Issue a new version of every result in doubt with the as-found points; earlier versions are kept."""
    return calibration.reviews.recompute(certificate_id, order.by, order.reason)


@router.post("/certificates/{certificate_id}/override", status_code=201)
def override_certificate(
    certificate_id: str, order: OverrideIn, calibration: CalibrationDep, about: About
) -> OverrideOut:
    """Record a signed override of a certificate's refusals; every result that uses it shows it."""
    about(*order.accepts, order.run_id or order.serial or "")
    return calibration.certificates.override(certificate_id, order)


@router.post("/certificates/{certificate_id}/revoke")
def revoke_certificate(certificate_id: str, order: RevokeIn, calibration: CalibrationDep) -> CertificateSummary:
    """Add a version that revokes a certificate from a date on."""
    return calibration.certificates.revoke(certificate_id, order)


@router.get("/meters/calibration")
def meters_calibration(calibration: CalibrationDep, as_of: AsOf = None) -> MetersCalibrationOut:
    """Return the calibration of each meter: a certificate, the specification, or none."""
    return calibration.certificates.meters(as_of)


@router.get("/runs/{run_id}/versions")
def run_versions(run_id: str, calibration: CalibrationDep) -> RunVersionsOut:
    """List the issued versions of a result and how they differ."""
    return calibration.issuer.versions(run_id)


@router.post("/runs/{run_id}/recompute", status_code=201)
def recompute_run(run_id: str, order: Signed, calibration: CalibrationDep) -> RunVersionOut:
    """Issue a new version of a result with the current certificates and overrides; earlier versions are kept."""
    return calibration.issuer.recompute(run_id, order.by, order.reason)


@router.post("/meters/{serial}/recompute", status_code=201)
def recompute_meter(serial: str, order: Signed, calibration: CalibrationDep) -> list[RunVersionOut]:
    """Issue new versions of all results of a meter that the current certificates and overrides change."""
    return calibration.issuer.recompute_meter(serial, order.by, order.reason)


async def _body(request: Request) -> bytes:
    """Read the body up to the largest size. Raises `InputError`."""
    content = bytearray()
    async for part in request.stream():
        content += part
        if len(content) > LARGEST_UPLOAD:
            raise InputError(
                f"The file is larger than {LARGEST_UPLOAD // 2**20} MiB.",
                "A certificate is far smaller; check the file.",
            )
    return bytes(content)
