"""Import of DCC files: what they say arrives, what they do not say is asked for."""

import hashlib
import re
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st
from wattmark_calibration.certificate.conformity import Outcome
from wattmark_calibration.correction.model import fit_model
from wattmark_calibration.dcc.reader import _identity, read_dcc
from wattmark_calibration.errors import CertificateError


def read(text, **options):
    return read_dcc(text.encode(), "wm.xml", **options)


@pytest.fixture
def plain(parts):
    return parts.document(parts.measurement(parts.result(parts.table())))


@given(st.lists(st.text(alphabet="aA1.-/ +ä测", min_size=1, max_size=80), min_size=2, max_size=2, unique_by=str.strip))
def test_numbers_that_differ_in_any_sign_get_ids_of_their_own(numbers):
    first, second = numbers
    first_id = _identity(first, {})
    second_id = _identity(second, {first_id: first})
    assert first_id != second_id
    assert all(re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._+-]{0,63}", name) for name in (first_id, second_id))
    assert _identity(first, {first_id: first, second_id: second}) == first_id
    assert _identity(second, {first_id: first, second_id: second}) == second_id


def test_reads_what_the_certificate_says(plain):
    certificate = read(plain)
    assert (certificate.id, certificate.number) == ("WM-2026-07", "WM/2026 07")
    assert (certificate.meter.manufacturer, certificate.meter.model, certificate.meter.serial) == (
        "Example Instruments",
        "PM1",
        "SN-1",
    )
    assert (certificate.laboratory.name, certificate.laboratory.accreditation) == (
        "Example Laboratory",
        "D-K-00000-01-00",
    )
    assert certificate.method == "Comparison with a power standard (DKD-R 0-0)"
    assert (certificate.calibrated_on, certificate.due_on) == (date(2026, 3, 2), date(2027, 3, 2))
    assert (certificate.chain[0].name, certificate.chain[0].serial) == ("Power standard", "R-1")
    assert (certificate.conformity.rule, certificate.conformity.verdict) == ("ILAC-G8, w = U", Outcome.PASS)
    assert (certificate.file.name, certificate.file.sha256) == ("wm.xml", hashlib.sha256(plain.encode()).hexdigest())
    assert not certificate.adjusted


def test_reads_the_points(plain):
    (calibrated,) = read(plain).as_found
    assert calibrated.name == "300V/5A"
    assert [p.reference_w for p in calibrated.points] == [50, 100, 250, 500, 1000]
    assert [p.indication_w for p in calibrated.points] == [50.21, 100.31, 250.62, 501.14, 1002.21]
    assert [p.expanded_u_w for p in calibrated.points] == [0.0515, 0.0675, 0.1403, 0.2701, 0.5389]
    assert {(p.k, p.coverage_probability, p.power_factor) for p in calibrated.points} == {(2, 0.95, 1)}
    assert {p.frequency_hz for p in calibrated.points} == {50}
    assert [p.temperature_c for p in calibrated.points] == [pytest.approx(23)] * 5
    assert fit_model(calibrated).parameters[1] == pytest.approx(-0.00208, rel=0.01)


def test_newer_uncertainty_elements_read_the_same(parts, plain):
    newer = parts.document(parts.measurement(parts.result(parts.table(uncertainty=parts.new_u))), version="3.3.0")
    assert read(newer).as_found == read(plain).as_found


def test_kilowatts_are_converted(parts, plain):
    table = parts.table(
        reference="0.05 0.1 0.25 0.5 1",
        measured="0.05021 0.10031 0.25062 0.50114 1.00221",
        error="0.00021 0.00031 0.00062 0.00114 0.00221",
        u="0.0000515 0.0000675 0.0001403 0.0002701 0.0005389",
        unit="\\kilo\\watt",
    )
    points = read(parts.document(parts.measurement(parts.result(table)))).as_found[0].points
    for converted, there in zip(points, read(plain).as_found[0].points, strict=True):
        assert converted.indication_w == pytest.approx(there.indication_w)
        assert converted.expanded_u_w == pytest.approx(there.expanded_u_w)


