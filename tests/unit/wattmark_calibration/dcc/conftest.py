"""A DCC of a power meter, written for these tests after the structure of the schema 3.x."""

import pytest

ADMIN = """<dcc:administrativeData>
  <dcc:coreData>
    <dcc:uniqueIdentifier>WM/2026 07</dcc:uniqueIdentifier>
    <dcc:beginPerformanceDate>2026-03-01</dcc:beginPerformanceDate>
    <dcc:endPerformanceDate>2026-03-02</dcc:endPerformanceDate>
    <dcc:performanceLocation>laboratory</dcc:performanceLocation>
  </dcc:coreData>
  <dcc:items><dcc:item>
    <dcc:name>
      <dcc:content lang="de">Leistungsmesser</dcc:content><dcc:content lang="en">Power meter</dcc:content>
    </dcc:name>
    <dcc:manufacturer><dcc:name><dcc:content>Example Instruments</dcc:content></dcc:name></dcc:manufacturer>
    <dcc:model>PM1</dcc:model>
    <dcc:identifications>
      <dcc:identification><dcc:issuer>manufacturer</dcc:issuer><dcc:value>SN-1</dcc:value>
        <dcc:name><dcc:content lang="en">Serial no.</dcc:content></dcc:name></dcc:identification>
      <dcc:identification><dcc:issuer>customer</dcc:issuer><dcc:value>rack 7</dcc:value></dcc:identification>
    </dcc:identifications>
  </dcc:item></dcc:items>
  <dcc:calibrationLaboratory>
    <dcc:calibrationLaboratoryCode>D-K-00000-01-00</dcc:calibrationLaboratoryCode>
    <dcc:contact><dcc:name><dcc:content>Example Laboratory</dcc:content></dcc:name></dcc:contact>
  </dcc:calibrationLaboratory>
  <dcc:statements>
    <dcc:statement refType="basic_conformity"><dcc:norm>ILAC-G8, w = U</dcc:norm>
      <dcc:conformity>pass</dcc:conformity></dcc:statement>
    <dcc:statement refType="basic_recalibration"><dcc:date>2027-03-02</dcc:date></dcc:statement>
  </dcc:statements>
</dcc:administrativeData>"""

METHOD = """<dcc:usedMethods><dcc:usedMethod refType="basic_calibrationMethod">
    <dcc:name><dcc:content lang="en">Comparison with a power standard</dcc:content></dcc:name>
    <dcc:norm>DKD-R 0-0</dcc:norm>
  </dcc:usedMethod></dcc:usedMethods>
  <dcc:measuringEquipments><dcc:measuringEquipment refType="basic_normalUsed">
    <dcc:name><dcc:content lang="en">Power standard</dcc:content></dcc:name>
    <dcc:identifications><dcc:identification><dcc:issuer>manufacturer</dcc:issuer><dcc:value>R-1</dcc:value>
    </dcc:identification></dcc:identifications>
  </dcc:measuringEquipment></dcc:measuringEquipments>"""

TEMPERATURE = """<dcc:influenceCondition refType="basic_temperature"><dcc:data>
    <dcc:quantity refType="basic_temperatureMin">
      <si:real><si:value>295.15</si:value><si:unit>\\kelvin</si:unit></si:real></dcc:quantity>
    <dcc:quantity refType="basic_temperatureMax">
      <si:real><si:value>297.15</si:value><si:unit>\\kelvin</si:unit></si:real></dcc:quantity>
  </dcc:data></dcc:influenceCondition>"""

OLD_U = """<si:expandedUncXMLList><si:uncertaintyXMLList>{u}</si:uncertaintyXMLList>
  <si:coverageFactorXMLList>2</si:coverageFactorXMLList><si:coverageProbabilityXMLList>0.95</si:coverageProbabilityXMLList>
  <si:distributionXMLList>normal</si:distributionXMLList></si:expandedUncXMLList>"""
NEW_U = """<si:measurementUncertaintyUnivariateXMLList><si:expandedMUXMLList>
  <si:valueExpandedMUXMLList>{u}</si:valueExpandedMUXMLList><si:coverageFactorXMLList>2</si:coverageFactorXMLList>
  <si:coverageProbabilityXMLList>0.95</si:coverageProbabilityXMLList></si:expandedMUXMLList>
  </si:measurementUncertaintyUnivariateXMLList>"""


def real_list(values, unit, extra=""):
    return (
        f"<si:realListXMLList><si:valueXMLList>{values}</si:valueXMLList>"
        f"<si:unitXMLList>{unit}</si:unitXMLList>{extra}</si:realListXMLList>"
    )


def quantity(kind, content):
    return f'<dcc:quantity refType="{kind}">{content}</dcc:quantity>'


def table(
    reference="50 100 250 500 1000",
    measured="50.21 100.31 250.62 501.14 1002.21",
    error="0.21 0.31 0.62 1.14 2.21",
    u="0.0515 0.0675 0.1403 0.2701 0.5389",
    unit="\\watt",
    uncertainty=OLD_U,
    factor="1",
    more="",
    limits="",
):
    limit = quantity("basic_acceptanceLimitUpper", real_list("9 9 9 9 9", unit)) + limits
    meta = (
        f"<dcc:measurementMetaData><dcc:metaData><dcc:data>{limit}</dcc:data></dcc:metaData></dcc:measurementMetaData>"
    )
    return (
        quantity("basic_referenceValue", f"<si:hybrid>{real_list(reference, unit)}</si:hybrid>")
        + quantity("basic_measuredValue", real_list(measured, unit))
        + quantity("basic_measurementError", real_list(error, unit, uncertainty.format(u=u)) + meta)
        + (quantity("electrical_powerFactor", real_list(factor, "\\one")) if factor else "")
        + quantity(
            "electrical_frequency", "<si:real><si:value>0.05</si:value><si:unit>\\kilo\\hertz</si:unit></si:real>"
        )
        + more
    )


def result(content, name="300V/5A"):
    title = f'<dcc:name><dcc:content lang="en">{name}</dcc:content></dcc:name>' if name else ""
    return f"<dcc:result>{title}<dcc:data><dcc:list>{content}</dcc:list></dcc:data></dcc:result>"


def measurement(results, conditions=TEMPERATURE):
    return (
        f"<dcc:measurementResult>{METHOD}<dcc:influenceConditions>{conditions}</dcc:influenceConditions>"
        f"<dcc:results>{results}</dcc:results></dcc:measurementResult>"
    )


def document(measurements, *, admin=ADMIN, version="3.1.1"):
    return (
        '<?xml version="1.0" encoding="UTF-8"?><dcc:digitalCalibrationCertificate xmlns:dcc="https://ptb.de/dcc" '
        f'xmlns:si="https://ptb.de/si" schemaVersion="{version}">{admin}'
        f"<dcc:measurementResults>{measurements}</dcc:measurementResults></dcc:digitalCalibrationCertificate>"
    )


class Parts:
    """The building blocks, for tests in this folder."""

    admin, temperature, old_u, new_u = ADMIN, TEMPERATURE, OLD_U, NEW_U
    table, result, measurement, document = map(staticmethod, (table, result, measurement, document))
    quantity, real_list = map(staticmethod, (quantity, real_list))


@pytest.fixture
def parts():
    return Parts
