"""Watts against the number of parts of one kind: one method for drives, network cards, fans and memory modules."""