def test_one_value_stands_for_all_points(parts):
    points = read(parts.document(parts.measurement(parts.result(parts.table(u="0.06"))))).as_found[0].points
    assert {p.expanded_u_w for p in points} == {0.06}


def test_negative_power_factor_leads(parts):
    table = parts.table(factor="1 1 1 1 -0.5")
    points = read(parts.document(parts.measurement(parts.result(table)))).as_found[0].points
    assert (points[4].power_factor, points[4].reactive) == (0.5, "leading")
    assert points[0].reactive == "lagging"


def test_unstated_power_factor_stays_unstated(parts):
    points = read(parts.document(parts.measurement(parts.result(parts.table(factor=""))))).as_found[0].points
    assert {p.power_factor for p in points} == {None}


def test_each_result_is_a_range_and_can_be_renamed(parts):
    results = parts.result(parts.table()) + parts.result(parts.table(), name="Bereich 2")
    certificate = read(parts.document(parts.measurement(results)), range_names={"Bereich 2": "300V/20A"})
    assert [calibrated.name for calibrated in certificate.as_found] == ["300V/5A", "300V/20A"]


def before(parts, data=""):
    content = f"<dcc:data><dcc:list>{data}</dcc:list></dcc:data>" if data else ""
    return (
        '<dcc:influenceCondition refType="basic_adjustment"><dcc:name><dcc:content>Adjustment</dcc:content></dcc:name>'
        "<dcc:status>beforeAdjustment</dcc:status>"
        f"{content}</dcc:influenceCondition>"
    )


def test_data_before_adjustment_are_as_found_and_results_as_left(parts):
    old = parts.table(measured="50.31 100.51 251.12 502.14 1004.21", error="0.31 0.51 1.12 2.14 4.21")
    conditions = parts.temperature + before(parts, old)
    certificate = read(parts.document(parts.measurement(parts.result(parts.table()), conditions)))
    assert certificate.adjusted
    assert certificate.as_found[0].points[0].indication_w == 50.31
    assert certificate.as_found[0].name == certificate.as_left[0].name == "300V/5A"
    assert certificate.as_left[0].points[0].indication_w == 50.21
    assert certificate.in_use == certificate.as_left


def test_two_measurements_marked_before_and_after(parts):
    old = parts.table(measured="50.31 100.51 251.12 502.14 1004.21", error="0.31 0.51 1.12 2.14 4.21")
    after = "<dcc:influenceCondition><dcc:status>afterAdjustment</dcc:status></dcc:influenceCondition>"
    measurements = parts.measurement(parts.result(old), before(parts)) + parts.measurement(
        parts.result(parts.table()), after
    )
    certificate = read(parts.document(measurements))
    assert (certificate.as_found[0].points[0].indication_w, certificate.as_left[0].points[0].indication_w) == (
        50.31,
        50.21,
    )


def test_half_marked_measurements_are_refused(parts):
    measurements = parts.measurement(parts.result(parts.table()), before(parts)) + parts.measurement(
        parts.result(parts.table())
    )
    with pytest.raises(CertificateError, match="but not others"):
        read(parts.document(measurements))


