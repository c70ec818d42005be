"""What a change over HTTP would bring in that the bench file of the machine does not hold yet."""

from __future__ import annotations

from collections.abc import Mapping

from wattmark.bench.bench import Bench
from wattmark.bench.editing.claims import Claim, Machine, claims_of
from wattmark.bench.editing.harmless import Kind
from wattmark.bench.references import Mistake

_ON_THE_MACHINE = "on the machine itself, in the bench file, and not over the network"
REFUSALS: Mapping[Kind, str] = {
    Kind.PROGRAM: f"programs, and the users that they run as, are named {_ON_THE_MACHINE}",
    Kind.FILE: f"files, folders and devices of the appliance are named {_ON_THE_MACHINE}; a serial port may be named"
    " once it is plugged in",
    Kind.VARIABLE: f"variables are named {_ON_THE_MACHINE}",
    Kind.PLACE: f"places that the appliance logs in to, or calls, are named {_ON_THE_MACHINE}",
    Kind.PARAMETERS: f"the parameters of a workload of one's own are declared {_ON_THE_MACHINE}",
    Kind.LOGIN: "this password was not given for this address; give the password of this device, which the service then"
    f" stores for it alone, or name its variable or file {_ON_THE_MACHINE}",
    Kind.UNKNOWN: f"what this becomes is not known to be harmless; write it {_ON_THE_MACHINE}",
}


def brought_in(before: Bench, after: Bench, machine: Machine) -> list[Mistake]:
    """Find what is new and not harmless, each at its field. No file is looked at, whatever is named."""
    known = claims_of(before, machine)
    keys, fields = {claim.key for claim in known}, {claim.field for claim in known}
    new = [claim for claim in claims_of(after, machine) if claim.key not in keys]
    return [Mistake(claim.path, REFUSALS[claim.kind]) for claim in _at_fault(new, fields)]


def _at_fault(new: list[Claim], fields: set[str]) -> list[Claim]:
    """Of fields that count together choose those that are new; the first, where only their combination is."""
    fresh = [claim for claim in new if claim.field not in fields]
    explained = {claim.key for claim in fresh}
    combined = {claim.key: claim for claim in reversed(new) if claim.key not in explained}
    return [*fresh, *combined.values()]
