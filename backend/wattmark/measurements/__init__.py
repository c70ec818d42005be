"""Measure one command on this machine: no plan, and no bench file written by hand."""
