"""The sentence between two versions of a result: figures as people read them, rounded by their ±."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from wattmark.core.quantity import Quantity
from wattmark.results.issued.versions import difference


def issue(power_w: float | None, u95_w: float | None, basis: str = "specification") -> Any:
    meter = SimpleNamespace(meter="wall", basis=basis, certificate_id="CAL-1", certificate_version=1, as_found=False)
    meter.overridden = ()
    uncertainty = {} if u95_w is None else {"u": u95_w / 2, "k95": 2.0}
    power = None if power_w is None else Quantity(value=power_w, unit="W", **uncertainty)
    return SimpleNamespace(calibrations=(meter,), power=power)


@pytest.mark.parametrize(
    ("before", "after", "sentence"),
    [
        (issue(240.0, 1.234), issue(240.0 * (1 + 1e-14), 1.234), ""),
        (
            issue(240.0, 1.3),
            issue(239.40618, 0.33333, "certificate"),
            "Certificate CAL-1 v1 instead of specification: "
            "mean power 239.41 ± 0.33 W instead of 240.0 ± 1.3 W (-0.247 %).",
        ),
        (
            issue(240.0, 1.3),
            issue(240.0, None, "none"),
            "Not traceable instead of specification: mean power 240 W without ± instead of 240.0 ± 1.3 W.",
        ),
        (issue(240.0, 1.3), issue(240.0001, 1.3), "mean power differs by less than its last digit."),
        (issue(None, None), issue(240.0, 1.3), "mean power 240.0 ± 1.3 W instead of not known."),
    ],
)
def test_what_changed_is_said_in_one_sentence(before: Any, after: Any, sentence: str) -> None:
    assert difference(before, after).replace("\u202f", " ") == sentence.replace("\u202f", " ")
