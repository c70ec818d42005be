"""Names of configurations that stand side by side."""

from dataclasses import dataclass

from wattmark.comparison.compare.compare import compare
from wattmark.results.names import group_names, listed


@dataclass
class Named:
    server: str
    configuration: str
    title: str
    kind: str = "measured"

    @property
    def key(self) -> str:
        return f"{self.server}/{self.configuration}"


def names(*groups: Named) -> list[str]:
    return list(group_names(groups).values())


def test_the_server_is_named_as_soon_as_there_are_two():
    title = "2 x 64 GiB RDIMM"
    assert names(Named("a", "c1", title), Named("b", "c1", title)) == [f"a · {title}", f"b · {title}"]


def test_the_lab_of_an_imported_run_is_named_once():
    groups = [Named(f"{server} (Lab B)", "c1", "8 DIMMs (Lab B)") for server in ("a", "b")]
    assert names(*groups) == ["a (Lab B) · 8 DIMMs", "b (Lab B) · 8 DIMMs"]


def test_what_all_groups_share_is_dropped():
    assert names(Named("a", "fb2", "2 FB-DIMMs"), Named("a", "fb4", "4 FB-DIMMs")) == ["2 FB-DIMMs", "4 FB-DIMMs"]


def test_equal_titles_of_one_server_get_the_identifier():
    shown = names(Named("a", "bios-1", "8 DIMMs"), Named("a", "bios-2", "8 DIMMs"), Named("a", "x", "4 DIMMs"))
    assert shown == ["8 DIMMs (bios-1)", "8 DIMMs (bios-2)", "4 DIMMs"]


def test_a_published_title_names_its_system_already():
    published = Named("t2000", "as published", "Sun Fire T2000", kind="published")
    assert names(Named("a", "fb2", "2 FB-DIMMs"), published) == ["a · 2 FB-DIMMs", "Sun Fire T2000"]


def test_a_sentence_names_the_first_of_many_and_counts_the_rest():
    assert listed(["a", "b", "c", "d"]) == "a, b, c and d"
    assert listed(list("abcdefg")) == "a, b, c and 4 other configurations"


def test_rows_and_words_of_a_comparison_have_the_same_names(measure):
    comparison = compare([measure("a", dimms=4), measure("b", dimms=4, server="s2")], "rsa", "all")
    assert [group.name for group in comparison.groups] == ["s1 · 4 FB-DIMMs", "s2 · 4 FB-DIMMs"]
    assert "“s1 · 4 FB-DIMMs”" in comparison.pairs[0].verdict
