"""What was issued stays: a later certificate, override or revocation makes a new version on request only."""

from __future__ import annotations

from datetime import date

import pytest
from wattmark.core.errors import Conflict, NotFound
from wattmark.traceability.certificates.views import OverrideIn, RevokeIn


def test_a_later_certificate_changes_nothing_that_was_issued(lab, vector):
    lab.measure()
    before = lab.result()
    added = lab.add(vector.make())
    assert added.unchanged_results == 1
    after = lab.result()
    assert (after.power.bare, after.basis) == (before.power.bare, "specification")
    assert after.result_version == 1
    assert lab.calibration.issuer.versions("r1").newer_available


def test_recompute_makes_a_second_version_and_both_say_why_they_differ(lab, vector):
    lab.measure()
    lab.add(vector.make())
    made = lab.calibration.issuer.recompute("r1", "operator", "the certificate came")
    assert (made.version, made.by, made.reason) == (2, "operator", "the certificate came")
    history = lab.calibration.issuer.versions("r1")
    first, second = history.versions
    assert (first.certificates, second.certificates) == (["specification"], ["certificate CAL-1 v1"])
    assert first.result.power.value == pytest.approx(245.0)
    assert second.result.power.value == pytest.approx(244.3870, abs=5e-5)
    assert second.difference.startswith("Certificate CAL-1 v1 instead of specification: mean power 244.39")
    assert not history.newer_available
    assert lab.result().result_version == 2


def test_a_result_names_certificate_version_and_hash(lab, vector):
    lab.add(vector.make())
    lab.measure()
    accepted = lab.queries.register().get("CAL-1")
    (used,) = lab.calibration.issuer.first(lab.queries.record("r1")).calibrations
    assert (used.certificate_id, used.certificate_version, used.certificate_sha256) == ("CAL-1", 1, accepted.sha256)


def test_a_changed_certificate_is_a_new_version_and_old_results_keep_theirs(lab, vector):
    lab.add(vector.make())
    lab.measure("old")
    lab.calibration.issuer.first(lab.queries.record("old"))
    changed = vector.make(as_found=(vector.calibrated(vector.points(shift_w=0.1)),))
    lab.add(changed, revise=True, reason="misprint of the laboratory")
    lab.measure("new")
    assert lab.result("old").calibrations[0].certificate_version == 1
    assert lab.result("new").calibrations[0].certificate_version == 2
    assert lab.result("new").power.value == pytest.approx(lab.result("old").power.value - 0.1, abs=1e-3)
    versions = lab.calibration.certificates.show("CAL-1").versions
    assert [(version.version, version.reason, version.intact) for version in versions] == [
        (1, "added", True),
        (2, "misprint of the laboratory", True),
    ]


def test_revocation_and_override_change_issued_results_on_request_only(lab, vector):
    lab.add(vector.make())
    lab.measure()
    order = RevokeIn(by="Example Laboratory", reason="reference drifted", effective="2025-03-02")
    lab.calibration.certificates.revoke("CAL-1", order)
    assert lab.result().basis == "certificate"
    assert lab.reissued().basis == "none"
    accepted = OverrideIn(by="Head of lab", reason="drift is known and small", accepts=["revoked"])
    lab.calibration.certificates.override("CAL-1", accepted)
    assert lab.result().basis == "none"
    result = lab.reissued()
    assert (result.basis, result.traceable, result.result_version) == ("certificate", False, 3)
    assert result.power.value == pytest.approx(244.3870, abs=5e-5)
    assert any("Overridden by Head of lab: drift is known and small" in note for note in result.notes)


def test_an_override_can_be_withdrawn_and_both_stay_readable(lab, vector):
    lab.add(vector.make())
    lab.measure(day="2026-06-01")
    lab.calibration.certificates.override("CAL-1", OverrideIn(by="A", reason="late", accepts=["expired"]))
    assert lab.reissued().basis == "certificate"
    lab.calibration.certificates.override("CAL-1", OverrideIn(by="B", reason="never mind", accepts=[]))
    assert lab.reissued().basis == "none"
    overrides = lab.calibration.certificates.show("CAL-1").overrides
    assert [(override.by, override.in_force) for override in overrides] == [("A", False), ("B", False)]


