"""Figures of several runs against each other: ratios, deltas, ranks, geometric means."""
