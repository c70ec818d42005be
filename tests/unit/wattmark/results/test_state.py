"""One state of a run in one set of words, wherever it is said."""

from typing import Any

import numpy as np
import pytest
from wattmark.analysis.verdict import Verdict
from wattmark.campaigns.history import outcome_of
from wattmark.campaigns.progress import result_figures
from wattmark.campaigns.status import CampaignRun
from wattmark.cli.console.progress import _line
from wattmark.cli.result_json import result_json
from wattmark.comparison.compare.compare import compare
from wattmark.core.errors import StoreError
from wattmark.fleet.influx.result_row import _numbers
from wattmark.reports.report_run import run_section
from wattmark.results.evaluate import evaluate
from wattmark.results.failed import failed_result
from wattmark.results.pages.row import RunRow, run_row
from wattmark.results.pages.run_view import run_view
from wattmark.results.ranking_bars import TABLE, why_not_ranked
from wattmark.results.state import RULE_WORDS, run_state
from wattmark.results.tables.marks import NOT_RANKED, PARTLY_RANKED, result_marks
from wattmark.results.tables.results_table import results_table
from wattmark.runs.annotations.annotation import Annotation
from wattmark.runs.annotations.inclusion import Inclusion
from wattmark.runs.record import ImportedVerdict, RunStatus

BEGIN_NS = 1_700_000_000_000_000_000
CHOICE = Inclusion(by="K. Berg", reason="Checked by hand", rules=("gaps",), at="2026-01-01T00:00:00Z")


def failed(result, *rules):
    verdicts = (Verdict(rule, 1.0, 0.0, "%", "fail", f"Rule {rule} says why.") for rule in rules)
    return result.model_copy(update={"verdicts": (*result.verdicts, *verdicts)})


@pytest.fixture
def states(store, record, rng) -> dict[str, tuple[Any, Any]]:
    """Name -> (record, result): every state that a run can be in."""

    def evaluated(name, lost_s=0, **changes):
        run = record(name, full_load_limit_pct=None, **changes)
        t = np.arange(-20.0, 121)
        t = t[(t <= 40) | (t > 40 + lost_s)]
        for meter in run.meters:
            store.add(name, meter.name, "power", t, 250 + rng.normal(0, 0.5, len(t)))
        return run, evaluate(run, store)

    run, sound = evaluated("sound")
    contradiction = ImportedVerdict(
        rule="import-count", value=2.0, limit=1.0, unit="%", outcome="fail", text="Count and rate differ.",
        source="here", contradicts=True,
    )  # fmt: skip
    return {
        "sound": (run, sound),
        "unchecked": (run, sound.model_copy(update={"verdicts": ()})),
        "marked": (run, failed(sound, "cross-check-indicative")),
        "barred": (run, failed(sound, "undisturbed")),
        "in part": (run, failed(sound, "drift")),
        "two": (run, failed(sound, "undisturbed", "drift")),
        "by override": (run, failed(sound, "gaps").model_copy(update={"inclusion": CHOICE})),
        "lost": evaluated("lost", lost_s=21),
        "no meter": evaluated("no meter", meters=()),
        "no window": evaluated("no window", window_begin_ns=None, window_end_ns=None, throughput=()),
        "contradicted": evaluated("contradicted", evidence=(contradiction,)),
        "stopped": evaluated("stopped", status=RunStatus.ABORTED, reason="Stopped in phase settle."),
    }


WORDS = {
    "sound": ("sound", "OK"),
    "unchecked": ("unchecked", "Not checked"),
    "marked": ("marked", "Power sources disagree"),
    "barred": ("barred", "Disturbed by other programs"),
    "in part": ("barred", "Power drifted"),
    "two": ("barred", "2 checks failed"),
    "by override": ("override", "Ranked by override"),
    "lost": ("withheld", "No power: 21 s lost"),
    "no meter": ("withheld", "No power: none was recorded"),
    "no window": ("withheld", "No figures: begin and end were not marked"),
    "contradicted": ("withheld", "No figures: the log contradicts itself"),
    "stopped": ("aborted", "Stopped"),
}


