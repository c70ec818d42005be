"""The verdict of a gate on stored runs, its reasons, and the files that other programs read."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import pytest
from markdown_it import MarkdownIt
from wattmark.analysis.verdict import Verdict
from wattmark.comparison.gate.gate import gate, may_end
from wattmark.comparison.gate.reports import badge, junit, markdown, runs_used
from wattmark.comparison.gate.views import GateOut
from wattmark.core.errors import InputError
from wattmark.results.result import Result
from wattmark.runs.record import RunStatus


def of(campaign: list[Result], dimms: int) -> list[Result]:
    return [result for result in campaign if result.configuration == f"fbdimm-{dimms}"]


def judged(campaign: list[Result], margin: float, candidate: int = 4, **changes) -> GateOut:
    metrics = changes.pop("metrics", ["efficiency"])
    return gate(of(campaign, 2), of(campaign, candidate), metrics, margin, changes.pop("drift", 0.0))


def test_a_loss_of_4_8_percent_fails_at_2_and_passes_at_8(campaign):
    """252.2 W against 240.2 W for the same work."""
    at_2, at_8 = judged(campaign, 0.02), judged(campaign, 0.08)
    assert (at_2.outcome, at_8.outcome) == ("regression", "no regression")
    assert at_2.valid
    change = at_2.metrics[0].change
    assert change.value == pytest.approx(240.2 / 252.2, rel=1e-3)
    assert change.low < 240.2 / 252.2 < change.high
    assert at_2.text.startswith("Work per joule got worse by more than 2 %: -4.")


@pytest.mark.parametrize(("watts", "outcome"), [(405.0, "no regression"), (520.0, "regression")])
def test_the_limit_is_on_the_change_that_is_printed(measure, watts, outcome):
    """405 W for 255 W is 37 % less work per joule, and 520 W 51 % less."""
    old, new = (
        [measure(f"{dimms}-{k}", watts=mean + 0.2 * k, dimms=dimms) for k in range(3)]
        for dimms, mean in ((2, 255.0), (4, watts))
    )
    (metric,) = gate(old, new, ["efficiency"], 0.50, 0.0).metrics
    assert metric.outcome == outcome
    assert metric.change.value == pytest.approx(255.2 / (watts + 0.2), rel=1e-3)


@pytest.mark.parametrize(("watts", "outcomes"), [(330.0, ["no regression"] * 2), (363.0, ["no regression"] * 2),
                                                 (403.0, ["regression"] * 2)])  # fmt: skip
def test_power_and_energy_may_rise_by_the_limit(measure, watts, outcomes):
    """By 29, 42 and 58 % of 255 W, with a limit of 50 %."""
    old, new = (
        [measure(f"{dimms}-{k}", watts=mean + 0.2 * k, dimms=dimms) for k in range(3)]
        for dimms, mean in ((2, 255.0), (4, watts))
    )
    verdict = gate(old, new, ["power", "energy"], 0.50, 0.0)
    assert [metric.outcome for metric in verdict.metrics] == outcomes


def test_energy_of_the_work_and_power_rise_by_what_work_per_joule_falls(campaign):
    verdict = judged(campaign, 0.02, metrics=["efficiency", "energy", "power", "throughput"])
    by_metric = {metric.metric: metric for metric in verdict.metrics}
    assert [by_metric[name].outcome for name in ("efficiency", "energy", "power")] == ["regression"] * 3
    assert by_metric["energy"].change.value == pytest.approx(1 / by_metric["efficiency"].change.value)
    assert by_metric["power"].change.value == pytest.approx(252.2 / 240.2, rel=1e-3)
    assert by_metric["throughput"].outcome == "no regression"
    assert verdict.outcome == "regression"


@pytest.mark.parametrize(("margin", "ends"), [(0.02, True), (0.20, True), (0.0475, False)])
def test_a_look_ends_a_series_whose_verdict_is_known(campaign, margin, ends):
    assert may_end(of(campaign, 2), of(campaign, 4), ["efficiency"], margin) is ends


def test_a_look_ends_no_series_that_more_runs_can_mend(campaign):
    """A disturbed run is not used, and all may be, for a while; two that are left are too few, or not by turns."""
    old, new = of(campaign, 2), of(campaign, 4)
    assert not may_end(old[:2], new, ["efficiency"], 0.02)
    day_later = [r.model_copy(update={"created": r.created.replace("2023-", "2024-")}) for r in new]
    assert not may_end(old, day_later, ["efficiency"], 0.02)
    disturbed = Verdict("undisturbed", 50.0, 5.0, "%", "fail", "Another program ran.")
    all_disturbed = [r.model_copy(update={"verdicts": (*r.verdicts, disturbed)}) for r in new]
    assert not may_end(old, all_disturbed, ["efficiency"], 0.02)


def test_a_look_ends_a_series_whose_runs_can_never_be_compared(campaign):
    unmeasured = [result.model_copy(update={"power": None, "efficiency": None}) for result in of(campaign, 4)]
    assert may_end(of(campaign, 2), unmeasured, ["efficiency"], 0.02)


def test_what_is_better_is_no_regression(campaign):
    assert gate(of(campaign, 4), of(campaign, 2), ["efficiency"], 0.02, 0.0).outcome == "no regression"


def test_a_limit_inside_the_interval_is_not_known_and_says_how_many_more_runs_would_tell(measure):
    old, new = (
        [measure(f"{dimms}-{k}", watts=watts, dimms=dimms) for k, watts in enumerate(series)]
        for dimms, series in ((2, (240, 252, 246)), (4, (245, 257, 251)))
    )
    verdict = gate(old, new, ["efficiency"], 0.05, 0.0)
    assert (verdict.outcome, verdict.valid) == ("not known", True)
    (metric,) = verdict.metrics
    (reason,) = metric.reasons
    assert reason.code == "too-noisy"
    more = metric.repeats_needed
    assert reason.text == f"About {more} more repeats of each would show on which side of the limit it is."
    repeated = [
        measure(f"{dimms}-again-{k}-{watts}", watts=watts, dimms=dimms)
        for k in range(1 + (3 + more) // 3)
        for dimms, series in ((2, (240, 252, 246)), (4, (245, 257, 251)))
        for watts in series
    ]
    assert gate(of(repeated, 2), of(repeated, 4), ["efficiency"], 0.05, 0.0).outcome == "no regression"


@pytest.mark.parametrize(
    ("margin", "drift", "said"),
    [
        (0.0475, 0.0, "The uncertainty of the meters hides on which side of the limit it is, however many runs"),
        (0.02, 0.10, "A drift of 10 % hides on which side of the limit it is, however many runs are made. Measure"),
    ],
)
def test_what_no_number_of_runs_mends_is_said_with_its_remedy(campaign, margin, drift, said):
    (metric,) = judged(campaign, margin, drift=drift).metrics
    assert (metric.outcome, metric.repeats_needed) == ("not known", None)
    assert said in metric.text


def test_a_change_at_the_limit_is_said_to_need_more_than_100_runs(measure):
    old, new = (
        [measure(f"{dimms}-{k}", work=share * work, dimms=dimms) for k, work in enumerate((8000, 8100, 8050))]
        for dimms, share in ((2, 1.0), (4, 0.98))
    )
    (metric,) = gate(old, new, ["throughput"], 0.02, 0.0).metrics
    assert (metric.outcome, metric.repeats_needed) == ("not known", None)
    assert "More than 100 more repeats of each would be needed" in metric.text


def test_two_runs_are_too_few(campaign):
    verdict = gate(of(campaign, 2)[:2], of(campaign, 4), ["efficiency"], 0.02, 0.0)
    assert (verdict.outcome, verdict.valid) == ("not known", False)
    assert verdict.metrics[0].reasons[0].code == "too-few-runs"


def test_runs_of_another_day_need_a_bound_of_what_changed(campaign):
    old = of(campaign, 2)
    day_later = [r.model_copy(update={"created": r.created.replace("2023-", "2024-")}) for r in of(campaign, 4)]
    bare, bounded = (gate(old, day_later, ["efficiency"], 0.02, drift) for drift in (0.0, 0.005))
    assert (bare.outcome, bare.valid) == ("not known", False)
    assert bare.metrics[0].reasons[0].code == "not-in-turns"
    assert (bounded.outcome, bounded.valid) == ("regression", True)
    assert gate(old, day_later, ["efficiency"], 0.02, 0.05).outcome == "not known"


def test_runs_of_other_work_are_refused(campaign):
    other = [result.model_copy(update={"workload": "other"}) for result in of(campaign, 4)]
    with pytest.raises(InputError, match="Baseline and candidate did different work"):
        gate(of(campaign, 2), other, ["efficiency"], 0.02, 0.0)


def test_a_run_that_cannot_be_ranked_says_why(campaign):
    spoilt = [result.model_copy(update={"efficiency": None}) for result in of(campaign, 4)]
    verdict = gate(of(campaign, 2), spoilt, ["efficiency"], 0.02, 0.0)
    assert verdict.metrics[0].reasons[0].code == "no-figure"
    assert verdict.metrics[0].change is None


def test_a_run_counts_once(campaign):
    """Three runs, each named twice, were six runs, with less than half of their ±."""
    old, new = of(campaign, 2), of(campaign, 4)
    with pytest.raises(InputError, match="The baseline names more than once: 2-0, 2-1, 2-2"):
        gate([*old, *old], new, ["efficiency"], 0.02, 0.0)
    with pytest.raises(InputError, match="The candidate names more than once: 4-1"):
        gate(old, [*new, new[1]], ["efficiency"], 0.02, 0.0)


def test_a_run_stands_on_one_side(campaign):
    old, new = of(campaign, 2), of(campaign, 4)
    with pytest.raises(InputError, match="On both sides are: 2-0, 2-1, 2-2"):
        gate(old, old, ["efficiency"], 0.02, 0.0)
    with pytest.raises(InputError, match="On both sides are: 2-1"):
        gate(old, [*new, old[1]], ["efficiency"], 0.02, 0.0)


def test_one_measurement_under_two_ids_is_one(campaign):
    """As when one log was imported twice."""
    old = of(campaign, 2)
    copies = [result.model_copy(update={"run_id": f"copy-{result.run_id}"}) for result in old]
    with pytest.raises(InputError, match="Runs 2-0 and copy-2-0 are one measurement"):
        gate(old, copies, ["efficiency"], 0.02, 0.0)


def test_a_side_without_runs_is_named(campaign):
    with pytest.raises(InputError, match="The candidate has no run"):
        gate(of(campaign, 2), [], ["efficiency"], 0.02, 0.0)


@pytest.fixture
def six_of_each(measure):
    return [
        [measure(f"{dimms}-{k}", watts=watts + 0.2 * k, dimms=dimms) for k in range(6)]
        for dimms, watts in ((2, 240.0), (4, 252.0))
    ]


def test_runs_that_are_not_used_are_said_with_their_reason(six_of_each):
    old, new = six_of_each
    disturbed = Verdict("undisturbed", 50.0, 5.0, "%", "fail", "Another program ran.")
    nothing = new[0].efficiency.model_copy(update={"value": 0.0})
    spoilt = [
        new[0].model_copy(update={"efficiency": nothing}),
        new[1].model_copy(update={"status": RunStatus.FAILED}),
        new[2].model_copy(update={"verdicts": (*new[2].verdicts, disturbed)}),
        *new[3:],
    ]
    verdict = gate(old, spoilt, ["efficiency", "power"], 0.02, 0.0)
    by_efficiency, by_power = verdict.metrics
    assert by_efficiency.candidate.used == ["4-3", "4-4", "4-5"]
    assert by_efficiency.candidate.unused == {
        "4-0": "its figure is 0, or out of scale, or its uncertainty is",
        "4-1": "failed",
        "4-2": "disturbed by other programs (rule undisturbed)",
    }
    assert by_power.candidate.used == ["4-0", "4-3", "4-4", "4-5"]
    assert by_efficiency.baseline.used == [result.run_id for result in old]
    assert "4-1 (failed); 4-2 (disturbed by other programs (rule undisturbed))" in by_power.text
    assert runs_used(verdict) == "3 of 6 runs against 6"
    assert "3 of 6 runs against 6" in markdown(verdict)
    assert "| 4 of 6 against 6 |" in markdown(verdict)


def test_runs_without_counted_work_say_so(campaign):
    uncounted = [r.model_copy(update={"throughput": None, "efficiency": None}) for r in of(campaign, 4)]
    (metric,) = gate(of(campaign, 2), uncounted, ["energy"], 0.02, 0.0).metrics
    assert [reason.text for reason in metric.reasons] == [
        "No run of the candidate can be compared by energy of the work: no work was counted. "
        "Measure with --ops or --work."
    ]


def test_power_is_not_called_that_of_full_load(campaign):
    """A gate judges any command."""
    assert judged(campaign, 0.02, metrics=["power"]).text.startswith("Mean power got worse by more than 2 %: +")


def test_machines_read_the_same_verdict(campaign):
    verdict = judged(campaign, 0.02, metrics=["efficiency", "throughput"])
    suite = ET.fromstring(junit(verdict).encode())
    assert (suite.get("tests"), suite.get("failures"), suite.get("skipped")) == ("2", "1", "0")
    assert [case.find("failure") is not None for case in suite] == [True, False]
    assert "| efficiency | ✗ regression | -4." in markdown(verdict)
    change = verdict.metrics[0].text.split(": ")[1].removesuffix(".")
    assert f"| {change} |" in markdown(verdict)
    assert f">{change}<" in badge(verdict)
    picture = ET.fromstring(badge(verdict))
    assert picture.find("{http://www.w3.org/2000/svg}title").text == verdict.metrics[0].text
    unknown = gate(of(campaign, 2)[:2], of(campaign, 4), ["efficiency"], 0.02, 0.0)
    assert ET.fromstring(junit(unknown).encode()).get("skipped") == "1"
    assert verdict.model_dump(mode="json")["meaning"] == "wattmark-gate/1"


HOSTILE = [
    "a|b",
    "`rm -rf`",
    "two\nlines\r\n\n# heading",
    "<img src=x> & <b>",
    "**bold** _it_ [x](y) ~~z~~ $m$",
    "back\\slash \\| end\\",
    "bell\x07 escape\x1b[31m nul\x00",
    "half \ud800 nonchar \ufffe",
    "quotes \" '",
]


@pytest.mark.parametrize("name", HOSTILE)
def test_names_that_people_gave_are_shown_as_they_are(campaign, name):
    """Whatever a workload is called, each file stays well-formed and shows the name and nothing else."""
    named = [result.model_copy(update={"workload": name, "level": name}) for result in campaign]
    lost = {"run_id": f"x{name}", "status": RunStatus.FAILED, "energy_j": None}
    failed = [result.model_copy(update=lost) for result in of(named, 4)[:1]]
    verdict = gate(of(named, 2), [*of(named, 4), *failed], ["efficiency", "power"], 0.02, 0.0)
    visible = "".join(
        c if c.isprintable() else " " if c.isspace() else c.encode("unicode_escape").decode() for c in name
    )

    suite = ET.fromstring(junit(verdict).encode())
    assert [case.get("classname") for case in suite] == [f"{visible}, {visible}"] * 2
    assert f"x{visible} (failed)" in suite[0].find("failure").get("message")
    assert f"x{visible} (failed)" in suite[0].find("system-out").text
    picture = ET.fromstring(badge(verdict).encode())
    assert f"x{visible} (failed)" in picture.find("{http://www.w3.org/2000/svg}title").text

    text = markdown(verdict)
    assert len(text.encode().splitlines()) == 8
    page = ET.fromstring(f"<page>{MarkdownIt('commonmark').enable(['table', 'strikethrough']).render(text)}</page>")
    assert [element.tag for element in page] == ["p", "table", "p"]
    assert "".join(page[0].itertext()) == f"wattmark: regression ({visible}, {visible}; 3 of 4 runs against 3)"
    assert f"x{visible} (failed)" in "".join(page[2].itertext())
    assert not list(page[2])
