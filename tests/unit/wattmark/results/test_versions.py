"""The sentence between two versions of a result: figures as people read them, rounded by their ±."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from wattmark.results.versions import difference


def stated(power_w: float | None, u95_w: float | None, basis: str = "specification") -> Any:
    meter = SimpleNamespace(meter="wall", basis=basis, certificate_id="CAL-1", certificate_version=1, as_found=False)
    meter.overridden = ()
    return SimpleNamespace(calibrations=(meter,), power_w=power_w, power_U95_w=u95_w)


@pytest.mark.parametrize(
    ("before", "after", "sentence"),
    [
        (stated(240.0, 1.234), stated(240.0 * (1 + 1e-14), 1.234), ""),
        (
            stated(240.0, 1.3),
            stated(239.40618, 0.33333, "certificate"),
            "Certificate CAL-1 v1 instead of specification: "
            "mean power 239.41 ± 0.33 W instead of 240.0 ± 1.3 W (-0.247 %).",
        ),
        (
            stated(240.0, 1.3),
            stated(240.0, None, "none"),
            "Not traceable instead of specification: mean power 240 W without ± instead of 240.0 ± 1.3 W.",
        ),
        (stated(240.0, 1.3), stated(240.0001, 1.3), "mean power differs by less than its last digit."),
        (stated(None, None), stated(240.0, 1.3), "mean power 240.0 ± 1.3 W instead of not known."),
    ],
)
def test_what_changed_is_said_in_one_sentence(before: Any, after: Any, sentence: str) -> None:
    assert difference(before, after).replace("\u202f", " ") == sentence.replace("\u202f", " ")