@pytest.mark.parametrize("name", WORDS)
def test_every_place_says_the_same_words(states, name: str) -> None:
    run, result = states[name]
    key, words = WORDS[name]
    state = run_state(result)
    assert (state.key, state.words) == (key, words)
    page = run_view(run, result, None, None, Annotation())
    row = run_row(result)
    campaign_row = CampaignRun(
        order=0, run_id=run.run_id, server="s1", configuration="c", workload="rsa", level="all", repeat=1,
        state=result.status.value, reason=result.reason, **result_figures(result),
    )  # fmt: skip
    assert page.state == row.state == campaign_row.judged == state
    assert RunRow.model_validate_json(row.model_dump_json()).state == state
    assert result_json(result)["state"]["words"] == words
    table = results_table([result])
    cells = dict(zip((column.key for column in table.columns), table.rows[0], strict=True))
    assert (cells["state"], cells["state_reason"]) == (words, state.reason)
    assert (f"{words}." in table.row_notes[0]) == (key not in ("sound", "unchecked", "override"))
    report = "\n".join(run_section(1, page, (), screen_only=False).words)
    assert f"State: {words}." in report
    if result.status is RunStatus.COMPLETE:
        assert outcome_of(campaign_row, {run.run_id: row}, (), running=False)[1] == words
        assert (words in _line(campaign_row, 1)) == (key != "sound")


@pytest.mark.parametrize("name", WORDS)
def test_what_is_ranked_agrees_in_every_place(states, name: str) -> None:
    """A claim is ranked where the run gives its figure and nothing bars it; else every place says why not."""
    run, result = states[name]
    figures = {"throughput": result.throughput, "efficiency": result.efficiency, "power": result.power}
    ranked = [
        claim for claim, figure in figures.items() if figure is not None and why_not_ranked(result, claim) is None
    ]
    page, row = run_view(run, result, None, None, Annotation()), run_row(result)
    assert list(run_state(result).ranked) == ranked
    assert [entry.claim for entry in page.ranking if entry.ranked] == ranked
    assert set(row.not_ranked) == set(figures) - set(ranked)
    assert all(entry.ranked or (entry.cause not in (None, "no figure") and entry.why_not) for entry in page.ranking)
    assert (row.quality in ("sound", "open")) == (len(ranked) == 3)
    assert [name for name, value in _numbers(result, 1) if name.endswith("_ranked") and value] == [
        f"{claim}_ranked" for claim in ("efficiency", "power", "throughput") if claim in ranked
    ]
    marks = result_marks(result)
    assert (NOT_RANKED in marks, PARTLY_RANKED in marks) == (not ranked, 0 < len(ranked) < 3)


def test_a_run_whose_power_is_withheld_says_why_on_its_page_and_counts_its_readings(states) -> None:
    """Of 100 readings in the window 21 are lost: 79 were recorded."""
    run, result = states["lost"]
    assert (result.power, result.samples) == (None, 79)
    assert run_row(result).quality == "partly"
    page = run_view(run, result, None, None, Annotation())
    causes = {entry.claim: entry.cause for entry in page.ranking}
    assert causes == {"throughput": None, "efficiency": "no power: 21 s lost", "power": "no power: 21 s lost"}
    assert "outlet gave no good reading for 21 s of 100 s" in page.state.reason
    assert all("for 21 s of 100 s" in (entry.why_not or "for 21 s of 100 s") for entry in page.ranking)


def test_a_comparison_counts_what_it_leaves_out_by_the_same_words(states, measure) -> None:
    runs = [measure(f"r{k}", full_load_limit_pct=None) for k in range(3)]
    (group,) = compare([*runs, states["lost"][1]], "rsa", "all").groups
    assert "1 of 4 runs excluded of work per joule and full-load power: no power: 21 s lost." in group.remarks


def test_a_damaged_run_is_failed_everywhere(record) -> None:
    state = run_state(failed_result(record(), StoreError("The samples are damaged.", "Restore a backup.")))
    assert (state.key, state.words, state.ranked) == ("failed", "Failed", ())
    assert "The samples are damaged." in state.reason


def test_every_rule_that_bars_or_marks_has_words() -> None:
    assert {bar.rule for bar in TABLE} == set(RULE_WORDS)
