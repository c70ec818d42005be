"""One digit changed, or a part taken away: refused, contradicted in words, or within what the digits leave open.

Walks over every digit of a small file of each format that is imported without digests. What a format states once only
cannot be seen, and its audit, or the verdict of its run, says so.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from wattmark.core.errors import InputError
from wattmark.importers.bring_in import import_source
from wattmark.importers.choices import read_choices
from wattmark.importers.importer import Choices, ImportedFigures, Importer
from wattmark.importers.kinds import importer_of
from wattmark.importers.phoronix.phoronix import PHORONIX
from wattmark.importers.speccpu.speccpu import SPECCPU
from wattmark.importers.specpower.specpower import SPECPOWER
from wattmark.results.data_folder import Storage
from wattmark.results.evaluate import evaluate
from wattmark.results.ranking_bars import CLAIMS, why_not_ranked

from .phoronix.test_phoronix import CPU_POWER, PER_WATT, SYSTEM_POWER, TEST, composite
from .speccpu.test_speccpu import raw, table
from .speccpu.test_speccpu import text as cpu_text
from .specpower.test_specpower import text as power_text

PUBLISHED = Path(__file__).parents[4] / "../shared/data/specpower/power_ssj2008-20071128-00001.txt"
OPEN_SHARE = 0.004
"""How far the digits of the files here leave a figure open: three of them in a mean power of 400 W, and two such."""
Figures = tuple[float, ...]


def figures(importer: Importer, path: Path) -> tuple[Figures, tuple[str, ...]]:
    """Read the figures of a file with what it says against them."""
    values: list[float] = []
    words: list[str] = []
    for pending in importer.find(path, Choices()):
        item = pending.read()
        assert isinstance(item, ImportedFigures)
        values += [number for level in item.result.levels for number in (level.ops_per_s, level.power_w)]
        values += [item.result.overall, item.result.stated_overall or 0.0]
        words += [*item.result.contradictions, *item.notes]
    return tuple(values), tuple(words)


def changed(text: str) -> Iterator[tuple[str, str]]:
    """Yield the text with each of its digits changed, and the line where."""
    for place, sign in enumerate(text):
        if sign.isdigit():
            line = text[text.rfind("\n", 0, place) + 1 : text.find("\n", place)]
            yield f"{text[:place]}{(int(sign) + 3) % 10}{text[place + 1 :]}", line


def unseen(importer: Importer, path: Path, text: str) -> Iterator[tuple[str, float]]:
    """Yield the changes that alter a figure without a word, each with by how much."""
    path.write_text(text)
    figures_before, words_before = figures(importer, path)
    for other, line in changed(text):
        path.write_text(other)
        try:
            after, words = figures(importer, path)
        except InputError:
            continue
        if after != figures_before and words == words_before:
            assert len(after) == len(figures_before), line
            yield line, max(abs(b / a - 1) if a else abs(b) for a, b in zip(figures_before, after, strict=True))


@pytest.mark.parametrize(
    ("importer", "name", "text", "open_share"),
    [
        (SPECPOWER, "power_ssj2008-1.txt", power_text(), 0.0),
        (SPECCPU, "cpu.txt", cpu_text(), OPEN_SHARE),
        (SPECCPU, "cpu.csv", table(), OPEN_SHARE),
        (SPECCPU, "cpu.rsf", raw(), OPEN_SHARE),
        (PHORONIX, "composite.xml", composite(TEST, SYSTEM_POWER, CPU_POWER, PER_WATT), 0.0),
    ],
    ids=["specpower", "cpu2017 text", "cpu2017 table", "cpu2017 raw", "phoronix"],
)
def test_no_changed_digit_gives_another_figure_without_a_word(
    tmp_path: Path, importer: Importer, name: str, text: str, open_share: float
) -> None:
    assert [change for change in unseen(importer, tmp_path / name, text) if change[1] > open_share] == []


@pytest.mark.skipif(not PUBLISHED.exists(), reason="the published texts lie beside the checkout")
def test_no_changed_digit_of_a_published_text_is_taken(tmp_path: Path) -> None:
    text = PUBLISHED.read_text()
    begin, end = text.index("Benchmark Results Summary"), text.index("System Under Test")
    path = tmp_path / "power_ssj2008-1.txt"
    path.write_text(text)
    before = figures(SPECPOWER, path)
    assert not [word for word in before[1] if "wrong" in word]
    for other, line in changed(text[begin:end]):
        path.write_text(text[:begin] + other + text[end:])
        try:
            after = figures(SPECPOWER, path)
        except InputError:
            continue
        assert after[0] == before[0] or after[1] != before[1], line


@pytest.mark.parametrize(
    ("importer", "name", "text", "part", "words"),
    [
        (
            SPECPOWER,
            "power_ssj2008-1.txt",
            power_text(),
            "Aggregate Performance Data",
            "some changed digits cannot be seen",
        ),
        (SPECCPU, "cpu.txt", cpu_text(), "SPECrate(R)2017_int_energy_base", "a changed energy ratio cannot be seen"),
        (SPECCPU, "cpu.txt", cpu_text(), "SPECrate(R)2017_int_base", "a changed run time ratio cannot be seen"),
        (
            PHORONIX,
            "composite.xml",
            composite(TEST, SYSTEM_POWER, PER_WATT),
            PER_WATT,
            "result or sample cannot be seen",
        ),
    ],
)
def test_what_is_stated_once_only_is_said_to_be(
    tmp_path: Path, importer: Importer, name: str, text: str, part: str, words: str
) -> None:
    path = tmp_path / name
    path.write_text(text.replace(part, ""))
    assert any(words in note for note in figures(importer, path)[1])
    assert importer.audit is not None
    assert [f.severity for audit in importer.audit(path, Choices()) for f in audit.findings if words in f.text] == [
        "hides"
    ]


def ptdaemon(watts: str = "250.0", beside: str = ",Volts,230.00,Amps,1.1000,PF,0.98814") -> str:
    lines = [
        f"Time,07-01-2024 12:00:{second:02d}.000,Watts,{watts if second == 30 else '250.0'}{beside},Mark,m"
        for second in range(60)
    ]
    return "".join(f"{line}\n" for line in lines)


@pytest.mark.parametrize(
    ("text", "outcome", "words"),
    [
        (ptdaemon(), "pass", "In 0 of 60 lines"),
        (ptdaemon("290.0"), "fail", "In 1 of 60 lines watts differ from volts x amps x power factor"),
        (ptdaemon("950.0"), "fail", "at most by 280 %"),
        (ptdaemon("650.0", beside=""), "not-checked", "cannot be seen"),
        (ptdaemon(beside=",Volts,230.0,Amps,1,PF,1"), "pass", "In 0 of 60 lines"),
    ],
    ids=["as written", "one digit", "another digit", "nothing beside the watts", "coarse digits"],
)
def test_watts_of_a_bare_log_are_held_against_what_stands_beside_them(
    tmp_path: Path, storage: Storage, text: str, outcome: str, words: str
) -> None:
    path = tmp_path / "spl.txt"
    path.write_text(text)
    (imported,) = import_source(
        importer_of("auto", path), path, storage.samples, storage.runs, read_choices("UTC", begin="2024-07-01T12:00:00")
    )
    run = storage.runs.get(imported.run_id or "")
    assert run is not None
    result = evaluate(run, storage.samples)
    (verdict,) = [each for each in result.verdicts if each.rule == "import-volts-amps"]
    assert (verdict.outcome, words in verdict.text) == (outcome, True)
    assert result.power is not None
    assert result.power.u is None
    if outcome == "fail":
        assert all("volts" in str(why_not_ranked(result, claim)) for claim in CLAIMS)


def test_a_log_of_another_meter_says_that_nothing_stands_in_it_twice(tmp_path: Path, storage: Storage) -> None:
    path = tmp_path / "wattsup.log"
    path.write_text("#d,-,18,391,1200,335,79,0,34,2,391,1200,336,112,1198,275,91,0,0,600,427;\n" * 30)
    (imported,) = import_source(
        importer_of("auto", path), path, storage.samples, storage.runs, read_choices("UTC", begin="2024-07-01T12:00:00")
    )
    run = storage.runs.get(imported.run_id or "")
    assert run is not None
    (verdict,) = [each for each in evaluate(run, storage.samples).verdicts if each.rule == "import-stated-once"]
    assert (verdict.outcome, "cannot be seen" in verdict.text) == ("not-checked", True)
