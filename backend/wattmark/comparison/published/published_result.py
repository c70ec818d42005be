"""A result that was published as figures: who, what machine, and its load levels, without samples."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from wattmark.core.amounts import Amount, Count, Document, Number
from wattmark.core.schema import Record
from wattmark.runs.disclosure import SourceFileNote

Text = Annotated[str, Field(max_length=4000)]


class PublishedLevel(Record):
    """One load level as printed; the target of active idle is 0."""

    target_pct: Number
    actual_pct: Number | None
    ops_per_s: Amount
    power_w: Amount
    printed_ratio: Number | None
    """Performance to power ratio as printed."""


class PublishedMemory(Record):
    """Memory as published: modules of one kind, and the slots they were in where the text names them."""

    total_gib: Number | None = None
    modules: Count | None = None
    module_gib: Number | None = None
    """Size of each; None also where they are of several sizes."""
    mixed: Text = ""
    """The groups of modules where they are of several sizes: "6 × 2 GiB + 6 × 1 GiB"."""
    doubt: Text = ""
    """Why the count is not relied on: count x size is not the amount; empty: they agree, or one is not printed."""
    kind: str | None = None
    """FB-DIMM, RDIMM ..., where the text tells it."""
    slots: tuple[str, ...] = ()
    details: Text = ""


class PublishedSupplies(Record):
    """Power supplies as published."""

    count: Count | None = None
    rating_w: Number | None = None
    details: Text = ""


class PublishedSummary(Record):
    """Figures of others with their source, as lists and comparisons need them."""

    id: str
    kind: str
    collection: str = ""
    """What results of its kind are called: "SPECpower_ssj2008"; empty: as the kind."""
    title: str
    source: str
    """The file, and whose text it is."""
    submitter: str
    maker: str
    model: str
    tested_on: str | None = None
    """ISO date."""
    published_on: str | None = None
    available_on: str | None = None
    """Year and month, as ISO date of its first day."""
    cpu: str = ""
    cpus: Count | None = None
    cores: Count | None = None
    nodes: Count | None = None
    memory: PublishedMemory = PublishedMemory()
    supplies: PublishedSupplies = PublishedSupplies()
    workload: str
    unit: str
    program_version: Text = ""
    """Version of the program that did the work, as the source prints it; empty: it does not."""
    levels: tuple[PublishedLevel, ...]
    stated_overall: Number | None = None
    """Overall figure as printed; None: none is printed."""
    overall: Number
    """Overall figure recomputed from what is printed."""
    contradictions: tuple[Text, ...] = ()
    """Where the source denies the figures that it prints."""


class PublishedResult(PublishedSummary):
    """Figures of others with their source, and everything else that it discloses."""

    disclosure: Document = Field(default_factory=dict)
    """What else the text discloses, by its own section and key."""
    file: SourceFileNote

    @property
    def summary(self) -> PublishedSummary:
        """Return it without what it discloses."""
        return PublishedSummary(**{name: getattr(self, name) for name in PublishedSummary.model_fields})
