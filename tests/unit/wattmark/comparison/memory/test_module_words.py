"""Words of memory modules as full disclosure texts of SPECpower_ssj2008 print them, and as a person asks."""

from __future__ import annotations

import pytest
from wattmark.analysis.parts.population_model import Population
from wattmark.comparison.memory.module_words import (
    kind_by_speed,
    kind_of,
    population_words,
    ranks_of,
    speed_of,
    written_population,
)
from wattmark.core.errors import InputError


@pytest.mark.parametrize(
    ("details", "buffering", "kind", "speed", "ranks"),
    [
        # Words of published texts: power_ssj2008-20071128-00001, -00004, 20090310-00128, 20091103-00206,
        # 20110222-00361, 20150317-00689, 20190311-00886 and 20200918-01047.
        ("PC2-5300F 2Rx4 (CAS 5-5-5, Samsung)", "FB-DIMM", "DDR2 FB-DIMM", 667, 2),
        ("PC2-5300E CAS 5-5-5 2Rx8", "UDIMM", "DDR2 UDIMM", 667, 2),
        ("2GB 2Rx8 PC3-10600E; slots 1A and 2A are populated on each processor", "UDIMM", "DDR3 UDIMM", 1333, 2),
        ("4GB 2Rx4 PC3L-10600R ECC CL9; slots A0, B0 populated", "RDIMM", "DDR3 RDIMM", 1333, 2),
        ("8 GB DDR4, registered, ECC, 2133 MHz, PC4-2133R, DIMM, 2Rx8", "RDIMM", "DDR4 RDIMM", 2133, 2),
        ("24 x 16GB 2Rx8 PC4-2933Y-R; slots 1, 3, 5 populated", "RDIMM", "DDR4 RDIMM", 2933, 2),
        ("8 x 16GB 2Rx8 PC4-3200AA-R ECC RDIMM; all slots populated", "RDIMM", "DDR4 RDIMM", 3200, 2),
        # Names by bandwidth: PC4-17000 is 2,133 MT/s times 8 bytes, PC5-38400 4,800 times 8 (JEDEC).
        ("PC4-17000", None, "DDR4", 2133, None),
        ("1Rx4 PC5-38400", "RDIMM", "DDR5 RDIMM", 4800, 1),
        ("DDR5 4800 MT/s dual-rank", None, "DDR5", 4800, 2),
        ("CXL 128 GB", None, "CXL", None, None),
        ("registered ECC", "RDIMM", None, None, None),
    ],
)
def test_words_of_published_modules(
    details: str, buffering: str | None, kind: str | None, speed: int | None, ranks: int | None
) -> None:
    assert (kind_of(details, buffering), speed_of(details), ranks_of(details)) == (kind, speed, ranks)


@pytest.mark.parametrize(
    ("module_type", "speed", "kind"),
    [
        ("FB-DIMM", None, "DDR2 FB-DIMM"),
        ("RDIMM", 3200, "DDR4 RDIMM"),
        ("RDIMM", 4800, "DDR5 RDIMM"),
        ("RDIMM", 1866, None),  # DDR3 or DDR4
        ("UDIMM", 533, "DDR2 UDIMM"),
        ("CXL", None, "CXL"),
        (None, 3200, None),
    ],
)
def test_the_speed_tells_the_generation_where_only_one_has_it(
    module_type: str | None, speed: int | None, kind: str | None
) -> None:
    assert kind_by_speed(module_type, speed) == kind


def test_a_population_as_a_person_writes_it() -> None:
    assert written_population("6 x 32", "DDR4 RDIMM") == Population("DDR4 RDIMM", 6, 192.0)
    full = written_population("12×16 GB 2R 3200 DDR4 LRDIMM", "DDR4 RDIMM")
    assert full == Population("DDR4 LRDIMM", 12, 192.0, 24.0, 3200.0)
    assert population_words(full) == "12 × 16 GiB, 2 ranks, 3200 MT/s, DDR4 LRDIMM"
    assert written_population("4 x 0,5", "DDR2 FB-DIMM").gib == 2.0


@pytest.mark.parametrize("text", ["", "six", "0 x 32", "6 x 0", "6 x", "192 GB", "99999 x 1"])
def test_what_is_no_population_is_refused_with_its_form(text: str) -> None:
    with pytest.raises(InputError, match="no memory population"):
        written_population(text, "DDR4 RDIMM")
