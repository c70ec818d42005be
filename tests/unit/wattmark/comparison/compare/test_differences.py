"""Two runs held against each other: what is declared, what was read, and what nobody knows."""

from __future__ import annotations

from collections.abc import Callable

from wattmark.comparison.compare.differences import DifferencesOut, run_differences
from wattmark.comparison.compare.differences_table import differences_table
from wattmark.runs.disclosure import Disclosure, HostFacts
from wattmark.runs.environment import COUNTED_SINCE_BOOT, Drive, Environment
from wattmark.runs.record import RunRecord

USUAL = Environment(governor="performance", turbo="on", memory_gib=15.62, drives={"sda": Drive(model="S")})
TWO = {"dimm_count": 2, "memory_gib": 16.0}
FOUR = {"dimm_count": 4, "memory_gib": 32.0}
NOTHING = "Nothing that is declared differs, and nothing that was read of both runs."


def run(record: Callable[..., RunRecord], run_id: str, environment: Environment | None = USUAL, **fields: object):
    disclosure = Disclosure(environment=environment, program_version=str(fields.pop("program", "7-Zip 23.01")))
    return record(run_id, **{"configuration_snapshot": TWO, "disclosure": disclosure} | fields)


def rows(compared: DifferencesOut) -> list[tuple[str, str | None, str | None, bool]]:
    return [(row.fact, row.a, row.b, row.declared) for row in compared.differences]


def test_declared_factors_come_first_and_account_for_what_they_bring_along(record: Callable[..., RunRecord]) -> None:
    a = run(record, "a", USUAL.changed(governor="powersave"))
    b = run(record, "b", USUAL.changed(memory_gib=31.25), configuration_snapshot=FOUR)
    compared = run_differences(a, b)
    assert rows(compared) == [
        ("memory.dimm_count", "2", "4", True),
        ("memory.gib", "16", "32", True),
        ("governor", "powersave", "performance", False),
        ("memory_gib", "15.62 GiB", "31.25 GiB", True),
    ]
    assert compared.statement == "Besides the memory, the CPU governor differs: powersave against performance."


def test_a_factor_that_one_side_does_not_declare_is_a_row(record: Callable[..., RunRecord]) -> None:
    fans = {"declared": {"parts": [{"kind": "fan", "model": "80 mm", "count": 2}]}}
    compared = run_differences(run(record, "a", configuration_snapshot=TWO | fans), run(record, "b"))
    assert rows(compared) == [("parts.fan", "2 × 80 mm", None, True)]
    assert compared.statement == "Besides the counted parts, nothing differs in what was read of both runs."


def test_what_comes_with_a_declared_factor_is_all_that_differs(record: Callable[..., RunRecord]) -> None:
    more = run(record, "b", USUAL.changed(memory_gib=31.25), configuration_snapshot=FOUR)
    assert run_differences(run(record, "a"), more).statement == (
        "Nothing differs in what was read of both runs but what comes with the memory."
    )


def test_stolen_time_is_no_difference(record: Callable[..., RunRecord]) -> None:
    """It is a sum since the boot: two readings of one server that rests do not agree."""
    a, b = (run(record, run_id, USUAL.changed(steal_pct=pct)) for run_id, pct in (("a", 1), ("b", 51)))
    compared = run_differences(a, b)
    assert (rows(compared), compared.one_sided, compared.statement) == ([], [], NOTHING)
    bare = run_differences(a, run(record, "c"))
    assert (rows(bare), bare.one_sided, bare.statement) == ([], [], NOTHING)
    assert COUNTED_SINCE_BOOT == ("steal_pct",)


def test_a_run_is_the_same_as_itself(record: Callable[..., RunRecord]) -> None:
    one = run(record, "a")
    compared = run_differences(one, one)
    assert (rows(compared), compared.statement) == ([], "Both are run a.")


def test_nothing_is_said_of_an_environment_that_was_not_recorded(record: Callable[..., RunRecord]) -> None:
    compared = run_differences(run(record, "a"), run(record, "c", None))
    assert compared.statement == "The environment of run c was not recorded: whether it differs is not known."
    assert compared.one_sided == []


def test_what_was_read_of_one_run_only_is_named(record: Callable[..., RunRecord]) -> None:
    a = run(record, "a", USUAL.changed(drives={"sda": Drive(model="S", firmware="0370")}))
    b = run(record, "b", USUAL.changed(turbo=None))
    compared = run_differences(a, b.changed(disclosure=b.disclosure.changed(host=HostFacts(machine="x86_64"))))
    assert rows(compared) == []
    assert compared.one_sided == ["architecture", "turbo", "drive sda, firmware"]
    assert compared.statement == (
        f"{NOTHING} Read of one run only, and not compared: architecture; turbo; drive sda, firmware."
    )


def test_the_load_program_is_named_first(record: Callable[..., RunRecord]) -> None:
    compared = run_differences(run(record, "a", program="7-Zip 16.02"), run(record, "b"))
    assert rows(compared) == [("program", "7-Zip 16.02", "7-Zip 23.01", False)]
    assert compared.statement == (
        "The load program differs: 7-Zip 16.02 against 7-Zip 23.01. "
        "Nothing that is declared differs, and nothing else that was read of both runs."
    )


def test_another_workload_is_a_declared_row(record: Callable[..., RunRecord]) -> None:
    compared = run_differences(run(record, "a"), run(record, "b", workload="web", level="50 %"))
    assert [(row.fact, row.b, row.declared) for row in compared.differences] == [
        ("workload", "web", True), ("level", "50 %", True),
    ]  # fmt: skip
    assert compared.statement == (
        "Besides the workload and the load level, nothing differs in what was read of both runs."
    )


def test_the_table_has_the_rows_and_the_statement(record: Callable[..., RunRecord]) -> None:
    two = USUAL.changed(drives={"sda": Drive(model="S"), "sdb": Drive(model="T")})
    compared = run_differences(run(record, "a", two), run(record, "b"))
    table = differences_table(compared)
    assert [column.title for column in table.columns] == ["Key", "Fact", "a", "b", "Declared"]
    assert table.rows == (("drives/sdb", "drive sdb", "T", "none", "no"),)
    assert table.footnotes == (compared.statement,)
