"""Settings on which a maker's limits of error depend."""

from __future__ import annotations

import pytest
from wattmark_drivers.catalogue import load_catalogue
from wattmark_drivers.scpi.meter import crest_in_force, filter_in_force


@pytest.mark.parametrize(("setting", "crest"), [("3", 3), ("6", 6), ("A6", 6), (6.0, 6), ("4", None)])
def test_crest_factor_of_a_wt310e(setting, crest):
    """IM WT310E-17EN: CFACtor 3, 6 or A6; A6 doubles the range term as 6 does."""
    table = load_catalogue()["yokogawa.wt310e"].protocol
    assert crest_in_force({"crest_factor": setting}, table) == crest


def test_a_device_without_the_setting():
    table = load_catalogue()["yokogawa.wt310e"].protocol
    assert crest_in_force({}, table) is None
    assert crest_in_force({}, table, 3.0) == 3


@pytest.mark.parametrize(("in_use", "on"), [({"line_filter": "on"}, True), ({"line_filter": "off"}, False), ({}, None)])
def test_line_filter(in_use, on):
    assert filter_in_force(in_use) is on