def test_an_override_for_one_run_leaves_the_others(lab, vector):
    lab.add(vector.make())
    lab.measure("one", day="2026-06-01")
    lab.measure("two", day="2026-06-02")
    order = OverrideIn(by="A", reason="late", accepts=["expired"], run_id="one")
    lab.calibration.certificates.override("CAL-1", order)
    assert (lab.reissued("one").basis, lab.reissued("two").basis) == ("certificate", "none")


def test_an_override_of_the_serial_number_names_the_meter(lab, vector):
    """The laboratory mistyped the number; the certificate then serves that one meter, and no other."""
    lab.add(vector.make(meter=vector.for_serial("SN-l")))
    lab.measure()
    order = OverrideIn(by="A", reason="mistyped by the laboratory", accepts=["serial"], serial=vector.SERIAL)
    lab.calibration.certificates.override("CAL-1", order)
    assert lab.reissued().basis == "certificate"
    lab.measure("other", serial="SN-7")
    assert lab.result("other").basis == "specification"


def test_a_tampered_certificate_is_refused(lab, vector):
    """Someone edits the row in the file: the noted hash no longer fits, and the meter has no calibration in force."""
    lab.add(vector.make())
    lab.measure()

    lab.tamper(
        "DROP TRIGGER certificate_stays",
        "UPDATE certificate SET document = replace(document, '250.62', '250.12')",
    )
    result = lab.result()
    assert result.basis == "none"
    assert "hash" in [refusal.code for refusal in result.calibrations[0].refusals]
    assert "hash mismatch" in " ".join(result.notes)
    shown = lab.calibration.certificates.show("CAL-1")
    assert not shown.versions[0].intact
    assert "differs from the one that was accepted" in shown.status_text


def test_a_row_that_is_no_certificate_any_more_leaves_other_meters_their_results(lab, vector):
    lab.add(vector.make())
    lab.add(vector.make(id="CAL-2", number="K-2", meter=vector.for_serial("SN-2")))
    lab.measure()
    lab.measure("other", serial="SN-2")
    lab.measure("third", serial="SN-3")
    lab.tamper(
        "DROP TRIGGER certificate_stays",
        """UPDATE certificate SET document = replace(document, '"k":2,', '"k":-2,') WHERE certificate_id = 'CAL-1'""",
    )
    result = lab.result()
    assert (result.basis, result.traceable, result.power.U95) == ("none", False, None)
    assert [refusal.code for refusal in result.calibrations[0].refusals] == ["unreadable"]
    assert result.calibrations[0].certificate_id == "CAL-1"
    assert any("CAL-1 v1 can no longer be read" in note and "backup" in note for note in result.notes)
    assert {other.run_id: other.basis for other in lab.queries.results()} == {
        "r1": "none",
        "other": "certificate",
        "third": "specification",
    }
    listed = lab.calibration.certificates.list()
    assert [entry.id for entry in listed.certificates] == ["CAL-2"]
    assert "CAL-1 v1 can no longer be read" in listed.unreadable[0]
    (first, *_) = lab.calibration.certificates.meters().meters
    assert (first.serial, first.basis) in {("SN-1", "none"), ("SN-3", "specification")}


def test_a_later_certificate_takes_the_place_of_an_unreadable_one(lab, vector):
    lab.add(vector.make())
    lab.measure()
    lab.tamper("DROP TRIGGER certificate_stays", "UPDATE certificate SET document = substr(document, 1, 1400)")
    assert lab.result().basis == "none"
    later = date(2025, 5, 2)
    lab.add(vector.make(id="CAL-9", number="K-9", calibrated_on=later, due_on=date(2026, 5, 2)))
    assert lab.reissued().calibrations[0].certificate_id == "CAL-9"


