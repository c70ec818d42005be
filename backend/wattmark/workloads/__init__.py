"""Declarations of workloads, the parsers of their output, and the triggers that start them."""