def test_the_owner_sets_the_due_date(plain):
    assert read(plain, due_on=date(2026, 9, 2)).due_on == date(2026, 9, 2)
    silent = plain.replace("basic_recalibration", "other")
    with pytest.raises(CertificateError, match="Enter the due date"):
        read(silent)
    assert read(silent, due_on=date(2026, 9, 2)).due_on == date(2026, 9, 2)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('schemaVersion="3.1.1"', 'schemaVersion="2.4.0"', "not a DCC 3.x"),
        ("https://ptb.de/dcc", "https://example.org/dcc", "not a DCC 3.x"),
        ("uniqueIdentifier", "otherIdentifier", "has no coreData/uniqueIdentifier"),
        ("<dcc:endPerformanceDate>2026-03-02", "<dcc:endPerformanceDate>in March", "not a date"),
        (
            "<dcc:beginPerformanceDate>2026-03-01",
            "<dcc:beginPerformanceDate>2026-04-02",
            "began on 2026-04-02 and ended on 2026-03-02",
        ),
        ("<dcc:date>2027-03-02", "<dcc:date>2025-03-02", "not after its calibration"),
        ("<dcc:value>SN-1</dcc:value>", "<dcc:value> </dcc:value>", "0 serial numbers"),
        ("<dcc:content>Example Laboratory</dcc:content>", "", "name the calibration laboratory"),
        ("<dcc:items>", "<dcc:items><dcc:item/>", "2 items"),
        ("basic_measuredValue", "basic_other", "no table"),
        ("\\watt", "\\volt", r"must be in W but is in \\volt"),
        ("\\watt", "\\percent", "must be in W"),
        ("\\watt", "", "is in none"),
        ("\\one", "\\watt", "must be in 1"),
        ("501.14 ", "501,14 ", "not a finite number"),
        ("501.14 ", "nan ", "not a finite number"),
        ("501.14 ", "1e999 ", "not a finite number"),
        ("501.14 ", "", "4 measured values for 5 points"),
        ("501.14 ", "5.0114 ", "differ too much|its values differ"),
        ("0.62 1.14", "0.62 2.14", "but its values differ"),
        ("0.1403 0.2701", "0.1403", "4 uncertainties for 5 points"),
        ("expandedUncXMLList", "otherUncXMLList", "no expanded uncertainty"),
        ("<si:coverageFactorXMLList>2<", "<si:coverageFactorXMLList><", "0 numbers"),
        ("<si:coverageProbabilityXMLList>0.95<", "<si:coverageProbabilityXMLList>95<", "fraction"),
        ('<dcc:content lang="en">300V/5A</dcc:content>', "", "has no name"),
        ("basic_measurementError", "basic_referenceValue", "twice"),
    ],
)
def test_mistakes_are_named_on_one_line(plain, old, new, words):
    assert old in plain
    with pytest.raises(CertificateError, match=words) as caught:
        read(plain.replace(old, new))
    assert "\n" not in str(caught.value)


def test_a_list_without_end_is_refused(parts):
    many = " ".join(["1"] * 10_001)
    with pytest.raises(CertificateError, match="10001 numbers"):
        read(parts.document(parts.measurement(parts.result(parts.table(reference=many)))))


def test_a_verdict_outside_the_four_is_excluded(plain):
    assert read(plain.replace("<dcc:conformity>pass", "<dcc:conformity>noPass")).conformity is None


def test_any_damage_gives_a_certificate_or_one_line(complaint_of, plain):
    intact = plain.encode()

    @given(st.integers(0, len(intact) - 1), st.integers(0, 40), st.binary(max_size=12))
    def damage(start, length, new):
        assert "\n" not in complaint_of(read_dcc, intact[:start] + new + intact[start + length :], "wm.xml")

    damage()


def test_tolerance_limits_become_limits_of_error(parts):
    limits = parts.quantity("basic_toleranceLimitLower", parts.real_list("-3", "\\watt")) + parts.quantity(
        "basic_toleranceLimitUpper", parts.real_list("1 1 2 3 4", "\\watt")
    )
    text = parts.document(parts.measurement(parts.result(parts.table(limits=limits))))
    assert [point.limit_w for point in read(text).as_found[0].points] == [1, 1, 2, 3, 3]
    tight = text.replace(">1 1 2 3 4<", ">1 1 2 0.5 4<")
    with pytest.raises(CertificateError, match="states pass, but a point"):
        read(tight)


def test_standards_named_by_meta_data(parts, plain):
    reference = (
        '<dcc:measurementMetaData><dcc:metaData refType="basic_normalUsed" refId="e1 e2"/></dcc:measurementMetaData>'
    )
    text = plain.replace('refType="basic_normalUsed"', 'id="e1"').replace("</si:hybrid>", "</si:hybrid>" + reference)
    assert [standard.name for standard in read(text).chain] == ["Power standard"]
    assert read(plain.replace('refType="basic_normalUsed"', 'id="e1"')).chain == ()
