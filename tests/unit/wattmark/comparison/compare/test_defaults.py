"""What is shown where nobody said which."""

import pytest
from wattmark.comparison.compare.compare import counted_choices
from wattmark.comparison.compare.defaults import choose_comparison, choose_memory, choose_scaling, opening
from wattmark.comparison.compare.views import CompareChoice
from wattmark.core.errors import InputError


def choice(workload, level, measured, published=0):
    return CompareChoice(workload=workload, level=level, title="", measured=measured, published=published)


CHOICES = [choice("a", "1", 2), choice("a", "4", 3), choice("b", "1", 3), choice("c", "1", 0, 9)]


def test_comparison_with_most_measured_configurations():
    assert (choose_comparison(CHOICES, None, None).workload, choose_comparison(CHOICES, None, None).level) == ("a", "4")
    assert choose_comparison(CHOICES, "a", "1").measured == 2
    assert choose_comparison(CHOICES, "c", None).published == 9
    assert choose_comparison(CHOICES, None, "1").workload == "b"


def test_a_comparison_opens_at_full_load():
    """Levels that all configurations ran: 60, 80 and 100 %; one configuration alone at full load is no comparison."""
    levels = [choice("a", "60 %", 36), choice("a", "80 %", 36), choice("a", "100 %", 35)]
    assert opening(levels).level == "100 %"
    assert choose_comparison(levels, None, None).level == "100 %"
    assert choose_comparison(levels, "a", "60 %").level == "60 %"
    assert opening([choice("a", "60 %", 36), choice("a", "all threads", 1)]).level == "60 %"
    assert opening([choice("a", "4 processes", 3), choice("a", "8 processes", 5)]).level == "8 processes"
    assert opening([choice("a", "100 %", 3), choice("b", "60 %", 9)]).workload == "b"
    assert opening([]) is None


def test_the_list_of_choices_says_which_one_opens():
    offered = counted_choices({("a", "60 %"): 4, ("a", "100 %"): 4, ("b", "100 %"): 2}, [])
    assert [(c.workload, c.level) for c in offered if c.opens] == [("a", "100 %")]


def test_what_nobody_ran_is_refused_with_what_was_run():
    with pytest.raises(InputError, match="Nothing ran workload 'x'") as caught:
        choose_comparison(CHOICES, "x", None)
    assert "a, b, c" in caught.value.remedy
    with pytest.raises(InputError, match="No run matches this table"):
        choose_comparison([], None, None)


def test_a_name_that_is_nearly_right_is_asked_for_and_a_level_is_one_of_its_workload():
    ran = [
        choice("7zip.compress", "80 %", 3),
        choice("7zip.compress", "100 %", 3),
        choice("openssl.rsa2048-sign", "4", 9),
    ]
    for workload, level, remedy in (
        ("7zip.compres", None, "Did you mean 7zip.compress?"),
        ("7zip.compress", "80", "Did you mean '80 %'?"),
        ("7zip.compress", "85 %", "Did you mean '80 %'?"),
        ("7zip.compress", "4", "Levels: '100 %', '80 %'."),
        (None, "5 threads", "Levels: 4, '100 %', '80 %'."),  # the most measured first
    ):
        with pytest.raises(InputError) as caught:
            choose_comparison(ran, workload, level)
        assert caught.value.remedy == remedy


def test_memory_with_most_counts(measure):
    results = [measure(f"{s}{d}", dimms=d, server=s) for s, d in (("s1", 2), ("s2", 2), ("s2", 4), ("s2", 8))]
    assert choose_memory(results, None, None, None) == ("s2", "rsa", "all")
    assert choose_memory(results, "s1", None, None) == ("s1", "rsa", "all")
    with pytest.raises(InputError, match="No run matches server 's3'"):
        choose_memory(results, "s3", None, None)


def test_memory_with_equal_counts_is_shown_at_full_load(measure):
    results = [measure(f"{level}{d}", dimms=d, level=level) for level in ("100 %", "60 %") for d in (2, 4)]
    assert choose_memory(results, None, None, None) == ("s1", "rsa", "100 %")


def test_scaling_with_most_levels(measure):
    results = [measure(f"{d}{n}", dimms=d, level=f"{n} threads") for d, n in ((2, 1), (4, 1), (4, 2), (8, 4), (8, 4))]
    assert choose_scaling(results, None, None) == ("s1/fbdimm-4", "rsa")
    assert choose_scaling(results, "s1/fbdimm-2", None) == ("s1/fbdimm-2", "rsa")
    with pytest.raises(InputError, match="No run matches this table"):
        choose_scaling([], None, None)
