"""A certificate whose every text is an attack: no script runs, on no page and in no file made from it."""

from __future__ import annotations

from pathlib import Path

import pytest
from wattmark_calibration import canonical_json
from wattmark_calibration.certificate.record import Laboratory, MeterIdentity, ReferenceStandard

from ..integration.traceability.conftest import Lab, calibrated, certificate, points
from .conftest import assert_well, browse, serving

pytestmark = pytest.mark.e2e
ATTACKS = (
    "<img src=x onerror=\"window.ran='image'\"><b data-attack>x</b>",
    "\"><script>window.ran='script'</script><b data-attack>",
    "</script></style></title></svg><svg onload=\"window.ran='svg'\" data-attack>",
    "javascript:window.ran='link'//[x](javascript:window.ran='markdown')",
    '=HYPERLINK("http://192.0.2.1/","x")',
)


def test_no_text_of_a_certificate_runs_or_becomes_part_of_a_page(tmp_path: Path) -> None:
    lab = Lab(tmp_path / "data")
    image, script, vector, link, formula = ATTACKS
    range_name = f"5A {image}"
    lab.measure(serial=script, range_name=range_name)
    hostile = certificate(
        number=formula,
        meter=MeterIdentity(manufacturer=image, model=vector, serial=script, firmware=link),
        laboratory=Laboratory(name=vector, accreditation=image),
        method=link,
        as_found=(calibrated(points(), range_name),),
        chain=(ReferenceStandard(name=image, certificate=vector, traceable_to=script),),
    )
    lab.calibration.certificates.add(canonical_json(hostile).encode(), f"{image}.json")
    lab.calibration.issuer.recompute("r1", image, vector)
    lab.storage.close()
    with serving(tmp_path / "data") as address:
        seen = browse("hostile_certificate.mjs", address, str(tmp_path / "files"))
    assert_well(seen, refused="Content Security Policy|404|422")
    assert seen["ran"] == [], "a text ran as a script"
    assert seen["elements"] == [], "a text became part of a page"
    assert len(seen["showed"]) >= 3, ("the attack was on the pages, as text", seen["showed"])
    assert len(seen["files"]) >= 4