def test_rows_cannot_be_changed_by_accident(lab, vector):
    import apsw
    from wattmark.core.errors import StoreError

    lab.add(vector.make())
    lab.measure()
    lab.reissued()
    for sql in (
        "UPDATE certificate SET reason = ''",
        "DELETE FROM certificate",
        "UPDATE certificate_file SET content = x'00'",
        "UPDATE issue SET reason = ''",
        "UPDATE issued_result SET result = '{}'",
    ):
        with pytest.raises((StoreError, apsw.Error), match=r"never change|are kept"):
            lab.storage.database.write(lambda connection, sql=sql: connection.execute(sql))


def test_a_damaged_original_is_told(lab, vector):
    from wattmark.core.errors import StoreError

    lab.add(vector.make())
    assert lab.calibration.certificates.show("CAL-1").file_intact
    assert lab.calibration.certificates.original("CAL-1") == vector.as_bytes(vector.make())
    lab.tamper("DROP TRIGGER certificate_file_stays", "UPDATE certificate_file SET content = x'00'")
    assert lab.calibration.certificates.show("CAL-1").file_intact is False
    with pytest.raises(StoreError, match="not the accepted one"):
        lab.calibration.certificates.original("CAL-1")


def test_everything_survives_a_restart(lab, vector):
    lab.measure()
    lab.add(vector.make())
    lab.reissued()
    lab.restart()
    assert lab.storage.certificates.register().get("CAL-1").intact
    assert [version.issue.version for version in lab.storage.issued.of("r1")] == [1, 2]


def test_a_deleted_run_takes_its_versions_along(lab, vector):
    lab.measure()
    lab.reissued()
    lab.storage.delete_run("r1")
    assert lab.storage.issued.of("r1") == []
    with pytest.raises(NotFound):
        lab.calibration.issuer.versions("r1")


def test_duplicates_and_clashes_change_nothing(lab, vector):
    lab.add(vector.make())
    revision = lab.storage.certificates.revision()
    clashes = {
        "already in the register with the same content": vector.make(),
        "with different content": vector.make(method="another"),
        "in the register as CAL-1": vector.make(id="CAL-1b"),
        "neither supersedes": vector.make(id="CAL-2", number="K-2"),
    }
    for complaint, certificate in clashes.items():
        with pytest.raises(Conflict, match=complaint):
            lab.add(certificate)
    with pytest.raises(Conflict, match="for meter SN-1, not SN-2"):
        lab.add(vector.make(meter=vector.for_serial("SN-2")), revise=True)
    assert lab.storage.certificates.revision() == revision


def test_an_approval_is_added_as_a_new_version(lab, vector):
    lab.add(vector.make())
    made = lab.add(vector.make(), revise=True, approved_by="A. Owner", approval_note="examined")
    assert (made.certificate.version, made.certificate.approved_by) == (2, "A. Owner")
    with pytest.raises(Conflict, match="already in the register with the same content"):
        lab.add(vector.make(), revise=True)


def test_the_file_of_a_revoked_certificate_does_not_bring_it_back(lab, vector):
    lab.add(vector.make())
    order = RevokeIn(by="Head of lab", reason="laboratory withdrew it", effective="2025-04-01")
    lab.calibration.certificates.revoke("CAL-1", order)
    for certificate in (vector.make(), vector.make(method="another")):
        with pytest.raises(Conflict, match="revoked with effect from 2025-04-01"):
            lab.add(certificate, revise=True)
    assert lab.calibration.certificates.show("CAL-1").versions[-1].version == 2


def test_a_run_is_issued_when_it_ends_and_not_before(lab):
    from wattmark.runs.record import RunStatus

    run = lab.measure()
    lab.storage.runs.put(run.model_copy(update={"status": RunStatus.RUNNING}))
    assert lab.calibration.issuer.first(lab.queries.record("r1")).result_version is None
    with pytest.raises(Conflict, match="is recording"):
        lab.calibration.issuer.recompute("r1", "A", "too early")
    lab.storage.runs.put(run)
    for _ in range(2):
        assert lab.calibration.issuer.first(lab.queries.record("r1")).result_version == 1
    (only,) = lab.calibration.issuer.versions("r1").versions
    assert (only.reason, only.by, only.certificates) == ("measured", None, ["specification"])
