"""Watts against DIMM count, and the break-even of two servers."""
