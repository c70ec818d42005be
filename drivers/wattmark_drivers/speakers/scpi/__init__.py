"""Speaks SCPI for analysers."""
