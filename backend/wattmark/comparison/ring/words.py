"""A ring comparison in plain words."""

from __future__ import annotations

from collections.abc import Sequence

from wattmark.analysis.comparison.ring import Consistency, Ring
from wattmark.comparison.ring.views import RingItem, RingLab
from wattmark.core.numbers import format_number, format_uncertain
from wattmark.results.names import MOST_NAMED, listed

ONE_RUN = "One run only: how much it scatters from run to run is not known."
INDEPENDENT = (
    "Errors of different laboratories count as independent: no meter and no certificate belongs to two. An institute "
    "that calibrated the meters of several would make them agree better than they should."
)
SPECIMENS = "Each laboratory measured its own specimen of the model, so a difference may be that of the specimens."
CHANCE = "Of twenty laboratories that agree, one gets an action signal by chance."
TWO = "Of two laboratories nobody can tell which one is off; both have the En of their difference."
SUBSET = "With so many laboratories not every subset was tried; a larger consistent one may exist."


def title(item: RingItem) -> str:
    """Describe the measured item: "R740, Xeon 6252, 12 x 32 GiB RDIMM: openssl, 4 processes"."""
    parts = [part for part in (item.server_model or "server of unknown model", item.processor, item.memory) if part]
    simulated = " (simulated)" if item.simulated else ""
    return f"{', '.join(parts)}: {item.workload}, {item.level}{simulated}"


def statement(labs: Sequence[RingLab], compared: Ring, unit: str, reason: str) -> str:
    """Give the answer in sentences: consensus value, whether the laboratories agree, who gets an action signal."""
    reference = compared.reference
    sentences = []
    if reference is None:
        sentences.append(reason)
    elif len(reference.members) == len(labs) == 2:
        sentences.append(
            f"Weighted mean of two laboratories: {format_uncertain(reference.value, reference.U95, unit)}."
        )
    else:
        made_of = f"{len(reference.members)} of {len(labs)}" if len(reference.members) < len(labs) else f"{len(labs)}"
        value = format_uncertain(reference.value, reference.U95, unit)
        sentences.append(f"Consensus value of {made_of} laboratories: {value}.")
    if compared.consistency is not None:
        sentences.append(_agreement(compared.consistency))
    action = [lab.lab for lab in labs if lab.signal == "action signal"]
    if action:
        names = listed(action) if len(action) <= MOST_NAMED else f"{len(action)} laboratories"
        sentences.append(f"Action signal: {names}.")
    return " ".join(sentence for sentence in sentences if sentence)


def notes(labs: Sequence[RingLab], compared: Ring) -> list[str]:
    """List what must be known to read the scores."""
    reference = compared.reference
    two = reference is not None and len(reference.members) == 2
    return [
        *([TWO] if two else []),
        *([CHANCE] if any(lab.signal == "action signal" for lab in labs) and not two else []),
        *([SUBSET] if reference is not None and not reference.exact else []),
        *([INDEPENDENT, SPECIMENS] if labs else []),
    ]


def _agreement(of: Consistency) -> str:
    scatter = "Their ± explains how they scatter" if of.consistent else "They scatter more than their ± explains"
    chi_squared, p = format_number(of.chi_squared, 3), format_number(of.p, 2)
    return f"{scatter} (chi-squared {chi_squared} for {of.dof}, p = {p})."
