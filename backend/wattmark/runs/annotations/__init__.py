"""Annotations of runs by people: tags, notes and inclusions."""
