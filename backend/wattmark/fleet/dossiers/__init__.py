"""Readers of results that others measured."""
