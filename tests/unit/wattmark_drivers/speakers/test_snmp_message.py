"""Messages of SNMP version 2c: the vectors are those of RFC 1157 and X.690, and of net-snmp on the wire."""

import hashlib
import hmac

import pytest
from hypothesis import given
from hypothesis import strategies as st
from wattmark_drivers.speakers.snmp.message import (
    END_OF_MIB_VIEW,
    GET,
    GET_BULK,
    Mark,
    Name,
    Request,
    Ticks,
    authentication_key,
    bound,
    is_authentic,
    parse,
    response,
    secured,
    version_of,
)

GET_SYS_DESCR = bytes.fromhex("302902010104067075626c6963a01c020412345678020100020100300e300c06082b060102010101000500")
"""snmpget -v2c -c public, of sysDescr.0."""
BULK = bytes.fromhex("302602010104067075626c6963a519020101020100020114300e300c06082b060102010101000500")


def test_a_request_is_read():
    request = parse(GET_SYS_DESCR, b"public")
    assert request == Request(GET, 0x12345678, ((1, 3, 6, 1, 2, 1, 1, 1, 0),), GET_SYS_DESCR[29:])
    assert version_of(GET_SYS_DESCR) == 1
    assert parse(GET_SYS_DESCR, b"other") is None
    bulk = parse(BULK, b"public")
    assert (bulk.kind, bulk.non_repeaters, bulk.max_repetitions) == (GET_BULK, 0, 20)


@pytest.mark.parametrize(
    ("value", "encoded"),
    [
        # X.690, 8.3 (integers in two's complement, shortest form) and RFC 2578 (application tags)
        (0, "020100"), (127, "02017f"), (128, "02020080"), (-1, "0201ff"), (-128, "020180"), (-129, "0202ff7f"),
        (236_810, "0203039d0a"), (2**31, "42050080000000"), (Ticks(100), "430164"), ("W", "040157"), ("", "0400"),
        (Name((0, 0)), "060100"), (Name((1, 3, 6, 1, 4, 1, 13742)), "06072b06010401eb2e"),
        (Mark(END_OF_MIB_VIEW), "8200"),
    ],
)  # fmt: skip
def test_values_are_encoded(value, encoded):
    content = bytes.fromhex("06022b06") + bytes.fromhex(encoded)
    assert bound([((1, 3, 6), value)]) == bytes([0x30, len(content)]) + content


def test_a_response_is_built():
    expected = GET_SYS_DESCR.replace(b"\xa0\x1c", b"\xa2\x1c")
    assert response(b"public", 0x12345678, GET_SYS_DESCR[29:]) == expected


@pytest.mark.parametrize("cut", range(1, len(GET_SYS_DESCR)))
def test_a_message_that_is_cut_is_refused(cut):
    with pytest.raises(ValueError, match=r"ends within|sequence"):
        parse(GET_SYS_DESCR[:cut], b"public")


@given(st.binary(max_size=200))
def test_any_bytes_are_read_or_refused(data):
    for read in (version_of, secured, lambda datagram: parse(datagram, b"public")):
        try:
            read(data)
        except ValueError:
            continue


@given(st.data())
def test_a_request_with_wrong_bytes_is_read_or_refused(data):
    places = data.draw(st.lists(st.tuples(st.integers(0, len(BULK) - 1), st.integers(0, 255)), max_size=4))
    changed = bytearray(BULK)
    for place, byte in places:
        changed[place] = byte
    try:
        request = parse(bytes(changed), b"public")
    except ValueError:
        return
    assert request is None or request.max_repetitions >= 0


def test_version_3_may_not_be_nested():
    flat = bytes.fromhex("303a020103300f02024a69020300ffe30401040201030410300e0400020100020100040004000400")
    flat += bytes.fromhex("301204000400a00c020237f00201000201003000")
    assert secured(flat).discovers
    assert not secured(flat).is_protected
    deep = bytes.fromhex("0500")
    for _ in range(20):
        deep = bytes([0x30, len(deep)]) + deep
    head = bytes.fromhex("020103300f02024a69020300ffe3040104020103")
    message = head + bytes([0x04, len(deep)]) + deep + bytes.fromhex("30020500")
    with pytest.raises(ValueError, match="nested"):
        secured(bytes([0x30, len(message)]) + message)


ENGINE = bytes(11) + b"\x02"


def test_a_key_is_that_of_the_standard():
    """RFC 3414, A.3.2: "maplesyrup" at the engine 000000000000000000000002."""
    key = authentication_key("maplesyrup", ENGINE)
    assert key.hex() == "6695febc9288e36282235fc7151f128497b38f3f"


def test_a_digest_is_that_of_the_whole_message_with_zeros_in_its_place():
    """RFC 3414, 7.3.1: HMAC-SHA over the message whose digest is 12 zero bytes, of which the first 12 bytes count."""
    key = authentication_key("maplesyrup", ENGINE)
    unsigned = b"before" + bytes(12) + b"after"
    digest = hmac.new(key, unsigned, hashlib.sha1).digest()[:12]
    signed = b"before" + digest + b"after"
    assert is_authentic(signed, (6, 18), key)
    assert not is_authentic(signed.replace(b"after", b"aftex"), (6, 18), key)
    assert not is_authentic(signed, (6, 18), authentication_key("other-syrup", ENGINE))
    assert not is_authentic(signed, (6, 17), key)
