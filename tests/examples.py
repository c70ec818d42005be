"""How many examples a property has where one takes long, and how it fails where one starts a service."""

from __future__ import annotations

from hypothesis import Phase, settings

WITHOUT_SHRINKING = (Phase.explicit, Phase.reuse, Phase.generate)
"""For examples that start a service or a program: to make one smaller takes longer than a test may."""


def examples(at_most: int) -> int:
    """Limit the examples of the profile: 25 in `make test`, 500 in `make test-long`."""
    return min(at_most, settings().max_examples)
