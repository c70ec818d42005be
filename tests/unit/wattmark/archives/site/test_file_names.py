"""No two subjects of a site share a file, however alike their words are written."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st
from wattmark.archives.site.file_names import file_names

ALIKE = st.text(alphabet="aAbB.-_ /ä测1", max_size=8)
LONG = st.integers(98, 400).map(lambda length: "w" * length)
SUBJECTS = st.lists(st.tuples(st.just("compare"), ALIKE | LONG, ALIKE), unique=True, max_size=12)


@given(SUBJECTS)
def test_each_subject_has_a_file_of_its_own_with_a_plain_name(subjects):
    names = file_names(subjects)
    assert len(set(names)) == len(subjects)
    assert all(re.fullmatch(r"[a-z0-9][a-z0-9-]{0,119}", name) for name in names)


@given(SUBJECTS, st.randoms(use_true_random=False))
def test_the_same_subjects_have_the_same_names_in_any_order(subjects, random):
    shuffled = random.sample(subjects, len(subjects))
    assert dict(zip(subjects, file_names(subjects), strict=True)) == dict(
        zip(shuffled, file_names(shuffled), strict=True)
    )


def test_a_name_that_reads_like_a_digested_one_gives_way():
    first = file_names([("a.b",), ("a-b",)])
    forged = [("a.b",), ("a-b",), (first[0],)]
    assert len(set(file_names(forged))) == 3


def test_names_that_meet_nobody_stay_plain():
    assert file_names([("compare", "STREAM triad", "full load"), ("memory", "s1")]) == [
        "compare-stream-triad-full-load",
        "memory-s1",
    ]
