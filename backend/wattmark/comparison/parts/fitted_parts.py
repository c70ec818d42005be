"""The parts of a configuration that can be counted: drives, network cards, supplies, and what a laboratory declares."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain

from wattmark.core.errors import InputError
from wattmark.core.part_words import canonical_kind, part_text
from wattmark.core.texts import as_typed_by_anybody, one_writing
from wattmark.runs.configuration import DeclaredSupply, RecordedConfiguration
from wattmark.runs.record import RunRecord

SUPPLY = "power supply"
LISTED = {"drive": "disks", "network card": "nics"}
"""Kind of part -> the list of words that names each of them, where no part of this kind is declared."""


@dataclass(frozen=True, slots=True)
class FittedPart:
    """Parts of one kind and model in a server, beside others of the same kind."""

    kind: str
    model: str
    """With its capacity or link."""
    count: int
    capacity_tb: float | None = None
    link_gbit_s: float | None = None
    beside: str = ""
    """What else of this kind is fitted: "1 × boot"."""
    not_stated: str | None = None
    """What would tell parts of this name apart and is not known: "rating"."""

    @property
    def name(self) -> str:
        """Return the model and what is fitted beside it: no line mixes two of these."""
        return f"{self.model}, beside {self.beside}" if self.beside else self.model

    @property
    def key(self) -> str:
        """Return the name by which it is asked for: "drive: Intel S3500, 0.48 TB"."""
        return f"{self.kind}: {self.name}"


def fitted_parts(configuration: RecordedConfiguration) -> list[FittedPart]:
    """List the parts of a configuration that can be counted, each with what else of its kind is fitted.

    A model that is typed in two ways is one.
    """
    declared = configuration.declared
    words = {"disks": declared.disks or configuration.disks, "nics": declared.nics}
    written = one_writing((*map(part_text, declared.parts), *chain.from_iterable(words.values())))
    parts: dict[str, dict[str, FittedPart]] = defaultdict(dict)
    for part in declared.parts:
        kind, model = canonical_kind(part.kind), written[part_text(part)]
        written_otherwise = parts[kind].get(model)
        count = part.count + (0 if written_otherwise is None else written_otherwise.count)
        parts[kind][model] = FittedPart(kind, model, count, part.capacity_tb, part.link_gbit_s)
    for kind, listed in LISTED.items():
        if kind not in parts:
            counts = Counter(written[model] for model in words[listed])
            parts[kind] = {model: FittedPart(kind, model, count) for model, count in counts.items()}
    if declared.psus:
        rating = _rating(declared.psus)
        unrated = "rating" if any(supply.rated_w is None for supply in declared.psus) else None
        parts[SUPPLY] = {rating: FittedPart(SUPPLY, rating, len(declared.powered), not_stated=unrated)}
    return _beside_each_other([part for of in parts.values() for part in of.values()])


def _rating(supplies: Sequence[DeclaredSupply]) -> str:
    ratings = sorted({supply.rated_w for supply in supplies if supply.rated_w is not None})
    return " + ".join(f"{rated_w:g} W" for rated_w in ratings) or "rating not stated"


def _beside_each_other(parts: Sequence[FittedPart]) -> list[FittedPart]:
    """Write into each part of a configuration what else of its kind is fitted."""
    return [replace(part, beside=_beside(part, parts)) for part in parts]


def _beside(part: FittedPart, parts: Iterable[FittedPart]) -> str:
    others = (other for other in parts if other.kind == part.kind and other is not part and other.count)
    return " and ".join(sorted(f"{other.count} × {other.model}" for other in others))


def parts_of(records: Sequence[RunRecord]) -> dict[str, list[FittedPart]]:
    """List the parts of each run, by its id; each model is written alike in all of them."""
    return parts_typed_alike({run.run_id: fitted_parts(run.configuration_snapshot) for run in records})


def parts_typed_alike(of_run: Mapping[str, Sequence[FittedPart]]) -> dict[str, list[FittedPart]]:
    """Write each model alike in all runs, however it was typed in each."""
    written = one_writing(part.model for parts in of_run.values() for part in parts)
    if all(text == model for model, text in written.items()):
        return {run_id: list(parts) for run_id, parts in of_run.items()}
    return {
        run_id: _beside_each_other([replace(part, model=written[part.model]) for part in parts])
        for run_id, parts in of_run.items()
    }


def name_among(of_run: Mapping[str, Sequence[FittedPart]], kind: str, name: str) -> str:
    """Return how parts that are asked for by a name are written in these runs; the name itself where none has them."""
    wanted = as_typed_by_anybody(name)
    names = (part.name for parts in of_run.values() for part in parts if part.kind == kind)
    return next((written for written in names if as_typed_by_anybody(written) == wanted), name)


def kind_and_name(key: str) -> tuple[str, str]:
    """Split the name that parts are asked for by. Raises `InputError` for what is none."""
    kind, colon, name = key.partition(": ")
    if not (colon and kind.strip() and name):
        raise InputError(f"{key[:80]!r} names no parts.", "Name kind and model, such as 'drive: Intel S3500'.")
    return canonical_kind(kind), name
