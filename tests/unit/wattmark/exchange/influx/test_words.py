"""Documents as numbers: whole, or not at all."""

from __future__ import annotations

import zlib

from hypothesis import given
from hypothesis import strategies as st
from wattmark.exchange.influx import words
from wattmark.exchange.influx.words import from_words, to_words


@given(st.binary(max_size=3000))
def test_a_document_comes_back(document):
    numbers = to_words(document)
    assert from_words(numbers) == document
    assert all(float(repr(number)) == number < 2**53 for number in numbers)


@given(st.binary(min_size=1, max_size=300), st.binary(min_size=1, max_size=300))
def test_what_is_left_of_a_longer_one_is_ignored(document, other):
    shorter, longer = sorted((to_words(document), to_words(other)), key=len)
    assert from_words(shorter + longer[len(shorter) :]) == from_words(shorter)


@given(st.binary(min_size=1, max_size=300), st.data())
def test_a_document_that_is_half_replaced_is_none(document, data):
    numbers = to_words(document)
    position = data.draw(st.integers(0, len(numbers) - 1))
    assert from_words(numbers[:position]) is None
    numbers[position] = data.draw(st.floats().filter(lambda number: number != numbers[position]))
    assert from_words(numbers) in (None, document)


def test_a_bomb_is_not_unpacked(monkeypatch):
    monkeypatch.setattr(words, "LONGEST_BYTES", 10_000)
    packed = zlib.compress(bytes(10_001))
    assert len(packed) < 100
    assert from_words(to_words(bytes(10_001))) is None
    assert from_words(to_words(bytes(10_000))) == bytes(10_000)
