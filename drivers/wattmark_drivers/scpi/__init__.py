"""Bench analysers that are asked: SCPI and its relatives."""
