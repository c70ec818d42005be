"""Figures by the factors that vary between runs: deltas, multiples of a baseline, geometric means."""
