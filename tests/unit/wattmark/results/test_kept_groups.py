"""Groups that are kept are the very same as groups built anew, and follow every changed run."""

from wattmark.results import kept_groups
from wattmark.results.compare import compare
from wattmark.results.kept_groups import KeptGroups


def test_only_the_group_of_a_changed_run_is_built_again(measure, monkeypatch):
    built = []
    real = kept_groups.build_group
    monkeypatch.setattr(
        kept_groups, "build_group", lambda runs, fitted: built.append(runs[0].configuration) or real(runs, fitted)
    )
    kept = KeptGroups()
    results = [measure(f"{dimms}-{k}", watts=230 + 6 * dimms, dimms=dimms) for dimms in (2, 4) for k in range(3)]
    first = compare(results, "rsa", "all", build=kept.build)
    assert first == compare(results, "rsa", "all")
    assert built == ["fbdimm-2", "fbdimm-4"]
    assert compare(list(results), "rsa", "all", build=kept.build) == first
    assert len(built) == 2
    for changed in ([*results[:-1], measure("4-new", watts=300, dimms=4)], results[:-1]):
        assert compare(changed, "rsa", "all", build=kept.build) == compare(changed, "rsa", "all")
    assert built[2:] == ["fbdimm-4", "fbdimm-4"]


def test_another_level_and_rule_do_not_drive_a_group_out(measure):
    kept = KeptGroups()
    one, other = measure("a"), measure("b", level="1")
    by_rule = one.model_copy(update={"window_rule": "mlperf"})
    groups = [kept.build([r]) for r in (one, other, by_rule)]
    assert all(kept.build([r]) is group for r, group in zip((one, other, by_rule), groups, strict=True))


def test_the_oldest_gives_way(measure, monkeypatch):
    monkeypatch.setattr(kept_groups, "MOST", 1)
    kept = KeptGroups()
    one, other = measure("a"), measure("b", level="1")
    first = kept.build([one])
    kept.build([other])
    assert kept.build([one]) is not first
