"""A campaign under several power settings: made for each run, recorded with it, undone after it."""

from __future__ import annotations

from pathlib import Path

from wattmark.bench.plan_settings import PlanSettings
from wattmark.campaigns.power.journal import FOLDER
from wattmark.campaigns.status import CampaignOut
from wattmark.results.recorded import power_settings
from wattmark.runs.record import RunStatus

from tests.power_tree import CAP_0, CPU, plant_settings, texts

from .conftest import Campaign

CAPS = PlanSettings(power_cap_w=(100, 150), turbo=("off",))
TURBO = f"{CPU}/intel_pstate/no_turbo"


def read(root: Path, name: str) -> str:
    return (root / name).read_text().strip()


async def test_each_run_is_made_under_its_settings(campaign: Campaign) -> None:
    plant_settings(campaign.tree)
    before, during = texts(campaign.tree), {}

    def look(out: CampaignOut) -> None:
        for row in out.under_way:
            if row.phase == "measure":
                during[row.configuration] = read(campaign.tree, CAP_0), read(campaign.tree, TURBO)

    campaign.on_state = look
    out = await campaign.runner(settings=CAPS, configurations=("a/two",)).run()
    assert out.state == "complete"
    assert during == {
        "two+turbo-off+cap-100W": ("100000000", "1"),
        "two+turbo-off+cap-150W": ("150000000", "1"),
    }
    assert texts(campaign.tree) == before
    assert not [*(campaign.folder / FOLDER).iterdir()]
    low, high = campaign.records()
    assert low.configuration == "two+turbo-off+cap-100W"
    assert low.configuration_snapshot.id == "two"
    assert low.configuration_snapshot.title == "Two modules, turbo off, power cap 100 W"
    assert low.disclosure.settings is not None
    assert dict(low.disclosure.settings.stated()) == {"turbo": "off", "power_cap_w": "100"}
    assert low.disclosure.installation == high.disclosure.installation


async def test_a_setting_that_cannot_be_made_fails_its_run_and_not_the_campaign(campaign: Campaign) -> None:
    plant_settings(campaign.tree)
    before = texts(campaign.tree)
    caps = PlanSettings(power_cap_w=(100, 170))
    out = await campaign.runner(settings=caps, configurations=("a/two",)).run()
    low, high = campaign.records()
    assert low.status is RunStatus.COMPLETE
    assert (high.status, high.reason) == (
        RunStatus.FAILED,
        "The power cap of package intel-rapl:0 cannot be 170 W: it is at most 165 W. Change the settings of the plan.",
    )
    assert out.state == "complete"
    assert texts(campaign.tree) == before


async def test_a_run_is_barred_where_somebody_changes_its_settings(campaign: Campaign) -> None:
    plant_settings(campaign.tree)
    caps = PlanSettings(power_cap_w=(100, 150), turbo=("on",))

    def change(out: CampaignOut) -> None:
        if any(row.phase == "measure" and row.configuration.endswith("cap-100W") for row in out.under_way):
            (campaign.tree / CAP_0).write_text("90000000\n")

    campaign.on_state = change
    await campaign.runner(settings=caps, configurations=("a/two",)).run()
    low, high = campaign.records()
    assert low.status is high.status is RunStatus.COMPLETE
    assert low.disclosure.settings_changed == ("The power cap of package intel-rapl:0 is 90 W instead of 100 W.",)
    assert high.disclosure.settings_changed == ()
    assert power_settings(low).outcome == "fail"
    assert "is 90 W instead of 100 W. Somebody else set it during the run" in power_settings(low).text
    assert power_settings(high).outcome == "pass"


async def test_a_stop_during_a_run_undoes_its_settings(campaign: Campaign) -> None:
    plant_settings(campaign.tree)
    before = texts(campaign.tree)
    runner = campaign.runner(settings=CAPS, configurations=("a/two",))

    def stop(out: CampaignOut) -> None:
        if any(row.phase == "measure" for row in out.under_way):
            runner.stop()

    campaign.on_state = stop
    assert (await runner.run()).state == "aborted"
    assert texts(campaign.tree) == before
    assert not [*(campaign.folder / FOLDER).iterdir()]


async def test_a_campaign_without_settings_first_undoes_what_is_left(campaign: Campaign) -> None:
    plant_settings(campaign.tree)
    before = texts(campaign.tree)
    runner = campaign.runner(settings=CAPS, configurations=("a/two",))
    held = runner._lab.power
    machine = runner._servers.machine(runner._lab.bench.server("a"))
    await held.set_up(machine, CAPS.variants()[0], "run 1 of a campaign that was killed")
    assert texts(campaign.tree) != before
    out = await campaign.runner(configurations=("a/two",)).run()
    assert out.state == "complete"
    assert texts(campaign.tree) == before
    assert campaign.records()[0].disclosure.settings is None
