"""A flipped bit in a record or a document is found and named, and everything else stays readable."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from wattmark.access.roles import Role
from wattmark.access.token import Token
from wattmark.core.errors import StoreError
from wattmark.results.data_folder import LAYOUT, Storage, open_storage
from wattmark.results.evaluate import evaluate
from wattmark.results.issued.issued_result import Issue
from wattmark.runs.damaged_run import DamagedRun
from wattmark.runs.record import RunRecord
from wattmark.store.columns import make_samples
from wattmark.store.database import FILE_NAME
from wattmark.store.outbox.outbox import Outbox
from wattmark.store.sample_store import SeriesKey
from wattmark.store.verify import verify
from wattmark.traceability.check_standards.record import CheckReading, CheckStandard

from tests.stored_run import BEGIN_NS, make_run

from .flips import flips

NAMES = ("one", "two", "three")
TARGET = "http://influx/lab"

Items = dict[tuple[str, str], Any]
"""What is kept, by its kind and name."""


def run_record(name: str) -> RunRecord:
    return make_run(
        name, server="s1", created_ns=BEGIN_NS + len(name), reason=f"mark of run {name}",
        disclosure={"notes": ("x" * 3000,)},
    )  # fmt: skip


def fill(storage: Storage) -> None:
    """Write three of every kind."""
    for number, name in enumerate(NAMES):
        run = run_record(name)
        storage.runs.put(run)
        storage.runs.put_document("campaign", name, {"text": f"mark of document {name}", "long": ["y"] * 900})
        storage.check_standards.add(
            CheckStandard(name=name, meter="wall", nominal_w=60, description=f"load {name}", added_ns=1)
        )
        reading = CheckReading(check_standard=name, at_ns=2, power_w=60.0, sd_w=0.0, operator="ab", note=f"read {name}")
        storage.check_standards.add_reading(reading)
        storage.certificates.add_decision(name, "ab", f"why {name}", frozenset({"age"}), 5, serial=name)
        issue = Issue(1, 5, number, software=f"build {name}", reason=f"issued {name}")
        storage.issued.add(issue, evaluate(run, storage.samples))
        storage.annotations.tag([name], [f"tag {name}"], [])
        storage.annotations.write_note(name, f"note {name}")
        storage.tokens.add(Token(name, Role("viewer"), name * 20, 7, None, None))
        series = storage.samples.series(SeriesKey(name, "s1", "wall", "power", "power", "W", "averaged"))
        storage.samples.append([(series.id, make_samples(range(5), range(5)))])
        storage.samples.seal(name)
    storage.runs.trash(["three"], 6)
    Outbox(storage.database, TARGET)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    folder = tmp_path_factory.mktemp("whole")
    storage = open_storage(folder)
    fill(storage)
    storage.close()
    return (folder / FILE_NAME).read_bytes()


def read_each(items: Items, kind: str, of: Callable[[str], Any]) -> None:
    for name in NAMES:
        try:
            items[kind, name] = of(name)
        except StoreError:
            continue


def look(storage: Storage) -> Items:
    """Everything that is given as sound."""
    sound: Items = {}

    def add(kind: str, items: Callable[[], dict[str, Any]]) -> None:
        try:
            sound.update({(kind, name): value for name, value in items().items()})
        except StoreError:
            return

    runs, annotations, register = storage.runs, storage.annotations, storage.certificates.register
    add("run", lambda: {run.run_id: run for run in runs.all()})
    add("run", lambda: {run.run_id: run for run, _ in runs.trashed() if not isinstance(run, DamagedRun)})
    add("document", lambda: dict(runs.documents("campaign")))
    add("load", lambda: {load.name: load for load in storage.check_standards.all()})
    add("override", lambda: {decision.certificate_id: decision for decision in register().decisions})
    add(
        "note", lambda: {run_id: annotation.note for run_id, annotation in annotations.all().items() if annotation.note}
    )
    add(
        "tags", lambda: {run_id: annotation.tags for run_id, annotation in annotations.all().items() if annotation.tags}
    )
    add("token", lambda: {token.name: token for token in storage.tokens.all()})
    add("in force", storage.issued.in_force)
    read_each(sound, "readings", storage.check_standards.readings)
    read_each(sound, "issued", storage.issued.of)
    return sound


def flip(content: bytes, pattern: bytes) -> bytes:
    """Flip a bit in the middle of a pattern wherever it lies; freed pages may hold a copy."""
    assert pattern in content
    middle = len(pattern) // 2
    return content.replace(pattern, pattern[:middle] + bytes([pattern[middle] ^ 0x08]) + pattern[middle + 1 :])


@pytest.mark.parametrize(
    ("pattern", "lost", "named"),
    [
        ('"reason": "mark of run two"', {("run", "two")}, "The record of run two is damaged."),
        ('"reason": "mark of run three"', {("run", "three")}, "The record of run three is damaged."),
        ("mark of document two", {("document", "two")}, "Document campaign/two is damaged."),
        ("load two", {("load", "two")}, "Check standard two is damaged."),
        ("read two", {("readings", "two")}, "The reading of check standard two at 2 ns is damaged."),
        ("why two", {("override", "two")}, "Override 2 of the certificate register is damaged."),
        ("build two", {("issued", "two"), ("in force", "two")}, "Version 1 of what was issued of run two"),
        ("note two", {("note", "two")}, "The note of run two is damaged."),
        ("two" * 20, {("token", "two")}, "Token two is damaged."),
    ],
)
def test_what_is_damaged_is_named_and_the_rest_is_readable(
    whole: bytes, tmp_path: Path, pattern: str, lost: set[tuple[str, str]], named: str
) -> None:
    path = tmp_path / FILE_NAME
    path.write_bytes(whole)
    storage = open_storage(tmp_path, read_only=True)
    expected = look(storage)
    storage.close()
    assert len(expected) == len(NAMES) * 10
    path.write_bytes(flip(whole, pattern.encode()))
    assert any(problem.startswith(named) for problem in verify(path, LAYOUT)), verify(path, LAYOUT)
    storage = open_storage(tmp_path)
    items = look(storage)
    storage.close()
    assert expected.keys() - items.keys() == lost
    assert items.items() <= expected.items()


def test_text_that_is_no_text_any_more(whole: bytes, tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).write_bytes(whole.replace(b"mark of run two", b"mark \xe5\xe5 run two"))
    storage = open_storage(tmp_path)
    (broken,) = (run for run in storage.runs.listed() if isinstance(run, DamagedRun))
    assert broken.run_id == "two"
    with pytest.raises(StoreError, match=r"^The record of run two in .* is damaged.*backup"):
        storage.runs.get("two")
    assert storage.runs.get("one") == run_record("one")
    storage.close()


def test_a_lost_row_is_named(whole: bytes, tmp_path: Path) -> None:
    path = tmp_path / FILE_NAME
    path.write_bytes(whole)
    storage = open_storage(tmp_path)
    storage.database.write(lambda connection: connection.execute("DROP TRIGGER document_crc_goes").get)
    storage.database.write(lambda connection: connection.execute("DELETE FROM document WHERE name = 'two'").get)
    storage.close()
    assert verify(path, LAYOUT) == ["Document campaign/two is missing."]


def test_a_result_that_is_damaged_is_not_given(whole: bytes, tmp_path: Path) -> None:
    path = tmp_path / FILE_NAME
    path.write_bytes(flip(whole, b'"run_id":"two"'))
    assert "Version 1 of the issued result of run two is damaged." in verify(path, LAYOUT)
    storage = open_storage(tmp_path)
    assert [result.run_id for result in storage.issued.latest(["one", "two"])] == ["one"]
    with pytest.raises(StoreError, match=r"Version 1 of the issued result of run two in .* is damaged"):
        storage.issued.of("two")
    storage.close()


def test_a_sink_whose_positions_are_damaged_sends_everything_again(whole: bytes, tmp_path: Path) -> None:
    path = tmp_path / FILE_NAME
    path.write_bytes(whole)
    storage = open_storage(tmp_path)
    outbox = Outbox(storage.database, TARGET)
    while load := outbox.take(100):
        outbox.acknowledge(load, 9)
    assert outbox.state().waiting == 0
    assert Outbox(storage.database, TARGET).state().waiting == 0
    storage.database.write(lambda connection: connection.execute("DROP TRIGGER unsent_run_crc_changes").get)
    storage.database.write(lambda connection: connection.execute("UPDATE unsent_run SET edition = 5").get)
    assert Outbox(storage.database, TARGET).state().waiting == 15
    storage.close()
    assert verify(path, LAYOUT) == []


def test_random_flips_are_found_or_harmless(whole: bytes, tmp_path: Path) -> None:
    path = tmp_path / FILE_NAME
    path.write_bytes(whole)
    storage = open_storage(tmp_path, read_only=True)
    expected = look(storage)
    storage.close()
    reported = 0
    for offset, bit in flips(whole, path, 150):
        try:
            storage = open_storage(tmp_path, read_only=True)
        except StoreError:
            reported += 1
            continue
        items = look(storage)
        storage.close()
        assert {key: items[key] for key in items if items[key] != expected.get(key)} == {}, (offset, bit)
        if items.keys() != expected.keys():
            reported += 1
            assert verify(path, LAYOUT) != [], (offset, bit)
    assert reported > 5
