"""Packets come out of any stream whole or not at all."""

from __future__ import annotations

import itertools

from hypothesis import given
from hypothesis import strategies as st
from wattmark_drivers.ascii.packets import LONGEST, Packet, PacketBuffer, TornPacket

# Exchange of the Watts Up? protocol 4.41, clauses I.8 and II.
VERSION = b"#v,-,8,1,65206,5,2,3,14,200612211910,0;"


def feed(*chunks: bytes) -> list[Packet | TornPacket]:
    buffer = PacketBuffer()
    return [item for chunk in chunks for item in buffer.feed(chunk)]


def test_the_protocols_own_example():
    assert feed(VERSION) == [Packet("v", ("1", "65206", "5", "2", "3", "14", "200612211910", "0"))]
    assert feed(b"#u,-,3,80,100,0;") == [Packet("u", ("80", "100", "0"))]


def test_no_arguments():
    assert feed(b"#r,-,0;") == [Packet("r", ())]


def test_text_outside_packets_and_control_characters_are_ignored():
    # Clause I.7: the start-up announcement is no packet; I.4: control characters are ignored within one.
    noise = b"EED05F01 $Revision: 4.41 $ 200612212301 60Hz 120V\r\n\0"
    assert feed(noise + b"\0#u,\r\n-,3,8\t0,100,0;\r\n") == [Packet("u", ("80", "100", "0"))]


def test_a_packet_may_come_in_pieces():
    assert feed(VERSION[:5], VERSION[5:6], b"", VERSION[6:]) == feed(VERSION)


def test_a_torn_packet_does_not_spoil_the_next():
    torn, whole = feed(b"#d,-,18,6125,23", b"#u,-,3,80,100,0;")
    assert isinstance(torn, TornPacket)
    assert whole == Packet("u", ("80", "100", "0"))


def test_a_wrong_count_is_torn():
    assert [type(item) for item in feed(b"#u,-,3,80,100;#u,-,x,80;#,,;")] == [TornPacket, TornPacket, TornPacket]


def test_a_tail_without_a_beginning_is_ignored():
    assert feed(b"99,6259;#u,-,3,80,100,0;") == [Packet("u", ("80", "100", "0"))]


def test_an_endless_packet_is_given_up():
    (torn,) = feed(b"#d,-,18," + b"1," * LONGEST)
    assert isinstance(torn, TornPacket)


STREAM = st.lists(
    st.binary(max_size=30) | st.sampled_from([VERSION, b"#d,-,2,1", b";", b"#", b"#u,-,3,80,100,0;", b"1" * LONGEST])
).map(b"".join)


@given(STREAM, st.lists(st.integers(0, 3000), max_size=6))
def test_how_a_stream_is_cut_does_not_matter(stream, cuts):
    edges = sorted({0, len(stream), *(cut for cut in cuts if cut < len(stream))})
    pieces = [stream[a:b] for a, b in itertools.pairwise(edges)]
    whole, cut = feed(stream), feed(*pieces)
    assert [item for item in whole if isinstance(item, Packet)] == [item for item in cut if isinstance(item, Packet)]
    assert len(whole) == len(cut)
